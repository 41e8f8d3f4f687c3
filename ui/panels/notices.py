"""Strips above the timeline: what went wrong or is lacking, which record is on screen, and an engine that misbehaves
on purpose."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from ui.models.plain import line
from ui.theme import SPACE_PX, Theme
from ui.widgets.elided_label import ElidedLabel


class Look(NamedTuple):
    """The colours of a strip."""

    background: str
    words: str
    below: str
    """The line at its lower edge."""
    left: str = ""
    """The edge at its left; none where it is empty."""


def _sheet(name: str, look: Look) -> str:
    left = f" border-left: 4px solid {look.left};" if look.left else ""
    return f"{name} {{ background: {look.background}; border: none;{left} border-bottom: 1px solid {look.below}; }}"


class SentenceStrip(QFrame):
    """Sentences that are read, copied and dismissed; coloured at its left edge, as its words are."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.dismiss_button = QPushButton("Dismiss")
        self.dismiss_button.setProperty("role", "quiet")
        self.dismiss_button.clicked.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(3 * SPACE_PX, SPACE_PX, 2 * SPACE_PX, SPACE_PX)
        row.addWidget(self.text, 1)
        row.addWidget(self.dismiss_button, 0, Qt.AlignmentFlag.AlignTop)
        theme.changed.connect(self._show)

    def dismiss(self) -> None:
        """Hide what is shown."""
        raise NotImplementedError

    def _show(self) -> None:
        raise NotImplementedError

    def _show_lines(self, text: str, colour: str) -> None:
        """Show a text in a colour; an empty one hides the strip."""
        colours, name = self._theme.colours, type(self).__name__
        self.text.setText(text)
        sheet = _sheet(name, Look(colours.raised, colour, below=colours.line, left=colour))
        self.setStyleSheet(f"{sheet} {name} QLabel {{ color: {colour}; }}")
        self.setVisible(bool(text))


class Banner(QFrame):
    """Says in one line, as long as it holds, how things stand, and offers at its right what to do about it.

    Hidden until there is something to say.
    """

    def __init__(self, theme: Theme, text: QLabel, beside: Sequence[QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.text = text
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(3 * SPACE_PX, SPACE_PX, 2 * SPACE_PX, SPACE_PX)
        self._row.addWidget(text, 1)
        for widget in beside:
            self._row.addWidget(widget)
        theme.changed.connect(self._recolour)
        self._recolour()
        self.hide()

    def _look(self) -> Look:
        raise NotImplementedError

    def _recolour(self) -> None:
        look, name = self._look(), type(self).__name__
        self.setStyleSheet(_sheet(name, look) + f" {name} QLabel {{ color: {look.words}; font-weight: 600; }}")


class RecordBanner(Banner):
    """Says that a record other than the live session is on screen, and leads back."""

    back_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.back_button = QPushButton("Back to live  F8")
        self.back_button.setProperty("role", "primary")
        super().__init__(theme, ElidedLabel(), [self.back_button], parent)
        self.back_button.clicked.connect(self.back_requested)

    def add(self, widget: QWidget) -> None:
        """Put something that can be done with the record before the way back."""
        self._row.insertWidget(self._row.count() - 1, widget)

    def show_title(self, title: str, impaired: str = "", replay_of: str = "") -> None:
        """Name the record on screen, what was done to its voice, and of what it is a replay; an empty title is the live
        session."""
        replay = f"     ↻ replay of {line(replay_of)}" if replay_of else ""
        voice = f"     ⚠ voice impaired: {impaired}" if impaired else ""
        self.text.setText(f"Showing the record of  {title}{replay}{voice}")
        self.setVisible(bool(title))

    def _look(self) -> Look:
        colours = self._theme.colours
        return Look(colours.selection, colours.text, below=colours.accent)


class WarningBanner(Banner):
    """Says that something is not as it should be."""

    def _look(self) -> Look:
        colours = self._theme.colours
        return Look(colours.raised, colours.warning, below=colours.warning, left=colours.warning)


class FaultsBanner(WarningBanner):
    """Says, as long as the session lasts, that its engine breaks rules because it was told to."""

    change_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.change_button = QPushButton("Change…")
        super().__init__(theme, ElidedLabel(), [self.change_button], parent)
        self.change_button.clicked.connect(self.change_requested)

    def show_faults(self, names: Sequence[str], described: str) -> None:
        """Name the faults in force; none hides the strip."""
        shown = described if len(names) == 1 else ", ".join(names)
        self.text.setText(f"⚠  The engine misbehaves on purpose   {shown}")
        self.text.setToolTip(described)
        self.setVisible(bool(names))

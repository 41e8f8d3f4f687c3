"""The strip that says, as long as a replay goes on, which session is replayed, how far it is, and how to stop it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QWidget

from simulator.participant.messages import ReplayProgress
from ui.models.plain import line
from ui.models.replay import progress_line
from ui.theme import SPACE_PX, Theme
from ui.widgets.elided_label import ElidedLabel

_BAR_PX = 160


class ReplayBanner(QFrame):
    """Hidden while nothing is replayed."""

    stop_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.text = ElidedLabel()
        self.text.setAccessibleName("What is replayed")
        self.bar = QProgressBar()
        self.bar.setAccessibleName("How much of the session was replayed")
        self.bar.setFixedSize(_BAR_PX, 2 * SPACE_PX)
        self.bar.setTextVisible(False)
        self.stop_button = QPushButton("Stop the replay")
        self.stop_button.setProperty("role", "danger")
        self.stop_button.clicked.connect(self.stop_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(3 * SPACE_PX, SPACE_PX, 2 * SPACE_PX, SPACE_PX)
        row.setSpacing(3 * SPACE_PX)
        row.addWidget(self.text, 1)
        row.addWidget(self.bar)
        row.addWidget(self.stop_button)
        theme.changed.connect(self._recolour)
        self._recolour()
        self.hide()

    def show_replay(self, name: str, engine: str, progress: ReplayProgress | None) -> None:
        """Show which session is replayed against which engine, and how far it is; no progress yet: it connects."""
        words = progress_line(line(name), line(engine), progress)
        self.text.setText(f"↻  {words}")
        self.text.setToolTip(words)
        self.bar.setRange(0, progress.acts if progress is not None else 1)
        self.bar.setValue(progress.done if progress is not None else 0)
        self.show()

    def show_ending(self, name: str) -> None:
        """Show that the session is being ended."""
        self.text.setText(f"↻  Replaying  {line(name)}  ·  ending the session…")

    def _recolour(self) -> None:
        colours = self._theme.colours
        self.setStyleSheet(
            f"ReplayBanner {{ background: {colours.selection}; border: none; border-left: 4px solid {colours.accent};"
            f" border-bottom: 1px solid {colours.accent}; }}"
            f" ReplayBanner QLabel {{ color: {colours.text}; font-weight: 600; }}"
        )

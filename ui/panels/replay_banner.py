"""The strip that says, as long as a replay goes on, which session is replayed, how far it is, and how to stop it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QPushButton, QWidget

from simulator.participant.messages import ReplayProgress
from ui.models.plain import line
from ui.models.replay import progress_line
from ui.panels.notices import Banner, Look
from ui.theme import SPACE_PX, Theme
from ui.widgets.elided_label import ElidedLabel

_BAR_PX = 160


class ReplayBanner(Banner):
    """Hidden while nothing is replayed."""

    stop_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.bar = QProgressBar()
        self.bar.setAccessibleName("How much of the session was replayed")
        self.bar.setFixedSize(_BAR_PX, 2 * SPACE_PX)
        self.bar.setTextVisible(False)
        self.stop_button = QPushButton("Stop the replay")
        self.stop_button.setProperty("role", "danger")
        super().__init__(theme, ElidedLabel(), [self.bar, self.stop_button], parent)
        self._row.setSpacing(3 * SPACE_PX)
        self.text.setAccessibleName("What is replayed")
        self.stop_button.clicked.connect(self.stop_requested)

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

    def _look(self) -> Look:
        colours = self._theme.colours
        return Look(colours.selection, colours.text, below=colours.accent, left=colours.accent)

"""The page that measures how late a loudspeaker and a microphone are: chirps are played, and come back."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ui.theme import SPACE_PX

_WHAT = (
    "Plays ten short chirps on the loudspeaker that is selected on the first page, and looks for them at the "
    "microphone: through a cable from one to the other, or through the room (a metre adds three milliseconds). Be "
    "silent for eight seconds.\n\n"
    "Devices only report how late they are, and many are wrong, above all wireless ones. What is measured is kept for "
    "this pair of devices: from the next session on the agent's heard position counts it, and the record says so."
)
_MEASURING = "Measuring…"
_NOTHING_YET = "Nothing was measured here yet."


class RoundTripPage(QWidget):
    """Knows no process: it tells that a measurement is wanted, and shows what came of it."""

    measure_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        what, self.pair, self.result = QLabel(_WHAT), QLabel(), QLabel(_NOTHING_YET)
        what.setProperty("role", "muted")
        for label in (what, self.pair, self.result):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.result.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.result.setAccessibleName("Round trip")
        self.button = QPushButton("Measure the round trip")
        self.button.clicked.connect(self.measure_requested)
        row = QHBoxLayout()
        row.addWidget(self.button)
        row.addWidget(self.pair, 1)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 3 * SPACE_PX, 0, 0)
        rows.setSpacing(4 * SPACE_PX)
        rows.addWidget(what)
        rows.addLayout(row)
        rows.addWidget(self.result)
        rows.addStretch(1)

    def show_pair(self, loudspeaker: str, microphone: str) -> None:
        """Name the devices that would be measured."""
        self.pair.setText(f"{loudspeaker}  →  {microphone}")

    def show_state(self, *, measuring: bool, free: bool) -> None:
        """Show whether it measures now, and whether it may: not while the devices are used."""
        self.button.setEnabled(free and not measuring)
        self.button.setToolTip("" if free else "The devices are in use: end the session, or what is being tried.")
        if measuring:
            self.result.setText(_MEASURING)
        elif self.result.text() == _MEASURING:
            self.result.setText(_NOTHING_YET)

    def show_result(self, sentences: str) -> None:
        """Show what was measured, or why nothing was."""
        self.result.setText(sentences)

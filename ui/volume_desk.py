"""How loud the agent is played: a button beside the loudspeaker's picker, two keys, and what is remembered of it."""

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSlider, QToolButton, QWidget

from simulator.participant.messages import HIGHEST_VOLUME_DB, LOWEST_VOLUME_DB, SetVolume, Status
from ui.actions import Deed
from ui.session_feed import SessionFeed
from ui.settings import WindowSettings
from ui.theme import SPACE_PX

_SETTING = "volume_db"
_STEP_DB = 3
_SLIDER_WIDTH_PX = 220


class VolumeButton(QToolButton):
    """Shows the volume, and opens a slider for it."""

    wanted = Signal(int)
    """The volume that the user wants, in dB."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Volume of the agent's voice")
        self.setToolTip(
            "How much louder or softer the agent is played. Keys: Ctrl+Up, Ctrl+Down. The record holds the voice as it "
            "was received."
        )
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Volume in dB")
        self.slider.setRange(round(LOWEST_VOLUME_DB), round(HIGHEST_VOLUME_DB))
        self.slider.setPageStep(_STEP_DB)
        self.slider.setFixedWidth(_SLIDER_WIDTH_PX)
        self.slider.valueChanged.connect(self.wanted)
        as_received = QPushButton("0 dB")
        as_received.setToolTip("Play the voice as it was received.")
        as_received.clicked.connect(lambda: self.slider.setValue(0))
        self._popup = QFrame(self, Qt.WindowType.Popup)
        self._popup.setProperty("role", "bar")
        row = QHBoxLayout(self._popup)
        row.setContentsMargins(2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX)
        row.addWidget(self.slider)
        row.addWidget(as_received)
        self.clicked.connect(self._open)
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("−60 dB ") + 4 * SPACE_PX)
        self.show_volume(0)

    def show_volume(self, db: float) -> None:
        """Show a volume without wanting it."""
        self.setText(_text(db))
        self.slider.blockSignals(True)
        self.slider.setValue(round(db))
        self.slider.blockSignals(False)

    def _open(self) -> None:
        self._popup.adjustSize()
        size = self._popup.sizeHint()
        self._popup.move(self.mapToGlobal(QPoint(self.width() - size.width(), self.height())))
        self._popup.show()
        self.slider.setFocus()


class VolumeDesk(QObject):
    """Owns the button; the volume is told to each new process."""

    failed = Signal(str)

    def __init__(self, feed: SessionFeed, settings: WindowSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._feed, self._settings = feed, settings
        self._wanted_db = _remembered(settings)
        self.button = VolumeButton()
        self.button.wanted.connect(self.choose)
        self.button.show_volume(self._wanted_db)
        feed.status_changed.connect(self._show)
        feed.process_started.connect(self._tell)

    def deeds(self) -> list[Deed]:
        """Return the keys for the menu."""
        return [
            Deed("Agent lo&uder", "Ctrl+Up", lambda: self.choose(self._wanted_db + _STEP_DB)),
            Deed("Agent so&fter", "Ctrl+Down", lambda: self.choose(self._wanted_db - _STEP_DB)),
        ]

    def choose(self, db: float) -> None:
        """Play the agent at this volume from now on, and in later sessions too."""
        self._wanted_db = min(max(db, LOWEST_VOLUME_DB), HIGHEST_VOLUME_DB)
        self._settings.set_text(_SETTING, f"{self._wanted_db:g}")
        self.button.show_volume(self._wanted_db)
        self._tell()

    def _tell(self) -> None:
        if self._wanted_db != self._feed.status.volume_db:
            self._feed.send(SetVolume(id=0, db=self._wanted_db), self._settled)

    def _settled(self, error: str | None) -> None:
        if error is not None:
            self.failed.emit(error)

    def _show(self, status: Status) -> None:
        if not self.button.slider.isSliderDown():
            self.button.show_volume(status.volume_db)


def _remembered(settings: WindowSettings) -> float:
    try:
        db = float(settings.text(_SETTING, "0"))
    except ValueError:  # edited by hand
        return 0.0
    return db if LOWEST_VOLUME_DB <= db <= HIGHEST_VOLUME_DB else 0.0


def _text(db: float) -> str:
    """Return a volume as a person reads it: with a sign that is a sign."""
    return f"{'+' if db > 0 else '−' if db < 0 else ''}{abs(db):g} dB"

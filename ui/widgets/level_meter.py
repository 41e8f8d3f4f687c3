"""The level meter: RMS as a bar, peak as a line that is held, a clip mark and the number, from -60 to 0 dBFS."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from simulator.units import NS_PER_S
from ui.theme import Theme, ui_font

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

LOWEST_DBFS: Final = -60.0
CLIP_DBFS: Final = -0.1
"""A peak from here on counts as clipped."""
_HOLD_NS: Final = 3 * NS_PER_S // 2
_FALL_DB_PER_S: Final = 20.0
_MARKS_DBFS: Final = (-48, -36, -24, -12)
_HOT_DBFS: Final = -6.0
_LEAST_BAR_PX: Final = 60


@dataclass(slots=True)
class PeakHold:
    """The highest peak, held for 1.5 s and then falling by 20 dB a second. Times are of one clock."""

    dbfs: float = LOWEST_DBFS
    clipped: bool = False
    """Some peak reached full scale; stays until `clear_clip`."""
    _held_ns: int = 0
    _last_ns: int = 0

    def feed(self, peak_dbfs: float, t_ns: int) -> None:
        """Take the peak of the stretch of audio that ends at `t_ns`."""
        if t_ns < self._last_ns:  # another session began
            self.dbfs, self._held_ns = LOWEST_DBFS, t_ns
        self.clipped = self.clipped or peak_dbfs >= CLIP_DBFS
        falling_ns = t_ns - max(self._last_ns, self._held_ns + _HOLD_NS)
        if falling_ns > 0:
            self.dbfs -= _FALL_DB_PER_S * falling_ns / NS_PER_S
        if peak_dbfs >= self.dbfs:
            self.dbfs, self._held_ns = peak_dbfs, t_ns
        self.dbfs = max(LOWEST_DBFS, self.dbfs)
        self._last_ns = t_ns

    def clear_clip(self) -> None:
        """Forget that something clipped."""
        self.clipped = False


class LevelMeter(QWidget):
    """Shows the level of the participant's voice. A click clears the clip mark."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rms_dbfs = LOWEST_DBFS
        self._hold = PeakHold()
        self._text = ""
        self.setFont(ui_font(0.95))
        metrics = QFontMetricsF(self.font())
        self._number_px = metrics.horizontalAdvance("−60 dBFS") + 8
        self._clip_px = metrics.horizontalAdvance("CLIP") + 10
        self.setMinimumSize(QSize(round(self._number_px + self._clip_px) + 90, 22))
        self.setMaximumWidth(480)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Level of the participant's voice")
        self.setToolTip("RMS as the bar, highest peak of the last moments as the line; a click clears CLIP")
        theme.changed.connect(self.update)

    @property
    def text(self) -> str:
        """The level as written beside the bar."""
        return self._text

    @property
    def clipped(self) -> bool:
        """Whether the clip mark is shown."""
        return self._hold.clipped

    def set_level(self, rms_dbfs: float, peak_dbfs: float, t_ns: int) -> None:
        """Show the level of the stretch of audio that ends at `t_ns`."""
        before = (self._rms_dbfs, self._hold.dbfs, self._hold.clipped)
        self._rms_dbfs = min(0.0, max(LOWEST_DBFS, rms_dbfs))
        self._hold.feed(peak_dbfs, t_ns)
        self._text = "silent" if rms_dbfs <= LOWEST_DBFS else f"{rms_dbfs:.0f} dBFS".replace("-", "−")
        if before != (self._rms_dbfs, self._hold.dbfs, self._hold.clipped):
            self.update()

    def clear(self) -> None:
        """Show no level: nothing is captured."""
        self._rms_dbfs, self._hold, self._text = LOWEST_DBFS, PeakHold(), ""
        self.update()

    def sizeHint(self) -> QSize:
        """Room for the bar, the number and the clip mark."""
        return QSize(round(self._number_px + self._clip_px) + 160, 22)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Clear the clip mark."""
        self._hold.clear_clip()
        self.update()
        super().mousePressEvent(event)

    def paintEvent(self, event: "QPaintEvent") -> None:
        """Draw the bar, the held peak, the scale, the clip mark and the number."""
        painter = QPainter(self)
        theme = self._theme
        room_px = self.width() - self._number_px
        # Where it is narrow the clip mark lies over the end of the bar.
        beside = room_px - self._clip_px >= _LEAST_BAR_PX
        bar = QRectF(0, self.height() / 2 - 6, max(0.0, room_px - self._clip_px if beside else room_px), 12)

        def x(dbfs: float) -> float:
            return bar.left() + bar.width() * (min(0.0, dbfs) - LOWEST_DBFS) / -LOWEST_DBFS

        painter.fillRect(bar, theme.colour("line"))
        hot_x = x(_HOT_DBFS)
        end_x = x(self._rms_dbfs)
        painter.fillRect(
            QRectF(bar.left(), bar.top(), min(end_x, hot_x) - bar.left(), 12), theme.colour("participant_fill")
        )
        if end_x > hot_x:
            painter.fillRect(QRectF(hot_x, bar.top(), end_x - hot_x, 12), theme.colour("agent_fill"))
        painter.setPen(QPen(theme.colour("panel"), 1))
        painter.drawLines(
            [QLineF(round(x(mark)) + 0.5, bar.top(), round(x(mark)) + 0.5, bar.bottom()) for mark in _MARKS_DBFS]
        )
        if self._hold.dbfs > LOWEST_DBFS:
            painter.setPen(QPen(theme.colour("text"), 2))
            held_x = min(x(self._hold.dbfs), bar.right() - 1)
            painter.drawLine(QLineF(held_x, bar.top() - 2, held_x, bar.bottom() + 2))
        clip = QRectF(room_px - self._clip_px + 4, bar.top() - 2, self._clip_px - 4, 16)
        if self._hold.clipped:
            painter.fillRect(clip, theme.colour("error"))
            painter.setPen(theme.colour("panel"))
            painter.drawText(clip, Qt.AlignmentFlag.AlignCenter, "CLIP")
        number = QRectF(self.width() - self._number_px, 0, self._number_px, self.height())
        painter.setPen(theme.colour("text"))
        painter.drawText(number, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._text)
        painter.end()

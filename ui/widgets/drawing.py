"""What every lane of the timeline is drawn with: where the lanes lie, one frame's tools, and the marks that it made."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from ui.theme import Theme
from ui.widgets.time_window import TimeWindow

RULER_PX: Final = 24
_NARROW_LANE_PX: Final = 28
_STUDY_LANE_PX: Final = 42
_LEAST_WAVES_PX: Final = 40.0
_GAP_PX: Final = 1
THIN_PX: Final = 4.0
"""A span narrower than this has no room for more than its colour."""
_NEAR_PX: Final = 2.0
_TOGETHER_PX: Final = 7.0
"""Marks nearer to each other than this cannot be told apart."""
_NARROWEST_TEXT_PX: Final = 5.0
LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
CENTRE: Final = Qt.AlignmentFlag.AlignCenter

T = TypeVar("T")

LANE_NAMES: Final = ("participant", "heard by engine", "agent", "responses", "study")


@dataclass(frozen=True, slots=True)
class LaneRects:
    """Where the lanes lie, in logical pixels; x from the left edge of the drawing area."""

    participant: QRectF
    speech: QRectF
    agent: QRectF
    responses: QRectF
    study: QRectF

    @property
    def all(self) -> tuple[QRectF, ...]:
        """The lanes from top to bottom, in the order of `LANE_NAMES`."""
        return (self.participant, self.speech, self.agent, self.responses, self.study)


def lane_rects(width: float, height: float) -> LaneRects:
    """Share `height` out: narrow lanes have fixed heights, both waveforms take the rest."""
    top = float(RULER_PX)
    waves = max(_LEAST_WAVES_PX, height - RULER_PX - 2 * _NARROW_LANE_PX - _STUDY_LANE_PX - 5 * _GAP_PX)
    rects = []
    for part in (round(waves * 0.46), _NARROW_LANE_PX, round(waves * 0.54), _NARROW_LANE_PX, _STUDY_LANE_PX):
        rects.append(QRectF(0, top, width, part))
        top += part + _GAP_PX
    return LaneRects(*rects)


@dataclass(frozen=True, slots=True)
class Mark:
    """Something drawn that has a row in the log."""

    rect: QRectF
    seq: int
    t_ns: int
    say: Callable[[], str]
    """Gives the tip: of a thousand marks in a frame one is asked for it, if any."""

    @property
    def tip(self) -> str:
        """What is said about it under the pointer."""
        return self.say()


class Drawing:
    """One frame being drawn: the tools, the visible time as plain numbers, and the marks drawn so far."""

    def __init__(
        self,
        painter: QPainter,
        theme: Theme,
        window: TimeWindow,
        rects: LaneRects,
        metrics: QFontMetricsF,
        pixel_ratio: float,
    ) -> None:
        self.painter = painter
        self.theme = theme
        self.rects = rects
        self.metrics = metrics
        self.pixel_ratio = pixel_ratio
        self.width_px = window.width_px
        self.left_px = window.left_px
        self.ns_per_px = window.ns_per_px
        self.left_ns, self.right_ns, self.present_ns = window.left_ns, window.right_ns, window.present_ns
        self.marks: list[Mark] = []
        self._mixed: dict[tuple[str, float], QColor] = {}

    def x(self, t_ns: int) -> float:
        """Return the horizontal place of a time in pixels, unclipped."""
        return t_ns / self.ns_per_px - self.left_px

    def visible(self, start_ns: int, end_ns: int | None) -> tuple[float, float] | None:
        """Return the horizontal extent of a span, cut one pixel outside the area; None where nothing of it shows.

        A span without an end reaches to the present.
        """
        if end_ns is None:
            end_ns = self.present_ns
        if end_ns < self.left_ns or start_ns > self.present_ns or start_ns > self.right_ns:
            return None
        left = max(-1.0, self.x(start_ns))
        right = min(self.width_px + 1.0, self.x(end_ns))
        return left, max(right, left + 1.0)

    def groups(self, spans: "Iterable[tuple[int, int | None, T]]") -> "Iterator[tuple[float, float, list[T]]]":
        """Yield the extent of what shows of spans, each from its begin to its end; those that are too thin and too near
        to be told apart as one."""
        left = right = 0.0
        together: list[T] = []
        first_ns, last_ns, ns_per_px = self.left_ns, min(self.right_ns, self.present_ns), self.ns_per_px
        for begin_ns, end_ns, what in spans:
            if begin_ns > last_ns or (end_ns is not None and end_ns < first_ns):
                continue
            # Most of a session of hours lies on a few pixels each: those are told here, without a call.
            begins = begin_ns / ns_per_px - self.left_px
            if together and end_ns is not None and begins - right < _NEAR_PX:
                ends = max(end_ns / ns_per_px - self.left_px, begins + 1)
                if ends - begins < THIN_PX and ends - left < _TOGETHER_PX:
                    right = max(right, ends)
                    together.append(what)
                    continue
            extent = self.visible(begin_ns, end_ns)
            if extent is None:
                continue
            if together:
                yield left, right, together
            left, right = extent
            together = [what]
        if together:
            yield left, right, together

    def fill(self, rect: QRectF, role: str, alpha: float = 1.0) -> None:
        """Fill an area to the nearest whole pixels: smoothing its edges would take ten times as long."""
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self.painter.fillRect(rect.toRect(), self.theme.colour(role, alpha))
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def tint(self, rect: QRectF, role: str, share: float) -> None:
        """Colour the empty ground of a lane: opaque, as what shines through takes ten times as long in a high lane."""
        mixed = self._mixed.get((role, share))
        if mixed is None:
            ink, ground = self.theme.colour(role), self.theme.colour("sunken")
            mixed = self._mixed[(role, share)] = QColor.fromRgbF(
                share * ink.redF() + (1 - share) * ground.redF(),
                share * ink.greenF() + (1 - share) * ground.greenF(),
                share * ink.blueF() + (1 - share) * ground.blueF(),
            )
        self.painter.fillRect(rect.toRect(), mixed)

    def text(self, rect: QRectF, text: str, role: str, align: Qt.AlignmentFlag = LEFT) -> None:
        """Write a text."""
        if not text:
            return
        self.painter.setPen(self.theme.colour(role))
        self.painter.drawText(rect, align, text)

    def first_that_fits(self, width: float, texts: Iterable[str]) -> str:
        """Return the first text not wider than `width`, or nothing."""
        if width < _NARROWEST_TEXT_PX:
            return ""
        return next((text for text in texts if self.metrics.horizontalAdvance(text) <= width), "")


def short_id(identifier: str) -> str:
    """Return an id shortened to its ends: engines make them 20 to 30 characters long."""
    return identifier if len(identifier) <= 14 else f"{identifier[:5]}…{identifier[-5:]}"

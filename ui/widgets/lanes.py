"""The lanes of the timeline: where they lie, and how each is drawn.

Every function draws only what lies in the visible time and returns nothing; what can be clicked is added to
`Drawing.marks`. States are told apart by shape and word as well as by colour: heard audio is solid, audio that was
never heard a dashed outline, listening-off hatched, a response ends in a sign and its status.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QFontMetricsF, QPainter, QPen

from simulator.units import NS_PER_MS, samples_to_ns
from ui.theme import Theme
from ui.widgets.time_window import TimeWindow, clock_text, span_text
from ui.widgets.waveform import WaveformTiles

if TYPE_CHECKING:
    from simulator.audio.peaks import PeakPyramid
    from simulator.record.measures import AgentSpan, BargeIn, Measures, Push, ResponseSpan, SpeechSpan

    Unheard = tuple[AgentSpan, int, int]
    """An item, and the time from which and until which its audio that was never heard is drawn."""

RULER_PX: Final = 24
_NARROW_LANE_PX: Final = 28
_STUDY_LANE_PX: Final = 42
_GAP_PX: Final = 1
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter

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
    waves = max(60.0, height - RULER_PX - 2 * _NARROW_LANE_PX - _STUDY_LANE_PX - 5 * _GAP_PX)
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
    tip: str


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

    def text(self, rect: QRectF, text: str, role: str, align: Qt.AlignmentFlag = _LEFT) -> None:
        """Write a text."""
        self.painter.setPen(self.theme.colour(role))
        self.painter.drawText(rect, align, text)

    def first_that_fits(self, width: float, texts: Iterable[str]) -> str:
        """Return the first text not wider than `width`, or nothing."""
        return next((text for text in texts if self.metrics.horizontalAdvance(text) <= width), "")


def short_id(identifier: str) -> str:
    """Return an id shortened to its ends: engines make them 20 to 30 characters long."""
    return identifier if len(identifier) <= 14 else f"{identifier[:5]}…{identifier[-5:]}"


def draw_waveform(drawing: Drawing, lane: "PeakPyramid", tiles: WaveformTiles, rect: QRectF, role: str) -> None:
    """Draw a lane's audio up to the present, two values a device pixel."""
    ratio = drawing.pixel_ratio
    tiles.paint(
        drawing.painter,
        lane,
        left_column=round(drawing.left_px * ratio),
        columns=round(drawing.width_px * ratio),
        ns_per_column=drawing.ns_per_px / ratio,
        present_ns=drawing.present_ns,
        top=rect.top() + 3,
        height_px=int((rect.height() - 6) * ratio),
        colour=drawing.theme.colour(role),
        pixel_ratio=ratio,
    )


def draw_listening_off(drawing: Drawing, spans: Iterable[tuple[int, int | None]]) -> None:
    """Hatch the participant's lane where nothing was sent."""
    rect, painter = drawing.rects.participant, drawing.painter
    for start_ns, end_ns in spans:
        extent = drawing.visible(start_ns, end_ns)
        if extent is None:
            continue
        left, right = extent
        band = QRectF(left, rect.top(), right - left, rect.height())
        painter.fillRect(band, drawing.theme.colour("listening_off", 0.12))
        painter.setBrushOrigin(QPointF(drawing.x(start_ns) % 8, 0))
        painter.fillRect(band, QBrush(drawing.theme.colour("listening_off", 0.55), Qt.BrushStyle.BDiagPattern))
        painter.setPen(QPen(drawing.theme.colour("listening_off"), 1))
        for x in (left, right):
            painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()))
        length = span_text((drawing.present_ns if end_ns is None else end_ns) - start_ns)
        text = drawing.first_that_fits(right - left - 14, (f"listening off  {length}", "listening off", "off"))
        if text:
            width = drawing.metrics.horizontalAdvance(text) + 12
            label = QRectF((left + right - width) / 2, rect.center().y() - 9, width, 18)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(drawing.theme.colour("panel"))
            painter.drawRoundedRect(label, 3, 3)
            drawing.text(label, text, "listening_off", _CENTRE)


def draw_speech(drawing: Drawing, spans: "Iterable[SpeechSpan]") -> None:
    """Draw what the engine says it heard, each turn with its item."""
    rect, painter = drawing.rects.speech.adjusted(0, 4, 0, -4), drawing.painter
    for span in spans:
        extent = drawing.visible(span.started_ns, span.stopped_ns)
        if extent is None:
            continue
        left, right = extent
        bar = QRectF(left, rect.top(), right - left, rect.height())
        painter.fillRect(bar, drawing.theme.colour("heard_speech_fill", 0.28))
        painter.setPen(QPen(drawing.theme.colour("heard_speech"), 2))
        painter.drawLine(QPointF(left + 1, rect.top()), QPointF(left + 1, rect.bottom()))
        if span.stopped_ns is not None:
            painter.drawLine(QPointF(right - 1, rect.top()), QPointF(right - 1, rect.bottom()))
        name = short_id(span.item_id)
        length = "…" if span.stopped_ns is None else span_text(span.stopped_ns - span.started_ns)
        text = drawing.first_that_fits(right - left - 12, (f"{name}  {length}", name, length))
        drawing.text(bar.adjusted(7, 0, 0, 0), text, "heard_speech")
        positions = [
            f"{label} {value} ms"
            for label, value in (("audio_start_ms", span.audio_start_ms), ("audio_end_ms", span.audio_end_ms))
            if value is not None
        ]
        lines = (f"speech heard by the engine: {span.item_id}", f"from {clock_text(span.started_ns)}", *positions)
        drawing.marks.append(Mark(bar, span.seq, span.started_ns, "\n".join(lines)))


def never_heard_spans(spans: "Iterable[AgentSpan]") -> "Iterator[Unheard]":
    """Yield (span, from_ns, until_ns) of the audio that was received and never heard, placed after the cut.

    Items of one cut that were queued one behind the other lie so in the drawing too.
    """
    free_ns, cut_ns = 0, 0
    for span in spans:
        unheard = span.received_samples - span.handed_samples
        if not span.cut or span.ended_ns is None or unheard <= 0:
            continue
        same_cut = abs(span.ended_ns - cut_ns) < 50 * NS_PER_MS
        start_ns = max(span.ended_ns, free_ns) if same_cut else span.ended_ns
        cut_ns, free_ns = span.ended_ns, start_ns + samples_to_ns(unheard)
        yield span, start_ns, free_ns


def draw_agent(drawing: Drawing, spans: "Iterable[AgentSpan]", unheard: "Iterable[Unheard]") -> None:
    """Draw the agent's items: a tinted ground where they were heard, a dashed outline for what never was."""
    rect, painter, theme = drawing.rects.agent.adjusted(0, 3, 0, -3), drawing.painter, drawing.theme
    for span in spans:
        extent = drawing.visible(span.started_ns, span.ended_ns)
        if extent is not None and span.ended_ns != span.started_ns:
            left, right = extent
            ground = QRectF(left, rect.top(), right - left, rect.height())
            painter.fillRect(ground, theme.colour("agent_fill", 0.13))
            tip = f"agent heard: {span.item_id}\nfrom {clock_text(span.started_ns)}"
            drawing.marks.append(Mark(ground, span.seq, span.started_ns, tip))
    pen = QPen(theme.colour("never_heard"), 1)
    pen.setDashPattern([4, 3])
    # Crisp dashes; they have a fast path as well (0.01 against 0.24 ms for a wide antialiased pen).
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for span, start_ns, end_ns in unheard:
        extent = drawing.visible(start_ns, end_ns)
        if extent is None:
            continue
        left, right = extent
        hollow = QRectF(left, rect.top() + rect.height() * 0.25, right - left, rect.height() * 0.55)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(hollow)
        length = span_text(end_ns - start_ns)
        tip = (
            f"received, never heard: {span.item_id}\n"
            f"{length} of {span_text(samples_to_ns(span.received_samples))} received"
        )
        drawing.marks.append(Mark(hollow, span.seq, start_ns, tip))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def draw_never_heard_labels(drawing: Drawing, unheard: "Iterable[Unheard]") -> None:
    """Write how much was never heard into its outline, above the waveform that may have followed."""
    rect = drawing.rects.agent
    taken_until = -1.0
    for _, start_ns, end_ns in unheard:
        extent = drawing.visible(start_ns, end_ns)
        if extent is None:
            continue
        left, right = max(extent[0], 0.0, taken_until), min(extent[1], drawing.width_px)
        length = span_text(end_ns - start_ns)
        text = drawing.first_that_fits(right - left - 12, (f"never heard  {length}", length))
        if text:
            width = drawing.metrics.horizontalAdvance(text) + 8
            # On the lower edge of the outline, which the label interrupts.
            label = QRectF(left + 8, rect.top() + rect.height() * 0.8 - 8, width, 16)
            drawing.painter.fillRect(label, drawing.theme.colour("sunken"))
            drawing.text(label, text, "never_heard", _CENTRE)
            taken_until = label.right()


def draw_barge_ins(drawing: Drawing, barge_ins: "Iterable[BargeIn]") -> None:
    """Write each measured interval at its place: speech_started received to silence at the output."""
    rects, painter, theme = drawing.rects, drawing.painter, drawing.theme
    taken_until = -1e9
    for barge_in in barge_ins:
        silent_ns = silent_at_ns(barge_in)
        end_ns = max(silent_ns, barge_in.inaudible_ns or 0)
        x = drawing.x(barge_in.received_ns)
        if barge_in.received_ns > drawing.present_ns or not -300 <= x <= drawing.width_px + 1:
            continue
        right = max(drawing.x(end_ns), x + 2)
        band = QRectF(x, rects.speech.top(), right - x, rects.agent.bottom() - rects.speech.top())
        painter.fillRect(band, theme.colour("error", 0.25))
        painter.setPen(QPen(theme.colour("error"), 1.5))
        painter.drawLine(QPointF(x, band.top()), QPointF(x, band.bottom()))
        main, beside = barge_in_texts(barge_in)
        label = QRectF(right + 3, rects.agent.top() + 2, drawing.metrics.horizontalAdvance(main) + 12, 17)
        marked = band
        if label.left() > taken_until:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("error"))
            painter.drawRoundedRect(label, 3, 3)
            drawing.text(label, main, "panel", _CENTRE)
            taken_until = label.right() + 4
            marked = band.united(label)
            if beside:
                second = QRectF(label.right() + 3, label.top(), drawing.metrics.horizontalAdvance(beside) + 8, 17)
                painter.fillRect(second, theme.colour("sunken", 0.85))
                drawing.text(second, beside, "error", _CENTRE)
                taken_until = second.right() + 4
                marked = marked.united(second)
        drawing.marks.append(Mark(marked, barge_in.seq, barge_in.received_ns, barge_in_tip(barge_in)))


def silent_at_ns(barge_in: "BargeIn") -> int:
    """Return when the last sound had been handed to the device; sound that had ended before took no time to stop."""
    last_ns = barge_in.cut_ns if barge_in.last_sound_handed_ns is None else barge_in.last_sound_handed_ns
    return max(barge_in.received_ns, last_ns)


def barge_in_texts(barge_in: "BargeIn") -> tuple[str, str]:
    """Return the interval written at a barge-in, and the one that the device's clock adds beside it."""
    main = f"✕ {(silent_at_ns(barge_in) - barge_in.received_ns) / NS_PER_MS:.0f} ms"
    if barge_in.inaudible_ns is None:
        return main, ""
    return main, f"inaudible {(barge_in.inaudible_ns - barge_in.received_ns) / NS_PER_MS:.0f} ms"


def barge_in_tip(barge_in: "BargeIn") -> str:
    """Return both end points of a barge-in, and where its times come from."""
    main = (silent_at_ns(barge_in) - barge_in.received_ns) / NS_PER_MS
    lines = [
        "barge-in",
        f"from  speech_started read from the socket at {clock_text(barge_in.received_ns)}",
        f"to  last sound handed to the device at {clock_text(silent_at_ns(barge_in))}: {main:.1f} ms",
    ]
    if barge_in.inaudible_ns is not None:
        inaudible = (barge_in.inaudible_ns - barge_in.received_ns) / NS_PER_MS
        source = f" ({barge_in.dac_source})" if barge_in.dac_source else ""
        lines.append(
            f"to  inaudible at the loudspeaker at {clock_text(barge_in.inaudible_ns)}: {inaudible:.1f} ms{source}"
        )
    if barge_in.item_id:
        lines.append(f"item  {barge_in.item_id}")
    return "\n".join(lines)


_RESPONSE_SIGNS: Final = {"completed": "✓", "cancelled": "✕", "failed": "⚠", "incomplete": "…"}


def draw_responses(drawing: Drawing, responses: "list[ResponseSpan]", rows: list[int]) -> None:
    """Draw each response from created to done, with its id, sign and status; overlapping ones lie in half rows."""
    rect, painter, theme = drawing.rects.responses.adjusted(0, 4, 0, -4), drawing.painter, drawing.theme
    for span, row in zip(responses, rows, strict=True):
        extent = drawing.visible(span.created_ns, span.done_ns)
        if extent is None:
            continue
        left, right = extent
        # A response beside another one (out of band) is drawn lower and thinner.
        bar = QRectF(left, rect.top() + (rect.height() - 6 if row else 0), right - left, 6 if row else rect.height())
        bad = span.status in ("failed", "incomplete")
        role = "error" if bad else "response"
        painter.setPen(
            QPen(theme.colour(role), 1, Qt.PenStyle.DashLine if span.done_ns is None else Qt.PenStyle.SolidLine)
        )
        painter.setBrush(theme.colour("error" if bad else "response_fill", 0.25))
        painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
        status = span.status or ("in progress" if span.done_ns is None else "not ended")
        sign = _RESPONSE_SIGNS.get(status, "…")
        if not row:
            texts = (f"{sign} {short_id(span.response_id)}  {status}", f"{sign} {status}", sign)
            drawing.text(
                bar.adjusted(6, 0, 0, 0), drawing.first_that_fits(right - left - 10, texts), role if bad else "text"
            )
        reason = f" ({span.reason})" if span.reason else ""
        tip = f"response {span.response_id}\n{status}{reason}\ncreated {clock_text(span.created_ns)}"
        if span.done_ns is not None:
            tip += f", done {clock_text(span.done_ns)}"
        drawing.marks.append(Mark(bar, span.seq, span.created_ns, tip))


def draw_pushes(drawing: Drawing, pushes: "Iterable[Push]") -> None:
    """Draw a mark for each push, with its name below in the first of two rows that is free there."""
    rect, painter, theme = drawing.rects.study, drawing.painter, drawing.theme
    free_from = [-1e9, -1e9]
    for push in pushes:
        x = drawing.x(push.t_ns)
        if push.t_ns > drawing.present_ns or not -200 <= x <= drawing.width_px + 8:
            continue
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("study"))
        top = rect.top() + 2
        painter.drawPolygon([QPointF(x, top), QPointF(x - 5, top + 8), QPointF(x + 5, top + 8)])
        marked = QRectF(x - 6, rect.top(), 12, rect.height())
        row = next((number for number, free in enumerate(free_from) if x >= free), None)
        if row is not None:
            label = QRectF(x - 4, top + 8 + row * 15, drawing.metrics.horizontalAdvance(push.event), 16)
            if row:
                painter.setPen(QPen(theme.colour("study", 0.7), 1))
                painter.drawLine(QPointF(x, top + 8), QPointF(x, label.top() + 3))
            drawing.text(label, push.event, "study")
            free_from[row] = label.right() + 14
            if row:
                # The leader crosses the row above.
                free_from[0] = max(free_from[0], x + 8)
            marked = marked.united(label)
        drawing.marks.append(Mark(marked, push.seq, push.t_ns, f"study: {push.event}\nat {clock_text(push.t_ns)}"))


class ResponseRows:
    """Which row each response lies in: the second one while another response is in progress. Decided once, for ever."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self._last_of_row: list[int | None] = [None, None]

    def update(self, responses: "list[ResponseSpan]") -> list[int]:
        """Return the row of each response."""
        for position in range(len(self.rows), len(responses)):
            above = self._last_of_row[0]
            end_ns = 0 if above is None else responses[above].done_ns
            row = 0 if end_ns is not None and end_ns <= responses[position].created_ns else 1
            self._last_of_row[row] = position
            self.rows.append(row)
        return self.rows


class Kept:
    """What one record keeps from frame to frame."""

    def __init__(self) -> None:
        self.rows = ResponseRows()
        self.tiles = {"participant": WaveformTiles(), "agent": WaveformTiles()}


def draw_lanes(drawing: Drawing, measures: "Measures", lanes: "dict[str, PeakPyramid]", kept: Kept) -> None:
    """Draw all lanes, from the ground up."""
    rects = drawing.rects
    unheard = list(never_heard_spans(measures.heard))
    drawing.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_agent(drawing, measures.heard, unheard)
    for name, rect in (("participant", rects.participant), ("agent", rects.agent)):
        if name in lanes:
            draw_waveform(drawing, lanes[name], kept.tiles[name], rect, f"{name}_fill")
    draw_listening_off(drawing, measures.listening_off)
    draw_speech(drawing, measures.speech_spans)
    draw_responses(drawing, measures.responses, kept.rows.update(measures.responses))
    draw_pushes(drawing, measures.pushes)
    draw_never_heard_labels(drawing, unheard)
    draw_barge_ins(drawing, measures.barge_ins)

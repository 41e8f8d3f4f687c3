"""The lanes of the timeline, drawn from the ground up.

Every function draws only what lies in the visible time and returns nothing; what can be clicked is added to
`Drawing.marks`. States are told apart by shape and word as well as by colour: listening off is hatched, a response
carries a sign and its status.
"""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen

from ui.widgets.agent_lane import (
    draw_agent,
    draw_barge_ins,
    draw_never_heard_labels,
    never_heard_spans,
    shown_until,
)
from ui.widgets.drawing import CENTRE, THIN_PX, Drawing, Mark, short_id
from ui.widgets.mark_flags import draw_marks
from ui.widgets.time_window import clock_text, span_text
from ui.widgets.waveform import WaveformTiles

if TYPE_CHECKING:
    from simulator.audio.peaks import PeakPyramid
    from simulator.record.measures import Measures, Push, ResponseSpan, SpeechSpan


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
    for left, right, together in drawing.groups((start_ns, end_ns, (start_ns, end_ns)) for start_ns, end_ns in spans):
        start_ns, end_ns = together[0]
        band = QRectF(left, rect.top(), right - left, rect.height())
        if right - left < THIN_PX or len(together) > 1:
            drawing.tint(band, "listening_off", 0.7)
            continue
        drawing.fill(band, "listening_off", 0.12)
        painter.setBrushOrigin(QPointF(drawing.x(start_ns) % 8, 0))
        painter.fillRect(band.toRect(), QBrush(drawing.theme.colour("listening_off", 0.55), Qt.BrushStyle.BDiagPattern))
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
            drawing.text(label, text, "listening_off", CENTRE)


def draw_speech(drawing: Drawing, spans: "Iterable[SpeechSpan]") -> None:
    """Draw what the engine says it heard, each turn with its item."""
    rect, painter = drawing.rects.speech.adjusted(0, 4, 0, -4), drawing.painter
    top, height = rect.top(), rect.height()
    for left, right, together in drawing.groups((span.started_ns, span.stopped_ns, span) for span in spans):
        span = together[0]
        bar = QRectF(left, top, right - left, height)
        drawing.marks.append(Mark(bar, span.seq, span.started_ns, partial(_speech_tip, together)))
        if right - left < THIN_PX or len(together) > 1:
            drawing.tint(bar, "heard_speech", 0.8)
            continue
        drawing.fill(bar, "heard_speech_fill", 0.28)
        painter.setPen(QPen(drawing.theme.colour("heard_speech"), 2))
        painter.drawLine(QPointF(left + 1, rect.top()), QPointF(left + 1, rect.bottom()))
        if span.stopped_ns is not None:
            painter.drawLine(QPointF(right - 1, rect.top()), QPointF(right - 1, rect.bottom()))
        name = short_id(span.item_id)
        length = "…" if span.stopped_ns is None else span_text(span.stopped_ns - span.started_ns)
        text = drawing.first_that_fits(right - left - 12, (f"{name}  {length}", name, length))
        drawing.text(bar.adjusted(7, 0, 0, 0), text, "heard_speech")


def _speech_tip(spans: "list[SpeechSpan]") -> str:
    span = spans[0]
    lines = [f"speech heard by the engine: {span.item_id}", f"from {clock_text(span.started_ns)}"]
    for label, value in (("audio_start_ms", span.audio_start_ms), ("audio_end_ms", span.audio_end_ms)):
        if value is not None:
            lines.append(f"{label} {value} ms")
    return "\n".join(lines) + _more(len(spans) - 1)


def _more(others: int) -> str:
    return f"\nand {others} more: zoom in to tell them apart" if others else ""


_RESPONSE_SIGNS: Final = {"completed": "✓", "cancelled": "✕", "failed": "⚠", "incomplete": "…"}


def draw_responses(drawing: Drawing, responses: "list[ResponseSpan]", rows: list[int]) -> None:
    """Draw each response from created to done, with its id, sign and status; overlapping ones lie in half rows."""
    rect, painter, theme = drawing.rects.responses.adjusted(0, 4, 0, -4), drawing.painter, drawing.theme
    top, height = rect.top(), rect.height()
    placed = ((span.created_ns, span.done_ns, place) for place, span in enumerate(responses))
    for left, right, places in drawing.groups(placed):
        spans = [responses[place] for place in places]
        span, row = spans[0], rows[places[0]]
        # A response beside another one (out of band) is drawn lower and thinner.
        bar = QRectF(left, top + (height - 6 if row else 0), right - left, 6 if row else height)
        drawing.marks.append(Mark(bar, span.seq, span.created_ns, partial(_response_tip, spans)))
        bad = any(each.status in ("failed", "incomplete") for each in spans)
        role, ink = ("error", "error") if bad else ("response", "text")
        if right - left < THIN_PX or len(spans) > 1:
            drawing.tint(bar, role, 0.8)
        else:
            style = Qt.PenStyle.DashLine if span.done_ns is None else Qt.PenStyle.SolidLine
            painter.setPen(QPen(theme.colour(role), 1, style))
            painter.setBrush(theme.colour("error" if bad else "response_fill", 0.25))
            painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
        if not row and len(spans) == 1:
            following = places[0] + 1
            end = drawing.x(responses[following].created_ns) if following < len(responses) else drawing.width_px
            if end - left > _NARROWEST_NAME_PX:
                _name_response(drawing, span, bar, end, ink)


_NARROWEST_NAME_PX: Final = 20


def _name_response(drawing: Drawing, span: "ResponseSpan", bar: QRectF, end_px: float, ink: str) -> None:
    """Write a response's name into its bar, or behind it, where it may reach up to `end_px`."""
    status = _status(span)
    sign = _RESPONSE_SIGNS.get(status, "…")
    name = f"{short_id(span.response_id)}  {status}"
    inside = drawing.first_that_fits(bar.width() - 12, (f"{sign} {name}", sign))
    drawing.text(bar.adjusted(6, 0, 0, 0), inside, ink)
    if inside in ("", sign):
        # A fast engine is done in an instant: the name stands behind the bar, if the next response leaves room.
        behind = drawing.first_that_fits(end_px - bar.right() - 8, (name, status))
        drawing.text(QRectF(bar.right() + 5, bar.top(), drawing.width_px, bar.height()), behind, ink)


def _status(span: "ResponseSpan") -> str:
    return span.status or ("in progress" if span.done_ns is None else "not ended")


def _response_tip(spans: "list[ResponseSpan]") -> str:
    span = spans[0]
    reason = f" ({span.reason})" if span.reason else ""
    tip = f"response {span.response_id}\n{_status(span)}{reason}\ncreated {clock_text(span.created_ns)}"
    if span.done_ns is not None:
        tip += f", done {clock_text(span.done_ns)}"
    return tip + _more(len(spans) - 1)


_PUSH_PX: Final = 7
_PUSH_HALF_PX: Final = 5
"""Of its triangle."""
"""Marks nearer to each other than this cannot be told apart."""


def draw_pushes(drawing: Drawing, pushes: "Iterable[Push]") -> None:
    """Draw a mark for each push, with its name below in the first of two rows that is free there. Those that would lie
    on each other are one mark, which says how many."""
    rect, painter, theme = drawing.rects.study, drawing.painter, drawing.theme
    free_from = [-1e9, -1e9]
    top, height = rect.top() + 2, rect.height()
    for x, together in _together(drawing, pushes):
        push, name = together[0], together[0].event
        if len(together) > 1:
            name = f"{name} +{len(together) - 1}"
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("study"))
        painter.drawPolygon([QPointF(x, top), QPointF(x - 5, top + 8), QPointF(x + 5, top + 8)])
        marked = QRectF(x - 6, top - 2, 12, height)
        row = next((number for number, free in enumerate(free_from) if x >= free), None)
        if row is not None:
            label = QRectF(max(0.0, x - 4), top + 8 + row * 15, drawing.metrics.horizontalAdvance(name), 16)
            if row:
                painter.setPen(QPen(theme.colour("study", 0.7), 1))
                painter.drawLine(QPointF(x, top + 8), QPointF(x, label.top() + 3))
            drawing.text(label, name, "study")
            free_from[row] = label.right() + 14
            if row:
                # The leader crosses the row above.
                free_from[0] = max(free_from[0], x + 8)
            marked = marked.united(label)
        drawing.marks.append(Mark(marked, push.seq, push.t_ns, partial(_push_tip, together)))


_MOST_NAMED: Final = 12


def _push_tip(pushes: "list[Push]") -> str:
    lines = [f"study: {each.event}\nat {clock_text(each.t_ns)}" for each in pushes[:_MOST_NAMED]]
    return "\n".join(lines) + _more(len(pushes) - len(lines))


def _together(drawing: Drawing, pushes: "Iterable[Push]") -> "list[tuple[float, list[Push]]]":
    """Return the pushes that are seen, with their place: those that would cover each other as one."""
    seen: list[tuple[float, list[Push]]] = []
    for push in pushes:
        x = drawing.x(push.t_ns)
        if push.t_ns > drawing.present_ns or not -_PUSH_HALF_PX <= x <= drawing.width_px + _PUSH_HALF_PX:
            continue
        if seen and x - seen[-1][0] < _PUSH_PX:
            seen[-1][1].append(push)
        else:
            seen.append((x, [push]))
    return seen


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
    until_ns = shown_until(unheard, measures.heard)
    draw_agent(drawing, measures.heard, unheard, until_ns)
    for name, rect in (("participant", rects.participant), ("agent", rects.agent)):
        if name in lanes:
            draw_waveform(drawing, lanes[name], kept.tiles[name], rect, f"{name}_fill")
    draw_listening_off(drawing, measures.listening_off)
    draw_speech(drawing, measures.speech_spans)
    draw_responses(drawing, measures.responses, kept.rows.update(measures.responses))
    draw_pushes(drawing, measures.pushes)
    draw_never_heard_labels(drawing, unheard, until_ns, measures.heard)
    draw_barge_ins(drawing, measures.barge_ins)
    draw_marks(drawing, measures.marks)

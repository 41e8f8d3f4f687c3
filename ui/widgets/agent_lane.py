"""The agent's lane: what was heard, what was received and never heard, and the measured interval of each barge-in.

Heard audio is solid on a tinted ground; what was never heard is a dashed outline from the cut on, as long as the audio
that was received and not handed to the loudspeaker, but not beyond the next reply: there it stays open, and its label
says how long it is.
"""

from bisect import bisect_left, bisect_right
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from simulator.record.measures import SIMULATED
from simulator.units import NS_PER_MS, samples_to_ns
from ui.widgets.drawing import CENTRE, THIN_PX, Drawing, Mark
from ui.widgets.time_window import clock_text, span_text

_NARROWEST_LABEL_PX = 24.0
_TOGETHER_PX = 5.0
"""Of barge-ins nearer to each other than this the first one is drawn."""

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from simulator.record.measures import AgentSpan, BargeIn

    Unheard = tuple[AgentSpan, int, int]
    """An item, and the time from which and until which its audio that was never heard is drawn."""


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


def shown_until(unheard: "Iterable[Unheard]", spans: "Iterable[AgentSpan]") -> list[int]:
    """Return until when each outline is drawn: to its end, or to where the agent is heard again."""
    unheard = list(unheard)
    if not unheard:
        return []
    starts_ns = sorted(span.started_ns for span in spans if span.ended_ns != span.started_ns)
    until = []
    for _, start_ns, end_ns in unheard:
        following = bisect_left(starts_ns, start_ns)
        until.append(min(end_ns, starts_ns[following]) if following < len(starts_ns) else end_ns)
    return until


def draw_agent(
    drawing: Drawing, spans: "Iterable[AgentSpan]", unheard: "Sequence[Unheard]", until_ns: "Sequence[int]"
) -> None:
    """Draw the agent's items: a tinted ground where they were heard, a dashed outline for what never was, each until
    `until_ns`."""
    rect, painter, theme = drawing.rects.agent.adjusted(0, 3, 0, -3), drawing.painter, drawing.theme
    top, height = rect.top(), rect.height()
    heard = ((span.started_ns, span.ended_ns, span) for span in spans if span.ended_ns != span.started_ns)
    for left, right, together in drawing.groups(heard):
        ground = QRectF(left, top, right - left, height)
        drawing.tint(ground, "agent_fill", 0.13)
        drawing.marks.append(Mark(ground, together[0].seq, together[0].started_ns, partial(_heard_tip, together)))
    pen = QPen(theme.colour("never_heard"), 1)
    pen.setDashPattern([4, 3])
    # Crisp dashes; they have a fast path as well (0.01 against 0.24 ms for a wide antialiased pen).
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    drawn = ((each[1], end_ns, (each, end_ns < each[2])) for each, end_ns in zip(unheard, until_ns, strict=True))
    for left, right, each in drawing.groups(drawn):
        (first, first_ns, _), goes_on = each[0]
        hollow = QRectF(left, top + height * 0.25, right - left, height * 0.55)
        if right - left < THIN_PX:
            drawing.tint(hollow, "never_heard", 0.35)
        elif goes_on:
            painter.drawPolyline([hollow.topRight(), hollow.topLeft(), hollow.bottomLeft(), hollow.bottomRight()])
        else:
            painter.drawRect(hollow)
        drawing.marks.append(Mark(hollow, first.seq, first_ns, partial(_unheard_tip, [what for what, _ in each])))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def draw_never_heard_labels(
    drawing: Drawing, unheard: "Sequence[Unheard]", until_ns: "Sequence[int]", spans: "Iterable[AgentSpan]"
) -> None:
    """Write how much was never heard on its outline, or behind it where it is short and nothing follows there."""
    starts = sorted(x for span in spans if 0 < (x := drawing.x(span.started_ns)) < drawing.width_px)
    rect = drawing.rects.agent
    taken_until = -1.0
    for (_, start_ns, end_ns), drawn_until_ns in zip(unheard, until_ns, strict=True):
        extent = drawing.visible(start_ns, drawn_until_ns)
        if extent is None:
            continue
        left, right = max(extent[0], 0.0, taken_until), min(extent[1], drawing.width_px)
        later = bisect_right(starts, extent[0] + 1)
        following = starts[later] if later < len(starts) else drawing.width_px
        if max(right - left, following - extent[1]) < _NARROWEST_LABEL_PX:
            continue
        length = span_text(end_ns - start_ns)
        text = drawing.first_that_fits(right - left - 12, (f"never heard  {length}", length))
        place = left + 8
        if not text.startswith("never") and extent[1] < drawing.width_px:
            behind = drawing.first_that_fits(following - extent[1] - 16, (f"never heard  {length}",))
            text, place = (behind, extent[1] + 4) if behind else (text, place)
        if text:
            width = drawing.metrics.horizontalAdvance(text) + 8
            # On the lower edge of the outline, which the label interrupts.
            label = QRectF(place, rect.top() + rect.height() * 0.8 - 8, width, 16)
            drawing.fill(label, "sunken")
            drawing.text(label, text, "never_heard", CENTRE)
            taken_until = label.right()


def draw_barge_ins(drawing: Drawing, barge_ins: "Iterable[BargeIn]") -> None:
    """Write each measured interval at its place: speech_started received to silence at the output."""
    rects, painter, theme = drawing.rects, drawing.painter, drawing.theme
    taken_until = before_x = -1e9
    top, bottom, label_top = rects.speech.top(), rects.agent.bottom(), rects.agent.top() + 2
    first_ns, last_ns = drawing.left_ns - round(300 * drawing.ns_per_px), min(drawing.right_ns, drawing.present_ns)
    for barge_in in barge_ins:
        if not first_ns <= barge_in.received_ns <= last_ns:
            continue
        x = drawing.x(barge_in.received_ns)
        if x - before_x < _TOGETHER_PX:
            continue
        before_x = x
        right = max(drawing.x(silent_at_ns(barge_in)), x + 2)
        band = QRectF(x, top, right - x, bottom - top)
        if band.width() > THIN_PX:
            drawing.fill(band, "error", 0.25)
        painter.setPen(QPen(theme.colour("error"), 1.5))
        painter.drawLine(QPointF(x, top), QPointF(x, bottom))
        if right + 3 <= taken_until:  # no room for a label
            drawing.marks.append(Mark(band, barge_in.seq, barge_in.received_ns, partial(barge_in_tip, barge_in)))
            continue
        text = barge_in_text(barge_in)
        label = QRectF(right + 3, label_top, drawing.metrics.horizontalAdvance(text) + 12, 17)
        if label.right() > drawing.width_px:
            label.moveRight(x - 3)
        marked = band
        if label.left() > taken_until:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("error"))
            painter.drawRoundedRect(label, 3, 3)
            drawing.text(label, text, "panel", CENTRE)
            taken_until = label.right() + 4
            marked = band.united(label)
        drawing.marks.append(Mark(marked, barge_in.seq, barge_in.received_ns, partial(barge_in_tip, barge_in)))


def _heard_tip(spans: "list[AgentSpan]") -> str:
    more = f"\nand {len(spans) - 1} more: zoom in to tell them apart" if len(spans) > 1 else ""
    return f"agent heard: {spans[0].item_id}\nfrom {clock_text(spans[0].started_ns)}{more}"


def _unheard_tip(unheard: "list[Unheard]") -> str:
    span, start_ns, end_ns = unheard[0]
    received = span_text(samples_to_ns(span.received_samples))
    more = f"\nand {len(unheard) - 1} more: zoom in to tell them apart" if len(unheard) > 1 else ""
    return f"received, never heard: {span.item_id}\n{span_text(end_ns - start_ns)} of {received} received{more}"


def silent_at_ns(barge_in: "BargeIn") -> int:
    """Return when the output was silent: when the last sound was over at the loudspeaker, as far as the device tells,
    else when it had been handed over. Sound that had ended before took no time to stop."""
    if barge_in.inaudible_ns is not None:
        return max(barge_in.received_ns, barge_in.inaudible_ns)
    return max(barge_in.received_ns, _handed_ns(barge_in))


def barge_in_text(barge_in: "BargeIn") -> str:
    """Return what is written at a barge-in: the interval from speech_started received to silence at the output, where
    there was an output."""
    if barge_in.dac_source == SIMULATED:
        return "✕ interrupted"
    return f"✕ output silent in {_short_ms(silent_at_ns(barge_in) - barge_in.received_ns)}"


def barge_in_tip(barge_in: "BargeIn") -> str:
    """Return the end points of a barge-in, the silence first, and where its times come from."""

    def line(what: str, at_ns: int, source: str = "") -> str:
        return f"to  {what} at {clock_text(at_ns)}: {(at_ns - barge_in.received_ns) / NS_PER_MS:.1f} ms{source}"

    if barge_in.dac_source == SIMULATED:
        at = f"speech_started received at {clock_text(barge_in.received_ns)}"
        return f"barge-in\n{at}\nthere was no loudspeaker: nothing could be heard to fall silent"
    lines = ["barge-in", f"from  speech_started read from the socket at {clock_text(barge_in.received_ns)}"]
    if barge_in.inaudible_ns is not None:
        source = f" ({barge_in.dac_source})" if barge_in.dac_source else ""
        lines.append(line("silence at the output", silent_at_ns(barge_in), source))
    lines.append(line("last sound handed to the device", max(barge_in.received_ns, _handed_ns(barge_in))))
    lines.append(line("the cut", barge_in.cut_ns))
    if barge_in.item_id:
        lines.append(f"item  {barge_in.item_id}")
    return "\n".join(lines)


def _handed_ns(barge_in: "BargeIn") -> int:
    return barge_in.cut_ns if barge_in.last_sound_handed_ns is None else barge_in.last_sound_handed_ns


def _short_ms(duration_ns: int) -> str:
    return "<1 ms" if duration_ns < NS_PER_MS else f"{duration_ns / NS_PER_MS:.0f} ms"

"""The operator's marks on the timeline: a line through all lanes, a flag at its top, and the note beside it."""

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from ui.models.plain import line
from ui.widgets.drawing import Drawing, Mark
from ui.widgets.time_window import clock_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.record import measures

_FLAG_PX: Final = 9
_ROW_PX: Final = 16
_WIDEST_NOTE_PX: Final = 260
_NARROWEST_NOTE_PX: Final = 40


def draw_marks(drawing: Drawing, marks: "Sequence[measures.Mark]") -> None:
    """Draw each mark; a note is shortened to the room before the next flag, and the tip has it whole."""
    painter, theme = drawing.painter, drawing.theme
    top, bottom = drawing.rects.participant.top(), drawing.rects.study.bottom()
    next_x = 1e9
    for mark in reversed(marks):
        x = drawing.x(mark.t_ns)
        if mark.t_ns > drawing.present_ns or not -_WIDEST_NOTE_PX <= x <= drawing.width_px + 8:
            continue
        painter.setPen(QPen(theme.colour("warning"), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(x, top), QPointF(x, bottom))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("warning"))
        painter.drawPolygon([QPointF(x, top), QPointF(x + _FLAG_PX, top + 4), QPointF(x, top + 8)])
        flag = QRectF(x - 3, top, _FLAG_PX + 6, _ROW_PX)
        room = min(next_x - x - _FLAG_PX - 12, _WIDEST_NOTE_PX)
        note = line(mark.note)
        if note and room >= _NARROWEST_NOTE_PX:
            shown = drawing.metrics.elidedText(note, Qt.TextElideMode.ElideRight, room)
            label = QRectF(x + _FLAG_PX + 4, top - 3, drawing.metrics.horizontalAdvance(shown), _ROW_PX)
            painter.fillRect(label.adjusted(-2, 3, 2, -1), theme.colour("panel", 0.8))
            drawing.text(label, shown, "text")
            flag = flag.united(label)
        drawing.marks.append(Mark(flag, mark.seq, mark.t_ns, partial(_tip, note, mark.t_ns)))
        next_x = x


def _tip(note: str, t_ns: int) -> str:
    return f"mark: {note}\nat {clock_text(t_ns)}" if note else f"mark\nat {clock_text(t_ns)}"

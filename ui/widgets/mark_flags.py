"""The operator's marks on the timeline: a line through all lanes, a flag at its top, and the note beside it."""

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from ui.models.plain import line
from ui.widgets.drawing import Drawing, Mark
from ui.widgets.time_window import clock_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.record import measures

_FLAG_PX: Final = 9
_ROW_PX: Final = 16
_LONGEST_NOTE: Final = 32
"""Characters on the timeline; the tip has the whole note."""


def draw_marks(drawing: Drawing, marks: "Iterable[measures.Mark]") -> None:
    """Draw each mark; a note that has no room before the next flag is left to the tip."""
    painter, theme = drawing.painter, drawing.theme
    top, bottom = drawing.rects.participant.top(), drawing.rects.study.bottom()
    free_from = -1e9
    for mark in marks:
        x = drawing.x(mark.t_ns)
        if mark.t_ns > drawing.present_ns or not -400 <= x <= drawing.width_px + 8:
            continue
        painter.setPen(QPen(theme.colour("warning"), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(x, top), QPointF(x, bottom))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("warning"))
        painter.drawPolygon([QPointF(x, top), QPointF(x + _FLAG_PX, top + 4), QPointF(x, top + 8)])
        note = line(mark.note, _LONGEST_NOTE)
        flag = QRectF(x - 3, top, _FLAG_PX + 6, _ROW_PX)
        if note and x >= free_from:
            label = QRectF(x + _FLAG_PX + 4, top - 3, drawing.metrics.horizontalAdvance(note), _ROW_PX)
            painter.fillRect(label.adjusted(-2, 1, 2, -1), theme.colour("panel", 0.8))
            drawing.text(label, note, "text")
            free_from = label.right() + 8
            flag = flag.united(label)
        tip = f"mark: {line(mark.note)}" if mark.note else "mark"
        drawing.marks.append(Mark(flag, mark.seq, mark.t_ns, f"{tip}\nat {clock_text(mark.t_ns)}"))

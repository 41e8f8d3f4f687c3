"""The signs of the kinds of steps, drawn so that they look the same whatever fonts the computer has."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from ui.models.step_kind import StepSign


def paint_sign(painter: QPainter, box: QRectF, sign: StepSign, colour: QColor) -> None:
    """Draw a sign into a square box."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(box.topLeft())
    painter.scale(box.width() / 16, box.height() / 16)
    pen = QPen(colour, 1.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    _DRAWN[sign](painter)
    painter.restore()


def _lines(painter: QPainter, *lines: tuple[float, float, float, float]) -> None:
    for x1, y1, x2, y2 in lines:
        painter.drawLine(QPointF(x1, y1), QPointF(x2, y2))


def _dots(painter: QPainter, *places: tuple[float, float]) -> None:
    painter.setBrush(painter.pen().color())
    for x, y in places:
        painter.drawEllipse(QPointF(x, y), 0.6, 0.6)


def _shape(*points: tuple[float, float]) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in points])


def _screen(painter: QPainter) -> None:
    painter.drawRoundedRect(QRectF(1.5, 2.5, 13, 9), 1.2, 1.2)
    _lines(painter, (5, 14, 11, 14), (8, 11.5, 8, 14))


def _question(painter: QPainter) -> None:
    painter.drawEllipse(QRectF(1.5, 1.5, 13, 13))
    painter.drawArc(QRectF(5.8, 4.2, 4.4, 4.2), -90 * 16, 270 * 16)
    _lines(painter, (8, 8.4, 8, 9.4))
    _dots(painter, (8, 11.8))


def _timer(painter: QPainter) -> None:
    painter.drawEllipse(QRectF(2, 3, 12, 12))
    _lines(painter, (8, 9, 8, 5.8), (8, 9, 10.2, 10), (6.5, 1, 9.5, 1))


def _bubble(painter: QPainter) -> None:
    painter.drawPolygon(_shape((2, 2.5), (14, 2.5), (14, 11), (7.5, 11), (4.5, 14), (4.5, 11), (2, 11)))


def _typed(painter: QPainter) -> None:
    _bubble(painter)
    _lines(painter, (5, 5.5, 11, 5.5), (5, 8, 9, 8))


def _reply(painter: QPainter) -> None:
    _bubble(painter)
    _dots(painter, (5.2, 6.8), (8, 6.8), (10.8, 6.8))


def _message(painter: QPainter) -> None:
    painter.drawRoundedRect(QRectF(1.5, 3, 13, 10), 1, 1)
    painter.drawPolyline(_shape((2, 4), (8, 9), (14, 4)))


def _revealed(painter: QPainter) -> None:
    painter.drawArc(QRectF(1, 3.5, 14, 13), 30 * 16, 120 * 16)
    painter.drawArc(QRectF(1, -0.5, 14, 13), -30 * 16, -120 * 16)
    painter.drawEllipse(QRectF(6, 6, 4, 4))


def _pause(painter: QPainter) -> None:
    painter.setBrush(painter.pen().color())
    painter.drawRect(QRectF(4, 3, 2, 10))
    painter.drawRect(QRectF(10, 3, 2, 10))


def _resume(painter: QPainter) -> None:
    painter.setBrush(painter.pen().color())
    painter.drawPolygon(_shape((4.5, 3), (12.5, 8), (4.5, 13)))


def _people(painter: QPainter) -> None:
    painter.drawEllipse(QRectF(3.2, 2.5, 5, 5))
    painter.drawArc(QRectF(1, 9, 9.4, 9), 0, 180 * 16)
    painter.drawArc(QRectF(8.6, 3.2, 4.4, 4.4), -90 * 16, 190 * 16)
    painter.drawArc(QRectF(7.4, 9.4, 7.6, 8), 0, 75 * 16)


def _part(painter: QPainter) -> None:
    painter.drawPolygon(_shape((4, 2), (13, 2), (10.5, 5), (13, 8), (4, 8)))
    _lines(painter, (4, 2, 4, 14))


def _say(painter: QPainter) -> None:
    for x, half in ((2.5, 1.5), (5.2, 4.0), (8, 6.0), (10.8, 3.0), (13.5, 1.5)):
        _lines(painter, (x, 8 - half, x, 8 + half))


def _listening(painter: QPainter) -> None:
    painter.drawRoundedRect(QRectF(5.5, 1.5, 5, 8), 2.5, 2.5)
    painter.drawArc(QRectF(3, 3, 10, 9.4), 180 * 16, 180 * 16)
    _lines(painter, (8, 12.4, 8, 14.5), (5.8, 14.5, 10.2, 14.5))


def _instructions(painter: QPainter) -> None:
    painter.drawRoundedRect(QRectF(3, 1.5, 10, 13), 1, 1)
    _lines(painter, (5.5, 5, 10.5, 5), (5.5, 8, 10.5, 8), (5.5, 11, 8.5, 11))


def _wait(painter: QPainter) -> None:
    _lines(painter, (4, 1.8, 12, 1.8), (4, 14.2, 12, 14.2))
    painter.drawPolyline(_shape((4.8, 1.8), (4.8, 4.5), (8, 8), (11.2, 4.5), (11.2, 1.8)))
    painter.drawPolyline(_shape((4.8, 14.2), (4.8, 11.5), (8, 8), (11.2, 11.5), (11.2, 14.2)))


def _other(painter: QPainter) -> None:
    painter.drawPolyline(_shape((6, 2.5), (4.5, 2.5), (4.5, 7), (3, 8), (4.5, 9), (4.5, 13.5), (6, 13.5)))
    painter.drawPolyline(_shape((10, 2.5), (11.5, 2.5), (11.5, 7), (13, 8), (11.5, 9), (11.5, 13.5), (10, 13.5)))


_DRAWN = {
    StepSign.SCREEN: _screen,
    StepSign.QUESTION: _question,
    StepSign.TIMER: _timer,
    StepSign.TYPED: _typed,
    StepSign.MESSAGE: _message,
    StepSign.REVEALED: _revealed,
    StepSign.PAUSE: _pause,
    StepSign.RESUME: _resume,
    StepSign.PEOPLE: _people,
    StepSign.PART: _part,
    StepSign.SAY: _say,
    StepSign.LISTENING: _listening,
    StepSign.INSTRUCTIONS: _instructions,
    StepSign.REPLY: _reply,
    StepSign.WAIT: _wait,
    StepSign.OTHER: _other,
}

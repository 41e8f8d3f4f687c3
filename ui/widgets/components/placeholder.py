"""A frame for what the platform shows and this program does not: it says what would be there."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.theme import RADIUS_PX, SPACE_PX, Theme
from ui.widgets.components.plain_text import PlainText


class Placeholder(QWidget):
    """A dashed frame with a sign and a sentence."""

    def __init__(self, theme: Theme, sentence: str, sign: str = "") -> None:
        super().__init__()
        self._theme = theme
        centre = Qt.AlignmentFlag.AlignHCenter
        column = QVBoxLayout(self)
        margin = 4 * SPACE_PX
        column.setContentsMargins(margin, margin, margin, margin)
        column.setSpacing(SPACE_PX)
        if sign:
            column.addWidget(PlainText(theme, sign, role="text_muted", scale=1.6, alignment=centre))
        self.sentence = PlainText(theme, sentence, role="text_muted", alignment=centre)
        column.addWidget(self.sentence)
        theme.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the frame."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("line_strong"), 1, Qt.PenStyle.DashLine))
        painter.setBrush(self._theme.colour("sunken"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 2 * RADIUS_PX, 2 * RADIUS_PX)
        painter.end()

"""A text that is drawn as it stands: no markup, no links, no shortcut letters; wrapped anywhere if it must."""

import math
from typing import Final

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.models.plain import block, line
from ui.theme import Theme, ui_font

_USUAL_WIDTH_PX: Final = 200
_MOST_SIZES: Final = 16


class WrappedText:
    """A laid-out text: its height by width, and how to draw it. Keeps the last layout, and the heights asked for."""

    def __init__(self, text: str, font: QFont, alignment: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft) -> None:
        self._layout = QTextLayout(block(text).replace("\n", "\u2028"), font)
        option = QTextOption(alignment)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        self._layout.setTextOption(option)
        self._width = -1
        self._sizes: dict[int, tuple[int, int]] = {}

    def height(self, width: int) -> int:
        """Return the height in pixels that the text takes at a width."""
        return self._size(width)[1]

    def natural_width(self, width: int) -> int:
        """Return the width of the longest line at a width."""
        return self._size(width)[0]

    def draw(self, painter: QPainter, x: float, y: float, width: int) -> None:
        """Draw the text in the painter's pen."""
        if width != self._width:
            self._lay_out(width)
        self._layout.draw(painter, QPointF(x, y))

    def _size(self, width: int) -> tuple[int, int]:
        if width not in self._sizes:
            if len(self._sizes) > _MOST_SIZES:
                self._sizes.clear()
            self._sizes[width] = self._lay_out(width)
        return self._sizes[width]

    def _lay_out(self, width: int) -> tuple[int, int]:
        self._width = width
        high = wide = 0.0
        self._layout.beginLayout()
        while (row := self._layout.createLine()).isValid():
            row.setLineWidth(max(width, 1))
            row.setPosition(QPointF(0, high))
            high += row.height()
            wide = max(wide, row.naturalTextWidth())
        self._layout.endLayout()
        return math.ceil(wide), math.ceil(high)


class PlainText(QWidget):
    """A label for any text of a study; as high as its text needs at the width it gets."""

    def __init__(
        self,
        theme: Theme,
        text: str = "",
        *,
        role: str = "text",
        scale: float = 1.0,
        bold: bool = False,
        alignment: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> None:
        super().__init__()
        self._theme = theme
        self._role = role
        self._alignment = alignment
        font = ui_font(scale)
        font.setBold(bold)
        self.setFont(font)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self.update)
        self.set_text(text)

    @property
    def text(self) -> str:
        """The text as it was given."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show another text."""
        self._text = text
        self._wrapped = WrappedText(text, self.font(), self._alignment)
        self.setAccessibleName(line(text, 1_000))
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        """A narrower text is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the whole text."""
        return self._wrapped.height(width)

    def sizeHint(self) -> QSize:
        """Ask for a usual width, or for less where the text is shorter."""
        width = min(_USUAL_WIDTH_PX, self._wrapped.natural_width(_USUAL_WIDTH_PX) + 2)
        return QSize(width, self._wrapped.height(_USUAL_WIDTH_PX))

    def minimumSizeHint(self) -> QSize:
        """Any width will do."""
        return QSize(1, self.fontMetrics().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the text."""
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(self._theme.colour(self._role))
        self._wrapped.draw(painter, 0, 0, self.width())
        painter.end()


class PlainLine(QWidget):
    """One line of any text, cut at its end where there is no room for it."""

    def __init__(self, theme: Theme, *, role: str = "text", bold: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self._role = role
        self.text = ""
        font = ui_font()
        font.setBold(bold)
        self.setFont(font)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def set_text(self, text: str, role: str | None = None) -> None:
        """Show another text, in another role where one is named."""
        self._role = role or self._role
        self.text = line(text, 400)
        self.setAccessibleName(self.text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Room for the whole line."""
        return QSize(self.fontMetrics().horizontalAdvance(self.text) + 2, self.fontMetrics().height() + 2)

    def minimumSizeHint(self) -> QSize:
        """Any width will do."""
        return QSize(1, self.fontMetrics().height() + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what there is room for."""
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(self._theme.colour(self._role))
        shown = self.fontMetrics().elidedText(self.text, Qt.TextElideMode.ElideRight, self.width())
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(self.rect(), int(flags), shown)
        painter.end()

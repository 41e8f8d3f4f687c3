"""The sign of a version of instructions: its letter in a frame of its colour. The letter alone tells versions apart."""

from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui.models.log_model import Index
from ui.models.session_rows import letter
from ui.models.session_table_model import VERSIONS_ROLE
from ui.theme import SPACE_PX, Theme, mono_font

ROLES: Final = (
    "participant",
    "agent",
    "study",
    "listening_on",
    "inconclusive",
    "heard_speech",
    "recording",
    "response",
)
"""The colours of versions, by meaning elsewhere; the ninth version has the first one's again, and another letter."""
_MOST: Final = 3
_HEIGHT_PX: Final = 16


def version_role(version: int) -> str:
    """Return the role of the colour of a version."""
    return ROLES[version % len(ROLES)]


class VersionDelegate(QStyledItemDelegate):
    """Paints the letters of a session's instructions before the beginning of their hash."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._mono = mono_font()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a cell."""
        versions = index.data(VERSIONS_ROLE) or []
        option = QStyleOptionViewItem(option)
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        style = option.widget.style()
        style.drawControl(style.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        painter.save()
        left = float(option.rect.left() + SPACE_PX)
        for place, version in enumerate(versions[:_MOST]):
            if place:
                left = self._write(painter, option, left, "→")
            left = self._draw_chip(painter, option, left, version)
        if len(versions) > _MOST:
            left = self._write(painter, option, left, f"+{len(versions) - _MOST}")
        if len(versions) < _MOST:
            painter.setFont(self._mono)
            self._write(painter, option, left + SPACE_PX, text)
        painter.restore()

    def _write(self, painter: QPainter, option: QStyleOptionViewItem, left: float, text: str) -> float:
        painter.setPen(self._theme.colour("text_muted"))
        width = painter.fontMetrics().horizontalAdvance(text)
        rect = QRectF(left, option.rect.top(), option.rect.right() - left, option.rect.height())
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        return left + width + SPACE_PX / 2

    def _draw_chip(self, painter: QPainter, option: QStyleOptionViewItem, left: float, version: int) -> float:
        letters = letter(version)
        font = QFont(option.font)
        font.setBold(True)
        painter.setFont(font)
        width = max(_HEIGHT_PX + 2, painter.fontMetrics().horizontalAdvance(letters) + 2 * SPACE_PX)
        rect = QRectF(left, option.rect.center().y() - _HEIGHT_PX / 2 + 0.5, width, _HEIGHT_PX)
        colour = self._theme.colour(version_role(version))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour, 1.4))
        painter.setBrush(self._theme.colour(version_role(version), 0.12))
        painter.drawRoundedRect(rect, 3, 3)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, letters)
        painter.setFont(option.font)
        return left + width + SPACE_PX / 2

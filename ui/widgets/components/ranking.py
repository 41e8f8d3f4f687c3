"""A ranking: the items in an order that is changed by dragging, by keys, or by two buttons."""

from collections.abc import Mapping
from typing import Any, Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
)

from simulator.profile.answers import options_of, prompt_of
from ui.models.plain import line, word
from ui.theme import RADIUS_PX, SPACE_PX, Theme, ui_font
from ui.widgets.components.answer import AnswerWidget
from ui.widgets.components.plain_text import PlainText, WrappedText

_TEXT_X: Final = 30
_PAD_PX: Final = 5
_HIGHEST_PX: Final = 300
_PLACE: Final = Qt.ItemDataRole.UserRole


class RankDelegate(QStyledItemDelegate):
    """Draws place and text, wrapped and plain."""

    def __init__(self, theme: Theme, texts: list[str], parent: QListWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._list = parent
        self._wrapped = [WrappedText(text, ui_font()) for text in texts]

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """As high as the text at the list's width."""
        width = self._list.viewport().width()
        return QSize(width, self._wrapped[index.data(_PLACE)].height(self._text_width(width)) + 2 * _PAD_PX + 2)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw a card."""
        rect = QRectF(option.rect).adjusted(1, 1, -1, -1)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        colour = self._theme.colour
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = chosen and self._list.hasFocus()
        painter.setPen(colour("accent" if focused else "line"))
        painter.setBrush(colour("selection" if chosen else "raised"))
        painter.drawRoundedRect(rect, RADIUS_PX, RADIUS_PX)
        painter.setFont(ui_font())
        painter.setPen(colour("text_muted"))
        number = QRectF(rect.left() + 2, rect.top() + _PAD_PX, _TEXT_X - 10, painter.fontMetrics().height())
        painter.drawText(number, Qt.AlignmentFlag.AlignRight, str(index.row() + 1))
        painter.setPen(colour("text"))
        width = self._text_width(int(rect.width()) + 2)
        self._wrapped[index.data(_PLACE)].draw(painter, rect.left() + _TEXT_X, rect.top() + _PAD_PX, width)
        painter.restore()

    @staticmethod
    def _text_width(width: int) -> int:
        return max(width - _TEXT_X - 2 * SPACE_PX, 1)


class RankList(QListWidget):
    """The items in their present order; Alt+Up and Alt+Down move the one that is selected."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the selected item."""
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if by is not None and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.move_selected(by)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Be as high as the items are at this width, up to a bound."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            high = sum(self.sizeHintForRow(row) for row in range(self.count()))
            self.setFixedHeight(min(high + 2 * self.frameWidth() + 2, _HIGHEST_PX))

    def move_selected(self, by: int) -> None:
        """Move the selected item up (-1) or down (1), as far as there is room."""
        row = self.currentRow()
        if row >= 0 and 0 <= row + by < self.count():
            target = row + by if by < 0 else row + by + 1
            self.model().moveRow(QModelIndex(), row, QModelIndex(), target)
            self.setCurrentRow(row + by)


class Ranking(AnswerWidget):
    """A list to be sorted, the first place first; any order is an answer, the first one too."""

    def __init__(self, theme: Theme, config: Mapping[str, Any]) -> None:
        super().__init__()
        self._options = options_of(config)
        self.items = RankList()
        self.items.setItemDelegate(RankDelegate(theme, self._options, self.items))
        self.items.setAccessibleName(line(prompt_of(config)) or "Items")
        self.items.setAccessibleDescription("Drag, or Alt with the arrow keys, to sort.")
        self.items.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.items.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.items.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.items.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.items.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.items.setTabKeyNavigation(False)
        for place, text in enumerate(self._options):
            item = QListWidgetItem(self.items)
            item.setData(_PLACE, place)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, line(text, 1_000))
            item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsDropEnabled)
        self.items.setCurrentRow(0)
        self.items.model().rowsMoved.connect(lambda *_: self.changed.emit())
        self._lay_out(theme, config)

    @property
    def value(self) -> object | None:
        """All items in the order of the list."""
        rows = range(self.items.count())
        return [self._options[self.items.item(row).data(_PLACE)] for row in rows]

    def _lay_out(self, theme: Theme, config: Mapping[str, Any]) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_PX)
        low, high = word(config.get("lowLabel")), word(config.get("highLabel"))
        if low:
            column.addWidget(PlainText(theme, low, role="text_muted", scale=0.9))
        column.addWidget(self.items)
        if high:
            column.addWidget(PlainText(theme, high, role="text_muted", scale=0.9))
        hint = QLabel("Drag, or Alt+↑ ↓")
        hint.setProperty("role", "muted")
        row = QHBoxLayout()
        row.addWidget(hint, 1)
        self.up, self.down = QPushButton("↑"), QPushButton("↓")
        for button, name, by in ((self.up, "Move up", -1), (self.down, "Move down", 1)):
            button.setAccessibleName(name)
            button.setToolTip(f"{name} the selected item.")
            button.clicked.connect(lambda _=False, by=by: self.items.move_selected(by))
            row.addWidget(button)
        column.addLayout(row)

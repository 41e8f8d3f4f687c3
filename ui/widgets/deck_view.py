"""The list of the deck: rows of one height, dragged to reorder, with files dropped on them or between them."""

from PySide6.QtCore import QElapsedTimer, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QListView

from ui.models.deck import Deck
from ui.models.deck_list import DeckList, local_files
from ui.theme import Theme
from ui.widgets.deck_delegate import DeckDelegate


class DeckView(QListView):
    """Shows a deck. Enter is the one key that it takes itself: the others are actions of the menus."""

    entered = Signal()
    """Enter was pressed."""

    def __init__(self, deck: Deck, theme: Theme) -> None:
        super().__init__()
        self.rows = DeckList(deck)
        self.setModel(self.rows)
        self.setItemDelegate(DeckDelegate(deck, theme, self))
        self.setAccessibleName("Steps of the study")
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDragDropOverwriteMode(False)
        self._browsed = QElapsedTimer()
        theme.changed.connect(self.viewport().update)

    @property
    def places(self) -> list[int]:
        """The rows that are selected, in order."""
        return sorted(index.row() for index in self.selectionModel().selectedIndexes())

    @property
    def place(self) -> int | None:
        """The row with the cursor."""
        index = self.currentIndex()
        return index.row() if index.isValid() else None

    def select(self, places: list[int]) -> None:
        """Select these rows, with the cursor in the first of them."""
        chosen = self.selectionModel()
        if not places:
            chosen.clear()
            return
        flags = chosen.SelectionFlag
        chosen.setCurrentIndex(self.rows.index(places[0]), flags.ClearAndSelect)
        for place in places[1:]:
            chosen.select(self.rows.index(place), flags.Select)
        self.scrollTo(self.rows.index(places[-1]))
        self.scrollTo(self.rows.index(places[0]))

    def show_place(self, place: int) -> None:
        """Scroll to a row, unless somebody reads elsewhere: moves the pointer over the list, or the wheel."""
        if not (self._browsed.isValid() and self._browsed.elapsed() < _BROWSING_MS):
            self.scrollTo(self.rows.index(place))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show whole rows: what is left below the last one stays empty."""
        super().resizeEvent(event)
        row_px = self.sizeHintForRow(0)
        left_px = (self.height() - 2 * self.frameWidth()) % row_px if row_px > 0 else 0
        if self.viewportMargins().bottom() != left_px:
            self.setViewportMargins(0, 0, 0, left_px)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Note that somebody looks at the list."""
        self._browsed.start()
        super().mouseMoveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Note that somebody looks at the list."""
        self._browsed.start()
        super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tell of Enter; letters are keys of the window, not a search."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers() & _MODIFIERS:
            if not event.isAutoRepeat():
                self.entered.emit()
        elif event.text().isprintable() and event.text() and not event.modifiers() & _MODIFIERS:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Note what is dragged: files may fall on a row, rows only between two, and a study belongs to the window."""
        files = local_files(event.mimeData())
        self.rows.files_are_dragged = bool(files)
        if files and not self.rows.takes(files):
            event.ignore()
        else:
            super().dragEnterEvent(event)


_MODIFIERS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
_BROWSING_MS = 3_000
"""So long after the pointer moved over the list it is left where it was scrolled to."""

"""The table of sessions itself: how its rows, columns and cells look and are chosen."""

from typing import Any

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QTableView, QWidget

from ui.models.session_rows import Column
from ui.models.session_table_model import SessionTableModel
from ui.theme import ROW_HEIGHT_PX, Theme
from ui.widgets.session_columns import SessionColumns
from ui.widgets.version_chip import VersionDelegate


class _BehindFigures(QStyledItemDelegate):
    """Keeps words away from the figures of the column before."""

    def displayText(self, value: Any, _locale: QLocale | QLocale.Language) -> str:
        """Return what a cell shows."""
        return f"  {value}"


class SessionsView(QTableView):
    """Whole rows of `model`, the newest first; several can be selected."""

    def __init__(self, model: SessionTableModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName("Sessions")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_PX)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        self.columns = SessionColumns(self, model)
        self.setSortingEnabled(True)
        self.sortByColumn(Column.DATE, Qt.SortOrder.DescendingOrder)
        for text_column in (Column.ENGINE, Column.STATE, Column.NAME):
            self.setItemDelegateForColumn(text_column, _BehindFigures(self))
        self.setItemDelegateForColumn(Column.INSTRUCTIONS, VersionDelegate(theme, self))

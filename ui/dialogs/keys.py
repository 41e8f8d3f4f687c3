"""Help → Keys: every key of the window on one sheet."""

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ui.theme import SPACE_PX, mono_font

_COLUMNS = 3


class KeysDialog(QDialog):
    """Groups of keys, each with what it does. Open it with `open()`."""

    def __init__(self, groups: Iterable[tuple[str, Iterable[tuple[str, str]]]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        columns = QHBoxLayout()
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(8 * SPACE_PX)
        filled: list[QVBoxLayout] = []
        heights: list[int] = []
        for title, keys in groups:
            group = _group(title, keys)
            if len(filled) < _COLUMNS:
                filled.append(QVBoxLayout())
                heights.append(0)
                columns.addLayout(filled[-1])
                place = len(filled) - 1
            else:
                place = heights.index(min(heights))
            filled[place].addLayout(group)
            filled[place].addSpacing(4 * SPACE_PX)
            heights[place] += group.rowCount() + 1
        for column in filled:
            column.addStretch(1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(5 * SPACE_PX, 5 * SPACE_PX, 5 * SPACE_PX, 4 * SPACE_PX)
        rows.setSpacing(4 * SPACE_PX)
        sheet = QFrame()
        sheet.setLayout(columns)
        sheet.setProperty("role", "sheet")
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setWidget(sheet)
        rows.addWidget(scroll)
        rows.addWidget(buttons)
        self._fit(sheet.sizeHint(), buttons.sizeHint().height())

    def _fit(self, sheet: QSize, buttons_px: int) -> None:
        """Be as large as the sheet, and no larger than the window."""
        wanted = QSize(sheet.width() + 12 * SPACE_PX, sheet.height() + buttons_px + 14 * SPACE_PX)
        parent = self.parentWidget()
        self.resize(wanted if parent is None else wanted.boundedTo(parent.size()))


def _group(title: str, keys: Iterable[tuple[str, str]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(4 * SPACE_PX)
    grid.setVerticalSpacing(SPACE_PX)
    grid.setColumnStretch(1, 1)
    heading = QLabel(title.upper())
    heading.setProperty("role", "heading")
    grid.addWidget(heading, 0, 0, 1, 2)
    for row, (key, words) in enumerate(keys, start=1):
        label = QLabel(key)
        label.setFont(mono_font())
        grid.addWidget(label, row, 0)
        grid.addWidget(QLabel(words), row, 1)
    return grid

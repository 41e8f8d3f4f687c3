"""Help → Keys: every key of the window on one sheet."""

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from ui.theme import SPACE_PX, mono_font


class KeysDialog(QDialog):
    """Two columns: the key and what it does. Open it with `open()`."""

    def __init__(self, groups: Iterable[tuple[str, Iterable[tuple[str, str]]]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        grid = QGridLayout()
        grid.setHorizontalSpacing(4 * SPACE_PX)
        grid.setVerticalSpacing(SPACE_PX)
        for column, (title, keys) in enumerate(groups):
            heading = QLabel(title.upper())
            heading.setProperty("role", "heading")
            grid.addWidget(heading, 0, 3 * column, 1, 2)
            for row, (key, words) in enumerate(keys, start=1):
                label = QLabel(key)
                label.setFont(mono_font())
                grid.addWidget(label, row, 3 * column, Qt.AlignmentFlag.AlignTop)
                grid.addWidget(QLabel(words), row, 3 * column + 1, Qt.AlignmentFlag.AlignTop)
            grid.setColumnMinimumWidth(3 * column + 2, 4 * SPACE_PX)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(5 * SPACE_PX, 5 * SPACE_PX, 5 * SPACE_PX, 4 * SPACE_PX)
        rows.setSpacing(4 * SPACE_PX)
        rows.addLayout(grid)
        rows.addWidget(buttons)

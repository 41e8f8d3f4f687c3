"""Where the loaded specification file differs from what the program knows, field by field."""

import json
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from simulator.profile.agent_spec import AgentSpec
from simulator.profile.differences import Difference
from ui.theme import SPACE_PX, Theme, mono_font

_HEADINGS: Final = {
    "fact": "Other values",
    "added": "Only in the file",
    "missing": "Not in the file",
    "wording": "Other words",
}
_LONGEST_SHOWN: Final = 160
_DIFFERENCE = Qt.ItemDataRole.UserRole


class SpecificationDialog(QDialog):
    """Version, sum and differences of a file. Open it with `open()`."""

    own_requested = Signal()
    """The program's own wording is to be used."""
    other_requested = Signal()
    """Another file is to be loaded."""

    def __init__(
        self, theme: Theme, path: Path, spec: AgentSpec, differences: list[Difference], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Specification")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(960, 600)
        self._theme = theme
        title = QLabel(f"{path.name}   version {spec.version}")
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setStyleSheet("font-weight: 600;")
        title.setToolTip(str(path))
        sum_label = QLabel(f"{path.parent}\nsha256 {spec.sha256}")
        sum_label.setTextFormat(Qt.TextFormat.PlainText)
        sum_label.setProperty("role", "muted")
        sum_label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.summary = QLabel(_summary(differences))
        self.summary.setWordWrap(True)
        self.tree = self._make_tree(differences)
        self.detail = QPlainTextEdit()
        self.detail.setReadOnly(True)
        self.detail.setFont(mono_font())
        self.detail.setAccessibleName("Both values of the selected field")
        self.detail.setPlaceholderText("Select a field to read both values whole")
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.tree)
        split.addWidget(self.detail)
        split.setSizes([360, 140])
        split.setChildrenCollapsible(False)
        split.setVisible(bool(differences))
        rows = QVBoxLayout(self)
        rows.setContentsMargins(4 * SPACE_PX, 4 * SPACE_PX, 4 * SPACE_PX, 3 * SPACE_PX)
        rows.setSpacing(2 * SPACE_PX)
        rows.addWidget(title)
        rows.addWidget(sum_label)
        rows.addWidget(self.summary)
        rows.addWidget(split, 1)
        if not differences:
            rows.addStretch(1)
        rows.addLayout(self._make_buttons())

    def _make_tree(self, differences: list[Difference]) -> QTreeWidget:
        tree = QTreeWidget()
        tree.setAccessibleName("Differences")
        tree.setHeaderLabels(["Field", "The program", "The file"])
        tree.setUniformRowHeights(True)
        tree.setAlternatingRowColors(False)
        header = tree.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.resizeSection(0, 380)
        header.resizeSection(1, 250)
        for kind, group in groupby(differences, key=lambda each: each.kind):
            listed = list(group)
            branch = QTreeWidgetItem(tree, [f"{_HEADINGS[kind]}  {len(listed)}"])
            branch.setFirstColumnSpanned(True)
            branch.setForeground(0, self._theme.colour("warning" if kind != "wording" else "text_muted"))
            for each in listed:
                leaf = QTreeWidgetItem(branch, [each.path, *_sides(each, short=True)])
                leaf.setData(0, _DIFFERENCE, each)
                leaf.setToolTip(0, each.path)
            # Words differ in many places and change nothing that is judged: they are there to be looked up.
            branch.setExpanded(kind != "wording" or len(listed) < 20)
        tree.currentItemChanged.connect(self._show_detail)
        return tree

    def _make_buttons(self) -> QHBoxLayout:
        own = QPushButton("Use the program's own wording")
        own.clicked.connect(self.own_requested)
        own.clicked.connect(self.reject)
        other = QPushButton("Load another…")
        other.clicked.connect(self.other_requested)
        other.clicked.connect(self.reject)
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        row = QHBoxLayout()
        row.addWidget(own)
        row.addWidget(other)
        row.addStretch(1)
        row.addWidget(close)
        return row

    def _show_detail(self, current: QTreeWidgetItem | None) -> None:
        difference = current.data(0, _DIFFERENCE) if current is not None else None
        if not isinstance(difference, Difference):
            self.detail.clear()
            return
        known, given = _sides(difference, short=False)
        self.detail.setPlainText(f"{difference.path}\n\nThe program:\n{known}\n\nThe file:\n{given}")


def _summary(differences: list[Difference]) -> str:
    if not differences:
        return "✓ The file says what the program knows."
    words = sum(each.kind == "wording" for each in differences)
    facts = len(differences) - words
    told = [f"{facts} other facts"] if facts else []
    told += [f"{words} other wordings"] if words else []
    return f"≠ {' and '.join(told)}: sessions and checks follow the file."


def _sides(difference: Difference, *, short: bool) -> tuple[str, str]:
    known = "—" if difference.kind == "added" else _text(difference.known, short)
    given = "—" if difference.kind == "missing" or difference.given is None else _text(difference.given, short)
    return known, given


def _text(value: Any, short: bool) -> str:
    if isinstance(value, str):
        text = " ".join(value.split()) if short else value
    else:
        text = json.dumps(value, ensure_ascii=False, indent=None if short else 2)
    return f"{text[:_LONGEST_SHOWN]}…" if short and len(text) > _LONGEST_SHOWN else text

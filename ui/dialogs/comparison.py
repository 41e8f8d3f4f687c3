"""Two reports beside each other: the newest against one chosen of those before it."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from ui.models.conformance import StoredReport
from ui.reports_feed import ReportsFeed
from ui.theme import SPACE_PX, mono_font


class ComparisonDialog(QDialog):
    """A picker of earlier reports and what changed since. Open it with `open()`."""

    def __init__(self, feed: ReportsFeed, reports: Sequence[StoredReport], parent: QWidget | None = None) -> None:
        """`reports` are two at least, the newest first."""
        super().__init__(parent)
        self.setWindowTitle("Compare reports")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(860, 560)
        self._feed = feed
        self._newest = reports[0]
        self.picker = QComboBox()
        self.picker.setAccessibleName("Earlier report")
        for report in reports[1:]:
            self.picker.addItem(report.title, report.report)
        self.picker.currentIndexChanged.connect(self._ask)
        self.text = QPlainTextEdit("Comparing…")
        self.text.setAccessibleName("What changed")
        self.text.setReadOnly(True)
        self.text.setFont(mono_font())
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        feed.compared.connect(self.text.setPlainText)
        feed.failed.connect(self.text.setPlainText)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        chosen = QHBoxLayout()
        chosen.setSpacing(2 * SPACE_PX)
        chosen.addWidget(QLabel(f"{self._newest.engine}:  from"))
        chosen.addWidget(self.picker)
        chosen.addWidget(QLabel(f"to  {self._newest.title}"))
        chosen.addStretch(1)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(4 * SPACE_PX, 4 * SPACE_PX, 4 * SPACE_PX, 3 * SPACE_PX)
        rows.setSpacing(3 * SPACE_PX)
        rows.addLayout(chosen)
        rows.addWidget(self.text, 1)
        rows.addWidget(buttons)
        self._ask()

    def _ask(self) -> None:
        self.text.setPlainText("Comparing…")
        self._feed.compare(str(self.picker.currentData()), self._newest.report)

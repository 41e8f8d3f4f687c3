"""What can be done with the report of the last run: read it in the browser, keep a copy, compare it with an earlier."""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from ui.background import Background
from ui.dialogs.comparison import ComparisonDialog
from ui.models.conformance import StoredReport
from ui.reports_feed import ReportsFeed

_PAGE, _REPORT = "One page to read (*.html)", "Report (*.json)"


class ReportsDesk(QObject):
    """Acts on the newest report of an engine. `window` is the parent of its dialogs."""

    failed = Signal(str)

    def __init__(self, feed: ReportsFeed, window: QWidget) -> None:
        super().__init__(window)
        self._feed = feed
        self._window = window
        self._background = Background(self)
        feed.failed.connect(self.failed)

    def reports(self, engine: str, faults: Sequence[str] = ()) -> list[StoredReport]:
        """Return the reports about an engine, the newest first."""
        return self._feed.conformance.reports_of(engine, faults)

    def open_page(self, engine: str, faults: Sequence[str] = ()) -> None:
        """Show the newest report in the browser."""
        for report in self.reports(engine, faults)[:1]:
            if report.page is None:
                self.failed.emit("This report has no page: run the checks again.")
            elif not QDesktopServices.openUrl(QUrl.fromLocalFile(report.page)):
                self.failed.emit(f"No browser could be started: open {report.page} yourself.")

    def save(self, engine: str, faults: Sequence[str] = ()) -> None:
        """Ask where to, and copy the newest report there, as a page or as JSON."""
        for report in self.reports(engine, faults)[:1]:
            dialog = QFileDialog(self._window, "Save the report", "", f"{_PAGE};;{_REPORT}")
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.setDefaultSuffix("html")
            dialog.filterSelected.connect(partial(_follow_filter, dialog))
            dialog.selectFile(f"conformance {report.engine} {report.started_at[:10]}.html")
            dialog.fileSelected.connect(partial(self._copy, report))
            dialog.open()

    def compare(self, engine: str, faults: Sequence[str] = ()) -> None:
        """Show what changed from an earlier report to the newest."""
        reports = self.reports(engine, faults)
        if len(reports) < 2:
            self.failed.emit("There is no earlier report of this engine to compare with.")
            return
        ComparisonDialog(self._feed, reports, self._window).open()

    def _copy(self, report: StoredReport, name: str) -> None:
        target = Path(name)
        work: Callable[[], None] = partial(copy_report, report, target)

        def done(_: None, error: Exception | None) -> None:
            if isinstance(error, OSError):
                self.failed.emit(f"The report cannot be written to {target}: {error.strerror}. Choose another place.")
            elif error is not None:
                raise error

        self._background.run(work, done)


def copy_report(report: StoredReport, target: Path) -> None:
    """Copy a report: as JSON where the target's name says so, else as a page. Raises OSError.

    A report names its records relative to itself: in the copy they are named from where it lies.
    """
    if target.suffix.lower() != ".json":
        if report.page is None:
            raise FileNotFoundError(2, "this report has no page")
        shutil.copyfile(report.page, target)
        return
    source = Path(report.report)
    document = json.loads(source.read_bytes())
    for result in [*document.get("results", []), *document.get("extras", [])]:
        if isinstance(result, dict) and isinstance(result.get("record"), str):
            result["record"] = _named_from(source.parent / result["record"], target.parent)
    target.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def _named_from(record: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(record.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive of Windows
        return record.resolve().as_posix()


def _follow_filter(dialog: QFileDialog, chosen: str) -> None:
    dialog.setDefaultSuffix("json" if chosen == _REPORT else "html")

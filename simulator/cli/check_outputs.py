"""Where `check` puts what came of a run: the store of reports, and the files that the user asks for."""

import argparse
import contextlib
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.output import say
from simulator.engines.profiles import EngineTarget
from simulator.errors import SimulatorError, StorageFault, UsageError
from simulator.resources import data_folder

if TYPE_CHECKING:
    from simulator.conformance.report import Report


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what to write, and where."""
    group = parser.add_argument_group("what to write", "A report and its page are kept in your data folder, too.")
    group.add_argument("--report", type=Path, metavar="F.json", help="write the report here")
    group.add_argument("--junit", type=Path, metavar="F.xml", help="write it as JUnit XML, for a build server")
    group.add_argument("--html", type=Path, metavar="F.html", help="write it as one page, to read and to pass on")
    group.add_argument(
        "--records",
        type=Path,
        metavar="DIR",
        help="folder for the checks' records; without it, beside the report as F-records, or in your data folder",
    )
    group.add_argument("--no-store", action="store_true", help="keep nothing in your data folder")


def reports_folder() -> Path:
    """Return the folder of the stored reports."""
    return data_folder() / "reports"


class Outputs:
    """The places of one run. `records_dir` and the run's folder stand once `place` was entered."""

    def __init__(self, arguments: argparse.Namespace, target: EngineTarget) -> None:
        self._arguments = arguments
        self._target = target
        self._run: Path | None = None
        self.records_dir = Path()

    @contextlib.contextmanager
    def place(self) -> Iterator[None]:
        """Make the run's folder for as long as the run lasts; it goes again where the run could not begin.

        Raises StorageFault, UsageError where there is no place for the records.
        """
        self._run = self._new_run()
        self.records_dir = self._records()
        try:
            yield
        except SimulatorError:
            self._remove_empty()
            raise

    def write(self, report: "Report", print_report: Callable[[], None]) -> None:
        """Write everything that was asked for, and print the report; the page, which takes longest, comes last.

        What can be written is, whatever else cannot. Raises the first StorageFault then.
        """
        faults: list[StorageFault] = []
        for step in (self._keep, self._write_report, self._write_junit):
            _guarded(step, report, faults)
        print_report()
        _guarded(self._write_pages, report, faults)
        for fault in faults[1:]:
            say(str(fault))
        if faults:
            raise faults[0]

    def _new_run(self) -> Path | None:
        from simulator.conformance.store import new_run

        if self._arguments.no_store:
            return None
        now = datetime.now().astimezone()
        try:
            return new_run(reports_folder(), self._target.name, self._target.model, now)
        except StorageFault as fault:
            if self._arguments.records is None and self._arguments.report is None:
                raise
            say(f"This run is not kept in your data folder. {fault}")
            return None

    def _records(self) -> Path:
        from simulator.conformance.store import RECORDS

        given: Path | None = self._arguments.records
        report: Path | None = self._arguments.report
        if given is not None:
            return given
        if report is not None:
            return report.with_name(f"{report.stem}-records")
        if self._run is None:
            raise UsageError("Without the data folder the records need a place: give --records or --report.")
        return self._run / RECORDS

    def _remove_empty(self) -> None:
        if self._run is not None:
            for folder in (self.records_dir, self._run):
                if folder.is_relative_to(self._run):
                    with contextlib.suppress(OSError):  # it holds records: they stay
                        folder.rmdir()

    def _keep(self, report: "Report") -> None:
        from simulator.conformance.store import keep

        if self._run is not None:
            keep(report, self._run, self.records_dir)

    def _write_report(self, report: "Report") -> None:
        from simulator.conformance.report import write_json

        if self._arguments.report is not None:
            write_json(report, self._arguments.report, self.records_dir)

    def _write_junit(self, report: "Report") -> None:
        from simulator.conformance.junit import to_junit
        from simulator.conformance.report import write_whole

        if self._arguments.junit is not None:
            write_whole(self._arguments.junit, to_junit(report))

    def _write_pages(self, report: "Report") -> None:
        from simulator.conformance.html import to_html
        from simulator.conformance.report import write_whole
        from simulator.conformance.store import keep_page

        if self._run is None and self._arguments.html is None:
            return
        page = to_html(report, self.records_dir, self.records_dir)
        if self._arguments.html is not None:
            write_whole(self._arguments.html, page)
        if self._run is not None:
            path = keep_page(page, self._run)
            if not self._arguments.json:
                say(f"Report: {path}")


def _guarded(step: "Callable[[Report], None]", report: "Report", faults: list[StorageFault]) -> None:
    try:
        step(report)
    except StorageFault as fault:
        faults.append(fault)

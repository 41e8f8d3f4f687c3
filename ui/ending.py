"""The end of the window's processes: each is told, and the last one that is gone says so."""

from collections.abc import Iterable
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from ui.checks_feed import ChecksFeed
from ui.session_feed import SessionFeed


class Asking(Protocol):
    """A short-lived process that answers a question of the window."""

    def stop_and_wait(self) -> None:
        """End it."""


class Ending(QObject):
    """Ends the live process and a run of checks in order, within two seconds."""

    ended = Signal()
    """All of them are gone."""

    def __init__(self, parent: QObject, feed: SessionFeed, checks: ChecksFeed) -> None:
        super().__init__(parent)
        self._feed, self._checks = feed, checks
        self._stopped: set[str] = set()
        self.begun = False

    def begin(self, asking: Iterable[Asking]) -> None:
        """End everything; what only answers a question is gone at once."""
        self.begun = True
        for each in asking:
            each.stop_and_wait()
        self._checks.stop_listing()
        self._feed.stopped.connect(partial(self._process_stopped, "feed"))
        if self._checks.running:
            self._checks.run_ended.connect(partial(self._process_stopped, "checks"))
            self._checks.stop()
        else:
            self._stopped.add("checks")
        self._feed.stop()

    def _process_stopped(self, which: str) -> None:
        self._stopped.add(which)
        if self._stopped == {"feed", "checks"}:
            self.ended.emit()

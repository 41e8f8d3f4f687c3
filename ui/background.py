"""Work that would block the window (reading a long record, the system's keyring), done in a thread.

The result comes back to the window's thread as a call. Nothing that is timed belongs here.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal, Slot

Result = TypeVar("Result")


class _Job(QRunnable):
    def __init__(
        self, number: int, work: Callable[[], Any], finished: Callable[[int, Any, Exception | None], None]
    ) -> None:
        super().__init__()
        self._number, self._work, self._finished = number, work, finished

    def run(self) -> None:
        result, failure = None, None
        try:
            result = self._work()
        except Exception as error:
            failure = error
        # Where the object that asked is gone meanwhile, nobody waits for the answer.
        with suppress(RuntimeError):
            self._finished(self._number, result, failure)


class Background(QObject):
    """Runs functions in Qt's thread pool and calls back in the thread of this object."""

    _finished = Signal(int, object, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._then: dict[int, Callable[[Any, Exception | None], None]] = {}
        self._next = 0
        self._finished.connect(self._done)

    def run(self, work: Callable[[], Result], then: Callable[[Result | None, Exception | None], None]) -> None:
        """Run `work` in a thread; `then` gets its result, or None and the exception that it raised."""
        self._next += 1
        self._then[self._next] = then
        QThreadPool.globalInstance().start(_Job(self._next, work, self._finished.emit))

    @Slot(int, object, object)
    def _done(self, number: int, result: Any, error: Exception | None) -> None:
        self._then.pop(number)(result, error)

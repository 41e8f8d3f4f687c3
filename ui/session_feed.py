"""The live session as the window knows it: status, entries, measures, waveforms, kept up from the participant's feed.

The participant process is the only one that stamps times and touches sound; here its lines are read some thirty times a
second, with a bound on the work of each frame, so that a burst costs frames no more than a quiet second does. A stretch
that the process could not send (`Gap`) is read from the record's file in the background, and what follows it waits.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from simulator.errors import SimulatorError
from simulator.participant.messages import (
    AnyCommand,
    AnyFeed,
    Connect,
    Entries,
    Gap,
    Level,
    Peaks,
    Quit,
    Reply,
    Status,
    decode_feed,
    encode_line,
)
from simulator.record.entries import Entry
from simulator.record.reader import iter_entries
from ui.background import Background
from ui.participant_host import ParticipantHost
from ui.record_view import RecordView

FRAME_MS = 33
_FRAME_BUDGET_S = 0.006
"""Work on feed lines a frame; what is left over waits for the next."""
_GAP_TRIES_S = (0.3, 0.6, 1.0, 1.5)
"""The writer flushes within a second: an entry just dropped may not be in the file yet."""

Then = Callable[[str | None], None]
"""Called with one sentence when a command was refused, or None when it took effect."""


class SessionFeed(QObject):
    """Owns what is known of the live session and the way to the participant process.

    Without a host it is a synthetic feed: give it messages with `take`.
    """

    status_changed = Signal(Status)
    entries_added = Signal(int, int)
    """Positions in `view.entries`: first, last + 1."""
    view_started = Signal(RecordView)
    """A new record began: everything that was drawn from the old view belongs to the past."""
    level_changed = Signal(Level)
    now_changed = Signal(object)
    """The present of the view in nanoseconds: an int, which Qt's own would cut to 32 bits."""
    process_started = Signal()
    session_asked = Signal()
    """A new session is about to begin: Connect is sent."""
    failed = Signal(str)
    stopped = Signal()

    def __init__(self, host: ParticipantHost | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.status = Status()
        self.view = RecordView()
        self._host = host
        self._next_id = 1
        self._waiting: dict[int, Then] = {}
        self._unread = bytearray()
        self._lines: deque[bytes] = deque()
        self._held: list[AnyFeed] | None = None
        """What came after a gap that is still being read; None while there is none."""
        self._background = Background(self)
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.setInterval(FRAME_MS)
        self._frame.timeout.connect(self._read_frame)
        if host is not None:
            host.setParent(self)
            host.output_came.connect(self._output_came)
            host.died.connect(self._host_died)
            host.started.connect(self.process_started)
            host.stopped.connect(self.stopped)

    def start(self) -> None:
        """Start the participant process."""
        if self._host is not None:
            self._host.start()

    def send(self, command: AnyCommand, then: Then | None = None) -> None:
        """Send a command under a number of its own; `then` hears the answer, else a refusal goes to `failed`."""
        number = self._next_id
        self._next_id += 1
        self._waiting[number] = then or self._tell_refusal
        if isinstance(command, Connect):
            self.session_asked.emit()
        if self._host is None:
            return
        if not self._host.running:
            self._host.start()
        if not self._host.write(encode_line(msgspec.structs.replace(command, id=number))):
            self._answer(number, "The live process does not run: see the terminal for the reason.")

    def stop(self) -> None:
        """End the participant process in order; `stopped` follows within two seconds."""
        if self._host is None:
            self.stopped.emit()
        else:
            self._host.stop(encode_line(Quit(id=0)))

    def take(self, messages: Iterable[AnyFeed]) -> None:
        """Apply feed messages, in order, and tell what changed: what a frame does."""
        first = len(self.view.entries)
        view = self.view
        level: Level | None = None
        for message in messages:
            if self._held is not None and isinstance(message, Entries | Gap):
                self._held.append(message)
            elif isinstance(message, Entries):
                self._add(message.entries)
            elif isinstance(message, Peaks):
                mins, maxs = (np.frombuffer(row, dtype=np.int8) for row in (message.mins, message.maxs))
                self.view.lanes[message.lane].place_peaks(message.first_sample, mins, maxs)
            elif isinstance(message, Level):
                level = message
                self.view.now_ns = max(self.view.now_ns, message.t_ns)
            elif isinstance(message, Gap):
                self._read_gap(message)
            else:
                self._take_state(message)
            if self.view is not view:
                view, first = self.view, 0
        if len(view.entries) > first:
            self.entries_added.emit(first, len(view.entries))
        if level is not None:
            self.level_changed.emit(level)
            self.now_changed.emit(view.now_ns)

    def _take_state(self, message: AnyFeed) -> None:
        if isinstance(message, Reply):
            self._answer(message.id, message.error)
        elif isinstance(message, Status):
            self.status = message
            if message.record_path:
                self.view.path = Path(message.record_path)
            self.status_changed.emit(message)

    def _add(self, entries: list[Entry]) -> None:
        """Append entries; number 0 begins a new record."""
        begin = next((place for place, entry in enumerate(entries) if entry.seq == 0), None)
        if begin is None:
            self.view.add(entries)
            return
        self.view.add(entries[:begin])
        if self.view.entries:
            self._start_view()
        self.view.add(entries[begin:])

    def _start_view(self) -> None:
        self.view = RecordView(path=Path(self.status.record_path) if self.status.record_path else None)
        self.view_started.emit(self.view)

    def _output_came(self) -> None:
        if not self._frame.isActive():
            self._frame.start()

    def _read_frame(self) -> None:
        if self._host is not None:
            self._unread += self._host.read()
            *lines, rest = self._unread.split(b"\n")
            self._unread = bytearray(rest)
            self._lines.extend(bytes(line) for line in lines)
        self.take(self._decoded(time.perf_counter() + _FRAME_BUDGET_S))
        if self._lines:
            self._frame.start()

    def _decoded(self, until_s: float) -> Iterable[AnyFeed]:
        while self._lines:
            line = self._lines.popleft()
            try:
                yield decode_feed(line)
            except msgspec.DecodeError as error:
                self.failed.emit(f"The live process wrote a line that cannot be read ({error}); it was left out.")
            if time.perf_counter() > until_s:
                return

    def _read_gap(self, gap: Gap) -> None:
        self._held = []
        self._try_gap(gap, 0)

    def _try_gap(self, gap: Gap, tries: int) -> None:
        path = self.view.path

        def read() -> list[Entry]:
            return list(iter_entries(path, gap.first, gap.last)) if path is not None else []

        def done(entries: list[Entry] | None, error: Exception | None) -> None:
            whole = entries is not None and len(entries) == gap.last - gap.first + 1
            if whole or tries == len(_GAP_TRIES_S):
                self._close_gap(gap, entries or [], whole)
            elif error is not None and not isinstance(error, OSError | SimulatorError):
                raise error
            else:
                QTimer.singleShot(int(_GAP_TRIES_S[tries] * 1000), self, lambda: self._try_gap(gap, tries + 1))

        self._background.run(read, done)

    def _close_gap(self, gap: Gap, entries: list[Entry], whole: bool) -> None:
        held, self._held = self._held or [], None
        if not whole:
            self.failed.emit(
                f"Events {gap.first} to {gap.last} came faster than the window reads and are not in the record's file: "
                f"{gap.last - gap.first + 1 - len(entries)} of them are not shown."
            )
        self.take([Entries(entries=entries), *held])

    def _tell_refusal(self, error: str | None) -> None:
        if error is not None:
            self.failed.emit(error)

    def _answer(self, number: int, error: str | None) -> None:
        then = self._waiting.pop(number, None)
        if then is not None:
            then(error)

    def _host_died(self, sentence: str) -> None:
        self._read_frame()
        self._unread.clear()
        self.status = Status(record_path=self.status.record_path)
        self.status_changed.emit(self.status)
        waiting, self._waiting = self._waiting, {}
        for then in waiting.values():
            then("The live process ended before it answered.")
        self.failed.emit(sentence)

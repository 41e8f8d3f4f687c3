"""Holds a live session against the profile, and notes each violation with the name of its rule."""

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from simulator.participant.recorder import SessionRecorder
from simulator.record.rules.event import Broken
from simulator.record.rules.live import LiveRules

if TYPE_CHECKING:
    from simulator.record.entries import Entry


class RuleWatch:
    """Listens to a session's record. What it finds stands behind what was done about the same event."""

    def __init__(self, recorder: SessionRecorder) -> None:
        self._recorder = recorder
        self._rules = LiveRules()
        self._unjudged: deque[Entry] = deque()
        recorder.log.listen(self._unjudged.append)

    def judge(self) -> None:
        """Judge what came since the last call: after all else was done with it, lest it delay a cut."""
        while self._unjudged:
            self._note(self._rules.feed(self._unjudged.popleft()))

    def tick(self, now_ns: int) -> None:
        """Time passed (`now_ns` on the record's clock): judge what should have come by now."""
        self.judge()
        self._note(self._rules.tick(now_ns))

    def _note(self, found: Iterable[Broken]) -> None:
        for broken in found:
            fields = {"clause": broken.clause, "sentence": f"{broken.what}.", "seq": broken.seq}
            self._recorder.note("violation", fields)

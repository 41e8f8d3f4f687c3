"""Holds a live session against the profile, and notes each violation with the name of its rule."""

import traceback
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from simulator.participant.recorder import SessionRecorder
from simulator.record.rules.event import Broken
from simulator.record.rules.live import LiveRules

if TYPE_CHECKING:
    from simulator.record.entries import Entry


class RuleWatch:
    """Listens to a session's record. What it finds stands behind what was done about the same event.

    Watching never costs a session: a bug in a rule ends the watching, which is noted as a problem of our own.
    """

    def __init__(self, recorder: SessionRecorder, rules: LiveRules | None = None) -> None:
        self._recorder = recorder
        self._rules = rules or LiveRules()
        self._watching = True
        self._unjudged: deque[Entry] = deque()
        recorder.log.listen(self._unjudged.append)

    def judge(self) -> None:
        """Judge what came since the last call: after all else was done with it, lest it delay a cut."""
        while self._unjudged:
            self._note(partial(self._rules.feed, self._unjudged.popleft()))

    def tick(self, now_ns: int) -> None:
        """Time passed (`now_ns` on the record's clock): judge what should have come by now."""
        self.judge()
        self._note(partial(self._rules.tick, now_ns))

    def _note(self, find: Callable[[], Iterable[Broken]]) -> None:
        if not self._watching:
            return
        try:
            found = list(find())
        except Exception as error:
            self._watching = False
            self._recorder.note("problem", _stopped(error))
            return
        for broken in found:
            fields = {"clause": broken.clause, "sentence": f"{broken.what}.", "seq": broken.seq}
            self._recorder.note("violation", fields)


def _stopped(error: Exception) -> dict[str, str]:
    sentence = (
        f"The program itself failed ({type(error).__name__}) and no longer marks violations of the profile in this "
        "session: please report it with its record."
    )
    return {
        "whose": "ours",
        "code": "rules",
        "sentence": sentence,
        "details": "".join(traceback.format_exception(error)),
    }

"""Rules of turns: which item speech becomes, what a commit does while turn detection is off, and when an answer begins.

While turn detection is off for certain (acknowledged, and not being switched on again) nothing may come of itself: no
speech_started, no committed but for our own commit, no reply but to our own request. Pure.
"""

from collections.abc import Iterator

from simulator.record.entries import Direction, Entry
from simulator.record.fields import milliseconds, number, text
from simulator.record.rules.conversation import Conversation
from simulator.record.rules.event import Broken
from simulator.units import NS_PER_MS

_ITEMS_WITHIN_MS = 1_000


class TurnRules:
    """Feed every entry after the conversation took it."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._open: dict[str, Entry] = {}
        """Items that speech_started named and that were not committed yet."""
        self._ids: set[str] = set()
        self._items: dict[str, set[str]] = {}
        """Events of the conversation by the id of the item that they are for."""
        self._uncounted: dict[str, Entry] = {}
        """Committed turns whose items were not added yet."""
        self._commits: list[Entry] = []
        """Our commits that were not answered yet."""
        self._committed_off = False
        """Whether we committed since turn detection was switched off."""
        self._owed: Entry | None = None
        """A committed turn that the engine has not begun to answer."""

    def feed(self, entry: Entry) -> Iterator[Broken]:
        """Take an entry and yield what it breaks."""
        if entry.direction is Direction.SENT:
            self._sent(entry)
            return
        if entry.direction is not Direction.RECEIVED:
            return
        match entry.type:
            case "input_audio_buffer.speech_started":
                yield from self._started(entry)
            case "input_audio_buffer.committed":
                yield from self._committed(entry)
            case "conversation.item.added" | "conversation.item.done":
                self._items.setdefault(text(entry, "item", "id") or "", set()).add(entry.type)
            case "response.created":
                yield from self._created(entry)
            case "response.output_audio.delta" | "response.function_call_arguments.done" | "response.done":
                yield from self._answered(entry)
            case "error":
                yield from self._refused(entry)

    def tick(self, now_ns: int) -> Iterator[Broken]:
        """Time passed: yield what should have come by now."""
        for item_id, committed in list(self._uncounted.items()):
            if now_ns - committed.t_ns > _ITEMS_WITHIN_MS * NS_PER_MS:
                del self._uncounted[item_id]
                missing = {"conversation.item.added", "conversation.item.done"} - self._items.pop(item_id, set())
                if missing:
                    what = f"No {min(missing)} came for the committed turn within {_ITEMS_WITHIN_MS} ms"
                    yield Broken("turn added", what, committed.seq)
        timeout_ms = self._conversation.limits.event_timeout_ms
        if self._commits and now_ns - self._commits[0].t_ns > timeout_ms * NS_PER_MS:
            commit = self._commits.pop(0)
            what = f"A commit was not answered within {timeout_ms // 1000} s"
            yield Broken("committed", what, commit.seq)
        limit_ms = self._conversation.limits.max_response_start_ms
        if self._owed is not None and now_ns - self._owed.t_ns > (limit_ms + _ITEMS_WITHIN_MS) * NS_PER_MS:
            owed, self._owed = self._owed, None
            yield Broken("answer begins", f"No answer began within {limit_ms} ms of committed", owed.seq)

    def _sent(self, entry: Entry) -> None:
        if entry.type == "input_audio_buffer.commit":
            self._commits.append(entry)
            self._committed_off = True
        elif entry.type in ("response.cancel", "session.update"):
            self._owed = None

    def _started(self, entry: Entry) -> Iterator[Broken]:
        self._owed = None
        if self._conversation.detection_off:
            yield Broken("quiet pause", "speech_started came while turn detection was off", entry.seq)
        else:
            self._committed_off = False
        item_id = text(entry, "item_id")
        if item_id is not None:
            if item_id in self._ids:
                yield Broken("new turn", "speech_started names the item of an earlier turn", entry.seq)
            self._ids.add(item_id)
            self._open[item_id] = entry
        yield from self._in_place(entry)

    def _in_place(self, entry: Entry) -> Iterator[Broken]:
        """Speech cannot begin after all that was appended; a little more than that is the profile's tolerance."""
        start_ms, limit_ms = number(entry, "audio_start_ms"), self._conversation.limits.max_onset_delay_ms
        conversation = self._conversation
        if start_ms is None or not conversation.detection_known or start_ms <= conversation.clock_ms + limit_ms:
            return
        what = f"audio_start_ms is {start_ms:g}, and {conversation.clock_ms:.0f} ms of audio were appended"
        if not conversation.clock_zero_samples:
            yield Broken("audio_start_ms in place", what, entry.seq)
        else:
            yield Broken("timed from switching on", f"{what} since turn detection was switched on", entry.seq)

    def _committed(self, entry: Entry) -> Iterator[Broken]:
        item_id = text(entry, "item_id")
        ours = bool(self._commits)
        if ours:
            self._commits.pop(0)
        elif self._conversation.detection_off:
            if self._committed_off:
                yield Broken("one commit", "committed came again for one commit", entry.seq)
            else:
                yield Broken("quiet pause", "committed came without a commit, with turn detection off", entry.seq)
        elif self._answers_by_itself():
            self._owed = entry
        if self._open and item_id is not None and item_id not in self._open:
            yield Broken("turn keeps its item", "committed is for another item than speech_started", entry.seq)
            self._open.clear()
        if item_id is not None:
            self._open.pop(item_id, None)
            self._uncounted[item_id] = entry

    def _answers_by_itself(self) -> bool:
        detection = self._conversation.detection
        return detection is not None and detection.get("create_response") is not False and not self._conversation.active

    def _created(self, entry: Entry) -> Iterator[Broken]:
        response = self._conversation.response_of(entry)
        if response is None or response.request is not None or self._owed is not None:
            return
        if self._conversation.detection_off:
            clause = "no reply in the pause" if self._committed_off else "quiet pause"
            yield Broken(clause, "A reply was started while turn detection was off", entry.seq)

    def _answered(self, entry: Entry) -> Iterator[Broken]:
        owed, response = self._owed, self._conversation.response_of(entry)
        if owed is None or response is None or response.created.seq < owed.seq:
            return
        self._owed = None
        took_ms, limit_ms = milliseconds(owed, entry), self._conversation.limits.max_response_start_ms
        if took_ms > limit_ms:
            what = f"committed to the first audio took {took_ms:.0f} ms, {limit_ms} at most"
            yield Broken("answer begins", what, entry.seq)

    def _refused(self, entry: Entry) -> Iterator[Broken]:
        if self._conversation.refused in self._commits:
            self._commits.remove(self._conversation.refused)
            message = text(entry, "error", "message") or "no reason"
            yield Broken("commit accepted", f"The engine refused our commit: {message.rstrip('.')}", entry.seq)

"""What a record proves: pure queries that every judge shares.

The clocks, in one place. An entry's `t_ns` is when its frame was read or handed over. The audio clock is the number of
samples appended so far; a sample was *sent* when the append that carried it was handed over. Whether the agent is
talking is a question about a loudspeaker, not about a response: `Playback` simulates one in real time.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, NamedTuple

from simulator.record.entries import Direction, Entry, Track
from simulator.record.fields import text, value_at, whole_number
from simulator.units import BLOCK_SAMPLES, NS_PER_MS, ns_to_samples, samples_to_ms, samples_to_ns

CHECK_STARTED: Final = "check.started"
DRIVE_ENDED: Final = "drive.ended"
STREAM_STARTED: Final = "stream.started"
STREAM_STOPPED: Final = "stream.stopped"
UTTERANCE: Final = "utterance"
CLOCK_JUMPED: Final = "clock.jumped"
HELD_UP: Final = "held.up"


class Heard(NamedTuple):
    """One item of the agent's voice at a moment of the simulated loudspeaker."""

    item_id: str
    played_samples: int
    received_samples: int


class Playback:
    """A simulated loudspeaker that plays what arrives, in order and in real time, and waits where nothing is there."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, int, str, str]] = []  # (begins at ns, samples, item, response)
        self._ends_ns = 0

    def feed(self, entry: Entry) -> None:
        """Take any entry; audio deltas are queued at their arrival."""
        if entry.direction is Direction.RECEIVED and entry.audio is not None and entry.audio.samples:
            begins_ns = max(self._ends_ns, entry.t_ns)
            item, response = text(entry, "item_id") or "", text(entry, "response_id") or ""
            self._parts.append((begins_ns, entry.audio.samples, item, response))
            self._ends_ns = begins_ns + samples_to_ns(entry.audio.samples)

    def played_ms(self, response_id: str, at_ns: int) -> float:
        """Return how much of a response was played by `at_ns`."""
        played = (
            min(max(ns_to_samples(at_ns - begins_ns), 0), samples)
            for begins_ns, samples, _, response in self._parts
            if response == response_id
        )
        return samples_to_ms(sum(played))

    def heard(self, response_id: str, at_ns: int) -> Heard | None:
        """Return the item of a response that plays at `at_ns`, or played last; None before its first sample."""
        begun = [part for part in self._parts if part[3] == response_id and part[0] < at_ns]
        if not begun:
            return None
        item_id = begun[-1][2]
        played = sum(min(ns_to_samples(at_ns - part[0]), part[1]) for part in begun if part[2] == item_id)
        received = sum(part[1] for part in self._parts if part[2] == item_id)
        return Heard(item_id, played, received)

    def talking(self, at_ns: int) -> bool:
        """Whether the loudspeaker is still behind what arrived."""
        return at_ns < self._ends_ns


@dataclass(frozen=True, slots=True)
class Utterance:
    """A recording that was spoken: where it begins and ends on the audio clock, in samples appended."""

    name: str
    role: str
    """What it was spoken for (audio.recordings.Role)."""
    sha256: str
    onset_sample: int
    offset_sample: int
    resumed_samples: tuple[int, ...]
    """Where speech goes on after a pause inside it."""


class Answered(NamedTuple):
    """A session.update with what answered it."""

    sent: Entry
    answer: Entry | None
    refusal: Entry | None


@dataclass(slots=True)
class Response:
    """What a record holds of one response."""

    response_id: str
    created: Entry | None = None
    done: Entry | None = None
    deltas: list[Entry] = field(default_factory=list)
    audio_done: Entry | None = None
    transcript_done: list[Entry] = field(default_factory=list)
    transcript_deltas: list[Entry] = field(default_factory=list)
    calls: list[Entry] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    """Every event of it, of whatever kind."""

    @property
    def status(self) -> str | None:
        """completed, cancelled, incomplete or failed; None before its end."""
        return None if self.done is None else text(self.done, "response", "status")

    @property
    def reason(self) -> str | None:
        """Why it ended otherwise than completed."""
        return None if self.done is None else text(self.done, "response", "status_details", "reason")

    @property
    def failure(self) -> str:
        """What the engine said about a failed response."""
        if self.done is None:
            return ""
        details = ("response", "status_details", "error")
        parts = [text(self.done, *details, name) for name in ("code", "message")]
        return ": ".join(part for part in parts if part)

    @property
    def audio_samples(self) -> int:
        """Audio received for it."""
        return sum(entry.audio.samples for entry in self.deltas if entry.audio is not None)


_RESPONSE_PARTS: Final = {
    "response.output_audio.delta": "deltas",
    "response.output_audio_transcript.delta": "transcript_deltas",
    "response.output_audio_transcript.done": "transcript_done",
    "response.function_call_arguments.done": "calls",
}


class Evidence:
    """The entries of one record, with what judges ask of them."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = list(entries)
        self.end_ns = max((entry.t_ns for entry in self.entries), default=0)
        self.playback = Playback()
        self.responses: dict[str, Response] = {}
        self.utterances: list[Utterance] = []
        self._appends: list[Entry] = []
        for entry in self.entries:
            self._take(entry)
        self.updates = self._answered_updates()
        """Our session.updates in order, each with its answer."""
        self._append_starts = [entry.audio.first_sample for entry in self._appends if entry.audio is not None]

    def _take(self, entry: Entry) -> None:
        self.playback.feed(entry)
        match entry.direction, entry.type:
            case Direction.SENT, "input_audio_buffer.append":
                if entry.audio is not None and entry.audio.track is Track.PARTICIPANT:
                    self._appends.append(entry)
            case Direction.NOTED, kind if kind == UTTERANCE:
                utterance = _utterance(entry)
                if utterance is not None:
                    self.utterances.append(utterance)
            case Direction.RECEIVED, kind if kind.startswith("response."):
                self._take_response(entry)

    def _take_response(self, entry: Entry) -> None:
        response_id = text(entry, "response_id") or text(entry, "response", "id")
        if response_id is None:
            return
        response = self.responses.setdefault(response_id, Response(response_id))
        response.entries.append(entry)
        if (part := _RESPONSE_PARTS.get(entry.type)) is not None:
            getattr(response, part).append(entry)
        elif entry.type == "response.created" and response.created is None:
            response.created = entry
        elif entry.type == "response.done" and response.done is None:
            response.done = entry
        elif entry.type == "response.output_audio.done" and response.audio_done is None:
            response.audio_done = entry

    def all(self, direction: Direction, kind: str, *, since: int = 0, **fields: Any) -> Iterator[Entry]:
        """Yield entries of a kind from entry number `since` on whose top-level fields equal `fields`."""
        for entry in self.entries[max(since, 0) :]:
            wanted = entry.direction is direction and entry.type == kind
            if wanted and all(entry.event.get(name) == value for name, value in fields.items()):
                yield entry

    def received(self, kind: str, *, since: Entry | None = None, **fields: Any) -> Entry | None:
        """Return the first event of a kind from the engine, after the entry `since`."""
        return next(self.all(Direction.RECEIVED, kind, since=_after(since), **fields), None)

    def sent(self, kind: str, *, since: Entry | None = None, **fields: Any) -> Entry | None:
        """Return the first event of a kind that we sent, after the entry `since`."""
        return next(self.all(Direction.SENT, kind, since=_after(since), **fields), None)

    def noted(self, kind: str) -> Entry | None:
        """Return the first note of a kind."""
        return next(self.all(Direction.NOTED, kind), None)

    def error_for(self, request: Entry) -> Entry | None:
        """Return the error that names the event we sent."""
        event_id = text(request, "event_id")
        for entry in self.all(Direction.RECEIVED, "error", since=request.seq):
            if event_id is not None and text(entry, "error", "event_id") == event_id:
                return entry
        return None

    def carrier_of(self, sample: int) -> Entry | None:
        """Return the append that carried a sample of the audio clock, or None if it was not sent."""
        at = bisect_right(self._append_starts, sample) - 1
        if at < 0:
            return None
        entry = self._appends[at]
        span = entry.audio
        return entry if span is not None and sample < span.first_sample + span.samples else None

    def response_after(self, entry: Entry) -> Response | None:
        """Return the response whose response.created is the next after an entry."""
        created = self.received("response.created", since=entry)
        response_id = None if created is None else text(created, "response", "id")
        return None if response_id is None else self.responses.get(response_id)

    def _answered_updates(self) -> list[Answered]:
        """Match answers to updates by order: session.updated names no request, only an error does."""
        found: list[Answered] = []
        taken = -1
        for sent in self.all(Direction.SENT, "session.update"):
            refusal = self.error_for(sent)
            answers = self.all(Direction.RECEIVED, "session.updated", since=max(sent.seq, taken + 1))
            answer = next(answers, None) if refusal is None else None
            taken = taken if answer is None else answer.seq
            found.append(Answered(sent, answer, refusal))
        return found

    def appended_before(self, entry: Entry) -> int:
        """Return the audio clock at an entry: the samples appended before it."""
        return max(
            (
                append.audio.first_sample + append.audio.samples
                for append in self._appends
                if append.seq < entry.seq and append.audio is not None
            ),
            default=0,
        )

    def latest_send_ms(self) -> tuple[float, Entry | None]:
        """Return by how much the latest append missed its time, and which it was.

        Chunk n of a stream is due 20 ms × n after the stream began, whatever happened to those before it.
        """
        worst_ms, worst = 0.0, None
        began: Entry | None = None
        first_sample = 0
        for entry in self.entries:
            if entry.direction is Direction.NOTED and entry.type == STREAM_STARTED:
                began, first_sample = entry, whole_number(entry, "first_sample") or 0
            elif entry.direction is Direction.NOTED and entry.type == STREAM_STOPPED:
                began = None
            elif began is not None and entry.type == "input_audio_buffer.append" and entry.audio is not None:
                due_ns = began.t_ns + samples_to_ns(entry.audio.first_sample - first_sample)
                late_ms = (entry.t_ns - due_ns) / NS_PER_MS
                if late_ms > worst_ms:
                    worst_ms, worst = late_ms, entry
        return worst_ms, worst

    def clock_went_back(self) -> Entry | None:
        """Return the first entry that is older than the one before it by more than a chunk of audio."""
        tolerance_ns = samples_to_ns(BLOCK_SAMPLES)
        return next((later for one, later in pairwise(self.entries) if later.t_ns < one.t_ns - tolerance_ns), None)


def _after(entry: Entry | None) -> int:
    return 0 if entry is None else entry.seq + 1


def _utterance(entry: Entry) -> Utterance | None:
    onset, offset = whole_number(entry, "onset_sample"), whole_number(entry, "offset_sample")
    name, role, sha256 = text(entry, "name"), text(entry, "role"), text(entry, "sha256")
    resumed = value_at(entry, "resumed_samples")
    if onset is None or offset is None or name is None or role is None or sha256 is None:
        return None
    samples = tuple(each for each in resumed if isinstance(each, int)) if isinstance(resumed, list) else ()
    return Utterance(name, role, sha256, onset, offset, samples)

"""What a record means in time: turns, responses, what was heard, pushes, barge-ins and latencies.

`Measures` is fed one entry after the other, live or from a file, and never looks back further than the objects it has
open: the work of an entry does not grow with the length of the record. Every list only grows; an object that changes
is replaced at its place, so that a view can keep positions.

All times are nanoseconds on the record's clock; samples are at 24 kHz. `seq` is the number of the entry that an object
began with: where the log shows it.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from simulator.record.entries import Direction, Entry, Track
from simulator.record.fields import text, whole_number
from simulator.units import NS_PER_MS, ms_to_samples, samples_to_ms

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

SIMULATED = "simulated"
"""The `dac_source` of a barge-in whose loudspeaker was only simulated: when it fell silent was not measured."""


@dataclass(frozen=True, slots=True)
class SpeechSpan:
    """One turn of the participant as the engine heard it: from the arrival of speech_started to that of its end."""

    item_id: str
    started_ns: int
    stopped_ns: int | None
    audio_start_ms: int | None
    audio_end_ms: int | None
    seq: int


@dataclass(frozen=True, slots=True)
class ResponseSpan:
    """One response; `done_ns` with `status` None means that the connection ended before it did."""

    response_id: str
    created_ns: int
    done_ns: int | None
    status: str | None
    reason: str | None
    seq: int


@dataclass(frozen=True, slots=True)
class AgentSpan:
    """One item of the agent's voice at the output device, in times of handing over.

    `handed_samples` is 0 until the item ended. When it was cut, received minus handed was never heard.
    """

    item_id: str
    started_ns: int
    ended_ns: int | None
    handed_samples: int
    received_samples: int
    cut: bool
    seq: int


@dataclass(frozen=True, slots=True)
class Push:
    """A context item; `seq` is that of the event sent, `event` its name, e.g. ``timer``."""

    t_ns: int
    seq: int
    event: str
    context: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BargeIn:
    """The participant interrupted: from reading speech_started to silence handed over, and to silence heard."""

    received_ns: int
    cut_ns: int
    last_sound_handed_ns: int | None
    inaudible_ns: int | None
    dac_source: str | None
    item_id: str | None
    seq: int


@dataclass(frozen=True, slots=True)
class Latency:
    """One measured interval between two entries."""

    name: str
    from_label: str
    to_label: str
    value_ms: float
    from_seq: int
    to_seq: int


@dataclass(frozen=True, slots=True)
class Turn:
    """One paragraph of the transcript. For the agent, `heard_text` is the part of `text` that was heard (an estimate
    by the share of samples, at a word boundary), `heard_ms` and `generated_ms` the audio behind them. For the
    participant, `text` is what the engine transcribed, and `recognised` what this program did, by `recogniser`."""

    who: Literal["participant", "agent", "typed", "agent typed", "study"]
    item_id: str
    text: str
    t_ns: int
    seq: int
    heard_text: str | None = None
    heard_ms: float | None = None
    generated_ms: float | None = None
    recognised: str | None = None
    recogniser: str | None = None


class _Growing(Generic[T]):
    """A list of objects that can be found again by key while they may change."""

    def __init__(self) -> None:
        self.items: list[T] = []
        self._at: dict[str, int] = {}

    def add(self, key: str, item: T) -> None:
        self._at[key] = len(self.items)
        self.items.append(item)

    def get(self, key: str) -> T | None:
        at = self._at.get(key)
        return None if at is None else self.items[at]

    def put(self, key: str, item: T) -> None:
        self.items[self._at[key]] = item


class Measures:
    """Feed it the entries of one record in order; read its lists. `revision` grows when any of them changed."""

    def __init__(self) -> None:
        self.revision = 0
        self.listening_off: list[tuple[int, int | None]] = []
        self.pushes: list[Push] = []
        self.barge_ins: list[BargeIn] = []
        self.latencies: list[Latency] = []
        self._speech: _Growing[SpeechSpan] = _Growing()
        self._responses: _Growing[ResponseSpan] = _Growing()
        self._heard: _Growing[AgentSpan] = _Growing()
        self._turns: _Growing[Turn] = _Growing()
        self._open_speech: str | None = None
        self._open_responses: set[str] = set()
        self._open_items: set[str] = set()
        self._received_samples: dict[str, int] = {}
        self._handed_samples: dict[str, int] = {}
        self._own_requests: list[object] = []  # event_id of each response.create not answered yet
        self._last_stop: Entry | None = None
        self._last_commit: Entry | None = None
        self._commit_of_response: dict[str, Entry] = {}
        self._onset_sample: int | None = None
        self._onset: Entry | None = None
        self._steps: dict[tuple[Direction, str], Callable[[Entry], None]] = {
            (Direction.RECEIVED, "input_audio_buffer.speech_started"): self._speech_started,
            (Direction.RECEIVED, "input_audio_buffer.speech_stopped"): self._speech_stopped,
            (Direction.RECEIVED, "input_audio_buffer.committed"): self._committed,
            (Direction.RECEIVED, "response.created"): self._response_created,
            (Direction.RECEIVED, "response.done"): self._response_done,
            (Direction.RECEIVED, "response.output_audio.delta"): self._audio_delta,
            (Direction.RECEIVED, "response.output_audio_transcript.delta"): self._transcript_delta,
            (Direction.RECEIVED, "response.output_audio_transcript.done"): self._transcript_done,
            (Direction.RECEIVED, "conversation.item.input_audio_transcription.completed"): self._transcribed,
            (Direction.RECEIVED, "error"): self._refused,
            (Direction.SENT, "response.create"): self._reply_requested,
            (Direction.SENT, "input_audio_buffer.append"): self._appended,
            (Direction.NOTED, "listening.off"): self._listening_off_began,
            (Direction.NOTED, "listening.on"): self._listening_off_ended,
            (Direction.NOTED, "recording.started"): self._recording_started,
            (Direction.NOTED, "recognised"): self._recognised,
            (Direction.NOTED, "playback.started"): self._playback_started,
            (Direction.NOTED, "playback.ended"): self._playback_ended,
            (Direction.NOTED, "playback.cut"): self._playback_cut,
            (Direction.NOTED, "barge_in"): self._barged_in,
            (Direction.NOTED, "push"): self._pushed,
            (Direction.NOTED, "chat.sent"): self._agent_typed,
            (Direction.NOTED, "connection.closed"): self._closed,
            (Direction.NOTED, "record.ended"): self._closed,
        }

    @property
    def speech_spans(self) -> list[SpeechSpan]:
        """What the engine heard as speech."""
        return self._speech.items

    @property
    def responses(self) -> list[ResponseSpan]:
        """The engine's responses."""
        return self._responses.items

    @property
    def heard(self) -> list[AgentSpan]:
        """The agent's voice at the output device, and what was never heard of it."""
        return self._heard.items

    @property
    def turns(self) -> list[Turn]:
        """The transcript, in the order in which the turns began."""
        return self._turns.items

    def feed(self, entry: Entry) -> None:
        """Take the next entry. An event without the fields that count here changes nothing."""
        step = self._steps.get((entry.direction, entry.type))
        if step is not None:
            step(entry)

    # Speech.

    def _speech_started(self, entry: Entry) -> None:
        item_id = text(entry, "item_id") or f"speech {entry.seq}"
        self._speech.add(
            item_id, SpeechSpan(item_id, entry.t_ns, None, whole_number(entry, "audio_start_ms"), None, entry.seq)
        )
        self._open_speech = item_id
        self._turns.add(item_id, Turn("participant", item_id, "", entry.t_ns, entry.seq))
        if self._onset is not None:
            self._latency("onset_delay", "onset of speech", "speech_started", self._onset, entry)
            self._onset = None
        self.revision += 1

    def _speech_stopped(self, entry: Entry) -> None:
        self._last_stop = entry
        self._end_speech(text(entry, "item_id") or self._open_speech, entry.t_ns, whole_number(entry, "audio_end_ms"))

    def _committed(self, entry: Entry) -> None:
        self._last_commit = entry
        item_id = text(entry, "item_id")
        # A commit of ours in mid-speech ends the turn without speech_stopped.
        self._end_speech(item_id, entry.t_ns, None)
        if item_id is not None and self._turns.get(item_id) is None:
            self._turns.add(item_id, Turn("participant", item_id, "", entry.t_ns, entry.seq))
            self.revision += 1

    def _end_speech(self, item_id: str | None, t_ns: int, audio_end_ms: int | None) -> None:
        span = self._speech.get(item_id) if item_id is not None else None
        if item_id is None or span is None or span.stopped_ns is not None:
            return
        self._speech.put(item_id, replace(span, stopped_ns=t_ns, audio_end_ms=audio_end_ms))
        if self._open_speech == item_id:
            self._open_speech = None
        self.revision += 1

    def _transcribed(self, entry: Entry) -> None:
        item_id, transcript = text(entry, "item_id"), text(entry, "transcript")
        if item_id is None or transcript is None:
            return
        turn = self._turns.get(item_id)
        if turn is None:
            self._turns.add(item_id, Turn("participant", item_id, transcript, entry.t_ns, entry.seq))
        else:
            self._turns.put(item_id, replace(turn, text=transcript))
        self.revision += 1

    def _recognised(self, entry: Entry) -> None:
        item_id, words = text(entry, "item_id"), text(entry, "text")
        turn = self._turns.get(item_id) if item_id is not None else None
        if item_id is not None and turn is not None and words is not None:
            self._turns.put(item_id, replace(turn, recognised=words, recogniser=text(entry, "model")))
            self.revision += 1

    def _recording_started(self, entry: Entry) -> None:
        first, onset_ms = whole_number(entry, "first_sample"), whole_number(entry, "onset_ms")
        if first is not None and onset_ms is not None:
            self._onset_sample, self._onset = first + ms_to_samples(onset_ms), None

    def _appended(self, entry: Entry) -> None:
        span = entry.audio
        if self._onset_sample is None or span is None or span.track is not Track.PARTICIPANT:
            return
        if span.first_sample + span.samples > self._onset_sample:
            self._onset, self._onset_sample = entry, None

    # Responses.

    def _reply_requested(self, entry: Entry) -> None:
        self._own_requests.append(entry.event.get("event_id"))

    def _refused(self, entry: Entry) -> None:
        error = entry.event.get("error")
        event_id = error.get("event_id") if isinstance(error, dict) else None
        if event_id is not None and event_id in self._own_requests:
            self._own_requests.remove(event_id)

    def _response_created(self, entry: Entry) -> None:
        response_id = text(entry, "response", "id") or f"response {entry.seq}"
        self._responses.add(response_id, ResponseSpan(response_id, entry.t_ns, None, None, None, entry.seq))
        self._open_responses.add(response_id)
        if self._own_requests:
            del self._own_requests[0]  # asked for by us: it says nothing about the engine's end of turn
        else:
            if self._last_stop is not None:
                self._latency("response_start", "speech_stopped", "response.created", self._last_stop, entry)
            if self._last_commit is not None:
                self._commit_of_response[response_id] = self._last_commit
            self._last_stop = self._last_commit = None
        self.revision += 1

    def _response_done(self, entry: Entry) -> None:
        response_id = text(entry, "response", "id")
        span = self._responses.get(response_id) if response_id is not None else None
        if response_id is None or span is None or span.done_ns is not None:
            return
        response: dict[str, Any] = entry.event["response"]
        details = response.get("status_details")
        reason = details.get("reason") if isinstance(details, dict) else None
        status = response.get("status")
        self._responses.put(
            response_id,
            replace(
                span,
                done_ns=entry.t_ns,
                status=status if isinstance(status, str) else None,
                reason=reason if isinstance(reason, str) else None,
            ),
        )
        self._open_responses.discard(response_id)
        self._commit_of_response.pop(response_id, None)
        self.revision += 1

    def _audio_delta(self, entry: Entry) -> None:
        item_id, response_id = text(entry, "item_id"), text(entry, "response_id")
        commit = self._commit_of_response.pop(response_id, None) if response_id is not None else None
        if commit is not None:
            self._latency("first_audio", "committed", "first audio delta", commit, entry)
            self.revision += 1
        if item_id is None or entry.audio is None:
            return
        received = self._received_samples.get(item_id, 0) + entry.audio.samples
        self._received_samples[item_id] = received
        span = self._heard.get(item_id)
        if span is not None and not span.cut:
            self._heard.put(item_id, replace(span, received_samples=received))
        self._update_agent_turn(item_id, entry)

    def _transcript_delta(self, entry: Entry) -> None:
        item_id, delta = text(entry, "item_id"), text(entry, "delta")
        if item_id is not None and delta is not None:
            turn = self._turns.get(item_id)
            self._update_agent_turn(item_id, entry, (turn.text if turn is not None else "") + delta)

    def _transcript_done(self, entry: Entry) -> None:
        item_id, transcript = text(entry, "item_id"), text(entry, "transcript")
        if item_id is not None and transcript is not None:
            self._update_agent_turn(item_id, entry, transcript)

    def _update_agent_turn(self, item_id: str, entry: Entry, text: str | None = None) -> None:
        turn = self._turns.get(item_id)
        if turn is None:
            turn = Turn("agent", item_id, "", entry.t_ns, entry.seq)
            self._turns.add(item_id, turn)
        received = self._received_samples.get(item_id, 0)
        turn = replace(turn, text=turn.text if text is None else text, generated_ms=samples_to_ms(received))
        handed = self._handed_samples.get(item_id)
        if handed is not None:
            turn = replace(turn, heard_ms=samples_to_ms(handed), heard_text=_heard_part(turn.text, handed, received))
        self._turns.put(item_id, turn)
        self.revision += 1

    # Playback.

    def _playback_started(self, entry: Entry) -> None:
        item_id = text(entry, "item_id")
        if item_id is None:
            return
        handed_ns = whole_number(entry, "handed_ns")
        started_ns = entry.t_ns if handed_ns is None else handed_ns
        received = self._received_samples.get(item_id, 0)
        self._heard.add(item_id, AgentSpan(item_id, started_ns, None, 0, received, False, entry.seq))
        self._open_items.add(item_id)
        self.revision += 1

    def _playback_ended(self, entry: Entry) -> None:
        self._end_item(entry, whole_number(entry, "handed_ns"), cut=False)

    def _playback_cut(self, entry: Entry) -> None:
        self._end_item(entry, whole_number(entry, "cut_ns"), cut=True)

    def _end_item(self, entry: Entry, ended_ns: int | None, *, cut: bool) -> None:
        item_id = text(entry, "item_id")
        if item_id is None:
            return
        ended_ns = entry.t_ns if ended_ns is None else ended_ns
        handed = whole_number(entry, "handed_samples") or 0
        received = max(whole_number(entry, "received_samples") or 0, self._received_samples.get(item_id, 0))
        self._received_samples[item_id] = received
        self._handed_samples[item_id] = handed
        span = self._heard.get(item_id)
        if span is None:  # cut before any of it was handed over
            span = AgentSpan(item_id, ended_ns, ended_ns, 0, received, cut, entry.seq)
            self._heard.add(item_id, span)
        self._heard.put(
            item_id, replace(span, ended_ns=ended_ns, handed_samples=handed, received_samples=received, cut=cut)
        )
        self._open_items.discard(item_id)
        self._update_agent_turn(item_id, entry)

    def _barged_in(self, entry: Entry) -> None:
        received_ns, cut_ns = whole_number(entry, "received_ns"), whole_number(entry, "cut_ns")
        if received_ns is None or cut_ns is None:
            return
        last_ns = whole_number(entry, "last_sound_handed_ns")
        source, item_id = text(entry, "dac_source"), text(entry, "item_id")
        inaudible_ns = whole_number(entry, "inaudible_ns")
        self.barge_ins.append(BargeIn(received_ns, cut_ns, last_ns, inaudible_ns, source, item_id, entry.seq))
        self.revision += 1
        if source == SIMULATED:
            return
        started_seq = whole_number(entry, "speech_started_seq")
        # Sound that ended before speech_started came took no time to stop.
        silent_ns = max(received_ns, cut_ns if last_ns is None else last_ns)
        value_ms = (silent_ns - received_ns) / NS_PER_MS
        from_seq = entry.seq if started_seq is None else started_seq
        self.latencies.append(
            Latency("barge_in_stop", "speech_started", "last sound handed over", value_ms, from_seq, entry.seq)
        )

    # The study, listening, the end.

    def _pushed(self, entry: Entry) -> None:
        context = entry.event.get("context")
        if not isinstance(context, dict):
            return
        seq = whole_number(entry, "seq_sent")
        name = context.get("event")
        push = Push(entry.t_ns, entry.seq if seq is None else seq, name if isinstance(name, str) else "", context)
        self.pushes.append(push)
        said = context.get("said")
        who: Literal["typed", "study"] = "typed" if push.event == "typed" else "study"
        words = said if who == "typed" and isinstance(said, str) else _summary(context)
        self._turns.add(f"push {entry.seq}", Turn(who, f"push {entry.seq}", words, entry.t_ns, entry.seq))
        self.revision += 1

    def _agent_typed(self, entry: Entry) -> None:
        message = text(entry, "message")
        if message is not None:
            key = f"chat {entry.seq}"
            self._turns.add(key, Turn("agent typed", key, message, entry.t_ns, entry.seq))
            self.revision += 1

    def _listening_off_began(self, entry: Entry) -> None:
        if not self.listening_off or self.listening_off[-1][1] is not None:
            self.listening_off.append((entry.t_ns, None))
            self.revision += 1

    def _listening_off_ended(self, entry: Entry) -> None:
        if self.listening_off and self.listening_off[-1][1] is None:
            self.listening_off[-1] = (self.listening_off[-1][0], entry.t_ns)
            self.revision += 1

    def _closed(self, entry: Entry) -> None:
        self._end_speech(self._open_speech, entry.t_ns, None)
        for response_id in self._open_responses:
            response = self._responses.get(response_id)
            if response is not None:
                self._responses.put(response_id, replace(response, done_ns=entry.t_ns))
        for item_id in self._open_items:
            item = self._heard.get(item_id)
            if item is not None:
                self._heard.put(item_id, replace(item, ended_ns=entry.t_ns))
        self._open_responses.clear()
        self._open_items.clear()
        self._listening_off_ended(entry)
        self.revision += 1

    def _latency(self, name: str, from_label: str, to_label: str, start: Entry, end: Entry) -> None:
        value_ms = (end.t_ns - start.t_ns) / NS_PER_MS
        self.latencies.append(Latency(name, from_label, to_label, value_ms, start.seq, end.seq))


def _heard_part(text: str, handed_samples: int, received_samples: int) -> str:
    """Return the start of `text` that goes with the samples handed over, cut at the end of a word."""
    if handed_samples >= received_samples:
        return text if handed_samples else ""
    characters = len(text) * handed_samples // received_samples
    if characters < len(text) and not text[characters].isspace():
        characters = max(text.rfind(" ", 0, characters), 0)
    return text[:characters].rstrip()


def _summary(context: dict[str, Any]) -> str:
    """Return a context item in a few words: its name, and the first text that a person would recognise it by."""
    name = str(context.get("event", ""))
    for field in ("text", "question", "secondsLeft", "said", "name"):
        if (value := context.get(field)) is not None:
            unit = " s left" if field == "secondsLeft" else ""
            return f"{name}: {value}{unit}"
    return name

"""A session written by hand, entry by entry, for the rules to read."""

from typing import TYPE_CHECKING, Any

from simulator.record.entries import AudioSpan, Direction, Entry, Track
from simulator.record.rules.live import LiveRules
from simulator.units import BYTES_PER_SAMPLE, NS_PER_MS, ms_to_samples

if TYPE_CHECKING:
    from simulator.record.rules.event import Broken

SERVER_VAD = {"type": "server_vad", "create_response": True, "interrupt_response": True}


class SessionSheet:
    """Times are milliseconds since the record began; what the rules find is kept in `found`."""

    def __init__(self) -> None:
        self.rules = LiveRules()
        self.found: list[Broken] = []
        self._at_ms = 0.0
        self._seq = 0
        self._appended = 0

    @property
    def clauses(self) -> list[str]:
        """The rules found broken, in order."""
        return [broken.clause for broken in self.found]

    def wait(self, milliseconds: float) -> "SessionSheet":
        """Let time pass in steps of 100 ms, as the participant process does."""
        until_ms = self._at_ms + milliseconds
        while self._at_ms < until_ms:
            self._at_ms = min(until_ms, self._at_ms + 100)
            self.found += self.rules.tick(round(self._at_ms * NS_PER_MS))
        return self

    def sent(self, kind: str, event_id: str = "", /, **fields: Any) -> "SessionSheet":
        """We send an event."""
        return self._add(Direction.SENT, kind, {"event_id": event_id or f"ours_{self._seq}", **fields})

    def received(self, kind: str, /, **fields: Any) -> "SessionSheet":
        """The engine sends an event."""
        return self._add(Direction.RECEIVED, kind, fields)

    def noted(self, kind: str, /, **fields: Any) -> "SessionSheet":
        """The program notes something."""
        return self._add(Direction.NOTED, kind, fields)

    def append(self, milliseconds: int, *, chunk_ms: int = 20) -> "SessionSheet":
        """We append audio, in real time."""
        for _ in range(milliseconds // chunk_ms):
            self.wait(chunk_ms)
            samples = ms_to_samples(chunk_ms)
            span = AudioSpan(Track.PARTICIPANT, self._appended, samples, samples * BYTES_PER_SAMPLE)
            self._appended += samples
            self._add(Direction.SENT, "input_audio_buffer.append", {"audio": ""}, span)
        return self

    def detection(self, setting: dict[str, Any] | None = None, shown: Any = ...) -> "SessionSheet":
        """We set turn detection (None: off), and the engine answers that it is so, or what is `shown`."""
        self.sent("session.update", session={"audio": {"input": {"turn_detection": setting}}})
        echoed = setting if shown is ... else shown
        return self.received("session.updated", session={"audio": {"input": {"turn_detection": echoed}}})

    def delta(
        self, response_id: str = "resp_1", item_id: str = "item_r", *, payload_bytes: int = 4_800
    ) -> "SessionSheet":
        """The engine sends audio."""
        event = {"response_id": response_id, "item_id": item_id, "delta": ""}
        span = AudioSpan(Track.AGENT, 0, payload_bytes // BYTES_PER_SAMPLE, payload_bytes)
        return self._add(Direction.RECEIVED, "response.output_audio.delta", event, span)

    def created(self, response_id: str = "resp_1", modalities: list[str] | None = None) -> "SessionSheet":
        """The engine begins a response."""
        return self.received("response.created", response={"id": response_id, "output_modalities": modalities})

    def spoken_end(self, response_id: str = "resp_1", item_id: str = "item_r") -> "SessionSheet":
        """The engine ends a spoken response as it should: audio, transcript, usage."""
        self.received("response.output_audio.done", response_id=response_id, item_id=item_id)
        said = {"response_id": response_id, "item_id": item_id, "transcript": "Tea."}
        self.received("response.output_audio_transcript.done", **said)
        return self.done(response_id)

    def done(self, response_id: str = "resp_1", status: str = "completed", **fields: Any) -> "SessionSheet":
        """The engine ends a response."""
        usage = {"total_tokens": 3, "input_tokens": 2, "output_tokens": 1}
        return self.received("response.done", response={"id": response_id, "status": status, "usage": usage} | fields)

    def speech(self, item_id: str = "item_1", audio_start_ms: float = 0) -> "SessionSheet":
        """The engine hears speech."""
        return self.received("input_audio_buffer.speech_started", item_id=item_id, audio_start_ms=audio_start_ms)

    def turn(self, item_id: str = "item_1") -> "SessionSheet":
        """The engine ends and commits a turn, and adds its item."""
        self.received("input_audio_buffer.speech_stopped", item_id=item_id, audio_end_ms=0)
        return self.committed(item_id)

    def committed(self, item_id: str = "item_1") -> "SessionSheet":
        """A turn is committed, and its item added."""
        self.received("input_audio_buffer.committed", item_id=item_id)
        self.received("conversation.item.added", item={"id": item_id, "type": "message"})
        return self.received("conversation.item.done", item={"id": item_id, "type": "message"})

    def _add(
        self, direction: Direction, kind: str, event: dict[str, Any], audio: AudioSpan | None = None
    ) -> "SessionSheet":
        entry = Entry(self._seq, round(self._at_ms * NS_PER_MS), direction, kind, event, audio=audio)
        self._seq += 1
        self.found += self.rules.feed(entry)
        return self

"""Records written by hand: events at times in ms, numbered and placed on the audio clock when they are read."""

from dataclasses import dataclass, replace
from typing import Any

from simulator.conformance.evidence import CHECK_STARTED, DRIVE_ENDED, STREAM_STARTED, STREAM_STOPPED, UTTERANCE
from simulator.record.entries import AudioSpan, Direction, Entry, Track

MS = 1_000_000
SAMPLES_PER_MS = 24


@dataclass(frozen=True)
class Line:
    """An entry to be: `audio_bytes` is the audio it carries, in bytes."""

    at_ms: float
    direction: Direction
    type: str
    event: dict[str, Any]
    audio_bytes: int | None = None
    name: str = ""


class Sheet:
    """A record in the making. Lines have names, by which a test changes, moves or drops them."""

    def __init__(self, check: str, mode: str | None) -> None:
        self.check, self.mode = check, mode
        self.lines: list[Line] = []
        self.noted(-1_000, CHECK_STARTED, check=check, turn_detection=mode, attempt=1)

    def received(self, at_ms: float, kind: str, /, label: str = "", **event: Any) -> None:
        self.lines.append(Line(at_ms, Direction.RECEIVED, kind, {"type": kind, **event}, None, label or kind))

    def sent(self, at_ms: float, kind: str, /, label: str = "", **event: Any) -> None:
        self.lines.append(Line(at_ms, Direction.SENT, kind, {"type": kind, **event}, None, label or kind))

    def noted(self, at_ms: float, kind: str, /, **event: Any) -> None:
        self.lines.append(Line(at_ms, Direction.NOTED, kind, event, None, kind))

    def delta(self, at_ms: float, response: str, item: str, length_ms: float, label: str = "delta") -> None:
        event = {"type": "response.output_audio.delta", "response_id": response, "item_id": item, "delta": ""}
        audio_bytes = round(length_ms * SAMPLES_PER_MS * 2)
        self.lines.append(Line(at_ms, Direction.RECEIVED, event["type"], event, audio_bytes, label))

    def stream(self, from_ms: int, to_ms: int) -> None:
        """Append 20 ms every 20 ms, beginning where the audio clock stands."""
        first = sum((line.audio_bytes or 0) // 2 for line in self.lines if line.direction is Direction.SENT)
        self.noted(from_ms, STREAM_STARTED, first_sample=first)
        for at_ms in range(from_ms, to_ms, 20):
            event = {"type": "input_audio_buffer.append", "audio": ""}
            self.lines.append(Line(at_ms, Direction.SENT, event["type"], event, 960, "append"))

    def utterance(
        self, at_ms: float, role: str, *, onset_ms: int, offset_ms: int, resumed_ms: tuple[int, ...] = ()
    ) -> None:
        """Speech whose onset and end lie at these ms of the audio clock."""
        resumed = [each * SAMPLES_PER_MS for each in resumed_ms]
        samples = {"onset_sample": onset_ms * SAMPLES_PER_MS, "offset_sample": offset_ms * SAMPLES_PER_MS}
        self.noted(at_ms, UTTERANCE, name=f"a_{role}", role=role, sha256="0" * 64, resumed_samples=resumed, **samples)

    def end(self, at_ms: float) -> None:
        self.noted(at_ms, DRIVE_ENDED, finished=True)

    def names(self) -> list[str]:
        """Return the names of the lines, each once."""
        return list(dict.fromkeys(line.name for line in self.lines))

    def drop(self, name: str) -> None:
        before = len(self.lines)
        self.lines = [line for line in self.lines if line.name != name]
        assert len(self.lines) < before, name

    def move(self, name: str, at_ms: float) -> None:
        self._change(name, lambda line: replace(line, at_ms=at_ms))

    def edit(self, name: str, /, **event: Any) -> None:
        """Replace fields of the lines of that name."""
        self._change(name, lambda line: replace(line, event={**line.event, **event}))

    def without(self, name: str, field: str) -> None:
        self._change(
            name, lambda line: replace(line, event={key: value for key, value in line.event.items() if key != field})
        )

    def payload(self, name: str, audio_bytes: int) -> None:
        self._change(name, lambda line: replace(line, audio_bytes=audio_bytes))

    def _change(self, name: str, change: Any) -> None:
        assert any(line.name == name for line in self.lines), name
        self.lines = [change(line) if line.name == name else line for line in self.lines]

    def entries(self) -> list[Entry]:
        positions = {Track.PARTICIPANT: 0, Track.AGENT: 0}
        entries = []
        for seq, line in enumerate(sorted(self.lines, key=lambda line: line.at_ms)):
            audio = None
            if line.audio_bytes is not None:
                track = Track.PARTICIPANT if line.direction is Direction.SENT else Track.AGENT
                audio = AudioSpan(track, positions[track], line.audio_bytes // 2, line.audio_bytes)
                positions[track] += audio.samples
            entries.append(Entry(seq, round(line.at_ms * MS), line.direction, line.type, dict(line.event), 0, audio))
        return entries


FORMAT = {"type": "audio/pcm", "rate": 24000}
SESSION = {
    "type": "realtime",
    "audio": {
        "input": {"format": FORMAT, "turn_detection": {"type": "server_vad", "prefix_padding_ms": 300}},
        "output": {"format": FORMAT},
    },
}


def opened(check: str, mode: str | None) -> Sheet:
    """A session whose update was acknowledged."""
    sheet = Sheet(check, mode)
    sheet.received(1, "session.created", session={})
    sheet.sent(2, "session.update", session={}, event_id="update")
    sheet.received(5, "session.updated", session=SESSION)
    return sheet


def good_handshake() -> Sheet:
    sheet = opened("handshake", None)
    sheet.end(10)
    return sheet


def good_engine_turn(mode: str = "server_vad") -> Sheet:
    """Audio clock 0 at 10 ms. Speech from 2,000 to 4,000 ms of it, so that its onset leaves at 2,010 ms."""
    sheet = opened("engine_turn", mode)
    sheet.stream(10, 8_000)
    sheet.utterance(1_990, "question", onset_ms=2_000, offset_ms=4_000)
    sheet.received(2_110, "input_audio_buffer.speech_started", audio_start_ms=1_700, item_id="u1")
    sheet.received(4_600, "input_audio_buffer.speech_stopped", audio_end_ms=4_500, item_id="u1")
    sheet.received(4_610, "input_audio_buffer.committed", item_id="u1")
    sheet.received(4_611, "conversation.item.added", item={"id": "u1"})
    sheet.received(4_612, "conversation.item.done", item={"id": "u1"})
    sheet.received(4_620, "response.created", response={"id": "r1"})
    sheet.received(4_621, "conversation.item.added", label="answer.added", item={"id": "a1"})
    sheet.delta(5_110, "r1", "a1", 300, label="first")
    sheet.delta(5_120, "r1", "a1", 200, label="second")
    sheet.received(5_200, "response.output_audio.done", response_id="r1", item_id="a1")
    sheet.received(
        5_201, "response.output_audio_transcript.done", response_id="r1", item_id="a1", transcript="Tea, please."
    )
    usage = {"total_tokens": 30, "input_tokens": 20, "output_tokens": 10}
    sheet.received(5_300, "response.done", response={"id": "r1", "status": "completed", "usage": usage})
    sheet.end(5_400)
    return sheet


def good_barge_in(mode: str = "server_vad") -> Sheet:
    """A reply plays from 1,000 ms; the interruption's onset leaves at 3,010 ms, after 2,010 ms of it."""
    sheet = opened("barge_in", mode)
    sheet.stream(10, 9_000)
    sheet.sent(20, "conversation.item.create", item={"type": "message"})
    sheet.sent(30, "response.create", response={"output_modalities": ["audio"]}, event_id="create")
    sheet.received(60, "response.created", response={"id": "r1"})
    for number in range(20):
        sheet.delta(1_000 + 100 * number, "r1", "a1", 200)
    sheet.utterance(2_800, "interruption", onset_ms=3_000, offset_ms=6_000)
    sheet.received(3_110, "input_audio_buffer.speech_started", audio_start_ms=2_800, item_id="u1")
    sheet.delta(3_120, "r1", "a1", 100, label="crossing")
    details = {"type": "cancelled", "reason": "turn_detected"}
    sheet.received(3_200, "response.done", response={"id": "r1", "status": "cancelled", "status_details": details})
    truncation: dict[str, Any] = {"item_id": "a1", "audio_end_ms": 2_110}
    sheet.sent(3_210, "conversation.item.truncate", content_index=0, event_id="truncate", **truncation)
    sheet.received(3_250, "conversation.item.truncated", content_index=0, **truncation)
    sheet.received(6_600, "input_audio_buffer.committed", item_id="u1")
    sheet.received(6_620, "response.created", label="own reply", response={"id": "r2"})
    sheet.delta(6_700, "r2", "a2", 200, label="own audio")
    sheet.end(9_000)
    return sheet


def _off_and_on(sheet: Sheet, off_ms: int, on_ms: int) -> None:
    """Turn detection off and on again; the stream stops at the one and goes on after the other."""
    off = {"audio": {"input": {"turn_detection": None}}}
    sheet.noted(off_ms - 1, STREAM_STOPPED)
    sheet.sent(off_ms, "session.update", label="off", session=off, event_id="off")
    sheet.received(off_ms + 10, "session.updated", label="off answer", session=off)
    sheet.sent(on_ms, "session.update", label="on", session=SESSION, event_id="on")
    sheet.received(on_ms + 10, "session.updated", label="on answer", session=SESSION)


def good_listening_pause(mode: str = "server_vad") -> Sheet:
    """Audio clock 0 at 10 ms. Speech from 6,000 ms of it; off at 7,200 ms; on at 10,000 ms.

    The stream goes on at 10,020 ms. Speech from 9,200 ms of the audio clock: its onset leaves at 12,020 ms, and lies at
    2,000 ms of the clock that began with switching on.
    """
    sheet = opened("listening_pause", mode)
    sheet.stream(10, 7_200)
    sheet.utterance(5_990, "monologue", onset_ms=6_000, offset_ms=16_000)
    sheet.received(6_110, "input_audio_buffer.speech_started", audio_start_ms=5_700, item_id="u1")
    _off_and_on(sheet, 7_200, 10_000)
    sheet.sent(7_220, "input_audio_buffer.commit", event_id="commit")
    sheet.received(7_230, "input_audio_buffer.committed", item_id="u1")
    sheet.received(7_231, "conversation.item.added", item={"id": "u1"})
    sheet.stream(10_020, 16_000)
    sheet.utterance(12_000, "question", onset_ms=9_200, offset_ms=11_000)
    sheet.received(12_120, "input_audio_buffer.speech_started", label="again", audio_start_ms=1_700, item_id="u2")
    sheet.end(14_200)
    return sheet


def good_listening_pause_silent(mode: str = "server_vad") -> Sheet:
    """Off at 7,200 ms after so much silence, on at 10,300 ms; speech as in `good_listening_pause`, 300 ms later."""
    sheet = opened("listening_pause_silent", mode)
    sheet.stream(10, 7_200)
    _off_and_on(sheet, 7_200, 10_300)
    sheet.stream(10_320, 16_000)
    sheet.utterance(12_300, "question", onset_ms=9_200, offset_ms=11_000)
    sheet.received(12_420, "input_audio_buffer.speech_started", label="again", audio_start_ms=1_700, item_id="u2")
    sheet.end(14_500)
    return sheet


def good_cancel() -> Sheet:
    sheet = opened("cancel", None)
    sheet.sent(30, "response.create", response={"output_modalities": ["audio"]}, event_id="create")
    sheet.received(60, "response.created", response={"id": "r1"})
    sheet.delta(100, "r1", "a1", 100, label="first")
    sheet.delta(200, "r1", "a1", 100, label="second")
    sheet.sent(1_000, "response.cancel", response_id="r1", event_id="cancel")
    sheet.delta(1_010, "r1", "a1", 100, label="crossing")
    sheet.received(1_100, "response.done", response={"id": "r1", "status": "cancelled"})
    sheet.end(2_700)
    return sheet


def good_function_call() -> Sheet:
    sheet = opened("function_call", None)
    sheet.sent(20, "conversation.item.create", label="request", item={"type": "message"}, event_id="request")
    sheet.sent(30, "response.create", response={"output_modalities": ["audio"]}, event_id="create")
    sheet.received(60, "response.created", response={"id": "r1"})
    call = {"call_id": "c1", "name": "send_chat", "arguments": '{"message": "hello"}'}
    sheet.received(100, "response.function_call_arguments.done", response_id="r1", item_id="f1", **call)
    output = [{"type": "function_call", **call}]
    sheet.received(110, "response.done", response={"id": "r1", "status": "completed", "output": output})
    item = {"type": "function_call_output", "call_id": "c1", "output": "{}"}
    sheet.sent(120, "conversation.item.create", label="output", item=item, event_id="output")
    sheet.received(130, "conversation.item.added", item=item)
    sheet.sent(140, "response.create", label="ask again", response={}, event_id="again")
    sheet.received(150, "response.created", label="created again", response={"id": "r2"})
    sheet.delta(160, "r2", "a2", 100, label="spoken")
    sheet.received(170, "response.done", label="done again", response={"id": "r2", "status": "completed"})
    sheet.end(200)
    return sheet


def _silent_answer(sheet: Sheet, tool: str, arguments: str) -> Sheet:
    choice = {"type": "function", "name": tool}
    sheet.sent(
        30, "response.create", response={"output_modalities": ["text"], "tool_choice": choice}, event_id="create"
    )
    sheet.received(60, "response.created", response={"id": "r1"})
    call = {"call_id": "c1", "name": tool, "arguments": arguments}
    sheet.received(100, "response.function_call_arguments.done", response_id="r1", item_id="f1", **call)
    output = [{"type": "function_call", **call}]
    sheet.received(110, "response.done", response={"id": "r1", "status": "completed", "output": output})
    sheet.end(1_610)
    return sheet


def good_silent_tool() -> Sheet:
    return _silent_answer(opened("silent_tool", None), "answer_scale", '{"value": 40}')


def good_image_context() -> Sheet:
    sheet = opened("image_context", None)
    sheet.sent(20, "conversation.item.create", item={"type": "message"}, event_id="image")
    return _silent_answer(sheet, "answer_text", '{"text": "Red."}')


def good_turn_detection_fields(mode: str = "server_vad") -> Sheet:
    sheet = Sheet("turn_detection_fields", mode)
    sheet.received(1, "session.created", session={})
    server = {"type": "server_vad", "silence_duration_ms": 500, "create_response": True}
    semantic = {"type": "semantic_vad", "eagerness": "auto", "create_response": True}
    for number, requested in enumerate((server, semantic, server)):
        session = {"audio": {"input": {"turn_detection": requested}}}
        echoed = {"audio": {"input": {"turn_detection": {"threshold": 0.5, **requested}}}}
        sheet.sent(10 + 10 * number, "session.update", label=f"update {number}", session=session, event_id=f"u{number}")
        sheet.received(15 + 10 * number, "session.updated", label=f"answer {number}", session=echoed)
    sheet.end(100)
    return sheet


GOOD = {
    "handshake": good_handshake,
    "engine_turn": good_engine_turn,
    "barge_in": good_barge_in,
    "listening_pause": good_listening_pause,
    "listening_pause_silent": good_listening_pause_silent,
    "cancel": good_cancel,
    "function_call": good_function_call,
    "silent_tool": good_silent_tool,
    "image_context": good_image_context,
    "turn_detection_fields": good_turn_detection_fields,
}

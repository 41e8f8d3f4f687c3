"""A small session written by hand, with every kind of thing that an export shows. Times are milliseconds."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import soundfile

from simulator.record.entries import FORMAT, AudioSpan, Direction, Entry, Track

MS = 1_000_000
SAID = 'Say "hi"\tto <script>alert(1)</script> & you'
QUESTION = "=How much?"


class Sheet:
    """Entries in order; `write` puts them and the audio into a session's folder."""

    def __init__(self, **started: Any) -> None:
        self.entries: list[Entry] = []
        fields = {"format": FORMAT, "format_version": 1, "started_at": "2026-12-01T10:00:00.000+00:00"}
        self.noted(0, "record.started", **(fields | started))

    def received(self, at_ms: float, kind: str, /, audio: AudioSpan | None = None, **event: Any) -> None:
        self._add(at_ms, Direction.RECEIVED, kind, event, audio)

    def sent(self, at_ms: float, kind: str, /, audio: AudioSpan | None = None, **event: Any) -> None:
        self._add(at_ms, Direction.SENT, kind, event, audio)

    def noted(self, at_ms: float, kind: str, /, **event: Any) -> None:
        self._add(at_ms, Direction.NOTED, kind, event, None)

    def appended(self, at_ms: float, first: int, samples: int) -> None:
        span = AudioSpan(Track.PARTICIPANT, first, samples, 2 * samples)
        self.sent(at_ms, "input_audio_buffer.append", span)

    def delta(self, at_ms: float, item_id: str, first: int, samples: int) -> None:
        span = AudioSpan(Track.AGENT, first, samples, 2 * samples)
        self.received(at_ms, "response.output_audio.delta", span, item_id=item_id, response_id="r1", delta="")

    def write(self, folder: Path, *, audio: bool = True) -> Path:
        folder.mkdir(parents=True)
        lines = b"".join(msgspec.json.encode(entry) + b"\n" for entry in self.entries)
        (folder / "session.jsonl").write_bytes(lines)
        if audio:
            heard = np.tile(np.array([[100, -200]], dtype=np.int16), (144_000, 1))
            for name, samples in {
                "heard": heard,
                "participant": np.arange(96_000, dtype=np.int16),
                "agent": np.full(48_000, 7, dtype=np.int16),
            }.items():
                soundfile.write(folder / f"session.{name}.wav", samples, 24_000, subtype="PCM_16")
        return folder

    def _add(self, at_ms: float, direction: Direction, kind: str, event: Any, audio: AudioSpan | None) -> None:
        event = event if direction is Direction.NOTED else {"type": kind, **event}
        self.entries.append(Entry(len(self.entries), round(at_ms * MS), direction, kind, event, audio=audio))


def conversation() -> Sheet:
    """Return six seconds: a turn, a reply that is interrupted after 0.75 of its 2 seconds, and a question."""
    sheet = Sheet(engine="embedded", model="m")
    sheet.appended(1_000, 0, 24_000)
    sheet.received(1_300, "input_audio_buffer.speech_started", audio_start_ms=1_000, item_id="u1")
    sheet.appended(2_000, 24_000, 24_000)
    sheet.received(2_600, "input_audio_buffer.speech_stopped", audio_end_ms=2_100, item_id="u1")
    sheet.received(2_610, "input_audio_buffer.committed", item_id="u1")
    sheet.received(2_700, "response.created", response={"id": "r1"})
    sheet.delta(2_750, "a1", 0, 48_000)
    sheet.received(2_760, "response.output_audio_transcript.done", item_id="a1", transcript="One two three four.")
    sheet.noted(2_800, "playback.started", item_id="a1", handed_ns=2_800 * MS)
    sheet.received(2_900, "conversation.item.input_audio_transcription.completed", item_id="u1", transcript=SAID)
    sheet.noted(2_950, "recognised", item_id="u1", text="say hi", model="tiny")
    sheet.appended(3_000, 48_000, 24_000)
    sheet.received(3_500, "input_audio_buffer.speech_started", audio_start_ms=3_200, item_id="u2")
    cut = {"item_id": "a1", "cut_ns": 3_550 * MS}
    sheet.noted(3_551, "playback.cut", **cut, handed_samples=18_000, received_samples=48_000)
    sheet.noted(3_552, "barge_in", **cut, received_ns=3_500 * MS, last_sound_handed_ns=3_550 * MS, dac_source="device")
    sheet.received(
        3_560,
        "response.done",
        response={"id": "r1", "status": "cancelled", "status_details": {"reason": "turn_detected"}},
    )
    sheet.noted(3_600, "push", context={"event": "timer", "secondsLeft": 30})
    sheet.appended(4_000, 72_000, 24_000)
    sheet.received(4_100, "input_audio_buffer.speech_stopped", audio_end_ms=3_800, item_id="u2")
    sheet.noted(4_200, "part", name="Second")
    sheet.noted(
        4_500,
        "answer",
        component="vasrating",
        question=QUESTION,
        value=70,
        accepted=True,
        attempts=1,
        asked_ns=3_600 * MS,
        answered_ns=4_500 * MS,
    )
    sheet.noted(4_600, "own_answer", component="multiplechoice", config={}, value=["a", "b"])
    sheet.noted(4_700, "listening.off")
    sheet.noted(4_900, "listening.on")
    sheet.noted(4_950, "chat.sent", message="Hello, you", call_id="c1")
    sheet.noted(5_000, "mark", note="odd")
    sheet.noted(5_000, "mark", note="again")
    sheet.noted(5_500, "mark.note", mark=len(sheet.entries) - 1, note="again, and why")
    sheet.noted(6_000, "record.ended", reason="disconnected")
    return sheet

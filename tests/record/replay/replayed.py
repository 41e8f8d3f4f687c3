"""Sessions written by hand to be planned: what was said is a tone in the heard track. Times are milliseconds.

The engine takes the settings at 100 ms, so a deed at 1,100 ms was done a second after the beginning.
"""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import soundfile

from simulator.record.entries import AudioSpan, Track
from simulator.record.replay.deeds import Act, Plan, Say
from simulator.record.replay.plan import plan
from tests.record.export_record import MS, Sheet

BEGAN_MS = 100
SAMPLES_PER_MS = 24
DETECTION = {"type": "server_vad", "silence_duration_ms": 500}


class Session(Sheet):
    """Entries in the order of the calls, and a voice."""

    def __init__(self, detection: dict[str, Any] | None = DETECTION, **started: Any) -> None:
        super().__init__(**started)
        self.voice = np.zeros(0, dtype=np.int16)
        self._ended_ms = 0.0
        session = {
            "type": "realtime",
            "instructions": "Be kind.",
            "tools": [{"type": "function", "name": "answer_scale"}, {"type": "function", "name": "send_chat"}],
            "audio": {"input": {"turn_detection": detection}, "output": {"voice": "cedar", "speed": 1}},
        }
        self.sent(50, "session.update", session=session)
        self.received(BEGAN_MS, "session.updated", session=session)

    def says(self, from_ms: float, until_ms: float) -> "Session":
        """The participant talks."""
        end = round(until_ms * SAMPLES_PER_MS)
        if end > len(self.voice):
            self.voice = np.concatenate([self.voice, np.zeros(end - len(self.voice), dtype=np.int16)])
        start = round(from_ms * SAMPLES_PER_MS)
        self.voice[start:end] = (8_000 * np.sin(np.arange(end - start) * 0.13)).astype(np.int16) | 4_000
        return self

    def reply(self, name: str, begun_ms: float, ended_ms: float | None, cut: str = "", latency_ms: float = 0) -> None:
        """A reply is heard, to its end or until it is cut; None: it still sounds when the record ends."""
        heard = {"item_id": f"item {name}", "response_id": f"response {name}"}
        handed_ns = round(begun_ms * MS)
        sound_ns = round((begun_ms + latency_ms) * MS)
        self.noted(begun_ms, "playback.started", handed_ns=handed_ns, dac_ns=sound_ns, **heard)
        if ended_ms is None:
            return
        ended_ns = round(ended_ms * MS)
        counts = {"handed_samples": round((ended_ms - begun_ms) * SAMPLES_PER_MS), "received_samples": 480_000}
        if cut:
            self.noted(ended_ms, "playback.cut", cause=cut, cut_ns=ended_ns, begun=True, **counts, **heard)
        else:
            self.noted(ended_ms, "playback.ended", handed_ns=ended_ns, **counts, item_id=heard["item_id"])

    def push(self, at_ms: float, context: dict[str, Any], images: tuple[str, ...] = (), **noted: Any) -> None:
        """A context item is sent, and noted."""
        text = "[context] " + msgspec.json.encode(context).decode()
        content: list[dict[str, Any]] = [{"type": "input_text", "text": text}]
        content += [{"type": "input_image", "image_url": each} for each in images]
        seq = len(self.entries)
        item = {"type": "message", "role": "user", "content": content}
        self.sent(at_ms, "conversation.item.create", item=item)
        self.noted(at_ms, "push", context=context, images=len(images), seq_sent=seq, **noted)

    def listening(self, at_ms: float, on: bool) -> None:
        """Listening is switched; on takes effect 50 ms later, with the engine's answer."""
        update = {"audio": {"input": {"turn_detection": DETECTION if on else None}}}
        if not on:
            self.noted(at_ms, "listening.off", in_speech=False)
        self.sent(at_ms, "session.update", session=update)
        self.received(at_ms + 50, "session.updated", session=update)
        if on:
            self.noted(at_ms + 50, "listening.on")

    def request(self, at_ms: float, event_id: str = "e", **response: Any) -> None:
        """A response is asked for."""
        self.sent(at_ms, "response.create", event_id=event_id, response=response)

    def end(self, at_ms: float) -> "Session":
        """The connection is closed."""
        self._ended_ms = at_ms
        self.noted(at_ms, "connection.closed", code=1000, reason="", by="us")
        self.noted(at_ms, "record.ended", reason="by hand")
        return self

    def write(self, folder: Path, *, audio: bool = True) -> Path:
        """Write the entries, and the heard track as long as the session."""
        super().write(folder, audio=False)
        if audio:
            heard = np.zeros((max(len(self.voice), round(self._ended_ms * SAMPLES_PER_MS)), 2), dtype=np.int16)
            heard[: len(self.voice), 0] = self.voice
            soundfile.write(folder / "session.heard.wav", heard, 24_000, subtype="PCM_16")
        return folder

    def planned(self, folder: Path, *, audio: bool = True) -> Plan:
        """Return its plan."""
        return plan(self.write(folder / "session", audio=audio))


def timed(act: Act) -> tuple[str, int, float]:
    """Return from when an act is timed, and how many ms after that it was done."""
    return act.after.moment, act.after.exchange, act.after_ns / MS


def said(planned: Plan) -> list[tuple[float, float]]:
    """Return from when to when each speech is, in ms of the record's clock."""
    says = [act.deed for act in planned.acts if isinstance(act.deed, Say)]
    return [(each.first_sample / SAMPLES_PER_MS, (each.first_sample + each.samples) / SAMPLES_PER_MS) for each in says]


def kinds(planned: Plan) -> list[str]:
    """Return the kinds of the acts in order."""
    return [type(act.deed).__name__ for act in planned.acts]


def append(first: int, samples: int) -> AudioSpan:
    """Return where appended audio lies."""
    return AudioSpan(Track.PARTICIPANT, first, samples, 2 * samples)

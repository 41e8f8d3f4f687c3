"""A made-up session: what a participant process would send for minutes of conversation, the same each time.

A cycle lasts 12 s: the participant asks for 2.4 s, the engine hears it, replies for up to 7 s; in every second cycle
the participant interrupts the reply; in every fourth listening is off for a while; pushes are strewn in.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from simulator.participant.messages import AnyFeed, Entries, Lane, Level, Peaks
from simulator.record.entries import AudioSpan, Direction, Entry, Track
from simulator.units import NS_PER_MS, NS_PER_S, SAMPLE_RATE_HZ, ms_to_samples

CYCLE_MS: Final = 12_000
_BLOCK: Final = 64
_REPLY_MS: Final = 7_000


class SyntheticSession:
    """All of a session of `cycles` cycles: entries in order, and the peaks of both lanes."""

    def __init__(self, cycles: int, append_every_ms: int = 20) -> None:
        self.duration_ns = cycles * CYCLE_MS * NS_PER_MS
        self._events: list[tuple[float, Direction, str, dict[str, Any], AudioSpan | None]] = []
        blocks = cycles * CYCLE_MS * SAMPLE_RATE_HZ // 1000 // _BLOCK
        self._random = np.random.default_rng(7)
        self.peaks = {lane: np.zeros(blocks, dtype=np.int8) for lane in Lane}
        self._agent_samples = 0
        self._note(0, "record.started", format="participant-simulator/record", format_version=1)
        self._received(5, "session.created", session={"id": "sess_1", "model": "embedded"})
        for number in range(cycles):
            self._cycle(number, number * CYCLE_MS)
        for at_ms in range(0, cycles * CYCLE_MS, append_every_ms):
            if not self._is_off(at_ms):
                first = ms_to_samples(at_ms)
                span = AudioSpan(Track.PARTICIPANT, first, 480, 960)
                self._events.append((at_ms, Direction.SENT, "input_audio_buffer.append", {"audio": ""}, span))
        self._events.sort(key=lambda event: event[0])
        self.entries = [
            Entry(seq, round(at_ms * NS_PER_MS), direction, kind, {"type": kind, **event}, 120, audio)
            for seq, (at_ms, direction, kind, event, audio) in enumerate(self._events)
        ]

    def messages(self, from_ns: int, until_ns: int) -> list[AnyFeed]:
        """Return what the participant process would send for [from_ns, until_ns), in one batch."""
        batch = self._between(from_ns, until_ns)
        found: list[AnyFeed] = [Entries(entries=batch)] if batch else []
        first, last = (t_ns * SAMPLE_RATE_HZ // NS_PER_S // _BLOCK for t_ns in (from_ns, until_ns))
        for lane, peaks in self.peaks.items():
            run = peaks[first:last]
            if run.size:
                found.append(Peaks(lane=lane, first_sample=first * _BLOCK, mins=(-run).tobytes(), maxs=run.tobytes()))
        loudest = int(self.peaks[Lane.PARTICIPANT][first : max(last, first + 1)].max(initial=0))
        peak_dbfs = 20 * float(np.log10(max(loudest, 1) / 128))
        found.append(Level(t_ns=until_ns, rms_dbfs=peak_dbfs - 9, peak_dbfs=peak_dbfs))
        return found

    def batches(self, from_ns: int, until_ns: int, per_second: int = 30) -> Iterator[list[AnyFeed]]:
        """Yield the batches of a stretch of time, as they would come live."""
        step = NS_PER_S // per_second
        for start in range(from_ns, until_ns, step):
            yield self.messages(start, min(until_ns, start + step))

    def _between(self, from_ns: int, until_ns: int) -> list[Entry]:
        times = self._times
        low, high = np.searchsorted(times, (from_ns, until_ns))
        return self.entries[int(low) : int(high)]

    @property
    def _times(self) -> "np.ndarray[Any, np.dtype[np.int64]]":
        if not hasattr(self, "_time_array"):
            self._time_array = np.array([entry.t_ns for entry in self.entries], dtype=np.int64)
        return self._time_array

    @staticmethod
    def _is_off(at_ms: float) -> bool:
        cycle, within = divmod(at_ms, CYCLE_MS)
        return cycle % 4 == 3 and 8_600 <= within < 11_400

    def _cycle(self, number: int, t: float) -> None:
        user, item, response = f"item_{2 * number + 1}", f"item_{2 * number + 2}", f"resp_{number + 1}"
        cut = number % 2 == 1
        self._note(t + 100, "push", context={"event": ("screen", "timer", "question")[number % 3], "name": "Welcome"})
        if number % 5 == 0:
            self._note(t + 400, "push", context={"event": "experimenter_message", "text": "Please go on."})
        self._speak(Lane.PARTICIPANT, t + 300, 2_400)
        self._received(t + 480, "input_audio_buffer.speech_started", item_id=user, audio_start_ms=int(t + 180))
        self._received(t + 3_220, "input_audio_buffer.speech_stopped", item_id=user, audio_end_ms=int(t + 3_200))
        self._received(t + 3_230, "input_audio_buffer.committed", item_id=user)
        self._received(t + 3_240, "conversation.item.added", item={"id": user, "type": "message", "role": "user"})
        self._received(t + 3_300, "response.created", response={"id": response, "status": "in_progress"})
        text = "Well, I would take the coffee, because the day was long and the tea here is mostly warm water. "
        until = 3_400 + (2_600 if cut else _REPLY_MS / 3)
        words = text.split(" ")
        arrivals = np.arange(3_400, until, 33.3)
        for n, at in enumerate(arrivals):
            self._delta(t + at, item, response)
            if n < len(words):
                self._received(
                    t + at + 1,
                    "response.output_audio_transcript.delta",
                    item_id=item,
                    response_id=response,
                    delta=words[n] + " ",
                )
        received = len(arrivals) * 2_400
        handed_ns = round((t + 3_470) * NS_PER_MS)
        self._note(t + 3_471, "playback.started", item_id=item, response_id=response, handed_ns=handed_ns)
        self._end_reply(number, t, item, response, received, cut=cut)
        if number % 4 == 3:
            self._note(t + 8_600, "listening.off", in_speech=False)
            self._note(t + 11_400, "listening.on")

    def _end_reply(self, number: int, t: float, item: str, response: str, received: int, *, cut: bool) -> None:
        if not cut:
            self._speak(Lane.AGENT, t + 3_470, received / 24)
            self._received(t + 5_800, "response.done", response={"id": response, "status": "completed"})
            ended = t + 3_470 + received / 24
            fields = {"item_id": item, "handed_samples": received, "received_samples": received}
            self._note(ended, "playback.ended", handed_ns=round(ended * NS_PER_MS), **fields)
            return
        user = f"item_{2 * number + 1}b"
        self._speak(Lane.PARTICIPANT, t + 5_700, 1_500)
        self._speak(Lane.AGENT, t + 3_470, 2_440)
        started, cut_ms = t + 5_900, t + 5_900.4
        self._received(started, "input_audio_buffer.speech_started", item_id=user, audio_start_ms=int(started - 300))
        self._note(
            started + 1,
            "playback.cut",
            item_id=item,
            response_id=response,
            handed_samples=2_430 * 24,
            received_samples=received,
            begun=True,
            cut_ns=round(cut_ms * NS_PER_MS),
            cause="speech_started",
        )
        self._note(
            started + 60,
            "barge_in",
            speech_started_seq=0,
            received_ns=round(started * NS_PER_MS),
            cut_ns=round(cut_ms * NS_PER_MS),
            last_sound_handed_ns=round((started + 12) * NS_PER_MS),
            inaudible_ns=round((started + 142) * NS_PER_MS),
            dac_source="stream latency",
            item_id=item,
        )
        truncated = {"item_id": item, "content_index": 0, "audio_end_ms": 2_430}
        self._sent(started + 2, "conversation.item.truncate", **truncated)
        details = {"type": "cancelled", "reason": "turn_detected"}
        done = {"id": response, "status": "cancelled", "status_details": details}
        self._received(started + 40, "response.done", response=done)
        self._received(started + 1_900, "input_audio_buffer.speech_stopped", item_id=user)

    def _speak(self, lane: Lane, at_ms: float, length_ms: float) -> None:
        first = ms_to_samples(at_ms) // _BLOCK
        blocks = ms_to_samples(length_ms) // _BLOCK
        time = np.arange(blocks) * _BLOCK / SAMPLE_RATE_HZ
        syllables = np.abs(np.sin(2 * np.pi * 2.1 * time)) ** 0.7 * (0.6 + 0.4 * np.sin(2 * np.pi * 0.37 * time + 1))
        noise = self._random.uniform(0.5, 1.0, blocks)
        self.peaks[lane][first : first + blocks] = np.round(70 * syllables * noise).astype(np.int8)

    def _delta(self, at_ms: float, item: str, response: str) -> None:
        span = AudioSpan(Track.AGENT, self._agent_samples, 2_400, 4_800)
        self._agent_samples += 2_400
        event = {"item_id": item, "response_id": response, "delta": ""}
        self._events.append((at_ms, Direction.RECEIVED, "response.output_audio.delta", event, span))

    def _received(self, at_ms: float, kind: str, /, **event: Any) -> None:
        self._events.append((at_ms, Direction.RECEIVED, kind, event, None))

    def _sent(self, at_ms: float, kind: str, /, **event: Any) -> None:
        self._events.append((at_ms, Direction.SENT, kind, event, None))

    def _note(self, at_ms: float, kind: str, /, **event: Any) -> None:
        self._events.append((at_ms, Direction.NOTED, kind, event, None))

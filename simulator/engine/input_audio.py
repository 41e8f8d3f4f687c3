"""The input audio buffer: what was appended, its clock, and the turns found in it.

The clock counts samples from the moment turn detection was last switched on (HRP: listening pause). Switching it on
empties the buffer: what was said before does not belong to the next turn. Switching it off keeps a turn in progress,
with its item id, so that a commit makes exactly that item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine import pcm
from simulator.engine.errors import Refusal
from simulator.engine.turn_detection import DetectionSettings, Edge, TurnDetector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from simulator.engine.activity import SpeechActivity
    from simulator.engine.end_of_turn import Words

_LEAST_COMMIT_MS = 100
# Between turns nobody needs old audio, except a client that commits by hand although detection is on.
_KEPT_SILENCE_BYTES = 60_000 * pcm.BYTES_PER_MS
_KEPT_SLACK_BYTES = 10_000 * pcm.BYTES_PER_MS
_HEARD_EVERY = 3_000 * pcm.SAMPLES_PER_MS


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """Speech began. `audio_start_ms`: where the turn's audio begins, padding included, on the buffer's clock."""

    item_id: str
    audio_start_ms: int


@dataclass(frozen=True, slots=True)
class TurnHeard:
    """How far a turn has come, for whoever recognises its words.

    `pausing`: nobody speaks at its end; `is_asked`: `TurnUndecided` may follow.
    """

    item_id: str
    audio: bytes
    pausing: bool
    is_asked: bool


@dataclass(frozen=True, slots=True)
class TurnUndecided:
    """The turn's words are needed now: `InputAudio.wait` takes them, before anything else is appended."""

    item_id: str


@dataclass(frozen=True, slots=True)
class TurnStopped:
    """A turn is over.

    `audio_end_ms`: end of its audio, trailing silence included; `audio`: all of it; `speech_bytes`: where in it the
    last word ends.
    """

    item_id: str
    audio_end_ms: int
    audio: bytes
    speech_bytes: int


@dataclass(frozen=True, slots=True)
class Silence:
    """Nobody spoke for idle_timeout_ms after the agent. Both places on the buffer's clock; `audio` lies between."""

    item_id: str
    audio_start_ms: int
    audio_end_ms: int
    audio: bytes


TurnEvent = TurnStarted | TurnHeard | TurnUndecided | TurnStopped | Silence


class InputAudio:
    """Appended audio in, turns out. Pure but for the speech model; nothing here looks at wall-clock time."""

    def __init__(self, activity: SpeechActivity, new_item_id: Callable[[], str], *, knows_words: bool = False) -> None:
        """Is empty, without detection.

        Args:
            knows_words: somebody recognises words, and is told how far each turn has come.
        """
        self._activity = activity
        self._new_item_id = new_item_id
        self._knows_words = knows_words
        self._detector: TurnDetector | None = None
        self._empty()

    def _empty(self) -> None:
        self._audio = bytearray()
        self._audio_start = 0  # position of the buffer's first sample on the clock
        self._odd_byte = b""
        self._item_id: str | None = None
        self._heard_until = 0  # of the turn in progress, by whoever recognises words
        self._awaited: tuple[int, int] | None = None  # speech is awaited from, and at the latest until

    def await_speech(self, after_ms: float, timeout_ms: int) -> None:
        """Reports a `Silence` when nobody speaks for `timeout_ms` from `after_ms` of audio on. Once; speech ends it."""
        start = self._end() + round(after_ms * pcm.SAMPLES_PER_MS)
        self._awaited = (start, start + timeout_ms * pcm.SAMPLES_PER_MS)

    def set_turn_detection(self, settings: DetectionSettings | None) -> None:
        """Switches detection on, off, or over to other settings."""
        if settings is None:
            self._detector = None
            self._awaited = None
        elif self._detector is None:
            self._empty()
            self._activity.reset()
            self._detector = TurnDetector(settings, self._samples, knows_words=self._knows_words)
        else:
            self._detector.settings = settings

    def append(self, audio: bytes) -> Iterator[TurnEvent]:
        """Takes audio in and gives what it brings about, in order. Nothing is taken before the result is iterated.

        A sample may be split over two appends: an odd last byte waits for the next one.
        """
        audio = self._odd_byte + audio
        whole = len(audio) // pcm.SAMPLE_BYTES * pcm.SAMPLE_BYTES
        self._odd_byte = audio[whole:]
        self._audio += audio[:whole]
        if self._detector is None:
            return
        for window in self._activity.feed(np.frombuffer(audio[:whole], "<i2")):
            edge = self._detector.feed(window)
            if edge is Edge.STARTED:
                yield self._started(window.start)
            elif edge is Edge.STOPPED:
                yield self._stopped(window.end)
            elif self._knows_words and self._item_id is not None and self._detector.in_speech:
                yield from self._progress(edge, window.end)
            elif self._awaited is not None and window.end >= self._awaited[1]:
                yield self._silence(*self._awaited)
        if not self._detector.in_speech and len(self._audio) > _KEPT_SILENCE_BYTES + _KEPT_SLACK_BYTES:
            self._drop_until(self._end() - _KEPT_SILENCE_BYTES // pcm.SAMPLE_BYTES)

    def wait(self, words: Words) -> None:
        """Answers TurnUndecided with the words of the turn so far."""
        if self._detector is not None:
            self._detector.wait(words)

    def _progress(self, edge: Edge | None, now: int) -> Iterator[TurnEvent]:
        assert self._detector is not None
        assert self._item_id is not None
        if edge is Edge.UNDECIDED:
            yield TurnUndecided(self._item_id)
        pausing = edge is Edge.PAUSED
        if pausing or (self._detector.pause_start is None and now - self._heard_until >= _HEARD_EVERY):
            self._heard_until = now
            is_asked = pausing and self._detector.settings.silence_samples is None
            yield TurnHeard(self._item_id, self._bytes(self._audio_start, now), pausing, is_asked)

    def commit(self) -> tuple[str, bytes]:
        """Ends the turn by hand: item id and audio, the id of the turn in progress where there is one.

        Raises:
            Refusal: there is less than 100 ms of audio.
        """
        if pcm.ms_in(self._audio) < _LEAST_COMMIT_MS:
            raise Refusal(
                "input_audio_buffer_commit_empty",
                f"Error committing input audio buffer: expected at least {_LEAST_COMMIT_MS} ms of audio, "
                f"but the buffer has {pcm.ms_in(self._audio)} ms.",
            )
        if self._detector is not None:
            self._detector.restart()
        self._awaited = None
        return self._take(self._end())

    def clear(self) -> None:
        """Drops the audio and a turn in progress; the clock goes on."""
        self._drop_until(self._end())
        self._odd_byte = b""
        if self._item_id is not None:
            self._activity.forget()
        self._item_id = None
        if self._detector is not None:
            self._detector.restart()

    def _end(self) -> int:
        return self._audio_start + pcm.samples_in(self._audio)

    def _started(self, onset: int) -> TurnStarted:
        assert self._detector is not None
        # Never before the buffer: audio that went into the last turn is not given twice.
        self._drop_until(onset - self._detector.settings.padding_samples)
        self._item_id = self._new_item_id()
        self._heard_until = onset
        self._awaited = None
        return TurnStarted(self._item_id, self._audio_start // pcm.SAMPLES_PER_MS)

    def _stopped(self, end: int) -> TurnStopped:
        assert self._detector is not None
        assert self._detector.pause_start is not None
        speech_bytes = (self._detector.pause_start - self._audio_start) * pcm.SAMPLE_BYTES
        item_id, audio = self._take(end)
        return TurnStopped(item_id, end // pcm.SAMPLES_PER_MS, audio, speech_bytes)

    def _silence(self, start: int, end: int) -> Silence:
        self._awaited = None
        self._drop_until(start)
        item_id, audio = self._take(end)
        return Silence(item_id, start // pcm.SAMPLES_PER_MS, end // pcm.SAMPLES_PER_MS, audio)

    def _take(self, end: int) -> tuple[str, bytes]:
        audio = bytes(self._audio[: (end - self._audio_start) * pcm.SAMPLE_BYTES])
        item_id = self._item_id or self._new_item_id()
        self._item_id = None
        self._drop_until(end)
        return item_id, audio

    def _drop_until(self, position: int) -> None:
        samples = min(max(0, position - self._audio_start), pcm.samples_in(self._audio))
        del self._audio[: samples * pcm.SAMPLE_BYTES]
        self._audio_start += samples

    def _samples(self, start: int, end: int) -> NDArray[np.int16]:
        return np.frombuffer(self._bytes(start, end), "<i2")

    def _bytes(self, start: int, end: int) -> bytes:
        first = max(0, start - self._audio_start) * pcm.SAMPLE_BYTES
        last = max(0, end - self._audio_start) * pcm.SAMPLE_BYTES
        return bytes(self._audio[first:last])

"""Rules of the onset of speech, where it is known: the voice is a recording with an annotated onset, or silence.

Whoever speaks into a microphone begins when they like: there only the engine knows when, and nothing is judged. So it
is with what a replay says, whatever voice was chosen. Nor is an onset judged on which the engine hears speech already,
or which the engine cannot hear (muted, listening off). Pure.
"""

from collections.abc import Iterator

from simulator.record.entries import Direction, Entry
from simulator.record.fields import milliseconds, number, text, value_at, whole_number
from simulator.record.rules.conversation import Conversation
from simulator.record.rules.event import Broken
from simulator.units import NS_PER_MS, ms_to_samples, samples_to_ms

_PATIENCE_MS = 2_000
"""How long after its time a late speech_started is waited for, lest it be called missing."""


class OnsetRules:
    """Feed every entry after the conversation took it."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._voice: str | None = None
        self._muted = False
        self._playing = False
        self._replayed = False
        self._quiet_since_ns: int | None = None
        """Since when nothing can be heard of the participant, as long as that is known."""
        self._hears_speech = False
        self._coming: int | None = None
        """The sample on the audio clock at which the recording's speech begins."""
        self._onset: Entry | None = None
        """The append that carried that sample, until speech_started came for it."""
        self._onset_ms = 0.0
        """The onset on the clock of audio_start_ms."""

    def feed(self, entry: Entry) -> Iterator[Broken]:
        """Take an entry and yield what it breaks."""
        if entry.direction is Direction.NOTED:
            self._noted(entry)
        elif entry.direction is Direction.SENT:
            self._appended(entry)
        elif entry.type == "input_audio_buffer.speech_started":
            yield from self._started(entry)
            self._hears_speech = True
        elif entry.type in ("input_audio_buffer.speech_stopped", "input_audio_buffer.committed"):
            self._hears_speech = False

    def tick(self, now_ns: int) -> Iterator[Broken]:
        """Time passed: yield what should have come by now."""
        limit_ms, onset = self._conversation.limits.max_onset_delay_ms, self._onset
        if onset is not None and now_ns - onset.t_ns > (limit_ms + _PATIENCE_MS) * NS_PER_MS:
            self._onset = None
            yield Broken("speech noticed", f"No speech_started came within {limit_ms} ms of the onset", onset.seq)

    def _noted(self, entry: Entry) -> None:
        match entry.type:
            case "voice.chosen":
                self._voice = text(entry, "kind")
                self._forget()
            case "voice.muted":
                self._muted = value_at(entry, "muted") is True
                self._forget()
            case "listening.off":
                self._forget()
            case "recording.started":
                self._playing = True
                self._forget()
                self._coming = self._onset_sample(entry)
            case "recording.ended":
                self._playing = False
                self._coming = None
                limit_ms = self._conversation.limits.max_onset_delay_ms
                if self._onset is not None and milliseconds(self._onset, entry) < limit_ms:
                    self._onset = None  # stopped before it had to be noticed
            case "replay.started" | "replay.ended":
                self._replayed = entry.type == "replay.started"
                self._forget()
        chosen = self._voice not in ("silence", "recording") or (self._playing and not self._muted)
        audible = chosen or self._replayed
        if audible:
            self._quiet_since_ns = None
        elif self._quiet_since_ns is None:
            self._quiet_since_ns = entry.t_ns

    def _onset_sample(self, recording: Entry) -> int | None:
        first, onset_ms = whole_number(recording, "first_sample"), number(recording, "onset_ms")
        if self._replayed or first is None or onset_ms is None or self._muted or self._conversation.detection is None:
            return None
        return first + ms_to_samples(onset_ms)

    def _appended(self, entry: Entry) -> None:
        span = entry.audio
        if self._coming is None or span is None or span.first_sample + span.samples <= self._coming:
            return
        if not self._hears_speech and span.first_sample <= self._coming:
            self._onset = entry
            self._onset_ms = samples_to_ms(self._coming - self._conversation.clock_zero_samples)
        self._coming = None

    def _started(self, entry: Entry) -> Iterator[Broken]:
        quiet_ns, limit_ms = self._quiet_since_ns, self._conversation.limits.max_onset_delay_ms
        if quiet_ns is not None and entry.t_ns - quiet_ns > limit_ms * NS_PER_MS:
            yield Broken("speech only", "speech_started came though nobody spoke", entry.seq)
        onset, self._onset = self._onset, None
        if onset is None:
            return
        delay_ms = milliseconds(onset, entry)
        if delay_ms > limit_ms:
            what = f"speech_started came {delay_ms:.0f} ms after the onset of speech, {limit_ms} at most"
            yield Broken("onset in time", what, entry.seq)
        start_ms = number(entry, "audio_start_ms")
        # What lies after everything that was appended is the business of the turns.
        if start_ms is not None and start_ms < self._onset_ms - limit_ms:
            what = f"audio_start_ms is {start_ms:g}, and speech began at {self._onset_ms:.0f}"
            yield Broken("audio_start_ms in place", what, entry.seq)

    def _forget(self) -> None:
        self._coming = self._onset = None

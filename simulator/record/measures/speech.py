"""The participant's turns: what the engine heard as speech, and the words of it."""

from dataclasses import replace

import numpy as np

from simulator.record.append_lines import Appends
from simulator.record.entries import Direction, Entry, Track
from simulator.record.fields import text, whole_number
from simulator.record.measures.ledger import Growing, Ledger, Steps
from simulator.record.measures.objects import SpeechSpan, Turn
from simulator.units import ms_to_samples


class Speech:
    """Keeps the spans of speech, and the end of turn that no response answered yet."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.spans: Growing[SpeechSpan] = Growing()
        self._open: str | None = None
        self._last_stop: Entry | None = None
        self._last_commit: Entry | None = None
        self._onset_sample: int | None = None
        self._onset: Entry | None = None

    def steps(self) -> Steps:
        """Return what is done with which entry."""
        return {
            (Direction.RECEIVED, "input_audio_buffer.speech_started"): self._speech_started,
            (Direction.RECEIVED, "input_audio_buffer.speech_stopped"): self._speech_stopped,
            (Direction.RECEIVED, "input_audio_buffer.committed"): self._committed,
            (Direction.RECEIVED, "conversation.item.input_audio_transcription.completed"): self._transcribed,
            (Direction.SENT, "input_audio_buffer.append"): self._appended,
            (Direction.NOTED, "recording.started"): self._recording_started,
            (Direction.NOTED, "recognised"): self._recognised,
        }

    def take_end(self) -> tuple[Entry | None, Entry | None]:
        """Return speech_stopped and committed of the turn that waits for a response, once."""
        ended = self._last_stop, self._last_commit
        self._last_stop = self._last_commit = None
        return ended

    def take_appends(self, appends: Appends, first: int, end: int) -> None:
        """Take the appends among the lines [first, end) of a block: they count while an onset is waited for only."""
        if self._onset_sample is None:
            return
        low, high = np.searchsorted(appends.places, (first, end))
        ends = appends.first_samples[low:high] + appends.samples[low:high]
        later = np.flatnonzero(ends > self._onset_sample)
        if later.size:
            self._appended(appends.entry(int(low + later[0])))

    def close(self, t_ns: int) -> None:
        """End what is open: the connection ended."""
        self._end(self._open, t_ns, None)

    def _speech_started(self, entry: Entry) -> None:
        item_id = text(entry, "item_id") or f"speech {entry.seq}"
        self.spans.add(
            item_id, SpeechSpan(item_id, entry.t_ns, None, whole_number(entry, "audio_start_ms"), None, entry.seq)
        )
        self._open = item_id
        self._ledger.turns.add(item_id, Turn("participant", item_id, "", entry.t_ns, entry.seq))
        if self._onset is not None:
            self._ledger.latency("onset_delay", "onset of speech", "speech_started", self._onset, entry)
            self._onset = None
        self._ledger.revision += 1

    def _speech_stopped(self, entry: Entry) -> None:
        self._last_stop = entry
        self._end(text(entry, "item_id") or self._open, entry.t_ns, whole_number(entry, "audio_end_ms"))

    def _committed(self, entry: Entry) -> None:
        self._last_commit = entry
        item_id = text(entry, "item_id")
        # A commit of ours in mid-speech ends the turn without speech_stopped.
        self._end(item_id, entry.t_ns, None)
        if item_id is not None and self._ledger.turns.get(item_id) is None:
            self._ledger.turns.add(item_id, Turn("participant", item_id, "", entry.t_ns, entry.seq))
            self._ledger.revision += 1

    def _end(self, item_id: str | None, t_ns: int, audio_end_ms: int | None) -> None:
        span = self.spans.get(item_id) if item_id is not None else None
        if item_id is None or span is None or span.stopped_ns is not None:
            return
        self.spans.put(item_id, replace(span, stopped_ns=t_ns, audio_end_ms=audio_end_ms))
        if self._open == item_id:
            self._open = None
        self._ledger.revision += 1

    def _transcribed(self, entry: Entry) -> None:
        item_id, transcript = text(entry, "item_id"), text(entry, "transcript")
        if item_id is None or transcript is None:
            return
        turn = self._ledger.turns.get(item_id)
        if turn is None:
            self._ledger.turns.add(item_id, Turn("participant", item_id, transcript, entry.t_ns, entry.seq))
        else:
            self._ledger.turns.put(item_id, replace(turn, text=transcript))
        self._ledger.revision += 1

    def _recognised(self, entry: Entry) -> None:
        item_id, words = text(entry, "item_id"), text(entry, "text")
        turn = self._ledger.turns.get(item_id) if item_id is not None else None
        if item_id is not None and turn is not None and words is not None:
            self._ledger.turns.put(item_id, replace(turn, recognised=words, recogniser=text(entry, "model")))
            self._ledger.revision += 1

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

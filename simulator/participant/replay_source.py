"""The record that is replayed: its plan, and the participant's voice in it as a tape."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from simulator.audio.impairments import speech_level_dbfs
from simulator.audio.recordings import speech_extent
from simulator.audio.tape import Samples, Speech, Tape, TapeEvent
from simulator.errors import UsageError
from simulator.participant.recordings import Saying
from simulator.record.folder import SESSION
from simulator.record.manifest import sha256
from simulator.record.replay.deeds import By, Plan, Say
from simulator.record.replay.plan import plan
from simulator.record.replay.sent import SentVoice
from simulator.units import SAMPLE_RATE_HZ, ns_to_samples

ReadPlan = Callable[[Path], Plan]

_LOOKED_AT_SAMPLES: Final = 2 * SAMPLE_RATE_HZ
"""The speech in what is said begins in its first two seconds."""


def check_acts(plan: Plan) -> None:
    """Raise UsageError where there is nothing to do again."""
    if not plan.acts:
        why = " ".join(plan.lacks) or "Its participant said and did nothing."
        raise UsageError(f"Nothing of this session can be done again. {why}")


class ReplaySource:
    """A record that is replayed. Made and closed in a thread, as it reads files. Raises SimulatorError.

    `read` gives the plan, which takes more than a second an hour where it is not at hand.
    """

    def __init__(self, record: Path, read: ReadPlan = plan) -> None:
        self.plan = read(record)
        check_acts(self.plan)
        path = self.plan.source
        self.name = path.parent.name if path.name == SESSION else path.name
        self.sha256 = sha256(path)
        says = [act.deed for act in self.plan.acts if isinstance(act.deed, Say)]
        self._voice = SentVoice(path, says)
        self._one_at_a_time = threading.Lock()
        self.speeches = [Speech(each.first_sample, each.samples) for each in says]
        self.sayings = [self._saying(number, each) for number, each in enumerate(self.speeches, 1)]
        """What is known of each."""

    def read(self, first_sample: int, samples: int) -> Samples:
        """Return the participant's voice from a position on; in any thread."""
        with self._one_at_a_time:
            return self._voice.read(first_sample, samples)

    def _saying(self, number: int, speech: Speech) -> Saying:
        beginning = self.read(speech.first_sample, min(speech.samples, _LOOKED_AT_SAMPLES))
        extent = speech_extent(beginning)
        onset_ms = extent.onset_ms if extent is not None else None
        return Saying(f"{self.name}, speech {number}", speech.samples, onset_ms, speech_level_dbfs(beginning))

    def close(self) -> None:
        """Close its files."""
        with self._one_at_a_time:
            self._voice.close()


def tape_of(source: ReplaySource, by: By, on_event: Callable[[TapeEvent], None]) -> Tape:
    """Return the tape: of each speech for itself, or of the whole voice, as it was."""
    plan = source.plan
    first, end = plan.voice_from_sample, plan.voice_from_sample + ns_to_samples(plan.ends_ns)
    return Tape(source.read, first, end, source.speeches, on_event, whole=by == "clock")

"""What the disk does with a session: what it refused is told, the study lies beside the events, the end is finished."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from simulator.errors import SimulatorError, StorageFault
from simulator.participant.recorder import SessionRecorder
from simulator.record import finishing
from simulator.record.backlog import Lost
from simulator.record.folder import STUDY
from simulator.record.redact import Redactor
from simulator.study.steps import Say, Step, Study
from simulator.study.study_writing import write_study
from simulator.units import SAMPLE_RATE_HZ

CLOSES_WITHIN_S: Final = 10.0
"""So long a disk that stalls may hold up the end of a session."""

_SLOW: Final = (
    "The disk is too slow: parts of the record are being lost. The conversation goes on; close other programs that use "
    "the disk, or choose another folder for the next session."
)
_NOT_CLOSED: Final = (
    "The disk does not take the end of the record. Leave the program open until it does, or the last part is lost."
)


class Storage:
    """Belongs to the loop. `note` writes into the record, `show` is called when `lack` may have changed."""

    def __init__(self, note: Callable[[str, Mapping[str, object]], None], show: Callable[[], None]) -> None:
        self._note = note
        self._show = show
        self._loop: asyncio.AbstractEventLoop | None = None
        self._copies: list[tuple[str, Study]] = []
        self._copying: list[asyncio.Task[None]] = []
        self.lack: str | None = None
        """What is wrong with the disk, in a sentence."""

    def begin(self) -> None:
        """A record begins."""
        self._loop = asyncio.get_running_loop()
        self._copies, self._copying, self.lack = [], [], None

    def failed(self, fault: StorageFault) -> None:
        """The disk takes nothing any more. Called in any thread."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._tell, "storage", str(fault), fault.details)

    def lost(self, lost: Lost, over: bool) -> None:
        """The disk is too slow, or is no longer. Called in any thread, in the middle of writing an entry."""
        assert self._loop is not None
        if over:
            self._loop.call_soon_threadsafe(self._recovered, lost)
        else:
            self._loop.call_soon_threadsafe(self._tell, "storage_slow", _SLOW, "")

    def keep_study(self, study: Study, recorder: SessionRecorder | None, redactor: Redactor) -> None:
        """Put a study that is played into the session's folder, with its pictures and recordings, in the background."""
        if recorder is not None and recorder.healthy:
            self._copying.append(asyncio.create_task(self._keep_study(study, recorder, redactor)))

    async def close(self, recorder: SessionRecorder, reason: str) -> None:
        """Write the end of a record, and let its folder be finished by a process of its own."""
        await asyncio.gather(*self._copying)
        whole = await asyncio.to_thread(recorder.close, reason, CLOSES_WITHIN_S)
        if not whole:
            self.lack = _NOT_CLOSED
        elif recorder.healthy:
            await asyncio.to_thread(finishing.start, recorder.path.parent)

    async def _keep_study(self, study: Study, recorder: SessionRecorder, redactor: Redactor) -> None:
        name = next((name for name, other in self._copies if other == study), None)
        if name is None:
            number = len(self._copies) + 1
            name = STUDY if number == 1 else STUDY.replace(".", f"-{number}.")
            self._copies.append((name, study))
            clean = msgspec.convert(redactor.json(msgspec.to_builtins(study)), Study)
            if not recorder.keeps_audio:
                clean = _without_recordings(clean)
            try:
                await asyncio.to_thread(write_study, clean, recorder.path.parent / name)
            except SimulatorError as error:
                sentence = f"The study that is played could not be kept beside the record: {error}"
                self._tell("study_not_kept", sentence, error.details, lasts=False)
                return
        self._note("study.kept", {"file": name})

    def _tell(self, code: str, sentence: str, details: str, *, lasts: bool = True) -> None:
        fields = {"whose": "environment", "code": code, "sentence": sentence}
        self._note("problem", fields | ({"details": details} if details else {}))
        if lasts:
            self.lack = sentence
        self._show()

    def _recovered(self, lost: Lost) -> None:
        """The disk takes everything again."""
        samples = {track.value: frames for track, frames in lost.frames.items()}
        longest_s = max(lost.frames.values(), default=0) / SAMPLE_RATE_HZ
        sentence = f"The disk was too slow: {lost.entries} events and {longest_s:.1f} s of audio are lost."
        self._note("record.lost", {"sentence": sentence, "entries": lost.entries, "samples": samples})
        self.lack = None
        self._show()


def _without_recordings(study: Study) -> Study:
    """Return a study whose recordings, which may be of a person's voice, are only named: no file is kept of them."""

    def named(step: Step) -> Step:
        action = step.action
        if not isinstance(action, Say) or not Path(action.recording).is_absolute():
            return step
        return msgspec.structs.replace(
            step, action=msgspec.structs.replace(action, recording=Path(action.recording).name)
        )

    return msgspec.structs.replace(study, steps=tuple(map(named, study.steps)))

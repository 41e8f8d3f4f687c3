"""Says something by itself, so many seconds after an event of the conversation: the talk key, pressed to the moment.

Timed here and not by the window, from when the reply is audible at the loudspeaker. What is said begins with the
next block of the voice, at most 20 ms after that.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Final

from simulator.errors import SimulatorError, UsageError
from simulator.participant.live_events import LiveEvent, ReplySounds, TurnCommitted
from simulator.participant.messages import CancelCue, Cue, VoiceKind
from simulator.participant.recordings import Recording
from simulator.participant.replies import ReplyOver
from simulator.participant.sayings import Sayings
from simulator.participant.voice import Voice
from simulator.study.steps import Say
from simulator.units import NS_PER_MS, NS_PER_S

LONGEST_S: Final = 3600.0
_EVENTS: Final = {
    "now": "from now",
    "reply_begins": "after the reply begins",
    "reply_ends": "after the reply ends",
    "turn": "after the turn is taken",
}


class Cues:
    """Keeps one cue at a time. Belongs to the loop.

    `sounding_until_ns` says until when the agent is audible, `changed` is called when `words` may have changed.
    """

    def __init__(
        self,
        voice: Voice,
        sayings: Sayings,
        sounding_until_ns: Callable[[], int],
        note: Callable[[str, Mapping[str, object]], None],
        changed: Callable[[], None],
    ) -> None:
        self._voice = voice
        self._sayings = sayings
        self._sounding_until_ns = sounding_until_ns
        self._note = note
        self._changed = changed
        self._cue: Cue | None = None
        self._recording: Recording | None = None
        """What is said; None: what the voice is."""
        self._timer: asyncio.Task[None] | None = None
        self._saying: set[asyncio.Task[None]] = set()

    @property
    def words(self) -> str | None:
        """What is waited for, in a line; None where nothing is."""
        cue = self._cue
        if cue is None:
            return None
        each = " each time" if cue.repeat else ""
        what = self._recording.name if self._recording is not None else self._voice.name
        return f"{cue.seconds:g} s {_EVENTS[cue.after]}{each}: {what}"

    async def command(self, command: Cue | CancelCue) -> None:
        """Wait for a cue in place of the one before, or for none. Raises SimulatorError where it cannot be said."""
        if isinstance(command, CancelCue):
            self.cancel("by hand")
            return
        if not 0 <= command.seconds <= LONGEST_S:
            raise UsageError(f"A cue of {command.seconds:g} s: use 0 to {LONGEST_S:g} seconds.")
        if command.repeat and command.after == "now":
            raise UsageError("A cue that counts from now is said once: choose an event of the conversation.")
        recording = None
        if command.text or command.recording:
            recording = await self._sayings.made(Say(command.recording, command.text, command.voice))
        elif self._voice.kind is not VoiceKind.RECORDING:
            raise UsageError(
                "The participant's voice is no recording: choose one, or a folder of them, or give a text to say."
            )
        self.cancel("another one took its place")
        self._cue, self._recording = command, recording
        self._note(
            "cue.set",
            {
                "after": command.after,
                "seconds": command.seconds,
                "repeat": command.repeat,
                "what": recording.name if recording is not None else self._voice.name,
            },
        )
        if command.after == "now":
            self._wait(command, time.monotonic_ns())

    def happened(self, event: LiveEvent) -> None:
        """Something happened that may be waited for. While a cue counts, a further event of its kind is none."""
        cue = self._cue
        if cue is None or self._timer is not None:
            return
        match cue.after, event:
            case "reply_begins", ReplySounds(at_ns=at_ns):
                self._wait(cue, at_ns)
            case "reply_ends", ReplyOver(end="heard"):
                self._wait(cue, max(time.monotonic_ns(), self._sounding_until_ns()))
            case "turn", TurnCommitted():
                self._wait(cue, time.monotonic_ns())

    def cancel(self, why: str) -> None:
        """Wait for no cue any more; what is being said goes on."""
        if self._cue is not None:
            self._note("cue.cancelled", {"why": why})
            self._forget()

    def close(self) -> None:
        """The session is over: what is being said stops, too."""
        self.cancel("the session ended")
        for task in self._saying:
            task.cancel()

    def _forget(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._cue = self._recording = self._timer = None

    def _wait(self, cue: Cue, since_ns: int) -> None:
        due_ns = since_ns + round(cue.seconds * NS_PER_S)
        self._timer = asyncio.get_running_loop().create_task(self._say_at(cue, due_ns))

    async def _say_at(self, cue: Cue, due_ns: int) -> None:
        await asyncio.sleep(max(0, due_ns - time.monotonic_ns()) / NS_PER_S)
        recording, self._timer = self._recording, None
        if not cue.repeat:
            self._forget()
        try:
            late_ms = (time.monotonic_ns() - due_ns) / NS_PER_MS
            self._say(recording)
            self._note("cue.said", {"after": cue.after, "seconds": cue.seconds, "late_ms": round(late_ms, 1)})
        except SimulatorError as error:
            self._note("problem", {"whose": "environment", "code": "cue_not_said", "sentence": str(error)})
        if cue.repeat and recording is None and self._voice.says_the_last:
            self.cancel("the last recording of the folder was said")
        self._changed()

    def _say(self, recording: Recording | None) -> None:
        if recording is None:
            self._voice.say()
            return
        task = asyncio.get_running_loop().create_task(self._voice.speak(recording))
        self._saying.add(task)
        task.add_done_callback(self._saying.discard)

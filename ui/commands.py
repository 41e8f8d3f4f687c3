"""Intents of the panels made into commands for the participant process. Knows no widget."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from simulator.participant.messages import (
    AnyCommand,
    Connect,
    ConnectionState,
    Disconnect,
    SetInstructions,
    SetListening,
    SetMuted,
    SetTalk,
    StopReply,
    VoiceKind,
)
from ui.models.devices import Output
from ui.models.voices import Voice
from ui.session_feed import SessionFeed, Then


class SessionCommands(QObject):
    """What a user can do to the live session."""

    failed = Signal(str)
    """A command was refused, in one sentence."""
    applied = Signal(object)
    """What became of new instructions: one sentence, or None."""

    def __init__(self, feed: SessionFeed, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._feed = feed
        self._voice = Voice(VoiceKind.SILENCE)
        self._output = Output()
        # A process that was started again knows nothing of what was chosen before.
        feed.process_started.connect(self._choose_again)

    @property
    def voice(self) -> Voice:
        """The voice chosen last."""
        return self._voice

    def open_session(
        self,
        engine: str,
        turn_detection: dict[str, Any],
        instructions: str,
        agent_voice: str,
        faults: Sequence[str] = (),
        tools: Sequence[str] | None = None,
        specification: str | None = None,
        *,
        keep_audio: bool = True,
    ) -> None:
        """Connect; `faults` are rules that the embedded engine is to break, `tools` None declares all,
        `specification` is the path of a file to follow, and without `keep_audio` the record has no voices."""
        command = Connect(
            id=0,
            engine=engine,
            turn_detection=turn_detection,
            instructions=instructions,
            voice=agent_voice,
            faults=list(faults),
            tools=None if tools is None else list(tools),
            specification=specification,
            keep_audio=keep_audio,
        )
        self._feed.send(command, self._tell)

    def close_session(self) -> None:
        """Disconnect, or give up connecting."""
        self._feed.send(Disconnect(id=0), self._tell)

    def choose_voice(self, voice: Voice) -> None:
        """Take the participant's voice from there."""
        self._voice = voice
        self._feed.send(voice.command(), self._tell)

    @property
    def output(self) -> Output:
        """The output chosen last."""
        return self._output

    def choose_output(self, output: Output) -> None:
        """Play the agent's voice there."""
        self._output = output
        self._feed.send(output.command(), self._tell)

    def press_talk(self) -> None:
        """The talk key went down: a microphone opens, a recording starts or stops."""
        if self._voice.kind is not VoiceKind.SILENCE:
            self._talk(True)

    def release_talk(self) -> None:
        """The talk key went up: a microphone closes, a recording goes on."""
        if self._voice.kind is not VoiceKind.SILENCE:
            self._talk(False)

    def open_microphone(self, is_open: bool) -> None:
        """Let the microphone through without holding the talk key, or no longer."""
        self._talk(is_open)

    def set_muted(self, muted: bool) -> None:
        """Send silence instead of the voice, or the voice again."""
        self._feed.send(SetMuted(id=0, muted=muted), self._tell)

    def set_listening(self, on: bool) -> None:
        """Switch listening."""
        self._feed.send(SetListening(id=0, on=on), self._tell)

    def stop_reply(self) -> bool:
        """Stop the reply; False when none is in progress."""
        status = self._feed.status
        if status.connection is not ConnectionState.CONNECTED or not (status.response_active or status.agent_heard):
            return False
        self._feed.send(StopReply(id=0), self._tell)
        return True

    def send(self, command: AnyCommand, then: Then) -> None:
        """Send a push or another command of the study; `then` hears a sentence where it was refused, else None."""
        self._feed.send(command, then)

    def set_instructions(self, text: str) -> None:
        """Ask the engine to take these instructions."""
        self._feed.send(SetInstructions(id=0, instructions=text), self.applied.emit)

    def toggled(self, attribute: str, change: Callable[[bool], None]) -> Callable[[], None]:
        """Return a function that turns a state of the status into its opposite."""
        return lambda: change(not getattr(self._feed.status, attribute))

    def _talk(self, down: bool) -> None:
        self._feed.send(SetTalk(id=0, down=down), self._tell)

    def _choose_again(self) -> None:
        self._feed.send(self._voice.command(), self._tell)
        if self._output != Output():
            self._feed.send(self._output.command(), self._tell)

    def _tell(self, error: str | None) -> None:
        if error is not None:
            self.failed.emit(error)

"""What this computer speaks and plays with: the participant's voice, the loudspeaker, and what is lacking of them."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

from simulator.audio.devices import Choice, Direction
from simulator.audio.fades import HIGHEST_VOLUME_DB, LOWEST_VOLUME_DB
from simulator.audio.impairments import Impairments
from simulator.audio.playout import Playout
from simulator.audio.streams import DacSource, StreamState
from simulator.errors import UsageError
from simulator.participant.device_return import DeviceReturn
from simulator.participant.impairing import Impairing
from simulator.participant.losses import LossWatch
from simulator.participant.loudspeaker import Loudspeaker
from simulator.participant.messages import (
    ChooseOutput,
    ChooseVoice,
    Impair,
    SetEchoCancelling,
    SetHalfDuplex,
    SetMuted,
    SetTalk,
    SetVolume,
    VoiceKind,
)
from simulator.participant.microphone_filter import MicrophoneFilter
from simulator.participant.output_latency import OutputLatency
from simulator.participant.voice import SpokenChunk, Voice
from simulator.units import NS_PER_MS

SoundCommand = ChooseVoice | ChooseOutput | SetTalk | SetVolume | SetMuted | SetHalfDuplex | SetEchoCancelling | Impair

Note = Callable[[str, Mapping[str, object]], None]
"""Writes a note into the record of the session, if there is one."""


class Sound:
    """Owns the voice and the loudspeaker for the life of the process; what happens to them is noted.

    `on_chunk` gets the participant's voice, `on_wake` is called after each block played, `show` when anything that the
    status tells of changed by itself.
    """

    def __init__(
        self,
        on_chunk: Callable[[SpokenChunk], None],
        on_wake: Callable[[], None],
        note: Note,
        show: Callable[[], None],
    ) -> None:
        self.impairing = Impairing(on_chunk, note)
        self.microphone_filter = MicrophoneFilter(note)
        self.voice = Voice(self.impairing.take, self._lost, self.microphone_filter, self._left_out)
        self._latency = OutputLatency(note, lambda: self.voice.microphone.device if self.voice.microphone else None)
        self.loudspeaker = Loudspeaker(on_wake, self._lost, self._latency.correct)
        self._losses = LossWatch()
        self._note = note
        self._show = show
        self._told_slow: list[str] = []
        self._choosing = {"input": asyncio.Lock(), "output": asyncio.Lock()}
        """Choices are made one after the other, so that the last one holds."""
        self._devices = DeviceReturn(self.voice, self.loudspeaker, note, self._lost, self._back)

    @property
    def lacks(self) -> list[str]:
        """What is lacking, a sentence each."""
        lacks = (self.voice.lack, self.loudspeaker.lack, self._devices.lack, *self._slow())
        return [lack for lack in lacks if lack is not None]

    def _slow(self) -> list[str]:
        """What is waited for longer than it should take, a sentence each."""
        return [slow for slow in (self.voice.slow, self.loudspeaker.slow, self._devices.slow) if slow is not None]

    @property
    def sounds(self) -> bool:
        """Whether the agent's voice is audible now."""
        return time.monotonic_ns() < self.sounding_until_ns()

    def sounding_until_ns(self) -> int:
        """Return when the last sample of the agent that was handed so far leaves the device."""
        return self.loudspeaker.playout.sounding_until_ns()

    def dac_source(self) -> DacSource:
        """Return where the times of the output come from."""
        state = self.loudspeaker.state
        return state.dac_source if state is not None else "latency"

    async def command(self, command: SoundCommand) -> None:
        """Execute a command. Raises SimulatorError where it cannot be done."""
        match command:
            case ChooseVoice():
                await self.choose_voice(command)
            case ChooseOutput():
                await self.choose_output(command)
            case SetTalk(down=down):
                self.set_talk(down)
            case SetVolume(db=db):
                self.set_volume(db)
            case SetMuted(muted=muted):
                self.set_muted(muted)
            case SetHalfDuplex(on=on):
                self.microphone_filter.set_half_duplex(on)
            case SetEchoCancelling(on=on):
                self.microphone_filter.set_echo_cancelling(on)
            case Impair(impairments=impairments):
                await self.impair(impairments)

    async def choose_voice(self, command: ChooseVoice) -> None:
        """Take the voice that a command names. Raises SimulatorError where it cannot; then silence takes its place."""
        async with self._choosing["input"]:
            self.microphone_filter.changed()
            match command.kind:
                case VoiceKind.SILENCE:
                    await self.voice.choose_silence()
                case VoiceKind.RECORDING:
                    if not command.recording:
                        raise UsageError("No recording was named: choose one.")
                    await self.voice.choose_recording(command.recording)
                case VoiceKind.MICROPHONE:
                    await self._devices.choose(Choice(command.device, command.host_api, command.channel), "input")
            self._devices.seek()
            self._note_voice()

    async def choose_output(self, command: ChooseOutput) -> None:
        """Play on the device that a command names. Raises DeviceUnavailable; then the silent clock takes its place."""
        async with self._choosing["output"]:
            try:
                await self._devices.choose(Choice(command.device, command.host_api, command.channel), "output")
            finally:
                self._note_output()

    async def play(self, playout: Playout) -> None:
        """Begin to play; where the device that is wanted does not open, the silent clock does, and it is looked for."""
        await self.loudspeaker.open(playout)
        self._devices.seek()

    async def microphone_off(self) -> None:
        """The microphone is off at once, and none is taken back any more."""
        self.voice.close()
        await self._devices.close()
        self.voice.close()

    async def close(self) -> None:
        """Nothing is looked for any more, nothing plays, and the microphone is off."""
        await self.microphone_off()
        self.loudspeaker.close()

    async def impair(self, impairments: Impairments | None) -> None:
        """Do this to the voice from now on. Raises UsageError for what cannot be done."""
        await self.impairing.choose(impairments)
        self.voice.delay_s = impairments.delay_ms / 1000 if impairments is not None else 0.0

    def set_talk(self, down: bool) -> None:
        """The talk key went down or up. Raises UsageError where there is nothing to say."""
        self.voice.set_talk(down)
        self._note("talk", {"down": down})

    def set_muted(self, muted: bool) -> None:
        """Replace the voice by silence, or let it through again."""
        self.voice.muted = muted
        self._note("voice.muted", {"muted": muted})

    def set_volume(self, db: float) -> None:
        """Play the agent so much louder than it was received. Raises UsageError outside of the bounds."""
        if not LOWEST_VOLUME_DB <= db <= HIGHEST_VOLUME_DB:
            raise UsageError(f"A volume lies between {LOWEST_VOLUME_DB:g} and {HIGHEST_VOLUME_DB:g} dB, not at {db:g}.")
        if db != self.loudspeaker.volume_db:
            self.loudspeaker.volume_db = db
            self._note("volume", {"db": db})

    def note_beginning(self) -> None:
        """A session begins: note whose voice it has, and where the agent's goes."""
        self._note_voice()
        if self.loudspeaker.device is not None:
            self._latency.correct(self.loudspeaker.device)  # the microphone, or what was measured, may be another now
        self._note_output()
        if self.loudspeaker.volume_db:
            self._note("volume", {"db": self.loudspeaker.volume_db})
        if self.voice.muted:
            self._note("voice.muted", {"muted": True})
        self.microphone_filter.note_beginning()
        self.impairing.note_beginning()

    def look(self, in_session: bool, *, everything: bool = False) -> None:
        """Note what was lost of the audio since the last look, for the session that there is."""
        self.microphone_filter.look()
        self._losses.look(self.voice.microphone, self.loudspeaker.output)
        slow = self._slow()
        for sentence in slow:
            if sentence not in self._told_slow:
                self._note("problem", {"whose": "environment", "code": "device_slow", "sentence": sentence})
        self._told_slow = slow
        if not in_session:
            self._losses.forget()
            return
        for fields in self._losses.take(time.monotonic_ns(), everything=everything):
            self._note("problem", fields)
        if everything:
            self.impairing.note_end()

    def _lost(self, sentence: str) -> None:
        """A device went away; the session goes on without it."""
        if sentence == self.voice.lack:
            self._note_voice()
        else:
            self._note_output()
        self._note("problem", {"whose": "environment", "code": "device_lost", "sentence": sentence})
        self._devices.seek()
        self._show()

    def _left_out(self, sentence: str) -> None:
        """A recording of the voice's folder cannot be read."""
        self._note("problem", {"whose": "environment", "code": "recording_unreadable", "sentence": sentence})
        self._show()

    def _back(self, direction: Direction) -> None:
        """A device came back."""
        if direction == "input":
            self._note_voice()
            if self.voice.talking:
                self._note("talk", {"down": True})
        else:
            self._note_output()
        self._show()

    def _note_voice(self) -> None:
        fields: dict[str, Any] = {"kind": self.voice.kind.value, "name": self.voice.name}
        if self.voice.microphone is not None:
            fields |= _form(self.voice.microphone.state())
        self._note("voice.chosen", fields)

    def _note_output(self) -> None:
        fields: dict[str, Any] = {"name": self.loudspeaker.name}
        if self.loudspeaker.device is not None:
            fields |= _form(self.loudspeaker.device.state()) | self._latency.told(self.loudspeaker.device)
        self._note("output.chosen", fields)


def _form(device: StreamState) -> dict[str, Any]:
    """Return how a device was opened, for the record."""
    return {
        "sample_rate_hz": device.rate_hz,
        "channels": device.channels,
        "channel": device.channel,
        "conversion_delay_ms": device.conversion_delay_ns / NS_PER_MS,
    }

"""What the participant's voice can come from, as the window offers it. No Qt here."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from simulator.audio.recordings import SpeechRecording
from simulator.participant.messages import ChooseVoice, VoiceKind
from simulator.resources import is_folder
from ui.models.devices import Channel, name_from_key, named_key

FIRST_FIXTURE = "coffee_or_tea"
"""The voice of a newcomer without a microphone."""

AUDIO_SUFFIXES = frozenset({".wav", ".flac", ".ogg", ".mp3", ".aiff", ".aif"})


@dataclass(frozen=True, slots=True)
class Voice:
    """A source of the participant's voice."""

    kind: VoiceKind
    name: str | None = None
    """Device name, fixture name or path; None for the default microphone and for silence."""
    host_api: str | None = None
    """Of a microphone, as is its channel."""
    channel: Channel = None
    words: str = field(default="", compare=False)
    """What is said in a recording, and by whom."""
    added: bool = field(default=False, compare=False)
    """Whether a recording is the user's own."""

    @property
    def label(self) -> str:
        """What the picker shows."""
        if self.kind is VoiceKind.SILENCE:
            return "Silence"
        if self.kind is VoiceKind.MICROPHONE:
            name = f"Mic: {self.name}" if self.name else "Mic: system default"
            if self.channel is None:
                return name
            return f"{name}, {'all channels' if self.channel == 'mix' else f'channel {self.channel}'}"
        # It begins with the name, so that typing the name in the list finds it.
        name = self.name or ""
        path = Path(name)
        if path.is_absolute():
            return f"{path.name} (folder)" if is_folder(path) else path.name
        return name.replace("_", " ")

    @property
    def told(self) -> str:
        """What its tool tip says."""
        return self.words or (f"{self.label} ({self.host_api})" if self.host_api else self.label)

    @property
    def key(self) -> str:
        """A text by which the choice is remembered."""
        return f"{self.kind.value}:{named_key(self.name, self.host_api, self.channel)}"

    def command(self) -> ChooseVoice:
        """Return the command that chooses this voice."""
        return ChooseVoice(
            id=0,
            kind=self.kind,
            device=self.name if self.kind is VoiceKind.MICROPHONE else None,
            host_api=self.host_api,
            channel=self.channel,
            recording=self.name if self.kind is VoiceKind.RECORDING else None,
        )


def voice_from_key(key: str) -> Voice | None:
    """Return the voice that `key` stands for, or None where it stands for none."""
    kind, _, named = key.partition(":")
    name, host_api, channel = name_from_key(named)
    try:
        return Voice(VoiceKind(kind), name, host_api, channel)
    except ValueError:
        return None


def recorded_voices(recordings: Iterable[SpeechRecording]) -> list[Voice]:
    """Return the recordings as voices: the newcomer's first, then the user's own, then the others in their order."""
    ordered = sorted(recordings, key=lambda each: (each.name != FIRST_FIXTURE, not each.added))
    return [
        Voice(VoiceKind.RECORDING, each.name, words=f"“{each.words}” {each.voice}", added=each.added)
        for each in ordered
    ]


def grouped(voices: Iterable[Voice]) -> list[list[Voice]]:
    """Return the voices as the picker shows them: what is not recorded, the user's own recordings, the others."""
    groups: list[list[Voice]] = [[], [], []]
    for voice in voices:
        if voice.kind is not VoiceKind.RECORDING:
            groups[0].append(voice)
        else:
            groups[1 if voice.added or Path(voice.name or "").is_absolute() else 2].append(voice)
    groups[0].sort(key=lambda voice: voice.kind is VoiceKind.SILENCE)
    return groups


def first_voice(voices: Iterable[Voice]) -> Voice:
    """Return what a newcomer starts with: a microphone where there is one, else the first recording, else silence."""
    known = list(voices)
    for kind in (VoiceKind.MICROPHONE, VoiceKind.RECORDING):
        for voice in known:
            if voice.kind is kind:
                return voice
    return Voice(VoiceKind.SILENCE)

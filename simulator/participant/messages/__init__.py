"""What the window and the participant process say to each other: JSON lines, one message a line.

Commands come on the participant's standard input; the feed leaves on its standard output. Each command carries an
`id`; exactly one `Reply` with that id answers it, after the command took effect or was refused. The feed is batched
about 30 times a second and bounded: what did not fit is one `Gap` line, and the entries are read from the record's
file. End of standard input means: microphone off, socket closed, record finished, exit within 2 s.
"""

from typing import Any

import msgspec

from simulator.audio.fades import HIGHEST_VOLUME_DB, LOWEST_VOLUME_DB
from simulator.participant.messages.commands import (
    AnswerCall,
    AnyCommand,
    Ask,
    CancelCue,
    ChooseOutput,
    ChooseVoice,
    Command,
    Connect,
    CreateResponse,
    Cue,
    Disconnect,
    Impair,
    KeepOwnAnswer,
    Mark,
    NoteMark,
    PlayStudy,
    Push,
    Quit,
    RecogniseWords,
    Replay,
    RequestReply,
    SendEvent,
    SetCallsInHand,
    SetEchoCancelling,
    SetHalfDuplex,
    SetInstructions,
    SetListening,
    SetMuted,
    SetTalk,
    SetVolume,
    Speak,
    StopReplay,
    StopReply,
    StopStudy,
    VoiceKind,
)
from simulator.participant.messages.feed import (
    AnyFeed,
    ConnectionState,
    Entries,
    Gap,
    HeldCall,
    Lane,
    Level,
    Peaks,
    ReplayProgress,
    Reply,
    SoundWarning,
    Status,
    StudyProgress,
)

__all__ = [
    "AnswerCall",
    "AnyCommand",
    "AnyFeed",
    "Ask",
    "CancelCue",
    "ChooseOutput",
    "ChooseVoice",
    "Command",
    "Connect",
    "ConnectionState",
    "CreateResponse",
    "Cue",
    "Disconnect",
    "Entries",
    "Gap",
    "HIGHEST_VOLUME_DB",
    "HeldCall",
    "Impair",
    "KeepOwnAnswer",
    "LOWEST_VOLUME_DB",
    "Lane",
    "Level",
    "Mark",
    "NoteMark",
    "Peaks",
    "PlayStudy",
    "Push",
    "Quit",
    "RecogniseWords",
    "Replay",
    "ReplayProgress",
    "Reply",
    "RequestReply",
    "SendEvent",
    "SetCallsInHand",
    "SetEchoCancelling",
    "SetHalfDuplex",
    "SetInstructions",
    "SetListening",
    "SetMuted",
    "SetTalk",
    "SetVolume",
    "SoundWarning",
    "Speak",
    "Status",
    "StopReplay",
    "StopReply",
    "StopStudy",
    "StudyProgress",
    "UNREADABLE",
    "VoiceKind",
    "command_id",
    "decode_command",
    "decode_feed",
    "encode_line",
]

UNREADABLE = (msgspec.MsgspecError, RecursionError)
"""What reading a line may raise."""


class _Numbered(msgspec.Struct):
    id: int


_encoder = msgspec.json.Encoder()
_command_decoder = msgspec.json.Decoder(AnyCommand)
_feed_decoder = msgspec.json.Decoder(AnyFeed)
_number_decoder = msgspec.json.Decoder(_Numbered)


def encode_line(message: AnyCommand | AnyFeed) -> bytes:
    """Return the message as one line of JSON, newline included.

    A path may hold bytes that are no UTF-8, which no JSON can say: they become question marks.
    """
    try:
        return _encoder.encode(message) + b"\n"
    except UnicodeEncodeError:
        return _encoder.encode(_sayable(msgspec.to_builtins(message))) + b"\n"


def _sayable(value: Any) -> Any:
    match value:
        case str():
            return value.encode(errors="replace").decode()
        case dict():
            return {_sayable(key): _sayable(each) for key, each in value.items()}
        case list() | tuple():
            return [_sayable(each) for each in value]
        case _:
            return value


def decode_command(line: bytes) -> AnyCommand:
    """Read a command line. Raises what is in `UNREADABLE`."""
    return _command_decoder.decode(line)


def command_id(line: bytes) -> int | None:
    """Return the id of a command that cannot be read otherwise, so that it gets its reply; None where it has none."""
    try:
        return _number_decoder.decode(line).id
    except UNREADABLE:
        return None


def decode_feed(line: bytes) -> AnyFeed:
    """Read a feed line. Raises what is in `UNREADABLE`."""
    return _feed_decoder.decode(line)

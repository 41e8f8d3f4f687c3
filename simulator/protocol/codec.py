"""Reading a frame of the engine: always a value, never an exception.

The common path is one pass with typed structs, in which msgspec turns base64 into bytes by itself. Only a frame that
does not fit (ignored, unknown, malformed) is read a second time to say why.
"""

import re
from typing import Any, Final

import msgspec

from simulator.profile import facts
from simulator.protocol.server_events import (
    AnyServerEvent,
    ErrorObject,
    IgnoredEvent,
    MalformedEvent,
    Received,
    UnknownEvent,
    WireObject,
)

MOST_NESTED: Final = 128
"""Levels of objects and arrays in a frame. Whoever keeps, compares or shows an event descends into it: deeper ones end
here rather than there."""

_UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
_AUDIO_FIELD = {"response.output_audio.delta": "delta", "response.audio.delta": "delta"}


def _view(kind: type, value: object) -> object:
    """Make the lenient view of a nested object. Raises TypeError where there is no object."""
    if not issubclass(kind, WireObject):
        raise NotImplementedError(f"no rule to read {kind}")
    if kind is ErrorObject and isinstance(value, str):
        return ErrorObject({"message": value})
    if not isinstance(value, dict):
        raise TypeError("Expected `object`")
    return kind(value)


_decoder = msgspec.json.Decoder(AnyServerEvent, dec_hook=_view)


def decode(frame: str | bytes) -> Received:
    """Return the event in `frame`. What cannot be read becomes a MalformedEvent; nothing is raised."""
    try:
        event = _decoder.decode(frame)
    except _UNREADABLE as error:
        return _explain(frame, str(error))
    return event if _is_shallow(frame) else _explain(frame, "")


def as_json(frame: str | bytes) -> dict[str, Any]:
    """Return the frame's object for the record, audio payloads replaced by ""; {} where there is no object."""
    try:
        wire = _read(frame)
    except _UNREADABLE:
        return {}
    if not isinstance(wire, dict):
        return {}
    kept: dict[str, Any] = wire if _is_shallow(frame, wire) else _flat(wire)
    kind = kept.get("type")
    field = _AUDIO_FIELD.get(kind) if isinstance(kind, str) else None
    if field is not None and field in kept:
        kept[field] = ""
    return kept


def _explain(frame: str | bytes, reason: str) -> Received:
    """Say what a frame is that is no whole event of the required list."""
    text = (
        frame.encode("utf-8", "backslashreplace").decode()
        if isinstance(frame, str)
        else frame.decode("utf-8", "replace")
    )
    try:
        wire = _read(frame)
    except _UNREADABLE as error:
        return MalformedEvent(text, f"The engine sent a frame that is not JSON: {_lower(str(error))}.")
    if not isinstance(wire, dict):
        return MalformedEvent(text, "The engine sent JSON that is not an object.")
    kind = wire.get("type")
    if not _is_shallow(frame, wire):
        kind = kind if isinstance(kind, str) else None
        sentence = f"The engine sent JSON that is nested more than {MOST_NESTED} levels deep."
        return MalformedEvent(text, sentence, kind, _flat(wire))
    if not isinstance(kind, str):
        return MalformedEvent(text, "The engine sent an object without an event type.", None, wire)
    if kind in facts.IGNORED_SERVER_EVENTS:
        return IgnoredEvent(kind, wire)
    if kind not in facts.REQUIRED_SERVER_FIELDS:
        return _unknown(kind, wire)
    missing = [field for field in facts.REQUIRED_SERVER_FIELDS[kind] if field not in wire]
    if missing:
        names = ", ".join(f"“{field}”" for field in missing)
        return MalformedEvent(text, f"{kind} lacks {names}, which HRP requires.", kind, wire)
    try:
        # Reached when only the repair of lone surrogates made it JSON.
        return msgspec.convert(wire, AnyServerEvent, dec_hook=_view)  # type: ignore[no-any-return]
    except msgspec.ValidationError as error:
        return MalformedEvent(text, f"{kind} has a field of the wrong kind: {_lower(str(error))}.", kind, wire)


def _unknown(kind: str, wire: dict[str, Any]) -> UnknownEvent:
    successor = facts.BETA_SERVER_EVENTS.get(kind)
    if successor is None:
        return UnknownEvent(kind, wire, f"“{kind}” is not an event of HRP {facts.SPEC_VERSION}.")
    sentence = f"“{kind}” belongs to the beta of the interface: HRP has “{successor}” instead."
    return UnknownEvent(kind, wire, sentence, beta=True)


def _lower(reason: str) -> str:
    reason = reason.removeprefix("JSON is malformed: ").replace("`", "").removesuffix(".")
    return reason[:1].lower() + reason[1:]


def _is_shallow(frame: str | bytes, wire: Any = None) -> bool:
    """Whether nothing in the frame lies deeper than `MOST_NESTED`; `wire` is the frame as it was read, if it was."""
    opened = frame.count("{") + frame.count("[") if isinstance(frame, str) else frame.count(b"{") + frame.count(b"[")
    if opened <= MOST_NESTED:
        return True
    return is_shallow(_read(frame) if wire is None else wire)


def is_shallow(value: Any) -> bool:
    """Whether nothing in a JSON value lies deeper than `MOST_NESTED` levels of objects and arrays."""
    level = [value]
    for _ in range(MOST_NESTED + 1):
        inner = [each for each in level if isinstance(each, dict | list)]
        level = [value for each in inner for value in (each.values() if isinstance(each, dict) else each)]
        if not inner:
            return True
    return False


def _flat(wire: dict[str, Any]) -> dict[str, Any]:
    """Return what lies at the top of an object."""
    return {name: value for name, value in wire.items() if not isinstance(value, dict | list)}


_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|.)", re.S
)
_LONE_ESCAPE_LENGTH = 6


def _read(frame: str | bytes) -> Any:
    """Read JSON. An engine that streams text by UTF-16 units may split a pair of surrogates between two events: each
    half, which is no character, becomes U+FFFD. Raises what is in `_UNREADABLE`."""
    try:
        return msgspec.json.decode(frame)
    except _UNREADABLE:
        text = frame if isinstance(frame, str) else frame.decode()
        repaired = _ESCAPE.sub(_repair, text)
        if repaired == text:
            raise
        return msgspec.json.decode(repaired)


def _repair(match: re.Match[str]) -> str:
    escape = match.group()
    lone = len(escape) == _LONE_ESCAPE_LENGTH and escape[1] == "u"
    return r"\ufffd" if lone else escape

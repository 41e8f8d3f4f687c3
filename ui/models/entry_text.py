"""An entry in words: its sign, and the few fields that matter of its type.

Shown in the log, searched by its filter. No Qt here.
"""

import enum
import re
from collections.abc import Callable
from typing import Any

from simulator.profile.facts import BETA_SERVER_EVENTS, IGNORED_SERVER_EVENTS, REQUIRED_SERVER_FIELDS
from simulator.record.entries import Direction, Entry
from simulator.record.fields import number, whole_number
from simulator.record.measures import SIMULATED
from simulator.units import NS_PER_MS, NS_PER_S, samples_to_ms
from ui.models.impairing import told

ARROWS = {Direction.RECEIVED: "◀", Direction.SENT: "▶", Direction.NOTED: "●"}

AUDIO_TYPES = frozenset({"input_audio_buffer.append", "response.output_audio.delta"})
"""Some fifty rows a second: the log folds them away unless they are asked for."""


class Sign(enum.Enum):
    """How much a row asks for attention."""

    PLAIN = enum.auto()
    NOTICE = enum.auto()
    """Unusual, and without harm: an event the profile does not know, a refused truncation."""
    PROBLEM = enum.auto()
    """Something broke: an error, a violation of the profile, a frame that cannot be read."""


_PROBLEM_TYPES = frozenset(
    {"error", "malformed", "problem", "violation", "conversation.item.input_audio_transcription.failed"}
)
_KNOWN_TYPES = frozenset(REQUIRED_SERVER_FIELDS) | IGNORED_SERVER_EVENTS | frozenset(BETA_SERVER_EVENTS)
_NOTICE_TYPES = frozenset(
    {
        "audio.dropped",
        "devices.reopened",
        "entry.lost",
        "feed.overflow",
        "playback.gap",
        "record.lost",
        "replay.missed",
        "replay.refused",
        "sound.warning",
        "truncation.refused",
    }
)


def sign_of(entry: Entry) -> Sign:
    """Return how much attention the entry asks for by itself."""
    if entry.type in _PROBLEM_TYPES:
        return Sign.PROBLEM
    if entry.direction is Direction.RECEIVED and entry.type not in _KNOWN_TYPES:
        return Sign.NOTICE
    if entry.problem is not None:
        return Sign.PROBLEM
    if entry.type in _NOTICE_TYPES:
        return Sign.NOTICE
    if entry.type == "connection.closed" and entry.event.get("by") in ("lost", "engine"):
        return Sign.PROBLEM
    if entry.type == "response.done" and _response(entry).get("status") in ("failed", "incomplete"):
        return Sign.PROBLEM
    return Sign.PLAIN


def clock(t_ns: int) -> str:
    """Return a record time as minutes, seconds and milliseconds: ``02:05.300``; hours only where there are any."""
    total_ms = max(0, t_ns) // NS_PER_MS
    minutes, milliseconds = divmod(total_ms, 60_000)
    hours, minutes = divmod(minutes, 60)
    text = f"{minutes:02}:{milliseconds / 1000:06.3f}"
    return f"{hours}:{text}" if hours else text


def long_clock(t_ns: int) -> str:
    """Return a duration as ``00:03:12``."""
    seconds = max(0, t_ns) // NS_PER_S
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def size_text(size_bytes: int) -> str:
    """Return a size as ``312 B``, ``4.1 kB`` or ``3.0 MB``; empty for none."""
    if size_bytes <= 0:
        return ""
    if size_bytes < 1000:
        return f"{size_bytes} B"
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1000:.1f} kB"
    return f"{size_bytes / 1_000_000:.1f} MB"


def gist(entry: Entry) -> str:
    """Return the few fields that matter of the entry, in one line."""
    write = _GISTS.get(entry.type)
    text = write(entry) if write else _scalars(entry.event)
    if entry.problem is not None:
        text = f"{entry.problem}  {text}" if text else entry.problem
    return text


def search_text(entry: Entry) -> str:
    """Return what the filter looks in: type, gist and identifiers, in lower case."""
    event = entry.event
    found = [event[key] for key in _IDENTIFIERS if key in event]
    found += [inner.get("id") for key in ("item", "response") if isinstance(inner := event.get(key), dict)]
    identifiers = " ".join(map(str, found))
    return f"{entry.type} {gist(entry)} {identifiers}".lower()


_IDENTIFIERS = ("event_id", "item_id", "response_id", "call_id", "previous_item_id")


_LONG_ID = re.compile(r"[a-z]+_[A-Za-z0-9]{9,}")


def short_id(identifier: Any) -> str:
    """Return an identifier of the engine's by kind and last letters: ``item_…f0b14``. The inspector has it whole."""
    text = str(identifier or "")
    if not _LONG_ID.fullmatch(text):
        return text
    return f"{text[: text.index('_') + 1]}…{text[-5:]}"


def _shorten(text: str, limit: int = 160) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _value(value: Any) -> str:
    if isinstance(value, str):
        return short_id(value) if _LONG_ID.fullmatch(value) else _shorten(value, 80)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _scalars(event: dict[str, Any]) -> str:
    parts = [
        f"{key} {_value(value)}"
        for key, value in event.items()
        if key not in {"type", "event_id"} and value is not None and not isinstance(value, dict | list)
    ]
    return _shorten("  ".join(parts))


_SELF_EVIDENT = frozenset({"item_id", "response_id", "sentence"})


def _fields(*keys: str) -> Callable[[Entry], str]:
    def write(entry: Entry) -> str:
        given = [(key, _value(entry.event[key])) for key in keys if entry.event.get(key) is not None]
        return "  ".join(value if key in _SELF_EVIDENT else f"{key} {value}" for key, value in given)

    return write


def _object(event: dict[str, Any], key: str) -> dict[str, Any]:
    value = event.get(key)
    return value if isinstance(value, dict) else {}


def _response(entry: Entry) -> dict[str, Any]:
    return _object(entry.event, "response")


def _audio(entry: Entry) -> str:
    milliseconds = samples_to_ms(entry.audio.samples) if entry.audio else 0.0
    item = short_id(entry.event.get("item_id"))
    return f"{item}  {milliseconds:.0f} ms" if item else f"{milliseconds:.0f} ms"


def _turn_detection(session: dict[str, Any]) -> str | None:
    received = _object(_object(session, "audio"), "input")
    if "turn_detection" not in received:
        return None
    detection = received["turn_detection"]
    if not isinstance(detection, dict):
        return "turn detection off"
    detail = detection.get("silence_duration_ms")
    text = f"{detection.get('type')}"
    if detail is not None:
        return f"{text} {detail} ms"
    return f"{text} {detection['eagerness']}" if detection.get("eagerness") else text


def _session(entry: Entry) -> str:
    session = _object(entry.event, "session")
    parts = [_turn_detection(session)]
    voice = _object(_object(session, "audio"), "output").get("voice")
    parts.append(f"voice {voice}" if voice else None)
    if isinstance(session.get("tools"), list):
        parts.append(f"{len(session['tools'])} tools")
    if session.get("instructions"):
        parts.append(f"“{_shorten(str(session['instructions']), 60)}”")
    return "  ".join(part for part in parts if part)


def _item(entry: Entry) -> str:
    item = _object(entry.event, "item")
    parts = [short_id(item[key]) for key in ("id", "type", "role") if item.get(key)]
    if item.get("type") == "function_call_output":
        parts.append(_shorten(str(item.get("output", "")), 80))
    if item.get("type") == "function_call":
        parts.append(_shorten(f"{item.get('name')} {item.get('arguments', '')}", 80))
    content = item.get("content")
    for part in content if isinstance(content, list) else []:
        text = part.get("text") or part.get("transcript") if isinstance(part, dict) else None
        if text:
            parts.append(f"“{_shorten(str(text), 90)}”")
    return "  ".join(parts)


def _response_create(entry: Entry) -> str:
    response = _response(entry)
    modalities = response.get("output_modalities")
    parts = ["/".join(str(kind) for kind in modalities) if isinstance(modalities, list) else ""]
    choice = response.get("tool_choice")
    if isinstance(choice, dict):
        parts.append(f"tool {choice.get('name')}")
    elif choice:
        parts.append(f"tool_choice {choice}")
    if response.get("instructions"):
        parts.append(f"“{_shorten(str(response['instructions']), 60)}”")
    return "  ".join(part for part in parts if part)


def _response_state(entry: Entry) -> str:
    response = _response(entry)
    parts = [short_id(response.get("id")), str(response.get("status") or "")]
    details = _object(response, "status_details")
    parts.append(str(details.get("reason") or ""))
    parts.append(str(_object(details, "error").get("message") or ""))
    tokens = _object(response, "usage").get("total_tokens")
    parts.append(f"{tokens} tokens" if tokens is not None else "")
    return "  ".join(part for part in parts if part)


def _error(entry: Entry) -> str:
    error = _object(entry.event, "error")
    return "  ".join(str(error[key]) for key in ("code", "message", "param") if error.get(key))


def _quoted(key: str) -> Callable[[Entry], str]:
    def write(entry: Entry) -> str:
        item = short_id(entry.event.get("item_id"))
        text = f"“{_shorten(str(entry.event.get(key, '')), 140)}”"
        return f"{item}  {text}" if item else text

    return write


def _note(entry: Entry) -> str:
    note = _shorten(str(entry.event.get("note") or ""), 140)
    return f"“{note}”" if note else ""


def _recognised(entry: Entry) -> str:
    if entry.event.get("error"):
        return _fields("item_id", "error")(entry)
    model = entry.event.get("model")
    return f"{_quoted('text')(entry)}  here, by {model}"


def _call(entry: Entry) -> str:
    return _shorten(f"{entry.event.get('name', '')} {entry.event.get('arguments', '')}")


def _call_answered(entry: Entry) -> str:
    event = entry.event
    by = "by the operator" if event.get("by") == "operator" else "as judged"
    how = f"  {event.get('how', '')}" if event.get("by") == "operator" else ""
    return f"{by}{how}  {_shorten(str(event.get('output', '')))}"


def _cut(entry: Entry) -> str:
    event = entry.event
    heard, received = whole_number(entry, "handed_samples"), whole_number(entry, "received_samples")
    parts = [short_id(event.get("item_id"))]
    if heard is not None and received is not None:
        parts.append(f"heard {samples_to_ms(heard):.0f} of {samples_to_ms(received):.0f} ms")
    if event.get("cause"):
        parts.append(str(event["cause"]))
    return "  ".join(parts)


def _barge_in(entry: Entry) -> str:
    event = entry.event
    parts = [short_id(event.get("item_id"))]
    received, cut, silent = (whole_number(entry, name) for name in ("received_ns", "cut_ns", "inaudible_ns"))
    if received is not None and silent is not None and event.get("dac_source") != SIMULATED:
        silent_ms = max(0, silent - received) / NS_PER_MS
        parts.append(f"silent after {silent_ms:.0f} ms ({event.get('dac_source', '')})")
    if received is not None and cut is not None:
        parts.append(f"cut after {(cut - received) / NS_PER_MS:.1f} ms")
    return "  ".join(part for part in parts if part)


def _push(entry: Entry) -> str:
    context = _object(entry.event, "context")
    return f"{context.get('event', '')}  {_scalars({k: v for k, v in context.items() if k != 'event'})}".strip()


def _cue(entry: Entry) -> str:
    event = entry.event
    after, repeat = str(event.get("after", "")).replace("_", " "), "  each time" if event.get("repeat") else ""
    return f"{event.get('seconds', '')} s after {after}{repeat}  {_shorten(str(event.get('what', '')))}"


def _replay_started(entry: Entry) -> str:
    by = "as in the conversation" if entry.event.get("by") == "replies" else "by the clock"
    return f"{entry.event.get('of', '')}  {by}  {entry.event.get('acts', '')} acts"


def _replay_act(entry: Entry) -> str:
    event = entry.event
    exchange = f" {event['exchange']}" if event.get("exchange") else ""
    after, late = number(entry, "after_ms"), number(entry, "late_ms")
    parts = [f"{event.get('number', '')}  {_shorten(str(event.get('what', '')), 90)}"]
    if after is not None:
        parts.append(f"{after:,.0f} ms after {event.get('after', '')}{exchange}")
    if late is not None:
        parts.append(f"late by {late:,.1f} ms")
    return "  ".join(parts)


def _answer(entry: Entry) -> str:
    event = entry.event
    verdict = "accepted" if event.get("accepted") else f"refused: {event.get('error', '')}"
    return f"{event.get('tool', '')}  {event.get('value')!r}  {verdict}"


_GISTS: dict[str, Callable[[Entry], str]] = {
    "input_audio_buffer.append": _audio,
    "response.output_audio.delta": _audio,
    "input_audio_buffer.speech_started": _fields("item_id", "audio_start_ms"),
    "input_audio_buffer.speech_stopped": _fields("item_id", "audio_end_ms"),
    "input_audio_buffer.committed": _fields("item_id", "previous_item_id"),
    "session.update": _session,
    "session.created": _session,
    "session.updated": _session,
    "conversation.item.create": _item,
    "conversation.item.added": _item,
    "conversation.item.done": _item,
    "conversation.item.truncate": _fields("item_id", "audio_end_ms"),
    "conversation.item.truncated": _fields("item_id", "audio_end_ms"),
    "response.create": _response_create,
    "response.created": _response_state,
    "response.done": _response_state,
    "response.output_audio_transcript.delta": _quoted("delta"),
    "response.output_audio_transcript.done": _quoted("transcript"),
    "conversation.item.input_audio_transcription.completed": _quoted("transcript"),
    "conversation.item.input_audio_transcription.delta": _quoted("delta"),
    "response.function_call_arguments.done": _call,
    "error": _error,
    "malformed": lambda entry: _shorten(entry.raw_text or ""),
    "problem": _fields("sentence"),
    "violation": lambda entry: f"{entry.event.get('clause', '')}: {entry.event.get('sentence', '')}",
    "push": _push,
    "recognised": _recognised,
    "answer": _answer,
    "device.returned": _fields("name", "direction"),
    "sound.warning": _fields("sentence"),
    "sound.good": _fields("code", "because"),
    "impairments": lambda entry: told(entry.event) or "none any more",
    "cue.set": _cue,
    "replay.started": _replay_started,
    "replay.act": _replay_act,
    "replay.missed": lambda entry: f"{entry.event.get('exchange', '')}  {entry.event.get('what', '')}",
    "replay.refused": lambda entry: (
        f"{entry.event.get('number', '')}  {_shorten(str(entry.event.get('sentence', '')))}"
    ),
    "call.held": _call,
    "call.answered": _call_answered,
    "tool.added": lambda entry: f"{entry.event.get('name', '')}, which this session did not declare at its start",
    "mark": lambda entry: _note(entry) or "by the operator",
    "mark.note": lambda entry: f"of the mark #{entry.event.get('mark', '')}: {_note(entry)}",
    "raw": lambda entry: f"event #{entry.event.get('seq', '')} was sent as it stands",
    "barge_in": _barge_in,
    "playback.cut": _cut,
    "playback.ended": _cut,
    "playback.started": _fields("item_id", "response_id"),
}

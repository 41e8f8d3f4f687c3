"""What a fault is, and how one is written.

A fault breaks one rule of the interface, so that somebody can see that a check notices it. An oddity is unusual and
allowed, so that somebody can see that no check minds it. Either is a small `Behaviour`, declared where it is written:

    @fault("onset in time", SPEAKING)
    class SpeechStartedLate(Behaviour):
        '''speech_started leaves 1.4 s late.'''

or, where it only changes events of one type on their way out, a generator:

    @fault_in("input_audio_buffer.speech_started", "onset in time", SPEAKING)
    def speech_started_late(event: Event) -> Iterator[Said]:
        '''speech_started leaves 1.4 s late.'''

(`fault_of` does the same for the events of some responses only.)

Its name is that of the class or function, in lower case with underscores; its docstring's first line says what it does.
"""

from __future__ import annotations

import copy
import enum
import inspect
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.engine.behaviour import Behaviour, Event, Said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

FAULT = "fault"
ODDITY = "oddity"

# Checks of the suite: all in its order, then by what they do.
ALL_CHECKS = (
    *("handshake", "engine_turn", "barge_in", "listening_pause", "listening_pause_silent"),
    *("cancel", "function_call", "silent_tool", "image_context", "turn_detection_fields"),
)
SPEAKING = ("engine_turn", "barge_in", "listening_pause", "listening_pause_silent")
PAUSING = ("listening_pause", "listening_pause_silent")
INTERRUPTING = ("barge_in", "cancel")
SPOKEN_REPLY = ("engine_turn", *INTERRUPTING, "function_call")
CALLING = ("function_call", "silent_tool", "image_context")
ASKING = ("silent_tool", "image_context")

BOTH_MODES = ("server_vad", "semantic_vad")
SEMANTIC_VAD = ("semantic_vad",)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault or an oddity, as it is listed and chosen.

    Attributes:
        name: what `--fault` takes.
        kind: fault or oddity.
        does: what the engine then does, in one sentence.
        clause: the demand that it breaks, by the name that the checks give it; empty for an oddity.
        checks: for a fault, all checks that must catch it; for an oddity, those that it could fool.
        modes: the turn detections in which it shows.
        begin: makes the behaviour of one session.
    """

    name: str
    kind: str
    does: str
    clause: str
    checks: tuple[str, ...]
    modes: tuple[str, ...]
    begin: Callable[[], Behaviour] = field(repr=False, compare=False)


def fault(
    clause: str, checks: Sequence[str], modes: Sequence[str] = BOTH_MODES
) -> Callable[[Callable[[], Behaviour]], Fault]:
    """Declares a class of behaviour as a fault."""
    return lambda begin: _declared(FAULT, begin, begin, clause, checks, modes)


def fault_in(
    kinds: str | Sequence[str], clause: str, checks: Sequence[str], modes: Sequence[str] = BOTH_MODES
) -> Callable[[Callable[[Event], Iterator[Said]]], Fault]:
    """Declares as a fault what becomes of events of these types as they leave."""
    return lambda change: _declared(FAULT, change, lambda: Changed(kinds, change), clause, checks, modes)


def fault_of(
    responses: Responses, kinds: str | Sequence[str], clause: str, checks: Sequence[str]
) -> Callable[[Callable[[Event], Iterator[Said]]], Fault]:
    """Declares as a fault what becomes of events of these types that belong to these responses."""
    return lambda change: _declared(
        FAULT, change, lambda: Changed(kinds, change, responses), clause, checks, BOTH_MODES
    )


def oddity(checks: Sequence[str], modes: Sequence[str] = BOTH_MODES) -> Callable[[Callable[[], Behaviour]], Fault]:
    """Declares a class of behaviour as an oddity."""
    return lambda begin: _declared(ODDITY, begin, begin, "", checks, modes)


def oddity_in(
    kinds: str | Sequence[str], checks: Sequence[str], modes: Sequence[str] = BOTH_MODES
) -> Callable[[Callable[[Event], Iterator[Said]]], Fault]:
    """Declares as an oddity what becomes of events of these types as they leave."""
    return lambda change: _declared(ODDITY, change, lambda: Changed(kinds, change), "", checks, modes)


def _declared(
    kind: str, source: Any, begin: Callable[[], Behaviour], clause: str, checks: Sequence[str], modes: Sequence[str]
) -> Fault:
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", source.__name__).lower()
    does = (inspect.getdoc(source) or "").partition("\n")[0]
    return Fault(name, kind, does, clause, tuple(sorted(checks, key=ALL_CHECKS.index)), tuple(modes), begin)


class Responses(enum.Enum):
    """Which responses a fault is about."""

    ANSWERS = "those that the engine starts by itself after a turn"
    SPOKEN = "those that speak"
    SILENT = "those without audio"


class Changed(Behaviour):
    """Puts others in the place of events of some types; the rest leaves as it is.

    Args:
        kinds: the types; with `responses` also the prefix "response." for all events of a response.
        change: gives what leaves in place of one.
        responses: only events of these responses; None does not ask to which one an event belongs.
    """

    def __init__(
        self,
        kinds: str | Sequence[str],
        change: Callable[[Event], Iterator[Said]],
        responses: Responses | None = None,
    ) -> None:
        self._kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
        self._change = change
        self._responses = responses
        self._ids: set[str] = set()
        self._turn_over = False

    def says(self, event: Event) -> Iterable[Said]:
        if event["type"] == "response.created" and self._concerns(event):
            self._ids.add(event["response"]["id"])
        self._turn_over = event["type"] == "input_audio_buffer.committed" or (
            self._turn_over and event["type"].startswith("conversation.")
        )
        if event["type"] not in self._kinds and not ("response." in self._kinds and event["type"][:9] == "response."):
            return (Said(event),)
        if self._responses is not None and response_id_of(event) not in self._ids:
            return (Said(event),)
        return self._change(event)

    def _concerns(self, created: Event) -> bool:
        match self._responses:
            case Responses.ANSWERS:
                return self._turn_over
            case Responses.SPOKEN:
                return spoke(created)
            case Responses.SILENT:
                return not spoke(created)
            case None:
                return False


def response_id_of(event: Event) -> str | None:
    """The response to which a server event belongs."""
    found: str | None = event.get("response_id") or event.get("response", {}).get("id")
    return found


def changed(event: Event, path: str, value: Any) -> Event:
    """A copy of an event with another value at a dotted path, whose parts but the last must be there."""
    result = copy.deepcopy(event)
    *parents, last = path.split(".")
    inner = result
    for name in parents:
        inner = inner[name]
    inner[last] = value
    return result


def without(event: Event, path: str) -> Event:
    """A copy of an event without the field at a dotted path."""
    result = copy.deepcopy(event)
    *parents, last = path.split(".")
    inner = result
    for name in parents:
        inner = inner[name]
    inner.pop(last, None)
    return result


def spoke(event: Event) -> bool:
    """Whether a response.created or response.done is of a response that speaks."""
    return bool(event["response"]["output_modalities"] == ["audio"])


def switches_detection(event: Event) -> bool | None:
    """Whether a client event switches turn detection on (True) or off (False), or leaves it alone (None)."""
    audio = event.get("session", {}).get("audio") if event["type"] == "session.update" else None
    given = (audio or {}).get("input") or {}
    return None if "turn_detection" not in given else given["turn_detection"] is not None

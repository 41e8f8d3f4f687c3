"""A replay in words: what it would do again, how, and what came of it. No Qt here."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from simulator.participant.messages import ReplayProgress
from simulator.profile.agent_spec import AgentSpec
from simulator.record.folder import SESSION
from simulator.record.replay.deeds import (
    Ask,
    By,
    Instruct,
    Listen,
    OwnAnswer,
    Plan,
    Push,
    Request,
    Say,
    SendRaw,
    StopReply,
)
from ui.models.entry_text import long_clock
from ui.models.turn_detections import title_of

_DEEDS: Final = (
    (Say, "speech", "speeches"),
    (Push, "push", "pushes"),
    (Ask, "question", "questions"),
    (OwnAnswer, "own answer", "own answers"),
    (Listen, "switch of listening", "switches of listening"),
    (Instruct, "change of instructions", "changes of instructions"),
    (Request, "request of a reply", "requests of a reply"),
    (SendRaw, "event composed by hand", "events composed by hand"),
    (StopReply, "reply stopped by hand", "replies stopped by hand"),
)
AS_RECORDED: Final = "As recorded"
TIMES: Final[dict[By, tuple[str, str]]] = {
    "replies": (
        "As in the conversation",
        "Each speech and each push follows the agent's reply as it did then. A slower agent is waited for; an "
        "interruption stays one.",
    ),
    "clock": (
        "As on the clock",
        "Everything comes at its recorded second, whatever the agent does. A slower agent may be talked over.",
    ),
}
"""What a replay can keep, in a few words and explained."""


@dataclass(frozen=True, slots=True)
class ReplayChoice:
    """How a record is to be replayed."""

    engine: str
    turn_detection: dict[str, Any]
    instructions: str
    by: By


def name_of(record: Path) -> str:
    """Return what a record is called: the name of its session's folder, else of its file."""
    if record.name == SESSION:
        return record.parent.name
    return record.stem if record.suffix == ".jsonl" else record.name


def summary(plan: Plan) -> str:
    """Return in a line what would be done again: ``00:01:12 · 3 speeches · 1 question · 4 replies of the agent``."""
    parts = [long_clock(plan.ends_ns)]
    parts += [_counted(count, one, more) for count, one, more in _counts(plan) if count]
    parts.append(_counted(plan.exchanges, "reply of the agent", "replies of the agent"))
    return " · ".join(parts)


def turn_detections(plan: Plan, specification: AgentSpec) -> list[tuple[str, dict[str, Any]]]:
    """Return the turn detections to choose from, the record's own first; by title, each a whole wire object."""
    recorded = plan.settings.turn_detection
    offered = [] if recorded is None else [(f"{AS_RECORDED}: {title_of(recorded)}", recorded)]
    others = [specification.turn_detection(str(each["type"])) for each in specification.turn_detections]
    return [*offered, *((title_of(wire), wire) for wire in others if wire != recorded)]


def tools_of(plan: Plan, specification: AgentSpec) -> tuple[list[str], list[str]]:
    """Return the record's tools that the specification has, and those that it has not."""
    known = specification.tool_names
    return (
        [name for name in plan.settings.tools if name in known],
        [name for name in plan.settings.tools if name not in known],
    )


def changes_instructions(plan: Plan) -> bool:
    """Return whether the record changed the instructions later on."""
    return any(isinstance(act.deed, Instruct) and act.deed.instructions is not None for act in plan.acts)


def progress_line(name: str, engine: str, progress: ReplayProgress | None) -> str:
    """Return what a replay is at, for the strip that shows it."""
    if progress is None:
        return f"Replaying  {name}  ·  connecting to {engine}…"
    waits = f"  ·  waits for {progress.waits_for}" if progress.waits_for else ""
    return f"Replaying  {name}  against {engine}  ·  {progress.done} of {progress.acts}{waits}"


def lost(name: str, ended: dict[str, Any]) -> str:
    """Return in a sentence what of a record could not be done again; empty where nothing was lost.

    `ended` is the note `replay.ended`.
    """
    missed, refused = _number(ended.get("missed")), _number(ended.get("refused"))
    parts = []
    if missed:
        parts.append(f"{_counted(missed, 'reply', 'replies')} of the agent did not come")
    if refused:
        parts.append(f"{_counted(refused, 'thing was', 'things were')} refused")
    if not parts:
        return ""
    return f"In the replay of {name}, {' and '.join(parts)}: the log names each (filter it for “replay”)."


def _counts(plan: Plan) -> Iterator[tuple[int, str, str]]:
    # A part that has no guidance of its own is noted, and changes nothing.
    deeds = [act.deed for act in plan.acts if not (isinstance(act.deed, Instruct) and act.deed.instructions is None)]
    for kind, one, more in _DEEDS:
        yield sum(isinstance(deed, kind) for deed in deeds), one, more


def _counted(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


def _number(value: Any) -> int:
    return len(value) if isinstance(value, list) else value if isinstance(value, int) else 0

"""Imports an experiment of HyperStudy: the JSON that the platform exports and that its Python SDK's builder writes.

    {"name": …, "roles": {id: {name, participantCount}}, "globalComponents": {"videochat": {…}},
     "states": [{"id", "name", "focusComponent": {"type", "config"}, "transitionRules": {"type", "durationMs"},
                 "globalComponentsVisibility": {"videochat": true}}]}

States become parts, roles the participants, the visibility of the video chat decides when the participant is heard. The
agent is one participant, the simulator's participant another. What has no meaning for a voice agent is listed in
sentences; nothing is left out in silence, nothing is downloaded, and no file but this one is read.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from simulator.profile import context_items
from simulator.study.hyperstudy_json import Node, names, read_json
from simulator.study.hyperstudy_notes import Notes
from simulator.study.hyperstudy_pauses import configurations
from simulator.study.hyperstudy_roles import Role, agents_role, instructions, other_participants, read_roles
from simulator.study.hyperstudy_states import Part, Setting, part_of
from simulator.study.hyperstudy_text import plain_text
from simulator.study.steps import PushContext, Step, Study, When
from simulator.study.yaml_nodes import read_file

_READ: Final = {"name", "metadata", "states", "roles", "globalComponents", "requiredParticipants", "agentConfig"}
_BEFORE_AND_AFTER: Final[dict[str, tuple[str, ...]]] = {
    "the consent form": ("consentForm",),
    "the instructions": ("instructions",),
    "the questionnaire after the experiment": ("postExperimentQuestionnaire",),
    "the waiting room": ("waitingRoomConfig",),
    "the completion screen": ("completionScreen",),
    "what happens when somebody disconnects": ("disconnectTimeout",),
}
"""What people see before and after the states, and the agent does not, by how its fields begin."""


def import_experiment(path: Path, role: str | None = None) -> tuple[Study, list[str]]:
    """Return an experiment as a study, and in sentences what was not taken over or otherwise than it was meant.

    `role` is the id or the name of the role that the agent plays; None where there is only one that it can be. Raises
    UnreadableFile with file, path in the JSON and what was expected, UnknownName for a role that is not there, and
    UsageError where several roles could be the agent's.
    """
    notes = Notes()
    fields = _experiment(path, notes)
    roles = read_roles(fields, notes)
    agent = agents_role(roles, role, path)
    parts = _parts(fields, agent, notes)
    chat = _text_chat(fields, parts, notes)
    talks = chat or any(_is_heard(part) for part in parts)
    others = other_participants(fields, roles, agent, talks=talks)
    _say_participants(others, notes)
    first = [Step(PushContext(context_items.participants(others)))] if others else []
    study = Study(
        name=_name(fields, path),
        steps=(*first, *(step for part in parts for step in part.steps)),
        instructions=instructions(fields, agent, notes),
        text_chat=chat,
    )
    _say_left_out(fields, notes)
    return study, notes.sentences


def roles_of(path: Path) -> tuple[Role, ...]:
    """Return the roles of an experiment, none for a study file of our own. `likely_agents` of them are to choose from.

    Raises UnreadableFile.
    """
    from simulator.study.loading import is_experiment

    if not is_experiment(read_file(path)):
        return ()
    notes = Notes()
    return read_roles(_experiment(path, notes), notes)


def _experiment(path: Path, notes: Notes) -> Mapping[str, Node]:
    """Return the experiment's fields, out of whatever envelope the platform put it in."""
    root = read_json(path, read_file(path))
    expected = "an experiment, as {name, states}"
    fields = root.fields(expected)
    if "states" not in fields and "data" in fields:
        inner = fields["data"]
        root = next(inner.items(expected), inner) if isinstance(inner.value, list) else inner
        fields = root.fields(expected)
    if "states" not in fields and "experiment" in fields:
        if media := fields.get("mediaAssets"):
            count = len(media.value) if isinstance(media.value, list | dict) else 0
            notes.add(f"The {count} media files that the export lists are not in it, and are not downloaded.")
        envelope = sorted(set(fields) - {"experiment", "mediaAssets", "exportInfo"})
        if envelope:
            notes.add(f"Not taken over beside the experiment: {names(envelope)}.")
        root = fields["experiment"]
        fields = root.fields(expected)
    if "states" not in fields:
        raise root.wrong("expected the experiment's states, as the list that the platform exports under that name.")
    return fields


def _name(fields: Mapping[str, Node], path: Path) -> str:
    named = fields.get("name")
    if named is None and "metadata" in fields:
        metadata = fields["metadata"].fields("the experiment's title and description")
        named = metadata.get("title", metadata.get("name"))
    if named is None:
        return path.stem
    return " ".join(plain_text(named.text("the experiment's name"))[0].split()) or path.stem


# ---- states


def _parts(fields: Mapping[str, Node], agent: Role | None, notes: Notes) -> list[Part]:
    states = _in_order(list(fields["states"].items("the list of the experiment's states")), notes)
    if not states:
        raise fields["states"].expected("at least one state")
    setting = _setting(fields, agent, notes)
    parts: list[Part] = []
    when = When.NOW
    for state in states:
        parts.append(part_of(state, when, setting))
        when = When.AFTER_REPLY if parts[-1].ends_by_participants else When.NOW
    if lost := sorted(set(setting.pauses) - {part.state_id for part in parts}):
        notes.add(f"The rating pauses of {names(lost)} are left out: there is no such state.")
    open_ended = sum(part.ends_by_participants for part in parts)
    if open_ended:
        notes.add(
            f"Participants themselves end {open_ended:,} of {len(parts):,} states: in the study, the next part begins "
            "after the reply to what was said last, or at once. Put a wait where a part shall last, or push by hand."
        )
    if setting.video_chat and (silent := sum(not part.says_video_chat for part in parts)):
        notes.add(
            f"{silent:,} of {len(parts):,} states do not say whether they show the video chat: it is taken as shown, "
            "as the experiment has it throughout."
        )
    if any(_is_heard(part) for part in parts):
        notes.add("An experiment holds nothing that is said: speak yourself, or add steps that say a text.")
    return parts


def _in_order(states: list[Node], notes: Notes) -> list[Node]:
    """Return the states by their `order`, where each has one."""
    orders: list[float] = []
    for state in states:
        order = state.fields("a state, as {id, name, focusComponent}").get("order")
        if order is None:
            return states
        orders.append(order.number("the state's place in the order, as a number", 0, 1e9))
    placed = sorted(range(len(states)), key=lambda at: orders[at])
    if placed != list(range(len(states))):
        notes.add("The states come by their order fields, which differ from their order in the file.")
    return [states[at] for at in placed]


def _setting(fields: Mapping[str, Node], agent: Role | None, notes: Notes) -> Setting:
    everywhere = _global_components(fields)
    chat = everywhere.get("videochat")
    off = chat is not None and _is_off(chat)
    for name, node in everywhere.items():
        inside = sorted(node.fields(f"the settings of {name}"))
        if name in ("videochat", "textchat"):
            inside = [field for field in inside if field not in ("enabled", "id", "type")]
            if inside:
                notes.add(f"Not taken over of the global component {name}: {names(inside)}.")
        elif name != "sparserating" and not _is_off(node):
            notes.add(f"The global component {name} has no meaning for a voice agent, and is left out.")
    rating = everywhere.get("sparserating")
    pauses = configurations(rating, notes) if rating is not None else {}
    return Setting(notes, chat is not None and not off, off, pauses, agent.id if agent is not None else None)


def _global_components(fields: Mapping[str, Node]) -> dict[str, Node]:
    if "globalComponents" not in fields:
        return {}
    node = fields["globalComponents"]
    if isinstance(node.value, list):
        expected = "a component, as {type, config}"
        listed = [(each.fields(expected), each) for each in node.items("a list of components")]
        return {own["type"].text("the component's type").lower(): each for own, each in listed if "type" in own}
    return {name.lower(): each for name, each in node.entries("components by their type").items()}


def _is_off(node: Node) -> bool:
    enabled = node.fields("the settings of a global component").get("enabled")
    return enabled is not None and enabled.value is False


def _is_heard(part: Part) -> bool:
    return any(getattr(step.action, "video_chat", None) or getattr(step.action, "on", False) for step in part.steps)


def _text_chat(fields: Mapping[str, Node], parts: list[Part], notes: Notes) -> bool:
    everywhere = _global_components(fields).get("textchat")
    there = everywhere is not None and not _is_off(everywhere)
    shown = [there if part.text_chat is None else part.text_chat for part in parts]
    if any(shown) and not all(shown):
        notes.add(
            f"The text chat is shown in {sum(shown):,} of {len(parts):,} states; in a study it is there from the start "
            "to the end."
        )
    return any(shown)


# ---- sentences


def _say_participants(others: list[dict[str, str]], notes: Notes) -> None:
    if others:
        notes.add("The experiment names no people: the participants are called by their roles, or by numbers.")
    if len(others) > 1:
        notes.add(f"Of the {len(others)} other participants, one has a voice here.")


def _say_left_out(fields: Mapping[str, Node], notes: Notes) -> None:
    left = [name for name in fields if name not in _READ]
    if _is_true(fields, "randomizeStates"):
        notes.add("The platform draws the order of the states for each participant; here they keep that of the file.")
    if "variables" in fields and fields["variables"].value:
        variables = _inner_names(fields["variables"].value)
        notes.add(f"Not taken over: the variables, which the platform fills in ({variables}).")
    for what, beginnings in _BEFORE_AND_AFTER.items():
        group = [name for name in left if name.startswith(beginnings)]
        left = [name for name in left if name not in group]
        enabled = [fields[name].value for name in group if name.endswith("Enabled")]
        if group and enabled != [False]:
            notes.add(f"Only people see {what}, so that it is not taken over: {names(group)}.")
    left = [name for name in left if name not in ("randomizeStates", "variables")]
    if left:
        notes.add(f"Not taken over of the experiment: {names(left)}.")


def _is_true(fields: Mapping[str, Node], name: str) -> bool:
    return name in fields and fields[name].value is True


def _inner_names(value: Any) -> str:
    listed = list(value) if isinstance(value, dict) else [f"{len(value)} of them"] if isinstance(value, list) else ["?"]
    return names(listed[:10]) if len(listed) <= 10 else f"{', '.join(listed[:10])} and {len(listed) - 10} more"

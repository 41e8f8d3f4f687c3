"""The roles of an experiment: which one the agent plays, who the others are, and what the agent is told of its own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from simulator.errors import UnknownName, UsageError
from simulator.study.hyperstudy_json import Node, names
from simulator.study.hyperstudy_notes import Notes
from simulator.study.hyperstudy_text import plain_text

MOST_PARTICIPANTS: Final = 100
_ROLE_FIELDS: Final = {"id", "name", "participantCount", "mode", "personaId"}
_PROMPT: Final = ("persona", "objective", "guidance", "examples", "additionalInstructions")
_PARTICIPANTS: Final = f"a whole number of participants, up to {MOST_PARTICIPANTS}"


class Role(msgspec.Struct, frozen=True):
    """A role of an experiment."""

    id: str
    name: str
    count: int = 1
    """How many participants have it."""
    is_agent: bool = False
    """Whether the experiment gives it to an agent."""
    persona: str | None = None
    """The agent of the platform's library that plays it."""


def read_roles(experiment: Mapping[str, Node], notes: Notes) -> tuple[Role, ...]:
    """Return the roles, in the file's order."""
    if "roles" not in experiment:
        return ()
    node = experiment["roles"]
    if isinstance(node.value, list):
        each = [(f"{number + 1}", listed) for number, listed in enumerate(node.items("a list of roles"))]
    else:
        each = list(node.entries("the roles, as {id: {name, participantCount}}").items())
    roles: dict[str, Role] = {}
    for key, role_node in each:
        role = _role(key, role_node, notes)
        if role.id in roles:
            raise role_node.wrong(f"the role {role.id} stands twice: keep one of them.")
        roles[role.id] = role
    return tuple(roles.values())


def _role(key: str, node: Node, notes: Notes) -> Role:
    fields = node.fields("a role, as {name, participantCount, mode}")
    role_id = fields["id"].text("the role's id") if "id" in fields else key
    name = " ".join(plain_text(fields["name"].text("the role's name"))[0].split()) if "name" in fields else role_id
    count = _whole(fields["participantCount"], 0) if "participantCount" in fields else 1
    is_agent = "mode" in fields and fields["mode"].text("human or agent").lower() == "agent"
    persona = fields["personaId"].text("the id of an agent") if "personaId" in fields else None
    if unknown := sorted(set(fields) - _ROLE_FIELDS):
        notes.add(f"Not taken over of the role “{name}”: {names(unknown)}.")
    return Role(role_id, name or role_id, count, is_agent, persona)


def _whole(node: Node, smallest: int) -> int:
    count = node.number(_PARTICIPANTS, smallest, MOST_PARTICIPANTS)
    if count != int(count):
        raise node.expected(_PARTICIPANTS)
    return int(count)


def agents_role(roles: tuple[Role, ...], wanted: str | None, file: Path) -> Role | None:
    """Return the role that the agent plays: the wanted one, the only agent's or the only one; None if there is none.

    Raises UnknownName where there is no such role, UsageError where several could be meant.
    """
    if wanted is not None:
        found = [role for role in roles if wanted == role.id] or [role for role in roles if wanted == role.name]
        if not found:
            known = f"its roles are {names([role.name for role in roles])}" if roles else "it has no roles"
            raise UnknownName(f"{file} has no role “{wanted}”: {known}.")
        return found[0]
    likely = likely_agents(roles)
    if len(likely) > 1:
        raise UsageError(
            f"{file} has the roles {names([role.name for role in likely])}: choose the one that the agent plays, "
            f"for example with --role {likely[0].id}."
        )
    return likely[0] if likely else None


def likely_agents(roles: tuple[Role, ...]) -> tuple[Role, ...]:
    """Return the roles that the agent may play: those that the experiment gives to agents, or else all."""
    return tuple(role for role in roles if role.is_agent) or roles


def other_participants(
    experiment: Mapping[str, Node], roles: tuple[Role, ...], agent: Role | None, *, talks: bool
) -> list[dict[str, str]]:
    """Return who else takes part, as in the context item: the experiment knows roles, and no names of people.

    `talks` says that there is a chat, so that somebody has to be there to talk to.
    """
    if not roles:
        required = _whole(experiment["requiredParticipants"], 1) if "requiredParticipants" in experiment else 1 + talks
        return [{"name": name} for name in _numbered("Participant", required - 1)]
    others: list[dict[str, str]] = []
    for role in roles:
        count = role.count - 1 if role == agent else role.count
        others += [{"name": name, "role": role.name} for name in _numbered(role.name, count)]
    return others


def _numbered(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name} {number + 1}" for number in range(count)]


def instructions(experiment: Mapping[str, Node], agent: Role | None, notes: Notes) -> str:
    """Return what the experiment adds to the agent's prompt for its role, "" where it adds nothing."""
    overrides: dict[str, Node] = {}
    if "agentConfig" in experiment:
        fields = experiment["agentConfig"].fields("the agents' settings, as {roleOverrides, pacing, seed}")
        if "roleOverrides" in fields:
            overrides = fields["roleOverrides"].entries("prompts by role, as {role: {objective, guidance}}")
        if unknown := sorted(set(fields) - {"roleOverrides"}):
            notes.add(f"Not taken over of agentConfig: {names(unknown)}.")
    if agent is None:
        return ""
    mine = overrides.get(agent.id)
    whole = _prompt(mine, notes) if mine is not None else ""
    if agent.persona is not None:
        notes.add(
            f"The persona {agent.persona} of the role “{agent.name}” lies in the platform's library and not in the "
            "file: put its prompt before the study's instructions."
        )
    return whole


def _prompt(node: Node, notes: Notes) -> str:
    fields = node.fields(f"a prompt, as {{{', '.join(_PROMPT)}}}")
    paragraphs: list[str] = []
    for name in _PROMPT:
        if name not in fields or fields[name].value in ("", []):
            continue
        if name == "examples":
            paragraphs.append("\n".join(f"- {each.text('an example')}" for each in fields[name].items("examples")))
        else:
            paragraphs.append(fields[name].text(f"the {name} as a text").strip())
    if unknown := sorted(set(fields) - set(_PROMPT)):
        notes.add(f"Not taken over of the agent's prompt: {names(unknown)}.")
    if paragraphs:
        notes.add(
            "The agent's instructions are the role's texts of the experiment, a paragraph each: the platform may frame "
            "them in words of its own."
        )
    return "\n\n".join(paragraphs)

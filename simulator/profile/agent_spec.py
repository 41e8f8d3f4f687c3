"""The specification in force: this program's own statement of it, or the platform's ``agent-spec.json``.

A loaded file gives the tools (names, descriptions, parameters), the thresholds, the turn detections and the words of
questions. What it does not word stays in this program's words; `Wording.source_of` tells them apart.
"""

import hashlib
import re
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from simulator.errors import UnknownName, UnreadableFile, UnsupportedVersion
from simulator.profile import facts
from simulator.profile.components import config_error
from simulator.profile.context_items import PREFIX
from simulator.profile.differences import Difference, compare
from simulator.profile.spec_parts import Part
from simulator.profile.templates import Template, description_template, question_template
from simulator.profile.tools import TOOLS, tool_for
from simulator.profile.wording import OWN_WORDING, Kind, Wording, kind_of
from simulator.resources import is_file

VERSIONS: Final = re.compile(r"0\.2\.\d{1,6}")
"""The versions that this program can follow."""

_MOST_BYTES: Final = 4 * 1024 * 1024
_MOST_NESTED: Final = 64
_LONGEST_MS: Final = 600_000


class AgentSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A specification: what is declared, asked and held against an engine."""

    version: str = facts.SPEC_VERSION
    tools: tuple[dict[str, Any], ...] = TOOLS
    """Wire objects for ``session.tools``."""
    thresholds: facts.Thresholds = facts.THRESHOLDS
    turn_detections: tuple[dict[str, Any], ...] = facts.TURN_DETECTIONS
    wording: Wording = OWN_WORDING
    sha256: str | None = None
    """Of the file; None: our own."""
    source: Literal["own", "file"] = "own"
    document: dict[str, Any] | None = None
    """What the file holds, for `differences`."""

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of the tools, in order."""
        return tuple(str(each["name"]) for each in self.tools)

    def turn_detection(self, mode: str) -> dict[str, Any]:
        """Return a fresh whole ``turn_detection`` object, as `facts.turn_detection`. Raises UnknownName."""
        for each in self.turn_detections:
            if each["type"] == mode:
                return {**each, "create_response": True, "interrupt_response": True}
        known = ", ".join(str(each["type"]) for each in self.turn_detections)
        raise UnknownName(f"The specification has no turn detection “{mode}”: it has {known}.")


OWN: Final = AgentSpec()
"""The facts of 0.2.0, in this program's own words."""


def differences(spec: AgentSpec) -> list[Difference]:
    """Return field by field where a loaded file differs from what this program knows: facts first, wording last."""
    return [] if spec.document is None else compare(spec.document)


def read_agent_spec(path: Path | str) -> AgentSpec:
    """Read the platform's specification file.

    Raises UnreadableFile with what was expected where, UnsupportedVersion for a version other than 0.2.x.
    """
    if not is_file(path):
        raise UnreadableFile(f"There is no file {path}: give the path of the platform's agent-spec.json.")
    try:
        with Path(path).open("rb") as file:
            contents = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}.") from error
    return parse_agent_spec(contents, str(path))


def parse_agent_spec(contents: bytes, file: str) -> AgentSpec:
    """Return the specification that the contents of a file hold; `file` names it in errors. Raises as above."""
    whole = Part(_document(contents, file), "", file)
    version = whole.at("specVersion").text()
    if not VERSIONS.fullmatch(version):
        raise UnsupportedVersion(
            f"{file} is version {version[:40]} of the specification: this program follows 0.2.x, so load such a file."
        )
    voice, conformance = whole.at("voiceEngine"), whole.at("conformance")
    examples = list(_examples(whole.at("answers")))
    return AgentSpec(
        version=version,
        tools=_tools(voice.at("tools")),
        thresholds=_thresholds(conformance.at("thresholds")),
        turn_detections=_turn_detections(conformance.at("turnDetections")),
        wording=Wording(_questions(voice.at("contextItems"), examples), _values(examples)),
        sha256=hashlib.sha256(contents).hexdigest(),
        source="file",
        document=whole.fields(),
    )


def _document(contents: bytes, file: str) -> Any:
    if len(contents) > _MOST_BYTES:
        raise UnreadableFile(f"{file} is too large for a specification: expected at most {_MOST_BYTES >> 20} MiB.")
    try:
        document = msgspec.json.decode(contents.removeprefix(b"\xef\xbb\xbf"))
    except RecursionError:
        raise _too_deep(file) from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise UnreadableFile(f"{file} is not JSON: expected the platform's agent-spec.json ({error}).") from error
    if _is_deep(document):
        raise _too_deep(file)
    return document


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_MOST_NESTED):
        level = [inner for each in level for inner in _inside(each)]
    return bool(level)


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _too_deep(file: str) -> UnreadableFile:
    return UnreadableFile(f"{file} is nested too deeply for a specification: expected at most {_MOST_NESTED} levels.")


def _tools(part: Part) -> tuple[dict[str, Any], ...]:
    tools: list[dict[str, Any]] = []
    for tool in part.items():
        name = tool.at("name").text()
        if any(each["name"] == name for each in tools):
            raise tool.at("name").expected("a name that no tool before has")
        tool.at("description").text()
        tool.at("parameters").at("properties").fields()
        tools.append({"type": "function", **tool.fields()})
    return tuple(tools)


def _thresholds(part: Part) -> facts.Thresholds:
    names = msgspec.to_builtins(facts.THRESHOLDS)
    return msgspec.convert({name: part.at(name).whole(1, _LONGEST_MS) for name in names}, facts.Thresholds)


def _turn_detections(part: Part) -> tuple[dict[str, Any], ...]:
    found: list[dict[str, Any]] = []
    for each in part.items():
        mode = each.at("type").text()
        if any(earlier["type"] == mode for earlier in found):
            raise each.at("type").expected("a type that no turn detection before has")
        found.append(each.fields())
    given = [each["type"] for each in found]
    for known in facts.TURN_DETECTIONS:
        if known["type"] not in given:
            raise part.expected(f"also a turn detection of type {known['type']}")
    return tuple(found)


class _Example(msgspec.Struct, frozen=True):
    """One of the file's answers: a component, a config, and the description of its value."""

    component: str
    config: dict[str, Any]
    description: Part

    @property
    def kind(self) -> Kind:
        return kind_of(self.component, self.config)


def _examples(part: Part) -> "list[_Example]":
    """Return the answers of components that this program knows; what it does not know is a difference, no error."""
    found = []
    for each in part.items():
        component = each.at("componentType").text()
        config = each.at("exampleConfig").fields()
        description = each.at("valueSchema").at("description")
        try:
            tool_for(component, config)
        except UnknownName:
            continue
        found.append(_Example(component, config, description))
    return found


def _questions(part: Part, examples: "list[_Example]") -> dict[Kind, Template]:
    """Return the templates of the questions that the file's context items show, by example."""
    found: dict[Kind, Template] = {}
    for each in part.items():
        item = _context_item(each)
        text, tool = item.get("question"), item.get("tool")
        if item.get("event") != "question" or not isinstance(text, str):
            continue
        fitting: dict[Kind, Template] = {}
        for example in examples:
            if example.kind[1] == tool and config_error(example.component, example.config) is None:
                template = question_template(text, example.component, example.config)
                fitting |= {} if template is None else {example.kind: template}
        if len(fitting) == 1:  # a text that fits two kinds of question words neither
            found |= fitting
    return found


def _context_item(part: Part) -> dict[str, Any]:
    what = f"a text that begins with “{PREFIX}” and goes on with a JSON object"
    text = part.text()
    try:
        item = msgspec.json.decode(text.removeprefix(PREFIX))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise part.expected(what) from None
    if not text.startswith(PREFIX) or not isinstance(item, dict) or _is_deep(item):
        raise part.expected(what)
    return item


def _values(examples: "list[_Example]") -> dict[Kind, Template]:
    found: dict[Kind, Template] = {}
    for example in examples:
        description = example.description.text()
        if config_error(example.component, example.config) is None:
            found[example.kind] = description_template(description, example.component, example.config)
    return found

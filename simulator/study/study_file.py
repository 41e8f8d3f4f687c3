"""The study file: YAML that a researcher writes by hand.

    format: participant-simulator/study
    version: 1
    name: A short conversation
    instructions: You are Alex's partner in a study about everyday habits.
    steps:
      - participants: [{name: Alex, role: A}]
      - screen: {type: showtext, text: Please introduce yourselves.}
      - say: coffee_or_tea
      - when: after reply
        question: {component: multiplechoice, config: {question: Coffee or tea?, choices: [Coffee, Tea]}}

A step holds one of the names in `step_forms.ACTIONS`, and may hold `at_s` and `when`. Every complaint names the file,
the line, and what was expected there.
"""

from pathlib import Path
from typing import Any, Final

import msgspec

from simulator.errors import UnreadableFile
from simulator.profile import turn_detection
from simulator.study.files import Folder
from simulator.study.step_forms import ACTIONS, LONGEST_AFTER_S, LONGEST_WAIT_S
from simulator.study.steps import Step, Study, When
from simulator.study.yaml_nodes import Located, read_yaml

FORMAT: Final = "participant-simulator/study"
FORMAT_VERSION: Final = 1

_STUDY_FIELDS: Final = {
    "format",
    "version",
    "name",
    "instructions",
    "voice",
    "turn_detection",
    "reply_within_s",
    "text_chat",
    "steps",
}


def read_study(path: Path) -> Study:
    """Read a study file. Raises UnreadableFile with file, line and what was expected."""
    fields = read_yaml(path).mapping("a study, as a mapping", _STUDY_FIELDS)
    _check_format(path, fields)
    if "steps" not in fields:
        raise UnreadableFile(f"{path}: expected the field steps, with the list of the study's steps.")
    folder = Folder(path.parent)
    steps = tuple(_step(node, folder) for node in fields["steps"].items("the list of the study's steps"))
    if not steps:
        raise fields["steps"].expected("at least one step")
    study = Study(name=fields["name"].text("the study's name") if "name" in fields else path.stem, steps=steps)
    return _with_settings(study, fields)


def _check_format(path: Path, fields: dict[str, Located]) -> None:
    if "format" not in fields or "version" not in fields:
        raise UnreadableFile(f"{path}: expected the lines “format: {FORMAT}” and “version: {FORMAT_VERSION}”.")
    if fields["format"].text(FORMAT) != FORMAT:
        raise fields["format"].expected(FORMAT)
    version = fields["version"].plain()
    if type(version) is not int or version != FORMAT_VERSION:  # true and 1.0 equal 1, and are none
        raise fields["version"].expected(f"{FORMAT_VERSION} (a newer file needs a newer version of this program)")


def _with_settings(study: Study, fields: dict[str, Located]) -> Study:
    changes: dict[str, Any] = {}
    if "instructions" in fields:
        changes["instructions"] = fields["instructions"].text("the agent's instructions")
    if "voice" in fields:
        changes["voice"] = fields["voice"].text("the name of the agent's voice")
    if "turn_detection" in fields:
        changes["turn_detection"] = _turn_detection(fields["turn_detection"])
    if "reply_within_s" in fields:
        changes["reply_within_s"] = fields["reply_within_s"].number("seconds from 1 to 300", 1, 300)
    if "text_chat" in fields:
        changes["text_chat"] = fields["text_chat"].truth("true or false")
    return msgspec.structs.replace(study, **changes)


def _turn_detection(node: Located) -> dict[str, Any]:
    what = "the turn detection, as {type: server_vad, …}"
    given = node.mapping(what)
    if "type" not in given:
        raise node.expected("a turn detection with its type")
    kind = given["type"].text("the type of the turn detection")
    if kind not in turn_detection.FIELDS:
        raise given["type"].expected_one_of(turn_detection.FIELDS)
    known = turn_detection.FIELDS[kind]
    wire = {}
    for name, value in node.mapping(what, known).items():
        wire[name] = value.plain()
        if not known[name].fits(wire[name]):
            raise value.expected(known[name].expected)
    return wire


def _step(node: Located, folder: Folder) -> Step:
    fields = node.mapping("a step, as a mapping", {*ACTIONS, "when", "at_s", "after_s"})
    named = [name for name in fields if name in ACTIONS]
    if not named:
        raise node.expected(f"a step with exactly one of {', '.join(sorted(ACTIONS))}")
    if len(named) > 1:
        raise node.expected(f"one thing in a step, and here are {' and '.join(named)}: a step each")
    name = named[0]
    when = _when(fields["when"]) if "when" in fields else When.NOW
    if "after_s" in fields and when is When.NOW:
        raise fields["after_s"].expected("seconds in a step that has “when: after reply” or “during reply”")
    return Step(
        action=ACTIONS[name](fields[name], folder),
        line=node.line_of(name),
        when=when,
        at_s=fields["at_s"].number(
            f"seconds after the start of the study: 0 or more, at most {LONGEST_WAIT_S:g}", 0, LONGEST_WAIT_S
        )
        if "at_s" in fields
        else 0.0,
        after_s=fields["after_s"].number(
            f"seconds after the reply begins or ends: from 0 to {LONGEST_AFTER_S:g}", 0, LONGEST_AFTER_S
        )
        if "after_s" in fields
        else None,
    )


def _when(node: Located) -> When:
    what = "now, after reply or during reply"
    try:
        return When(node.text(what))
    except ValueError:
        raise node.expected(what) from None

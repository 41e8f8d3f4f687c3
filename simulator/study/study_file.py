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

A step holds one of the names in `_ACTIONS`, and may hold `at_s` and `when`. Every complaint names the file, the line,
and what was expected there.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from simulator.errors import SimulatorError, UnreadableFile
from simulator.profile.tools import tool_for
from simulator.resources import is_file
from simulator.study.steps import (
    AskQuestion,
    ChangeInstructions,
    PushContext,
    RequestReply,
    Say,
    SetListening,
    Step,
    StepAction,
    Study,
    Wait,
    When,
)
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
    "steps",
}
LONGEST_WAIT_S: Final = 24 * 3600.0


def read_study(path: Path) -> Study:
    """Read a study file. Raises UnreadableFile with file, line and what was expected."""
    fields = read_yaml(path).mapping("a study, as a mapping", _STUDY_FIELDS)
    _check_format(path, fields)
    if "steps" not in fields:
        raise UnreadableFile(f"{path}: expected the field steps, with the list of the study's steps.")
    steps = tuple(_step(node, path.parent) for node in fields["steps"].items("the list of the study's steps"))
    if not steps:
        raise fields["steps"].expected("at least one step")
    study = Study(name=fields["name"].text("the study's name") if "name" in fields else path.stem, steps=steps)
    return _with_settings(study, fields)


def _check_format(path: Path, fields: dict[str, Located]) -> None:
    if "format" not in fields or "version" not in fields:
        raise UnreadableFile(f"{path}: expected the lines “format: {FORMAT}” and “version: {FORMAT_VERSION}”.")
    if fields["format"].text(FORMAT) != FORMAT:
        raise fields["format"].expected(FORMAT)
    if fields["version"].plain() != FORMAT_VERSION:
        raise fields["version"].expected(f"{FORMAT_VERSION} (a newer file needs a newer version of this program)")


def _with_settings(study: Study, fields: dict[str, Located]) -> Study:
    changes: dict[str, Any] = {}
    if "instructions" in fields:
        changes["instructions"] = fields["instructions"].text("the agent's instructions")
    if "voice" in fields:
        changes["voice"] = fields["voice"].text("the name of the agent's voice")
    if "turn_detection" in fields:
        detection = fields["turn_detection"].mapping("the turn detection, as {type: server_vad, …}")
        if "type" not in detection:
            raise fields["turn_detection"].expected("a turn detection with its type")
        changes["turn_detection"] = fields["turn_detection"].plain()
    if "reply_within_s" in fields:
        changes["reply_within_s"] = fields["reply_within_s"].number("seconds from 1 to 300", 1, 300)
    values = {name: getattr(study, name) for name in study.__struct_fields__}
    return Study(**(values | changes))


def _step(node: Located, folder: Path) -> Step:
    fields = node.mapping("a step, as a mapping", {*_ACTIONS, "when", "at_s"})
    named = [name for name in fields if name in _ACTIONS]
    if len(named) != 1:
        raise UnreadableFile(
            node.expected(f"a step with exactly one of {', '.join(sorted(_ACTIONS))}").args[0]
            if not named
            else node.expected(f"one thing in a step, and here are {' and '.join(named)}: a step each").args[0]
        )
    name = named[0]
    return Step(
        action=_ACTIONS[name](fields[name], folder),
        line=fields[name].line,
        when=_when(fields["when"]) if "when" in fields else When.NOW,
        at_s=fields["at_s"].number("seconds after the start of the study", 0, LONGEST_WAIT_S)
        if "at_s" in fields
        else 0.0,
    )


def _when(node: Located) -> When:
    what = "now, after reply or during reply"
    try:
        return When(node.text(what))
    except ValueError:
        raise node.expected(what) from None


def _participants(node: Located, folder: Path) -> StepAction:
    others = []
    for person in node.items("the other participants, as a list of {name, role}"):
        fields = person.mapping("a participant, as {name, role}", {"name", "role"})
        others.append({key: value.text(f"the participant's {key}") for key, value in fields.items()})
        if "name" not in fields:
            raise person.expected("a participant with a name")
    return PushContext({"event": "participants", "others": others})


def _screen(node: Located, folder: Path) -> StepAction:
    fields = node.mapping("a screen, as {type, text, images}", {"type", "text", "images"})
    context = {
        "event": "screen",
        "type": fields["type"].text("the type of the screen") if "type" in fields else "showtext",
        "text": fields["text"].text("the text on the screen") if "text" in fields else "",
    }
    paths: list[str] = []
    descriptions: list[str] = []
    for image in (
        fields["images"].items("the screen's images, as a list of {file, shows}") if "images" in fields else ()
    ):
        parts = image.mapping("an image, as {file, shows}", {"file", "shows"})
        if "file" not in parts:
            raise image.expected("an image with its file")
        path = folder / parts["file"].text("the path of a PNG or JPEG file")
        if not is_file(path):
            raise parts["file"].expected("the path of an image that exists, relative to the study file")
        paths.append(str(path))
        shows = parts["shows"].text("what the image shows") if "shows" in parts else path.stem
        descriptions.append(f"attached: the image ({shows})")
    if descriptions:
        return PushContext({**context, "images": descriptions}, tuple(paths))
    return PushContext(context)


def _typed(node: Located, folder: Path) -> StepAction:
    fields = node.mapping("a typed message, as {speaker, said, reply}", {"speaker", "said", "reply"})
    if "speaker" not in fields or "said" not in fields:
        raise node.expected("a typed message with its speaker and what was said")
    context = {
        "event": "typed",
        "speaker": fields["speaker"].text("who typed it"),
        "said": fields["said"].text("what was typed"),
    }
    asks = fields["reply"].truth("whether a reply is asked for: true or false") if "reply" in fields else True
    return PushContext(context, asks_reply=asks)


def _question(node: Located, folder: Path) -> StepAction:
    allowed = {"component", "config", "during_video", "within_s"}
    fields = node.mapping("a question, as {component, config}", allowed)
    if "component" not in fields or "config" not in fields:
        raise node.expected("a question with its component and config")
    component = fields["component"].text("the component of the question")
    fields["config"].mapping("the configuration of the component")
    config = fields["config"].plain()
    try:
        tool_for(component, config)
    except SimulatorError as error:
        raise fields["component"].expected(f"a component that can be answered ({error})") from error
    question = AskQuestion(component, config)
    return AskQuestion(
        component,
        config,
        during_video=fields["during_video"].truth("true or false") if "during_video" in fields else False,
        within_s=fields["within_s"].number("seconds from 1 to 3600", 1, 3600)
        if "within_s" in fields
        else question.within_s,
    )


def _timer(node: Located, folder: Path) -> StepAction:
    left = node.number("the seconds that are left, as a number", 0, LONGEST_WAIT_S)
    return PushContext({"event": "timer", "secondsLeft": int(left) if left.is_integer() else left})


def _pause(node: Located, folder: Path) -> StepAction:
    waiting = [person.text("a participant's name") for person in node.items("the list of those who are waited for")]
    return PushContext({"event": "paused", "waitingFor": waiting})


def _resume(node: Located, folder: Path) -> StepAction:
    if not node.is_empty():
        raise node.expected("nothing after resume")
    return PushContext({"event": "resumed"})


def _experimenter_message(node: Located, folder: Path) -> StepAction:
    return PushContext({"event": "experimenter_message", "text": node.text("the experimenter's message")})


def _revealed(node: Located, folder: Path) -> StepAction:
    fields = node.mapping("a revealed answer, as {name, role, answer}", {"name", "role", "answer"})
    if "name" not in fields or "answer" not in fields:
        raise node.expected("a revealed answer with the participant's name and the answer")
    context: dict[str, Any] = {"event": "revealed", "name": fields["name"].text("the participant's name")}
    if "role" in fields:
        context["role"] = fields["role"].text("the participant's role")
    return PushContext({**context, "answer": fields["answer"].plain()})


def _say(node: Located, folder: Path) -> StepAction:
    name = node.text("the name of a recording, or the path of one")
    beside = folder / name
    return Say(str(beside) if is_file(beside) else name)


def _listening(node: Located, folder: Path) -> StepAction:
    return SetListening(node.truth("on or off"))


def _instructions(node: Located, folder: Path) -> StepAction:
    return ChangeInstructions(node.text("the agent's new instructions"))


def _reply(node: Located, folder: Path) -> StepAction:
    return RequestReply(None if node.is_empty() else node.text("instructions for this reply, or nothing"))


def _wait(node: Located, folder: Path) -> StepAction:
    return Wait(node.number("seconds to wait", 0, LONGEST_WAIT_S))


_ACTIONS: Final[dict[str, Callable[[Located, Path], StepAction]]] = {
    "participants": _participants,
    "screen": _screen,
    "typed": _typed,
    "question": _question,
    "timer": _timer,
    "pause": _pause,
    "resume": _resume,
    "experimenter_message": _experimenter_message,
    "revealed": _revealed,
    "say": _say,
    "listening": _listening,
    "instructions": _instructions,
    "reply": _reply,
    "wait": _wait,
}

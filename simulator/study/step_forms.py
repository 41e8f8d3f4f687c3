"""How each step is written in a study file: a name, and under it what the step needs.

A reader takes what stands under its name and returns the action. Raises UnreadableFile with file, line and what was
expected. The writer (`study_writing`) and the schema (`study_schema`) know the same forms.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from simulator.errors import SimulatorError, UnreadableFile
from simulator.profile import answers, context_items
from simulator.profile.components import RATING_PAUSE_COMPONENTS, check_place, config_error
from simulator.profile.tools import ARGUMENT_OF, tool_for
from simulator.study.files import Folder, is_recording_name
from simulator.study.steps import (
    AskQuestion,
    ChangeInstructions,
    EnterPart,
    PushContext,
    RequestReply,
    Say,
    SetListening,
    ShownOn,
    StepAction,
    Wait,
)
from simulator.study.yaml_nodes import Located

LONGEST_WAIT_S: Final = 24 * 3600.0
LONGEST_ANSWER_S: Final = 3600.0
LONGEST_AFTER_S: Final = 600.0
MOST_ATTEMPTS: Final = 10

_TRUE_OR_FALSE: Final = "true or false"


def _part(node: Located, folder: Folder) -> StepAction:
    if not node.is_mapping:
        return EnterPart(node.text("the part's name, or {name, guidance}"))
    fields = node.mapping("a part, as {name, guidance}", {"name", "guidance"})
    if "name" not in fields:
        raise node.expected("a part with its name")
    guidance = fields["guidance"].text("the agent's guidance in this part") if "guidance" in fields else None
    return EnterPart(fields["name"].text("the part's name"), guidance)


def _participants(node: Located, folder: Folder) -> StepAction:
    others: list[dict[str, str]] = []
    for person in node.items("the other participants, as a list of {name, role}"):
        fields = person.mapping("a participant, as {name, role}", {"name", "role"})
        if "name" not in fields:
            raise person.expected("a participant with a name")
        others.append({key: fields[key].text(f"the participant's {key}") for key in ("name", "role") if key in fields})
    return PushContext(context_items.participants(others))


def _screen(node: Located, folder: Folder) -> StepAction:
    fields = node.mapping("a screen, as {type, text, images, video_chat}", {"type", "text", "images", "video_chat"})
    paths: list[str] = []
    descriptions: list[str] = []
    listed = fields["images"].items("the screen's images, as a list of {file, shows}") if "images" in fields else ()
    for image in listed:
        parts = image.mapping("an image, as {file, shows}", {"file", "shows"})
        if "file" not in parts:
            raise image.expected("an image with its file")
        paths.append(_image(parts["file"], folder))
        shows = parts["shows"].text("what the image shows") if "shows" in parts else Path(paths[-1]).stem
        descriptions.append(context_items.attached_image(shows))
    context = context_items.screen(
        fields["type"].text("the type of the screen") if "type" in fields else "showtext",
        fields["text"].text("the text on the screen") if "text" in fields else "",
        descriptions,
    )
    return PushContext(context, tuple(paths), video_chat=_truth(fields, "video_chat", None))


def _image(node: Located, folder: Folder) -> str:
    name = node.text("the path of a PNG or JPEG file")
    try:
        path = folder.file(name)
    except UnreadableFile as error:
        raise node.wrong(str(error)) from error
    if path is None:
        raise node.expected("the path of an image that exists, relative to the study file")
    return str(path)


def _typed(node: Located, folder: Folder) -> StepAction:
    fields = node.mapping("a typed message, as {speaker, said, reply}", {"speaker", "said", "reply"})
    if "speaker" not in fields or "said" not in fields:
        raise node.expected("a typed message with its speaker and what was said")
    speaker, said = fields["speaker"].text("who typed it"), fields["said"].text("what was typed")
    return PushContext(context_items.typed(speaker, said), asks_reply=_truth(fields, "reply", True))


_QUESTION_FIELDS: Final = {
    "component",
    "config",
    "during_video",
    "within_s",
    "attempts",
    "video_chat",
    "own_answer",
}


def _question(node: Located, folder: Folder) -> StepAction:
    return _asked(node, "a question", "screen", during_video=False)


def _rating_pause(node: Located, folder: Folder) -> StepAction:
    return _asked(node, "a rating pause", "rating pause", during_video=True)


def _asked(node: Located, what: str, shown_on: ShownOn, *, during_video: bool) -> StepAction:
    fields = node.mapping(f"{what}, as {{component, config}}", _QUESTION_FIELDS)
    if "component" not in fields or "config" not in fields:
        raise node.expected(f"{what} with its component and config")
    fields["config"].mapping("the configuration of the component")
    component, config = fields["component"].text("the component of the question"), fields["config"].plain()
    if component not in RATING_PAUSE_COMPONENTS:
        raise fields["component"].expected_one_of(RATING_PAUSE_COMPONENTS)
    try:
        check_place(component, shown_on)
    except SimulatorError as error:
        raise fields["component"].wrong(f"{error} Write rating_pause instead of question.") from error
    if (problem := config_error(component, config)) is not None:
        raise fields["config"].wrong(problem)
    seconds = f"seconds from 1 to {LONGEST_ANSWER_S:g}"
    attempts = f"how often it is asked at most: a whole number from 1 to {MOST_ATTEMPTS}"
    return AskQuestion(
        component,
        config,
        during_video=_truth(fields, "during_video", during_video),
        within_s=fields["within_s"].number(seconds, 1, LONGEST_ANSWER_S) if "within_s" in fields else 30.0,
        shown_on=shown_on,
        attempts=fields["attempts"].whole_number(attempts, 1, MOST_ATTEMPTS) if "attempts" in fields else 3,
        video_chat=_truth(fields, "video_chat", None),
        own_answer=_own_answer(fields["own_answer"], component, config) if "own_answer" in fields else None,
    )


def _own_answer(node: Located, component: str, config: dict[str, Any]) -> Any:
    tool = tool_for(component, config)
    arguments = json.dumps({ARGUMENT_OF[tool]: node.plain()}, ensure_ascii=False)
    answer = answers.judge(component, config, tool, arguments)
    if answer.error is not None:
        raise node.wrong(f"the participant's own answer does not fit the question: {answer.error}")
    return answer.value


def _timer(node: Located, folder: Folder) -> StepAction:
    left = node.number(f"the seconds that are left: 0 or more, at most {LONGEST_WAIT_S:g}", 0, LONGEST_WAIT_S)
    return PushContext({"event": "timer", "secondsLeft": int(left) if left.is_integer() else left})


def _pause(node: Located, folder: Folder) -> StepAction:
    waiting = [person.text("a participant's name") for person in node.items("the list of those who are waited for")]
    return PushContext({"event": "paused", "waitingFor": waiting})


def _resume(node: Located, folder: Folder) -> StepAction:
    if not node.is_empty():
        raise node.expected("nothing after resume")
    return PushContext({"event": "resumed"})


def _experimenter_message(node: Located, folder: Folder) -> StepAction:
    return PushContext(context_items.experimenter_message(node.text("the experimenter's message")))


def _revealed(node: Located, folder: Folder) -> StepAction:
    fields = node.mapping("a revealed answer, as {name, role, answer}", {"name", "role", "answer"})
    if "name" not in fields or "answer" not in fields:
        raise node.expected("a revealed answer with the participant's name and the answer")
    context: dict[str, Any] = {"event": "revealed", "name": fields["name"].text("the participant's name")}
    if "role" in fields:
        context["role"] = fields["role"].text("the participant's role")
    return PushContext({**context, "answer": fields["answer"].plain()})


def _context(node: Located, folder: Folder) -> StepAction:
    fields = node.mapping("a context item, as {item, images, reply, video_chat}", CONTEXT_FIELDS)
    if "item" not in fields or "event" not in fields["item"].mapping("the item, as {event, …}"):
        raise node.expected("a context item with its item, which names its event")
    fields["item"].mapping("the item, as {event, …}")["event"].text("the name of the event")
    images = fields["images"].items("the list of the images' paths") if "images" in fields else ()
    return PushContext(
        fields["item"].plain(),
        tuple(_image(image, folder) for image in images),
        asks_reply=_truth(fields, "reply", False),
        video_chat=_truth(fields, "video_chat", None),
    )


def _say(node: Located, folder: Folder) -> StepAction:
    if node.is_mapping:
        fields = node.mapping("what is said, as {text, voice}", {"text", "voice"})
        if "text" not in fields:
            raise node.expected("the text that is said")
        voice = fields["voice"].text("the synthesiser's voice") if "voice" in fields else None
        return Say(text=fields["text"].text("the text that is said"), voice=voice)
    name = node.text("the name of a recording, the path of one beside the study, or {text, voice}")
    try:
        path = folder.file(name)
    except UnreadableFile as error:
        raise node.wrong(str(error)) from error
    if path is None and not is_recording_name(name):
        raise node.expected("a recording that exists beside the study, or the name of one")
    return Say(name if path is None else str(path))


def _listening(node: Located, folder: Folder) -> StepAction:
    return SetListening(node.truth("on or off"))


def _instructions(node: Located, folder: Folder) -> StepAction:
    return ChangeInstructions(node.text("the agent's new instructions"))


def _reply(node: Located, folder: Folder) -> StepAction:
    return RequestReply(None if node.is_empty() else node.text("instructions for this reply, or nothing"))


def _wait(node: Located, folder: Folder) -> StepAction:
    return Wait(node.number(f"seconds to wait: 0 or more, at most {LONGEST_WAIT_S:g}", 0, LONGEST_WAIT_S))


def _truth(fields: dict[str, Located], name: str, otherwise: Any) -> Any:
    return fields[name].truth(_TRUE_OR_FALSE) if name in fields else otherwise


CONTEXT_FIELDS: Final = {"item", "images", "reply", "video_chat"}

ACTIONS: Final[dict[str, Callable[[Located, Folder], StepAction]]] = {
    "part": _part,
    "participants": _participants,
    "screen": _screen,
    "typed": _typed,
    "question": _question,
    "rating_pause": _rating_pause,
    "timer": _timer,
    "pause": _pause,
    "resume": _resume,
    "experimenter_message": _experimenter_message,
    "revealed": _revealed,
    "context": _context,
    "say": _say,
    "listening": _listening,
    "instructions": _instructions,
    "reply": _reply,
    "wait": _wait,
}
"""The readers by the name of the step."""

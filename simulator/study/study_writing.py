"""Writes a study as the file that a researcher could have written: what is usual is left out, long texts are blocks.

Comments of a file that was read are not kept: YAML's readers do not give them.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from simulator.errors import StorageFault, UnreadableFile
from simulator.profile.context_items import attached_image
from simulator.resources import is_file
from simulator.study.files import Folder
from simulator.study.step_forms import LONGEST_WAIT_S
from simulator.study.steps import (
    AskQuestion,
    ChangeInstructions,
    EnterPart,
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
from simulator.study.study_file import FORMAT, FORMAT_VERSION
from simulator.study.yaml_text import yaml_text

_USUAL_QUESTION: Final = AskQuestion("", {})
_USUAL_STUDY: Final = Study("", ())


def write_study(study: Study, path: Path) -> Study:
    """Write a study file in one go, and return the study as it now lies there.

    Files it names that lie elsewhere are copied into a folder beside it, `NAME files`. The file that was there is
    replaced only when the new one is whole. Raises StorageFault, and UnreadableFile for a named file that is gone.
    """
    try:
        msgspec.json.encode(study)  # half a sign, which YAML would write and nobody could read
        study = _with_files_beside(study, path)
        text = study_text(study, path.parent)
        _replace(path, text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise UnreadableFile("The study holds signs that are no text: write them again.", str(error)) from error
    except OSError as error:
        raise StorageFault(f"{path} cannot be written: {error.strerror or error}.", str(error)) from error
    return study


def study_text(study: Study, folder: Path) -> str:
    """Return the text of a study file that lies in `folder`."""
    head: dict[str, Any] = {"format": FORMAT, "version": FORMAT_VERSION, "name": study.name}
    for name in ("instructions", "voice", "turn_detection", "reply_within_s", "text_chat"):
        value = getattr(study, name)
        if value != getattr(_USUAL_STUDY, name):
            head[name] = _number(value)
    lines = [yaml_text(head), "steps:\n"]
    inside = Folder(folder)
    for number, step in enumerate(study.steps):
        if number and isinstance(step.action, EnterPart):
            lines.append("\n")
        lines += (f"  {line}\n" if line else "\n" for line in yaml_text([_step(step, inside)]).split("\n")[:-1])
    return "".join(lines)


def _step(step: Step, folder: Folder) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if step.when is not When.NOW:
        fields["when"] = step.when.value
    if step.at_s:
        fields["at_s"] = _number(step.at_s)
    if step.after_s is not None and step.when is not When.NOW:
        fields["after_s"] = _number(step.after_s)
    name, value = _action(step.action, folder)
    return {**fields, name: value}


def _action(action: StepAction, folder: Folder) -> tuple[str, Any]:
    match action:
        case EnterPart(name=name, guidance=guidance):
            return "part", {"name": name, **({} if guidance is None else {"guidance": guidance})}
        case AskQuestion():
            return _question(action)
        case Say(recording="", text=text, voice=voice):
            return "say", {"text": text, **({} if voice is None else {"voice": voice})}
        case Say(recording=recording):
            return "say", (folder.name_of(Path(recording)) if Path(recording).is_absolute() else None) or recording
        case SetListening(on=on):
            return "listening", on
        case ChangeInstructions(instructions=text):
            return "instructions", text
        case RequestReply(instructions=hint):
            return "reply", hint
        case Wait(seconds=seconds):
            return "wait", _number(seconds)
        case PushContext():
            return _context(action, folder)


def _question(action: AskQuestion) -> tuple[str, Any]:
    in_pause = action.shown_on == "rating pause"
    fields: dict[str, Any] = {"component": action.component, "config": action.config}
    usual = msgspec.structs.replace(_USUAL_QUESTION, during_video=in_pause)
    for name in ("during_video", "within_s", "attempts", "video_chat", "own_answer"):
        value = getattr(action, name)
        if value != getattr(usual, name):
            fields[name] = _number(value) if name == "within_s" else value
    return "rating_pause" if in_pause else "question", fields


def _context(action: PushContext, folder: Folder) -> tuple[str, Any]:
    """Write a context item by its own form, or as it stands where that form cannot say all of it."""
    files = [folder.name_of(Path(image)) or image for image in action.images]
    form = _FORMS.get(str(action.context.get("event")))
    value = form(action, files) if form is not None else _UNSAID
    if value is not _UNSAID:
        return _NAMES.get(str(action.context["event"]), str(action.context["event"])), value
    fields: dict[str, Any] = {"item": action.context}
    if files:
        fields["images"] = files
    if action.asks_reply:
        fields["reply"] = True
    if action.video_chat is not None:
        fields["video_chat"] = action.video_chat
    return "context", fields


_UNSAID: Final = object()


def _only(action: PushContext, *names: str) -> bool:
    """Whether a context item holds nothing but these fields, in this order, and nothing else hangs on it."""
    plain = not action.images and not action.asks_reply and action.video_chat is None
    return plain and list(action.context) == ["event", *names]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _screen_form(action: PushContext, files: list[str]) -> Any:
    context = action.context
    kind, text, shown = context.get("type"), context.get("text"), context.get("images", [])
    fields: dict[str, Any] = {"type": kind}
    names = ["event", "type", "text", *(["images"] if "images" in context else [])]
    if list(context) != names or action.asks_reply or not _is_text(kind) or not (text == "" or _is_text(text)):
        return _UNSAID
    if text:
        fields["text"] = text
    if not isinstance(shown, list) or len(shown) != len(files) or ("images" in context and not shown):
        return _UNSAID
    if files:
        described = [_description(line) for line in shown]
        if None in described:
            return _UNSAID
        fields["images"] = [{"file": file, "shows": shows} for file, shows in zip(files, described, strict=True)]
    return fields | ({} if action.video_chat is None else {"video_chat": action.video_chat})


def _description(line: Any) -> str | None:
    """Return what an image shows, from the line that stands for it in the item."""
    before, _, after = attached_image("\0").partition("\0")
    if not isinstance(line, str) or not line.startswith(before) or not line.endswith(after):
        return None
    shows = line[len(before) : len(line) - len(after)]
    return shows if shows.strip() else None


def _typed_form(action: PushContext, files: list[str]) -> Any:
    context = action.context
    fits = list(context) == ["event", "speaker", "said"] and not files and action.video_chat is None
    if not fits or not _is_text(context["speaker"]) or not _is_text(context["said"]):
        return _UNSAID
    return {"speaker": context["speaker"], "said": context["said"], **({} if action.asks_reply else {"reply": False})}


def _participants_form(action: PushContext, files: list[str]) -> Any:
    others = action.context.get("others")
    if not _only(action, "others") or not isinstance(others, list) or not all(map(_is_person, others)):
        return _UNSAID
    return others


def _is_person(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and list(value) in (["name"], ["name", "role"])
        and all(map(_is_text, value.values()))
    )


def _timer_form(action: PushContext, files: list[str]) -> Any:
    left = action.context.get("secondsLeft")
    if not _only(action, "secondsLeft") or isinstance(left, bool) or not isinstance(left, int | float):
        return _UNSAID
    return _number(left) if 0 <= left <= LONGEST_WAIT_S else _UNSAID


def _paused_form(action: PushContext, files: list[str]) -> Any:
    waiting = action.context.get("waitingFor")
    fits = _only(action, "waitingFor") and isinstance(waiting, list) and all(map(_is_text, waiting))
    return waiting if fits else _UNSAID


def _resumed_form(action: PushContext, files: list[str]) -> Any:
    return None if _only(action) else _UNSAID


def _message_form(action: PushContext, files: list[str]) -> Any:
    text = action.context.get("text")
    return text if _only(action, "text") and _is_text(text) else _UNSAID


def _revealed_form(action: PushContext, files: list[str]) -> Any:
    context = action.context
    whole = _only(action, "name", "role", "answer") or _only(action, "name", "answer")
    if not whole or not all(_is_text(context[name]) for name in ("name", "role") if name in context):
        return _UNSAID
    return {name: context[name] for name in ("name", "role", "answer") if name in context}


_FORMS: Final[dict[str, Callable[[PushContext, list[str]], Any]]] = {
    "screen": _screen_form,
    "typed": _typed_form,
    "participants": _participants_form,
    "timer": _timer_form,
    "paused": _paused_form,
    "resumed": _resumed_form,
    "experimenter_message": _message_form,
    "revealed": _revealed_form,
}
_NAMES: Final = {"paused": "pause", "resumed": "resume"}


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


# ---- files


def _with_files_beside(study: Study, path: Path) -> Study:
    folder, beside = Folder(path.parent), path.parent / f"{path.stem} files"

    def placed(name: str) -> str:
        source = Path(name)
        if folder.name_of(source) is not None:
            return str(path.parent / (folder.name_of(source) or ""))
        if not is_file(source):
            raise UnreadableFile(f"The study names {source}, which is not there: choose another file.")
        beside.mkdir(parents=True, exist_ok=True)
        target = beside / source.name
        number = 2
        while target.exists() and target.read_bytes() != source.read_bytes():
            target = beside / f"{source.stem} {number}{source.suffix}"
            number += 1
        if not target.exists():
            shutil.copyfile(source, target)
        return str(target)

    def moved(action: StepAction) -> StepAction:
        if isinstance(action, PushContext) and action.images:
            return msgspec.structs.replace(action, images=tuple(map(placed, action.images)))
        if isinstance(action, Say) and Path(action.recording).is_absolute():
            return msgspec.structs.replace(action, recording=placed(action.recording))
        return action

    steps = tuple(msgspec.structs.replace(step, action=moved(step.action)) for step in study.steps)
    return msgspec.structs.replace(study, steps=steps)


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):  # the fault that is raised says more
            Path(temporary).unlink()
        raise

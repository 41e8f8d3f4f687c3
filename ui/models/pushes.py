"""The quick pushes: for each kind its fields with defaults, and the command that they make. No Qt here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.errors import UsageError
from simulator.participant.messages import AnyCommand, Ask, Push, RequestReply
from simulator.profile import context_items
from simulator.profile.answers import RATING_PAUSE_COMPONENTS
from simulator.profile.tools import tool_for
from simulator.profile.wording import OWN_WORDING, Wording
from ui.models.form_fields import FormField, Values, required
from ui.models.preview import KINDS


@dataclass(frozen=True, slots=True)
class PushKind:
    """A kind of push: its name, what it does in one line, its fields, and the command of its values.

    `command` raises UsageError or another SimulatorError with one sentence where the values make none.
    """

    name: str
    tip: str
    fields: tuple[FormField, ...]
    command: Callable[[Values], AnyCommand]


def push_key(row: int) -> str:
    """Return the key that leads to the form of the kind in this row: Ctrl+1 to Ctrl+9, then Ctrl+0."""
    return f"Ctrl+{(row + 1) % 10}"


def preview(command: AnyCommand, wording: Wording = OWN_WORDING) -> str:
    """Return the text that the agent is given by a push or a question; empty where it is given none."""
    if isinstance(command, Push):
        return context_items.context_text(command.context)
    if isinstance(command, Ask):
        tool = tool_for(command.component, command.config)
        text = wording.question_text(command.component, command.config)
        return context_items.context_text(context_items.question(tool, text, command.during_video))
    return ""


def question_config(component: str, question: str, details: str) -> dict[str, Any]:
    """Return a component's config from its words and its details: options by comma, ``low to high``, or a number."""
    parts = [part.strip() for part in details.replace("\n", ",").split(",") if part.strip()]
    if component == "likertscale":
        return {"question": question, "scale": _whole(details or "7", "The scale")}
    if component == "vasrating":
        low, _, high = (details or "0 to 100").partition(" to ")
        return {"question": question, "minValue": _whole(low, "The range"), "maxValue": _whole(high, "The range")}
    if component == "rapidrate":
        return {"prompt": question, "dimensions": [{"label": label} for label in parts]}
    if component == "audiorecording":
        return {"prompt": question}
    if component == "ranking":
        return {"question": question, "options": parts}
    if component == "multiplechoice":
        several = bool(parts) and parts[0].lower() == "several:"
        config: dict[str, Any] = {"question": question, "choices": parts[several:]}
        return config | ({"allowMultiple": True} if several else {})
    return {"question": question}


QUESTION_EXAMPLES: Mapping[str, tuple[str, str, str]] = {
    "multiplechoice": ("Coffee or tea?", "Choices", "Coffee, Tea"),
    "likertscale": ("I enjoyed the conversation.", "Points", "7"),
    "vasrating": ("How warm was your partner?", "Range", "0 to 100"),
    "ranking": ("Rank these activities.", "Items", "Reading, Hiking, Cooking"),
    "textinput": ("Describe your partner in one sentence.", "", ""),
    "rapidrate": ("How do you feel right now?", "Labels", "Calm, Happy"),
    "audiorecording": ("Say what just happened.", "", ""),
}
"""For each component: a question, what its details are called, and an example of them."""


def _whole(text: str, what: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        raise UsageError(f"{what} of the question must be given in whole numbers: “{text.strip()}” is none.") from None


def _push(context: dict[str, Any], **more: Any) -> Push:
    return Push(id=0, context=context, **more)


def _screen(values: Values) -> AnyCommand:
    images = [str(path) for path in values["images"]]
    lines = [context_items.attached_image(Path(path).stem.replace("_", " ")) for path in images]
    component = "showimage" if images else "showtext"
    return _push(context_items.screen(component, str(values["text"]).strip(), lines), images=images)


def _question(values: Values) -> AnyCommand:
    component = str(values["component"])
    words = required(values, "question", "The question")
    command = Ask(
        id=0,
        component=component,
        config=question_config(component, words, str(values["details"])),
        during_video=bool(values["during_video"]),
        adds_tool=True,
    )
    preview(command)
    return command


def _typed(values: Values) -> AnyCommand:
    said = required(values, "said", "The message")
    return _push(context_items.typed(str(values["speaker"]), said), ask_reply=bool(values["ask_reply"]))


def _revealed(values: Values) -> AnyCommand:
    answer = str(values["answer"]).strip()
    return _push(
        context_items.revealed(str(values["name"]), str(values["role"]), int(answer) if answer.isdecimal() else answer)
    )


def _people(text: str) -> list[dict[str, str]]:
    """Read ``Alex (A), Sam (B)``."""
    people = []
    for part in text.split(","):
        name, _, role = part.strip().rstrip(")").partition("(")
        if name.strip():
            people.append({"name": name.strip(), "role": role.strip()})
    return people


def _line(name: str, label: str, default: str, tip: str = "") -> FormField:
    return FormField(name, label, "line", default, tip=tip)


PUSHES: tuple[PushKind, ...] = (
    PushKind(
        "Screen",
        "Tell the agent what is on the screen.",
        (
            FormField("text", "Text", "text", "Please introduce yourselves."),
            FormField("images", "Images", "images", (), tip="PNG or JPEG files that the agent is to see."),
        ),
        _screen,
    ),
    PushKind(
        "Question",
        "Ask a question and get the agent's silent answer by its tool.",
        (
            FormField("component", "Kind", "choice", "multiplechoice", choices=RATING_PAUSE_COMPONENTS, words=KINDS),
            _line("question", "Question", "Coffee or tea?"),
            _line("details", "Choices", "Coffee, Tea", "Separated by commas; begin with “several:,” to allow several."),
            FormField("during_video", "During video", "yes", False),
        ),
        _question,
    ),
    PushKind(
        "Timer",
        "Tell how long the part still lasts.",
        (FormField("seconds", "Seconds left", "whole", 30),),
        lambda values: _push(context_items.timer(int(values["seconds"]))),
    ),
    PushKind(
        "Typed chat",
        "Write in the text chat, as the participant.",
        (
            _line("speaker", "Speaker", "Alex"),
            _line("said", "Says", "hello?"),
            FormField("ask_reply", "Ask for a reply", "yes", True),
        ),
        _typed,
    ),
    PushKind(
        "Pause",
        "The study waits for somebody. Listening stays as it is.",
        (_line("waiting", "Waiting for", "Alex (A)"),),
        lambda values: _push(
            context_items.paused([part.strip() for part in str(values["waiting"]).split(",") if part.strip()])
        ),
    ),
    PushKind("Resume", "The study goes on.", (), lambda _: _push(context_items.resumed())),
    PushKind(
        "Message",
        "A message of the experimenter to the participants.",
        (_line("text", "Text", "Please answer honestly."),),
        lambda values: _push(context_items.experimenter_message(required(values, "text", "The message"))),
    ),
    PushKind(
        "Revealed",
        "Somebody's answer is shown to all.",
        (_line("name", "Name", "Alex"), _line("role", "Role", "A"), _line("answer", "Answer", "70")),
        _revealed,
    ),
    PushKind(
        "Participants",
        "Who else takes part.",
        (_line("others", "Others", "Alex (A)", "Name (role), separated by commas."),),
        lambda values: _push(context_items.participants(_people(str(values["others"])))),
    ),
    PushKind(
        "Ask to speak",
        "Ask for a spoken reply without a spoken turn.",
        (_line("hint", "Hint", "", "Instructions for this reply alone; empty for none."),),
        lambda values: RequestReply(id=0, instructions=str(values["hint"]).strip() or None),
    ),
)

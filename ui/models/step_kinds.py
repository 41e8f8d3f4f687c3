"""The kinds of steps in one table: name, sign, fields, both ways between a step's action and its form. No Qt here."""

import enum
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import Any

from simulator.errors import SimulatorError, UsageError
from simulator.profile import context_items
from simulator.profile.tools import tool_for
from simulator.profile.wording import OWN_WORDING, Wording
from simulator.study.steps import (
    AskQuestion,
    ChangeInstructions,
    EnterPart,
    PushContext,
    RequestReply,
    Say,
    SetListening,
    StepAction,
    Wait,
)
from ui.models.form_fields import FormField, Values, number, required
from ui.models.question_kinds import (
    COMPONENT_FORMS,
    VIDEO_CHAT,
    ComponentForm,
    form_of,
    question_action,
    question_fields,
    question_values,
    video_chat,
    video_chat_word,
)


class StepSign(enum.StrEnum):
    """The sign of a kind of step; ui/widgets/step_signs.py draws it."""

    SCREEN = "screen"
    QUESTION = "question"
    TIMER = "timer"
    TYPED = "typed"
    MESSAGE = "message"
    REVEALED = "revealed"
    PAUSE = "pause"
    RESUME = "resume"
    PEOPLE = "people"
    PART = "part"
    SAY = "say"
    LISTENING = "listening"
    INSTRUCTIONS = "instructions"
    REPLY = "reply"
    WAIT = "wait"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class StepKind:
    """A kind of step: `action` raises SimulatorError with one sentence where the values make none."""

    name: str
    sign: StepSign
    tip: str
    fields: tuple[FormField, ...]
    action: Callable[[Values, StepAction | None], StepAction]
    """From the values of the fields, and the action that is edited, whose further keys are kept."""
    values: Callable[[Any], dict[str, Any]]
    """What an action of this kind fills the fields with."""
    gist: Callable[[Any], str]
    """What a row of the deck says of an action of this kind."""


def default_action(kind: StepKind) -> StepAction:
    """Return the action that the form makes before anything is typed."""
    return kind.action({field.name: field.default for field in kind.fields}, None)


def kind_of(action: StepAction) -> StepKind:
    """Return the kind of an action."""
    if isinstance(action, PushContext):
        return _EVENT_KINDS.get(str(action.context.get("event")), OTHER)
    if isinstance(action, AskQuestion):
        form = form_of(action.component)
        return OTHER_QUESTION if form is None else _QUESTION_KINDS[form.component]
    return _ACTION_KINDS[type(action)]


def gist(action: StepAction) -> str:
    """Return one line that says what the step is about."""
    return " ".join(kind_of(action).gist(action).split())


def told(action: StepAction, wording: Wording = OWN_WORDING) -> str:
    """Return the text that the agent is given by a context item or a question; "" by another step."""
    try:
        if isinstance(action, PushContext):
            return context_items.context_text(action.context)
        if isinstance(action, AskQuestion):
            tool = tool_for(action.component, action.config)
            text = wording.question_text(action.component, action.config)
            return context_items.context_text(context_items.question(tool, text, action.during_video))
    except (SimulatorError, ValueError) as error:
        return str(error)
    return ""


def _context(item: dict[str, Any], before: StepAction | None, **more: Any) -> PushContext:
    """Return the item as an action that keeps the keys which the form does not know."""
    old = before.context if isinstance(before, PushContext) else {}
    extra = {key: value for key, value in old.items() if key not in item and old.get("event") == item["event"]}
    if isinstance(before, PushContext) and before.images:
        extra.pop("images", None)
    if item["event"] == "revealed":
        extra.pop("role", None)
    return PushContext({**item, **extra}, **more)


def _screen(values: Values, before: StepAction | None) -> PushContext:
    paths = [str(path) for path, _ in values["pictures"]]
    lines = []
    for path, shows in values["pictures"]:
        words = shows.strip() or PurePath(path).stem.replace("_", " ")
        lines.append(words if words.startswith("attached:") else context_items.attached_image(words))
    component = required(values, "type", "The type of the screen")
    item = context_items.screen(component, str(values["text"]).strip(), lines)
    if not item["text"] and not lines and component == "showtext":
        raise UsageError("The screen is empty: write a text, or add an image.")
    return _context(item, before, images=tuple(paths), video_chat=video_chat(values))


def _screen_values(action: PushContext) -> dict[str, Any]:
    lines = [str(line) for line in action.context.get("images") or ()]
    start, end = context_items.attached_image("\0").split("\0")
    shows = [line.removeprefix(start).removesuffix(end) if line.startswith(start) else line for line in lines]
    shows += [""] * (len(action.images) - len(shows))
    return {
        "type": str(action.context.get("type", "showtext")),
        "text": str(action.context.get("text", "")),
        "pictures": list(zip(action.images, shows, strict=False)),
        "video_chat": video_chat_word(action.video_chat),
    }


def _screen_gist(action: PushContext) -> str:
    text = str(action.context.get("text") or "")
    images = ", ".join(PurePath(path).name for path in action.images)
    return text or images or str(action.context.get("type", ""))


def _typed(values: Values, before: StepAction | None) -> PushContext:
    item = context_items.typed(required(values, "speaker", "The speaker"), required(values, "said", "The typed line"))
    return _context(item, before, asks_reply=bool(values["asks_reply"]))


def _revealed(values: Values, before: StepAction | None) -> PushContext:
    text = required(values, "answer", "The answer")
    answer: Any = text
    with suppress(ValueError):  # a plain text
        answer = json.loads(text, parse_constant=_no_constant)
    item = context_items.revealed(required(values, "name", "The name"), str(values["role"]).strip(), answer)
    if not item["role"]:
        del item["role"]
    return _context(item, before)


def _revealed_values(action: PushContext) -> dict[str, Any]:
    answer = action.context.get("answer")
    words = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return {**_texts(action, "name", "role"), "answer": words}


def _people(values: Values, before: StepAction | None) -> PushContext:
    others: list[dict[str, str]] = []
    for name, role in values["others"]:
        if not name.strip():
            raise UsageError("A participant has no name: write one, or delete the row.")
        others.append({"name": name.strip(), "role": role.strip()} if role.strip() else {"name": name.strip()})
    return _context(context_items.participants(others), before)


def _people_values(action: PushContext) -> dict[str, Any]:
    others = [each for each in action.context.get("others") or () if isinstance(each, Mapping)]
    return {"others": [(str(each.get("name", "")), str(each.get("role", ""))) for each in others]}


def _timer(values: Values, before: StepAction | None) -> PushContext:
    return _context(context_items.timer(int(values["seconds"])), before)


def _pause(values: Values, before: StepAction | None) -> PushContext:
    return _context(context_items.paused([str(name) for name in values["waiting"]]), before)


def _other(values: Values, _before: StepAction | None) -> PushContext:
    text = required(values, "context", "The context item")
    try:
        item = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The context item is not JSON: {error}.") from None
    if not isinstance(item, dict) or not isinstance(item.get("event"), str):
        raise UsageError('The context item must be a JSON object with its “event”, as {"event": "…"}.')
    return PushContext(item, asks_reply=bool(values["asks_reply"]))


def _no_constant(name: str) -> Any:
    raise ValueError(f"it has no {name}")


def _other_values(action: PushContext) -> dict[str, Any]:
    return {
        "context": json.dumps(action.context, ensure_ascii=False, indent=1),
        "asks_reply": action.asks_reply,
    }


def _part(values: Values, _before: StepAction | None) -> EnterPart:
    return EnterPart(required(values, "name", "The name of the part"), str(values["guidance"]).strip() or None)


def _say(values: Values, _before: StepAction | None) -> Say:
    recording, text = str(values["recording"]).strip(), str(values["text"]).strip()
    if bool(recording) == bool(text):
        raise UsageError("Name a recording, or write a text that is spoken: one of the two.")
    return Say(recording, text, str(values["voice"]).strip() or None)


def _say_gist(action: Say) -> str:
    return f"“{action.text}”" if action.text else PurePath(action.recording).stem.replace("_", " ")


def _wait(values: Values, _before: StepAction | None) -> Wait:
    seconds = number(str(values["seconds"]), "The time to wait")
    if not 0 <= seconds <= 24 * 3600:
        raise UsageError("The time to wait must lie between 0 seconds and a day.")
    return Wait(float(seconds))


def _texts(action: PushContext, *keys: str) -> dict[str, Any]:
    return {key: str(action.context.get(key) or "") for key in keys}


def _question_kind(form: ComponentForm) -> StepKind:
    def action(values: Values, before: StepAction | None) -> AskQuestion:
        return question_action(form, values, before if isinstance(before, AskQuestion) else None)

    return StepKind(
        form.name,
        StepSign.QUESTION,
        f"A question that the agent answers silently by {tool_for(form.component, {})}.",
        question_fields(form),
        action,
        partial(question_values, form),
        lambda step: step.text,
    )


def _unanswerable(_values: Values, before: StepAction | None) -> StepAction:
    assert before is not None
    return before


_TYPES = ("showtext", "showimage", "showvideo", "videochat", "textchat", "waiting")

SCREEN = StepKind(
    "Screen",
    StepSign.SCREEN,
    "Tell the agent what is on the screen.",
    (
        FormField("text", "Text", "text", "Please introduce yourselves."),
        FormField("pictures", "Images", "pictures", (), columns=("File", "Shows"), tip="PNG or JPEG files."),
        FormField("type", "Type", "pick", "showtext", choices=_TYPES, tip="The component that the screen shows."),
        VIDEO_CHAT,
    ),
    _screen,
    _screen_values,
    _screen_gist,
)
PART = StepKind(
    "Part",
    StepSign.PART,
    "Begin a part: the steps up to the next one belong to it.",
    (
        FormField("name", "Name", "line", "New part"),
        FormField(
            "guidance",
            "Guidance",
            "text",
            "",
            tip="Sent below the study's instructions when the part is entered. Empty: the instructions stay.",
        ),
    ),
    _part,
    lambda action: {"name": action.name, "guidance": action.guidance or ""},
    lambda action: action.name,
)
OTHER = StepKind(
    "Other item",
    StepSign.OTHER,
    "Any context item, as JSON.",
    (
        FormField("context", "JSON", "text", '{"event": "note"}'),
        FormField("asks_reply", "Ask for a reply", "yes", False),
    ),
    _other,
    _other_values,
    lambda action: json.dumps(action.context, ensure_ascii=False),
)
OTHER_QUESTION = StepKind(
    "Unknown question",
    StepSign.QUESTION,
    "A component that this program cannot ask.",
    (),
    _unanswerable,
    lambda _action: {},
    lambda action: f"{action.component}: {action.text}",
)
_QUESTION_KINDS: dict[str, StepKind] = {form.component: _question_kind(form) for form in COMPONENT_FORMS}
QUESTIONS: tuple[StepKind, ...] = tuple(_QUESTION_KINDS.values())

_EVENT_KINDS: dict[str, StepKind] = {
    "screen": SCREEN,
    "timer": StepKind(
        "Timer",
        StepSign.TIMER,
        "Tell how long the part still lasts.",
        (FormField("seconds", "Seconds left", "whole", 30, suffix=" s"),),
        _timer,
        lambda action: {"seconds": round(float(action.context.get("secondsLeft") or 0))},
        lambda action: f"{action.context.get('secondsLeft', '?')} s left",
    ),
    "typed": StepKind(
        "Typed chat",
        StepSign.TYPED,
        "A line in the text chat.",
        (
            FormField("speaker", "Speaker", "line", "Alex"),
            FormField("said", "Says", "text", "hello?"),
            FormField("asks_reply", "Ask for a reply", "yes", True),
        ),
        _typed,
        lambda action: {**_texts(action, "speaker", "said"), "asks_reply": action.asks_reply},
        lambda action: f"{action.context.get('speaker', '')}: {action.context.get('said', '')}",
    ),
    "experimenter_message": StepKind(
        "Message",
        StepSign.MESSAGE,
        "A message of the experimenter to the participants.",
        (FormField("text", "Text", "text", "Please answer honestly."),),
        lambda values, before: _context(
            context_items.experimenter_message(required(values, "text", "The message")), before
        ),
        lambda action: _texts(action, "text"),
        lambda action: str(action.context.get("text", "")),
    ),
    "revealed": StepKind(
        "Revealed",
        StepSign.REVEALED,
        "Somebody's answer is shown to all.",
        (
            FormField("name", "Name", "line", "Alex"),
            FormField("role", "Role", "line", "A"),
            FormField("answer", "Answer", "line", "70", tip="A text, a number, or JSON."),
        ),
        _revealed,
        _revealed_values,
        lambda action: f"{action.context.get('name', '')}: {_revealed_values(action)['answer']}",
    ),
    "paused": StepKind(
        "Pause",
        StepSign.PAUSE,
        "The study waits for somebody. Listening stays as it is.",
        (FormField("waiting", "Waiting for", "lines", ("Alex (A)",), tip="One a line."),),
        _pause,
        lambda action: {"waiting": [str(each) for each in action.context.get("waitingFor") or ()]},
        lambda action: f"Waiting for {', '.join(map(str, action.context.get('waitingFor') or ())) or 'nobody'}",
    ),
    "resumed": StepKind(
        "Resume",
        StepSign.RESUME,
        "The study goes on.",
        (),
        lambda _values, before: _context(context_items.resumed(), before),
        lambda _action: {},
        lambda _action: "The study goes on",
    ),
    "participants": StepKind(
        "Participants",
        StepSign.PEOPLE,
        "Who else takes part.",
        (FormField("others", "Others", "table", (("Alex", "A"),), columns=("Name", "Role")),),
        _people,
        _people_values,
        lambda action: ", ".join(
            f"{name} ({role})" if role else name for name, role in _people_values(action)["others"]
        ),
    ),
}
_ACTION_KINDS: dict[type[StepAction], StepKind] = {
    EnterPart: PART,
    Say: StepKind(
        "Say",
        StepSign.SAY,
        "The participant says a recording, or a text by the local synthesiser.",
        (
            FormField(
                "recording", "Recording", "line", "coffee_or_tea", tip="A name from the voice picker, or a path."
            ),
            FormField("text", "or text", "text", ""),
            FormField("voice", "Voice", "line", "", tip="Of the synthesiser; empty: its first."),
        ),
        _say,
        lambda action: {"recording": action.recording, "text": action.text, "voice": action.voice or ""},
        _say_gist,
    ),
    SetListening: StepKind(
        "Listening",
        StepSign.LISTENING,
        "Show or hide the video chat: whether the participant is heard.",
        (FormField("on", "The participant is heard", "yes", True),),
        lambda values, _before: SetListening(bool(values["on"])),
        lambda action: {"on": action.on},
        lambda action: "Listening on" if action.on else "Listening off",
    ),
    ChangeInstructions: StepKind(
        "Instructions",
        StepSign.INSTRUCTIONS,
        "Give the agent new instructions, in place of all others.",
        (FormField("instructions", "Instructions", "text", "Be brief."),),
        lambda values, _before: ChangeInstructions(required(values, "instructions", "The text")),
        lambda action: {"instructions": action.instructions},
        lambda action: action.instructions,
    ),
    RequestReply: StepKind(
        "Ask to speak",
        StepSign.REPLY,
        "Ask for a spoken reply without a spoken turn.",
        (FormField("hint", "Hint", "text", "", tip="Instructions for this reply alone; empty for none."),),
        lambda values, _before: RequestReply(str(values["hint"]).strip() or None),
        lambda action: {"hint": action.instructions or ""},
        lambda action: action.instructions or "The agent is to speak",
    ),
    Wait: StepKind(
        "Wait",
        StepSign.WAIT,
        "Let time pass, where the study is played by time.",
        (FormField("seconds", "Seconds", "line", "5"),),
        _wait,
        lambda action: {"seconds": f"{action.seconds:g}"},
        lambda action: f"Wait {action.seconds:g} s",
    ),
}

KINDS: tuple[StepKind, ...] = (
    SCREEN,
    *QUESTIONS,
    *(kind for event, kind in _EVENT_KINDS.items() if event != "screen"),
    *_ACTION_KINDS.values(),
    OTHER,
)
"""All that can be added, in the order of the menu."""

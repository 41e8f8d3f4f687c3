"""The context items as kinds of steps, by their event; what a form does not know of an item is kept. No Qt here."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import PurePath
from typing import Any

from simulator.errors import UsageError
from simulator.profile import context_items
from simulator.study.steps import PushContext, StepAction
from ui.models.form_fields import FormField, Values, required
from ui.models.question_kinds import VIDEO_CHAT, video_chat, video_chat_word
from ui.models.step_kind import StepKind, StepSign


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


def _texts(action: PushContext, *keys: str) -> dict[str, Any]:
    return {key: str(action.context.get(key) or "") for key in keys}


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
EVENT_KINDS: dict[str, StepKind] = {
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

"""What a participant sees: a screen that grows from what is pushed, one action after the other.

`after` takes a step's action or the command of the same fields, so that the step that is chosen in the deck and what
was really pushed are drawn by one rule. A screen replaces the one before it with its question, timer, message and
reveal; chat, other participants and the video chat stay; a pause lasts until it is ended; a part ends the timer of
the one before. No Qt here.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from simulator.errors import SimulatorError
from simulator.participant import messages
from simulator.profile.answers import check_place, config_error
from simulator.study import steps
from ui.models.plain import line, word

KINDS: Final[Mapping[str, str]] = {
    "showtext": "Text",
    "showimage": "Image",
    "showvideo": "Video",
    "videochat": "Video chat",
    "textchat": "Text chat",
    "waiting": "Waiting",
    "multiplechoice": "Multiple choice",
    "likertscale": "Likert scale",
    "vasrating": "Visual analog scale",
    "ranking": "Ranking",
    "textinput": "Text field",
    "rapidrate": "Rapid rating",
    "audiorecording": "Voice recording",
    "continuousrating": "Continuous rating",
    "sparserating": "Sparse rating",
    "code": "Code",
    "trigger": "Trigger",
    "scannerpulserecorder": "Scanner pulses",
    "gazeoverlay": "Gaze overlay",
}
"""The focus components of the platform, as a person calls them."""

PLACEHOLDERS: Final[Mapping[str, str]] = {
    "showvideo": "The platform plays a video here. The agent is told of it in words only.",
    "waiting": "The platform lets the participant wait here for the others.",
    "textchat": "The text chat.",
    "continuousrating": "The participant rates continuously here, with the mouse. A voice agent cannot.",
    "sparserating": "The participant rates at moments of a video here. A voice agent gets them as rating pauses.",
    "code": "The platform runs the study's own code here. Nothing of it is run in this preview.",
    "trigger": "The platform sends a trigger to a device here.",
    "scannerpulserecorder": "The platform records the pulses of a scanner here.",
    "gazeoverlay": "The platform shows where the others look.",
}
HEARD: Final = "Video chat: participant heard"
NOT_HEARD: Final = "Video chat hidden: not heard"
_MOST_CHAT_LINES: Final = 200


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A line of the text chat."""

    speaker: str
    said: str
    by_agent: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A component that is answered, as it stands on the screen."""

    component: str
    config: Mapping[str, Any]
    in_rating_pause: bool = False
    during_video: bool = False


@dataclass(frozen=True, slots=True)
class Timer:
    """So many seconds from a moment of the caller's clock on."""

    seconds: float
    since_s: float


@dataclass(frozen=True, slots=True)
class Screen:
    """Everything that a participant has before him. `component` is empty while nothing was shown."""

    part: str = ""
    component: str = ""
    text: str = ""
    images: tuple[str, ...] = ()
    """Files."""
    image_lines: tuple[str, ...] = ()
    """What the agent is told of the images, one each."""
    question: Question | None = None
    video_chat: bool | None = None
    """Whether the participant is heard; None: nothing said so yet."""
    timer: Timer | None = None
    chat: tuple[ChatLine, ...] = ()
    message: str = ""
    waiting_for: tuple[str, ...] | None = None
    """Who is waited for; None: the study is not paused."""
    others: tuple[str, ...] = ()
    revealed: tuple[str, str] | None = None
    """Whose answer, and the answer."""

    @property
    def kind(self) -> str:
        """What stands on the screen, as a person calls it."""
        component = self.question.component if self.question is not None else self.component
        return KINDS.get(component, line(component, 40)) if component else "Nothing yet"


def after(screen: Screen, action: object, now_s: float = 0.0) -> Screen:
    """Return what the participant sees once `action`, a step's or a command, took effect at `now_s`."""
    match action:
        case steps.PushContext() | messages.Push():
            return _pushed(_with_video_chat(screen, action.video_chat), action.context, tuple(action.images), now_s)
        case steps.AskQuestion() | messages.Ask():
            return _asked(_with_video_chat(screen, action.video_chat), action)
        case steps.SetListening() | messages.SetListening():
            return replace(screen, video_chat=action.on)
        case steps.EnterPart():
            return in_part(screen, action.name)
        case messages.SetInstructions() if action.part is not None:
            return in_part(screen, action.part)
    return screen


def in_part(screen: Screen, name: str) -> Screen:
    """Return the screen once this part began: the timer of an earlier part is over."""
    return screen if screen.part == name else replace(screen, part=name, timer=None)


def screen_of_steps(before: Iterable[steps.Step]) -> Screen:
    """Return what the participant sees once these steps were done, one after the other."""
    screen = Screen()
    for step in before:
        screen = after(screen, step.action)
    return screen


def chatted(screen: Screen, said: str) -> Screen:
    """Return the screen with a line that the agent wrote in the chat."""
    return _with_chat(screen, ChatLine("Agent", said, by_agent=True))


def caption(action: object) -> str:
    """Return in a sentence what an action does beside what is seen of it; "" where that is all."""
    match action:
        case steps.Say():
            return f"The participant says: “{line(action.recording or action.text, 80)}”"
        case steps.Wait():
            return f"Nothing happens for {action.seconds:g} s."
        case steps.RequestReply():
            return "The agent is asked to speak."
        case steps.ChangeInstructions():
            return "The agent gets other instructions; the participant sees no change."
        case steps.AskQuestion() if action.own_answer is not None:
            return f"The study gives the participant's answer: {value_text(action.own_answer)}"
        case steps.EnterPart():
            return f"The part “{line(action.name, 80)}” begins."
    return ""


def question_problem(question: Question) -> str | None:
    """Return in a sentence why a question cannot be shown, or None."""
    try:
        check_place(question.component, "rating pause" if question.in_rating_pause else "screen")
    except SimulatorError as error:
        return str(error)
    return config_error(question.component, question.config)


def value_text(value: object) -> str:
    """Return an answer's value as compact JSON on one line."""
    return line(json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str), 400)


def _with_video_chat(screen: Screen, shown: bool | None) -> Screen:
    return screen if shown is None else replace(screen, video_chat=shown)


def _pushed(screen: Screen, context: Mapping[str, Any], images: tuple[str, ...], now_s: float) -> Screen:
    match context.get("event"):
        case "screen":
            return replace(
                screen,
                component=word(context.get("type")) or "showtext",
                text=word(context.get("text")),
                images=images,
                image_lines=tuple(word(each) for each in _list(context.get("images"))),
                question=None,
                timer=None,
                message="",
                revealed=None,
            )
        case "typed":
            return _with_chat(screen, ChatLine(word(context.get("speaker")), word(context.get("said"))))
        case "timer":
            seconds = context.get("secondsLeft")
            countable = isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds < 1e9
            return replace(screen, timer=Timer(float(seconds), now_s) if countable else None)  # type: ignore[arg-type]
        case "experimenter_message":
            return replace(screen, message=word(context.get("text")))
        case "revealed":
            answer = context.get("answer")
            text = answer if isinstance(answer, str) else value_text(answer)
            return replace(screen, revealed=(_person(context), text))
        case "paused":
            return replace(screen, waiting_for=tuple(word(each) for each in _list(context.get("waitingFor"))))
        case "resumed":
            return replace(screen, waiting_for=None)
        case "participants":
            people = [_person(each) for each in _list(context.get("others")) if isinstance(each, Mapping)]
            return replace(screen, others=tuple(people))
    return screen


def _asked(screen: Screen, action: steps.AskQuestion | messages.Ask) -> Screen:
    """Put a question on the screen; the images of a screen that announced the same component stay."""
    pause = action.shown_on == "rating pause"
    question = Question(action.component, action.config, pause, action.during_video)
    if pause or screen.component == action.component:
        return replace(screen, question=question)
    return replace(
        screen, component=action.component, text="", images=(), image_lines=(), question=question, revealed=None
    )


def _with_chat(screen: Screen, new: ChatLine) -> Screen:
    return replace(screen, chat=(*screen.chat, new)[-_MOST_CHAT_LINES:])


def _person(fields: Mapping[str, Any]) -> str:
    name, role = word(fields.get("name")), word(fields.get("role"))
    return f"{name} ({role})" if role else name


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def time_left(timer: Timer, now_s: float) -> int:
    """Return the whole seconds that a timer still shows, a begun one included; 0 once it is over."""
    return max(0, math.ceil(timer.seconds - max(now_s - timer.since_s, 0.0)))

"""All kinds of steps in one table, and what is said of a step by its kind. No Qt here."""

from functools import partial
from pathlib import PurePath

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
from ui.models.context_kinds import EVENT_KINDS, OTHER, SCREEN
from ui.models.form_fields import FormField, Values, number, required
from ui.models.question_kinds import (
    COMPONENT_FORMS,
    ComponentForm,
    form_of,
    question_action,
    question_fields,
    question_values,
)
from ui.models.step_kind import StepKind, StepSign


def default_action(kind: StepKind) -> StepAction:
    """Return the action that the form makes before anything is typed."""
    return kind.action({field.name: field.default for field in kind.fields}, None)


def kind_of(action: StepAction) -> StepKind:
    """Return the kind of an action."""
    if isinstance(action, PushContext):
        return EVENT_KINDS.get(str(action.context.get("event")), OTHER)
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
    *(kind for event, kind in EVENT_KINDS.items() if event != "screen"),
    *_ACTION_KINDS.values(),
    OTHER,
)
"""All that can be added, in the order of the menu."""

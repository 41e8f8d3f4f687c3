"""Steps in a few words, for whoever follows a study."""

from pathlib import Path

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


def describe(action: StepAction) -> str:
    """Return what a step does, in a few words."""
    match action:
        case PushContext(context=context):
            return str(context.get("event", "context item"))
        case AskQuestion():
            where = "rating pause" if action.shown_on == "rating pause" else "question"
            return f"{where} “{action.text}”"
        case Say(recording="", text=text):
            return f"say “{text}”"
        case Say(recording=recording):
            return f"say {Path(recording).name}"
        case SetListening(on):
            return "listening on" if on else "listening off"
        case EnterPart(name=name):
            return f"part “{name}”"
        case ChangeInstructions():
            return "new instructions"
        case RequestReply():
            return "ask for a reply"
        case Wait(seconds):
            return f"wait {seconds:g} s"


def until_done(action: StepAction) -> str:
    """Return what has to happen until a step that takes its time is done; "" for one that takes none."""
    match action:
        case AskQuestion():
            return f"the answer to “{action.text}”"
        case Say():
            return "the end of what is said"
        case Wait(seconds=seconds):
            return f"{seconds:g} s to pass"
        case _:
            return ""

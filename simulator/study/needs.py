"""What a study needs of a session."""

import msgspec

from simulator.profile.tools import TOOL_NAMES, tool_for
from simulator.study.steps import AskQuestion, ChangeInstructions, EnterPart, PushContext, SetListening, Study


class Standing(msgspec.Struct, frozen=True):
    """What earlier steps left behind. None: none of them set it."""

    instructions: str | None = None
    part: str | None = None
    listening: bool | None = None


def standing_before(study: Study, first_step: int) -> Standing:
    """Return what holds when a step begins, as the steps before it left it."""
    standing = Standing()
    for step in study.steps[:first_step]:
        match step.action:
            case EnterPart(name=name):
                whole = study.instructions_in(step.action)
                standing = msgspec.structs.replace(standing, part=name, instructions=whole or standing.instructions)
            case ChangeInstructions(instructions=text):
                standing = msgspec.structs.replace(standing, instructions=text)
            case SetListening(on=shown) | PushContext(video_chat=shown) | AskQuestion(video_chat=shown):
                if shown is not None:
                    standing = msgspec.structs.replace(standing, listening=shown)
            case _:
                pass
    return standing


def needed_tools(study: Study) -> tuple[str, ...]:
    """Return the names of the tools to declare, in the specification's order: one for each kind of its questions.

    `send_chat` is among them where the study says that it has a text chat, or does not say and has a typed line.
    """
    asked = [step.action for step in study.steps if isinstance(step.action, AskQuestion)]
    needed = {tool_for(question.component, question.config) for question in asked}
    if has_text_chat(study):
        needed.add("send_chat")
    return tuple(name for name in TOOL_NAMES if name in needed)


def has_text_chat(study: Study) -> bool:
    """Return whether participants can write to each other in it."""
    if study.text_chat is not None:
        return study.text_chat
    pushes = (step.action for step in study.steps if isinstance(step.action, PushContext))
    return any(push.context.get("event") == "typed" for push in pushes)

"""What a recorded participant did, as the commands with which an operator would do it."""

from typing import TYPE_CHECKING, Final, cast

import msgspec

from simulator.participant.messages import (
    AnyCommand,
    Ask,
    CreateResponse,
    KeepOwnAnswer,
    Push,
    SendEvent,
    SetInstructions,
    SetListening,
    StopReply,
)
from simulator.record.replay import deeds

if TYPE_CHECKING:
    from simulator.study.steps import ShownOn

_OWN_ID: Final = 0
"""The id of commands that nobody sent."""


def command_for(deed: deeds.Deed) -> AnyCommand:
    """Return the operator's command for what a participant did. What is said is no command."""
    match deed:
        case deeds.Push(context=context):
            return Push(id=_OWN_ID, context=context)
        case deeds.Ask(component, config, during_video, shown_on, attempts):
            return Ask(
                id=_OWN_ID,
                component=component,
                config=config,
                during_video=during_video,
                shown_on=cast("ShownOn", shown_on),
                attempts=attempts,
                adds_tool=True,
            )
        case deeds.OwnAnswer(component, config, value):
            return KeepOwnAnswer(id=_OWN_ID, component=component, config=config, value=value)
        case deeds.Listen(on):
            return SetListening(id=_OWN_ID, on=on)
        case deeds.Instruct(instructions, part):
            return SetInstructions(id=_OWN_ID, instructions=instructions, part=part)
        case deeds.Request(response):
            return CreateResponse(id=_OWN_ID, response=response)
        case deeds.SendRaw(event):
            return SendEvent(id=_OWN_ID, event=event)
        case deeds.StopReply():
            return StopReply(id=_OWN_ID)
        case deeds.Say():
            raise AssertionError("what is said is no command")


def carried_over(deed: deeds.Instruct, recorded: str, own: str) -> deeds.Instruct:
    """Return what a change of instructions is in a session that began with its `own`, not with those `recorded`.

    Guidance of a part that stood below the recorded ones stands below its own, and what went back to them goes back to
    its own. Whatever else was sent is sent as it was.
    """
    text = deed.instructions
    if text is None or recorded == own:
        return deed
    if text == recorded:
        return msgspec.structs.replace(deed, instructions=own)
    if recorded and text.startswith(f"{recorded}\n\n"):
        guidance = text.removeprefix(f"{recorded}\n\n")
    elif not recorded and deed.part is not None:
        guidance = text
    else:
        return deed
    return msgspec.structs.replace(deed, instructions=f"{own}\n\n{guidance}" if own else guidance)

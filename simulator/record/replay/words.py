"""Deeds in a few words, for whoever follows a replay."""

from simulator.profile.answers import prompt_of
from simulator.record.replay.deeds import (
    Ask,
    Deed,
    Instruct,
    Listen,
    OwnAnswer,
    Push,
    Request,
    Say,
    SendRaw,
    StopReply,
)
from simulator.units import SAMPLE_RATE_HZ


def describe(deed: Deed) -> str:
    """Return what a deed does, in a few words."""
    match deed:
        case Say(samples=samples):
            return f"speech of {samples / SAMPLE_RATE_HZ:.1f} s"
        case Push(context=context):
            return str(context.get("event", "context item"))
        case Ask(component, config):
            return f"question “{prompt_of(config) or component}”"
        case OwnAnswer(component, config):
            return f"own answer to “{prompt_of(config) or component}”"
        case Listen(on):
            return "listening on" if on else "listening off"
        case Instruct(instructions=None, part=part):
            return f"part “{part}”"
        case Instruct(part=None):
            return "new instructions"
        case Instruct(part=part):
            return f"part “{part}”, new instructions"
        case Request():
            return "ask for a reply"
        case SendRaw(event):
            return f"event {event.get('type')}"
        case StopReply():
            return "stop the reply"

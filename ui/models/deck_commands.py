"""What a step of the deck is as commands for the participant process, where it is pushed by hand. No Qt here."""

from simulator.participant.messages import (
    AnyCommand,
    Ask,
    KeepOwnAnswer,
    Push,
    RequestReply,
    SetInstructions,
    SetListening,
    Speak,
)
from simulator.study import steps
from simulator.study.steps import Step, Study


def commands_of(step: Step, study: Study) -> list[AnyCommand]:
    """Return the commands of a step, in order; none for a wait, which means something only when played by time."""
    match step.action:
        case steps.PushContext(context=context, images=images, asks_reply=asks, video_chat=video_chat):
            return [Push(id=0, context=context, images=list(images), ask_reply=asks, video_chat=video_chat)]
        case steps.AskQuestion():
            return _question(step.action)
        case steps.SetListening(on=on):
            return [SetListening(id=0, on=on)]
        case steps.ChangeInstructions(instructions=text):
            return [SetInstructions(id=0, instructions=text)]
        case steps.RequestReply(instructions=hint):
            return [RequestReply(id=0, instructions=hint)]
        case steps.EnterPart(name=name):
            return [SetInstructions(id=0, instructions=study.instructions_in(step.action), part=name)]
        case steps.Say(recording=recording, text=text, voice=voice):
            return [Speak(id=0, text=text, voice=voice, recording=recording)]
        case steps.Wait():
            return []


def _question(question: steps.AskQuestion) -> list[AnyCommand]:
    asked: list[AnyCommand] = [Ask.of(question, 0, adds_tool=True)]
    if question.own_answer is not None:
        own = KeepOwnAnswer(id=0, component=question.component, config=question.config, value=question.own_answer)
        asked.append(own)
    return asked

"""The commands that are the session's to execute: each is settled once it took effect there, or was refused.

What is pushed leaves in the order in which it was commanded, also where an item first waits for its images. What
stops something, and the answers to calls, wait for nothing.
"""

import asyncio
import contextlib
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from simulator.errors import UnreadableFile, UsageError
from simulator.participant.live import Act, LiveSession
from simulator.participant.messages import (
    AnswerCall,
    AnyCommand,
    Ask,
    CreateResponse,
    HeldCall,
    KeepOwnAnswer,
    Push,
    RequestReply,
    SendEvent,
    SetCallsInHand,
    SetInstructions,
    SetListening,
    StopReply,
)
from simulator.record.redact import Redactor
from simulator.resources import is_file
from simulator.session.composed import LARGEST_EVENT_BYTES
from simulator.session.participant import ParticipantSession

NOT_CONNECTED: Final = "There is no session: connect to an engine first."


class SessionCommands:
    """Executes commands in the session of the moment, one by one or side by side."""

    def __init__(self) -> None:
        self._tokens = itertools.count(1)
        self._order = asyncio.Lock()
        self._hidden = 0
        """Token of the last command that switched listening off."""
        self._stopped = 0
        """Token of the last command that stopped the reply."""

    async def execute(
        self, command: AnyCommand, live: LiveSession | None, images: Sequence[bytes] | None = None
    ) -> None:
        """Execute a command and return when it took effect. Raises SimulatorError with the reason why it did not.

        `images` are those of a push that has none on this computer.
        """
        if live is None:
            raise UsageError(NOT_CONNECTED)
        token = next(self._tokens)
        at_once = isinstance(command, StopReply | AnswerCall | SetCallsInHand | KeepOwnAnswer) or (
            isinstance(command, SetListening) and not command.on
        )
        if isinstance(command, SetListening) and not command.on:
            self._hidden = token
        elif isinstance(command, StopReply):
            self._stopped = token
        async with contextlib.nullcontext() if at_once else self._order:
            if images is None:
                paths = command.images if isinstance(command, Push) else []
                images = await asyncio.to_thread(_read_images, paths) if paths else []
            if token < self._hidden:
                command = _without_showing(command)
            if token < self._stopped:
                command = _without_reply(command)
            settled = live.settle(token, _act(command, images, token))
        await settled


def _without_showing(command: AnyCommand) -> AnyCommand:
    """Return what is left of a command that was overtaken by one that hides the video chat: the later wish counts.

    Raises UsageError where nothing is left.
    """
    if isinstance(command, SetListening) and command.on:
        raise UsageError("Listening was switched off again before this took effect.")
    if isinstance(command, Push | Ask) and command.video_chat:
        return msgspec.structs.replace(command, video_chat=None)
    return command


def _without_reply(command: AnyCommand) -> AnyCommand:
    """Return what is left of a command that was overtaken by one that stops the reply: it asks for none any more.

    Raises UsageError where nothing is left.
    """
    if isinstance(command, RequestReply | CreateResponse):
        raise UsageError("The reply was stopped before it was asked for.")
    if isinstance(command, Push) and command.ask_reply:
        return msgspec.structs.replace(command, ask_reply=False)
    return command


def _act(command: AnyCommand, images: Sequence[bytes], token: int) -> Act:
    """Return what a command does in a session. Raises UsageError for one that is none of a session."""
    match command:
        case Push(context=context, ask_reply=asks, video_chat=shown):
            return lambda session, now: session.push(context, images, asks, now, video_chat=shown, token=token)
        case Ask():
            return lambda session, now: session.ask(
                command.component,
                command.config,
                command.during_video,
                now,
                shown_on=command.shown_on,
                attempts=command.attempts,
                video_chat=command.video_chat,
                adds_tool=command.adds_tool,
                token=token,
            )
        case SetListening(on=on):
            return lambda session, now: session.set_listening(on, now, token=token)
        case StopReply():
            return lambda session, now: session.stop_reply(now, token=token)
        case SetInstructions(instructions=text, part=part):
            return lambda session, now: session.set_instructions(text, now, part=part, token=token)
        case RequestReply(instructions=hint):
            return lambda session, now: session.request_reply(hint, now, token=token)
        case CreateResponse(response=response):
            return lambda session, now: session.create_response(response, now, token=token)
        case SendEvent(event=event):
            return lambda session, now: session.send_event(event, now, token=token)
        case KeepOwnAnswer(component=component, config=config, value=value):
            return lambda session, now: session.keep_own_answer(component, config, value, token=token)
        case SetCallsInHand(on=on):
            return lambda session, now: session.set_calls_in_hand(on, now, token=token)
        case AnswerCall(call_id=call_id, how=how, text=text):
            return lambda session, now: session.answer_call(call_id, how, text, now, token=token)
        case _:
            raise UsageError(f"{type(command).__name__} is no command of a session.")


def calls_and_questions(session: ParticipantSession, redactor: Redactor) -> dict[str, Any]:
    """Return what a `Status` says of the session's calls and questions, without the keys that an engine may repeat."""
    question = session.question
    held = [
        HeldCall(
            each.call.call_id,
            redactor.text(each.call.name),
            redactor.text(each.call.arguments),
            each.since_ns,
            each.question.words if each.question is not None else "",
            None if each.error is None else redactor.text(each.error),
        )
        for each in session.held_calls
    ]
    return {
        "calls_in_hand": session.calls_in_hand,
        "held_calls": held,
        "question": question.words if question is not None else None,
        "questions_waiting": session.questions_waiting,
    }


def _read_images(paths: Sequence[str]) -> list[bytes]:
    images = []
    for path in paths:
        try:
            if not is_file(path):
                raise UnreadableFile(f"The image {path!r} cannot be read: check the name.")
            with Path(path).open("rb") as file:
                image = file.read(LARGEST_EVENT_BYTES + 1)
        except (OSError, ValueError) as error:  # ValueError: a path that no system has
            raise UnreadableFile(f"The image {path!r} cannot be read: check the name.", str(error)) from error
        if len(image) > LARGEST_EVENT_BYTES:
            raise UnreadableFile(f"The image {path!r} is larger than {LARGEST_EVENT_BYTES >> 20} MiB: make it smaller.")
        images.append(image)
    return images

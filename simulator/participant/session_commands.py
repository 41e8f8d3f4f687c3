"""The commands that are the session's to execute: each is settled once it took effect there, or was refused."""

import asyncio
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from simulator.errors import UnreadableFile, UsageError
from simulator.participant.live import LiveSession
from simulator.participant.messages import (
    AnyCommand,
    Ask,
    Push,
    RequestReply,
    SetInstructions,
    SetListening,
    StopReply,
)

_NOT_CONNECTED: Final = "There is no session: connect to an engine first."


class SessionCommands:
    """Executes commands in the session of the moment, one by one or side by side."""

    def __init__(self) -> None:
        self._tokens = itertools.count(1)

    async def execute(self, command: AnyCommand, live: LiveSession | None) -> None:
        """Execute a command and return when it took effect. Raises SimulatorError with the reason why it did not."""
        token = next(self._tokens)
        if live is None:
            raise UsageError(_NOT_CONNECTED)
        match command:
            case SetListening(on=on):
                await live.settle(token, lambda session, now: session.set_listening(on, now, token=token))
            case StopReply():
                await live.settle(token, lambda session, now: session.stop_reply(now, token=token))
            case Push(context=context, images=paths, ask_reply=asks):
                images = await asyncio.to_thread(_read_images, paths)
                await live.settle(token, lambda session, now: session.push(context, images, asks, now, token=token))
            case Ask(component=component, config=config, during_video=during):
                await live.settle(token, lambda session, now: session.ask(component, config, during, now, token=token))
            case SetInstructions(instructions=text):
                await live.settle(token, lambda session, now: session.set_instructions(text, now, token=token))
            case RequestReply(instructions=hint):
                await live.settle(token, lambda session, now: session.request_reply(hint, now, token=token))
            case _:
                raise UsageError(f"{type(command).__name__} is no command of a session.")


def _read_images(paths: Sequence[str]) -> list[bytes]:
    images = []
    for path in paths:
        try:
            images.append(Path(path).read_bytes())
        except (OSError, ValueError) as error:  # ValueError: a path that no system has
            raise UnreadableFile(f"The image {path!r} cannot be read: check the name.", str(error)) from error
    return images

"""What a mind gives: the steps of a response, as they come to it.

A mind is the script (script_mind: at once, without any model) or a language model somewhere else (model_mind: sentence
by sentence, as it streams). What is said and called looks the same to the rest of the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from simulator.engine.request import ResponseRequest


@dataclass(frozen=True, slots=True)
class Say:
    """Words: spoken, or written in a silent response.

    Attributes:
        text: a sentence or more.
        goes_on: they belong to the message before, and no other begins.
    """

    text: str
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A function call."""

    name: str
    arguments: dict[str, Any]


Step = Say | Call


class Mind(Protocol):
    """Decides what a response holds."""

    def think(self, request: ResponseRequest) -> AsyncGenerator[Step, None]:
        """The steps of the response, each as soon as it is known. Closing it ends what is under way.

        Raises:
            MindError: no more is to be had.
            CutShortError: the response ends here, before it is complete.
        """
        ...

    async def close(self) -> None:
        """Lets go of what it holds; it is not asked again."""
        ...


class MindError(Exception):
    """The response fails.

    Attributes:
        code: machine-readable name of the reason.
        message: one sentence for people.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class CutShortError(Exception):
    """The response is incomplete.

    Attributes:
        reason: max_output_tokens or content_filter.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

"""The steps of a study, as values.

Steps run in order. A step begins when the step before it is done, not before `at_s`, and at the moment `when` names.
"""

import enum
from typing import Any

import msgspec


class When(enum.StrEnum):
    """The moment at which a step begins, once the step before it is done."""

    NOW = "now"
    AFTER_REPLY = "after reply"
    """When the agent's reply to what was last said or typed was heard to its end; at once where none is awaited."""
    DURING_REPLY = "during reply"
    """When the agent has been heard for a second: what is said then interrupts it. At once where none is awaited."""


class PushContext(msgspec.Struct, frozen=True):
    """Tell the engine what happens: a context item; with `asks_reply` also a request for a reply."""

    context: dict[str, Any]
    images: tuple[str, ...] = ()
    asks_reply: bool = False


class AskQuestion(msgspec.Struct, frozen=True):
    """Put a question to the agent and wait for its silent answer."""

    component: str
    config: dict[str, Any]
    during_video: bool = False
    within_s: float = 30.0

    @property
    def text(self) -> str:
        """The question as a person would read it."""
        return str(self.config.get("question") or self.config.get("prompt") or self.component)


class Say(msgspec.Struct, frozen=True):
    """Let the participant say a recording: a fixture's name or a path."""

    recording: str


class SetListening(msgspec.Struct, frozen=True):
    """Show or hide the video chat: whether the participant is heard by the engine."""

    on: bool


class ChangeInstructions(msgspec.Struct, frozen=True):
    """Enter a part of the study with its own guidance for the agent."""

    instructions: str


class RequestReply(msgspec.Struct, frozen=True):
    """Ask the agent to speak without a spoken turn."""

    instructions: str | None = None


class Wait(msgspec.Struct, frozen=True):
    """Let time pass."""

    seconds: float


StepAction = PushContext | AskQuestion | Say | SetListening | ChangeInstructions | RequestReply | Wait


class Step(msgspec.Struct, frozen=True):
    """One step: what happens, and when it begins."""

    action: StepAction
    line: int
    """Where it stands in the study file, from 1."""
    when: When = When.NOW
    at_s: float = 0.0
    """Seconds after the start of the study before which the step does not begin."""


class Study(msgspec.Struct, frozen=True):
    """A whole study."""

    name: str
    steps: tuple[Step, ...]
    instructions: str = ""
    voice: str = "marin"
    turn_detection: dict[str, Any] | None = None
    """The wire object; None means the profile's first mode."""
    reply_within_s: float = 20.0
    """How long an awaited reply may take to begin before the study goes on without it."""

    @property
    def speaks(self) -> bool:
        """Whether the participant says anything in it."""
        return any(isinstance(step.action, Say) for step in self.steps)

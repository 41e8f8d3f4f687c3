"""The steps of a study, as values.

Steps run in order. A step begins when the step before it is done, not before `at_s`, and at the moment `when` names.
"""

import enum
from typing import Any, Literal

import msgspec

ShownOn = Literal["screen", "rating pause"]
"""Where a question stands (answerableComponents)."""


class When(enum.StrEnum):
    """The moment at which a step begins, once the step before it is done."""

    NOW = "now"
    AFTER_REPLY = "after reply"
    """When the agent's reply to what was last said or typed was heard to its end; at once where none is awaited."""
    DURING_REPLY = "during reply"
    """When the agent has been heard for a second, or for `Step.after_s`: what is said then interrupts it. At once where
    none is awaited."""


class PushContext(msgspec.Struct, frozen=True, tag_field="do", tag="push"):
    """Tell the engine what happens: a context item; with `asks_reply` also a request for a reply."""

    context: dict[str, Any]
    images: tuple[str, ...] = ()
    asks_reply: bool = False
    video_chat: bool | None = None
    """Whether this screen shows the video chat, so that the participant is heard; None leaves it as it is."""


class AskQuestion(msgspec.Struct, frozen=True, tag_field="do", tag="ask"):
    """Put a question to the agent and wait for its silent answer."""

    component: str
    config: dict[str, Any]
    during_video: bool = False
    within_s: float = 30.0
    shown_on: ShownOn = "screen"
    attempts: int = 3
    """How often the agent is asked at most."""
    video_chat: bool | None = None
    """As in `PushContext`."""
    own_answer: Any = None
    """What the participant answers to the same question, kept in the record; None: nothing."""

    @property
    def text(self) -> str:
        """The question as a person would read it."""
        return str(self.config.get("question") or self.config.get("prompt") or self.component)


class Say(msgspec.Struct, frozen=True, tag_field="do", tag="say"):
    """Let the participant say a recording, a fixture's name or a path, or a text by the local synthesiser."""

    recording: str = ""
    text: str = ""
    """Spoken where no recording is named."""
    voice: str | None = None
    """The synthesiser's voice; None: its first."""


class SetListening(msgspec.Struct, frozen=True, tag_field="do", tag="listening"):
    """Show or hide the video chat: whether the participant is heard by the engine."""

    on: bool


class EnterPart(msgspec.Struct, frozen=True, tag_field="do", tag="part"):
    """Begin a part of the study: the steps up to the next one belong to it."""

    name: str
    guidance: str | None = None
    """The agent's guidance in this part, sent below the study's instructions; None: the instructions stay."""


class ChangeInstructions(msgspec.Struct, frozen=True, tag_field="do", tag="instructions"):
    """Replace the whole instructions."""

    instructions: str


class RequestReply(msgspec.Struct, frozen=True, tag_field="do", tag="reply"):
    """Ask the agent to speak without a spoken turn."""

    instructions: str | None = None


class Wait(msgspec.Struct, frozen=True, tag_field="do", tag="wait"):
    """Let time pass."""

    seconds: float


StepAction = PushContext | AskQuestion | Say | SetListening | EnterPart | ChangeInstructions | RequestReply | Wait


class Step(msgspec.Struct, frozen=True):
    """One step: what happens, and when it begins."""

    action: StepAction
    line: int = 0
    """Where it stands in the study file, from 1; 0: in none."""
    when: When = When.NOW
    at_s: float = 0.0
    """Seconds after the start of the study before which the step does not begin."""
    after_s: float | None = None
    """Seconds that pass first since the reply is heard (`DURING_REPLY`; None: 1), or was (`AFTER_REPLY`; None: 0)."""


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
    text_chat: bool | None = None
    """Whether the study has a text chat, so that send_chat is declared; None: where it has a typed line."""

    @property
    def speaks(self) -> bool:
        """Whether the participant says anything in it."""
        return any(isinstance(step.action, Say) for step in self.steps)

    def instructions_in(self, part: EnterPart) -> str | None:
        """Return the agent's whole instructions in a part, None where it has no guidance of its own."""
        if part.guidance is None:
            return None
        return f"{self.instructions}\n\n{part.guidance}" if self.instructions else part.guidance

"""What a kind of step is: name and sign, fields, and both ways between a step's action and its form. No Qt here."""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simulator.study.steps import StepAction
from ui.models.form_fields import FormField, Values


class StepSign(enum.StrEnum):
    """The sign of a kind of step; ui/widgets/step_signs.py draws it."""

    SCREEN = "screen"
    QUESTION = "question"
    TIMER = "timer"
    TYPED = "typed"
    MESSAGE = "message"
    REVEALED = "revealed"
    PAUSE = "pause"
    RESUME = "resume"
    PEOPLE = "people"
    PART = "part"
    SAY = "say"
    LISTENING = "listening"
    INSTRUCTIONS = "instructions"
    REPLY = "reply"
    WAIT = "wait"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class StepKind:
    """A kind of step: `action` raises SimulatorError with one sentence where the values make none."""

    name: str
    sign: StepSign
    tip: str
    fields: tuple[FormField, ...]
    action: Callable[[Values, StepAction | None], StepAction]
    """From the values of the fields, and the action that is edited, whose further keys are kept."""
    values: Callable[[Any], dict[str, Any]]
    """What an action of this kind fills the fields with."""
    gist: Callable[[Any], str]
    """What a row of the deck says of an action of this kind."""

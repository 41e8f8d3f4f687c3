"""The few points at which the engine can be told to behave otherwise.

`Behaviour` itself changes nothing: the engine asks it at each point and does what it says. A fault overrides one method
or two (see faults/), so that the engine's own code knows of no fault. One object belongs to one session and may keep
what it needs to remember.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simulator.engine.generation import Pace
    from simulator.engine.mind import Step
    from simulator.engine.request import ResponseRequest

Event = dict[str, Any]


class Said(NamedTuple):
    """An event on its way to the client, and how long it is held back. Others may overtake it."""

    event: Event
    after_ms: float = 0.0


class Behaviour:
    """Everything by the rules."""

    def hears(self, event: Event) -> Iterable[Event]:
        """The client events that are carried out in place of one that arrived."""
        return (event,)

    def says(self, event: Event) -> Iterable[Said]:
        """The events that leave in place of one. The given one must not be changed: copy it."""
        return (Said(event),)

    def turn_detection(self, shown: Event | None) -> Event | None:
        """The turn detection that is in force while the session shows this one."""
        return shown

    def step(self, request: ResponseRequest, step: Step) -> Iterable[Step]:
        """What a response holds in place of one step."""
        return (step,)

    def pace(self, pace: Pace) -> Pace:
        """How fast speech leaves."""
        return pace


class Together(Behaviour):
    """Several behaviours, each given what the one before it made."""

    def __init__(self, parts: Sequence[Behaviour]) -> None:
        self._parts = parts

    def hears(self, event: Event) -> Iterable[Event]:
        events = [event]
        for part in self._parts:
            events = [heard for each in events for heard in part.hears(each)]
        return events

    def says(self, event: Event) -> Iterable[Said]:
        leaving = [Said(event)]
        for part in self._parts:
            leaving = [
                Said(said.event, said.after_ms + before.after_ms)
                for before in leaving
                for said in part.says(before.event)
            ]
        return leaving

    def turn_detection(self, shown: Event | None) -> Event | None:
        for part in self._parts:
            shown = part.turn_detection(shown)
        return shown

    def step(self, request: ResponseRequest, step: Step) -> Iterable[Step]:
        steps = [step]
        for part in self._parts:
            steps = [held for each in steps for held in part.step(request, each)]
        return steps

    def pace(self, pace: Pace) -> Pace:
        for part in self._parts:
            pace = part.pace(pace)
        return pace

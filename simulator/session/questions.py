"""Questions: the one on the screen, those that wait behind it, and the note that each answer leaves.

One question is on the screen at a time; the next is put there when it was answered or given up. How often the agent
is asked at most is the question's own.
"""

from collections import deque
from typing import Any, Final

import msgspec

from simulator.errors import UsageError
from simulator.profile.answers import prompt_of
from simulator.profile.wording import Source
from simulator.protocol.server_events import FunctionCall
from simulator.session.actions import Action, Note, Settled

MOST_ATTEMPTS: Final = 10
"""The largest number of attempts that a question may be given."""
MOST_INTERRUPTED: Final = 10
"""Silent answers cut short by the participant's speech that are no attempts of the agent's."""
MOST_WAITING: Final = 50
"""Questions that may wait behind the one on the screen."""


class OpenQuestion(msgspec.Struct, eq=False, kw_only=True):
    """A question that is on the screen or waits for it."""

    component: str
    config: dict[str, Any]
    tool: str
    context: dict[str, Any]
    """The item that announces it."""
    wording: Source = "own"
    """Whose words its text is made of."""
    during_video: bool = False
    """Whether the video chat goes on while it is on the screen."""
    shown_on: str = "screen"
    video_chat: bool | None = None
    """Whether the screen that it comes with shows the video chat; None: as before."""
    most_attempts: int = 3
    token: int | None = None
    asked_ns: int = 0
    """When it was put on the screen."""
    attempts: int = 0
    """Silent answers that were asked for, but for those that the participant's speech cut short."""
    interrupted: int = 0
    """How many were cut short by it."""
    last_error: str = ""
    in_hand: int = 0
    """Calls that may answer it and wait for the operator: so long it is not asked again."""
    in_vain: str | None = None
    """How a silent answer ended without one while a call was in hand: what follows waits for the operator."""
    closed: bool = False
    """It was answered or given up."""

    @property
    def asked(self) -> dict[str, Any]:
        """What the record says of it where it is announced: enough to ask it again."""
        return {
            "component": self.component,
            "config": self.config,
            "during_video": self.during_video,
            "shown_on": self.shown_on,
            "attempts": self.most_attempts,
            "wording": self.wording,
        }

    @property
    def words(self) -> str:
        """The question as a person would read it."""
        return prompt_of(self.config) or self.component


class Ruling(msgspec.Struct, frozen=True):
    """What became of a call: taken with its value, or refused with the `error` that the agent was told."""

    value: Any = None
    error: str | None = None
    by_operator: bool = False
    """The operator decided, whatever the call deserves."""
    judged: str | None = None
    """Why it would have been refused without the operator."""


class Questions:
    """The question on the screen and those that wait."""

    def __init__(self) -> None:
        self._waiting: deque[OpenQuestion] = deque()
        self.current: OpenQuestion | None = None

    @property
    def waiting(self) -> int:
        """How many wait behind the one on the screen."""
        return len(self._waiting)

    def add(self, question: OpenQuestion) -> None:
        """Let a question wait for the screen. Raises UsageError where too many do."""
        if len(self._waiting) >= MOST_WAITING:
            raise UsageError(f"{MOST_WAITING} questions wait already: let the agent answer some of them first.")
        self._waiting.append(question)

    def next(self, now_ns: int) -> OpenQuestion | None:
        """Put the next question on the screen, if it is free, and return it."""
        if self.current is not None or not self._waiting:
            return None
        self.current = self._waiting.popleft()
        self.current.asked_ns = now_ns
        return self.current

    def called(self, call: FunctionCall, ruling: Ruling, now_ns: int) -> list[Action]:
        """The call answered the question on the screen, or it was refused, and the question stays there."""
        question = self.current
        if question is None:
            return []
        if ruling.error is None:
            return self._close(call, ruling, now_ns)
        question.last_error = ruling.error
        return [_note(question, call, ruling, now_ns)]

    def give_up(self, sentence: str, now_ns: int) -> list[Action]:
        """Take the question off the screen, unanswered."""
        if self.current is None:
            return []
        return self._close(FunctionCall("", self.current.tool, ""), Ruling(error=sentence), now_ns)

    def withdraw(self, token: int, sentence: str, now_ns: int) -> list[Action]:
        """Give up the question of this command: from the screen, or while it waits for it."""
        if self.current is not None and self.current.token == token:
            return self.give_up(sentence, now_ns)
        for question in self._waiting:
            if question.token == token:
                self._waiting.remove(question)
                question.closed = True
                return [Settled(token, sentence)]
        return []

    def abandon(self, sentence: str, now_ns: int) -> list[Action]:
        """No question is answered any more: give up the one on the screen, and forget those that wait."""
        actions = self.give_up(sentence, now_ns)
        waiting, self._waiting = self._waiting, deque()
        for question in waiting:
            question.closed = True
            if question.token is not None:
                actions.append(Settled(question.token, sentence))
        return actions

    def _close(self, call: FunctionCall, ruling: Ruling, now_ns: int) -> list[Action]:
        question, self.current = self.current, None
        if question is None:
            return []
        question.closed = True
        actions: list[Action] = [_note(question, call, ruling, now_ns)]
        if question.token is not None:
            actions.append(Settled(question.token, ruling.error))
        return actions


def _note(question: OpenQuestion, call: FunctionCall, ruling: Ruling, now_ns: int) -> Note:
    fields: dict[str, Any] = {
        "component": question.component,
        "question": question.words,
        "wording": question.wording,
        "tool": call.name,
        "call_id": call.call_id,
        "arguments": call.arguments,
        "value": ruling.value if ruling.error is None else None,
        "accepted": ruling.error is None,
        "attempts": question.attempts,
    }
    if ruling.error is not None:
        fields["error"] = ruling.error
    if ruling.by_operator:
        fields |= {"by": "operator", "judged": ruling.judged}
    return Note("answer", {**fields, "asked_ns": question.asked_ns, "answered_ns": now_ns})

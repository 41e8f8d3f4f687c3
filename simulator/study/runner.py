"""Runs a study: told what happened and what time it is, it says what to do next.

Pure: no clock, no socket. The owner calls `begin`, then an event method whenever something happened and `tick` at
`due_ns`; each returns the indices of the steps that begin now. A step that takes time (a recording, a question, a wait)
holds up the next one until it is done; a reply holds it up only where the next step's `when` says so. Something said,
typed with a reply, or requested makes a reply *awaited*; only a reply that began after it satisfies the wait, so that a
reply which was interrupted is not taken for the answer to the interruption.
"""

import enum
from typing import Final

import msgspec

from simulator.study.steps import (
    AskQuestion,
    PushContext,
    RequestReply,
    Say,
    SetListening,
    Step,
    StepAction,
    Study,
    Wait,
    When,
)
from simulator.study.words import until_done
from simulator.units import NS_PER_S

HEARD_BEFORE_INTERRUPTING_NS: Final = NS_PER_S
_LONGEST_REPLY_NS: Final = 180 * NS_PER_S


class ReplyEnd(enum.StrEnum):
    """How a reply ended for the participant."""

    HEARD = "heard"
    CUT = "cut"
    FAILED = "failed"


class Missed(msgspec.Struct, frozen=True):
    """Something the study waited for in vain."""

    line: int
    what: str


class StudyRunner:
    """The progress of one run. `speaks` False skips what the study says, and does not wait for replies to it.

    It begins with the step of index `first_step`, and the study's time with the time that this step waits for.
    """

    def __init__(self, study: Study, *, speaks: bool = True, first_step: int = 0) -> None:
        self._study = study
        self._order = [at for at, step in enumerate(study.steps) if speaks or not isinstance(step.action, Say)]
        self._order = [at for at in self._order if at >= first_step]
        self._before_s = max((step.at_s for step in study.steps[: first_step + 1]), default=0.0) if first_step else 0.0
        self._next = 0
        self._running: Step | None = None
        self._begun_ns = 0
        self._done_at_ns: int | None = None
        """When the running step is over, where time decides it."""
        self._asked: Step | None = None
        """The step whose reply is awaited."""
        self._asked_ns = 0
        self._reply_id: str | None = None
        """The response that began since then."""
        self._reply_began_ns = 0
        self._audible_since_ns: int | None = None
        self._heard_since_ns: int | None = None
        """When the reply that is awaited was first heard."""
        self._reply_over_ns = 0
        """When the reply that was awaited last was over."""
        self._started = False
        self._missed: list[Missed] = []
        self._unanswered: list[Missed] = []

    @property
    def finished(self) -> bool:
        """Whether every step is done and no reply is awaited any more."""
        return self._started and self._next >= len(self._order) and self._running is None and self._asked is None

    @property
    def running(self) -> int | None:
        """The step that takes its time at present; None where none does."""
        return self._order[self._next - 1] if self._running is not None else None

    @property
    def awaits_reply(self) -> bool:
        """Whether a reply is awaited, by the next step or by the end."""
        return self._asked is not None

    @property
    def _is_saying(self) -> bool:
        return self._running is not None and isinstance(self._running.action, Say)

    def waits_for(self) -> str:
        """Return in a person's words what has to happen before the study goes on; "" where it is finished."""
        if self._running is not None:
            return until_done(self._running.action)
        step = self._upcoming()
        if self._asked is not None and (step is None or step.when is not When.NOW):
            if self._reply_id is None:
                return "the agent's reply"
            if step is None or step.when is When.AFTER_REPLY:
                return "the end of the agent's reply"
            return (
                "a second of the agent's reply" if step.after_s is None else f"{step.after_s:g} s of the agent's reply"
            )
        if step is not None and step.when is When.AFTER_REPLY and step.after_s:
            return f"{step.after_s:g} s after the agent's reply"
        return "" if step is None else f"{step.at_s:g} s after the start"

    @property
    def missed_replies(self) -> list[Missed]:
        """Replies that were awaited and did not come, or failed."""
        return list(self._missed)

    @property
    def unanswered(self) -> list[Missed]:
        """Questions that were left unanswered."""
        return list(self._unanswered)

    @property
    def due_ns(self) -> int | None:
        """When `tick` has to be called at the latest, if nothing happens before."""
        times = (self._done_at_ns, self._reply_deadline_ns(), self._begins_ns())
        return min((time for time in times if time is not None), default=None)

    def begin(self, now_ns: int) -> list[int]:
        """Start the study. `now_ns` is when the session stood."""
        self._started = True
        self._begun_ns = now_ns - round(self._before_s * NS_PER_S)
        return self._advance(now_ns)

    def tick(self, now_ns: int) -> list[int]:
        """Time has passed."""
        return self._advance(now_ns)

    def said(self, now_ns: int) -> list[int]:
        """The recording of the running step was said to its end."""
        if self._is_saying:
            self._asked_ns = now_ns
            self._done()
        return self._advance(now_ns)

    def not_said(self, now_ns: int) -> list[int]:
        """The recording or text of the running step could not be said: no reply comes to it."""
        if self._is_saying:
            self._asked = None
            self._done()
        return self._advance(now_ns)

    def answered(self, now_ns: int) -> list[int]:
        """The question of the running step was answered."""
        if self._running is not None and isinstance(self._running.action, AskQuestion):
            self._done()
        return self._advance(now_ns)

    def not_answered(self, why: str, now_ns: int) -> list[int]:
        """The question of the running step was given up."""
        if self._running is not None and isinstance(self._running.action, AskQuestion):
            self._leave_unanswered(why)
            self._done()
        return self._advance(now_ns)

    def broken_off(self, why: str) -> None:
        """The study ended before its time: a question that is open stays unanswered."""
        if self._running is not None and isinstance(self._running.action, AskQuestion):
            self._leave_unanswered(why)
            self._done()

    def reply_began(self, response_id: str, now_ns: int) -> list[int]:
        """The first sound of a reply arrived."""
        if self._asked is not None and self._reply_id is None:
            self._reply_id = response_id
            self._reply_began_ns = now_ns
            self._hear(now_ns)
        return self._advance(now_ns)

    def agent_audible(self, audible: bool, now_ns: int) -> list[int]:
        """The agent's voice began or ceased to be heard."""
        if not audible:
            self._audible_since_ns = None
        elif self._audible_since_ns is None:
            self._audible_since_ns = now_ns
        self._hear(now_ns)
        return self._advance(now_ns)

    def reply_over(self, response_id: str, end: ReplyEnd, now_ns: int) -> list[int]:
        """A reply is over: heard to its end, cut, or failed. A cut one leaves the wait as it is.

        One that failed without a sound ends the wait too, unless the participant still speaks: then another will come.
        """
        without_sound = end is ReplyEnd.FAILED and self._reply_id is None and not self._is_saying
        if self._asked is not None and (response_id == self._reply_id or without_sound):
            self._reply_id = self._heard_since_ns = None
            if end is ReplyEnd.FAILED:
                self._miss_reply("the reply failed")
            if end is not ReplyEnd.CUT:
                self._asked = None
                self._reply_over_ns = now_ns
        return self._advance(now_ns)

    def _hear(self, now_ns: int) -> None:
        """Keep when the awaited reply is first heard: a gap in it later changes nothing."""
        if self._reply_id is not None and self._audible_since_ns is not None and self._heard_since_ns is None:
            self._heard_since_ns = now_ns

    def _advance(self, now_ns: int) -> list[int]:
        self._expire(now_ns)
        begun: list[int] = []
        while (step := self._upcoming()) is not None and self._may_begin(now_ns):
            begun.append(self._order[self._next])
            self._next += 1
            self._enter(step, now_ns)
        return begun

    def _upcoming(self) -> Step | None:
        if not self._started or self._running is not None or self._next >= len(self._order):
            return None
        return self._study.steps[self._order[self._next]]

    def _may_begin(self, now_ns: int) -> bool:
        begins_ns = self._begins_ns()
        return begins_ns is not None and now_ns >= begins_ns

    def _begins_ns(self) -> int | None:
        """Return when the next step begins, where only time is missing."""
        step = self._upcoming()
        if step is None:
            return None
        if step.when is When.AFTER_REPLY and self._asked is None and step.after_s is not None:
            return max(self._earliest_ns(step), self._reply_over_ns + round(step.after_s * NS_PER_S))
        if step.when is When.NOW or self._asked is None:
            return self._earliest_ns(step)
        if step.when is When.DURING_REPLY and self._heard_since_ns is not None:
            return max(self._earliest_ns(step), self._heard_since_ns + _interrupted_after_ns(step))
        return None

    def _earliest_ns(self, step: Step) -> int:
        return self._begun_ns + round(step.at_s * NS_PER_S)

    def _enter(self, step: Step, now_ns: int) -> None:
        if _hides_video_chat(step.action):
            # What was said so far is kept as a turn, and starts no reply.
            self._asked = None
        match step.action:
            case Say():
                self._running = step
                self._await_reply(step, now_ns)
            case AskQuestion(within_s=within_s):
                self._running = step
                self._done_at_ns = now_ns + round(within_s * NS_PER_S)
            case Wait(seconds=seconds):
                self._running = step
                self._done_at_ns = now_ns + round(seconds * NS_PER_S)
            case PushContext(asks_reply=True) | RequestReply():
                self._await_reply(step, now_ns)
            case _:
                pass

    def _await_reply(self, step: Step, now_ns: int) -> None:
        self._asked = step
        self._asked_ns = now_ns
        self._reply_id = self._heard_since_ns = None

    def _expire(self, now_ns: int) -> None:
        if self._done_at_ns is not None and now_ns >= self._done_at_ns and self._running is not None:
            if isinstance(self._running.action, AskQuestion):
                self._leave_unanswered(f"no answer within {self._running.action.within_s:g} s")
            self._done()
        deadline_ns = self._reply_deadline_ns()
        if deadline_ns is not None and now_ns >= deadline_ns:
            self._miss_reply("no reply came" if self._reply_id is None else "the reply did not end")
            self._asked = None

    def _reply_deadline_ns(self) -> int | None:
        """Return when the awaited reply is given up; None while the participant still speaks or none is awaited."""
        if self._asked is None or self._is_saying:
            return None
        if self._reply_id is not None:
            return self._reply_began_ns + _LONGEST_REPLY_NS
        return self._asked_ns + round(self._study.reply_within_s * NS_PER_S)

    def _leave_unanswered(self, why: str) -> None:
        assert self._running is not None
        assert isinstance(self._running.action, AskQuestion)
        self._unanswered.append(Missed(self._running.line, f"“{self._running.action.text}”: {why}"))

    def _miss_reply(self, what: str) -> None:
        assert self._asked is not None
        self._missed.append(Missed(self._asked.line, what))

    def _done(self) -> None:
        self._running = None
        self._done_at_ns = None


def _interrupted_after_ns(step: Step) -> int:
    return HEARD_BEFORE_INTERRUPTING_NS if step.after_s is None else round(step.after_s * NS_PER_S)


def _hides_video_chat(action: StepAction) -> bool:
    match action:
        case SetListening(on=shown) | PushContext(video_chat=shown) | AskQuestion(video_chat=shown):
            return shown is False
        case _:
            return False

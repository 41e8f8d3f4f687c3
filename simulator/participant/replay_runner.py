"""Runs the replay of a recorded participant: told what happened and what time it is, it says what to do next.

Pure: no clock, no socket. The owner calls `begin`, then an event method whenever something happened and `tick` at
`due_ns`; each returns the acts that begin now, always in the order of the plan. All times are of one clock.

By the replies, the rules are these:

- An act is due so long after its anchor as it was in the record.
- An exchange of the plan is awaited once every act before it has begun. It is the first reply that is audible at the
  end of the last speech, or begins after it; one that began and was cut while the participant spoke is none. Where the
  last that was done to get a reply was a request, or an event composed by hand, only a reply that begins after it
  counts.
- Further replies belong to the exchange as long as nothing was said or asked for since it began: it ends with the last
  of them. One that ended already moves nothing any more but what waits for its end.
- An exchange that does not come within 20 s is missed, one that does not end within 180 s too: then the replay goes
  on, as if it had begun and ended at that moment.
- What followed the answer to a question does so again, as long after it or later, once the agent has answered, or the
  question was given up, or 30 s after it was asked.
- No speech begins while an engine that was told to listen has not agreed to do so, for 30 s at most.
- Two speeches never overlap. One is told of ahead of its time, so that it can begin to the sample.

By the clock, every act is due when it was done in the record, and nothing is waited for.
"""

from typing import Final, NamedTuple

from simulator.record.replay.deeds import Act, By, Listen, Plan, Request, Say, SendRaw
from simulator.units import NS_PER_MS, NS_PER_S, samples_to_ns

LEAD_NS: Final = 200 * NS_PER_MS
"""So long before it is due a speech is told of, where that is known."""
REPLY_WITHIN_NS: Final = 20 * NS_PER_S
LONGEST_REPLY_NS: Final = 180 * NS_PER_S
ANSWERED_WITHIN_NS: Final = 30 * NS_PER_S

_A_MOMENT_NS: Final = 50 * NS_PER_MS
"""What comes sooner is told of without a time."""


class Start(NamedTuple):
    """An act of the plan, by its index, begins: it is due at `due_ns`. A speech may be told of before that."""

    act: int
    due_ns: int


class Missed(NamedTuple):
    """An exchange of the record for which the new session has none, or none that ended."""

    exchange: int
    what: str


class _Reply:
    __slots__ = ("began_ns", "over_ns", "used")

    def __init__(self, began_ns: int) -> None:
        self.began_ns = began_ns
        self.over_ns: int | None = None
        self.used = False


class ReplayRunner:
    """The progress of one replay."""

    def __init__(self, plan: Plan, by: By) -> None:
        self._plan = plan
        self._by = by
        self._next = 0
        self._asked_ns: dict[int, int] = {}
        """When the questions that are open were asked, and listening was switched on, by the index of the act."""
        self._answered_ns: dict[int, int] = {}
        """When the other questions were answered or given up."""
        self._begun_ns: int | None = None
        self._over = False
        """By the clock: whether the record's time is over."""
        self._exchange = _Exchange(0)
        """The exchange of the plan that came last."""
        self._last_wait_ns = _last_wait_ns(plan)
        self._exchanges = plan.exchanges + (self._last_wait_ns > 0)
        """How many are awaited: what was said last may be answered now, though it was not in the record."""
        self._replies: dict[str, _Reply] = {}
        self._speaking = False
        self._provoked_ns = 0
        """When the participant last did what a reply is to follow: the end of a speech, or a request."""
        self._by_speech = True
        self._awaited_since_ns: int | None = None
        self.missed: list[Missed] = []

    @property
    def done(self) -> int:
        """How many acts have begun."""
        return self._next

    @property
    def finished(self) -> bool:
        """Whether everything is done, and the last reply over."""
        if self._begun_ns is None or self._upcoming() is not None:
            return False
        if self._by == "clock":
            return self._over
        return not self._speaking and not self._awaits_exchange and self._exchange.ended_ns is not None

    @property
    def due_ns(self) -> int | None:
        """When `tick` has to be called at the latest, if nothing happens before."""
        if self._begun_ns is None or self.finished:
            return None
        if self._awaits_exchange:
            return self._gives_up_ns()
        if self._open_before:
            return min(self._asked_ns[each] for each in self._open_before) + ANSWERED_WITHIN_NS
        times = [self._tells_ns(), self._exchange.longest_ns()]
        if self._by == "clock" and self._upcoming() is None:
            times.append(self._begun_ns + self._plan.ends_ns)
        return min((each for each in times if each is not None), default=None)

    def waits_for(self) -> str:
        """Return in a person's words what has to happen before the replay goes on; "" where it is finished."""
        if self._begun_ns is None or self.finished:
            return ""
        act = self._upcoming()
        if self._by == "clock":
            return f"{(self._plan.ends_ns if act is None else act.at_ns) / NS_PER_S:.1f} s after the beginning"
        if self._speaking and (act is None or self._awaits_exchange or isinstance(act.deed, Say)):
            return "the speech to end"
        if self._awaits_exchange:
            return "the reply to begin"
        if self._open_before:
            return "the engine to listen" if self._is_listen(self._open_before[0]) else "the answer"
        if act is None or self._moment_ns(act) is None:
            return "the reply to end"
        if act.after_ns < _A_MOMENT_NS:
            return "the next moment"
        moment = {"beginning": "the beginning", "reply begins": "the reply began", "reply ends": "the reply ended"}
        return f"{act.after_ns / NS_PER_S:.1f} s after {moment[act.after.moment]}"

    # ---- what happens

    def begin(self, now_ns: int) -> list[Start]:
        """Start the replay: this is its beginning. Replies that began before are told of afterwards, if they count."""
        self._begun_ns = now_ns
        self._exchange = _Exchange(0, begins_ns=now_ns, ended_ns=now_ns)
        return self._advance(now_ns)

    def tick(self, now_ns: int) -> list[Start]:
        """Time has passed."""
        return self._advance(now_ns)

    def reply_sounds(self, response_id: str, at_ns: int, now_ns: int) -> list[Start]:
        """The first sound of a reply is audible at `at_ns`, which may lie a little ahead."""
        reply = self._replies[response_id] = _Reply(at_ns)
        if self._exchange.number > 0 and not self._awaits_exchange and not self._exchange.closed:
            self._exchange.take(reply)
        return self._advance(now_ns)

    def reply_over(self, response_id: str, at_ns: int, now_ns: int) -> list[Start]:
        """A reply that sounded was heard to its end, or was cut, at `at_ns`."""
        reply = self._replies.get(response_id)
        if reply is not None:
            reply.over_ns = max(at_ns, reply.began_ns)
            self._exchange.look()
        return self._advance(now_ns)

    def said(self, at_ns: int, now_ns: int) -> list[Start]:
        """The speech that had begun ended at `at_ns`."""
        self._speaking = False
        self._provoke(at_ns, by_speech=True)
        return self._advance(now_ns)

    def settled(self, act: int, now_ns: int) -> list[Start]:
        """What an act asked for is done: a question was answered or given up, the engine listens or refused to."""
        if act in self._asked_ns:
            self._close(act, now_ns)
        return self._advance(now_ns)

    # ---- what comes next

    def _advance(self, now_ns: int) -> list[Start]:
        assert self._begun_ns is not None
        begun: list[Start] = []
        while True:
            if self._awaits_exchange:
                if not self._take_exchange(now_ns):
                    break
                continue
            self._give_up_endless(now_ns)
            self._give_up_answers(now_ns)
            tells_ns, act = self._tells_ns(), self._upcoming()
            if act is None or tells_ns is None or now_ns < tells_ns:
                break
            begun.append(self._start(act, now_ns))
        self._over = self._upcoming() is None and now_ns >= self._begun_ns + self._plan.ends_ns
        return begun

    def _start(self, act: Act, now_ns: int) -> Start:
        due_ns = self._act_ns(act)
        assert due_ns is not None
        start = Start(self._next, due_ns)
        if self._by == "replies" and act.answered_ns is not None:
            self._asked_ns[self._next] = now_ns
        self._next += 1
        if self._by == "replies":
            if isinstance(act.deed, Say):
                self._speaking = self._exchange.closed = True
            elif isinstance(act.deed, Request | SendRaw):
                self._exchange.closed = True
                self._provoke(max(due_ns, now_ns), by_speech=False)
        return start

    def _provoke(self, at_ns: int, *, by_speech: bool) -> None:
        if at_ns >= self._provoked_ns:
            self._provoked_ns, self._by_speech = at_ns, by_speech

    def _upcoming(self) -> Act | None:
        return self._plan.acts[self._next] if self._next < len(self._plan.acts) else None

    def _moment_ns(self, act: Act) -> int | None:
        """Return when the moment was from which an act is timed; None where it has not come."""
        match act.after.moment:
            case "beginning":
                return self._begun_ns
            case "reply begins":
                return self._exchange.begins_ns
            case "reply ends":
                return self._exchange.ended_ns

    def _act_ns(self, act: Act) -> int | None:
        """Return when an act is due; None where that is not known yet."""
        if self._by == "clock":
            return self._begun_ns + act.at_ns if self._begun_ns is not None else None
        moment_ns = self._moment_ns(act)
        if moment_ns is None or self._open_before:
            return None
        return max(moment_ns + act.after_ns, self._after_answer_ns(act))

    def _after_answer_ns(self, act: Act) -> int:
        """Return when an act is due by the last answer before it in the record; 0 where it has a later moment."""
        answered = [(self._plan.acts[each].answered_ns or 0, at_ns) for each, at_ns in self._answered_ns.items()]
        recorded_ns, at_ns = max((each for each in answered if each[0] <= act.at_ns), default=(0, 0))
        since_ns = act.at_ns - recorded_ns
        return at_ns + since_ns if since_ns < act.after_ns else 0

    @property
    def _open_before(self) -> list[int]:
        """The questions that are open, and were answered before the next act was done in the record.

        Before a speech also what told the engine to listen, where it did before that speech.
        """
        act = self._upcoming()
        if act is None:
            return []
        speaks = isinstance(act.deed, Say)
        asked = [each for each in self._asked_ns if speaks or not self._is_listen(each)]
        return [each for each in asked if (self._plan.acts[each].answered_ns or 0) <= act.at_ns]

    def _is_listen(self, act: int) -> bool:
        return isinstance(self._plan.acts[act].deed, Listen)

    def _close(self, act: int, at_ns: int) -> None:
        """A question is open no more, or the engine listens: then a speech that is due begins, and nothing is moved."""
        del self._asked_ns[act]
        if not self._is_listen(act):
            self._answered_ns[act] = at_ns

    def _give_up_answers(self, now_ns: int) -> None:
        """Wait no longer for answers that do not come; they may come all the same."""
        for act, asked_ns in list(self._asked_ns.items()):
            if now_ns >= asked_ns + ANSWERED_WITHIN_NS:
                self._close(act, asked_ns + ANSWERED_WITHIN_NS)

    def _tells_ns(self) -> int | None:
        """Return when the next act begins, or a speech is told of; None where more than time is missing."""
        act = self._upcoming()
        due_ns = None if act is None else self._act_ns(act)
        if act is None or due_ns is None or self._by == "clock" or not isinstance(act.deed, Say):
            return due_ns
        return None if self._speaking else due_ns - LEAD_NS

    # ---- exchanges

    @property
    def _awaits_exchange(self) -> bool:
        if self._by == "clock":
            return False
        act = self._upcoming()
        return self._exchange.number < (self._exchanges if act is None else act.after.exchange)

    def _gives_up_ns(self) -> int | None:
        """Return when the exchange that is awaited is missed; None while the participant speaks."""
        if self._speaking or self._awaited_since_ns is None:
            return None
        is_extra = self._exchange.number >= self._plan.exchanges
        within_ns = self._last_wait_ns if is_extra else REPLY_WITHIN_NS
        return max(self._awaited_since_ns, self._provoked_ns) + within_ns

    def _take_exchange(self, now_ns: int) -> bool:
        """Return whether the exchange that is awaited began, or is missed."""
        if self._awaited_since_ns is None:
            self._awaited_since_ns = now_ns
        if self._speaking:
            return False
        number = self._exchange.number + 1
        reply, gives_up_ns = self._first_reply(), self._gives_up_ns()
        if reply is not None:
            # One of before goes on where nothing ended it, and ends without anybody waiting for it.
            self._exchange = _Exchange(number, begins_ns=reply.began_ns)
            self._exchange.take(reply)
        elif gives_up_ns is not None and now_ns >= gives_up_ns:
            self._exchange = _Exchange(number, begins_ns=gives_up_ns, ended_ns=gives_up_ns)
            if number <= self._plan.exchanges:
                self.missed.append(Missed(number, "no reply came"))
        else:
            return False
        self._awaited_since_ns = None
        return True

    def _first_reply(self) -> _Reply | None:
        since_ns = self._provoked_ns
        unused = sorted((each for each in self._replies.values() if not each.used), key=lambda each: each.began_ns)
        for each in unused:
            if each.began_ns >= since_ns:
                return each
            if self._by_speech and (each.over_ns is None or each.over_ns > since_ns):
                return each
        return None

    def _give_up_endless(self, now_ns: int) -> None:
        """End an exchange that goes on for too long."""
        longest_ns = self._exchange.longest_ns()
        if longest_ns is not None and now_ns >= longest_ns:
            self._exchange.end(longest_ns)
            self.missed.append(Missed(self._exchange.number, "the reply did not end"))


class _Exchange:
    """An exchange of the new session."""

    def __init__(self, number: int, *, begins_ns: int | None = None, ended_ns: int | None = None) -> None:
        self.number = number
        self.begins_ns = begins_ns
        self.ended_ns = ended_ns
        """None while it goes on."""
        self.closed = False
        """Whether further replies belong to it no longer."""
        self._replies: list[_Reply] = []

    def take(self, reply: _Reply) -> None:
        """A reply belongs to it."""
        reply.used = True
        self._replies.append(reply)
        self.ended_ns = None
        self.look()

    def look(self) -> None:
        """A reply may be over."""
        over_ns = [each.over_ns for each in self._replies if each.over_ns is not None]
        if self._replies and len(over_ns) == len(self._replies):
            self.ended_ns = max(over_ns)

    def end(self, at_ns: int) -> None:
        """It ends, whatever its replies do."""
        self._replies.clear()
        self.closed = True
        self.ended_ns = at_ns

    def longest_ns(self) -> int | None:
        """Return until when it may last; None where it is over."""
        if self.ended_ns is not None or not self._replies:
            return None
        return self._replies[-1].began_ns + LONGEST_REPLY_NS


def _last_wait_ns(plan: Plan) -> int:
    """Return how long the record goes on after the last speech or request, where no exchange follows it."""
    asked = [act for act in plan.acts if isinstance(act.deed, Say | Request | SendRaw)]
    if not asked or asked[-1].after.exchange < plan.exchanges:
        return 0
    last = asked[-1]
    ended_ns = last.at_ns + (samples_to_ns(last.deed.samples) if isinstance(last.deed, Say) else 0)
    return max(0, min(plan.ends_ns - ended_ns, REPLY_WITHIN_NS))

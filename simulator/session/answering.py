"""Asking the agent and dealing with its calls: what is requested when (voiceEngine.questionRequest, functionOutputs).

A question is announced as a context item and answered silently: text only, its tool forced. After an accepted silent
answer nothing is requested; after a refusal, or a response without a call, the question is asked again until its
attempts are used up; one that the participant's speech cut short was none. After calls in a spoken response nothing
follows by itself, so a spoken reply is requested. While a call of a response is held by the operator, nothing of this
happens. Then the next question has its turn.
"""

from collections.abc import Callable, Collection
from typing import Final

from simulator.errors import UsageError
from simulator.protocol.server_events import FunctionCall, ResponseObject
from simulator.session.actions import Action, Note
from simulator.session.calls import Calls, DoneResponse, HeldCall, How
from simulator.session.outbox import Outbox
from simulator.session.questions import MOST_INTERRUPTED, OpenQuestion, Questions
from simulator.session.responses import ActiveResponse, Request, Responses, silent, spoken

Announce = Callable[[OpenQuestion, int], list[Action]]
"""Puts a question on the agent's screen: returns the actions that tell the engine of it."""
Declare = Callable[[str, int], list[Action]]
"""Adds a tool to those that the session declares: returns the actions that tell the engine of it."""

_MOST_FOLLOW_UPS: Final = 5


class Answering:
    """The questions and calls of one session."""

    def __init__(self, outbox: Outbox, responses: Responses, declared: Collection[str], announce: Announce) -> None:
        self._responses = responses
        self._announce = announce
        self._questions = Questions()
        self._calls = Calls(outbox, self._questions, declared)
        self._follow_ups = 0

    @property
    def question(self) -> OpenQuestion | None:
        """The question on the screen."""
        return self._questions.current

    @property
    def questions_waiting(self) -> int:
        """How many questions wait behind it."""
        return self._questions.waiting

    @property
    def in_hand(self) -> bool:
        """Whether calls wait for the operator."""
        return self._calls.in_hand

    def declares(self, tool: str) -> bool:
        """Whether the session declares this tool."""
        return self._calls.declares(tool)

    @property
    def held(self) -> list[HeldCall]:
        """The calls that wait for the operator, oldest first."""
        return self._calls.held

    def somebody_spoke(self) -> None:
        """The participant spoke or a reply was asked for: the agent's calls are no loop of its own."""
        self._follow_ups = 0

    def ask(self, question: OpenQuestion, now_ns: int, declare: Declare | None = None) -> list[Action]:
        """Put a question on the screen, or let it wait for it. Raises UsageError with the reason why not.

        `declare` adds its tool to a session that lacks it; without it such a question is refused.
        """
        lacks = not self._calls.declares(question.tool)
        if lacks and declare is None:
            raise UsageError(
                f"This session has no tool {question.tool}, which the study did not need when it was connected: add "
                "the question to the study, then connect again."
            )
        self._questions.add(question)
        added: list[Action] = []
        if lacks and declare is not None:
            added = declare(question.tool, now_ns)
            self._calls.declare(question.tool)
        return [*added, *self._next_question(now_ns)]

    def tools_refused(self) -> None:
        """The engine did not take an update that added a tool: the next question that needs one adds it again."""
        self._calls.only_the_first()

    def withdraw(self, token: int, sentence: str, now_ns: int) -> list[Action]:
        """Give up the question of a command that nobody waits for any more; the next one comes."""
        return self._questions.withdraw(token, sentence, now_ns) + self._next_question(now_ns)

    def response_done(
        self, active: ActiveResponse, calls: list[FunctionCall], response: ResponseObject, now_ns: int
    ) -> list[Action]:
        """A response ended with these calls. One beside the conversation has no part in it."""
        if active.beside:
            return []
        asked_for = active.request.question if active.request is not None else None
        interrupted = response.status == "cancelled" and response.reason == "turn_detected"
        status = response.status or "done"
        done = DoneResponse(asked_for, active.begun_with, active.silent, status, active.response_id, interrupted)
        actions = self._calls.take(done, calls, now_ns)
        return actions if done.unanswered else actions + self._go_on(done, now_ns)

    def set_in_hand(self, on: bool, now_ns: int) -> list[Action]:
        """Let calls wait for the operator, or not any more: then those that wait are answered as judged, in order."""
        self._calls.in_hand = on
        actions: list[Action] = []
        while not on and self._calls.held:
            actions += self.answer_call(self._calls.held[0].call.call_id, "as judged", "", now_ns)
        return actions

    def answer_call(self, call_id: str, how: How, text: str, now_ns: int) -> list[Action]:
        """Answer a call that is held. Raises UsageError with the reason why not."""
        response, actions = self._calls.answer_held(call_id, how, text, now_ns)
        question = self._questions.current
        if question is not None and question.in_vain is not None:
            actions += self._asked_in_vain(question, question.in_vain, now_ns)
        if not response.unanswered:
            actions += self._go_on(response, now_ns)
        return actions + self._responses.resume(now_ns)

    def ask_failed_again(self, now_ns: int) -> list[Action]:
        """Deal with the questions whose request the engine refused or did not answer."""
        actions: list[Action] = []
        for question in self._responses.take_failed():
            actions += self._asked_in_vain(question, "None was begun.", now_ns)
        return actions + self._next_question(now_ns)

    def abandon(self, sentence: str, now_ns: int) -> list[Action]:
        """The session ended: no question is answered any more, and no call."""
        self._calls.forget_held()
        return self._questions.abandon(sentence, now_ns)

    def _go_on(self, response: DoneResponse, now_ns: int) -> list[Action]:
        """All calls of a response are answered: request what follows."""
        actions: list[Action] = []
        if response.asked_for is not None:
            if response.interrupted and response.asked_for.interrupted < MOST_INTERRUPTED:
                response.asked_for.interrupted += 1
                response.asked_for.attempts -= 1
            ended = f"The last response was {response.status} without a call."
            actions += self._asked_in_vain(response.asked_for, ended, now_ns)
        elif response.calls and not response.silent:
            actions += self._follow_up(now_ns)
        return actions + self._next_question(now_ns)

    def _next_question(self, now_ns: int) -> list[Action]:
        question = self._questions.next(now_ns)
        if question is None:
            return []
        return [*self._announce(question, now_ns), *self._ask_silently(question, now_ns)]

    def _asked_in_vain(self, question: OpenQuestion, ended: str, now_ns: int) -> list[Action]:
        """After a silent answer: ask again while the question is still on the screen, or give it up."""
        if self._questions.current is not question:
            return []
        question.in_vain = ended if question.in_hand else None
        if question.in_hand:
            return []
        if question.attempts < question.most_attempts:
            return self._ask_silently(question, now_ns)
        times = "1 attempt" if question.attempts == 1 else f"{question.attempts} attempts"
        sentence = f"The agent did not answer in {times}. {question.last_error or ended}"
        problem = {"whose": "engine", "code": "question_unanswered", "sentence": sentence}
        return [*self._questions.give_up(sentence, now_ns), Note("problem", problem)]

    def _ask_silently(self, question: OpenQuestion, now_ns: int) -> list[Action]:
        question.attempts += 1
        return self._responses.request(Request(silent(question.tool), question=question), now_ns)

    def _follow_up(self, now_ns: int) -> list[Action]:
        """Request a spoken reply after the outputs of calls, but not for ever."""
        self._follow_ups += 1
        if self._follow_ups > _MOST_FOLLOW_UPS:
            sentence = f"The agent called tools in {self._follow_ups} responses on end; no further one is requested."
            return [Note("problem", {"whose": "engine", "code": "tool_loop", "sentence": sentence})]
        return self._responses.request(Request(spoken()), now_ns)

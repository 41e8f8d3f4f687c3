"""The agent's function calls: judged and answered, at once or by the operator who took them in hand.

A call counts once its response is done (the arguments of an interrupted one may be incomplete). One of a tool that was
not declared, or with no question on the screen, is refused (voiceEngine.functionOutputs). A call that is held waits
for the operator, and with it whatever follows its response: the next attempt of a question, the agent's next reply.
"""

import json
from collections.abc import Collection, Iterable
from typing import Any, Final, Literal

import msgspec

from simulator.errors import UsageError
from simulator.profile import answers, facts
from simulator.profile.tools import ARGUMENT_OF
from simulator.protocol.client_events import ConversationItemCreate, FunctionCallOutput
from simulator.protocol.server_events import FunctionCall
from simulator.session.actions import Action, Note
from simulator.session.outbox import Outbox
from simulator.session.questions import OpenQuestion, Questions, Ruling

How = Literal["as judged", "accept", "refuse", "broken"]

MOST_HELD: Final = 100
"""Calls that may wait for the operator; more are answered as judged."""
BROKEN_OUTPUT: Final = facts.ACCEPTED_OUTPUT[:-2]
"""An output that ends in the middle of its JSON."""

_CHAT: Final = "send_chat"
_NOT_ON_SCREEN: Final = "This question is not on the screen."


class DoneResponse(msgspec.Struct, eq=False):
    """A response that is done, as far as its calls and what follows them go."""

    asked_for: OpenQuestion | None = None
    """The question whose silent answer it was requested for."""
    begun_with: OpenQuestion | None = None
    """The question that was on the screen when it began: its calls answer no later one."""
    silent: bool = False
    status: str = "done"
    response_id: str = ""
    interrupted: bool = False
    """The participant's speech cut it short."""
    calls: int = 0
    unanswered: int = 0
    """Calls that wait for the operator."""


class HeldCall(msgspec.Struct, eq=False):
    """A call that waits for the operator."""

    call: FunctionCall
    response: DoneResponse
    since_ns: int
    question: OpenQuestion | None
    """The question that it may answer."""
    error: str | None
    """Why it would be refused as judged."""


class Calls:
    """The calls of one session. `declared` are the names of the tools that the session declares."""

    def __init__(self, outbox: Outbox, questions: Questions, declared: Collection[str]) -> None:
        self._outbox = outbox
        self._questions = questions
        self._first = frozenset(declared)
        self._declared = set(declared)
        self._seen: dict[str, str] = {}
        """The response of each call."""
        self._held: dict[str, HeldCall] = {}
        self.in_hand = False
        """Whether calls wait for the operator."""

    @property
    def held(self) -> list[HeldCall]:
        """The calls that wait for the operator, oldest first."""
        return list(self._held.values())

    def declares(self, tool: str) -> bool:
        """Whether the session declares this tool."""
        return tool in self._declared

    def declare(self, tool: str) -> None:
        """Take this tool for declared from now on."""
        self._declared.add(tool)

    def only_the_first(self) -> None:
        """What was declared since the session began is not any more."""
        self._declared = set(self._first)

    def take(self, response: DoneResponse, calls: Iterable[FunctionCall], now_ns: int) -> list[Action]:
        """Answer the calls of a response that is done, or hold them.

        One whose call_id came before is left out, and told where it came with another response: two outputs of one
        call_id could not be told apart.
        """
        actions: list[Action] = []
        for call in calls:
            if call.call_id in self._seen:
                if self._seen[call.call_id] != response.response_id:
                    actions.append(_used_again(call))
                continue
            self._seen[call.call_id] = response.response_id
            response.calls += 1
            if self.in_hand and len(self._held) < MOST_HELD:
                response.unanswered += 1
                question = self._answers(response, call)
                if question is not None:
                    question.in_hand += 1
                error = self._judge(response, call).error
                self._held[call.call_id] = HeldCall(call, response, now_ns, question, error)
                fields = {"call_id": call.call_id, "name": call.name, "arguments": call.arguments}
                actions.append(Note("call.held", fields))
            else:
                actions += self._answer(response, call, "as judged", "", "judge", now_ns)
        return actions

    def answer_held(self, call_id: str, how: How, text: str, now_ns: int) -> tuple[DoneResponse, list[Action]]:
        """Answer a held call as the operator says. Raises UsageError where none waits, or a refusal has no reason."""
        if call_id not in self._held:
            raise UsageError(f"No call “{call_id}” waits for an answer.")
        if how == "refuse" and not text.strip():
            raise UsageError("A refusal needs its reason: the agent is to know what to do better.")
        held = self._held.pop(call_id)
        held.response.unanswered -= 1
        if held.question is not None:
            held.question.in_hand -= 1
        actions = self._answer(held.response, held.call, how, text, "operator", now_ns)
        for other in self._held.values():
            other.error = self._judge(other.response, other.call).error
        return held.response, actions

    def forget_held(self) -> None:
        """The session ended: nobody waits for an answer any more."""
        self._held.clear()

    def _answers(self, response: DoneResponse, call: FunctionCall) -> OpenQuestion | None:
        """Return the question on the screen, if the call is one that may answer it."""
        question, known = self._questions.current, response.asked_for or response.begun_with
        if call.name == _CHAT or not self.declares(call.name) or (known is not None and known is not question):
            return None
        return question

    def _judge(self, response: DoneResponse, call: FunctionCall) -> answers.Answer:
        if not self.declares(call.name):
            return answers.Answer(error=f"There is no tool “{call.name}”.")
        if call.name == _CHAT:
            return _judge_chat(call)
        question = self._answers(response, call)
        if question is None:
            return answers.Answer(error=_NOT_ON_SCREEN)
        return answers.judge(question.component, question.config, call.name, call.arguments)

    def _answer(
        self, response: DoneResponse, call: FunctionCall, how: How, text: str, by: str, now_ns: int
    ) -> list[Action]:
        """Send the output of a call, note it, and let it count for the question or the chat where it was accepted."""
        ruling = _ruling(self._judge(response, call), call, how, text)
        output = facts.ACCEPTED_OUTPUT if ruling.error is None else _refused_output(ruling.error)
        if how == "broken":
            output = BROKEN_OUTPUT
        send = self._outbox.send(ConversationItemCreate(item=FunctionCallOutput(call.call_id, output)))
        fields = {"call_id": call.call_id, "by": by, "how": how, "output": output}
        actions: list[Action] = [send, Note("call.answered", fields)]
        if call.name == _CHAT:
            if ruling.error is None:
                line = ruling.value if isinstance(ruling.value, str) else call.arguments
                actions.append(Note("chat.sent", {"message": line, "call_id": call.call_id}))
        elif self._answers(response, call) is not None:
            actions += self._questions.called(call, ruling, now_ns)
        return actions


def _ruling(judged: answers.Answer, call: FunctionCall, how: How, text: str) -> Ruling:
    """Return what becomes of a call."""
    match how:
        case "accept":
            value = judged.value if judged.error is None else _readable(call)
            return Ruling(value, None, by_operator=True, judged=judged.error)
        case "refuse":
            return Ruling(None, text, by_operator=True, judged=judged.error)
        case "broken":
            error = "The operator answered this call with broken JSON."
            return Ruling(None, error, by_operator=True, judged=judged.error)
        case _:
            return Ruling(judged.value, judged.error)


def _used_again(call: FunctionCall) -> Note:
    sentence = f"A call has the call_id “{call.call_id}” of one before it, so it was not answered."
    return Note("problem", {"whose": "engine", "code": "call_id_used_again", "sentence": sentence})


def _refused_output(error: str) -> str:
    return json.dumps({"error": error}, ensure_ascii=False, separators=(",", ":"))


def _judge_chat(call: FunctionCall) -> answers.Answer:
    line, error = answers.read_argument(call.name, call.arguments)
    if error is None and (not isinstance(line, str) or not line.strip()):
        error = "“message” must be a text that is not empty."
    return answers.Answer(line, error)


def _readable(call: FunctionCall) -> Any:
    """Return the argument of a call that was accepted though it does not fit, None where there is none to be read."""
    return answers.read_argument(call.name, call.arguments)[0] if call.name in ARGUMENT_OF else None

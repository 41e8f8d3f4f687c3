"""Questions on the screen and the calls that answer them (voiceEngine.questionRequest, functionOutputs).

A question is announced as a context item and answered silently: text only, its tool forced. One question is on the
screen at a time. An answer that does not fit is refused with the reason, and the question is asked again, three times
in all. A call without a question, or of a tool that was never declared, is refused.
"""

import json
from typing import Any, Final

import msgspec

from simulator.profile import answers, facts
from simulator.profile.tools import TOOL_NAMES
from simulator.protocol.client_events import ConversationItemCreate, FunctionCallOutput
from simulator.protocol.server_events import FunctionCall
from simulator.session.actions import Action, Note, Settled
from simulator.session.outbox import Outbox

MOST_ATTEMPTS: Final = 3


class OpenQuestion(msgspec.Struct, eq=False):
    """The question on the screen."""

    component: str
    config: dict[str, Any]
    tool: str
    asked_ns: int
    token: int | None = None
    attempts: int = 0
    """Silent answers that were asked for."""
    last_error: str = ""


class Questions:
    """The question on the screen, and the calls that were answered."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._answered_calls: set[str] = set()
        self.current: OpenQuestion | None = None

    def open(self, question: OpenQuestion, now_ns: int) -> list[Action]:
        """Put a question on the screen; one that was there is given up."""
        actions = self.give_up("The next question came before this one was answered.", now_ns)
        self.current = question
        return actions

    def give_up(self, sentence: str, now_ns: int) -> list[Action]:
        """Take the question off the screen, unanswered."""
        question, self.current = self.current, None
        if question is None:
            return []
        actions: list[Action] = [_note(question, FunctionCall("", question.tool, ""), now_ns, error=sentence)]
        if question.token is not None:
            actions.append(Settled(question.token, sentence))
        return actions

    def call(self, call: FunctionCall, asked_for: OpenQuestion | None, now_ns: int) -> list[Action]:
        """Answer a call: its output, and for the question on the screen the note of the answer.

        `asked_for` is the question that the call's response was requested for, None for any other response. A call
        that was answered before is not answered again.
        """
        if call.call_id in self._answered_calls:
            return []
        self._answered_calls.add(call.call_id)
        if call.name == "send_chat":
            return [self._output(call, _chat_error(call))]
        if call.name not in TOOL_NAMES:
            return [self._output(call, f"There is no tool “{call.name}”.")]
        question = self.current
        if question is None or (asked_for is not None and asked_for is not question):
            return [self._output(call, "This question is not on the screen.")]
        answer = answers.judge(question.component, question.config, call.name, call.arguments)
        actions: list[Action] = [self._output(call, answer.error)]
        actions.append(_note(question, call, now_ns, value=answer.value, error=answer.error))
        if answer.error is not None:
            question.last_error = answer.error
            return actions
        self.current = None
        if question.token is not None:
            actions.append(Settled(question.token))
        return actions

    def _output(self, call: FunctionCall, error: str | None) -> Action:
        output = facts.ACCEPTED_OUTPUT if error is None else _refused_output(error)
        return self._outbox.send(ConversationItemCreate(item=FunctionCallOutput(call.call_id, output)))


def _refused_output(error: str) -> str:
    return json.dumps({"error": error}, ensure_ascii=False, separators=(",", ":"))


def _chat_error(call: FunctionCall) -> str | None:
    line, error = answers.read_argument(call.name, call.arguments)
    if error is None and (not isinstance(line, str) or not line.strip()):
        return "“message” must be a text that is not empty."
    return error


def _note(question: OpenQuestion, call: FunctionCall, now_ns: int, value: Any = None, error: str | None = None) -> Note:
    fields: dict[str, Any] = {
        "component": question.component,
        "tool": call.name,
        "call_id": call.call_id,
        "arguments": call.arguments,
        "value": value,
        "accepted": error is None,
    }
    if error is not None:
        fields["error"] = error
    return Note("answer", {**fields, "asked_ns": question.asked_ns, "answered_ns": now_ns})

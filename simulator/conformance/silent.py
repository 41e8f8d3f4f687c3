"""A question answered silently: asked as context, answered by one forced call, without a sound.

Two checks are built on it: that the call is right (silent_tool), and that an image was seen (image_context).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from simulator.conformance.check import Clause, Findings, label
from simulator.conformance.clauses import CALL_TOLD, REPLY_BEGINS, RESPONSE_ENDS, calls_of, ended, reply_to
from simulator.conformance.driver import Driver
from simulator.conformance.evidence import Response
from simulator.profile import context_items
from simulator.profile.answers import judge as judge_answer
from simulator.profile.tools import tool_for
from simulator.profile.wording import Wording
from simulator.record.entries import Entry
from simulator.record.fields import value_at

COMPLETED: Final = Clause("silent answer completed", "The silent answer ends as completed.")
NO_SOUND: Final = Clause("no sound", "The silent answer brings no audio, no transcript and no audio part.")
ANSWERED_ONCE: Final = Clause("answered once", "No second response follows.")
ONE_CALL: Final = Clause("one call", "The silent answer holds exactly one call.")
CALL_FITS: Final = Clause("call fits", "The call is of the forced tool, and its arguments fit tool and question.")

SILENT_ANSWER: Final = (
    *(REPLY_BEGINS, RESPONSE_ENDS, COMPLETED, NO_SOUND),
    *(ANSWERED_ONCE, ONE_CALL, CALL_TOLD, CALL_FITS),
)
"""What holds of a silent answer."""


class Question:
    """A component with its config, as a screen of the study would show it."""

    def __init__(self, component: str, config: Mapping[str, Any]) -> None:
        self.component: Final = component
        self.config: Final = dict(config)
        self.tool: Final = tool_for(component, config)

    def request(self) -> dict[str, Any]:
        """Return the response.create that asks for the silent answer."""
        return {"output_modalities": ["text"], "tool_choice": {"type": "function", "name": self.tool}}

    def context(self, wording: Wording) -> str:
        """Return the text of the item that announces the question."""
        item = context_items.question(self.tool, wording.question_text(self.component, self.config))
        return context_items.context_text(item)


async def ask(driver: Driver, question: Question) -> None:
    """Announce a question, ask for its silent answer, and watch that nothing follows it."""
    await driver.tell(question.context(driver.specification.wording))
    _, created = await driver.ask_for_reply(question.request())
    await driver.until_done(created)
    await driver.watch(driver.limits.no_reply_window_ms, "a second response")


def judge_silent_answer(findings: Findings, question: Question) -> Any:
    """Return the value of the one right call of our response.create, after stating all that is wrong with it."""
    request = findings.evidence.sent("response.create")
    response = reply_to(findings, request)
    assert request is not None
    done = ended(findings, response, request)
    if response.status != "completed":
        findings.fail(COMPLETED, f"The silent answer ended as {response.status} {response.failure} ({label(done)}).")
    _judge_silence(findings, response, done)
    _judge_alone(findings, response, request, done)
    calls = calls_of(response)
    if len(calls) != 1:
        findings.fail(ONE_CALL, f"The silent answer holds {len(calls)} calls, and one was asked for ({label(done)}).")
        raise findings.stop()
    if not response.calls:
        findings.fail(CALL_TOLD, f"The call came without response.function_call_arguments.done ({label(done)}).")
        raise findings.stop()
    ((name, arguments),) = calls.values()
    answer = judge_answer(question.component, question.config, name or "", arguments or "")
    if answer.error is not None:
        reason = f"The call does not answer the question ({label(response.calls[0])}): {answer.error}"
        findings.fail(CALL_FITS, reason)
        raise findings.stop()
    return answer.value


def _judge_silence(findings: Findings, response: Response, done: Entry) -> None:
    """No audio, no transcript, and no audio part in what the response says it held."""
    for entry in (*response.deltas, *response.transcript_deltas, *response.transcript_done):
        findings.fail(NO_SOUND, f"{entry.type} came for the silent answer ({label(entry)}).")
        break
    for item in _dicts(value_at(done, "response", "output")):
        for part in _dicts(item.get("content")):
            if part.get("type") in ("audio", "output_audio"):
                findings.fail(NO_SOUND, f"The silent answer holds an audio part ({label(done)}).")


def _judge_alone(findings: Findings, response: Response, request: Entry, done: Entry) -> None:
    """No second response, watched for a while."""
    window_ms = findings.limits.no_reply_window_ms
    for other in findings.evidence.responses.values():
        if other.created is not None and other.response_id != response.response_id and other.created.seq > request.seq:
            findings.fail(ANSWERED_ONCE, f"A second response came for one question ({label(other.created)}).")
    if not findings.covers(done, window_ms):
        findings.doubt(f"The record ends less than {window_ms} ms after the answer.", retry=True)


def _dicts(value: Any) -> Sequence[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []

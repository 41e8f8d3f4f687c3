"""function_call: the engine calls a declared tool, takes its output, and finishes another response.

- Asked in words for a chat message, the engine calls the declared tool: a name, a call_id, and arguments that are a
  JSON object; the response is not cancelled. A spoken preamble is legal. An engine that does not call by itself is
  asked again with the tool forced.
- Our function_call_output is accepted: it comes back in conversation.item.added.
- A response.create after it brings a *different* response that completes with output. (It leaves the choice of tools to
  the engine: a tool forced again would loop.)
"""

import json
from typing import Any, Final

from simulator.conformance.check import Check, Clause, Findings, label
from simulator.conformance.clauses import (
    CALL_TOLD,
    REPLY_BEGINS,
    RESPONSE_ENDS,
    accepted,
    acknowledged,
    calls_of,
    ended,
    has_output,
    item_added,
    reply_to,
)
from simulator.conformance.driver import Driver, received
from simulator.conformance.evidence import Response
from simulator.profile.context_items import context_text, typed
from simulator.profile.facts import ACCEPTED_OUTPUT
from simulator.record.entries import Entry
from simulator.record.fields import text, value_at

TOOL_CALLED: Final = Clause("tool called", "A tool that is asked for is called, at the latest where it is forced.")
RIGHT_TOOL: Final = Clause("right tool", "The call is of the tool that was asked for.")
CALL_ID: Final = Clause("call_id", "The call has a call_id.")
ARGUMENTS: Final = Clause("arguments are an object", "The arguments of the call are a JSON object.")
CALL_COMPLETED: Final = Clause("call completed", "The response with the call ends as completed.")
OUTPUT_ACCEPTED: Final = Clause("output accepted", "The function output is not refused.")
OUTPUT_ADDED: Final = Clause("output added", "The function output comes back in conversation.item.added.")
ANOTHER_RESPONSE: Final = Clause("another response", "What follows the output is a response of its own.")
FOLLOW_UP_COMPLETED: Final = Clause("follow-up completed", "The response after the output ends as completed.")
FOLLOW_UP_OUTPUT: Final = Clause("follow-up holds output", "The response after the output holds something.")

TOOL: Final = "send_chat"
REQUEST: Final = "Please write the word hello to me here in the chat: call the tool send_chat with it."


async def drive(driver: Driver) -> None:
    """Ask for a chat message, answer the call, and ask for a reply."""
    await driver.open_session(tools=driver.specification.tools)
    driver.start_stream()
    await driver.tell(context_text(typed("Alex", REQUEST)))
    choice: dict[str, Any] = {"tool_choice": {"type": "function", "name": TOOL}} if driver.attempt > 1 else {}
    response_id, created = await driver.ask_for_reply({"output_modalities": ["audio"], **choice})
    call = received("response.function_call_arguments.done", response_id=response_id)
    done = await driver.until_done(created)
    called = next((entry for entry in driver.entries if call(entry)), None)
    if called is None:
        return
    output = {"type": "function_call_output", "call_id": text(called, "call_id") or "", "output": ACCEPTED_OUTPUT}
    await driver.create_item(output)
    await driver.see(
        lambda entry: (
            received("conversation.item.added")(entry)
            and value_at(entry, "item", "call_id") == output["call_id"]
            and value_at(entry, "item", "type") == "function_call_output"
        ),
        what="conversation.item.added for the output",
        since=done,
    )
    _, follow_up = await driver.ask_for_reply({"output_modalities": ["audio"]})
    await driver.until_done(follow_up)


def judge(findings: Findings) -> None:
    """Follow the call to its output, and the output to the next response."""
    acknowledged(findings)
    evidence = findings.evidence
    request = evidence.sent("response.create")
    response = reply_to(findings, request)
    assert request is not None
    done = ended(findings, response, request)
    call_id = _judge_call(findings, response, request, done)
    output = evidence.sent("conversation.item.create", since=done)
    if output is None or value_at(output, "item", "call_id") != call_id:
        findings.doubt("The call was not answered.", retry=True)
        raise findings.stop()
    accepted(findings, OUTPUT_ACCEPTED, output, "the function output")
    added = item_added(findings, output, type="function_call_output", call_id=call_id)
    timeout_ms = findings.limits.event_timeout_ms
    wanted = "conversation.item.added for the function output"
    findings.need(OUTPUT_ADDED, added, wanted, since=output, within_ms=timeout_ms)
    _judge_follow_up(findings, response, output)


def _judge_call(findings: Findings, response: Response, request: Entry, done: Entry) -> str | None:
    if not response.calls:
        forced = value_at(request, "response", "tool_choice") is not None
        if calls_of(response):
            findings.fail(CALL_TOLD, f"The call came without response.function_call_arguments.done ({label(done)}).")
        elif forced:
            findings.fail(TOOL_CALLED, f"The engine did not call the tool that it was told to call ({label(done)}).")
        else:
            findings.doubt("The engine did not call the tool, though it was asked to in words.", retry=True)
        raise findings.stop()
    call = response.calls[0]
    if text(call, "name") != TOOL:
        reason = f"The engine called {text(call, 'name')!r}, and {TOOL} was asked for ({label(call)})."
        findings.fail(RIGHT_TOOL, reason)
    if not text(call, "call_id"):
        findings.fail(CALL_ID, f"The call has no call_id ({label(call)}).")
    if not _is_object(text(call, "arguments")):
        findings.fail(ARGUMENTS, f"The arguments of the call are not a JSON object ({label(call)}).")
    if response.status != "completed":
        findings.fail(CALL_COMPLETED, f"The response with the call ended as {response.status} ({label(done)}).")
    return text(call, "call_id")


def _judge_follow_up(findings: Findings, first: Response, output: Entry) -> None:
    request = findings.evidence.sent("response.create", since=output)
    response = reply_to(findings, request)
    assert request is not None
    if response.response_id == first.response_id:
        findings.fail(ANOTHER_RESPONSE, "The response after the function output has the id of the one before.")
        raise findings.stop()
    done = ended(findings, response, request)
    if response.status != "completed":
        reason = f"The response after the function output ended as {response.status} ({label(done)})."
        findings.fail(FOLLOW_UP_COMPLETED, reason)
    if not has_output(response):
        findings.fail(FOLLOW_UP_OUTPUT, f"The response after the function output holds nothing ({label(done)}).")


def _is_object(arguments: str | None) -> bool:
    try:
        return isinstance(json.loads(arguments or ""), dict)
    except (ValueError, RecursionError):
        return False


CHECK = Check(
    id="function_call",
    clause="The engine calls a declared tool, accepts the function output, and completes a further response.",
    per_turn_detection=False,
    clauses=(
        *(REPLY_BEGINS, RESPONSE_ENDS, TOOL_CALLED, CALL_TOLD, RIGHT_TOOL, CALL_ID, ARGUMENTS, CALL_COMPLETED),
        *(OUTPUT_ACCEPTED, OUTPUT_ADDED, ANOTHER_RESPONSE, FOLLOW_UP_COMPLETED, FOLLOW_UP_OUTPUT),
    ),
    drive=drive,
    judge=judge,
)

"""silent_tool: text output only and a forced tool: exactly that tool is called, once, and nothing is heard.

- One call in all, counted by distinct call_id over response.function_call_arguments.done and the response's output.
- Its name is the forced tool's, and its arguments fit the tool and the question on the screen.
- No audio, no transcript and no audio part belong to that response.
- No second response follows, watched for noReplyWindowMs after its end.
"""

from typing import Final

from simulator.conformance.check import Check, Findings
from simulator.conformance.clauses import acknowledged
from simulator.conformance.driver import Driver
from simulator.conformance.silent import SILENT_ANSWER, Question, ask, judge_silent_answer

QUESTION: Final = Question("vasrating", {"question": "How warm is the weather today?", "minValue": 0, "maxValue": 100})


async def drive(driver: Driver) -> None:
    """Ask for a rating."""
    await driver.open_session(tools=driver.specification.tools)
    driver.start_stream()
    await ask(driver, QUESTION)


def judge(findings: Findings) -> None:
    """One right call, and silence."""
    acknowledged(findings)
    judge_silent_answer(findings, QUESTION)


CHECK = Check(
    id="silent_tool",
    clause="A response with text output only and a forced tool calls exactly that tool once, and makes no sound.",
    per_turn_detection=False,
    clauses=SILENT_ANSWER,
    drive=drive,
    judge=judge,
)

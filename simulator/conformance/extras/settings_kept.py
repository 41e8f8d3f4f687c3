"""settings_kept: an update of the instructions alone changes nothing else.

The platform sends such an update whenever the study enters a part with its own guidance. An engine that fills what was
left out with defaults switches turn detection, tools or voice without anybody noticing.
"""

from typing import Any, Final

from simulator.conformance.check import Check, Clause, Findings, label
from simulator.conformance.clauses import UPDATE_ANSWERED, acknowledged, update
from simulator.conformance.driver import Driver
from simulator.record.fields import contains, value_at

INSTRUCTIONS_TAKEN: Final = Clause("instructions taken", "The new instructions are shown.")
REST_KEPT: Final = Clause("rest kept", "Everything else in the session is as before.")

INSTRUCTIONS: Final = "From now on, talk about the weather only."
MAY_CHANGE: Final = frozenset({"instructions", "id", "object", "expires_at"})
"""What was asked for, and what an engine may renew by itself."""


async def drive(driver: Driver) -> None:
    """Set everything, then the instructions alone."""
    await driver.open_session(tools=driver.specification.tools)
    await driver.set_instructions(INSTRUCTIONS)


def judge(findings: Findings) -> None:
    """Compare the session before and after."""
    before = acknowledged(findings)
    _, after = update(findings, 1, "sets the instructions alone")
    if value_at(after, "session", "instructions") != INSTRUCTIONS:
        findings.fail(INSTRUCTIONS_TAKEN, f"The instructions are not those that were sent ({label(after)}).")
    kept: Any = value_at(before, "session")
    now: Any = value_at(after, "session")
    if not isinstance(kept, dict) or not isinstance(now, dict):
        findings.doubt("The engine does not show its session.")
        raise findings.stop()
    for name, value in kept.items():
        if name not in MAY_CHANGE and not contains(value, now.get(name)):
            findings.fail(REST_KEPT, f"session.{name} changed with the instructions ({label(before)}, {label(after)}).")


CHECK = Check(
    id="settings_kept",
    clause="A session.update that holds only instructions changes nothing else of the session.",
    per_turn_detection=False,
    clauses=(UPDATE_ANSWERED, INSTRUCTIONS_TAKEN, REST_KEPT),
    drive=drive,
    judge=judge,
)

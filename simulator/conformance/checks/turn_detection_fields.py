"""turn_detection_fields: every turn-detection setting that was asked for comes back unchanged.

The answer to *that* update counts, and holds at least what was requested: equal by JSON value, numbers by their value,
key order ignored, and whatever the engine adds ignored too. The mode is changed to the other one and back, because an
engine that knows only one mode often keeps silent about it.
"""

from typing import Final

from simulator.conformance.check import Check, Clause, Findings, label
from simulator.conformance.clauses import UPDATE_ANSWERED, acknowledged, update
from simulator.conformance.driver import Driver
from simulator.profile.facts import TURN_DETECTIONS
from simulator.record.fields import contains, text, value_at

SETTINGS_UNCHANGED: Final = Clause("settings unchanged", "session.updated shows each requested setting as requested.")


async def drive(driver: Driver) -> None:
    """Set the mode, the other mode, and the mode again."""
    await driver.open_session()
    modes = [str(each["type"]) for each in TURN_DETECTIONS]
    other = next(mode for mode in modes if mode != driver.turn_detection["type"])
    await driver.set_turn_detection(driver.specification.turn_detection(other))
    await driver.set_turn_detection(driver.turn_detection)


def judge(findings: Findings) -> None:
    """Compare each update with its own answer."""
    acknowledged(findings)
    modes = []
    for number_of_update, what in enumerate(("sets the mode", "sets the other mode", "sets the mode again")):
        sent, answer = update(findings, number_of_update, what)
        path = ("session", "audio", "input", "turn_detection")
        requested, echoed = value_at(sent, *path), value_at(answer, *path)
        modes.append(text(sent, *path, "type"))
        if not isinstance(requested, dict):
            findings.doubt(f"The update that {what} asks for no turn detection.", retry=True)
            continue
        for name, value in requested.items():
            found = echoed.get(name) if isinstance(echoed, dict) else None
            if not contains(value, found):
                reason = f"turn_detection.{name} was asked for as {value!r} and is {found!r} ({label(answer)})."
                findings.fail(SETTINGS_UNCHANGED, reason)
    if modes[0] is None or modes[0] != modes[2] or modes[0] == modes[1]:
        findings.doubt("The modes were not changed both ways.", retry=True)


CHECK = Check(
    id="turn_detection_fields",
    clause="Every requested turn-detection setting comes back unchanged in the session.updated that answers it.",
    per_turn_detection=True,
    clauses=(UPDATE_ANSWERED, SETTINGS_UNCHANGED),
    drive=drive,
    judge=judge,
)

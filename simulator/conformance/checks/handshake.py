"""handshake: the engine acknowledges the session update with PCM16 at 24 kHz in both directions.

What counts is the session.updated that answers our update; session.created describes a session that nobody asked for. A
format without its rate leaves the rate open, and fails.
"""

from typing import Final

from simulator.conformance.check import Check, Clause, Findings, label
from simulator.conformance.clauses import UPDATE_ANSWERED, update
from simulator.conformance.driver import Driver
from simulator.profile.facts import AUDIO_FORMAT
from simulator.record.fields import value_at

FORMATS: Final = {
    "input": Clause("input format", "session.updated names audio/pcm at 24000 Hz for the input."),
    "output": Clause("output format", "session.updated names audio/pcm at 24000 Hz for the output."),
}


async def drive(driver: Driver) -> None:
    """Open the session, and nothing else."""
    await driver.open_session()


def judge(findings: Findings) -> None:
    """Compare both formats in the answer to our update."""
    evidence = findings.evidence
    sent, answer = update(findings, 0, "opens the session")
    timeout_ms = findings.limits.event_timeout_ms
    findings.at_most(UPDATE_ANSWERED, "session.update to session.updated", sent, answer, timeout_ms)
    if evidence.received("session.created") is None:
        findings.warn("The engine never sent session.created.")
    for direction, clause in FORMATS.items():
        for name, expected in AUDIO_FORMAT.items():
            path = ("session", "audio", direction, "format", name)
            found = value_at(answer, *path)
            if isinstance(found, bool) or found != expected:
                reason = f"{'.'.join(path)} is {found!r}, and {expected!r} was asked for ({label(answer)})."
                findings.fail(clause, reason)


CHECK = Check(
    id="handshake",
    clause="session.updated answers the client's session.update, and names audio/pcm at 24000 Hz for input and output.",
    per_turn_detection=False,
    clauses=(UPDATE_ANSWERED, *FORMATS.values()),
    drive=drive,
    judge=judge,
)

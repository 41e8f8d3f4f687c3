"""handshake: the engine acknowledges the session update with PCM16 at 24 kHz in both directions.

What counts is the session.updated that answers our update; session.created describes a session that nobody asked for. A
format without its rate leaves the rate open, and fails.
"""

from simulator.conformance.check import Check, Findings, label
from simulator.conformance.clauses import update
from simulator.conformance.driver import Driver
from simulator.conformance.evidence import value_at
from simulator.profile.facts import AUDIO_FORMAT


async def drive(driver: Driver) -> None:
    """Open the session, and nothing else."""
    await driver.open_session()


def judge(findings: Findings) -> None:
    """Compare both formats in the answer to our update."""
    evidence = findings.evidence
    sent, answer = update(findings, 0, "opens the session")
    findings.at_most("session.update to session.updated", sent, answer, findings.limits.event_timeout_ms)
    if evidence.received("session.created") is None:
        findings.warn("The engine never sent session.created.")
    for direction in ("input", "output"):
        for name, expected in AUDIO_FORMAT.items():
            path = ("session", "audio", direction, "format", name)
            found = value_at(answer, *path)
            if isinstance(found, bool) or found != expected:
                findings.fail(f"{'.'.join(path)} is {found!r}, and {expected!r} was asked for ({label(answer)}).")


CHECK = Check(
    id="handshake",
    clause="session.updated answers the client's session.update, and names audio/pcm at 24000 Hz for input and output.",
    per_turn_detection=False,
    drive=drive,
    judge=judge,
)

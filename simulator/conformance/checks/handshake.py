"""handshake: the engine acknowledges the session update with PCM16 at 24 kHz in both directions.

What counts is the session.updated that answers our update; session.created describes a session that nobody asked for. A
format without its rate leaves the rate open, and fails.
"""

from simulator.conformance.check import Check, Findings, label
from simulator.conformance.driver import Driver
from simulator.conformance.evidence import value_at
from simulator.profile.facts import AUDIO_FORMAT


async def drive(driver: Driver) -> None:
    """Open the session, and nothing else."""
    await driver.open_session()


def judge(findings: Findings) -> None:
    """Compare both formats in the answer to our update."""
    evidence = findings.evidence
    update, answer = evidence.update_and_answer()
    if update is None:
        findings.doubt("No session.update was sent.", retry=True)
        raise findings.stop()
    refused = evidence.error_for(update)
    if refused is not None and answer is None:
        findings.fail(f"The session.update was refused ({label(refused)}): {value_at(refused, 'error', 'message')}")
        raise findings.stop()
    limit_ms = findings.limits.event_timeout_ms
    answer = findings.need(answer, "session.updated", since=update, within_ms=limit_ms)
    findings.at_most("session.update to session.updated", update, answer, limit_ms)
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

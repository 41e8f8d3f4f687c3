"""listening_pause_silent: turn detection off while nobody speaks, and on again: the next speech is timed from there.

- At least 6 s of silence are streamed, then nothing; turn detection is off for at least `HOLD_MS`. There is nothing to
  commit, and nothing is.
- From switching off until the onset of the next speech there is no speech_started, no committed and no response.
- The next speech is noticed at its onset, with audio_start_ms counted from the moment of switching on (see choices.py).
"""

from typing import Final

from simulator.audio.recordings import Role
from simulator.conformance.check import Check, Clause, Findings, label
from simulator.conformance.clauses import acknowledged, begun, update
from simulator.conformance.driver import Driver
from simulator.conformance.pauses import (
    DETECTION_OFF,
    PAUSE,
    enough_before,
    judge_next_speech,
    nothing_appended,
    switch_on_and_speak,
)
from simulator.record.fields import milliseconds, value_at

QUIET_PAUSE: Final = Clause("quiet pause", "From switching off to the next onset nothing is noticed or said.")

HOLD_MS: Final = 3_000


async def drive(driver: Driver) -> None:
    """Stream silence, stop listening, hold, listen again and speak."""
    await driver.open_session()
    driver.start_stream()
    await driver.silence(6_100, 7_000)
    await driver.stop_stream()
    await driver.set_turn_detection(None)
    await driver.watch(HOLD_MS, "anything while listening is off")
    await switch_on_and_speak(driver)


def judge(findings: Findings) -> None:
    """Nothing until the onset, then a turn on the new clock."""
    acknowledged(findings)
    off, off_answer = update(findings, 1, "switches turn detection off")
    if value_at(off_answer, "session", "audio", "input", "turn_detection") is not None:
        findings.fail(DETECTION_OFF, f"Turn detection is still on after it was switched off ({label(off_answer)}).")
    enough_before(findings, off)
    on, on_answer = update(findings, 2, "switches turn detection on again")
    if milliseconds(off_answer, on) < HOLD_MS:
        findings.doubt(f"Turn detection was off for less than {HOLD_MS} ms.", retry=True)
    nothing_appended(findings, off, on)
    _, onset = begun(findings, Role.QUESTION)
    for kind in ("input_audio_buffer.speech_started", "input_audio_buffer.committed", "response.created"):
        event = findings.evidence.received(kind, since=off)
        if event is not None and event.seq < onset.seq:
            findings.fail(QUIET_PAUSE, f"{kind} came though nobody had spoken ({label(event)}).")
    judge_next_speech(findings, on, on_answer, None)


CHECK = Check(
    id="listening_pause_silent",
    clause=(
        "Turn detection switched off while nobody speaks brings nothing; switched on again, the next speech is timed "
        "from the moment at which it was switched on."
    ),
    per_turn_detection=True,
    clauses=(*PAUSE, QUIET_PAUSE),
    drive=drive,
    judge=judge,
)

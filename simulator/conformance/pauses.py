"""What both checks of a listening pause share: turn detection off, on again, and the next speech on a new clock.

Three readings of audio_start_ms are told apart by at least `BEFORE_MS` of audio: counted from the moment of switching
on, from the start of the session (the audio clock stands still in the pause, because nothing is appended), or from
neither, so that only its arrival can be used.
"""

from typing import Final

from simulator.audio.recordings import Role
from simulator.conformance.check import Clause, Findings, label
from simulator.conformance.choices import AUDIO_START_AFTER_REENABLE
from simulator.conformance.clauses import (
    AUDIO_START,
    SPEECH_NOTICED,
    UPDATE_ANSWERED,
    audio_start_in_place,
    begun,
    padding_of,
    speech_noticed,
)
from simulator.conformance.driver import Driver, received
from simulator.conformance.evidence import Utterance
from simulator.record.entries import Direction, Entry
from simulator.record.fields import number, text
from simulator.units import samples_to_ms

DETECTION_OFF: Final = Clause("turn detection off", "Switched off, turn detection is shown as null.")
TIMED_FROM_ON: Final = Clause("timed from switching on", "audio_start_ms does not go on from before the pause.")
NEW_TURN: Final = Clause("new turn", "The speech after the pause is an item of its own.")

PAUSE: Final = (UPDATE_ANSWERED, DETECTION_OFF, SPEECH_NOTICED, TIMED_FROM_ON, AUDIO_START)
"""What both checks demand."""

BEFORE_MS: Final = 6_000
"""At least so much audio is streamed before the pause."""
CUMULATIVE: Final = "cumulative"
SILENCE_AFTER_MS: Final = (1_500, 2_300)


async def switch_on_and_speak(driver: Driver) -> None:
    """Switch turn detection on, stream silence, speak, and wait until that is noticed."""
    answer = await driver.set_turn_detection(driver.turn_detection)
    driver.start_stream()
    await driver.silence(*SILENCE_AFTER_MS)
    spoken = await driver.say(Role.QUESTION)
    started = received("input_audio_buffer.speech_started")
    await driver.wait_for(started, what="speech_started after the pause", since=answer)
    await driver.until_sent(spoken.offset_sample)


def nothing_appended(findings: Findings, off: Entry, on: Entry) -> None:
    """Nothing may be appended between switching off and on: what an engine makes of that is not the question."""
    for entry in findings.evidence.all(Direction.SENT, "input_audio_buffer.append", since=off.seq):
        if entry.seq < on.seq:
            findings.fault(f"We appended audio while listening was off ({label(entry)}).")
            return


def enough_before(findings: Findings, off: Entry) -> None:
    """State a doubt where so little was streamed that the readings could be confused."""
    streamed_ms = samples_to_ms(findings.evidence.appended_before(off))
    if streamed_ms < BEFORE_MS:
        findings.doubt(f"Only {streamed_ms:.0f} ms of audio were streamed before the pause.", retry=True)


def judge_next_speech(findings: Findings, on: Entry, answer: Entry, before: str | None) -> None:
    """The next speech is a new turn, noticed at its onset, and timed from the moment of switching on."""
    utterance, onset = begun(findings, Role.QUESTION)
    started = speech_noticed(findings, onset)
    if before is not None and text(started, "item_id") == before:
        findings.fail(NEW_TURN, f"The speech after the pause goes on with the item from before it ({label(started)}).")
    onset_ms = samples_to_ms(utterance.onset_sample - findings.evidence.appended_before(on))
    reading = _reading(findings, started, utterance, onset_ms)
    if reading is None:
        raise findings.stop()  # the common rules named the field
    findings.readings["audio_start_ms"] = reading
    if reading == AUDIO_START_AFTER_REENABLE.value:
        audio_start_in_place(findings, started, onset_ms, padding_of(answer))
    else:
        findings.fail(
            TIMED_FROM_ON if reading == CUMULATIVE else AUDIO_START,
            f"audio_start_ms is {number(started, 'audio_start_ms'):g} ({label(started)}). Counted from where turn "
            f"detection was switched on, speech began at {onset_ms:.0f}; from the start of the session, at "
            f"{samples_to_ms(utterance.onset_sample):.0f}. The engine reads it as “{reading}”.",
        )


def _reading(findings: Findings, started: Entry, utterance: Utterance, onset_ms: float) -> str | None:
    """Return which clock audio_start_ms fits, and measure its distance from each."""
    audio_start_ms = number(started, "audio_start_ms")
    if audio_start_ms is None:
        return None
    distances = {
        AUDIO_START_AFTER_REENABLE.value: audio_start_ms - onset_ms,
        CUMULATIVE: audio_start_ms - samples_to_ms(utterance.onset_sample),
    }
    for name, distance_ms in distances.items():
        findings.measure(f"audio_start_ms against the onset, {name}", distance_ms, "ms", end=started)
    limit_ms = findings.limits.max_onset_delay_ms
    return next((name for name, distance_ms in distances.items() if abs(distance_ms) <= limit_ms), "arrival")

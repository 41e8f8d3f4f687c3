"""A recorded voice said again: speeches to the sample at their time, and the room's own tone between them."""

import asyncio
import threading

import numpy as np
from numpy.typing import NDArray

from simulator.audio.tape import Speech, SpeechBegan, SpeechEnded, Tape, TapeEvent, TapeFailed

MS = 24
"""Samples of a millisecond."""
NS = 1_000_000

Samples = NDArray[np.int16]


def _voice(milliseconds: int) -> Samples:
    """Return a recording in which every sample tells its position, and none is zero."""
    return (np.arange(milliseconds * MS) % 30_000 + 1).astype(np.int16)


class _Rig:
    """A tape whose blocks of 20 ms are taken one after the other, the first one captured from time 0 on."""

    def __init__(self, voice: Samples, *speeches: tuple[int, int], whole: bool = False) -> None:
        self.voice = voice
        self.events: list[TapeEvent] = []
        self.at_ns = 0
        made = [Speech(first * MS, count * MS) for first, count in speeches]
        self.tape = Tape(self.read, 0, len(voice), made, self.events.append, whole=whole)

    def read(self, first: int, count: int) -> Samples:
        found = np.zeros(count, dtype=np.int16)
        there = self.voice[first : first + count]
        found[: len(there)] = there
        return found

    async def take(self, milliseconds: int) -> Samples:
        blocks = []
        for _ in range(milliseconds // 20):
            blocks.append(self.tape.take(480, self.at_ns))
            self.at_ns += 20 * NS
            while self.tape._reading:
                await asyncio.wait(list(self.tape._reading))
        return np.concatenate(blocks)


async def test_a_speech_begins_with_the_sample_that_is_captured_at_its_time_and_is_as_it_was() -> None:
    rig = _Rig(_voice(1000), (300, 200))
    await rig.tape.prepare()
    rig.tape.start(433_000_000 + 41_667)  # 433 ms and one sample
    heard = await rig.take(800)
    begins = 433 * MS + 1
    assert np.array_equal(heard[begins : begins + 200 * MS], rig.voice[300 * MS : 500 * MS])
    assert rig.events == [
        SpeechBegan(0, begins * 10**9 // 24_000),
        SpeechEnded(0, (begins + 200 * MS) * 10**9 // 24_000),
    ]
    # What was recorded behind it follows without a seam.
    assert np.array_equal(heard[begins + 200 * MS :], rig.voice[500 * MS : 500 * MS + len(heard) - begins - 200 * MS])


async def test_a_speech_in_the_recordings_own_time_changes_no_sample() -> None:
    rig = _Rig(_voice(1000), (300, 200), (700, 100))
    await rig.tape.prepare()
    rig.tape.start(300 * NS)
    heard = await rig.take(520)
    rig.tape.start(700 * NS)
    heard = np.concatenate((heard, await rig.take(480)))
    assert np.array_equal(heard, rig.voice)


async def test_in_a_longer_wait_the_tone_goes_on_backwards_and_forwards() -> None:
    rig = _Rig(_voice(200), (100, 60))
    await rig.tape.prepare()
    heard = await rig.take(400)
    tone = rig.voice[: 100 * MS]
    assert np.array_equal(heard, np.concatenate((tone, tone[::-1], tone, tone[::-1])))


async def test_in_a_shorter_wait_the_tone_is_left_over_5_ms_before_the_speech() -> None:
    voice = np.full(1000 * MS, 1000, dtype=np.int16)
    voice[200 * MS : 300 * MS] = 3000  # just before the speech the room is another one
    rig = _Rig(voice, (300, 100))
    await rig.tape.prepare()
    rig.tape.start(100 * NS)
    heard = await rig.take(200)
    assert np.array_equal(heard[: 95 * MS], voice[: 95 * MS])
    fade = heard[95 * MS : 100 * MS].astype(int)
    assert abs(fade[60] - 2000) <= 20  # half of both in the middle
    # Half a cosine over 120 samples rises at most by 2000 · π / 240 = 26.2 in one.
    assert np.diff(fade).min() >= 0
    assert np.diff(fade).max() <= 27
    assert np.array_equal(heard[100 * MS :], voice[300 * MS : 400 * MS])


async def test_a_speech_whose_time_is_over_begins_with_the_next_sample_and_is_faded_into() -> None:
    voice = np.full(1000 * MS, 1000, dtype=np.int16)
    voice[300 * MS : 400 * MS] = 3000
    rig = _Rig(voice, (300, 100))
    await rig.tape.prepare()
    before = await rig.take(100)
    rig.tape.start(50 * NS)
    heard = await rig.take(120)
    assert rig.events[0] == SpeechBegan(0, 100 * NS)
    assert np.abs(np.diff(np.concatenate((before, heard[: 20 * MS])).astype(int))).max() <= 27
    assert np.array_equal(heard[5 * MS : 100 * MS], voice[305 * MS : 400 * MS])


async def test_digital_silence_stays_digital_silence() -> None:
    voice = np.zeros(1000 * MS, dtype=np.int16)
    voice[310 * MS : 390 * MS] = 5000
    rig = _Rig(voice, (300, 100))
    await rig.tape.prepare()
    rig.tape.start(611 * NS)
    heard = await rig.take(2000)
    assert np.array_equal(np.flatnonzero(heard), 621 * MS + np.arange(80 * MS))


async def test_the_whole_recording_is_given_from_its_first_sample_and_tells_of_its_speeches() -> None:
    rig = _Rig(_voice(25_000), (300, 200), (12_345, 55), whole=True)  # three pieces
    await rig.tape.prepare()
    await rig.take(20)
    rig.tape.start(33 * NS)
    heard = await rig.take(25_000)
    assert np.array_equal(heard[13 * MS :], rig.voice[: len(heard) - 13 * MS])
    assert not heard[: 13 * MS].any()
    assert rig.events == [
        SpeechBegan(0, 333 * NS),
        SpeechEnded(0, 533 * NS),
        SpeechBegan(1, 12_378 * NS),
        SpeechEnded(1, 12_433 * NS),
    ]


async def test_what_began_and_ended_in_a_block_is_known_with_it() -> None:
    rig = _Rig(_voice(1000), (300, 25))
    await rig.tape.prepare()
    rig.tape.start(10 * NS)
    await rig.take(20)
    assert rig.tape.passed == [SpeechBegan(0, 10 * NS)]
    await rig.take(20)
    assert rig.tape.passed == [SpeechEnded(0, 35 * NS)]
    await rig.take(20)
    assert rig.tape.passed == []


async def test_what_a_disk_gives_too_late_is_silence_in_its_place_and_moves_nothing() -> None:
    rig = _Rig(_voice(25_000), (0, 25_000))
    await rig.tape.prepare()
    rig.tape.start(0)
    let_go = threading.Event()
    read = rig.read

    def stalled(first: int, count: int) -> Samples:
        let_go.wait(20)
        return read(first, count)

    rig.tape._read = stalled
    heard = [rig.tape.take(480, number * 20 * NS) for number in range(510)]  # 10.2 s
    let_go.set()
    while rig.tape._reading:
        await asyncio.wait(list(rig.tape._reading))
    heard.append(rig.tape.take(480, 10_200 * NS))
    whole = np.concatenate(heard)
    assert np.array_equal(whole[: 10_000 * MS], rig.voice[: 10_000 * MS])
    assert not whole[10_000 * MS : 10_200 * MS].any()
    assert np.array_equal(whole[10_200 * MS :], rig.voice[10_200 * MS : 10_220 * MS])


async def test_a_recording_that_cannot_be_read_any_more_is_told_of_and_is_silence() -> None:
    rig = _Rig(_voice(25_000), (0, 25_000))
    await rig.tape.prepare()
    rig.tape.start(0)
    gone = OSError("gone")

    def fails(first: int, count: int) -> Samples:
        raise gone

    rig.tape._read = fails
    heard = await rig.take(10_100)
    assert not heard[10_000 * MS :].any()
    assert TapeFailed(gone) in rig.events

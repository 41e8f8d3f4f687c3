"""What is wrong with the sound: signals made by hand, and real voices, against what the operator is told."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.audio.audio_files import load_recording
from simulator.audio.conversion import Converter
from simulator.audio.recordings import project_recordings
from simulator.audio.sound_check import SoundCheck, SoundGood, SoundWarning
from simulator.units import BLOCK_SAMPLES, NS_PER_MS, NS_PER_S

Samples = NDArray[np.int16]
RATE_HZ = 24_000
BLOCK_NS = 20 * NS_PER_MS
START_NS = 7 * NS_PER_S


class Desk:
    """A desk with a microphone, on a clock of its own; `told` is what the operator was told, at which millisecond."""

    def __init__(self) -> None:
        self.check = SoundCheck()
        self.now_ns = START_NS
        self.told: list[tuple[int, str]] = []
        self.warnings: list[SoundWarning] = []

    def hear(self, samples: Samples, playing: Samples | None = None) -> "Desk":
        """Capture samples, block by block, while the agent's voice is audible."""
        for first in range(0, len(samples) - BLOCK_SAMPLES + 1, BLOCK_SAMPLES):
            if playing is not None and first + BLOCK_SAMPLES <= len(playing):
                self.check.played(playing[first : first + BLOCK_SAMPLES], self.now_ns)
            self.now_ns += BLOCK_NS
            self.check.captured(samples[first : first + BLOCK_SAMPLES], self.now_ns)
            self.look()
        return self

    def wait(self, seconds: float) -> "Desk":
        """Let time pass with the microphone closed."""
        self.check.closed()
        self.now_ns += round(seconds * NS_PER_S)
        self.look()
        return self

    def look(self) -> None:
        at_ms = (self.now_ns - START_NS) // NS_PER_MS
        for change in self.check.take(self.now_ns):
            if isinstance(change, SoundGood):
                self.told.append((at_ms, f"{change.code} {change.because}"))
            else:
                self.warnings.append(change)
                self.told.append((at_ms, change.code))


def zeros(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE_HZ), dtype=np.int16)


def noise(seconds: float, dbfs: float, seed: int = 1) -> Samples:
    drawn = np.random.default_rng(seed).standard_normal(round(seconds * RATE_HZ))
    return _int16(drawn * 32_768 * 10 ** (dbfs / 20))


def tone(seconds: float, hz: float, amplitude: float) -> Samples:
    return _int16(amplitude * np.sin(2 * np.pi * hz * np.arange(round(seconds * RATE_HZ)) / RATE_HZ))


def _int16(samples: NDArray[np.floating[Any]]) -> Samples:
    return np.clip(np.round(samples), -32_768, 32_767).astype(np.int16)


def mixed(*parts: Samples) -> Samples:
    length = min(len(part) for part in parts)
    return _int16(np.sum([part[:length].astype(np.float64) for part in parts], axis=0))


def louder(samples: Samples, by_db: float) -> Samples:
    return _int16(samples * 10 ** (by_db / 20))


_PATHS = {recording.name: recording.path for recording in project_recordings()}
VOICES = ("monologue", "monologue_awb", "monologue_rms", "monologue_slt", "monologue_pico_gb", "monologue_pico_us")


def voice(name: str, seconds: float = 8.0) -> Samples:
    """A person's monologue, from its beginning again where it is too short. About -22 dBFS as a whole."""
    return np.resize(load_recording(_PATHS[name]), round(seconds * RATE_HZ))


# ---- exact zeros


def test_exact_silence_is_told_after_a_second_and_over_at_once_when_something_is_heard() -> None:
    desk = Desk().hear(zeros(1.4)).hear(noise(1.0, -60))
    # Looked at every 200 ms; good after 200 ms that are not flat.
    assert desk.told == [(1000, "exact_zeros"), (1600, "exact_zeros good")]
    assert "privacy settings" in desk.warnings[0].sentence


def test_the_same_sample_for_ever_is_silence_too_and_a_pause_of_a_gated_microphone_is_none() -> None:
    stuck = np.full(2 * RATE_HZ, -7, dtype=np.int16)
    assert Desk().hear(stuck).told == [(1000, "exact_zeros")]
    gated = Desk()
    for _ in range(5):
        gated.hear(voice("monologue", 3.0)[2 * RATE_HZ : 2 * RATE_HZ + 14_400]).hear(zeros(0.9))
    assert gated.told == []


def test_a_microphone_that_is_silent_whenever_nobody_speaks_is_told_of_less_and_less_often() -> None:
    said = voice("monologue", 3.0)[2 * RATE_HZ : 2 * RATE_HZ + 14_400]
    desk = Desk()
    for _ in range(20):
        desk.hear(said).hear(zeros(3.0))
    # After 1 s and after 2 s; 4 s of it never come.
    assert [what for _, what in desk.told] == ["exact_zeros", "exact_zeros good"] * 2
    desk.hear(zeros(2.0))
    assert desk.told[-1][1] == "exact_zeros"


# ---- too quiet


@pytest.mark.parametrize("name", VOICES)
def test_a_quiet_voice_is_told_with_its_level_and_a_usual_one_is_not(name: str) -> None:
    room = noise(8.0, -72)
    # 35 dB below a usual voice of about -20 dBFS where it sounds.
    desk = Desk().hear(mixed(louder(voice(name), -35), room))
    assert [what for _, what in desk.told] == ["too_quiet"]
    assert desk.told[0][0] <= 7_000
    level_dbfs = desk.warnings[0].figures["level_dbfs"]
    assert -60 <= level_dbfs < -45
    assert f"({level_dbfs} dBFS)" in desk.warnings[0].sentence
    assert Desk().hear(mixed(louder(voice(name), -12), room)).told == []


def test_a_voice_that_became_loud_enough_ends_the_warning_within_two_seconds() -> None:
    desk = Desk().hear(mixed(louder(voice("monologue"), -35), noise(8.0, -72)))
    told_ms = (desk.now_ns - START_NS) // NS_PER_MS
    desk.hear(mixed(voice("monologue", 2.0), noise(2.0, -72)))
    assert desk.told[-1][1] == "too_quiet good"
    assert desk.told[-1][0] - told_ms <= 2_000


@pytest.mark.parametrize("level_dbfs", [-90, -70, -50])
def test_a_room_in_which_nobody_speaks_is_not_too_quiet(level_dbfs: float) -> None:
    assert Desk().hear(noise(10.0, level_dbfs)).told == []


def test_the_agent_in_the_distance_is_not_taken_for_a_quiet_participant() -> None:
    agent = voice("monologue_slt")
    heard = mixed(noise(8.0, -72), louder(agent, -40))
    desk = Desk().hear(heard, playing=agent)
    assert "too_quiet" not in [what for _, what in desk.told]


# ---- clipping


def test_three_clips_within_a_second_are_told_and_three_seconds_without_end_it() -> None:
    clean = louder(voice("monologue", 1.0), -6)
    clipped = clean.copy()
    for at in (100, 4_000, 4_799):  # the last begins at the end of one block of 480 samples and ends in the next
        clipped[at : at + 3] = 32_767
    desk = Desk().hear(clipped).hear(np.tile(clean, 4))
    # Block 11 (ends at 220 ms) holds the end of the third run; looked at every 200 ms, so at 400. The last run lies in
    # the block that ends at 220 ms, 150 blocks later is 3220, looked at 3400.
    assert desk.told == [(400, "clipping"), (3400, "clipping good")]
    assert desk.warnings[0].figures == {"clips_a_second": 3}


def test_single_peaks_at_full_scale_and_runs_of_two_are_no_clipping() -> None:
    samples = louder(voice("monologue", 3.0), -6)
    samples[::2_400] = 32_767
    samples[1::2_400] = -32_768
    samples[100:102] = 32_767
    assert Desk().hear(samples).told == []


def test_a_clipped_top_that_ripples_counts_and_a_loud_one_that_does_not_reach_full_scale_does_not() -> None:
    quiet = louder(voice("monologue", 1.0), -6)
    told = {}
    for top in ([32_100, 32_767, 32_050], [-32_050, -32_100, -32_768], [31_900, 32_767, 31_900], [32_700] * 20):
        samples = quiet.copy()
        for at in (100, 4_000, 9_598):  # the last lies over the edge of two blocks
            samples[at : at + len(top)] = top
        told[tuple(top[:3])] = [what for _, what in Desk().hear(samples).told]
    assert list(told.values()) == [["clipping"], ["clipping"], [], []]


@pytest.mark.parametrize("name", VOICES)
def test_a_voice_clipped_at_48_khz_and_converted_clips_and_one_at_full_scale_does_not(name: str) -> None:
    for by_db, told in ((12.0, ["clipping"]), (0.0, [])):
        loud = voice(name, 6.0).astype(np.float64)
        loud *= 32_767 / np.abs(loud).max() if by_db == 0 else 10 ** (by_db / 20)
        at_48_khz = Converter(RATE_HZ, 48_000).process(_int16(loud / 4)).astype(np.float64) * 4
        card, converter = _int16(at_48_khz), Converter(48_000, RATE_HZ)
        given = np.concatenate([converter.process(block) for block in np.split(card, len(card) // 960)])
        assert [what for _, what in Desk().hear(given).told] == told


@pytest.mark.parametrize("name", VOICES)
def test_a_voice_that_is_much_too_loud_clips(name: str) -> None:
    assert [what for _, what in Desk().hear(louder(voice(name, 4.0), 24)).told] == ["clipping"]


# ---- hum


@pytest.mark.parametrize("hz", [50, 60])
def test_a_hum_of_the_mains_is_told_after_five_seconds_and_named(hz: int) -> None:
    # A sine of amplitude 1036 is -33 dBFS (1036 / 32768 / sqrt 2 = 0.0224).
    parts = (tone(6.0, hz, 1_036), tone(6.0, 2 * hz, 300), tone(6.0, 3 * hz, 300), noise(6.0, -65))
    desk = Desk().hear(mixed(*parts)).hear(noise(4.0, -65))
    assert [what for _, what in desk.told] == ["hum", "hum good"]
    assert desk.told[0][0] == 5_000
    assert desk.warnings[0].figures == {"level_dbfs": -32, "mains_hz": hz}
    assert f"{hz} Hz" in desk.warnings[0].sentence
    assert desk.told[1][0] - 6_000 <= 3_200


def test_a_steady_noise_as_loud_as_a_voice_is_told_and_a_soft_one_is_not() -> None:
    desk = Desk().hear(noise(6.0, -38))
    assert desk.told == [(5000, "hum")]
    assert desk.warnings[0].figures == {"level_dbfs": -38}
    assert "steady noise (-38 dBFS)" in desk.warnings[0].sentence
    assert Desk().hear(noise(8.0, -50)).told == []


@pytest.mark.parametrize("name", VOICES)
def test_a_person_who_talks_and_talks_is_no_hum(name: str) -> None:
    assert Desk().hear(mixed(voice(name, 16.0), noise(16.0, -50))).told == []


# ---- echo


def room_answer(seed: int) -> NDArray[np.float64]:
    """The way of a sound from a loudspeaker to a microphone: direct, then a room that fades within 0.4 s."""
    count = round(0.4 * RATE_HZ)
    answer = np.random.default_rng(seed).standard_normal(count) * 10 ** (-3 * np.arange(count) / count)
    answer *= 0.8 / np.sqrt(np.sum(answer**2))
    answer[0] = 0.6
    return np.asarray(answer / np.sqrt(np.sum(answer**2)))


def come_back(agent: Samples, level_db: float, delay_ms: int, seed: int = 1) -> Samples:
    """The agent's voice as a microphone gets it from the loudspeaker."""
    echo = np.convolve(agent.astype(np.float64), room_answer(seed))[: len(agent)] * 10 ** (level_db / 20)
    return _int16(np.concatenate((np.zeros(delay_ms * RATE_HZ // 1000), echo))[: len(agent)])


def echo_cases() -> Iterator[tuple[str, int, int]]:
    names = iter(VOICES * 2)
    for level_db in (-10, -20, -30):
        for delay_ms in (20, 100, 300):
            yield next(names), level_db, delay_ms


@pytest.mark.parametrize(("name", "level_db", "delay_ms"), list(echo_cases()))
def test_the_agents_voice_in_the_microphone_is_told_with_its_delay_and_level(
    name: str, level_db: int, delay_ms: int
) -> None:
    agent = voice(name)
    desk = Desk().hear(mixed(come_back(agent, level_db, delay_ms), noise(8.0, -68)), playing=agent)
    assert [what for _, what in desk.told] == ["echo"]
    assert desk.told[0][0] <= 5_000
    figures = desk.warnings[0].figures
    assert abs(figures["delay_ms"] - delay_ms) <= 3
    assert abs(figures["level_db"] - level_db) <= 8
    assert "headphones" in desk.warnings[0].sentence


@pytest.mark.parametrize("name", VOICES)
def test_an_echo_is_told_while_both_speak(name: str) -> None:
    agent, person = voice(name, 12.0), louder(voice("long_story_slt", 12.0), -6)
    person[: 4 * RATE_HZ] = 0  # the participant interrupts
    desk = Desk().hear(mixed(come_back(agent, -10, 80), person, noise(12.0, -68)), playing=agent)
    assert [what for _, what in desk.told] == ["echo"]


@pytest.mark.parametrize("person", VOICES)
@pytest.mark.parametrize("agent", VOICES)
def test_two_who_talk_at_the_same_time_are_no_echo(agent: str, person: str) -> None:
    if agent == person:
        spoken = np.roll(voice(person), 2 * RATE_HZ)  # the same person, but other words
    else:
        spoken = voice(person)
    assert Desk().hear(mixed(spoken, noise(8.0, -68)), playing=voice(agent)).told == []


def test_a_tone_in_the_room_or_in_both_is_no_echo_of_a_voice() -> None:
    agent = voice("monologue")
    assert Desk().hear(mixed(tone(8.0, 440, 100), noise(8.0, -60)), playing=agent).told == []
    played, heard = tone(4.8, 440, 8_000), tone(4.8, 440, 100)
    assert Desk().hear(mixed(heard, noise(4.8, -60)), playing=played).told == []


def test_an_echo_that_is_over_is_told_once_the_agent_spoke_without_it() -> None:
    agent = voice("monologue", 6.0)
    with_echo, without = mixed(come_back(agent, -15, 60), noise(6.0, -68)), noise(6.0, -68)
    desk = Desk().hear(with_echo, playing=agent)
    desk.hear(without)  # nobody speaks: nothing is learned
    assert [what for _, what in desk.told] == ["echo"]
    desk.hear(without, playing=agent)
    assert [what for _, what in desk.told] == ["echo", "echo good"]
    # Six looks, one each half second, and the window of a second has to leave the echo behind.
    assert desk.told[1][0] - 12_000 <= 5_000


def test_microphones_that_are_told_of_in_bursts_and_late_show_the_same_echo() -> None:
    agent = voice("monologue_rms")
    heard = mixed(come_back(agent, -20, 120), noise(8.0, -68))
    check, drawn = SoundCheck(), np.random.default_rng(3)
    warnings = []
    for first in range(0, len(heard), BLOCK_SAMPLES):
        at_ns = START_NS + first * NS_PER_S // RATE_HZ
        check.played(agent[first : first + BLOCK_SAMPLES], at_ns)
        late_ns = int(drawn.integers(0, 60)) * NS_PER_MS if first % (5 * BLOCK_SAMPLES) else 0
        check.captured(heard[first : first + BLOCK_SAMPLES], at_ns + BLOCK_NS + late_ns)
        warnings += check.take(at_ns)
    (warning,) = warnings
    assert isinstance(warning, SoundWarning)
    # The delay is by the stamps, of which half are later than 24 ms.
    assert 117 <= warning.figures["delay_ms"] <= 160


def test_pieces_of_any_length_make_the_same_echo() -> None:
    agent = voice("monologue_awb")
    heard = mixed(come_back(agent, -20, 120), noise(8.0, -68))
    check = SoundCheck()
    for first in range(0, len(agent), 441):
        check.played(agent[first : first + 441], START_NS + first * NS_PER_S // RATE_HZ)
        ends = min(first + 441, len(heard))
        check.captured(heard[first:ends], START_NS + ends * NS_PER_S // RATE_HZ)
    (warning,) = check.warnings
    assert abs(warning.figures["delay_ms"] - 120) <= 3


@pytest.mark.parametrize("lengths", [(441,), (512,), (480, 1, 479, 3)], ids=str)
def test_blocks_of_other_lengths_are_taken_as_well(lengths: tuple[int, ...]) -> None:
    hum = tone(9.0, 50, 8_000)
    check, first, number = SoundCheck(), 0, 0
    while first < len(hum):
        block = hum[first : first + lengths[number % len(lengths)]]
        first, number = first + len(block), number + 1
        check.captured(block, START_NS + first * NS_PER_S // RATE_HZ)
    codes = {warning.code: warning.figures for warning in check.warnings}
    # Levels of blocks of a sample or three rise and fall with the wave: no steady noise is seen in them.
    assert codes.get("hum", {}).get("mains_hz") == (50 if len(lengths) == 1 else None)


# ---- a microphone that closes


def test_a_closed_microphone_keeps_its_warning_for_ten_seconds_and_a_press_of_the_key_does_not_end_it() -> None:
    desk = Desk().hear(noise(6.0, -38)).wait(8.0).hear(noise(2.0, -38))
    assert [what for _, what in desk.told] == ["hum"]
    desk.wait(10.5)
    assert [what for _, what in desk.told] == ["hum", "hum closed"]
    assert desk.check.warnings == ()


def test_what_was_heard_before_the_key_went_up_does_not_count_with_what_comes_after() -> None:
    desk = Desk()
    for _ in range(5):
        desk.hear(zeros(0.8)).wait(0.5)
    assert desk.told == []


def test_another_microphone_begins_without_the_warnings_of_the_last() -> None:
    desk = Desk().hear(zeros(1.2))
    desk.check.forget()
    desk.look()
    assert desk.told == [(1000, "exact_zeros"), (1200, "exact_zeros closed")]


def test_nothing_of_a_usual_conversation_is_told() -> None:
    agent, person = voice("monologue_slt", 6.0), voice("monologue_awb", 6.0)
    quiet_room = noise(6.0, -62)
    desk = Desk()
    for _ in range(2):
        desk.hear(mixed(person, quiet_room)).hear(quiet_room, playing=agent)
    assert desk.told == []

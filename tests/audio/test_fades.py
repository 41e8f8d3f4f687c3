"""What the loudspeaker gets: no clicks where the voice must break off, and the volume. Times are simulated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.audio.fades import FADE_SAMPLES, Edges, Fades, VoiceShape, Volume
from simulator.audio.playout import ItemHeard, PlaybackGap, Playout
from simulator.units import NS_PER_MS
from tests.audio.loudspeaker import LATENCY_NS, Samples, of_kind, tone

MS = NS_PER_MS
LOUD = 10_000


def sine(samples: int, hz: float = 200, amplitude: float = LOUD) -> Samples:
    """A voice that nowhere steps by more than 2 π 200 / 24,000 of its amplitude: 524."""
    return np.rint(amplitude * np.sin(2 * np.pi * hz * np.arange(samples) / 24_000 + 1)).astype(np.int16)


class Device:
    """Takes blocks of a playout and shapes them, as an output stream does."""

    def __init__(self, block_samples: int = 480) -> None:
        self.playout = Playout()
        self.shape = VoiceShape()
        self.block_samples = block_samples
        self.next_ns = 0
        self.heard = tone(0, 0)

    def take(self, blocks: int) -> Samples:
        before = len(self.heard)
        for _ in range(blocks):
            out = np.full(self.block_samples, 99, dtype=np.int16)
            self.shape.apply(out, self.playout.fill(out, self.next_ns, self.next_ns + LATENCY_NS))
            self.next_ns += self.block_samples * 1_000 * MS // 24_000
            self.heard = np.concatenate((self.heard, out))
        return self.heard[before:]


def largest_step(heard: Samples) -> int:
    return int(np.abs(np.diff(heard.astype(int))).max())


@pytest.mark.parametrize("block_samples", [480, 64, 1000])
def test_at_a_cut_the_voice_fades_within_5_ms_and_what_was_handed_is_the_same(block_samples: int) -> None:
    device = Device(block_samples)
    voice = sine(24_000)
    device.playout.add("a", voice, 0)
    device.playout.item_complete("a")
    device.take(7)
    handed = 7 * block_samples
    assert device.playout.cut(device.next_ns) == [ItemHeard("a", 24_000, handed, begun=True, complete=True)]
    after = device.take(10)
    assert device.heard[:handed].tolist() == voice[:handed].tolist()
    assert np.abs(after[:FADE_SAMPLES]).max() > 0
    assert not after[FADE_SAMPLES:].any()
    assert largest_step(device.heard) <= 600
    assert device.playout.handed_samples("a") == handed


def test_without_a_fade_the_same_cut_would_click() -> None:
    """What the test above sees: the voice stands at more than half of its amplitude where it is cut."""
    voice = sine(24_000)[: 7 * 480]
    assert largest_step(np.concatenate((voice, tone(0, 480)))) > 5_000


def test_a_fade_leaves_nothing_of_a_click_in_the_high_frequencies() -> None:
    device = Device()
    device.playout.add("a", sine(24_000), 0)
    device.playout.item_complete("a")
    device.take(7)
    device.playout.cut(device.next_ns)
    device.take(5)
    cut_at = 7 * 480

    def above_4_khz(samples: Samples) -> float:
        spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
        return float(np.sqrt((spectrum[len(samples) * 4 // 24 :] ** 2).sum()))

    around = slice(cut_at - 480, cut_at + 480)
    abrupt = device.heard.copy()
    abrupt[cut_at:] = 0
    assert above_4_khz(device.heard[around]) < above_4_khz(abrupt[around]) / 20


def test_running_dry_fades_out_and_what_comes_after_the_gap_fades_in() -> None:
    device = Device()
    voice = sine(4_800)
    device.playout.add("a", voice[:2400], 0)
    device.take(20)
    device.playout.add("a", voice[2400:], device.next_ns)
    device.playout.item_complete("a")
    device.take(10)
    (gap,) = of_kind(device.playout.progress(), PlaybackGap)
    begins = 180 * 24
    dry, resumes = begins + 2400, begins + 2400 + gap.gap_samples
    assert device.heard[begins:dry].tolist() == voice[:2400].tolist()
    assert np.abs(device.heard[dry : dry + FADE_SAMPLES]).max() > 0
    assert not device.heard[dry + FADE_SAMPLES : resumes].any()
    assert abs(int(device.heard[resumes])) < 10
    assert device.heard[resumes + FADE_SAMPLES : resumes + 2400].tolist() == voice[2400 + FADE_SAMPLES :].tolist()
    assert largest_step(device.heard[begins + 1 : resumes + 2400]) <= 700


def test_beginnings_and_ends_that_the_engine_made_are_left_as_they_are() -> None:
    device = Device()
    for name, value in (("a", 5_000), ("b", -5_000)):
        device.playout.add(name, tone(value, 700), 0)
        device.playout.item_complete(name)
    heard = device.take(5)
    assert heard.tolist() == [5_000] * 700 + [-5_000] * 700 + [0] * 1000


def test_a_cut_while_nothing_sounds_makes_no_sound() -> None:
    device = Device()
    device.playout.add("a", tone(5_000, 480), 0)
    device.playout.item_complete("a")
    device.take(2)
    device.playout.add("waiting", tone(5_000, 480), device.next_ns)
    device.playout.cut(device.next_ns)
    assert not device.take(5).any()


def test_a_reply_that_begins_right_after_a_cut_sounds_over_the_fade() -> None:
    device = Device()
    device.playout.add("a", tone(1_000, 4_800), 0)
    device.take(3)
    device.take(9)
    device.playout.cut(device.next_ns)
    device.playout.add("b", tone(100, 480), device.next_ns)
    device.playout.item_complete("b")
    heard = device.take(1)
    assert 1_000 < heard[0] <= 1_100
    assert heard[FADE_SAMPLES:].tolist() == [100] * (480 - FADE_SAMPLES)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=30), st.integers(0, 2))
def test_blocks_of_any_length_are_shaped_alike(lengths: list[int], kind: int) -> None:
    """One block of everything, and the same in pieces."""
    edges = [Edges(breaks_at=0), Edges(resumes=True), Edges()][kind]
    voice = tone(0, sum(lengths)) if kind == 0 else sine(sum(lengths))
    whole, pieces = Fades(), Fades()
    for fades in (whole, pieces):
        fades.apply(sine(480), Edges())
    expected = voice.copy()
    whole.apply(expected, edges)
    heard: list[Samples] = []
    first = 0
    for length in lengths:
        piece = voice[first : first + length].copy()
        pieces.apply(piece, edges if first == 0 else Edges())
        heard.append(piece)
        first += length
    assert np.concatenate(heard).tolist() == expected.tolist()


@pytest.mark.parametrize(("db", "expected"), [(6, 1_995), (-6, 501), (-20, 100), (-60, 1), (12, 3_981), (0, 1_000)])
def test_the_volume_is_reached_within_20_ms_and_stays(db: float, expected: int) -> None:
    volume = Volume()
    volume.db = db
    blocks = [tone(1_000, 480) for _ in range(3)]
    for block in blocks:
        volume.apply(block)
    assert blocks[0][-1] == expected
    assert set(np.concatenate(blocks[1:]).tolist()) == {expected}


def test_a_change_of_volume_makes_no_step() -> None:
    """From 0 to -60 dB over 480 samples: a 480th of 10,000 with each."""
    volume = Volume()
    heard: list[Samples] = []
    for number in range(20):
        if number == 3:
            volume.db = -60
        if number == 5:  # in the middle of the ramp, with blocks of 100 samples
            volume.db = 0
        block = tone(LOUD, 100)
        volume.apply(block)
        heard.append(block)
    together = np.concatenate(heard)
    assert largest_step(together) <= 22
    assert together.min() < 7_000
    assert together[-1] == LOUD


def test_what_would_be_too_loud_is_clipped() -> None:
    volume = Volume()
    volume.db = 12
    for value, expected in ((20_000, 32_767), (-20_000, -32_768)):
        block = tone(value, 960)
        volume.apply(block)
        assert block[-1] == expected


def test_without_a_change_of_volume_the_voice_is_left_sample_for_sample() -> None:
    voice = sine(480)
    block = voice.copy()
    VoiceShape().apply(block, Edges())
    assert block.tolist() == voice.tolist()

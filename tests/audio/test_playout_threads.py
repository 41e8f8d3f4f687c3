"""A cut is exact whatever the output callback is doing at that moment, and nothing is lost or played twice."""

import itertools
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.audio.pcm import SampleAssembler, samples_to_bytes
from simulator.audio.playout import AudioHanded, ItemHeard, PlaybackEnded, Playout
from simulator.units import NS_PER_MS
from tests.audio.interleave import run_at_every_step
from tests.audio.loudspeaker import Loudspeaker, Samples, of_kind, tone


def speaking(blocks: int = 2) -> tuple[Playout, Loudspeaker]:
    """A playout in the middle of item a (value 1), which ends inside the next block; item b (value 2) follows."""
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    playout.add("a", tone(1, 480 * blocks + 300), 0)
    playout.item_complete("a")
    playout.add("b", tone(2, 4800), 0)
    loudspeaker.take(blocks)
    return playout, loudspeaker


def assert_exact(heard: list[ItemHeard], loudspeaker: Loudspeaker, played: Samples) -> None:
    """What the cut reports is what the loudspeaker got; an item that is not reported was handed whole."""
    handed = {item.item_id: item.handed_samples for item in heard}
    assert handed.get("a", 480 * 2 + 300) == (played == 1).sum()
    assert handed["b"] == (played == 2).sum()
    assert not loudspeaker.take(3).any()


def test_a_cut_at_any_moment_of_a_fill_is_exact() -> None:
    """The block of that fill is either counted and played, or not counted and silent: both happen."""
    outcomes: list[bool] = []

    def scenario(step: int) -> bool:
        playout, loudspeaker = speaking()
        heard: list[ItemHeard] = []
        reached = run_at_every_step(
            loudspeaker.take,
            lambda: heard.extend(playout.cut(45 * NS_PER_MS)),
            step,
            file="playout.py",
        )
        outcomes.append(bool(loudspeaker.blocks[-1].any()))
        assert_exact(heard, loudspeaker, loudspeaker.heard)
        return reached

    assert exhausted(scenario) > 200
    assert outcomes[0] is False
    assert outcomes[-1] is True
    assert outcomes == sorted(outcomes), "from one moment on, the block counts"


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_fills_at_any_moment_of_a_cut_are_exact(blocks: int) -> None:
    def scenario(step: int) -> bool:
        playout, loudspeaker = speaking()
        heard: list[ItemHeard] = []
        reached = run_at_every_step(
            lambda: heard.extend(playout.cut(45 * NS_PER_MS)),
            lambda: loudspeaker.take(blocks),
            step,
            file="playout.py",
        )
        assert_exact(heard, loudspeaker, loudspeaker.heard)
        return reached

    assert exhausted(scenario) > 50


def test_an_item_added_right_after_a_cut_at_any_moment_of_a_fill_is_played_whole() -> None:
    def scenario(step: int) -> bool:
        playout, loudspeaker = speaking()

        def cut_and_go_on() -> None:
            playout.cut(45 * NS_PER_MS)
            playout.add("c", tone(3, 700), 45 * NS_PER_MS)
            playout.item_complete("c")

        reached = run_at_every_step(loudspeaker.take, cut_and_go_on, step, file="playout.py")
        after = loudspeaker.take(3)
        heard = loudspeaker.heard
        assert (heard == 3).sum() == 700
        assert not ((after == 1) | (after == 2)).any()
        assert of_kind(playout.progress(), PlaybackEnded)[-1].item_id == "c"
        return reached

    assert exhausted(scenario) > 200


def test_audio_and_the_end_of_an_item_arriving_at_any_moment_of_a_fill_are_played() -> None:
    def scenario(step: int) -> bool:
        playout = Playout()
        loudspeaker = Loudspeaker(playout, 180 * NS_PER_MS)
        playout.add("a", tone(1, 480 + 100), 0)
        loudspeaker.take()

        def rest() -> None:
            playout.add("a", tone(1, 500), 200 * NS_PER_MS)
            playout.item_complete("a")

        reached = run_at_every_step(loudspeaker.take, rest, step, file="playout.py")
        loudspeaker.take(3)
        assert (loudspeaker.heard == 1).sum() == 1080
        assert of_kind(playout.progress(), PlaybackEnded)[0].handed_samples == 1080
        return reached

    assert exhausted(scenario) > 200


def exhausted(scenario: Callable[[int], bool]) -> int:
    """Run a scenario at steps 0, 1, 2, … until there is no further step, and return their number."""
    step = 0
    while scenario(step):
        step += 1
    return step


@pytest.fixture
def restless_threads() -> Iterator[None]:
    """The interpreter changes threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless_threads")
def test_500_cuts_against_a_thread_that_fills_without_pause_are_exact() -> None:
    playout = Playout()
    blocks: list[Samples] = []
    stop = threading.Event()

    def fill() -> None:
        while not stop.is_set():
            out = np.empty(480, dtype=np.int16)
            playout.fill(out, 0, 0)
            if out.any():
                blocks.append(out)

    thread = threading.Thread(target=fill)
    thread.start()
    reported: dict[int, int] = {}
    for value in range(1, 501):
        playout.add(str(value), tone(value, 480 * 40), 0)
        playout.item_complete(str(value))
        while playout.handed_samples(str(value)) < 480 * (value % 7):
            pass
        for item in playout.cut(0):
            reported[int(item.item_id)] = item.handed_samples
    stop.set()
    thread.join()
    values, counts = np.unique(np.concatenate(blocks), return_counts=True)
    played = {int(value): int(count) for value, count in zip(values, counts, strict=True) if value}
    for value in range(1, 501):
        # An item that was played to its end before the cut is not reported.
        assert played.get(value, 0) == reported.get(value, 480 * 40)


@given(st.integers(0, 3000), st.lists(st.integers(0, 6000), max_size=12), st.booleans())
def test_any_split_of_the_audio_into_deltas_gives_the_same_playout(
    samples: int, cuts: list[int], cut_at_bytes: bool
) -> None:
    """Deltas may end within a sample, at an odd byte."""
    voice = np.arange(1, samples + 1, dtype=np.int16)
    wire = samples_to_bytes(voice)
    borders = [0, *sorted(min(cut if cut_at_bytes else 2 * cut, len(wire)) for cut in cuts), len(wire)]
    playout = Playout()
    assembler = SampleAssembler()
    for low, high in itertools.pairwise(borders):
        playout.add("a", assembler.feed(wire[low:high]), 0)
    playout.item_complete("a")
    heard = Loudspeaker(playout).take(8)
    assert heard[:samples].tolist() == voice.tolist()
    assert not heard[samples:].any()


Step = tuple[str, int, int]


@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "complete", "cut", "fill", "fill"]), st.integers(0, 3), st.integers(0, 2000)),
        max_size=60,
    )
)
def test_handed_and_never_heard_are_together_what_was_received(steps: list[Step]) -> None:
    """Whatever the order of events: handed <= received, each item is handed as a prefix, and a cut accounts for all."""
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    received: dict[str, int] = {}
    never_heard: dict[str, int] = {}
    handed: dict[str, int] = {}
    names = [f"item_{number}" for number in range(4)]
    for number, (what, which, amount) in enumerate(steps):
        item_id = names[which]
        if what == "add":
            first = received.get(item_id, 0)
            audio = np.full(amount, which + 1, dtype=np.int16)
            if playout.add(item_id, audio, loudspeaker.next_ns):
                received[item_id] = first + amount
        elif what == "complete":
            playout.item_complete(item_id)
        elif what == "fill":
            loudspeaker.take(1 + amount % 12)
        else:
            for item in playout.cut(loudspeaker.next_ns):
                assert item.received_samples == received[item.item_id]
                assert item.begun == (item.handed_samples > 0)
                never_heard[item.item_id] = item.received_samples - item.handed_samples
            assert not loudspeaker.take().any()
        for event in of_kind(playout.progress(), AudioHanded):
            assert event.first_sample == handed.get(event.item_id, 0)
            handed[event.item_id] = event.first_sample + len(event.samples)
        assert all(handed.get(name, 0) <= received.get(name, 0) for name in names), number
    heard = np.concatenate(loudspeaker.blocks) if loudspeaker.blocks else tone(0, 0)
    for which, name in enumerate(names):
        assert playout.handed_samples(name) == handed.get(name, 0) == (heard == which + 1).sum()
        if name in never_heard:
            assert handed.get(name, 0) + never_heard[name] == received[name]

"""The agent's voice on its way to the output: order, gaps, ends and positions. Times are simulated.

Blocks are taken at 0, 20, 40, … ms; a block is 480 samples; what is handed leaves the device 60 ms later.
"""

import weakref

import numpy as np

from simulator.audio.playout import (
    AudioHanded,
    ItemHeard,
    LastSound,
    PlaybackEnded,
    PlaybackGap,
    PlaybackStarted,
    Playout,
)
from simulator.units import NS_PER_MS
from tests.audio.loudspeaker import Loudspeaker, of_kind, tone

MS = NS_PER_MS


def complete_item(playout: Playout, item_id: str, value: int, samples: int) -> None:
    playout.add(item_id, tone(value, samples), 0)
    playout.item_complete(item_id)


def test_silence_is_handed_before_anything_arrives() -> None:
    loudspeaker = Loudspeaker(Playout())
    assert not loudspeaker.take(2).any()
    assert loudspeaker.playout.progress() == []


def test_a_complete_item_starts_at_once_and_its_end_is_followed_by_silence() -> None:
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    complete_item(playout, "a", 7, 500)
    assert loudspeaker.take(3).tolist() == [7] * 500 + [0] * 940
    events = playout.progress()
    assert of_kind(events, PlaybackStarted) == [PlaybackStarted("a", handed_ns=0, dac_ns=60 * MS)]
    # 20 samples lie in the second block: they have left 60 ms + 20/24 ms after it was asked for at 20 ms.
    assert of_kind(events, PlaybackEnded) == [PlaybackEnded("a", 500, ended_ns=20 * MS, dac_ns=80_833_334)]
    assert of_kind(events, PlaybackGap) == []
    assert playout.progress() == []


def test_an_incomplete_item_starts_180_ms_after_its_first_delta_in_real_time() -> None:
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    playout.add("a", tone(7, 2400), 1 * MS)
    loudspeaker.run_until(101 * MS)
    playout.add("a", tone(7, 2400), 101 * MS)
    loudspeaker.run_until(200 * MS)
    assert not loudspeaker.heard.any()
    assert (loudspeaker.take() == 7).all()


def test_an_item_that_runs_ahead_of_real_time_starts_as_much_earlier() -> None:
    """The second delta came 10 ms after the first, 90 ms early: 180 - 90 = 90 ms after the first is safe."""
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    playout.add("a", tone(7, 2400), 0)
    playout.add("a", tone(7, 2400), 10 * MS)
    loudspeaker.run_until(90 * MS)
    assert not loudspeaker.heard.any()
    assert (loudspeaker.take() == 7).all()


def test_an_item_whose_audio_came_180_ms_ahead_starts_at_once() -> None:
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    for _ in range(3):
        playout.add("a", tone(7, 2400), 0)
    assert (loudspeaker.take() == 7).all()


def test_consecutive_items_follow_without_a_gap() -> None:
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    complete_item(playout, "a", 1, 700)
    complete_item(playout, "b", 2, 10)
    playout.add("c", tone(3, 480), 0)
    heard = loudspeaker.take(3)
    assert heard.tolist() == [1] * 700 + [2] * 10 + [3] * 480 + [0] * 250
    events = [
        (type(event).__name__, event.item_id)
        for event in playout.progress()
        if isinstance(event, PlaybackStarted | PlaybackEnded)
    ]
    assert events == [
        ("PlaybackStarted", "a"),
        ("PlaybackEnded", "a"),
        ("PlaybackStarted", "b"),
        ("PlaybackEnded", "b"),
        ("PlaybackStarted", "c"),
    ]


def test_an_item_that_another_follows_is_taken_to_be_complete() -> None:
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    playout.add("a", tone(1, 480), 0)
    playout.add("b", tone(2, 480), 0)
    assert loudspeaker.take(2).tolist() == [1] * 480 + [2] * 480
    assert of_kind(playout.progress(), PlaybackEnded)[0].item_id == "a"


def test_running_dry_within_an_item_is_a_gap_and_the_same_rule_holds_again() -> None:
    """100 ms are handed from 180 to 280 ms; the next delta comes at 500 ms, so playing goes on at 680 ms."""
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    playout.add("a", tone(7, 2400), 0)
    loudspeaker.run_until(500 * MS)
    playout.add("a", tone(7, 2400), 500 * MS)
    loudspeaker.run_until(800 * MS)
    sounding = np.flatnonzero(loudspeaker.heard)
    expected = [*range(180 * 24, 280 * 24), *range(680 * 24, 780 * 24)]
    assert sounding.tolist() == expected
    assert of_kind(playout.progress(), PlaybackGap) == [PlaybackGap("a", (680 - 280) * 24)]


def test_silence_after_the_last_sample_is_no_gap_when_the_end_is_announced_late() -> None:
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    playout.add("a", tone(7, 2400), 0)
    loudspeaker.run_until(400 * MS)
    assert of_kind(playout.progress(), PlaybackEnded) == []
    playout.item_complete("a")
    events = playout.progress()
    assert of_kind(events, PlaybackEnded) == [PlaybackEnded("a", 2400, ended_ns=260 * MS, dac_ns=340 * MS)]
    complete_item(playout, "b", 8, 480)
    assert (loudspeaker.take() == 8).all()
    assert of_kind(playout.progress(), PlaybackGap) == []


def test_a_cut_is_followed_by_silence_and_says_what_was_handed_of_each_item() -> None:
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    complete_item(playout, "heard", 1, 480)
    complete_item(playout, "speaking", 2, 4800)
    playout.add("queued", tone(3, 2400), 0)
    loudspeaker.take(3)
    assert playout.cut(50 * MS) == [
        ItemHeard("speaking", 4800, 960, begun=True, complete=True),
        ItemHeard("queued", 2400, 0, begun=False, complete=False),
    ]
    assert not loudspeaker.take(20).any()
    assert playout.cut(60 * MS) == []
    assert playout.pending_samples() == 0


def test_the_last_sound_before_a_cut_is_reported_by_block_and_dac_time() -> None:
    """The third block, asked for at 40 ms, ends with 80 zeros: its last sound is sample 400, out 16.67 ms later.

    The fade of 5 ms is counted as well, whether there is one or not."""
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    voice = np.concatenate([tone(5, 480 + 480 + 400), tone(0, 80 + 480), tone(5, 480)])
    playout.add("a", voice, 0)
    playout.item_complete("a")
    loudspeaker.take(4)
    playout.cut(75 * MS)
    loudspeaker.take(1)
    last = of_kind(playout.progress(), LastSound)
    assert last == [LastSound(handed_ns=40 * MS, dac_ns=(40 + 60 + 5) * MS + 16_666_667, block=2, cut_ns=75 * MS)]


def test_a_cut_with_nothing_to_cut_reports_no_last_sound() -> None:
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    complete_item(playout, "a", 1, 480)
    loudspeaker.take(2)
    assert playout.cut(40 * MS) == []
    assert of_kind(playout.progress(), LastSound) == []


def test_an_item_handed_to_its_end_is_not_cut_and_one_still_arriving_is() -> None:
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    complete_item(playout, "ended", 1, 480)
    loudspeaker.take(1)
    assert playout.cut(20 * MS) == []
    playout.add("arriving", tone(1, 480), 0)
    loudspeaker.run_until(300 * MS)
    assert playout.cut(300 * MS) == [ItemHeard("arriving", 480, 480, begun=True, complete=False)]


def test_late_audio_of_a_cut_item_is_refused_and_the_next_item_plays() -> None:
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    assert playout.add("cut", tone(1, 4800), 0)
    playout.cut(0)
    assert not playout.add("cut", tone(1, 4800), 5 * MS)
    assert playout.received_samples("cut") == 4800
    complete_item(playout, "next", 2, 480)
    assert loudspeaker.take(2).tolist() == [2] * 480 + [0] * 480


def test_audio_after_the_end_of_an_item_is_refused() -> None:
    playout = Playout()
    complete_item(playout, "a", 1, 480)
    assert not playout.add("a", tone(1, 480), 0)
    assert playout.received_samples("a") == 480


def test_an_item_of_which_no_audio_came_is_nothing_to_cut() -> None:
    playout = Playout()
    playout.add("empty", tone(0, 0), 0)
    playout.item_complete("empty")
    playout.item_complete("unknown")
    assert playout.cut(0) == []


def test_audible_is_handed_minus_what_the_device_still_holds() -> None:
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    complete_item(playout, "a", 1, 4800)
    loudspeaker.take(4)
    assert playout.handed_samples("a") == 1920
    # Block 0 leaves from 60 to 80 ms, block 1 from 80 to 100 ms, …
    assert playout.audible_samples("a", 59 * MS) == 0
    assert playout.audible_samples("a", 65 * MS) == 5 * 24
    assert playout.audible_samples("a", 90 * MS) == 480 + 10 * 24
    assert playout.audible_samples("a", 90 * MS, latency_ns=20 * MS) == 10 * 24
    assert playout.audible_samples("a", 500 * MS) == 1920
    assert playout.audible_samples("unknown", 500 * MS) == 0
    assert playout.sounding_until_ns() == (60 + 80) * MS
    assert playout.pending_samples() == 4800 - 1920


def test_what_was_handed_is_given_back_for_the_record_in_order() -> None:
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    loudspeaker.take(2)
    voice = np.arange(1, 1001, dtype=np.int16)
    playout.add("a", voice, 0)
    playout.item_complete("a")
    loudspeaker.take(3)
    pieces = of_kind(playout.progress(), AudioHanded)
    assert [(piece.first_sample, piece.output_sample, piece.handed_ns) for piece in pieces] == [
        (0, 960, 40 * MS),
        (480, 1440, 60 * MS),
        (960, 1920, 80 * MS),
    ]
    assert np.concatenate([piece.samples for piece in pieces]).tolist() == voice.tolist()


def test_the_audio_of_items_that_were_cut_or_ended_is_let_go() -> None:
    playout = Playout()
    loudspeaker = Loudspeaker(playout)
    ended, never_heard = tone(1, 480), tone(2, 100_000)
    alive = [weakref.ref(ended), weakref.ref(never_heard)]
    playout.add("ended", ended, 0)
    playout.item_complete("ended")
    playout.add("never_heard", never_heard, 0)
    del ended, never_heard
    loudspeaker.take(1)
    assert [item.handed_samples for item in playout.cut(0)] == [0]
    # The last ten seconds of what was handed are kept, to tell what is audible.
    for number in range(600):
        complete_item(playout, f"filler_{number}", 3, 480)
    loudspeaker.take(600)
    playout.progress()
    assert [reference() for reference in alive] == [None, None]
    assert playout.received_samples("never_heard") == 100_000
    assert playout.handed_samples("ended") == 480


def test_a_voice_that_was_interrupted_rises_where_it_goes_on_and_is_joined_to_nothing() -> None:
    playout = Playout()
    playout.add("a", np.full(960, 1000, dtype=np.int16), 0)
    playout.item_complete("a")
    block = np.zeros(480, dtype=np.int16)
    playout.interrupted()
    assert not playout.fill(block, 0, 0).resumes  # it begins
    playout.interrupted()
    assert playout.fill(block, 0, 0).resumes
    first, second = (event for event in playout.progress() if isinstance(event, AudioHanded))
    assert (second.first_sample, second.samples[0]) == (480, 1000)
    assert second.output_sample > first.output_sample + 480

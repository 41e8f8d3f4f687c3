"""Turn-taking of conversations written by hand, with values worked out by hand. Times are ms."""

import pytest

from simulator.record.floor import Floor, Shares, Spurt, floor, spurts

MS = 1_000_000


def talk(*spans: tuple[int, int]) -> list[Spurt]:
    return [Spurt(start * MS, end * MS) for start, end in spans]


def transfers(measured: Floor) -> list[tuple[str, float, float]]:
    return [(each.to, each.offset_ms, each.overlap_ms) for each in measured.transfers]


def test_a_gap_and_an_overlap_at_transfers() -> None:
    measured = floor(talk((0, 1_000), (1_900, 3_000)), talk((1_200, 2_000)))
    assert transfers(measured) == [("agent", 200, 0), ("participant", -100, 100)]
    assert [each.offset_ms for each in measured.responses] == [200]
    assert [each.yield_ms for each in measured.interruptions] == [100]
    assert measured.shares == Shares(participant_ms=2_000, agent_ms=700, both_ms=100, silence_ms=200)
    assert measured.shares.total_ms == 3_000


def test_a_word_of_the_agent_within_the_participants_talk_takes_no_floor() -> None:
    measured = floor(talk((0, 5_000)), talk((2_000, 2_300)))
    assert (measured.transfers, measured.interruptions, measured.silences) == ((), (), ())
    assert measured.shares == Shares(participant_ms=4_700, both_ms=300)


def test_an_agent_that_talks_on_does_not_yield() -> None:
    measured = floor(talk((2_000, 2_300)), talk((0, 5_000)))
    assert transfers(measured) == []
    assert [each.yield_ms for each in measured.interruptions] == [None]


def test_a_short_word_to_which_the_agent_yields_takes_the_floor() -> None:
    measured = floor(talk((5_000, 5_400)), talk((0, 5_600), (6_500, 7_000)))
    assert transfers(measured) == [("participant", -600, 400), ("agent", 1_100, 0)]
    assert [each.yield_ms for each in measured.interruptions] == [600]
    assert [(each.length_ms, each.kind) for each in measured.silences] == [(900, "pause")]


@pytest.mark.parametrize(("agent_ends", "yielded"), [(6_400, 1_400), (6_401, None)])
def test_the_agent_yields_up_to_a_second_after_the_participant_ended(agent_ends: int, yielded: int | None) -> None:
    measured = floor(talk((5_000, 5_400)), talk((0, agent_ends)))
    assert [each.yield_ms for each in measured.interruptions] == [yielded]


def test_a_reply_that_begins_before_the_participant_ended_is_no_response_latency() -> None:
    measured = floor(talk((0, 1_000)), talk((900, 2_000)))
    assert transfers(measured) == [("agent", -100, 100)]
    assert measured.responses == ()
    assert measured.interruptions == ()


def test_silences_are_gaps_between_speakers_and_pauses_within_one() -> None:
    measured = floor(talk((0, 1_000), (1_300, 2_000)), talk((2_500, 3_000), (3_400, 4_000)))
    assert [(each.started_ns, each.length_ms, each.kind) for each in measured.silences] == [
        (1_000 * MS, 300, "pause"),
        (2_000 * MS, 500, "gap"),
        (3_000 * MS, 400, "pause"),
    ]
    assert transfers(measured) == [("agent", 500, 0)]


def test_nobody_talked() -> None:
    assert floor([], []) == Floor((), (), (), Shares())


def test_short_pauses_are_joined_and_clicks_left_out() -> None:
    found = spurts([(0, 100 * MS), (299 * MS, 400 * MS), (600 * MS, 700 * MS), (2_000 * MS, 2_049 * MS)])
    assert found == talk((0, 400), (600, 700))


def test_what_was_said_while_nobody_listened_is_cut_out() -> None:
    off = [(500 * MS, 1_500 * MS), (3_000 * MS, 4_000 * MS)]
    spans = [(0, 2_000 * MS), (3_100 * MS, 3_900 * MS), (5_000 * MS, 6_000 * MS)]
    assert spurts(spans, off) == talk((0, 500), (1_500, 2_000), (5_000, 6_000))

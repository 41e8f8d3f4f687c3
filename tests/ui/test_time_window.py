"""Following, freezing, zooming and scrolling: what is on screen at which moment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.units import NS_PER_MS, NS_PER_S
from ui.widgets.time_window import SHORTEST_NS, TimeWindow, clock_text, span_text

S = NS_PER_S


def _window(now_s: float) -> TimeWindow:
    """1,000 pixels, 10 s: 10 ms a pixel."""
    return TimeWindow(width_px=1000, span_ns=10 * S, now_ns=round(now_s * S))


def test_a_young_session_begins_at_the_left_edge() -> None:
    window = _window(3)
    assert window.left_ns == 0
    assert window.x(3 * S) == 300


def test_following_keeps_the_present_at_its_place() -> None:
    window = _window(60)
    assert window.x(60 * S) == pytest.approx(960)
    window.now_ns = 61 * S
    assert window.x(61 * S) == pytest.approx(960)
    assert window.left_ns == round(51.4 * S)


def test_scrolling_back_ends_following_and_follow_returns_to_the_present() -> None:
    window = _window(60)
    window.scroll_by(-100)
    assert not window.following
    assert window.left_ns == round(49.4 * S)
    window.now_ns = 70 * S
    assert window.left_ns == round(49.4 * S), "the picture stays while the session goes on"
    window.follow()
    assert window.x(70 * S) == pytest.approx(960)


def test_a_frozen_picture_stands_still_and_nothing_is_lost() -> None:
    window = _window(60)
    window.freeze()
    left = window.left_ns
    window.now_ns = 75 * S
    assert (window.left_ns, window.present_ns, window.frozen) == (left, 60 * S, True)
    window.scroll_by(-200)
    assert window.frozen, "looking around does not thaw the picture"
    window.follow()
    assert (window.frozen, window.present_ns) == (False, 75 * S)


def test_scrolling_ends_at_the_start_and_at_the_present() -> None:
    window = _window(60)
    window.scroll_to(-5 * S)
    assert window.left_ns == 0
    window.scroll_to(500 * S)
    assert window.left_ns == round(50.4 * S)


def test_zooming_keeps_the_time_under_the_pointer() -> None:
    window = _window(60)
    window.scroll_to(20 * S)
    assert window.t_ns(250) == round(22.5 * S)
    window.zoom(0.5, 250)
    assert window.span_ns == 5 * S
    assert window.t_ns(250) == pytest.approx(22.5 * S, abs=5 * NS_PER_MS)


def test_zooming_while_following_keeps_the_present_in_view() -> None:
    window = _window(60)
    window.zoom(0.1, 10)
    assert window.following
    assert window.x(60 * S) == pytest.approx(960)


def test_zoom_steps_are_round_and_end() -> None:
    window = _window(60)
    widths = []
    for _ in range(12):
        window.step_in()
        widths.append(window.span_ns / S)
    assert widths[:5] == [5, 2, 1, 0.5, 0.2]
    assert window.span_ns == SHORTEST_NS
    for _ in range(30):
        window.step_out()
    assert window.span_ns == 3600 * S


def test_the_whole_of_a_long_session_can_be_shown() -> None:
    window = _window(3 * 3600)
    for _ in range(30):
        window.step_out()
    assert window.span_ns == 3 * 3600 * S


def test_showing_a_time_moves_only_where_it_is_out_of_sight() -> None:
    window = _window(60)
    left = window.left_ns
    window.show(55 * S)
    assert window.left_ns == left
    assert window.following
    window.show(12 * S)
    assert window.left_ns == 7 * S
    assert window.x(12 * S) == 500


@pytest.mark.parametrize(("seconds", "shown"), [(0.02, 1), (3, 5), (14, 20), (45, 60), (300, 60)])
def test_a_finished_session_is_fitted_up_to_a_minute(seconds: float, shown: int) -> None:
    window = _window(seconds)
    window.fit(round(seconds * S))
    assert (window.left_ns, window.span_ns) == (0, shown * S)


def test_ticks_are_round_times_far_enough_apart() -> None:
    window = _window(60)
    window.scroll_to(round(20.3 * S))
    assert window.ticks(90)[:3] == [(21 * S, 70.0), (22 * S, 170.0), (23 * S, 270.0)]


@given(now=st.integers(0, 4 * 3600 * S), moves=st.lists(st.tuples(st.sampled_from("szfzc"), st.floats(-2000, 2000))))
def test_no_move_loses_the_session(now: int, moves: list[tuple[str, float]]) -> None:
    window = TimeWindow(width_px=800, now_ns=now)
    for move, amount in moves:
        match move:
            case "s":
                window.scroll_by(amount)
            case "z":
                window.zoom(1 + abs(amount) / 1000 if amount > 0 else 1 / (1 - amount / 1000), 400)
            case "f":
                window.follow()
            case _:
                window.freeze()
        assert 0 <= window.left_ns <= max(window.present_ns, 1)
        assert SHORTEST_NS <= window.span_ns <= max(now, 3600 * S)
        column = window.x(window.left_ns)
        assert abs(column) < 1


@pytest.mark.parametrize(
    ("t_ms", "step_ms", "text"),
    [(0, 1000, "00:00"), (12_480, 1, "00:12.480"), (62_500, 100, "01:02.5"), (3_723_040, 10, "1:02:03.04")],
)
def test_clock(t_ms: int, step_ms: int, text: str) -> None:
    assert clock_text(t_ms * NS_PER_MS, step_ms * NS_PER_MS) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "200 ms"),
        (1, "1 s"),
        (10, "10 s"),
        (8.34, "8.3 s"),
        (60, "1 min"),
        (90, "90 s"),
        (150, "2.5 min"),
        (3600, "1 h"),
    ],
)
def test_span(seconds: float, text: str) -> None:
    assert span_text(round(seconds * S)) == text

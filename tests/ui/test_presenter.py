"""The presenter view: one key, the same session in large type, and back to the window as it was."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSplitter

from simulator.participant.messages import Lane
from simulator.record.entries import Direction, Entry
from simulator.units import NS_PER_MS, NS_PER_S
from tests.ui.synthetic import SyntheticSession
from tests.ui.window_rig import WindowRig, wait_until
from ui.models.speaking import Speaking, problem_line, speaking_at
from ui.record_view import RecordView
from ui.session_feed import SessionFeed
from ui.theme import Theme
from ui.widgets.time_window import TimeWindow
from ui.widgets.timeline_canvas import TimelineCanvas


def view_of(*entries: tuple[float, Direction, str, dict[str, object]]) -> RecordView:
    """Return a record of events at these milliseconds, in which the participant is loud from 1 to 2 s."""
    view = RecordView()
    view.add(
        Entry(seq, round(at_ms * NS_PER_MS), direction, kind, {"type": kind, **event}, 10)
        for seq, (at_ms, direction, kind, event) in enumerate(entries)
    )
    loud = np.full(24_000 // 64, 40, dtype=np.int8)
    view.lanes[Lane.PARTICIPANT].place_peaks(24_000, -loud, loud)
    return view


def test_who_speaks_is_told_of_any_moment_of_a_record() -> None:
    view = view_of(
        (1_200, Direction.RECEIVED, "input_audio_buffer.speech_started", {"item_id": "a", "audio_start_ms": 1_000}),
        (2_500, Direction.RECEIVED, "input_audio_buffer.speech_stopped", {"item_id": "a", "audio_end_ms": 2_000}),
        (2_600, Direction.RECEIVED, "response.created", {"response": {"id": "r", "status": "in_progress"}}),
        (3_000, Direction.NOTED, "playback.started", {"item_id": "b", "response_id": "r", "handed_ns": 3 * NS_PER_S}),
        (3_500, Direction.RECEIVED, "response.done", {"response": {"id": "r", "status": "completed"}}),
        (4_000, Direction.NOTED, "listening.off", {}),
    )

    def at(t_ms: int) -> Speaking:
        return speaking_at(view, t_ms * NS_PER_MS)

    assert at(500) == Speaking()
    assert at(1_100) == Speaking(participant=True)  # nobody noticed yet
    assert at(1_500) == Speaking(participant=True, heard=True)
    assert at(2_400) == Speaking(heard=True)
    assert at(2_700) == Speaking(replying=True)
    assert at(3_100) == Speaking(agent=True, replying=True)
    assert at(3_900) == Speaking(agent=True)
    assert at(4_100) == Speaking(agent=True, listening=False)


def test_the_last_problem_is_a_line_with_its_time() -> None:
    violation: dict[str, object] = {"clause": "response.cancelled", "sentence": "The reply went on."}
    assert problem_line(view_of()) == ""
    one = view_of((41_200, Direction.NOTED, "violation", violation))
    assert problem_line(one) == "00:00:41 violation response.cancelled: The reply went on."


def sizes(rig: WindowRig) -> list[list[int]]:
    """Return what the splitters that are on screen give to their parts."""
    window = rig.window
    return [each.sizes() for each in window.findChildren(QSplitter) if each.isVisible()]


def press(rig: WindowRig, key: Qt.Key) -> None:
    QTest.keyClick(rig.window, key)


@pytest.fixture
def presenting(rig: WindowRig) -> WindowRig:
    """A session in the presenter view."""
    rig.connect_session()
    wait_until(lambda: rig.checks.model.checks)
    press(rig, Qt.Key.Key_F11)
    assert rig.window.presenting.on
    return rig


def test_f11_shows_timeline_and_checks_alone_and_larger_and_comes_back_exactly(rig: WindowRig) -> None:
    window = rig.window
    window.tabs.setCurrentWidget(window.transcript)
    for splitter in window.findChildren(QSplitter):
        if splitter.isVisible():
            splitter.setSizes([size + 30 * (-1) ** place for place, size in enumerate(splitter.sizes())])
    before, text_px = sizes(rig), window.connection.state_label.fontMetrics().height()
    press(rig, Qt.Key.Key_F11)
    assert window.isFullScreen()
    bar, checks = window.presenting.bar, window.presenting.checks
    operators = (window.connection, window.study, window.agent, window.tabs)
    assert all(part.isVisible() for part in (bar, checks, window.timeline.canvas))
    assert not any(part.isVisible() for part in operators)
    assert window.menuBar().height() == 0
    assert bar.participant.fontMetrics().height() > text_px
    press(rig, Qt.Key.Key_F11)
    assert not window.isFullScreen()
    assert all(part.isVisible() for part in operators)
    assert not any(part.isVisible() for part in (bar, checks))
    assert window.tabs.currentWidget() is window.transcript
    wait_until(lambda: sizes(rig) == before)
    assert window.menuBar().height() > 0


def test_the_operator_still_drives_everything_by_keys(presenting: WindowRig) -> None:
    rig, bar = presenting, presenting.window.presenting.bar
    assert (bar.state.text(), bar.engine.text()) == ("● connected", "embedded")
    press(rig, Qt.Key.Key_Space)
    wait_until(lambda: rig.feed.status.talking)
    press(rig, Qt.Key.Key_L)
    wait_until(lambda: bar.listening.text() == "LISTENING OFF")
    press(rig, Qt.Key.Key_M)
    wait_until(lambda: bar.participant.text() == "PARTICIPANT MUTED")
    press(rig, Qt.Key.Key_F9)
    wait_until(lambda: bar.checks.text() == "checks  ✓ 1   ✕ 1   ? 1")
    failed = "✕  barge_in · server_vad failed  response.done came 1,900 ms after speech_started."
    assert bar.problem.text() == failed
    press(rig, Qt.Key.Key_F5)
    wait_until(lambda: bar.state.text() == "○ not connected")
    assert rig.window.presenting.on


def test_a_key_that_needs_a_hidden_panel_leads_back_to_it(presenting: WindowRig) -> None:
    press(presenting, Qt.Key.Key_Slash)
    window = presenting.window
    assert not window.presenting.on
    assert window.tabs.currentWidget() is window.log
    wait_until(lambda: QApplication.focusWidget() is window.log.filter_field)


def test_the_record_of_a_check_is_presented_at_its_cursor(presenting: WindowRig) -> None:
    window, bar = presenting.window, presenting.window.presenting.bar
    press(presenting, Qt.Key.Key_F9)
    wait_until(lambda: not presenting.checks.running)
    table = window.presenting.checks.tables[1]
    table.itemClicked.emit(table.item(0, 1))
    wait_until(window.banner.isVisible)
    assert (bar.state.text(), bar.engine.text()) == ("■ saved record", "F7 plays")
    assert bar.problem.text().startswith("✕  00:00:00 error")
    assert bar.count.text() == "⚠ 1"
    press(presenting, Qt.Key.Key_F8)
    assert bar.state.text() == "● connected"


def test_closing_in_this_view_is_nothing_that_the_next_start_shows(theme: Theme, tmp_path: Path) -> None:
    first = WindowRig(theme, tmp_path)
    first.start()
    before = sizes(first)
    press(first, Qt.Key.Key_F11)
    first.close()
    second = WindowRig(theme, tmp_path)
    second.start()
    assert not second.window.isFullScreen()
    assert not second.window.presenting.on
    wait_until(lambda: sizes(second) == before)
    second.close()


def test_an_enlarged_timeline_shows_the_same_time_and_is_clicked_where_it_is_drawn(theme: Theme) -> None:
    session, feed, window = SyntheticSession(3), SessionFeed(), TimeWindow()
    feed.take(session.messages(0, session.duration_ns))
    canvas = TimelineCanvas(theme, window)
    canvas.set_source(feed.view.measures, feed.view.lanes)
    window.now_ns = session.duration_ns
    canvas.resize(1920, 560)
    canvas.grab()
    span_ns = window.span_ns
    clicked: list[int] = []
    canvas.mark_clicked.connect(clicked.append)
    canvas.set_scale(2.5)
    canvas.grab()
    assert window.span_ns == span_ns
    mark = next(mark for mark in canvas.marks if "response" in mark.tip)
    place = canvas.place_of(mark)
    assert place.y() == pytest.approx(2.5 * mark.rect.center().y())
    assert canvas.mark_at(place) is mark
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert clicked == [mark.seq]

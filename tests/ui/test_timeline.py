"""The timeline: what is drawn of a session, what can be clicked, and how it moves."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from simulator.audio.peaks import PeakPyramid
from simulator.participant.messages import Lane
from simulator.record.entries import AudioSpan, Direction, Entry, Track
from simulator.record.measures import AgentSpan, BargeIn, Measures, ResponseSpan
from simulator.units import NS_PER_MS, NS_PER_S, SAMPLE_RATE_HZ
from ui.panels.timeline import TimelinePanel
from ui.theme import Theme
from ui.widgets.agent_lane import barge_in_text, barge_in_tip, never_heard_spans
from ui.widgets.drawing import Mark, short_id
from ui.widgets.lanes import ResponseRows
from ui.widgets.waveform import TILE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable

MS = NS_PER_MS
S = NS_PER_S


class Session:
    """A record being made, shown in a timeline of 10 s."""

    def __init__(self, theme: Theme) -> None:
        self.measures = Measures()
        self.lanes: dict[str, PeakPyramid] = {lane.value: PeakPyramid() for lane in Lane}
        self.panel = TimelinePanel(theme)
        self.panel.set_source(self.measures, self.lanes)
        self.panel.resize(1200, 340)
        self.panel.show()
        assert QTest.qWaitForWindowExposed(self.panel)
        self.chosen: list[int] = []
        self.panel.mark_clicked.connect(self.chosen.append)
        self._seq = 0

    def feed(self, at_ms: float, direction: Direction, kind: str, audio: AudioSpan | None = None, **event: Any) -> int:
        self.measures.feed(Entry(self._seq, round(at_ms * MS), direction, kind, event, 0, audio))
        self._seq += 1
        return self._seq - 1

    def received(self, at_ms: float, kind: str, **event: Any) -> int:
        return self.feed(at_ms, Direction.RECEIVED, kind, **event)

    def noted(self, at_ms: float, kind: str, **event: Any) -> int:
        return self.feed(at_ms, Direction.NOTED, kind, **event)

    def voice(self, lane: Lane, from_ms: float, until_ms: float) -> None:
        first, last = (round(ms * SAMPLE_RATE_HZ / 1000) // 64 for ms in (from_ms, until_ms))
        loud = np.full(last - first, 90, dtype=np.int8)
        self.lanes[lane.value].place_peaks(first * 64, -loud, loud)

    def now(self, at_ms: float) -> None:
        self.panel.set_now(round(at_ms * MS))
        self.panel.canvas.repaint()

    def mark(self, start: str) -> Mark:
        """The one mark whose tool tip starts so."""
        found = [mark for mark in self.panel.canvas.marks if mark.tip.startswith(start)]
        assert len(found) == 1, [mark.tip for mark in self.panel.canvas.marks]
        return found[0]

    def click(self, mark: Mark) -> None:
        place = self.panel.canvas.place_of(mark).toPoint()
        QTest.mouseClick(self.panel.canvas, Qt.MouseButton.LeftButton, pos=place)

    def has_ink(self, role: str, mark: Mark) -> bool:
        """Whether any pixel of a colour lies in the marked area."""
        canvas = self.panel.canvas
        shift = canvas.place_of(mark) - mark.rect.center()
        area = mark.rect.translated(shift).toRect().intersected(canvas.rect())
        image = canvas.grab(area).toImage()
        ink = QColor(getattr(canvas._theme.colours, role)).rgb()
        return any(image.pixel(x, y) == ink for x in range(image.width()) for y in range(image.height()))


@pytest.fixture
def session(theme: Theme) -> Session:
    return Session(theme)


def _cut(session: Session) -> int:
    """A reply that begins to be heard at 1 s and is cut at 3 s, with 5 s received; returns the seq of the barge-in."""
    session.received(900, "response.created", response={"id": "resp_1"})
    span = AudioSpan(Track.AGENT, 0, 5 * SAMPLE_RATE_HZ, 10 * SAMPLE_RATE_HZ)
    session.received(950, "response.output_audio.delta", item_id="item_2", response_id="resp_1", audio=span)
    session.noted(1000, "playback.started", item_id="item_2", handed_ns=1000 * MS)
    session.received(3000, "input_audio_buffer.speech_started", item_id="item_3", audio_start_ms=2800)
    session.noted(
        3001,
        "playback.cut",
        item_id="item_2",
        handed_samples=2 * SAMPLE_RATE_HZ,
        received_samples=5 * SAMPLE_RATE_HZ,
        begun=True,
        cut_ns=3000 * MS,
    )
    seq = session.noted(
        3060,
        "barge_in",
        received_ns=3000 * MS,
        cut_ns=3000 * MS,
        last_sound_handed_ns=3012 * MS,
        inaudible_ns=3142 * MS,
        dac_source="outputBufferDacTime",
        item_id="item_2",
    )
    details = {"type": "cancelled", "reason": "turn_detected"}
    session.received(3040, "response.done", response={"id": "resp_1", "status": "cancelled", "status_details": details})
    return seq


def test_an_empty_timeline_says_what_to_do(session: Session) -> None:
    session.panel.canvas.repaint()
    assert session.panel.canvas.marks == []
    assert "Connect (F5)" in session.panel.canvas.empty_text


def test_heard_is_solid_and_never_heard_is_hollow_and_as_long_as_what_is_missing(session: Session) -> None:
    _cut(session)
    session.voice(Lane.AGENT, 1000, 3000)
    session.now(8000)
    heard, hollow = session.mark("agent heard: item_2"), session.mark("received, never heard: item_2")
    assert "3 s of 5 s received" in hollow.tip
    # 10 s over the width of the lanes.
    px_per_s = session.panel.canvas._window.width_px / 10
    assert heard.rect.width() == pytest.approx(2 * px_per_s, abs=1.5)
    assert hollow.rect.width() == pytest.approx(3 * px_per_s, abs=1.5)
    assert hollow.rect.left() == pytest.approx(heard.rect.right(), abs=1.5)
    assert session.has_ink("agent_fill", heard)
    assert not session.has_ink("agent_fill", Mark(hollow.rect.adjusted(8, 4, -8, -40), 0, 0, str))


def test_what_was_never_heard_ends_where_the_next_reply_begins_and_says_how_long_it_was(session: Session) -> None:
    _cut(session)
    session.noted(4000, "playback.started", item_id="item_4", handed_ns=4000 * MS)
    session.now(8000)
    px_per_s = session.panel.canvas._window.width_px / 10
    hollow, following = session.mark("received, never heard: item_2"), session.mark("agent heard: item_4")
    assert hollow.rect.width() == pytest.approx(px_per_s, abs=1.5)
    assert hollow.rect.right() == pytest.approx(following.rect.left(), abs=1.5)
    assert "3 s of 5 s received" in hollow.tip


def test_the_name_of_a_push_is_whole_at_the_left_edge_and_gone_with_its_mark(session: Session) -> None:
    window = session.panel.canvas._window
    session.noted(5000, "push", context={"event": "participants"})
    session.now(20_000)
    window.scroll_to(5 * S)
    session.panel.canvas.repaint()
    mark = session.mark("study: participants")  # its triangle is cut, its name begins at the edge
    assert mark.rect.left() == -6
    assert mark.rect.right() == session.panel.canvas._metrics.horizontalAdvance("participants")
    window.scroll_to(5 * S + round(6 * window.ns_per_px))
    session.panel.canvas.repaint()
    assert not [each for each in session.panel.canvas.marks if each.tip.startswith("study: participants")]


def test_items_queued_behind_the_cut_one_lie_behind_it() -> None:
    cut_ns = 3 * S
    spans = [
        AgentSpan("item_2", S, cut_ns, 48_000, 72_000, True, 1),
        AgentSpan("item_4", cut_ns, cut_ns, 0, 24_000, True, 2),
        AgentSpan("item_6", 20 * S, 21 * S, 24_000, 24_000, False, 3),
    ]
    placed = [(span.item_id, start, end) for span, start, end in never_heard_spans(spans)]
    assert placed == [("item_2", 3 * S, 4 * S), ("item_4", 4 * S, 5 * S)]


def test_the_interval_of_a_barge_in_is_written_at_it(session: Session) -> None:
    seq = _cut(session)
    session.now(6000)
    mark = session.mark("barge-in")
    assert mark.seq == seq
    assert barge_in_text(session.measures.barge_ins[0]) == "✕ output silent in 142 ms"
    assert "speech_started read from the socket at 00:03.000" in mark.tip
    assert "last sound handed to the device at 00:03.012: 12.0 ms" in mark.tip
    assert "silence at the output at 00:03.142: 142.0 ms (outputBufferDacTime)" in mark.tip


def test_sound_that_had_ended_before_took_no_time_to_stop() -> None:
    barge_in = BargeIn(3 * S, 3 * S, 2 * S, None, None, None, 1)
    assert barge_in_text(barge_in) == "✕ output silent in <1 ms"
    assert "silence at the output" not in barge_in_tip(barge_in)


def test_pushes_of_one_moment_are_one_mark_that_names_them_all(session: Session) -> None:
    session.noted(1000, "push", context={"event": "participants"})
    session.noted(1001, "push", context={"event": "screen"})
    session.noted(3000, "push", context={"event": "timer"})
    session.now(6000)
    session.panel.canvas.repaint()
    marks = [mark.tip for mark in session.panel.canvas.marks if mark.tip.startswith("study")]
    assert marks == [
        "study: participants\nat 00:01.000\nstudy: screen\nat 00:01.001",
        "study: timer\nat 00:03.000",
    ]


def test_a_mark_is_a_flag_with_its_note_and_leads_to_its_entry(session: Session) -> None:
    seq = session.noted(2_000, "mark", note="")
    session.noted(2_900, "mark.note", mark=seq, note="she\nlaughs")
    session.now(4_000)
    mark = session.mark("mark: she laughs")
    assert mark.tip == "mark: she laughs\nat 00:02.000"
    session.click(mark)
    assert session.chosen == [seq]


def test_notes_of_marks_close_together_leave_each_flag_to_be_chosen(session: Session) -> None:
    first = session.noted(2_000, "mark", note="a note of some length")
    second = session.noted(2_300, "mark", note="close by")
    session.now(4_000)
    flags = [session.mark("mark: a note"), session.mark("mark: close by")]
    assert not flags[0].rect.intersects(flags[1].rect)
    for flag in flags:
        session.click(flag)
    assert session.chosen == [first, second]


def test_a_response_says_its_status_and_reason(session: Session) -> None:
    _cut(session)
    session.now(6000)
    assert "cancelled (turn_detected)" in session.mark("response resp_1").tip


def test_a_response_beside_another_lies_in_the_second_row() -> None:
    rows = ResponseRows()
    first = ResponseSpan("resp_1", 1 * S, None, None, None, 1)
    beside = ResponseSpan("resp_2", 2 * S, 3 * S, "completed", None, 2)
    assert rows.update([first, beside]) == [0, 1]
    done = ResponseSpan("resp_1", 1 * S, 4 * S, "completed", None, 1)
    later = ResponseSpan("resp_3", 5 * S, None, None, None, 3)
    assert rows.update([done, beside, later]) == [0, 1, 0]


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("agent heard", "playback.started"),
        ("speech heard", "input_audio_buffer.speech_started"),
        ("barge-in", "barge_in"),
    ],
)
def test_a_click_on_a_mark_names_its_entry(session: Session, start: str, expected: str) -> None:
    kinds = {_cut(session): "barge_in", 2: "playback.started", 3: "input_audio_buffer.speech_started"}
    session.now(8000)
    mark = session.mark(start)
    if start == "speech heard":  # the barge-in covers its beginning
        mark = Mark(mark.rect.adjusted(300, 0, 0, 0), mark.seq, mark.t_ns, mark.say)
    session.click(mark)
    assert [kinds[seq] for seq in session.chosen] == [expected]
    assert session.panel.canvas.cursor_ns == mark.t_ns


def test_pushes_close_together_have_labels_that_do_not_overlap(session: Session) -> None:
    for at_ms, event in ((1000, "screen"), (1150, "question"), (1300, "timer"), (1450, "revealed"), (6000, "paused")):
        session.noted(at_ms, "push", context={"event": event})
    session.now(8000)
    labels = [mark.rect for mark in session.panel.canvas.marks]
    assert len(labels) == 5
    texts = [rect for rect in labels if rect.width() > 12]
    assert len(texts) == 3, "two rows for the first two, none for the next two, and the last stands alone"


def test_listening_off_is_hatched_over_the_participant_only(session: Session) -> None:
    session.noted(2000, "listening.off", in_speech=True)
    session.noted(5000, "listening.on")
    session.now(8000)
    canvas = session.panel.canvas
    image = canvas.grab().toImage()
    ground = QColor(canvas._theme.colours.sunken).rgb()
    scale = canvas._window.width_px / 10_000
    left = canvas.width() - canvas._window.width_px

    def plain(at_ms: float, y: int) -> int:
        """How many of 20 pixels from a time on are bare ground."""
        return sum(image.pixel(int(left + at_ms * scale) + dx, y) == ground for dx in range(20))

    assert plain(1200, 40) == 20
    assert plain(2300, 40) == 0
    assert plain(5300, 40) == 20
    assert plain(2300, canvas.height() - 10) == 20


def test_follow_and_freeze_by_their_keys(session: Session, application: QApplication) -> None:
    _cut(session)
    session.now(60_000)
    panel = session.panel
    shown = panel.window_ns
    panel.freeze_action.trigger()
    session.now(66_500)
    assert panel.window_ns == shown
    assert panel._note.text() == "frozen at 01:00.000, 6 s more recorded"
    assert panel.freeze_action.shortcut().toString() == "Z"
    assert panel.follow_action.shortcut().toString() == "F"
    panel.follow_action.trigger()
    assert panel.window_ns[0] - shown[0] == pytest.approx(6_500 * MS, abs=20 * MS)
    assert (panel.follow_action.isChecked(), panel.freeze_action.isChecked()) == (True, False)


def test_what_came_while_frozen_is_not_drawn_until_following(session: Session) -> None:
    session.now(4000)
    session.panel.freeze_action.trigger()
    session.noted(5000, "push", context={"event": "timer"})
    session.now(6000)
    session.panel.canvas.repaint()
    assert session.panel.canvas.marks == []
    session.panel.freeze_action.trigger()
    session.panel.canvas.repaint()
    assert session.mark("study: timer").t_ns == 5 * S


def test_the_keyboard_reaches_the_whole_session(session: Session) -> None:
    _cut(session)
    session.now(60_000)
    canvas = session.panel.canvas
    QTest.keyClick(canvas, Qt.Key.Key_Home)
    assert session.panel.window_ns[0] == 0
    canvas.repaint()
    canvas.select(0)
    QTest.keyClick(canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert canvas.cursor_ns == 900 * MS
    assert session.chosen == [0]
    QTest.keyClick(canvas, Qt.Key.Key_Plus)
    assert session.panel._window.span_ns == 5 * S
    QTest.keyClick(canvas, Qt.Key.Key_Minus)
    QTest.keyClick(canvas, Qt.Key.Key_Minus)
    assert session.panel._width_text.text() == "◀ 20 s ▶"
    QTest.keyClick(canvas, Qt.Key.Key_PageDown)
    assert session.panel.window_ns[0] == pytest.approx(18 * S, abs=40 * MS)
    QTest.keyClick(canvas, Qt.Key.Key_End)
    assert session.panel.window_ns[1] > 60 * S


def test_dragging_moves_the_session_under_the_pointer(session: Session) -> None:
    session.now(60_000)
    canvas = session.panel.canvas
    canvas.repaint()
    left_ns = session.panel.window_ns[0]
    start, end = QPoint(600, 60), QPoint(700, 60)
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(canvas, end)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=end)
    assert left_ns - session.panel.window_ns[0] == pytest.approx(100 * session.panel._window.ns_per_px, abs=20 * MS)
    assert not session.panel.follow_action.isChecked()


def _wheel(session: Session, at: QPointF, turns: int, modifiers: Qt.KeyboardModifier) -> None:
    canvas = session.panel.canvas
    event = QWheelEvent(
        at,
        QPointF(canvas.mapToGlobal(at.toPoint())),
        QPoint(),
        QPoint(0, 120 * turns),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas, event)


def test_the_wheel_scrolls_and_with_ctrl_zooms_at_the_pointer(session: Session) -> None:
    session.now(60_000)
    window = session.panel._window
    at = QPointF(500, 60)
    _wheel(session, at, 1, Qt.KeyboardModifier.NoModifier)
    assert not window.following
    x = 500 - (session.panel.canvas.width() - window.width_px)
    under_pointer = window.t_ns(x)
    _wheel(session, at, 1, Qt.KeyboardModifier.ControlModifier)
    assert window.span_ns == 8 * S
    assert window.t_ns(x) == pytest.approx(under_pointer, abs=20 * MS)


def test_scrolling_forward_to_the_present_follows_again(session: Session) -> None:
    session.now(60_000)
    _wheel(session, QPointF(500, 60), 3, Qt.KeyboardModifier.NoModifier)
    assert not session.panel.follow_action.isChecked()
    _wheel(session, QPointF(500, 60), -9, Qt.KeyboardModifier.NoModifier)
    assert session.panel.follow_action.isChecked()


def test_selecting_a_row_of_the_log_moves_the_timeline(session: Session) -> None:
    session.now(60_000)
    session.panel.show_time(20 * S)
    first, last = session.panel.window_ns
    assert first < 20 * S < last
    assert session.panel.canvas.cursor_ns == 20 * S
    assert not session.panel.follow_action.isChecked()


def test_a_finished_record_is_shown_from_its_beginning(session: Session) -> None:
    session.panel.set_source(session.measures, session.lanes, ended_ns=45 * S)
    assert session.panel.window_ns == (0, 60 * S)
    assert not session.panel.follow_action.isChecked()
    session.panel.set_source(session.measures, session.lanes)
    assert session.panel.window_ns == (0, 10 * S), "back at the live session, with its zoom"
    assert session.panel.follow_action.isChecked()


def test_a_hidden_timeline_paints_nothing_and_catches_up(session: Session) -> None:
    session.now(4000)
    session.panel.hide()
    before = session.panel.canvas.marks
    session.noted(5000, "push", context={"event": "timer"})
    session.panel.set_now(60 * S)
    assert session.panel.canvas.marks is before
    session.panel.show()
    assert session.panel.window_ns[1] > 60 * S


@pytest.mark.parametrize("length", [3, 14])
def test_short_ids_stay(length: int) -> None:
    assert short_id("x" * length) == "x" * length


def test_long_ids_keep_both_ends() -> None:
    assert short_id("item_CcXyz0123456789abcde") == "item_…abcde"


def test_a_frame_reads_what_is_visible_once_and_then_only_what_is_new(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns: list[int] = []
    query: Callable[..., Any] = PeakPyramid.query

    def counted(lane: PeakPyramid, first: int, last: int, n_columns: int) -> Any:
        columns.append(n_columns)
        return query(lane, first, last, n_columns)

    monkeypatch.setattr(PeakPyramid, "query", counted)
    session.now(3_600_000)
    width = session.panel.canvas._window.width_px
    assert width <= sum(columns) <= 2 * (width + 2 * TILE_COLUMNS), "two lanes, a column a pixel, whole tiles"
    columns.clear()
    session.now(3_600_033)
    # The second that may still change is 106 pixels wide: in two tiles at most, of each lane.
    assert 0 < sum(columns) <= 2 * 2 * TILE_COLUMNS


def test_what_is_too_near_to_be_told_apart_is_drawn_as_one_that_says_so(session: Session) -> None:
    for number in range(100):
        session.received(1_000 + 200 * number, "response.created", response={"id": f"resp_{number}"})
        done = {"id": f"resp_{number}", "status": "failed" if number == 5 else "completed"}
        session.received(1_150 + 200 * number, "response.done", response=done)
    session.panel._window.zoom_to(3_600 * S)
    session.now(21_000)
    first, *others = [mark for mark in session.panel.canvas.marks if mark.tip.startswith("response ")]
    assert len(others) < 5
    assert first.seq == 0
    assert "more: zoom in to tell them apart" in first.tip
    session.panel._window.zoom_to(2 * S)
    session.panel.canvas.repaint()
    assert {mark.tip.splitlines()[0] for mark in session.panel.canvas.marks} > {"response resp_99", "response resp_98"}

"""A saved session in the window: opened whole or damaged, with its sound, a way back, deleted."""

from collections.abc import Callable
from pathlib import Path
from threading import Event

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from simulator.errors import UnreadableFile
from simulator.record.entries import FORMAT, FORMAT_VERSION, Direction, Entry, Track
from simulator.record.finishing import finish, is_finished
from simulator.record.folder import SESSION, is_running
from simulator.record.writer import RecordWriter
from simulator.units import NS_PER_S, SAMPLE_RATE_HZ
from tests.ui.window_rig import WindowRig, wait_until
from ui import sessions_desk
from ui.models.devices import Output
from ui.saved_record import heard_peaks, open_view
from ui.sessions_desk import SessionsDesk


def save_session(folder: Path, *, seconds: float = 3.0, ended: bool = True) -> Path:
    """Write a session in which the agent is loud in the first second, the participant in the second one."""
    folder.mkdir(parents=True)
    writer = RecordWriter(folder / SESSION, on_fault=lambda fault: pytest.fail(str(fault)))
    event = {"format": FORMAT, "format_version": FORMAT_VERSION}
    entries = [
        Entry(0, 0, Direction.NOTED, "record.started", event),
        Entry(1, NS_PER_S, Direction.RECEIVED, "session.created", {"session": {"id": "sess_saved"}}, 40),
    ]
    if ended:
        entries.append(Entry(2, 2 * NS_PER_S, Direction.NOTED, "record.ended", {}))
    for entry in entries:
        writer.append(entry)
    frames = int(seconds * SAMPLE_RATE_HZ)
    at = np.arange(frames) // SAMPLE_RATE_HZ
    heard = np.stack([np.where(at == 1, 9_000, 0), np.where(at == 0, 9_000, 0)], axis=1).astype(np.int16)
    writer.write_audio(Track.HEARD, heard)
    writer.close()
    return folder


def is_loud(rig: WindowRig, lane: str, second: float) -> bool:
    first = int(second * SAMPLE_RATE_HZ)
    return bool(rig.window.record.shown.lanes[lane].query(first, first + 64, 1)[1][0] > 0)


def open_session(rig: WindowRig, folder: Path) -> SessionsDesk:
    desk = rig.window.sessions
    desk.open(folder)
    wait_until(lambda: rig.window.record.shown.title == folder.name)
    wait_until(lambda: len(rig.window.record.shown.lanes["agent"]) >= 2 * SAMPLE_RATE_HZ)
    return desk


def test_a_saved_session_takes_the_place_of_the_live_one_and_leads_back(rig: WindowRig, tmp_path: Path) -> None:
    window, records = rig.window, tmp_path / "data" / "records"
    for name in ("2026-01-01", "2026-01-02"):
        save_session(records / name)
    desk = open_session(rig, save_session(tmp_path / "from a colleague"))
    assert "from a colleague" in window.banner.text.text()
    assert window.banner.isVisible()
    assert [entry.type for entry in window.log.view.entries] == ["record.started", "session.created", "record.ended"]
    assert [is_loud(rig, "agent", second) for second in (0.5, 1.5)] == [True, False]
    assert [is_loud(rig, "participant", second) for second in (0.5, 1.5)] == [False, True]
    assert not window.notices.isVisible()
    assert [path.parent.name for path in desk.recent] == ["from a colleague", "2026-01-02", "2026-01-01"]
    rig.click(window.banner.back_button)
    assert window.record.shown is rig.feed.view
    assert not window.banner.isVisible()
    window.settings.set_text("recent_sessions", "[oops")
    assert [path.parent.name for path in desk.recent] == ["2026-01-02", "2026-01-01"]


def test_deleting_the_session_on_screen_leads_back_to_the_live_one(rig: WindowRig, tmp_path: Path) -> None:
    folder = save_session(tmp_path / "to delete", ended=False)
    (folder / "own notes.txt").write_text("kept")
    desk = open_session(rig, folder)
    assert "was broken off" in rig.window.notices.text.text()
    wait_until(lambda: not is_running(folder))  # what a crash left is finished when it is opened
    desk.delete(folder)
    wait_until(lambda: rig.window.record.shown is rig.feed.view)
    assert [path.name for path in folder.iterdir()] == ["own notes.txt"]
    desk.open(folder)
    wait_until(lambda: "holds no session" in rig.window.notices.text.text())


def test_sound_that_is_read_later_is_drawn_where_silence_was(rig: WindowRig, tmp_path: Path) -> None:
    folder = save_session(tmp_path / "pilot", seconds=60)
    view, canvas = open_view(folder), rig.window.timeline.canvas
    rig.window.record.show_view(view)
    silent = canvas.grab().toImage()
    heard_peaks(folder / SESSION, lambda first, peaks: view.lanes["agent"].place_peaks(first, *peaks[1]))
    canvas.take_sound(0, 60 * NS_PER_S)
    assert canvas.grab().toImage() != silent


def test_the_present_of_a_saved_session_is_the_end_of_its_sound(tmp_path: Path) -> None:
    folder = save_session(tmp_path / "s")
    view = open_view(folder)
    assert (view.now_ns, view.lacks, view.path) == (3 * NS_PER_S, [], folder / SESSION)


def test_a_session_killed_in_its_first_line_is_opened_finished_and_deleted(rig: WindowRig, tmp_path: Path) -> None:
    folder = save_session(tmp_path / "killed")
    events = folder / SESSION
    events.write_bytes(events.read_bytes()[:40])
    desk = open_session(rig, folder)
    assert "Line 1 (byte 0) was cut off in the middle" in rig.window.notices.text.text()
    wait_until(lambda: is_finished(folder) and not is_running(folder))
    desk.delete(folder)
    wait_until(lambda: rig.window.record.shown is rig.feed.view)
    assert not folder.exists()


def test_files_that_were_changed_after_the_end_are_told_once_the_session_is_on_screen(
    rig: WindowRig, tmp_path: Path
) -> None:
    changed, whole = (save_session(tmp_path / name) for name in ("changed", "whole"))
    for folder in (changed, whole):
        finish(folder)
    (changed / "answers.json").write_text("{}")
    with (changed / SESSION).open("ab") as file:
        file.write(b"\x00garbage\n")
    desk, notices = open_session(rig, changed), rig.window.notices
    wait_until(lambda: "as it was when it was finished: answers.json was changed" in notices.text.text())
    assert len(rig.window.record.shown.lacks) == 2
    notices.dismiss()
    assert "Line 4 (byte" in notices.text.text()  # it was told first, and once
    notices.dismiss()
    assert not notices.isVisible()
    desk.open(whole)
    wait_until(lambda: rig.window.record.shown.title == "whole" and not desk.reads_sound)
    wait_until(lambda: not desk._background._then)
    assert not notices.isVisible()


def test_a_session_that_is_left_is_not_looked_at_any_further(
    rig: WindowRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, still_wanted = save_session(tmp_path / "s"), list[bool]()
    left = Event()

    def looks(path: Path, wanted: Callable[[], bool]) -> str:
        still_wanted.append(wanted())
        left.wait(20)
        still_wanted.append(wanted())
        return "The session was changed."

    monkeypatch.setattr(sessions_desk, "alteration", looks)
    desk = open_session(rig, folder)
    wait_until(lambda: still_wanted == [True])
    rig.click(rig.window.banner.back_button)
    left.set()
    wait_until(lambda: still_wanted == [True, False])
    wait_until(lambda: not desk._background._then)
    assert not rig.window.notices.isVisible()


def test_a_damaged_session_opens_up_to_the_damage_and_says_where(tmp_path: Path) -> None:
    folder = save_session(tmp_path / "damaged")
    with (folder / SESSION).open("ab") as file:
        file.write(b"\x00garbage\n")
    view = open_view(folder)
    assert len(view.entries) == 3
    assert "Line 4 (byte" in view.lacks[0]


def test_sound_that_was_cut_off_opens_up_to_there(tmp_path: Path) -> None:
    folder = save_session(tmp_path / "cut")
    finish(folder)
    flac = folder / "session.heard.flac"
    flac.write_bytes(flac.read_bytes()[:-1_000])
    ends: list[int] = []
    lack = heard_peaks(folder / SESSION, lambda first, peaks: ends.append(first + 64 * len(peaks[0][0])))
    assert "session.heard.flac is damaged or was cut off" in lack
    assert lack.endswith("of 3.0 s.")
    assert 0 < ends[-1] < 3 * SAMPLE_RATE_HZ


def test_a_later_format_is_refused_in_a_sentence(tmp_path: Path) -> None:
    event = {"format": FORMAT, "format_version": FORMAT_VERSION + 1}
    path = tmp_path / "later.jsonl"
    path.write_bytes(msgspec.json.encode(Entry(0, 0, Direction.NOTED, "record.started", event)) + b"\n")
    with pytest.raises(UnreadableFile, match="Use a newer one"):
        open_view(path)


def test_space_in_the_timeline_plays_from_the_cursor_which_moves_along(rig: WindowRig, tmp_path: Path) -> None:
    window = rig.window
    window.choices.output = Output("none")  # at the pace of a device, and nobody hears it
    desk = open_session(rig, save_session(tmp_path / "pilot", seconds=60))
    canvas, places = window.timeline.canvas, list[int]()
    desk.player.moved.connect(places.append)
    canvas.select(NS_PER_S)
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    wait_until(lambda: places and places[-1] > 1.2 * SAMPLE_RATE_HZ)
    assert places[0] >= SAMPLE_RATE_HZ
    assert (canvas.cursor_ns or 0) > 1.2 * NS_PER_S
    assert "Stop" in desk.play_button.text()
    canvas.time_chosen.emit(40 * NS_PER_S)  # a click while it plays goes on from there
    wait_until(lambda: places[-1] >= 40 * SAMPLE_RATE_HZ)
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    assert not desk.player.playing
    assert not rig.commands("set_talk")
    rig.click(window.banner.back_button)
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    assert not desk.player.playing  # the talk key again


def test_a_session_without_sound_cannot_be_played_and_says_so(rig: WindowRig, tmp_path: Path) -> None:
    folder = save_session(tmp_path / "silent")
    (folder / "session.heard.wav").unlink()
    desk = rig.window.sessions
    desk.open(folder)
    wait_until(lambda: rig.window.record.shown.title == "silent")
    rig.click(desk.play_button)
    wait_until(lambda: "holds no sound" in rig.window.notices.text.text())
    wait_until(lambda: not desk.player.playing)


def test_a_session_is_opened_by_entering_its_folder_or_by_its_events(rig: WindowRig, tmp_path: Path) -> None:
    records = tmp_path / "data" / "records"
    for name in ("one", "two"):
        save_session(records / name)
    desk = rig.window.sessions
    desk.ask_open()
    dialog = rig.window.findChild(QFileDialog)
    assert isinstance(dialog, QFileDialog)
    dialog.directoryEntered.emit(str(records))
    assert dialog.isVisible()
    dialog.directoryEntered.emit(str(records / "two"))
    wait_until(lambda: rig.window.record.shown.title == "two")
    assert not [each for each in rig.window.findChildren(QFileDialog) if each.isVisible()]
    desk.ask_open()
    dialog = next(each for each in rig.window.findChildren(QFileDialog) if each.isVisible())
    dialog.fileSelected.emit(str(records / "one" / SESSION))
    wait_until(lambda: rig.window.record.shown.title == "one")
    dialog.close()


def test_an_empty_record_says_so_and_offers_nothing_to_play_or_to_export(rig: WindowRig, tmp_path: Path) -> None:
    window, empty = rig.window, tmp_path / "empty.jsonl"
    empty.touch()
    window.sessions.open(empty)
    wait_until(lambda: window.record.shown.title == "empty")
    assert window.timeline.canvas.empty_text == "This record is empty"
    assert window.log.empty.text() == "This record holds no events."
    assert not window.sessions.play_button.isEnabled()
    assert not window.sessions.exports.button.isEnabled()
    for do in (window.sessions.play_or_stop, window.sessions.exports.ask):
        do()
        assert "This record is empty" in window.notices.text.text()
        window.notices.dismiss()
    open_session(rig, save_session(tmp_path / "pilot"))
    assert window.sessions.play_button.isEnabled()
    rig.click(window.banner.back_button)
    assert "Connect (F5)" in window.timeline.canvas.empty_text

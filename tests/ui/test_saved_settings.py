"""What a saved session shows of itself: its settings, where its events would be sent again, whether it is finished."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtWidgets import QMessageBox

from simulator.record.entries import FORMAT, FORMAT_VERSION, AudioSpan, Direction, Entry, Track
from simulator.record.finishing import finish, is_finished
from simulator.record.folder import SESSION, is_running
from simulator.record.writer import RecordWriter
from simulator.units import NS_PER_S, SAMPLE_RATE_HZ
from tests.ui.window_rig import WindowRig, wait_until
from ui import saved_record
from ui.models.saved_settings import saved_settings

if TYPE_CHECKING:
    from simulator.errors import StorageFault

_DETECTION = {"type": "server_vad", "silence_duration_ms": 500}


def _session(*, ended: bool = True) -> list[Entry]:
    asked = {
        "type": "realtime",
        "instructions": "Be a waiter.",
        "audio": {"input": {"turn_detection": _DETECTION}, "output": {"voice": "cedar"}},
        "tools": [{"type": "function", "name": "answer_text"}],
    }
    taken = {**asked, "audio": {"input": {"turn_detection": _DETECTION}, "output": {"voice": "marin"}}}
    events: list[tuple[Direction, str, dict[str, object]]] = [
        (Direction.NOTED, "record.started", {"format": FORMAT, "format_version": FORMAT_VERSION}),
        (Direction.SENT, "session.update", {"type": "session.update", "session": asked}),
        (Direction.RECEIVED, "session.updated", {"type": "session.updated", "session": taken}),
        (
            Direction.NOTED,
            "answer",
            {"tool": "answer_text", "value": "tea", "accepted": True, "asked_ns": 0, "answered_ns": NS_PER_S},
        ),
        (Direction.RECEIVED, "input_audio_buffer.speech_started", {"item_id": "item_1"}),
        (Direction.RECEIVED, "response.output_audio.delta", {"item_id": "item_2", "response_id": "resp_1"}),
        (Direction.RECEIVED, "response.output_audio_transcript.done", {"item_id": "item_2", "transcript": "Tea, or?"}),
        (Direction.NOTED, "playback.started", {"item_id": "item_2", "handed_ns": NS_PER_S}),
        (
            Direction.NOTED,
            "playback.cut",
            {"item_id": "item_2", "handed_samples": 6_000, "received_samples": 24_000, "cut_ns": 2 * NS_PER_S},
        ),
    ]
    if ended:
        events.append((Direction.NOTED, "record.ended", {"reason": "asked"}))
    span = AudioSpan(Track.AGENT, 0, SAMPLE_RATE_HZ, 2 * SAMPLE_RATE_HZ)
    return [
        Entry(seq, seq * NS_PER_S, direction, kind, event, 9, span if kind.endswith("audio.delta") else None)
        for seq, (direction, kind, event) in enumerate(events)
    ]


def save(folder: Path, *, ended: bool = True) -> Path:
    folder.mkdir(parents=True)
    faults: list[StorageFault] = []
    writer = RecordWriter(folder / SESSION, on_fault=faults.append)
    for entry in _session(ended=ended):
        writer.append(entry)
    writer.close()
    assert not faults
    return folder


def opened(rig: WindowRig, folder: Path) -> None:
    rig.window.sessions.open(folder)
    wait_until(lambda: rig.window.record.shown.title == folder.name)


def test_settings_are_those_at_the_end() -> None:
    entries = _session()
    later = {"type": "session.update", "session": {"instructions": "Be brief."}}
    semantic = {"session": {"audio": {"input": {"turn_detection": {"type": "semantic_vad"}}}}}
    entries += [Entry(20, 20, Direction.SENT, "session.update", event) for event in (later, semantic)]
    found = saved_settings(entries)
    assert found.requested is not None
    assert found.requested["instructions"] == "Be brief."
    assert found.requested["audio"] == {
        "input": {"turn_detection": {"type": "semantic_vad"}},
        "output": {"voice": "cedar"},
    }
    assert (found.instructions, found.voice) == ("Be a waiter.", "marin")  # the engine took no other ones
    assert found.answer is not None
    assert found.answer.event["value"] == "tea"
    assert found.studies == ()


def test_the_studies_of_a_record_are_named_and_the_specification_that_was_followed() -> None:
    started = {"specification": {"version": "0.2.0", "source": "file", "sha256": "0"}}
    found = saved_settings(
        [
            Entry(0, 0, Direction.NOTED, "record.started", started),
            Entry(1, 1, Direction.NOTED, "study.started", {"name": "Coffee or tea"}),
            Entry(2, 2, Direction.NOTED, "study.started", {"name": ""}),
        ]
    )
    assert found.studies == ("Coffee or tea", "a study without a name")
    assert found.wording == "0.2.0, from a file"


def test_a_replay_names_the_study_of_what_it_replays() -> None:
    found = saved_settings(
        [
            Entry(0, 0, Direction.NOTED, "replay.started", {"of": "pilot", "studies": ["Coffee or tea", 3]}),
            Entry(1, 1, Direction.NOTED, "replay.started", {"of": "pilot"}),
        ]
    )
    assert found.studies == ("Coffee or tea, replayed",)


def test_a_record_that_says_nothing_of_settings() -> None:
    found = saved_settings([Entry(0, 0, Direction.RECEIVED, "session.created", {"session": "?"})])
    assert (found.requested, found.accepted, found.instructions, found.voice, found.answer) == (
        None,
        None,
        "",
        "",
        None,
    )


def test_a_saved_session_shows_its_own_settings_and_the_operators_text_comes_back(
    rig: WindowRig, tmp_path: Path
) -> None:
    agent = rig.window.agent
    agent.editor.setPlainText("My own text.")
    folder = save(tmp_path / "pilot")
    finish(folder)
    opened(rig, folder)
    assert agent.saved_editor.isVisible()
    assert not agent.editor.isVisible()
    assert agent.saved_editor.toPlainText() == "Be a waiter."
    assert agent.saved_editor.isReadOnly()
    assert agent.saved_voice.text() == "marin"
    assert agent.saved_study.text() == "none was played"
    assert not agent.apply_button.isEnabled()
    assert "not as requested: voice" in agent.session_line.text()
    assert "of this record" in agent.session_heading.text()
    assert agent.answer_value.text() == "tea"
    assert (agent.instructions, agent.voice) == ("My own text.", "marin")  # the next connection is the operator's
    rig.click(rig.window.banner.back_button)
    assert agent.editor.isVisible()
    assert agent.editor.toPlainText() == "My own text."
    assert agent.session_heading.text() == "SESSION"
    assert agent.answer_value.text() == "none yet"
    assert "appears here" in agent.session_line.text()


def test_what_was_only_generated_is_told_apart_in_a_saved_session_too(rig: WindowRig, tmp_path: Path) -> None:
    folder = save(tmp_path / "pilot")
    finish(folder)
    opened(rig, folder)
    rig.window.tabs.setCurrentWidget(rig.window.transcript)
    assert "heard 0.2 of 1.0 s" in rig.window.transcript.text
    assert "Tea, or? (not heard)" in rig.window.transcript.text
    rig.window.timeline.canvas.repaint()
    tips = [mark.tip for mark in rig.window.timeline.canvas.marks]
    assert any(tip.startswith("received, never heard: item_2") for tip in tips)


def _select_update(rig: WindowRig) -> None:
    log = rig.window.log
    log.show_seq(1)
    assert [entry.type for entry in log.selected_entries()] == ["session.update"]


def test_an_event_of_a_saved_session_is_copied_and_never_sent_without_a_session(rig: WindowRig, tmp_path: Path) -> None:
    folder = save(tmp_path / "pilot")
    finish(folder)
    opened(rig, folder)
    _select_update(rig)
    assert rig.window.log.again_button.text() == "Edit a copy…"
    rig.window.log.menu.send_again()
    assert "Connect first (F5)" in rig.window.notices.text.text()
    rig.click(rig.window.log.again_button)
    wait_until(lambda: rig.window.tabs.currentWidget() is rig.window.composer)
    assert "Be a waiter." in rig.window.composer.raw.editor.toPlainText()
    assert not rig.commands("send_event")
    rig.window.record.show_live()
    assert rig.window.log.again_button.text() == "Send again…"


def test_sending_an_event_of_a_saved_session_to_the_live_one_is_asked_first(rig: WindowRig, tmp_path: Path) -> None:
    folder = save(tmp_path / "pilot")
    finish(folder)
    rig.connect_session()
    opened(rig, folder)
    _select_update(rig)
    rig.window.log.menu.send_again()
    box = next(box for box in rig.window.findChildren(QMessageBox) if box.windowTitle() == "Send again")
    assert "to the live session" in box.text()
    assert not rig.commands("send_event")
    next(button for button in box.buttons() if button.text() == "Send").click()
    assert rig.wait_for_command("send_event")["event"]["type"] == "session.update"


def test_a_session_that_could_not_be_finished_is_offered_to_be(
    rig: WindowRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_record, "start_finishing", lambda folder: None)
    folder = save(tmp_path / "broken off", ended=False)
    opened(rig, folder)
    unfinished = rig.window.sessions.unfinished
    assert unfinished.text.isVisible()
    wait_until(unfinished.button.isVisible)
    assert "not finished" in unfinished.text.text()
    # In the manifest's place lies what no file can take the place of.
    (folder / "manifest.json").mkdir()
    rig.click(unfinished.button)
    wait_until(lambda: "cannot be finished" in rig.window.notices.text.text())
    wait_until(unfinished.button.isVisible)
    (folder / "manifest.json").rmdir()
    rig.click(unfinished.button)
    assert not unfinished.button.isVisible()
    wait_until(lambda: is_finished(folder) and not is_running(folder))
    wait_until(lambda: not unfinished.text.isVisible())


def test_a_finished_session_says_nothing_of_finishing(rig: WindowRig, tmp_path: Path) -> None:
    folder = save(tmp_path / "pilot")
    finish(folder)
    opened(rig, folder)
    assert not rig.window.sessions.unfinished.text.isVisible()
    assert msgspec.json.decode((folder / "manifest.json").read_bytes())["ended"] == "asked"

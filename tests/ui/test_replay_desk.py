"""A saved session is replayed from the window: asked how, connected, shown, stopped, and both sessions compared."""

import json
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from simulator.audio.impairments import Impairments
from simulator.engines.profiles import EngineProfile, save_profile
from simulator.errors import UnreadableFile
from simulator.participant.messages import ConnectionState, Impair, ReplayProgress
from simulator.participant.messages import Push as PushCommand
from simulator.profile.agent_spec import OWN
from simulator.record.entries import Direction, Entry
from simulator.record.replay.deeds import Act, Ask, By, Instruct, Plan, Push, Say, Settings
from simulator.units import NS_PER_S
from tests.ui.test_sessions_desk import open_session, save_session
from tests.ui.window_rig import WindowRig, wait_until
from ui.dialogs.engines import EnginesDialog
from ui.dialogs.replay import ReplayDialog
from ui.models.replay import lost, progress_line, summary, tools_of, turn_detections
from ui.theme import Theme

PATIENT = {"type": "server_vad", "silence_duration_ms": 700, "create_response": True, "interrupt_response": True}


def plan_of(record: Path) -> Plan:
    return Plan(
        source=record,
        settings=Settings("Be brief.", "cedar", PATIENT, ("answer_choice", "of_another_version")),
        acts=(
            Act(Say(0, 24_000), 0),
            Act(Push({"event": "timer", "secondsLeft": 30}), 10),
            Act(Push({"event": "timer", "secondsLeft": 10}), 20),
            Act(Ask("multiplechoice", {}), 30),
            Act(Instruct(None, "part two"), 40),
            Act(Instruct("Be briefer."), 50),
        ),
        exchanges=1,
        ends_ns=72_000_000_000,
        lacks=("The second speech was not kept.",),
    )


def ask(rig: WindowRig) -> ReplayDialog:
    """Ask how the session on screen is to be replayed, and wait until it was read."""
    rig.window.replaying.ask()
    dialog = dialog_of(rig)
    wait_until(lambda: dialog.turn_detection_picker.count())
    return dialog


def dialog_of(rig: WindowRig) -> ReplayDialog:
    return next(each for each in rig.window.findChildren(ReplayDialog) if each.isVisible())


def begin(rig: WindowRig, by: By, engine: str = "embedded") -> list[tuple[Path, Path]]:
    """Have the session on screen replayed; returns what is compared, once it is."""
    compared: list[tuple[Path, Path]] = []
    rig.window.replaying.compared.connect(lambda first, second: compared.append((first, second)))
    rig.window.connection.set_engines(["embedded", "openai"], engine)
    dialog = ask(rig)
    dialog.times[by].setChecked(True)
    dialog.engine_picker.setFocus()
    QTest.keyClick(dialog.engine_picker, Qt.Key.Key_Return)
    return compared


@pytest.fixture
def pilot(rig: WindowRig, tmp_path: Path) -> Path:
    """A saved session on screen, of which a plan can be made."""
    folder = save_session(tmp_path / "pilot 7")
    open_session(rig, folder)
    rig.window.replaying.read = plan_of
    return folder / "session.jsonl"


def test_a_plan_is_told_in_words() -> None:
    plan = plan_of(Path("session.jsonl"))
    assert summary(plan) == (
        "00:01:12 · 1 speech · 2 pushes · 1 question · 1 change of instructions · 1 reply of the agent"
    )
    assert [words for words, _ in turn_detections(plan, OWN)] == [
        "As recorded: server_vad 700 ms",
        "server_vad 500 ms",
        "semantic_vad auto",
    ]
    assert tools_of(plan, OWN) == (["answer_choice"], ["of_another_version"])
    progress = ReplayProgress(source="", by="replies", done=3, acts=12, waits_for="the reply to begin")
    assert progress_line("pilot", "lab", progress).endswith("3 of 12  ·  waits for the reply to begin")


def test_what_was_lost_is_told_only_where_something_was() -> None:
    assert lost("pilot", {"end": "finished", "missed": 0, "refused": 0}) == ""
    assert "1 reply of the agent did not come and 2 things were refused" in lost("pilot", {"missed": 1, "refused": 2})


def test_the_dialog_tells_what_is_replayed_and_what_cannot_be(rig: WindowRig, pilot: Path) -> None:
    rig.window.agent.editor.setPlainText("Be verbose.")
    QTest.keyClick(rig.window, Qt.Key.Key_F5, Qt.KeyboardModifier.ControlModifier)
    dialog = dialog_of(rig)
    assert dialog.name.text() == "pilot 7"
    wait_until(lambda: dialog.replay_button.isEnabled())
    assert "1 speech · 2 pushes" in dialog.summary.text()
    assert "second speech was not kept" in dialog.lacks.text()
    assert "no tool of_another_version" in dialog.lacks.text()
    assert dialog.choice.instructions == "Be brief."
    assert not dialog.instructions.editor.isVisible()
    assert not dialog.later.isVisible()
    dialog.instructions.these.setChecked(True)
    assert dialog.instructions.editor.toPlainText() == "Be verbose."
    assert dialog.later.isVisible()
    assert "Guidance of the study's parts stands below them" in dialog.later.text()
    dialog.turn_detection_picker.setCurrentIndex(2)
    choice = dialog.choice
    assert (choice.engine, choice.instructions, choice.by) == ("embedded", "Be verbose.", "replies")
    assert choice.turn_detection["type"] == "semantic_vad"
    dialog.reject()
    assert not rig.commands("connect")


def test_a_replay_leaves_the_audio_out_where_new_sessions_do(rig: WindowRig, pilot: Path) -> None:
    rig.window.keeping.switch.setChecked(True)
    begin(rig, "clock")
    assert rig.wait_for_command("connect")["keep_audio"] is False


def test_an_engine_that_is_added_meanwhile_is_offered_in_the_window_too(rig: WindowRig, pilot: Path) -> None:
    dialog = ask(rig)
    dialog.engine_picker.edit_requested.emit()
    engines = dialog.findChild(EnginesDialog)
    assert isinstance(engines, EnginesDialog)
    save_profile(EngineProfile(name="lab", url="ws://lab.example:1234"))
    engines.engines_changed.emit("lab")
    assert dialog.choice.engine == "lab"
    assert rig.window.connection.engine == "embedded"
    assert rig.window.connection.engine_picker.findData("lab") >= 0
    dialog.reject()


def test_instructions_are_typed_in_the_dialog_and_are_there_the_next_time(rig: WindowRig, pilot: Path) -> None:
    dialog = ask(rig)
    dialog.instructions.these.setChecked(True)
    assert dialog.instructions.editor.toPlainText() == "Be brief."  # nothing of one's own: begin with the recorded
    QTest.keyClicks(dialog.instructions.editor, "Yes. ")
    assert dialog.choice.instructions == "Yes. Be brief."
    dialog.reject()
    again = ask(rig)
    assert again.choice.instructions == "Be brief."
    again.instructions.these.setChecked(True)
    assert again.choice.instructions == "Yes. Be brief."
    again.accept()
    assert rig.wait_for_command("connect")["instructions"] == "Yes. Be brief."


def test_no_instructions_at_all_are_a_choice_too(rig: WindowRig, pilot: Path) -> None:
    dialog = ask(rig)
    dialog.instructions.these.setChecked(True)
    dialog.instructions.editor.clear()
    assert dialog.choice.instructions == ""
    dialog.reject()


def test_a_replay_connects_as_recorded_and_ends_in_a_comparison(rig: WindowRig, pilot: Path) -> None:
    told: list[str] = []
    rig.window.replaying.failed.connect(told.append)
    compared = begin(rig, "clock")
    assert rig.window.record.shown is rig.feed.view  # live on screen
    wait_until(lambda: compared)
    sent = rig.commands("connect")[-1]
    assert (sent["engine"], sent["instructions"], sent["voice"]) == ("embedded", "Be brief.", "cedar")
    assert (sent["turn_detection"], sent["tools"]) == (PATIENT, ["answer_choice"])
    assert [(each["record"], each["by"]) for each in rig.commands("replay")] == [(str(pilot), "clock")]
    assert compared == [(pilot, rig.log.parent / "session.jsonl")]
    assert rig.feed.status.connection is ConnectionState.IDLE
    assert ["1 reply of the agent did not come" in each for each in told] == [True]
    assert not rig.window.replay_banner.isVisible()
    dialog = ask(rig)  # of the new record, and by the times chosen last
    assert dialog.times["clock"].isChecked()
    dialog.reject()


def test_a_replay_can_be_heard_whatever_was_switched_off(rig: WindowRig, pilot: Path) -> None:
    QTest.keyClick(rig.window, Qt.Key.Key_L)
    QTest.keyClick(rig.window, Qt.Key.Key_M)
    wait_until(lambda: rig.feed.status.muted and not rig.feed.status.listening)
    compared = begin(rig, "clock")
    wait_until(lambda: compared)
    commands = [json.loads(line)["command"] for line in rig.log.read_text().splitlines()]
    at = commands.index("connect")
    assert commands[at - 2 : at] == ["set_listening", "set_muted"]
    assert [each["on"] for each in rig.commands("set_listening")] == [False, True]
    rig.wait_for_command("set_muted", 3)
    assert [each["muted"] for each in rig.commands("set_muted")] == [True, False, True]  # muted again at its end


def test_the_dialog_warns_of_impairments_that_hold_now(rig: WindowRig, pilot: Path) -> None:
    rig.feed.send(Impair(id=0, impairments=Impairments(noise="white", noise_db=-40.0)))
    wait_until(lambda: rig.feed.status.impairments is not None)
    dialog = ask(rig)
    assert "impaired once more, as it is now: white noise at −40 dBFS" in dialog.lacks.text()
    dialog.reject()


def test_what_is_replayed_is_on_screen_until_it_is_stopped(rig: WindowRig, pilot: Path) -> None:
    compared = begin(rig, "replies")
    window, banner = rig.window, rig.window.replay_banner
    wait_until(lambda: "1 of 2  ·  waits for the reply to begin" in banner.text.text())
    assert "Replaying  pilot 7  against embedded" in banner.text.text()
    assert window.windowTitle().startswith("replaying pilot 7 · embedded")
    assert window.connection.turn_detection_picker.accessibleDescription() == "server_vad 700 ms"
    window.agent.editor.setPlainText("Be verbose.")
    assert window.agent.state.text() == "○ The replay has instructions of its own"
    assert window.connection.turn_detection["silence_duration_ms"] == 500  # what is chosen for sessions stays
    rig.click(banner.stop_button)
    rig.wait_for_command("stop_replay")
    wait_until(lambda: rig.feed.status.connection is ConnectionState.IDLE)
    assert not banner.isVisible()
    assert window.connection.turn_detection_picker.accessibleDescription() == ""
    assert all(notice.quiet for notice in window.notices.shown)
    assert compared == []


def test_an_engine_that_cannot_be_reached_ends_the_replay_before_it_began(rig: WindowRig, pilot: Path) -> None:
    compared = begin(rig, "replies", "ws://unreachable")
    wait_until(rig.window.notices.isVisible)
    assert "ws://unreachable did not answer" in rig.window.notices.text.text()
    assert not rig.window.replay_banner.isVisible()
    assert not rig.window.replaying.replayed
    assert not rig.commands("replay")
    assert compared == []


def test_a_session_that_ends_in_the_middle_is_told(rig: WindowRig, pilot: Path) -> None:
    compared = begin(rig, "replies")
    wait_until(lambda: rig.feed.status.replay is not None)
    rig.feed.send(PushCommand(id=0, context={"event": "experimenter_message", "text": "close"}))
    wait_until(rig.window.notices.isVisible)
    assert "replay of pilot 7 did not come to its end" in rig.window.notices.text.text()
    assert not rig.window.replay_banner.isVisible()
    assert compared == []


def test_a_session_has_to_end_before_a_replay_begins(rig: WindowRig, pilot: Path) -> None:
    rig.connect_session()
    rig.window.sessions.open(pilot)
    wait_until(lambda: rig.window.record.shown.title == "pilot 7")
    dialog = ask(rig)
    assert "A session is open" in dialog.message.text()
    assert not dialog.replay_button.isEnabled()
    rig.click(dialog.disconnect_button)
    wait_until(dialog.replay_button.isEnabled)
    assert not dialog.disconnect_button.isVisible()
    dialog.reject()


def test_a_record_that_cannot_be_read_says_why(rig: WindowRig, pilot: Path) -> None:
    def read(record: Path) -> Plan:
        raise UnreadableFile(f"There is no record {record}.")

    rig.window.replaying.read = read
    rig.window.replaying.ask()
    dialog = dialog_of(rig)
    wait_until(lambda: "There is no record" in dialog.lacks.text())
    assert not dialog.replay_button.isEnabled()
    dialog.reject()


def test_without_a_session_there_is_nothing_to_replay(rig: WindowRig) -> None:
    rig.window.replaying.ask()
    assert "open a saved session (F3)" in rig.window.notices.text.text()
    assert rig.window.findChild(ReplayDialog) is None


def test_closing_the_window_in_the_middle_compares_nothing(theme: Theme, tmp_path: Path) -> None:
    rig = WindowRig(theme, tmp_path)
    rig.start()
    open_session(rig, save_session(tmp_path / "pilot 7"))
    rig.window.replaying.read = plan_of
    compared = begin(rig, "replies")
    wait_until(lambda: rig.feed.status.replay is not None)
    rig.close()
    assert rig.commands("quit")
    assert compared == []


def test_the_record_of_a_replay_says_of_what(rig: WindowRig, tmp_path: Path) -> None:
    folder = save_session(tmp_path / "second")
    note = Entry(3, 3 * NS_PER_S, Direction.NOTED, "replay.started", {"of": "pilot 7"})
    with (folder / "session.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(note) + b"\n")
    open_session(rig, folder)
    assert "replay of pilot 7" in rig.window.banner.text.text()

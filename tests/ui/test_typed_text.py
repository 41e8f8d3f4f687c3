"""What somebody typed is never gone without a word: instructions that a study replaces, and an event in the editor."""

import json
from pathlib import Path

import msgspec

from simulator.study.steps import Study
from simulator.study.study_writing import write_study
from tests.ui.test_study_window import STUDY
from tests.ui.window_rig import WindowRig, wait_until
from ui.models.kept_payloads import LONGEST_SHOWN
from ui.panels.raw_event import RawEvent
from ui.theme import Theme


def _written(tmp_path: Path, **changes: object) -> Path:
    (tmp_path / "study").mkdir(exist_ok=True)
    path = tmp_path / "study" / "tea.yaml"
    write_study(msgspec.structs.replace(STUDY, **changes), path)
    return path


def test_instructions_that_a_study_replaces_can_be_taken_back(rig: WindowRig, tmp_path: Path) -> None:
    window = rig.window
    window.agent.editor.setPlainText("Speak like a pirate.")
    window.study_desk.files.open(_written(tmp_path, instructions="Be brief."))
    wait_until(lambda: window.agent.instructions == "Be brief.")
    assert "took the place of yours" in window.notices.text.text()
    rig.click(window.notices.deed_button)
    assert window.agent.instructions == "Speak like a pirate."
    assert window.deck.head.instructions == "Speak like a pirate."
    assert window.notices.isHidden()
    window.deck.load(Study("", ()), None)


def test_nothing_is_said_where_nothing_is_lost(rig: WindowRig, tmp_path: Path) -> None:
    window = rig.window
    path = _written(tmp_path, instructions="Be brief.")
    for typed in ("", "  ", "Be brief."):
        window.agent.editor.setPlainText(typed)
        window.study_desk.files.open(path)
        wait_until(lambda: window.deck.rows)
        assert window.notices.isHidden()
        window.study_desk.new()


def test_the_study_of_the_last_time_replaces_what_lies_in_the_settings_silently(rig: WindowRig, tmp_path: Path) -> None:
    window = rig.window
    path = _written(tmp_path, instructions="Be brief.")
    window.settings.set_text("instructions", "Speak like a pirate.")
    window.settings.set_text("study_open", "yes")
    window.study_desk.files.remember(path)
    window.study_desk.restore()
    wait_until(lambda: window.agent.instructions == "Be brief.")
    assert window.notices.isHidden()
    window.deck.load(Study("", ()), None)


def test_an_event_that_was_typed_comes_back_by_undo_with_its_long_strings(theme: Theme) -> None:
    editor, long = RawEvent(theme), "a" * (LONGEST_SHOWN + 1)
    editor.show_event({"type": "one", "image": long})
    editor.show_event({"type": "two", "image": long + "b"})
    assert json.loads(editor.editor.toPlainText())["type"] == "two"
    editor.editor.undo()
    sent = list[object]()
    editor.command_requested.connect(sent.append)
    editor._connected = True
    editor.send()
    assert [getattr(command, "event", None) for command in sent] == [{"type": "one", "image": long}]

"""Faults of the embedded engine in the window: chosen from a list, sent with the next session and run, and shown."""

from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from simulator.participant.messages import ConnectionState, Status
from tests.ui.window_rig import WindowRig, wait_until
from ui.dialogs.faults import FaultsDialog
from ui.models.faults import Fault, FaultChoice


def opened(rig: WindowRig) -> FaultsDialog:
    """Press the faults button and wait for the list."""
    rig.click(rig.window.connection.faults_button)
    wait_until(lambda: rig.faults.choice.faults and isinstance(QApplication.activeModalWidget(), FaultsDialog))
    return cast("FaultsDialog", QApplication.activeModalWidget())


def names(dialog: FaultsDialog) -> list[str]:
    return [dialog.model.data(dialog.model.index(row, 0)) for row in range(dialog.model.rowCount())]


def tick(dialog: FaultsDialog, name: str) -> None:
    index = dialog.model.index(names(dialog).index(name), 0)
    assert dialog.model.setData(index, Qt.CheckState.Checked.value, Qt.ItemDataRole.CheckStateRole)


def test_every_word_of_the_search_must_stand_somewhere() -> None:
    late = Fault("speech_started_late", "fault", "It comes late.", "onset in time", ("barge_in",))
    odd = Fault("odd_bytes", "fault", "Half a sample.", "whole samples", ("cancel",))
    left_out = Fault("no_item", "fault", "An item is missing.", "required fields", ("cancel",))
    slow = Fault("slow_line", "oddity", "Slow.", "", ("cancel",))
    choice = FaultChoice()
    choice.set_faults([left_out, slow, late, odd])
    assert [fault.name for fault in choice.found("")] == ["speech_started_late", "odd_bytes", "no_item", "slow_line"]
    assert choice.found("speech late") == [late]
    assert choice.found("ONSET") == [late]
    assert choice.found("cancel fault") == [odd, left_out]
    assert choice.found("nothing") == []


def test_what_is_not_known_any_more_is_not_chosen() -> None:
    choice = FaultChoice(chosen=["gone", "odd_bytes"])
    choice.set_faults([Fault("odd_bytes", "fault", "Half a sample.")])
    assert choice.chosen == ["odd_bytes"]


def test_the_list_says_what_each_does_breaks_and_who_catches_it(rig: WindowRig) -> None:
    dialog = opened(rig)
    assert names(dialog) == ["speech_started_late", "odd_bytes", "slow_line"]
    cells = [[dialog.model.index(row, column).data() for column in range(5)] for row in (0, 2)]
    assert cells[0][1:] == ["✕ fault", "speech_started leaves 1.4 s late.", "onset in time", "engine_turn, barge_in"]
    assert cells[1][1:] == ["~ oddity", "Every event takes 300 ms.", "—", "none"]
    dialog.search_field.setText("whole")
    assert names(dialog) == ["odd_bytes"]
    dialog.close()


def test_faults_go_with_the_next_session_and_run(rig: WindowRig) -> None:
    dialog = opened(rig)
    tick(dialog, "odd_bytes")
    tick(dialog, "speech_started_late")
    assert dialog.summary.text().startswith("2 chosen: odd_bytes, speech_started_late. In force when you connect")
    dialog.close()
    assert rig.window.connection.faults_button.text() == "⚠ 2 faults…"
    rig.connect_session()
    assert rig.commands("connect")[-1]["faults"] == ["odd_bytes", "speech_started_late"]
    wait_until(lambda: rig.checks.model.checks)
    rig.click(rig.window.checks.run_all_button)
    assert rig.checks.faults == ("odd_bytes", "speech_started_late")
    wait_until(lambda: not rig.checks.running)


def test_choosing_none_lets_the_engine_behave(rig: WindowRig) -> None:
    dialog = opened(rig)
    tick(dialog, "odd_bytes")
    rig.click(dialog.clear_button)
    assert dialog.summary.text() == "None chosen: the engine behaves."
    dialog.close()
    assert rig.window.connection.faults_button.text() == "Faults…"
    rig.connect_session()
    assert rig.commands("connect")[-1]["faults"] == []


def test_other_engines_have_no_faults(rig: WindowRig) -> None:
    tick(opened(rig), "odd_bytes")
    picker = rig.window.connection.engine_picker
    picker.setCurrentIndex(picker.findData("openai"))
    picker.activated.emit(picker.currentIndex())
    assert not rig.window.connection.faults_button.isVisible()
    rig.connect_session()
    assert rig.commands("connect")[-1]["faults"] == []


def test_an_engine_that_misbehaves_on_purpose_is_marked_as_long_as_the_session_lasts(rig: WindowRig) -> None:
    banner = rig.window.misbehaviour
    status = Status(connection=ConnectionState.CONNECTED, engine="embedded", faults=["odd_bytes"])
    rig.feed.take([status])
    assert banner.isVisible()
    assert banner.text.text() == "⚠  The engine misbehaves on purpose   odd_bytes"
    rig.feed.take([Status(engine="embedded", faults=["odd_bytes"])])
    assert not banner.isVisible()

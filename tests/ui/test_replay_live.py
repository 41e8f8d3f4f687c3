"""One replay through the real processes: the window, the participant and the embedded engine."""

from pathlib import Path

from simulator.participant.messages import ConnectionState, Push
from simulator.record.session_comparison import compare
from tests.ui.test_replay_desk import ask
from tests.ui.window_rig import WindowRig, wait_until
from ui.dialogs.session_comparison import SessionComparisonDialog
from ui.models.devices import Output
from ui.participant_host import ParticipantHost
from ui.theme import Theme


def test_a_session_is_held_again_and_both_stand_side_by_side(theme: Theme, tmp_path: Path) -> None:
    rig = WindowRig(theme, tmp_path, host=ParticipantHost())
    rig.start()
    compared: list[tuple[Path, Path]] = []
    rig.window.replaying.compared.connect(lambda first, second: compared.append((first, second)))
    rig.window.choices.choose_output(Output("none"))
    rig.window.agent.editor.setPlainText("Be brief.")
    rig.connect_session()
    pushed: list[str | None] = []
    rig.feed.send(Push(id=0, context={"event": "timer", "secondsLeft": 30}), pushed.append)
    wait_until(lambda: pushed)
    rig.click(rig.window.connection.connect_button)
    wait_until(lambda: rig.feed.status.connection is ConnectionState.IDLE)
    rig.window.agent.editor.setPlainText("Be verbose.")
    dialog = ask(rig)
    assert "1 push ·" in dialog.summary.text()
    rig.click(dialog.replay_button)
    wait_until(lambda: compared)
    first, second = (record.parent for record in compared[0])
    comparison = compare(first, second)
    assert comparison.second.facts.replay_of == first.name
    assert comparison.instructions == []  # as recorded, not as the panel has them now
    told = [turn.text if turn is not None else None for row in comparison.transcript for turn in row]
    assert told == ["timer: 30 s left", "timer: 30 s left"]
    wait_until(lambda: rig.window.findChild(SessionComparisonDialog))
    rig.close()

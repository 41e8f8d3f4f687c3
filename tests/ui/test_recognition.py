"""The participant's words: whether they are recognised here, and by which model, is the user's choice."""

from pathlib import Path

from PySide6.QtWidgets import QDialogButtonBox, QLabel

from tests.ui.window_rig import WindowRig, wait_until
from ui.dialogs.recogniser import RecogniserDialog
from ui.theme import Theme


def test_words_are_recognised_unless_the_user_says_no(theme: Theme, tmp_path: Path) -> None:
    rig = WindowRig(theme, tmp_path)
    rig.start()
    sent = rig.wait_for_command("recognise_words")
    assert (sent["on"], sent["model"]) == (True, None)
    rig.window.recognition.switch.trigger()
    assert rig.wait_for_command("recognise_words", 2)["on"] is False
    rig.close()
    again = WindowRig(theme, tmp_path)
    again.start()
    assert again.wait_for_command("recognise_words", 3)["on"] is False
    again.close()


def test_what_is_lacking_for_it_stands_below_the_transcript(rig: WindowRig) -> None:
    wait_until(lambda: rig.feed.status.recognises)
    rig.window.tabs.setCurrentWidget(rig.window.transcript)
    shown = [label.text() for label in rig.window.transcript.findChildren(QLabel) if label.isVisible()]
    assert "Nothing recognises words here." in shown
    assert not rig.window.notices.isVisible()  # a part that was not asked for is no fault


def test_a_model_that_is_not_there_is_refused_in_the_dialog(rig: WindowRig) -> None:
    rig.window.recognition.choice.trigger()
    dialog = rig.window.findChild(RecogniserDialog)
    assert dialog is not None
    ok = dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok)  # type: ignore[union-attr]
    dialog.field.setText("no-such-model")
    ok.click()
    wait_until(lambda: dialog.message.text().startswith("There is no Whisper model “no-such-model”"))
    dialog.field.setText("small")
    closed: list[int] = []
    dialog.finished.connect(closed.append)
    ok.click()
    wait_until(lambda: closed)
    assert rig.commands("recognise_words")[-1]["model"] == "small"
    assert rig.window.settings.text("recogniser") == "small"

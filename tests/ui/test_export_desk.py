"""Export by one click: as the last one was chosen, in the background, told in a notice with what can be done next."""

import json
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices

from simulator.record.folder import SESSION
from tests.ui.test_sessions_desk import open_session, save_session
from tests.ui.window_rig import WindowRig, wait_until
from ui.child_answer import ChildAnswer
from ui.dialogs.export import ExportDialog
from ui.export_choice import ExportChoice
from ui.export_desk import EXPORT, ExportDesk
from ui.models.exports import FORMS, listed, outcome
from ui.settings import WindowSettings

TELLS = "import json, sys; print(json.dumps({{'files': sys.argv[1:], 'notes': {notes!r}}}))"
WAITS = "import time; print('begun', flush=True); time.sleep(60)"


def opened(rig: WindowRig, tmp_path: Path, program: str = "") -> ExportDesk:
    """Return the desk with a saved session on screen; `program` takes the place of the command."""
    rig.window.settings.set_text("export_folder", str(tmp_path / "out"))
    desk = open_session(rig, save_session(tmp_path / "pilot")).exports
    if program:
        desk._child = ChildAnswer([sys.executable, "-c", program], desk)
        desk._child.answered.connect(desk._done)
    return desk


def test_one_click_writes_the_session_in_all_forms_and_says_where(
    rig: WindowRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, bar = opened(rig, tmp_path), rig.window.notices
    target = tmp_path / "out" / "pilot"
    assert desk.button.toolTip() == (
        f"Write WAV, FLAC, CSV, Audacity labels, TextGrid, ELAN and an HTML page to {target}. Nothing is overwritten."
    )
    rig.click(desk.button)
    assert bar.text.text() == f"Exporting “pilot” to {target} …"
    assert bar.deed_button.text() == "Cancel"
    wait_until(lambda: "written to" in bar.text.text())
    names = {path.name for path in target.iterdir()}
    assert {
        "pilot.heard.wav",
        "pilot.heard.flac",
        "pilot.turns.csv",
        "pilot.TextGrid",
        "pilot.eaf",
        "pilot.html",
    } <= names
    assert f"{len(names)} files written to {target}" in bar.text.text()
    assert (bar.deed_button.text(), bar.other_button.text()) == ("Show", "Choose…")
    assert not rig.window.findChildren(ExportDialog)
    shown = list[str]()
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: shown.append(url.toLocalFile()))
    rig.click(bar.deed_button)
    assert shown == [str(target)]
    rig.window.menus.actions[EXPORT].trigger()  # the entry of the menu does the same, and overwrites nothing
    wait_until(lambda: "files written to" in bar.text.text())
    assert {path.name for path in target.iterdir()} > names
    assert (target / "pilot-2.eaf").is_file()


def test_what_was_chosen_last_is_written_the_next_time(rig: WindowRig, tmp_path: Path) -> None:
    desk, bar = opened(rig, tmp_path, TELLS.format(notes=[])), rig.window.notices
    desk.ask()
    dialog = rig.window.findChild(ExportDialog)
    assert dialog is not None
    for form, box in dialog.boxes.items():
        box.setChecked(form in ("csv", "elan"))
    dialog.folder.setText(str(tmp_path / "elsewhere" / "pilot"))
    dialog.export()
    dialog.reject()
    target = tmp_path / "elsewhere" / "pilot"
    assert desk.button.toolTip() == f"Write CSV and ELAN to {target}. Nothing is overwritten."
    told = list[str]()
    desk._child.answered.connect(lambda output, *_: told.extend(json.loads(output)["files"]))
    rig.click(desk.button)
    wait_until(lambda: "files written" in bar.text.text())
    assert told == [str(tmp_path / "pilot" / SESSION), "--to=csv,elan", f"--out={target}", "--json"]


def test_a_redacted_copy_is_never_what_one_click_follows(rig: WindowRig, tmp_path: Path) -> None:
    desk = opened(rig, tmp_path)
    before = desk.tip
    desk.ask()
    dialog = rig.window.findChild(ExportDialog)
    assert dialog is not None
    dialog.redacted.setChecked(True)
    dialog.boxes["csv"].setChecked(False)
    dialog.folder.setText(str(tmp_path / "for a bug report"))
    dialog.export()
    dialog.reject()
    assert desk.button.toolTip() == desk.tip == before


def test_an_export_is_cancelled_by_its_notice_and_a_second_one_waits(rig: WindowRig, tmp_path: Path) -> None:
    desk, bar = opened(rig, tmp_path, WAITS), rig.window.notices
    rig.click(desk.button)
    rig.click(desk.button)
    assert "“pilot” is still being exported" in bar.text.text()
    bar.dismiss()
    assert bar.text.text().startswith("Exporting “pilot”")
    rig.click(bar.deed_button)
    assert not desk._child.waiting
    assert bar.text.text() == "The export was cancelled."
    assert [notice.sentence for notice in bar.shown] == ["The export was cancelled."]


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("import sys; sys.exit('/out is full: make room.')", "✕  /out is full: make room."),
        ("import sys; sys.exit(9)", "✕  The export ended with exit code 9: see the terminal."),
        (TELLS.format(notes=["It ends early."]), "⚠  4 files written to {target}. It ends early."),
    ],
)
def test_what_went_wrong_and_what_is_lacking_is_told(rig: WindowRig, tmp_path: Path, program: str, says: str) -> None:
    desk, bar = opened(rig, tmp_path, program), rig.window.notices
    rig.click(desk.button)
    wait_until(lambda: bar.text.text() == says.format(target=tmp_path / "out" / "pilot"))
    rig.click(bar.other_button)
    dialog = rig.window.findChild(ExportDialog)
    assert dialog is not None
    dialog.reject()
    assert not bar.isVisible()


def test_where_no_form_was_left_the_dialog_asks(rig: WindowRig, tmp_path: Path) -> None:
    desk = opened(rig, tmp_path)
    rig.window.settings.set_text("export_forms", "mp3")
    rig.click(desk.button)
    dialog = rig.window.findChild(ExportDialog)
    assert dialog is not None
    dialog.reject()


def test_all_buttons_of_the_strip_fit_a_screen_of_1280_pixels(rig: WindowRig, tmp_path: Path) -> None:
    desk = opened(rig, tmp_path)
    window = rig.window
    window.sessions.unfinished._show("… being written or finished", offers=True)
    wait_until(lambda: window.banner.isVisible() and desk.choose_button.isVisible())
    assert window.banner.minimumSizeHint().width() <= 1280
    assert window.minimumSizeHint().width() <= 1280


def test_forms_in_words_and_settings_of_old(tmp_path: Path) -> None:
    assert (listed([]), listed(["wav"]), listed(["wav", "html"])) == ("", "WAV", "WAV and an HTML page")
    settings = WindowSettings(tmp_path)
    choice = ExportChoice(settings)
    assert choice.forms == list(FORMS)
    settings.set_text("export_forms", "html,gone,csv")
    assert choice.forms == ["csv", "html"]
    assert outcome(b"", 3, "first\n /out is full.\n") == " /out is full."

"""The export dialog: what is written, and where to; it names the session, and stays small however many files come."""

import json
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from simulator.record import export
from simulator.record.folder import SESSION
from tests.ui.test_sessions_desk import open_session, save_session
from tests.ui.window_rig import WindowRig, wait_until
from ui.dialogs.export import ExportDialog
from ui.models.exports import FORMS
from ui.settings import WindowSettings
from ui.theme import Theme


def _prints(answer: object) -> list[str]:
    return [sys.executable, "-c", f"print({json.dumps(answer)!r})"]


def _dialog(record: Path, tmp_path: Path, files: int = 2) -> ExportDialog:
    answer = {"files": [f"/out/pilot.part-{number}.csv" for number in range(files)], "notes": ["It ends early."]}
    return ExportDialog(record, WindowSettings(tmp_path / "config"), command=_prints(answer))


def test_export_asks_what_and_where_and_tells_what_was_written(rig: WindowRig, tmp_path: Path) -> None:
    folder = save_session(tmp_path / "pilot")
    open_session(rig, folder)
    rig.window.settings.set_text("export_folder", str(tmp_path / "out"))
    rig.window.sessions.exports.ask()
    dialog = rig.window.findChild(ExportDialog)
    assert dialog is not None
    assert dialog.name.text() == "pilot"
    dialog.redacted.setChecked(True)
    assert not dialog.boxes["wav"].isEnabled()  # a redacted copy holds no voices
    dialog.redacted.setChecked(False)
    for form, box in dialog.boxes.items():
        box.setChecked(form in ("flac", "csv"))
    rig.click(dialog.export_button)
    wait_until(lambda: "written to" in dialog.outcome.text())
    names = {path.name for path in (tmp_path / "out" / "pilot").iterdir()}
    assert {"pilot.events.csv", "pilot.turns.csv"} <= names
    assert set(dialog.files.toPlainText().splitlines()) == names
    assert dialog.outcome.text().splitlines()[0] == f"✓  {len(names)} files written to {tmp_path / 'out' / 'pilot'}"
    dialog.folder.setText(str(folder / SESSION))
    rig.click(dialog.export_button)
    wait_until(lambda: str(folder / SESSION) in dialog.outcome.text())
    assert dialog.files.isHidden()
    dialog.reject()


def test_each_session_is_offered_a_folder_of_its_own_where_the_last_one_was_put(theme: Theme, tmp_path: Path) -> None:
    dialog = _dialog(tmp_path / "2026-12-01 06.33.10 embedded" / SESSION, tmp_path)
    dialog.folder.setText(str(tmp_path / "exports" / "2026-12-01 06.33.10 embedded"))
    dialog.export()
    wait_until(lambda: not dialog.files.isHidden())
    dialog.reject()
    further = _dialog(tmp_path / "2026-12-02 07.00.00 embedded", tmp_path)
    assert further.folder.text() == str(tmp_path / "exports" / "2026-12-02 07.00.00 embedded")
    further.folder.setText(str(tmp_path / "shared"))
    further.export()
    wait_until(lambda: not further.files.isHidden())
    further.reject()
    third = _dialog(tmp_path / "pilot.jsonl", tmp_path)
    assert third.folder.text() == str(tmp_path / "shared" / "pilot")


def test_however_many_files_were_written_the_buttons_stay_on_the_screen(theme: Theme, tmp_path: Path) -> None:
    dialog = _dialog(tmp_path / "pilot" / SESSION, tmp_path, files=60)
    dialog.show()
    dialog.export()
    wait_until(lambda: not dialog.files.isHidden())
    assert dialog.height() < 500
    assert dialog.files.toPlainText().count("\n") == 59
    assert dialog.outcome.text().splitlines()[-1] == "It ends early."


@pytest.mark.parametrize(
    ("found", "says"), [(True, "Handed to the file manager"), (False, "No file manager was found")]
)
def test_showing_the_folder_says_what_came_of_it(
    theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: bool, says: str
) -> None:
    opened = list[QUrl]()

    def open_url(url: QUrl) -> bool:
        opened.append(url)
        return found

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    dialog = _dialog(tmp_path / "pilot" / SESSION, tmp_path)
    dialog.folder.setText(str(tmp_path / "out"))
    dialog.export()
    wait_until(lambda: not dialog.files.isHidden())
    dialog.folder.setText("elsewhere")
    dialog.show_button.click()
    assert [url.toLocalFile() for url in opened] == [str(tmp_path / "out")]
    assert dialog.show_button.text() == says


def test_every_form_of_the_command_is_offered() -> None:
    assert tuple(FORMS) == export.FORMS

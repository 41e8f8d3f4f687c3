"""The rules of tests/conftest.py, each seen to fail a test that breaks it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent.parent


def outcome_of(source: str, folder: Path, **env: str) -> str:
    """Run a test file under our conftest and return what pytest printed."""
    (folder / "test_it.py").write_text("import PySide6.QtCore as qt, pytest\n" + source)
    command = [sys.executable, "-P", "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    command += ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder), str(folder / "test_it.py")]
    clean = {name: value for name, value in os.environ.items() if name != "CI"}
    # In a folder of its own the file is not below tests/, so the conftest comes as a plugin, found here.
    environment = clean | {"PYTHONPATH": str(ROOT)} | env
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False).stdout


def test_a_warning_of_qt_fails_the_test(tmp_path: Path) -> None:
    printed = outcome_of("def test_it():\n    qt.qWarning('a slot that is not there')\n", tmp_path)
    assert "Qt: a slot that is not there" in printed
    assert "1 passed, 1 error" in printed


def test_a_warning_of_qt_that_is_expected_does_not(tmp_path: Path) -> None:
    source = "@pytest.mark.qt_warnings('not there')\ndef test_it():\n    qt.qWarning('a slot that is not there')\n"
    assert "1 passed in" in outcome_of(source, tmp_path)


def test_an_exception_in_a_slot_fails_the_test(tmp_path: Path) -> None:
    source = (
        "def test_it():\n"
        "    app = qt.QCoreApplication.instance() or qt.QCoreApplication([])\n"
        "    def slot():\n"
        "        app.quit()\n"
        "        raise ValueError('lost in a slot')\n"
        "    qt.QTimer.singleShot(0, slot)\n"
        "    app.exec()\n"
    )
    printed = outcome_of(source, tmp_path)
    assert "ValueError: lost in a slot" in printed
    assert "1 passed, 1 error" in printed


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere CI has no sound server")
@pytest.mark.parametrize(("ci", "expected"), [("", "1 skipped in"), ("true", "1 error in")])
def test_without_a_sound_server_a_test_of_sound_is_skipped_but_fails_in_ci(
    tmp_path: Path, ci: str, expected: str
) -> None:
    printed = outcome_of("def test_it(sound_server):\n    pass\n", tmp_path, PATH=str(tmp_path), CI=ci)
    assert "no pulseaudio, pactl, parecord on this machine" in printed
    assert expected in printed

"""`dev.py`: the parts that decide, without installing anything."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

import dev

DEV: Final = Path(dev.__file__)


def test_without_a_command_it_says_what_there_is() -> None:
    answer = subprocess.run([sys.executable, str(DEV)], capture_output=True, text=True, timeout=30, check=True)
    for command in ("dev.py run", "dev.py test", "dev.py bench"):
        assert command in answer.stdout


def test_an_unknown_command_is_wrong_use() -> None:
    answer = subprocess.run([sys.executable, str(DEV), "rnu"], capture_output=True, text=True, timeout=30, check=False)
    assert answer.returncode == 3


def test_a_python_that_is_too_old_without_another_gets_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(dev.Failure, match=r"needs Python 3\.11, 3\.12, 3\.13 or 3\.14, and found only 3\.9"):
        dev.use_a_suitable_python(["run"])


def test_a_python_that_is_too_old_goes_on_in_a_suitable_one(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []

    def start(command: list[str]) -> int:
        started.append(command)
        return 0

    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(dev, "version_of", lambda command: "3.12" if command[-1].endswith("3.12") else "")
    monkeypatch.setattr(dev, "replace_by", start)
    with pytest.raises(SystemExit):
        dev.use_a_suitable_python(["run", "--", "devices"])
    assert started[0][-4:] == [str(DEV), "run", "--", "devices"]
    assert "3.12" in started[0][0] + started[0][1]


def test_installing_again_is_only_needed_when_the_settings_or_the_wish_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def pip(command: list[str], cwd: str) -> int:
        calls.append(command[-1])
        return 0

    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "STAMP", tmp_path / "installed.json")
    monkeypatch.setattr(dev, "UNFINISHED", tmp_path / "unfinished")
    monkeypatch.setattr("subprocess.call", pip)
    (tmp_path / "pyproject.toml").write_text("a")
    (tmp_path / "constraints.txt").write_text("b")
    for extras in ("ears", "ears", "dev,ears", "dev,ears", "ears"):
        dev.install(extras)
    assert calls == [".[ears]", ".[dev,ears]"]
    (tmp_path / "constraints.txt").write_text("c")
    dev.install("ears")
    dev.install("dev,ears")
    assert calls == [".[ears]", ".[dev,ears]", ".[ears]", ".[dev,ears]"]
    assert not (tmp_path / "unfinished").exists()


def test_an_installation_that_failed_is_not_taken_for_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "STAMP", tmp_path / "installed.json")
    monkeypatch.setattr(dev, "UNFINISHED", tmp_path / "unfinished")
    monkeypatch.setattr("subprocess.call", lambda command, cwd: 1)
    (tmp_path / "pyproject.toml").write_text("a")
    (tmp_path / "constraints.txt").write_text("b")
    for _ in range(2):
        with pytest.raises(dev.Failure, match="pip could not install"):
            dev.install("dev")


def test_an_environment_that_is_broken_half_made_or_marked_unfinished_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ".venv"
    python = folder / dev.VENV_PYTHON.relative_to(dev.VENV)
    made: list[list[str]] = []
    monkeypatch.setattr(dev, "VENV", folder)
    monkeypatch.setattr(dev, "VENV_PYTHON", python)
    monkeypatch.setattr(dev, "UNFINISHED", folder / "unfinished")
    monkeypatch.setattr(dev, "run", lambda command, sentence: made.append(command))

    dev.make_venv()
    assert len(made) == 1, "none there"
    folder.mkdir()
    (folder / "pyvenv.cfg").write_text("")
    dev.make_venv()
    assert len(made) == 2, "no Python in it"
    assert not folder.exists()
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=100)
    dev.make_venv()
    assert len(made) == 2, "whole"
    (folder / "unfinished").touch()
    dev.make_venv()
    assert len(made) == 3, "an installation in it was interrupted"


@pytest.mark.parametrize("status", ["installed libglib2.0-0\n", "installed libglib2.0-0t64\n"])
def test_a_package_that_was_renamed_is_there_under_either_name(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Query:
        def __init__(self, *_: object, **__: object) -> None:
            pass

        def communicate(self) -> tuple[bytes, None]:
            return (status + "config-files xvfb\ninstalled libegl1\n").encode(), None

    monkeypatch.setattr("subprocess.Popen", Query)
    needs = ["libegl1", "libglib2.0-0t64|libglib2.0-0", "xvfb", "xdotool"]
    assert dev.missing_packages(needs) == ["xvfb", "xdotool"]

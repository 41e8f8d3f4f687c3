"""The program's entry point: commands without Qt, a real window on a real X server, and its end by a signal."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.rig.display import Display
from ui.main import main

COMMAND_LOADS = """
import sys
from ui.main import main
code = main({arguments!r})
print([name for name in sys.modules if name.partition(".")[0] in ("PySide6", "pyqtgraph", "sounddevice")], code)
"""

# The window of the program itself; it says when it is drawn; with "talk" it holds a conversation by its buttons.
WINDOW = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from ui import application
from ui.main_window import MainWindow
from simulator.participant.messages import ConnectionState

def say(text):
    print(text, flush=True)

class Watched(MainWindow):
    def start(self, record=None):
        super().start(record)
        say(f"drawn {self.isVisible()} {QApplication.platformName()}")
        if "talk" in sys.argv:
            self.connection.connect_button.click()
            self.feed.status_changed.connect(self.look)
            self.feed.entries_added.connect(lambda *_: self.look(self.feed.status))
            self.talked = self.told = False
        if "check" in sys.argv:
            self.checks_feed.changed.connect(self.check)

    def check(self):
        states = {cell.state.value for cell in self.checks_feed.model.cells.values()}
        if states == {"not run"}:
            QTimer.singleShot(0, self.checks.run_all_button.click)
        elif {"running", "waiting"} & states:
            say("checking")

    def look(self, status):
        if status.connection is ConnectionState.CONNECTED and status.session_accepted and not self.talked:
            self.talked = True
            self.connection.talk_button.click()
        if self.talked and not self.told and status.agent_heard:
            self.told = True
            say(f"heard {status.record_path}")

application.MainWindow = Watched
sys.exit(application.run_window())
"""


def test_a_command_runs_without_qt() -> None:
    program = COMMAND_LOADS.format(arguments=["check", "--list", "--json"])
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert answer.stdout.splitlines()[-1] == "[] 0"


def test_python_m_ui_is_the_same_program() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "ui", "check", "--list", "--json"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "handshake" in [check["id"] for check in json.loads(answer.stdout)["checks"]]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there a program can lack a screen")
def test_without_a_screen_one_sentence_says_what_to_do() -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "QT_QPA_PLATFORM")}
    environment.pop("WAYLAND_DISPLAY", None)
    answer = subprocess.run([sys.executable, "-m", "ui"], env=environment, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 3
    assert answer.stderr == "There is no screen for the window: set DISPLAY, or use a command (see --help).\n"


@pytest.mark.parametrize(
    ("arguments", "record"),
    [
        (["saved"], "saved"),
        (["./elsewhere/"], "elsewhere"),
        (["check.jsonl"], "check.jsonl"),
        (["run"], None),
        (["run", "saved"], None),
        (["--version"], None),
    ],
)
def test_a_folder_or_file_of_a_record_opens_it_and_anything_else_is_a_command(
    arguments: list[str], record: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("saved", "elsewhere", "run"):
        (tmp_path / folder).mkdir()
    for file in ("saved/session.jsonl", "elsewhere/session.jsonl", "check.jsonl"):
        (tmp_path / file).touch()
    monkeypatch.chdir(tmp_path)
    opened: list[Path | None] = []
    monkeypatch.setattr("ui.main._open_window", opened.append)
    monkeypatch.setattr("simulator.cli.main", lambda arguments: None)
    main(arguments)
    wanted = [] if record is None else [Path(record) if record.endswith("l") else Path(record) / "session.jsonl"]
    assert opened == wanted


def test_a_record_that_is_not_there_is_told_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "gone.jsonl")]) == 3
    assert "There is no record" in capsys.readouterr().err
    assert main([str(tmp_path)]) == 3
    assert "holds no session" in capsys.readouterr().err


@pytest.fixture
def environment(x_display: Display, tmp_path: Path) -> dict[str, str]:
    return x_display.env | {
        "PARTICIPANT_SIMULATOR_CONFIG": str(tmp_path / "config"),
        "PARTICIPANT_SIMULATOR_DATA": str(tmp_path / "data"),
    }


@contextmanager
def running(environment: dict[str, str], *words: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", WINDOW, *words]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: "subprocess.Popen[str]", start: str) -> str:
    assert process.stdout is not None
    for text in process.stdout:
        if text.startswith(start):
            return text.strip()
    raise AssertionError(f"the window ended before it said “{start}”")


def all_gone(processes: list[psutil.Process]) -> bool:
    """Whether all of them end by themselves."""
    _, alive = psutil.wait_procs(processes, timeout=10)
    return not alive


@pytest.mark.window
def test_a_real_window_holds_a_conversation_and_sigterm_in_mid_reply_ends_it_in_order(
    environment: dict[str, str],
) -> None:
    with running(environment, "talk") as process:
        assert line(process, "drawn") == "drawn True xcb"
        record = Path(line(process, "heard").split(" ", 1)[1])
        family = psutil.Process(process.pid).children(recursive=True)
        assert family
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert all_gone(family)
    entries = [json.loads(text) for text in record.read_text().splitlines()]
    assert entries[0]["type"] == "record.started"
    assert entries[-1]["type"] == "record.ended"
    assert "response.output_audio.delta" in {entry["type"] for entry in entries}


@pytest.mark.window
def test_a_killed_window_leaves_no_process_behind(environment: dict[str, str]) -> None:
    with running(environment, "talk") as process:
        line(process, "heard")
        family = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        assert all_gone(family)


@pytest.mark.window
@pytest.mark.parametrize("end", ["SIGTERM", "SIGKILL"])
def test_a_run_of_checks_ends_with_the_window(environment: dict[str, str], end: str) -> None:
    with running(environment, "check") as process:
        line(process, "checking")
        family = psutil.Process(process.pid).children(recursive=True)
        assert any("check" in child.cmdline() for child in family)
        process.send_signal(getattr(signal, end))
        assert all_gone(family)


@pytest.mark.window
def test_ctrl_c_closes_an_idle_window(environment: dict[str, str]) -> None:
    with running(environment) as process:
        line(process, "drawn")
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0


@pytest.mark.parametrize("name", ["pilot", "run"])
def test_a_folder_without_a_session_is_told_unless_it_is_called_as_a_command(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).mkdir()
    assert main([name]) == 3
    told = "The folder pilot holds no session" if name == "pilot" else "The following arguments are required: STUDY"
    assert capsys.readouterr().err.startswith(told)

"""Ctrl-C while the program still loads: real processes, interrupted as they load one module or another."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.engines.children import child_environment, python_command
from simulator.interrupts import end_at_once, end_in_order

CHECK = ("check", "--engine", "embedded")
CONSOLE_SCRIPT = [sys.executable, "-c", "import sys; from ui.start import main; sys.exit(main())"]
STARTS = {
    "python -m simulator": [*python_command("simulator"), *CHECK],
    "python -m ui": [*python_command("ui"), *CHECK],
    "participant-simulator": [*CONSOLE_SCRIPT, *CHECK],
    "the window": CONSOLE_SCRIPT,
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals between processes are POSIX")
@pytest.mark.parametrize(
    ("start", "moment"),
    [
        ("python -m simulator", "argparse"),
        ("python -m simulator", "simulator.cli.check"),
        ("python -m ui", "pathlib"),
        ("python -m ui", "msgspec"),
        ("participant-simulator", "ui.main"),
        ("participant-simulator", "simulator.cli"),
        ("the window", "PySide6.QtCore"),
        ("the window", "PySide6.QtGui"),
    ],
)
def test_a_program_interrupted_while_it_loads_ends_quietly_with_2(start: str, moment: str, tmp_path: Path) -> None:
    environment = child_environment() | {
        "PYTHONPROFILEIMPORTTIME": "1",  # tells on the standard error which module was loaded
        "QT_QPA_PLATFORM": "offscreen",
        "PARTICIPANT_SIMULATOR_CONFIG": str(tmp_path / "config"),
        "PARTICIPANT_SIMULATOR_DATA": str(tmp_path / "data"),
    }
    with subprocess.Popen(
        STARTS[start], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if line.rpartition("|")[2].strip() == moment:
                    break
            process.send_signal(signal.SIGINT)
            said = [line for line in process.stderr if not line.startswith("import time:")]
            assert process.wait(20) == 2
        finally:
            process.kill()
    assert [line for line in said if line != "Interrupted.\n"] == []


@pytest.mark.skipif(sys.platform == "win32", reason="a process that ignores signals is POSIX")
def test_a_program_that_is_to_ignore_ctrl_c_still_does() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        end_at_once()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        signal.signal(signal.SIGINT, signal.default_int_handler)
        end_at_once()
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        end_in_order()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)

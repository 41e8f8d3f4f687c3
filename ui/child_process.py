"""How the window starts parts of the program as children.

QProcess rather than asyncio's subprocess, whose reader fails at lines over 64 KiB; a session of its own on Unix, lest a
Ctrl-C in the terminal end the children before the window ends them in order.
"""

import sys

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment

from simulator.engines.children import child_environment, python_command

__all__ = ["make_process", "pass_on", "python_command"]


def make_process(command: list[str], parent: QObject) -> QProcess:
    """Return a process that is ready to be started, with the environment of the program's own children."""
    process = QProcess(parent)
    process.setProgram(command[0])
    process.setArguments(command[1:])
    environment = QProcessEnvironment()
    for name, value in child_environment().items():
        environment.insert(name, value)
    environment.insert("PYTHONUTF8", "1")
    process.setProcessEnvironment(environment)
    if sys.platform != "win32":
        parameters = QProcess.UnixProcessParameters()
        parameters.flags = QProcess.UnixProcessFlag.CreateNewSession
        process.setUnixProcessParameters(parameters)
    return process


def pass_on(data: bytes) -> None:
    """Write a child's standard error to ours, where there is one (a program without a terminal has none)."""
    if sys.stderr is not None:
        sys.stderr.write(data.decode(errors="replace"))

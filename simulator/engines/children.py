"""How this program starts its own parts as child processes.

`-P` keeps the user's current folder off the module path, lest a `simulator/` folder of theirs be run instead. In a
checkout that is not installed, the child finds the package by PYTHONPATH.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

_ROOT: Final = Path(__file__).resolve().parents[2]


def python_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs one of the program's modules in a process of its own."""
    return [sys.executable, "-P", "-m", module, *arguments]


def child_environment() -> dict[str, str]:
    """Return the environment for such a child: this process's own, plus where the package lies if it must be told."""
    environment = dict(os.environ)
    if (_ROOT / "pyproject.toml").is_file():
        inherited = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([str(_ROOT), inherited] if inherited else [str(_ROOT)])
    return environment


def apart_from_the_terminal() -> dict[str, Any]:
    """Return the arguments of Popen that keep a Ctrl-C in the terminal from the child.

    The parent ends its children in order; a child that the terminal ends first would cut the session short.
    """
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def in_the_background() -> dict[str, Any]:
    """Return the same for a child that takes the processor only when nobody else wants it.

    Elsewhere than on Windows such a child lowers its priority itself.
    """
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.BELOW_NORMAL_PRIORITY_CLASS}
    return apart_from_the_terminal()

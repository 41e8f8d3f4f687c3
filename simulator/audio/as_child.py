"""A module of this room as a process of its own: what its parent needs to start it, and what it needs itself.

The engine and `simulator.engines` have their own of this: neither may be known here, nor this room to them.
"""

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any, Final

_ROOT: Final = Path(__file__).resolve().parents[2]


def child_environment() -> dict[str, str]:
    """Return the environment for a child that runs a module of this room."""
    environment = dict(os.environ)
    if (_ROOT / "pyproject.toml").is_file():
        # A checkout that is not installed: the child must be told where the package lies.
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(_ROOT), environment.get("PYTHONPATH"))))
    return environment


def end_with_the_parent() -> None:
    """From now on, end this process at once when its standard input ends: nobody listens any more."""

    def wait() -> None:
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def print_line(message: Any) -> None:
    """Tell the parent: one line of JSON on standard output."""
    sys.stdout.write(json.dumps(message, ensure_ascii=False) + "\n")
    sys.stdout.flush()

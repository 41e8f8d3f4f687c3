"""A module of this room as a process of its own: what its parent needs to start it, and what it needs itself.

The engine and `simulator.engines` have their own of this: neither may be known here, nor this room to them.
"""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

from simulator.errors import EnvironmentFault, SimulatorError

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
        # The descriptor itself: a lock of sys.stdin held by this thread would stop the interpreter from ending.
        while os.read(0, 4096):
            pass
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def run_as_child(answer: Callable[[Any], Coroutine[Any, Any, None]]) -> int:
    """Answer the question on the command line, as JSON, until that is done or the parent is gone.

    Returns the exit code: 3 where the environment is at fault, 1 for other faults, which are told as `error`.
    """
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    end_with_the_parent()
    try:
        asyncio.run(answer(json.loads(sys.argv[1])))
    except SimulatorError as error:
        print_line({"error": str(error)})
        return 3 if isinstance(error, EnvironmentFault) else 1
    return 0


def print_line(message: Any) -> None:
    """Tell the parent: one line of JSON on standard output."""
    sys.stdout.write(json.dumps(message, ensure_ascii=False) + "\n")
    sys.stdout.flush()

"""Runs one function in the middle of another: at any step of the interpreter, deterministically.

Under the interpreter's lock another thread can only come between two bytecode instructions. Running the other
thread's function at instruction 0, 1, 2, … of the first covers every such moment once, where threads would need luck.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any


def run_at_every_step(running: Callable[[], object], intruder: Callable[[], object], step: int, *, file: str) -> bool:
    """Run `running`, and `intruder` before its instruction number `step` in `file`.

    Returns False if `running` had fewer instructions: then `intruder` ran after it.
    """
    remaining = step
    intruded = False

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal remaining, intruded
        if Path(frame.f_code.co_filename).name != file:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and not intruded:
            if remaining == 0:
                intruded = True
                intruder()
            remaining -= 1
        return trace

    previous = sys.gettrace()
    # Python 3.12 gives instruction events only if some frame wanted them before tracing began.
    sys._getframe().f_trace_opcodes = True
    sys.settrace(trace)
    try:
        running()
    finally:
        sys.settrace(previous)
    if not intruded:
        intruder()
    return intruded

"""Ctrl-C while the program still loads: it ends at once and quietly, as nothing has begun that must be closed in order.

Imported before everything else, so it imports next to nothing.
"""

import os
import signal
from types import FrameType

_INTERRUPTED = 2
"""What a command that was interrupted ends with (`cli.exits.Exit.UNDECIDED`, which is not loaded yet)."""


def end_at_once() -> None:
    """From now on Ctrl-C ends the process, unless whoever started it wants it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def end_in_order() -> None:
    """Raise KeyboardInterrupt again: from now on something catches it."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(_number: int, _frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED)

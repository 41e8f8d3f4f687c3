"""Memory that is free but not given back."""

import ctypes
import sys
from functools import cache
from typing import Any


def give_back_freed() -> None:
    """Gives memory that was freed back to the system (a few ms); does nothing where the C library does that by itself.

    glibc keeps it. Recognising allocates blocks of some hundred kB, of another size for each clip, and what it keeps
    of them added up to 60 MB in an hour of conversation.
    """
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Any:
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None

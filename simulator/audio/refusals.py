"""Why a device did not open, in the user's words.

PortAudio has a number for a busy device, but most systems answer with an error of their own, which it passes on as a
number and a text: they tell a device that another program holds from one that is gone or that may not be used.
"""

from collections.abc import Iterable
from typing import Final

_BUSY: Final = ("-9985", "busy", "in use", "-2004287478", "-2004287473")
"""PortAudio's device unavailable; EBUSY; WASAPI: used alone by another program, or not to be shared."""

_FORBIDDEN: Final = ("permission denied", "access is denied", "not permitted", "-2147024891")
"""EACCES and EPERM; Windows' E_ACCESSDENIED, which its privacy settings make."""

_GONE: Final = ("no such", "-9996", "-2004287484", "input/output error", "no default")
"""ENOENT, ENODEV and EIO; PortAudio's invalid device; WASAPI: taken out."""

_SAYS: Final = (
    (_FORBIDDEN, "may not be used by this program: allow it in the system's privacy settings, then choose it again."),
    (
        _BUSY,
        "is in use by another program, which has it for itself: close that program, or choose another device, or this "
        "one by another interface.",
    ),
    (_GONE, "has gone: plug it in again, or choose another device."),
)


def why_not_opened(what: str, errors: Iterable[Exception]) -> str:
    """Return one sentence on a device that did not open, and what to do; `what` names it and begins the sentence."""
    told = " ".join(str(part) for error in errors for part in error.args).casefold()
    for signs, sentence in _SAYS:
        if any(sign in told for sign in signs):
            return f"{what} {sentence}"
    return f"{what} cannot be opened: check that it is plugged in, or choose another device."

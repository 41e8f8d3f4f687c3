"""`--impair`: what is done to the participant's voice on its way to the engine, as a list of what=value."""

from typing import Any, Final

import msgspec

from simulator.audio.impairments import WHITE, Impairments, check
from simulator.errors import UsageError

_FIELDS: Final = {
    "noise": "noise_db",
    "snr": "noise_db",
    "kind": "noise",
    "drop": "drop_percent",
    "burst": "burst_ms",
    "dropped": "dropped",
    "delay": "delay_ms",
    "seed": "seed",
}


def impairments_from(text: str) -> Impairments:
    """Read the list. Raises UsageError with what is wrong in it."""
    given: dict[str, Any] = {}
    names: set[str] = set()
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name not in _FIELDS or not value:
            raise UsageError(
                f"“{part.strip()}” in --impair is not understood: give {', '.join(_FIELDS)} as NAME=VALUE."
            )
        names.add(name)
        given[_FIELDS[name]] = value
    if {"noise", "snr"} <= names:
        raise UsageError("The noise in --impair has two levels: give noise (in dBFS) or snr (below the speech).")
    if "kind" in names and not names & {"noise", "snr"}:
        raise UsageError("The noise in --impair has no level: add noise=-40, or snr=10.")
    if names & {"noise", "snr"}:
        given.setdefault("noise", WHITE)
        given["relative_to"] = "speech" if "snr" in names else "full scale"
    try:
        impairments = msgspec.convert(given, Impairments, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"A value in --impair cannot be used: {error}.") from error
    check(impairments)
    return impairments

"""Impairments of the participant's voice as a form, and as a record tells of them. No Qt here."""

from collections.abc import Mapping
from typing import Any

import msgspec

from simulator.audio.impairments import (
    LARGEST_DROP_PERCENT,
    LARGEST_SNR_DB,
    LONGEST_DELAY_MS,
    NOISES,
    QUIETEST_DBFS,
    Impairments,
)
from simulator.units import BLOCK_MS
from ui.models.form_fields import FormField, Values

NO_NOISE = "none"
_AGAINST = {"dBFS": "full scale", "dB SNR": "speech"}
_BURSTS_MS = (20, 40, 60, 100, 200, 400, 1000, 2000)
_DROPPED = {
    "silence in its place": "silent",
    "late, with the next one": "late",
    "never sent": "skipped",
}
LEVELS = {"dBFS": -40, "dB SNR": 10}
"""The level that a unit begins with."""

FIELDS = (
    FormField(
        "noise",
        "Noise",
        "pick",
        NO_NOISE,
        (NO_NOISE, *NOISES),
        tip="White, pink, the babble of several voices; or a recording: its name, or the path of an audio file",
    ),
    FormField("noise_db", "Level", "whole", -40, low=round(QUIETEST_DBFS), high=round(LARGEST_SNR_DB)),
    FormField(
        "unit",
        "Level in",
        "choice",
        "dBFS",
        tuple(_AGAINST),
        tip="dBFS: against full scale. SNR: how many dB the speech is louder than the noise",
    ),
    FormField("drop", "Lost blocks", "whole", 0, high=round(LARGEST_DROP_PERCENT), suffix=" % of 20 ms each"),
    FormField(
        "burst",
        "Lost at once",
        "choice",
        f"{BLOCK_MS} ms",
        tuple(f"{burst} ms" for burst in _BURSTS_MS),
        tip="The mean length of what is lost in one go",
    ),
    FormField(
        "dropped",
        "A lost block is",
        "choice",
        "silence in its place",
        tuple(_DROPPED),
        tip="Silence: as a radio link without concealment. Late: as TCP, and with it every WebSocket, which loses "
        "nothing but stalls. Never sent: the engine's clock, which counts samples, falls behind",
    ),
    FormField("delay", "Delay", "whole", 0, high=LONGEST_DELAY_MS, suffix=" ms"),
    FormField(
        "seed", "Seed", "whole", 1, low=1, high=9999, tip="The same seed gives the same noise and loses the same blocks"
    ),
)


def impairments_of(values: Values) -> Impairments:
    """Return what the form says."""
    noise = str(values["noise"]).strip()
    return Impairments(
        noise="" if noise == NO_NOISE else noise,
        noise_db=values["noise_db"],
        relative_to=_AGAINST[values["unit"]],  # type: ignore[arg-type]
        drop_percent=values["drop"],
        burst_ms=int(str(values["burst"]).removesuffix(" ms")),
        dropped=_DROPPED[values["dropped"]],  # type: ignore[arg-type]
        delay_ms=values["delay"],
        seed=values["seed"],
    )


def values_of(impairments: Impairments | None) -> dict[str, Any]:
    """Return what the form shows for impairments; None: for none."""
    wanted = impairments or Impairments()
    return {
        "noise": wanted.noise or NO_NOISE,
        "unit": next(unit for unit, against in _AGAINST.items() if against == wanted.relative_to),
        "noise_db": wanted.noise_db,
        "drop": wanted.drop_percent,
        "burst": f"{wanted.burst_ms} ms",
        "dropped": next(words for words, kind in _DROPPED.items() if kind == wanted.dropped),
        "delay": wanted.delay_ms,
        "seed": wanted.seed,
    }


def told(event: Mapping[str, Any]) -> str:
    """Return what a record's note `impairments` says, in a line; empty where nothing was done, or it cannot be read."""
    if not event.get("active"):
        return ""
    try:
        return msgspec.convert({key: value for key, value in event.items() if key != "active"}, Impairments).words
    except msgspec.ValidationError:
        return "in a way that this program does not know"

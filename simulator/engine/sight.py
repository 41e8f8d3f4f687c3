"""Names the colour that fills an image. PNG only, by its average; no picture is understood beyond that. Pure."""

from __future__ import annotations

import base64
import binascii
import colorsys
import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAGIC = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by colour type: grey, RGB, palette, grey and alpha, RGBA
_ROWS = 32  # enough for an average, and little work for the loop
_MOST_BYTES = 1 << 20  # unpacked

_HUES = ((15, "red"), (45, "orange"), (70, "yellow"), (165, "green"), (195, "cyan"), (255, "blue"), (290, "purple"),
         (335, "pink"), (361, "red"))  # fmt: skip


def colour_of(data_url: str) -> str | None:
    """The name of an image's average colour; None where this cannot read it (JPEG, interlaced, 16 bits)."""
    try:
        image = base64.b64decode(data_url.partition(",")[2], validate=True)
        rgb = _average(image)
    except (binascii.Error, ValueError, IndexError, struct.error, zlib.error):
        return None
    return None if rgb is None else _name(*rgb)


def _average(image: bytes) -> tuple[float, float, float] | None:
    chunks = list(_chunks(image))
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
    if depth != 8 or interlaced or kind not in _CHANNELS or not width or not height:
        return None
    packed = b"".join(data for name, data in chunks if name == b"IDAT")
    channels = _CHANNELS[kind]
    row_bytes = 1 + width * channels
    rows = min(height, _ROWS, max(1, _MOST_BYTES // row_bytes))
    raw = zlib.decompressobj().decompress(packed, rows * row_bytes)
    pixels = _unfiltered(np.frombuffer(raw, np.uint8, rows * row_bytes).reshape(rows, row_bytes), channels)
    if kind == 3:
        palette = np.frombuffer(next(data for name, data in chunks if name == b"PLTE"), np.uint8).reshape(-1, 3)
        pixels = palette[pixels[..., 0]]
    elif kind in (0, 4):
        pixels = np.repeat(pixels[..., :1], 3, axis=2)
    red, green, blue = pixels[..., :3].reshape(-1, 3).mean(axis=0) / 255
    return float(red), float(green), float(blue)


def _chunks(image: bytes) -> Iterator[tuple[bytes, bytes]]:
    if not image.startswith(_MAGIC):
        raise ValueError("not a PNG")
    at = len(_MAGIC)
    while at + 8 <= len(image):
        length, name = struct.unpack(">I4s", image[at : at + 8])
        yield name, image[at + 8 : at + 8 + length]
        at += length + 12


def _unfiltered(rows: np.ndarray, channels: int) -> np.ndarray:
    """The pixels of rows that PNG stores as differences to the left, above, their mean or the nearest of three."""
    above = np.zeros((rows.shape[1] - 1) // channels * channels, np.uint8).reshape(-1, channels)
    pixels = []
    for row in rows:
        given = row[1:].reshape(-1, channels)
        match row[0]:
            case 0:
                now = given.copy()
            case 1:
                now = np.cumsum(given, axis=0, dtype=np.uint8)
            case 2:
                now = given + above
            case 3 | 4:
                now = _from_left(given, above, nearest=row[0] == 4)
            case _:
                raise ValueError("unknown filter")
        pixels.append(now)
        above = now
    return np.stack(pixels)


def _from_left(given: np.ndarray, above: np.ndarray, *, nearest: bool) -> np.ndarray:
    now = np.zeros_like(given)
    left = np.zeros(given.shape[1], np.int32)
    corner = np.zeros_like(left)
    for at in range(len(given)):
        up = above[at].astype(np.int32)
        if nearest:
            guess = left + up - corner
            to_left, to_up, to_corner = abs(guess - left), abs(guess - up), abs(guess - corner)
            first = np.where(
                (to_left <= to_up) & (to_left <= to_corner), left, np.where(to_up <= to_corner, up, corner)
            )
        else:
            first = (left + up) // 2
        now[at] = (given[at] + first) % 256
        left, corner = now[at].astype(np.int32), up
    return now


def _name(red: float, green: float, blue: float) -> str:
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    if lightness < 0.08:
        return "black"
    if lightness > 0.93:
        return "white"
    if saturation < 0.15:
        return "grey"
    return next(name for limit, name in _HUES if hue * 360 < limit)

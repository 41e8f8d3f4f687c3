"""The engine names the colour that fills a PNG, whatever kind of PNG it is."""

import base64
import struct
import zlib

import pytest

from simulator.engine.sight import colour_of


def png(kind: int, row: bytes, side: int = 8, filter_type: int = 0, palette: bytes = b"", first: bytes = b"") -> str:
    """A data URL of a square whose every row is `row` (the first may differ) behind a filter byte."""
    rows = b"".join(bytes([filter_type]) + (first if first and number == 0 else row) for number in range(side))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, kind, 0, 0, 0))]
    chunks += [(b"PLTE", palette)] if palette else []
    chunks += [(b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    body = b"".join(struct.pack(">I", len(data)) + name + data + b"\0\0\0\0" for name, data in chunks)
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()


@pytest.mark.parametrize(
    ("rgb", "name"),
    [
        ((255, 0, 0), "red"),
        ((0, 128, 0), "green"),
        ((0, 0, 255), "blue"),
        ((255, 255, 0), "yellow"),
        ((255, 140, 0), "orange"),
        ((128, 0, 160), "purple"),
        ((255, 105, 180), "pink"),
        ((0, 0, 0), "black"),
        ((255, 255, 255), "white"),
        ((128, 128, 128), "grey"),
    ],
)
def test_colours_have_names(rgb: tuple[int, int, int], name: str) -> None:
    assert colour_of(png(2, bytes(rgb) * 8)) == name


def test_every_kind_and_filter_of_png_is_read() -> None:
    assert colour_of(png(6, bytes((255, 0, 0, 255)) * 8)) == "red"
    assert colour_of(png(3, bytes([1] * 8), palette=bytes((0, 0, 0, 0, 0, 255)))) == "blue"
    assert colour_of(png(0, bytes([128] * 8))) == "grey"
    first_pixel = bytes((255, 0, 0)) + bytes(3 * 7)
    # Left: the first pixel, then no difference. Above: the first row, then no difference.
    assert colour_of(png(2, first_pixel, filter_type=1)) == "red"
    assert colour_of(png(2, bytes(24), filter_type=2, first=bytes((255, 0, 0)) * 8)) == "red"
    # Nearest of left, above and corner: red once, in the corner of the image.
    assert colour_of(png(2, bytes(24), filter_type=4, first=first_pixel)) == "red"
    # Mean of left and above: the first row halves to the right, and each row is what makes it red again.
    half = bytes((128, 0, 0))
    assert colour_of(png(2, half + bytes(3 * 7), filter_type=3, first=bytes((255, 0, 0)) + half * 7)) == "red"


@pytest.mark.parametrize(
    "url", ["data:image/jpeg;base64,/9j/4AAQ", "data:image/png;base64,%%%", "", png(2, b"\0")[:60]]
)
def test_what_cannot_be_read_has_no_colour(url: str) -> None:
    assert colour_of(url) is None

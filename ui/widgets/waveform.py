"""A waveform as pictures, computed by numpy: two values a column, antialiased, drawn in a few calls to the painter.

A lane is cut into tiles of 128 columns, counted from the session's start. What lies a second or more in the past does
not change any more: its tile is kept, so that a frame of a running session computes the last tile or two only.
"""

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter

from simulator.units import NS_PER_S, SAMPLE_RATE_HZ

if TYPE_CHECKING:
    from simulator.audio.peaks import PeakPyramid

TILE_COLUMNS: Final = 128
_SETTLED_NS: Final = NS_PER_S
_MOST_TILES: Final = 256

_LOUDNESS_EXPONENT = 0.6
"""Speech sits 20 dB under full scale: drawn linearly it is a thread. The curve lifts it and keeps 0 and full scale."""


class WaveformTiles:
    """The kept tiles of one lane."""

    def __init__(self) -> None:
        self._tiles: dict[int, QImage] = {}
        self._look: tuple[float, int, int] | None = None

    def clear(self) -> None:
        """Forget all tiles: the lane is another one."""
        self._tiles.clear()

    def forget(self, from_ns: int, until_ns: int) -> None:
        """Forget the tiles that show any of this time: the lane changed there."""
        if self._look is not None:
            tile_ns = TILE_COLUMNS * self._look[0]
            for number in range(int(from_ns // tile_ns) - 1, int(until_ns // tile_ns) + 2):
                self._tiles.pop(number, None)

    def paint(
        self,
        painter: QPainter,
        lane: "PeakPyramid",
        *,
        left_column: int,
        columns: int,
        ns_per_column: float,
        present_ns: int,
        top: float,
        height_px: int,
        colour: QColor,
        pixel_ratio: float,
    ) -> None:
        """Draw columns [left_column, left_column + columns) of a lane at x = 0 and `top`, nothing after `present_ns`.

        Columns and `height_px` are device pixels; `top` is in logical ones.
        """
        look = (ns_per_column, height_px, colour.rgba())
        if look != self._look or len(self._tiles) > _MOST_TILES:
            self._tiles.clear()
            self._look = look
        last_column = min(left_column + columns, int(present_ns / ns_per_column))
        for number in range(left_column // TILE_COLUMNS, -(-last_column // TILE_COLUMNS)):
            tile = self._tiles.get(number)
            if tile is None:
                tile = self._make(lane, number, ns_per_column, height_px, colour)
                tile.setDevicePixelRatio(pixel_ratio)
                if (number + 1) * TILE_COLUMNS * ns_per_column < present_ns - _SETTLED_NS:
                    self._tiles[number] = tile
            x = (number * TILE_COLUMNS - left_column) / pixel_ratio
            overhang = (number + 1) * TILE_COLUMNS - last_column
            if overhang > 0:
                tile = tile.copy(0, 0, TILE_COLUMNS - overhang, height_px)
            painter.drawImage(QPointF(x, top), tile)

    @staticmethod
    def _make(lane: "PeakPyramid", number: int, ns_per_column: float, height_px: int, colour: QColor) -> QImage:
        samples_per_column = ns_per_column * SAMPLE_RATE_HZ / NS_PER_S
        first = number * TILE_COLUMNS * samples_per_column
        mins, maxs = lane.query(round(first), round(first + TILE_COLUMNS * samples_per_column), TILE_COLUMNS)
        return waveform_image(mins, maxs, height_px, colour)


def waveform_image(mins: NDArray[np.int8], maxs: NDArray[np.int8], height_px: int, colour: QColor) -> QImage:
    """Return a picture of `len(mins)` by `height_px` pixels on transparent ground.

    Args:
        mins: Smallest sample of each column, as int8 (sample >> 8).
        maxs: Largest sample of each column.
        height_px: Height in device pixels; full scale reaches the edges.
        colour: Ink, with its alpha.

    A silent column is a line one pixel thick, so that the lane always shows where its middle is.
    """
    columns = len(mins)
    if columns == 0 or height_px < 1:
        return QImage()
    middle = height_px / 2
    tops = middle - _lift(maxs) * middle
    bottoms = middle - _lift(mins) * middle
    thin = np.maximum(0.0, 1.0 - (bottoms - tops)) / 2
    tops -= thin
    bottoms += thin
    rows = np.arange(height_px, dtype=np.float32)[:, None]
    coverage = np.minimum(bottoms, rows + 1) - np.maximum(tops, rows)
    np.clip(coverage, 0.0, 1.0, out=coverage)
    pixels = _shades(colour)[(coverage * 255).astype(np.uint8)]
    image = QImage(pixels.data, columns, height_px, columns * 4, QImage.Format.Format_ARGB32_Premultiplied)
    # The picture outlives the array: it gets memory of its own.
    return image.copy()


def _lift(values: NDArray[np.int8]) -> NDArray[np.float32]:
    scaled = values.astype(np.float32) / 128
    lifted: NDArray[np.float32] = np.copysign(np.abs(scaled) ** np.float32(_LOUDNESS_EXPONENT), scaled)
    return lifted


def _shades(colour: QColor) -> NDArray[np.uint32]:
    """Return the premultiplied pixel for each coverage 0..255."""
    alpha = np.arange(256) * (colour.alpha() / 255)
    shades: NDArray[np.uint32] = np.round(alpha).astype(np.uint32) << np.uint32(24)
    for part, shift in ((colour.red(), 16), (colour.green(), 8), (colour.blue(), 0)):
        shades |= np.round(alpha * part / 255).astype(np.uint32) << np.uint32(shift)
    return shades

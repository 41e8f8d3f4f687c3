"""A waveform as a picture, computed by numpy: two values a column, antialiased, in one call to the painter."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

_LOUDNESS_EXPONENT = 0.6
"""Speech sits 20 dB under full scale: drawn linearly it is a thread. The curve lifts it and keeps 0 and full scale."""


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

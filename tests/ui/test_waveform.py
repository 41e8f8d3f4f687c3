"""A waveform's picture: full scale reaches the edges, silence is a line, nothing lies outside the peaks."""

import numpy as np
from PySide6.QtGui import QColor, QImage

from ui.widgets.waveform import waveform_image


def _column(image: QImage, x: int) -> list[int]:
    """Alpha of one column, from top to bottom."""
    return [image.pixelColor(x, y).alpha() for y in range(image.height())]


def _peaks(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    return np.array(values, dtype=np.int8)


def test_silence_is_a_line_of_one_pixel_in_the_middle() -> None:
    image = waveform_image(_peaks(0), _peaks(0), 10, QColor("#0072b2"))
    column = _column(image, 0)
    assert column[:4] == [0] * 4
    assert column[6:] == [0] * 4
    assert 250 <= sum(column) <= 258, "one pixel of ink, however it is shared between two rows"


def test_full_scale_fills_the_column_and_half_a_wave_only_its_half() -> None:
    image = waveform_image(_peaks(-128, 0), _peaks(127, 127), 10, QColor("#0072b2"))
    assert min(_column(image, 0)[1:]) == 255
    assert _column(image, 1)[1:5] == [255] * 4
    assert _column(image, 1)[6:] == [0] * 4


def test_the_ink_has_the_colour_and_alpha_asked_for() -> None:
    image = waveform_image(_peaks(-128), _peaks(127), 8, QColor(200, 100, 50, 128))
    colour = image.pixelColor(0, 4)
    assert (colour.alpha(), round(colour.red(), -1)) == (128, 200)


def test_no_columns_give_an_empty_picture() -> None:
    assert waveform_image(_peaks(), _peaks(), 10, QColor("black")).isNull()

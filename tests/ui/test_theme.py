"""Readable for everybody: contrast, shapes beside colours, and following the system."""

import dataclasses
import re

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from ui.colours import BACKGROUND_ROLES, DARK, LIGHT, TEXT_ROLES, Colours, State, contrast
from ui.theme import Scheme, Theme, paint_state, ui_font

PALETTES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])


def test_contrast_of_black_on_white_is_21_and_of_a_colour_on_itself_1() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#56b4e9", "#56b4e9") == pytest.approx(1)
    # The darkest grey that still passes on white by WCAG's own example.
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@PALETTES
def test_every_text_can_be_read_on_every_ground(colours: Colours) -> None:
    poor = [
        (text, ground)
        for text in TEXT_ROLES
        for ground in BACKGROUND_ROLES
        if contrast(getattr(colours, text), getattr(colours, ground)) < 4.5
    ]
    assert poor == []
    assert contrast(colours.primary_text, colours.primary_fill) >= 4.5
    for ink in ("error", "participant", "passed", "failed"):
        # Text in the panel's colour on a chip of that ink.
        assert contrast(colours.panel, getattr(colours, ink)) >= 4.5


@PALETTES
def test_areas_stand_out_from_the_lanes(colours: Colours) -> None:
    for role in ("participant_fill", "heard_speech_fill", "agent_fill", "response_fill"):
        assert contrast(getattr(colours, role), colours.sunken) >= 3, role


@PALETTES
def test_a_palette_is_complete(colours: Colours) -> None:
    for field in dataclasses.fields(Colours):
        assert re.fullmatch("#[0-9a-f]{6}", getattr(colours, field.name)), field.name


def _shape(state: State) -> bytes:
    """The outline of a state's icon, without its colour."""
    image = QImage(32, 32, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    # One ink for all: what differs is the shape.
    names = [field.name for field in dataclasses.fields(Colours)]
    grey = Colours(**{name: "#ffffff" if name == "panel" else "#808080" for name in names})
    paint_state(painter, QRectF(0, 0, 32, 32), state, grey)
    painter.end()
    return bytes(image.constBits())


def test_states_differ_in_shape_not_in_colour_alone(application: QApplication) -> None:
    shapes = {state: _shape(state) for state in State if state is not State.ERROR}
    assert len(set(shapes.values())) == len(shapes)
    assert _shape(State.ERROR) == _shape(State.FAILED)


def test_the_window_follows_the_system_and_a_choice_stands_above_it(application: QApplication) -> None:
    theme = Theme(application)
    theme.choose(Scheme.LIGHT)
    seen: list[Scheme] = []
    theme.changed.connect(lambda: seen.append(theme.scheme))
    theme.choose(Scheme.DARK)
    assert seen == [Scheme.DARK]
    assert theme.colours is DARK
    assert application.palette().window().color().name() == DARK.window
    theme.choose(Scheme.DARK)
    assert seen == [Scheme.DARK], "nothing changed, so nothing is painted anew"
    theme.choose(Scheme.LIGHT)
    assert theme.colours is LIGHT
    assert application.palette().window().color().name() == LIGHT.window


def test_text_is_never_smaller_than_ten_points(application: QApplication) -> None:
    assert ui_font().pointSizeF() >= 10

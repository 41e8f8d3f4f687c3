"""A visual analog scale, and the row of slider, value and end labels that a rapid rating has one of each."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from simulator.profile.answers import bounds_of, prompt_of
from ui.models.plain import line, word
from ui.models.scale_steps import ScaleSteps, scale_steps
from ui.theme import SPACE_PX, Theme
from ui.widgets.components.answer import AnswerWidget
from ui.widgets.components.plain_text import PlainText
from ui.widgets.components.touch_slider import TouchSlider


class SliderRow(QWidget):
    """A slider with its value at the right and what its ends mean below."""

    changed = Signal()

    def __init__(self, theme: Theme, steps: ScaleSteps, name: str, low_label: str, high_label: str) -> None:
        super().__init__()
        self._steps = steps
        self.slider = TouchSlider(theme, steps.steps, line(name) or "Scale")
        self.shown = QLabel("–")
        self.shown.setTextFormat(Qt.TextFormat.PlainText)
        self.shown.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        widest = max((str(steps.value(place)) for place in (0, steps.steps)), key=len)
        self.shown.setMinimumWidth(self.shown.fontMetrics().horizontalAdvance(f"{widest}0"))
        self.slider.set_by_hand.connect(self._set)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(2 * SPACE_PX)
        grid.setVerticalSpacing(0)
        grid.addWidget(self.slider, 0, 0, 1, 2)
        grid.addWidget(self.shown, 0, 2)
        low = PlainText(theme, low_label, role="text_muted", scale=0.9)
        high = PlainText(theme, high_label, role="text_muted", scale=0.9, alignment=Qt.AlignmentFlag.AlignRight)
        grid.addWidget(low, 1, 0)
        grid.addWidget(high, 1, 1)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)

    @property
    def value(self) -> int | float | None:
        """The value; None until the slider is touched."""
        return self._steps.value(self.slider.value()) if self.slider.touched else None

    def _set(self) -> None:
        self.shown.setText(f"{self.value:.6g}" if isinstance(self.value, float) else str(self.value))
        self.changed.emit()


class VasRating(AnswerWidget):
    """A number between two ends."""

    def __init__(self, theme: Theme, config: Mapping[str, Any]) -> None:
        super().__init__()
        low, high = bounds_of("vasrating", config)
        ends = (word(config.get("minLabel")) or f"{low:g}", word(config.get("maxLabel")) or f"{high:g}")
        self.row = SliderRow(theme, scale_steps(low, high, config.get("step")), prompt_of(config), *ends)
        self.row.changed.connect(self.changed)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self.row)

    @property
    def value(self) -> object | None:
        """A number from the scale's lowest to its highest."""
        return self.row.value

"""A rapid rating: a slider for each dimension."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QVBoxLayout

from simulator.profile.answers import dimensions_of
from ui.models.plain import word
from ui.models.scale_steps import scale_steps
from ui.theme import SPACE_PX, Theme
from ui.widgets.components.answer import AnswerWidget
from ui.widgets.components.plain_text import PlainText
from ui.widgets.components.vasrating import SliderRow


class RapidRate(AnswerWidget):
    """A score from 0 to 100 for each label."""

    def __init__(self, theme: Theme, config: Mapping[str, Any]) -> None:
        super().__init__()
        self.rows: dict[str, SliderRow] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_PX)
        for label, each in zip(dimensions_of(config), config["dimensions"], strict=True):
            ends = each if isinstance(each, Mapping) else {}
            row = SliderRow(
                theme, scale_steps(0, 100, 1), label, word(ends.get("minLabel")), word(ends.get("maxLabel"))
            )
            row.changed.connect(self.changed)
            self.rows[label] = row
            column.addWidget(PlainText(theme, label, bold=True))
            column.addWidget(row)
            column.addSpacing(SPACE_PX)

    @property
    def value(self) -> object | None:
        """The scores by label, once all are given."""
        scores = {label: row.value for label, row in self.rows.items()}
        return None if None in scores.values() else scores

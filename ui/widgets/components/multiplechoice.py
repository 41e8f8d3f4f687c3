"""Multiple choice: one option of a list, or several."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QVBoxLayout

from simulator.profile.answers import options_of
from ui.theme import SPACE_PX, Theme
from ui.widgets.components.answer import AnswerWidget
from ui.widgets.components.option_button import OptionButton

WITH_IMAGE = "with an image on the platform"


class MultipleChoice(AnswerWidget):
    """Radio buttons, or check boxes where several may be chosen; the value holds texts in the list's order."""

    def __init__(self, theme: Theme, config: Mapping[str, Any]) -> None:
        super().__init__()
        self._options = options_of(config)
        self._several = config.get("allowMultiple") is True
        self._may_be_empty = config.get("required") is False
        listed = config.get("choices") or config.get("options") or []
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(SPACE_PX)
        self.buttons: list[OptionButton] = []
        for text, option in zip(self._options, listed, strict=True):
            button = OptionButton(theme, text, several=self._several, note=image_note(option))
            button.toggled.connect(lambda _: self.changed.emit())
            rows.addWidget(button)
            self.buttons.append(button)

    @property
    def value(self) -> object | None:
        """The text of the choice, or the texts of those chosen."""
        chosen = [text for text, button in zip(self._options, self.buttons, strict=True) if button.isChecked()]
        if self._several:
            return chosen if chosen or self._may_be_empty else None
        return chosen[0] if chosen else None


def image_note(option: Any) -> str:
    """Return what to say of an option's image, which is never fetched; "" where it has none."""
    return WITH_IMAGE if isinstance(option, Mapping) and option.get("imageUrl") else ""

"""What every component that is answered by hand has: a value, once it is complete."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget


class AnswerWidget(QWidget):
    """A component to be answered. `value` fits the component's value schema, exactly as it would be sent."""

    changed = Signal()

    @property
    def value(self) -> object | None:
        """The answer; None while it is not complete."""
        raise NotImplementedError

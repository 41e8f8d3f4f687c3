"""A Likert scale: 2 to 11 points in a row with labels at the ends, or one below the other where each has a label."""

from collections.abc import Mapping
from typing import Any, Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QSizePolicy, QVBoxLayout

from simulator.profile.answers import bounds_of
from ui.models.plain import line, word
from ui.theme import RADIUS_PX, SPACE_PX, Theme, ui_font
from ui.widgets.components.answer import AnswerWidget
from ui.widgets.components.option_button import OptionButton
from ui.widgets.components.plain_text import PlainText

_HEIGHT_PX: Final = 30


class PointButton(QAbstractButton):
    """One point of a scale: its number."""

    def __init__(self, theme: Theme, point: int, label: str) -> None:
        super().__init__()
        self._theme = theme
        self._point = str(point)
        self.setFont(ui_font())
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setAccessibleName(f"{point}, {line(label)}" if label else str(point))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaximumWidth(56)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """A square, as far as there is room."""
        return QSize(_HEIGHT_PX, _HEIGHT_PX)

    def minimumSizeHint(self) -> QSize:
        """Eleven of them fit into a narrow column."""
        return QSize(16, _HEIGHT_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a cell: filled when it is chosen."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour, checked, focused = self._theme.colour, self.isChecked(), self.hasFocus()
        fill = "primary_fill" if checked else "hover" if self.underMouse() else "sunken"
        painter.setBrush(colour(fill))
        frame = "text" if checked and focused else "accent" if focused else "line_strong"
        painter.setPen(QPen(colour(frame), 2 if focused else 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)
        painter.setPen(colour("primary_text" if checked else "text"))
        painter.setFont(self.font())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._point)
        painter.end()


class LikertScale(AnswerWidget):
    """Points from 1 on; the value is the point chosen."""

    def __init__(self, theme: Theme, config: Mapping[str, Any]) -> None:
        super().__init__()
        points = int(bounds_of("likertscale", config)[1])
        listed = config.get("labels")
        labels = [word(each) for each in listed] if isinstance(listed, list | tuple) else []
        self.buttons: list[QAbstractButton] = []
        if len(labels) == points and any(labels):
            self._stack(theme, labels)
        else:
            ends = [label for label in (labels[:1] + labels[-1:]) if label]
            low = word(config.get("minLabel")) or (ends[0] if len(ends) == 2 else "")
            high = word(config.get("maxLabel")) or (ends[1] if len(ends) == 2 else "")
            self._line_up(theme, points, low, high)
        for button in self.buttons:
            button.toggled.connect(lambda _: self.changed.emit())

    @property
    def value(self) -> object | None:
        """The point, from 1."""
        return next((place for place, each in enumerate(self.buttons, 1) if each.isChecked()), None)

    def _stack(self, theme: Theme, labels: list[str]) -> None:
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(SPACE_PX)
        for point, label in enumerate(labels, 1):
            button = OptionButton(theme, f"{point}   {label}", several=False)
            self.buttons.append(button)
            rows.addWidget(button)

    def _line_up(self, theme: Theme, points: int, low: str, high: str) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(3)
        grid.setVerticalSpacing(SPACE_PX)
        for point in range(1, points + 1):
            button = PointButton(theme, point, low if point == 1 else high if point == points else "")
            self.buttons.append(button)
            grid.addWidget(button, 0, point - 1)
        half = max(points // 2, 1)
        grid.addWidget(PlainText(theme, low, role="text_muted", scale=0.9), 1, 0, 1, half)
        end = PlainText(theme, high, role="text_muted", scale=0.9, alignment=Qt.AlignmentFlag.AlignRight)
        grid.addWidget(end, 1, half, 1, points - half)

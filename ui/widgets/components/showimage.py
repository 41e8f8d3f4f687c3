"""Images, side by side, each as large as its share of the width; one that cannot be shown says why."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from simulator.errors import SimulatorError
from ui.background import Background
from ui.models.plain import line
from ui.theme import RADIUS_PX, SPACE_PX, Theme, ui_font
from ui.widgets.components.image_file import read_image
from ui.widgets.components.plain_text import WrappedText

MOST_IMAGES: Final = 24
_A_ROW: Final = 3
_NARROWEST_PX: Final = 90
_HIGHEST_PX: Final = 260
_LOADING: Final = "Loading…"


class ImageBox(QWidget):
    """One image, or a frame with a sentence in its place."""

    def __init__(self, theme: Theme, description: str) -> None:
        super().__init__()
        self._theme = theme
        self._image: QImage | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.description = line(description)
        theme.changed.connect(self.update)
        self.say(self.description)

    @property
    def image(self) -> QImage | None:
        """The image that is drawn, None while there is none."""
        return self._image

    def say(self, sentence: str) -> None:
        """Show a sentence in place of an image."""
        self.sentence = sentence
        self._image = None
        self._wrapped = WrappedText(sentence, ui_font(0.9), Qt.AlignmentFlag.AlignHCenter)
        self.setAccessibleName(sentence)
        self.updateGeometry()
        self.update()

    def show_image(self, image: QImage) -> None:
        """Show an image."""
        self.sentence = ""
        self._image = image
        self.setAccessibleName(f"Image: {self.description}")
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        """The proportions stay."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the image's height at this width, with a bound."""
        if self._image is None:
            return max(self._wrapped.height(max(width - 4 * SPACE_PX, 1)) + 4 * SPACE_PX, 56)
        high = round(width * self._image.height() / max(self._image.width(), 1))
        return max(min(high, _HIGHEST_PX, max(self._image.height(), 24)), 8)

    def sizeHint(self) -> QSize:
        """Ask for a usual width."""
        return QSize(120, self.heightForWidth(120))

    def minimumSizeHint(self) -> QSize:
        """Any size will do."""
        return QSize(20, 8)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the image in the middle, or the sentence in a dashed frame."""
        painter = QPainter(self)
        if self._image is None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self._theme.colour("line_strong"), 1, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)
            painter.setPen(self._theme.colour("text_muted"))
            width = max(self.width() - 4 * SPACE_PX, 1)
            top = (self.height() - self._wrapped.height(width)) / 2
            self._wrapped.draw(painter, 2 * SPACE_PX, top, width)
        else:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            room = self.size().boundedTo(QSize(self.width(), max(self._image.height(), 24)))
            size = self._image.size().scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
            if size.width() > self._image.width():
                size = self._image.size()
            place = QRect(0, 0, size.width(), size.height())
            place.moveCenter(self.rect().center())
            painter.drawImage(place, self._image)
        painter.end()


class ShowImage(QWidget):
    """The images of a screen: files are read in the background; a line without a file is shown as text."""

    def __init__(self, theme: Theme, files: Sequence[str], lines: Sequence[str]) -> None:
        super().__init__()
        self._background = Background(self)
        self.boxes: list[ImageBox] = []
        self._columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(2 * SPACE_PX)
        count = max(len(files), len(lines))
        for place in range(min(count, MOST_IMAGES)):
            box = ImageBox(theme, lines[place] if place < len(lines) else "")
            self.boxes.append(box)
            if place < len(files):
                box.say(_LOADING)
                self._load(box, files[place])
        if count > MOST_IMAGES:
            self.boxes[-1].say(f"and {count - MOST_IMAGES + 1} more images")

        self._arrange(_A_ROW)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put fewer images side by side where there is little room."""
        super().resizeEvent(event)
        self._arrange(min(_A_ROW, max(1, self.width() // _NARROWEST_PX)))

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for place, box in enumerate(self.boxes):
            self._grid.addWidget(box, place // columns, place % columns)
        for column in range(_A_ROW):
            self._grid.setColumnStretch(column, int(column < min(columns, len(self.boxes))))

    def _load(self, box: ImageBox, path: str) -> None:
        def loaded(image: QImage | None, error: Exception | None) -> None:
            if isinstance(error, SimulatorError):
                box.say(line(str(error), 300))
            elif error is not None:
                raise error
            elif image is not None:
                box.show_image(image)

        self._background.run(lambda: read_image(path), loaded)

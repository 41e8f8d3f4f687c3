"""The drawing area of the timeline: paints the lanes, and turns wheel, drag, keys and clicks into moves of the window.

It is painted with QPainter alone. A plotting library would keep a scene item for each span and re-path its curves for
each frame; hatched bands, hollow spans and labels that avoid each other would be items of our own anyway. What does
not change between frames (names of the lanes, their grounds) is kept as a pixmap; the rest of a frame costs what is
visible, whatever the length of the session.
"""

from math import ceil
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QPixmap, QWheelEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QToolTip, QWidget

from simulator.record.measures import Measures
from ui.theme import Theme, ui_font
from ui.widgets.drawing import LANE_NAMES, RULER_PX, Drawing, Mark, lane_rects
from ui.widgets.lanes import Kept, draw_lanes
from ui.widgets.time_window import TimeWindow, clock_text

if TYPE_CHECKING:
    from PySide6.QtCore import QRect, QSize
    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from simulator.audio.peaks import PeakPyramid

_TICK_DISTANCE_PX: Final = 90.0
_WHEEL_ZOOM: Final = 0.8
_NAME_COLOURS: Final = ("participant", "heard_speech", "agent", "response", "study")


class TimelineCanvas(QWidget):
    """Draws one record. GUI thread only; `window` is shared with the panel around it."""

    mark_clicked = Signal(int)
    """A mark was chosen: the `seq` of its entry."""
    time_chosen = Signal(object)
    """The user put the cursor at a time in nanoseconds: an int, which Qt's own would cut to 32 bits."""
    play_requested = Signal()
    """Space was pressed while it is not the talk key."""
    window_moved = Signal()
    """The visible time changed by the user's hand."""

    def __init__(self, theme: Theme, window: TimeWindow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._window = window
        self._measures = Measures()
        self._lanes: dict[str, PeakPyramid] = {}
        self._kept = Kept()
        self._marks: list[Mark] = []
        self._ground: QPixmap | None = None
        self._cursor_ns: int | None = None
        self._pressed_x: float | None = None
        self._dragged = False
        self._scale = 1.0
        self.empty_text = "Press Connect (F5) to see the conversation here"
        self.setFont(ui_font(0.9))
        self._metrics = QFontMetricsF(self.font())
        self._name_px = ceil(max(self._metrics.horizontalAdvance(name) for name in LANE_NAMES)) + 22
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(420, 210)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Timeline")
        self.setAccessibleDescription("Participant, what the engine heard, agent, responses and study on one clock")
        theme.changed.connect(self._redress)

    @property
    def cursor_ns(self) -> int | None:
        """The selected time."""
        return self._cursor_ns

    @property
    def marks(self) -> list[Mark]:
        """What was drawn last and can be clicked, in drawing order; x counts from the left edge of the lanes."""
        return self._marks

    def set_source(self, measures: Measures, lanes: "dict[str, PeakPyramid]") -> None:
        """Draw another record from now on."""
        self._measures, self._lanes = measures, lanes
        self._kept = Kept()
        self._marks = []
        self._cursor_ns = None
        self.update()

    def set_scale(self, scale: float) -> None:
        """Draw everything so many times as large: type, lanes and signs. The time that is shown stays the same."""
        if scale != self._scale:
            self._scale = scale
            self._take_size()
            self.update()

    def take_sound(self, from_ns: int, until_ns: int) -> None:
        """Draw the waveforms anew from one time to another: the lanes got sound where they were drawn silent."""
        for tiles in self._kept.tiles.values():
            tiles.forget(from_ns, until_ns)
        if from_ns <= self._window.right_ns and until_ns >= self._window.left_ns:
            self.update()

    def select(self, t_ns: int | None) -> None:
        """Put the selection cursor at a time."""
        self._cursor_ns = t_ns
        self.update()

    def step_mark(self, direction: int) -> None:
        """Choose the mark after (1) or before (-1) the cursor, as a click on it would."""
        marks = sorted(self._marks, key=lambda mark: mark.t_ns)
        here = self._window.present_ns if self._cursor_ns is None else self._cursor_ns
        later = [mark for mark in marks if mark.t_ns > here]
        earlier = [mark for mark in marks if mark.t_ns < here]
        if direction > 0 and later:
            self._choose(later[0])
        elif direction < 0 and earlier:
            self._choose(earlier[-1])

    # Painting.

    def sizeHint(self) -> "QSize":
        """Wide enough for ten seconds, high enough for the five lanes."""
        hint = self.minimumSize()
        hint.setWidth(900)
        hint.setHeight(280)
        return hint

    def resizeEvent(self, event: "QResizeEvent") -> None:
        """Take the new width into the window."""
        self._take_size()
        super().resizeEvent(event)

    def _take_size(self) -> None:
        self._ground = None
        window = self._window
        right_ns = window.right_ns
        window.width_px = max(50, round(self.width() / self._scale - self._name_px))
        if not window.following:
            window.scroll_to(right_ns - window.span_ns)
        self.window_moved.emit()

    @property
    def _height(self) -> float:
        """The height to draw in; like all that is drawn, before it is enlarged."""
        return self.height() / self._scale

    def _enlarge(self, painter: QPainter) -> None:
        if self._scale != 1.0:  # the usual picture takes Qt's quicker ways
            painter.scale(self._scale, self._scale)

    def paintEvent(self, event: "QPaintEvent") -> None:
        """Draw one frame."""
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._ground_pixmap())
        self._enlarge(painter)
        painter.translate(self._name_px, 0)
        painter.setClipRect(QRectF(0, 0, self._window.width_px, self._height))
        self._marks = []
        if self._window.now_ns <= 0 and not self._measures.revision:
            painter.setPen(self._theme.colour("text_muted"))
            area = QRectF(0, RULER_PX, self._window.width_px, self._height - RULER_PX)
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.empty_text)
        else:
            rects = lane_rects(self._window.width_px, self._height)
            drawing = Drawing(
                painter, self._theme, self._window, rects, self._metrics, self.devicePixelRatioF() * self._scale
            )
            self._draw_ruler(painter)
            draw_lanes(drawing, self._measures, self._lanes, self._kept)
            self._draw_times(painter)
            self._marks = drawing.marks
        painter.end()

    def _ground_pixmap(self) -> QPixmap:
        """Return what does not change: grounds and names of the lanes."""
        if self._ground is not None:
            return self._ground
        ratio = self.devicePixelRatioF()
        pixmap = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
        pixmap.setDevicePixelRatio(ratio)
        theme = self._theme
        pixmap.fill(theme.colour("panel"))
        painter = QPainter(pixmap)
        self._enlarge(painter)
        painter.setFont(self.font())
        rects = lane_rects(self._window.width_px, self._height)
        for rect, name, role in zip(rects.all, LANE_NAMES, _NAME_COLOURS, strict=True):
            lane = rect.translated(self._name_px, 0)
            painter.fillRect(lane, theme.colour("sunken"))
            painter.fillRect(QRectF(6, lane.top() + 4, 3, lane.height() - 8), theme.colour(role))
            painter.setPen(theme.colour("text"))
            painter.drawText(
                QRectF(15, lane.top(), self._name_px - 15, lane.height()), Qt.AlignmentFlag.AlignVCenter, name
            )
            painter.setPen(theme.colour("line"))
            painter.drawLine(QLineF(0, lane.top() - 0.5, lane.right(), lane.top() - 0.5))
        painter.end()
        self._ground = pixmap
        return pixmap

    def _draw_ruler(self, painter: QPainter) -> None:
        window, theme = self._window, self._theme
        step = window.tick_step_ns(_TICK_DISTANCE_PX)
        painter.setPen(QPen(theme.colour("line"), 1))
        ticks = window.ticks(_TICK_DISTANCE_PX)
        painter.drawLines([QLineF(int(x) + 0.5, RULER_PX - 6, int(x) + 0.5, self._height) for _, x in ticks])
        painter.setPen(theme.colour("text_muted"))
        chip = self._chip()
        for t_ns, x in ticks:
            text = clock_text(t_ns, step)
            if chip is None or x > chip.right() or x + 4 + self._metrics.horizontalAdvance(text) < chip.left():
                painter.drawText(QPointF(x + 4, RULER_PX - 8), text)

    def _draw_times(self, painter: QPainter) -> None:
        """Draw the present and the cursor."""
        window, theme = self._window, self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        present_x = window.x(window.present_ns)
        if 0 <= present_x <= window.width_px:
            style = Qt.PenStyle.DashLine if window.frozen else Qt.PenStyle.SolidLine
            painter.setPen(QPen(theme.colour("text_muted"), 1, style))
            painter.drawLine(QLineF(present_x, RULER_PX, present_x, self._height))
        chip = self._chip()
        if chip is None or self._cursor_ns is None:
            return
        x = window.x(self._cursor_ns)
        painter.setPen(QPen(theme.colour("accent"), 1))
        painter.drawLine(QLineF(x, RULER_PX - 4, x, self._height))
        painter.fillRect(chip, theme.colour("primary_fill"))
        painter.setPen(theme.colour("primary_text"))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, clock_text(self._cursor_ns))

    def _chip(self) -> QRectF | None:
        """Return the place of the cursor's time on the ruler, or None where the cursor is out of sight."""
        if self._cursor_ns is None or not -1 <= self._window.x(self._cursor_ns) <= self._window.width_px:
            return None
        width = self._metrics.horizontalAdvance(clock_text(self._cursor_ns)) + 10
        x = self._window.x(self._cursor_ns) - width / 2
        return QRectF(min(max(0.0, x), self._window.width_px - width), 2, width, 18)

    def _redress(self) -> None:
        self._ground = None
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        """Measure the text again when the font or the screen's scale changes."""
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.DevicePixelRatioChange):
            self._ground = None
            self._metrics = QFontMetricsF(self.font())
        super().changeEvent(event)

    # Moving.

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll in time; with Ctrl, zoom at the pointer."""
        delta = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            turns = delta.y() / 120
            x = event.position().x() / self._scale - self._name_px
            self._window.zoom(_WHEEL_ZOOM**turns, min(max(0.0, x), float(self._window.width_px)))
        else:
            pixels = event.pixelDelta()
            along = pixels.x() or pixels.y() or (delta.x() or delta.y()) * 0.8
            self._scroll_by(-along / self._scale)
        self._moved()
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed_x, self._dragged = event.position().x(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the session under the pointer, or show what can be clicked."""
        x = event.position().x()
        if self._pressed_x is None:
            over = self.mark_at(event.position()) is not None
            self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)
            return
        if not self._dragged and abs(x - self._pressed_x) < QApplication.startDragDistance():
            return
        self._dragged = True
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self._scroll_by((self._pressed_x - x) / self._scale)
        self._pressed_x = x
        self._moved()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag, or choose what was clicked."""
        was_click = self._pressed_x is not None and not self._dragged
        self._pressed_x = None
        self.setCursor(Qt.CursorShape.ArrowCursor)
        if not was_click or event.button() is not Qt.MouseButton.LeftButton:
            return
        mark = self.mark_at(event.position())
        if mark is not None:
            self._choose(mark)
        elif (x := event.position().x() / self._scale - self._name_px) >= 0:
            t_ns = max(0, self._window.t_ns(x))
            self.select(t_ns)
            self.time_chosen.emit(t_ns)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows scroll, Page keys turn pages, Home and End go to the ends, + and - zoom, Ctrl+arrows step marks."""
        window, key = self._window, event.key()
        tenth = window.width_px / 10
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        match key:
            case Qt.Key.Key_Left if control:
                self.step_mark(-1)
            case Qt.Key.Key_Right if control:
                self.step_mark(1)
            case Qt.Key.Key_Left:
                self._scroll_by(-tenth)
            case Qt.Key.Key_Right:
                self._scroll_by(tenth)
            case Qt.Key.Key_PageUp:
                self._scroll_by(-tenth * 9)
            case Qt.Key.Key_PageDown:
                self._scroll_by(tenth * 9)
            case Qt.Key.Key_Home:
                window.scroll_to(0)
            case Qt.Key.Key_End:
                window.scroll_to(window.furthest_ns)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                window.step_in()
            case Qt.Key.Key_Minus:
                window.step_out()
            case Qt.Key.Key_Escape:
                self.select(None)
            case Qt.Key.Key_Space if not event.isAutoRepeat():
                self.play_requested.emit()
            case _:
                super().keyPressEvent(event)
                return
        self._moved()

    def event(self, event: QEvent) -> bool:
        """Show the tool tip of the mark under the pointer."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            mark = self.mark_at(QPointF(event.pos()))
            if mark is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), mark.tip, self, self._on_widget(mark.rect))
            return True
        return super().event(event)

    def mark_at(self, position: QPointF) -> Mark | None:
        """Return the topmost mark at a place of the widget."""
        place = position / self._scale - QPointF(self._name_px, 0)
        if place.x() < 0:
            return None
        return next((mark for mark in reversed(self._marks) if mark.rect.adjusted(-2, 0, 2, 0).contains(place)), None)

    def place_of(self, mark: Mark) -> QPointF:
        """Return the middle of the visible part of a mark, in the widget."""
        area = QRectF(0, 0, self._window.width_px, self._height)
        return (mark.rect.intersected(area).center() + QPointF(self._name_px, 0)) * self._scale

    def _on_widget(self, rect: QRectF) -> "QRect":
        placed = rect.translated(self._name_px, 0)
        return QRectF(placed.topLeft() * self._scale, placed.size() * self._scale).toRect()

    def _choose(self, mark: Mark) -> None:
        self.select(mark.t_ns)
        self._window.show(mark.t_ns)
        self._moved()
        self.mark_clicked.emit(mark.seq)
        self.time_chosen.emit(mark.t_ns)

    def _scroll_by(self, pixels: float) -> None:
        """Scroll; reaching the present follows it again."""
        window = self._window
        window.scroll_by(pixels)
        if pixels > 0 and not window.frozen and window.at_present:
            window.follow()

    def _moved(self) -> None:
        self.update()
        self.window_moved.emit()

"""The timeline panel: the canvas, a scroll bar over the whole session, and follow, freeze and zoom."""

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollBar, QToolButton, QVBoxLayout, QWidget

from simulator.units import NS_PER_MS
from ui.theme import Theme
from ui.widgets.time_window import TimeWindow, clock_text, span_text
from ui.widgets.timeline_canvas import TimelineCanvas

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from simulator.audio.peaks import PeakPyramid
    from simulator.record.measures import Measures

_SCROLL_UNIT_NS: Final = 10 * NS_PER_MS
"""Scroll bars count in 32-bit integers."""
_EMPTY_RECORD: Final = "This record is empty"


class TimelinePanel(QWidget):
    """Shows one record on one clock. GUI thread only."""

    mark_clicked = Signal(int)
    """A mark was chosen: the `seq` of its entry in the log."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._window = TimeWindow()
        self._live_span_ns: int | None = None
        """The zoom to return to after a finished record was shown."""
        self.canvas = TimelineCanvas(theme, self._window)
        self.canvas.mark_clicked.connect(self.mark_clicked)
        self.canvas.window_moved.connect(self._show_window)
        self._scroll_bar = QScrollBar(Qt.Orientation.Horizontal)
        self._scroll_bar.setAccessibleName("Part of the session that is shown")
        self._scroll_bar.valueChanged.connect(self._scrolled)
        self.follow_action = self._action("Follow", "F", "Stay with the present (F)", self._follow)
        self.freeze_action = self._action(
            "Freeze", "Z", "Let the picture stand still; nothing is lost (Z)", self._freeze
        )
        self._width_text = QLabel()
        self._width_text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._width_text.setMinimumWidth(self.fontMetrics().horizontalAdvance("◀ 59.9 min ▶") + 8)
        self._width_text.setToolTip("Time across the picture: Ctrl and wheel, + and - change it")
        self._ended, self._empty_text = False, self.canvas.empty_text
        self._note = QLabel()
        self._note.setProperty("role", "muted")
        self._lay_out()
        self._show_window()

    @property
    def window_ns(self) -> tuple[int, int]:
        """The time that is shown, from the left to the right edge."""
        return self._window.left_ns, self._window.right_ns

    def set_source(self, measures: "Measures", lanes: "dict[str, PeakPyramid]", *, ended_ns: int | None = None) -> None:
        """Show another record: the live one, or with `ended_ns` a finished one, as much as fits."""
        self._window.now_ns = ended_ns or 0
        self._ended = ended_ns is not None
        self._show_emptiness()
        self._window.follow()
        if ended_ns is not None:
            self._live_span_ns = self._live_span_ns or self._window.span_ns
            self._window.fit(ended_ns)
        elif self._live_span_ns is not None:
            self._window.zoom_to(self._live_span_ns)
            self._live_span_ns = None
        self.canvas.set_source(measures, lanes)
        self._show_window()

    def set_now(self, t_ns: int) -> None:
        """Set the present of the session and draw what came; does nothing visible while hidden or frozen."""
        self._window.now_ns = max(self._window.now_ns, t_ns)
        if not self.isVisible():
            return
        self._show_window()
        if not self._window.frozen:
            self.canvas.update()

    def refresh(self) -> None:
        """Draw again, for instance after measures were fed without the clock moving."""
        if self.isVisible() and not self._window.frozen:
            self.canvas.update()

    def show_time(self, t_ns: int) -> None:
        """Select a time and bring it into view; following ends where the view has to move."""
        self.canvas.select(t_ns)
        self._window.show(t_ns)
        self._show_window()

    def move_cursor(self, t_ns: int) -> None:
        """Let the cursor follow what sounds; the view goes along while the cursor is in it."""
        before_ns = self.canvas.cursor_ns
        if before_ns is not None and self._window.left_ns <= before_ns <= self._window.right_ns < t_ns:
            self._window.scroll_to(t_ns - self._window.span_ns // 10)
            self._show_window()
        self.canvas.select(t_ns)

    def set_empty_text(self, text: str) -> None:
        """Set what the empty timeline of the live session says to do."""
        self._empty_text = text
        self._show_emptiness()

    def _show_emptiness(self) -> None:
        self.canvas.empty_text = _EMPTY_RECORD if self._ended else self._empty_text
        self.canvas.update()

    def show_large(self, scale: float | None) -> None:
        """Draw everything so many times as large, and without scroll bar and buttons; None: as usual."""
        self.canvas.set_scale(scale or 1.0)
        self._scroll_bar.setVisible(scale is None)
        self._strip.setVisible(scale is None)

    @property
    def note(self) -> str:
        """What is said of a picture that does not follow the present; else nothing."""
        return self._note.text()

    def showEvent(self, event: "QShowEvent") -> None:
        """Catch up with what came while hidden."""
        self._show_window()
        super().showEvent(event)

    def _action(self, text: str, key: str, tip: str, run: object) -> QAction:
        action = QAction(text, self)
        action.setCheckable(True)
        action.setShortcut(QKeySequence(key))
        action.setToolTip(tip)
        action.triggered.connect(run)
        self.addAction(action)
        return action

    def _lay_out(self) -> None:
        zoom_in, zoom_out = QToolButton(), QToolButton()
        for button, text, tip, step in (
            (zoom_out, "−", "Show more time (-)", self._window.step_out),
            (zoom_in, "+", "Show less time (+)", self._window.step_in),
        ):
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setProperty("role", "quiet")
            button.clicked.connect(lambda _checked=False, step=step: self._stepped(step))
        self._strip = QFrame()
        self._strip.setProperty("role", "bar")
        bar = QHBoxLayout(self._strip)
        bar.setContentsMargins(8, 2, 8, 2)
        bar.setSpacing(4)
        for widget in (zoom_out, self._width_text, zoom_in):
            bar.addWidget(widget)
        bar.addSpacing(10)
        for action in (self.follow_action, self.freeze_action):
            button = QToolButton()
            button.setCheckable(True)
            button.setText(f"{action.text()}  {action.shortcut().toString()}")
            button.setToolTip(action.toolTip())
            button.setProperty("role", "quiet")
            button.clicked.connect(action.trigger)
            action.toggled.connect(button.setChecked)
            bar.addWidget(button)
        bar.addSpacing(10)
        bar.addWidget(self._note)
        bar.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.canvas, 1)
        layout.addWidget(self._scroll_bar)
        layout.addWidget(self._strip)

    def _stepped(self, step: object) -> None:
        assert callable(step)
        step()
        self._show_window()
        self.canvas.update()

    def _follow(self) -> None:
        self._window.follow()
        self._show_window()
        self.canvas.update()

    def _freeze(self) -> None:
        if self._window.frozen:
            self._window.follow()
        else:
            self._window.freeze()
        self._show_window()
        self.canvas.update()

    def _scrolled(self, value: int) -> None:
        self._window.scroll_to(value * _SCROLL_UNIT_NS)
        if not self._window.frozen and value >= self._scroll_bar.maximum():
            self._window.follow()
        self._show_window()
        self.canvas.update()

    def _show_window(self) -> None:
        """Let the scroll bar, the buttons and the texts say what the window is."""
        window, bar = self._window, self._scroll_bar
        bar.blockSignals(True)
        bar.setRange(0, window.furthest_ns // _SCROLL_UNIT_NS)
        bar.setPageStep(max(1, window.span_ns // _SCROLL_UNIT_NS))
        bar.setSingleStep(max(1, window.span_ns // _SCROLL_UNIT_NS // 10))
        bar.setValue(window.left_ns // _SCROLL_UNIT_NS)
        bar.blockSignals(False)
        self.follow_action.setChecked(window.following)
        self.freeze_action.setChecked(window.frozen)
        _set_text(self._width_text, f"◀ {span_text(window.span_ns)} ▶")
        _set_text(self._note, self._note_text())

    def _note_text(self) -> str:
        window = self._window
        if window.frozen_at_ns is not None:
            missed_s = max(0, window.now_ns - window.frozen_at_ns) // (1000 * NS_PER_MS)
            return f"frozen at {clock_text(window.frozen_at_ns)}, {missed_s} s more recorded"
        if not window.following:
            return f"from {clock_text(window.left_ns, 100 * NS_PER_MS)}"
        return ""


def _set_text(label: QLabel, text: str) -> None:
    """Set a label's text only where it changed: it would be laid out again each time."""
    if label.text() != text:
        label.setText(text)

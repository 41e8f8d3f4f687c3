"""The time that is left, counted down for the eye alone: nothing that matters is timed by it."""

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel

from ui.models.preview import Timer, time_left


class TimerLabel(QLabel):
    """A clock that shows a timer, hidden without one."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__()
        self._now_s = now_s
        self._timer: Timer | None = None
        self._runs = False
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "chip")
        self._tick = QTimer(self)
        self._tick.setInterval(250)
        self._tick.timeout.connect(self.draw)
        self.show_timer(None, runs=False)

    def show_timer(self, timer: Timer | None, *, runs: bool) -> None:
        """Show this timer: counting, or as it would begin."""
        self._timer = timer
        self._runs = runs
        self.setVisible(timer is not None)
        self.draw()
        if timer is not None and runs:
            self._tick.start()
        else:
            self._tick.stop()

    def draw(self) -> None:
        """Show what is left by now."""
        if self._timer is None:
            return
        left = time_left(self._timer, self._now_s() if self._runs else self._timer.since_s)
        text = f"{left // 60}:{left % 60:02} left"
        if text != self.text():
            self.setText(text)
            self.setAccessibleName(f"{left} seconds left")
        if left == 0:
            self._tick.stop()

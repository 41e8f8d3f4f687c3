"""How much work a frame of the window is, and how long the window takes to open.

A frame is everything that the GUI thread does for it: what is waiting (timers, progress of the checks), taking a
batch of the live session's feed, layout, and painting every dirty widget to the screen. The session is made up, ten
minutes old with more than 10,000 log rows, and goes on in real time at 30 batches a second; the conformance suite runs
beside it in its own process, as it does when a user starts it. The window is the real one, 1920×1080, on an X server
of its own where there is one, else on the present screen.

Opening is measured from just before the process is started to the first painted frame, in a process that runs the
program's own entry point.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.figures import Figure
from tests.rig.display import x_display
from tests.rig.errors import RigUnavailable

if TYPE_CHECKING:
    from ui.main_window import MainWindow

OPENINGS: Final = 7
_PRESENTER: Final = "Presenter view"
FRAMES: Final = {"Log": 600, "Transcript": 300, "Latency": 150, _PRESENTER: 150}
"""Frames measured with each tab in front, and in the presenter view."""
HISTORY_CYCLES: Final = 50
"""Of 12 s each: ten minutes."""
_FRAME_S: Final = 1 / 30
_PATIENCE_S: Final = 240


def run() -> list[Figure]:
    """Measure the openings, then the frames with each tab in front."""
    with _screen() as environment:
        openings = [_opening_ms(environment) for _ in range(OPENINGS)]
        frames = json.loads(_python("import bench.window; bench.window.measure_frames()", environment))
    figures = [Figure("window: opens", 1_500, "ms", openings)]
    for tab, samples in frames.items():
        figures.append(Figure(f"window: work of a frame, {tab} in front", 16.7, "ms", samples))
    return figures


@contextmanager
def _screen() -> Iterator[dict[str, str]]:
    """Give the environment for a window: a private X server if possible, and empty folders for data and settings."""
    with tempfile.TemporaryDirectory() as folder:
        folders = {f"PARTICIPANT_SIMULATOR_{kind}": str(Path(folder) / kind.lower()) for kind in ("DATA", "CONFIG")}
        try:
            with x_display() as display:
                yield display.env | folders
        except RigUnavailable as reason:
            print(f"window: on the present screen ({reason})", file=sys.stderr)
            yield dict(os.environ) | folders


def _python(code: str, environment: dict[str, str]) -> str:
    """Run code in a process of its own and return what it printed last."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=_PATIENCE_S, check=True)
    return done.stdout.strip().splitlines()[-1]


def _opening_ms(environment: dict[str, str]) -> float:
    started_ns = time.monotonic_ns()
    painted_ns = int(_python("import bench.window; bench.window.open_and_close()", environment))
    return (painted_ns - started_ns) / 1e6


def open_and_close() -> None:
    """Run the program; at the first painted frame print the monotonic time, and close the window."""
    from PySide6.QtCore import QTimer

    from ui.main import main
    from ui.widgets.timeline_canvas import TimelineCanvas

    paint = TimelineCanvas.paintEvent
    times: list[int] = []

    def first_frame_shown(canvas: TimelineCanvas) -> None:
        times.append(time.monotonic_ns())
        canvas.window().close()

    def paint_and_tell(canvas: TimelineCanvas, event: object) -> None:
        paint(canvas, event)  # type: ignore[arg-type]
        if not times:
            QTimer.singleShot(0, lambda: first_frame_shown(canvas))

    TimelineCanvas.paintEvent = paint_and_tell  # type: ignore[method-assign,assignment]
    main([])
    print(times[0])


def measure_frames() -> None:
    """Print the milliseconds of each frame as JSON: {tab: [ms, …]}."""
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QApplication

    from tests.ui.synthetic import CYCLE_MS, SyntheticSession
    from ui.main_window import MainWindow
    from ui.session_feed import SessionFeed
    from ui.theme import Theme

    application = QApplication(["bench"])
    feed = SessionFeed()
    window = MainWindow(feed, Theme(application))
    window.resize(1920, 1080)
    window.show()
    live_ms = round(sum(FRAMES.values()) * _FRAME_S * 1000) + CYCLE_MS
    session = SyntheticSession(HISTORY_CYCLES + live_ms // CYCLE_MS + 1)
    history_ns = HISTORY_CYCLES * CYCLE_MS * 1_000_000
    feed.take(session.messages(0, history_ns))
    # Audio events come fifty a second: with them shown the log is longest, and its rows move in every frame.
    window.log.audio_box.setChecked(True)
    if window.log.model.rowCount() < 10_000:
        raise RuntimeError(f"only {window.log.model.rowCount()} rows in the log")
    batches = session.batches(history_ns, session.duration_ns)
    checks = _Checks(window)
    samples: dict[str, list[float]] = {}
    for tab, count in FRAMES.items():
        if tab == _PRESENTER:
            window.presenting.toggle()
        else:
            names = [window.tabs.tabText(place).split(" ")[0] for place in range(window.tabs.count())]
            window.tabs.setCurrentIndex(names.index(tab))
        samples[tab] = [_frame_ms(application, window, next(batches), checks) for _ in range(count)]
    # Queued: with nothing to wait for the window has ended before the loop runs.
    window.ended.connect(application.quit, Qt.ConnectionType.QueuedConnection)
    window.close()
    application.exec()
    checks.judge()
    print(json.dumps(samples))


def _frame_ms(application: object, window: "MainWindow", batch: object, checks: "_Checks") -> float:
    """Wait for the frame's time, do its work and return how long that took."""
    from PySide6.QtCore import QCoreApplication, QEvent

    begun = time.perf_counter()
    QCoreApplication.processEvents()
    window.feed.take(batch)  # type: ignore[arg-type]
    QCoreApplication.sendPostedEvents()
    # Paint now what the screen's clock would let be painted a few milliseconds later.
    QCoreApplication.sendEvent(window, QEvent(QEvent.Type.UpdateRequest))
    QCoreApplication.processEvents()
    work_s = time.perf_counter() - begun
    checks.keep_running()
    time.sleep(max(0.0, _FRAME_S - (time.perf_counter() - begun)))
    return work_s * 1000


class _Checks:
    """Keeps the suite running beside the frames, and knows for how many of them it did."""

    def __init__(self, window: "MainWindow") -> None:
        self._feed = window.checks_feed
        self._feed.failed.connect(self._complaints_append)
        self._complaints: list[str] = []
        self._frames = self._frames_running = 0
        self._feed.list_checks()

    def keep_running(self) -> None:
        """Start the suite again where it ended."""
        self._frames += 1
        self._frames_running += self._feed.running
        if not self._feed.running:
            self._feed.run("embedded", self._feed.model.all_keys())

    def judge(self) -> None:
        """Raise RuntimeError where the suite ran beside fewer than nine tenths of the frames."""
        if self._frames_running < 0.9 * self._frames:
            found = "; ".join(self._complaints) or "no complaint"
            raise RuntimeError(f"checks ran in {self._frames_running} of {self._frames} frames: {found}")

    def _complaints_append(self, sentence: str) -> None:
        self._complaints.append(sentence)

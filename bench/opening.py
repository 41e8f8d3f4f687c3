"""How long a saved session of three hours takes to open, and how smoothly it is looked through.

The session is made up: 50 appends a second, 900 replies, numbers, ids and uneven times as a real one has them, both
voices as FLAC. It is opened in the real window, 1920×1080, on an X server of its own where there is one: from the
user's choice to the first frame that shows it whole, by the clock on the wall. Then it is dragged, zoomed and scrolled
while its sound is read and afterwards, and words are typed into the filter of the log, at last with the rows of the
audio shown: all 600,000 of them. What a frame or a key takes is the time of the processor for all that the window does
for it.

PARTICIPANT_SIMULATOR_HOURS makes it shorter.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from bench.figures import Figure
from bench.window import _python, _screen
from simulator.record.entries import FORMAT, Direction, Entry
from simulator.record.folder import SESSION
from simulator.units import NS_PER_S, SAMPLE_RATE_HZ

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ui.main_window import MainWindow

HOURS: Final = 3.0
OPENINGS: Final = 7
_CYCLE_S: Final = 12
_ZOOMS_S: Final = (0.5, 10, 60, 600, 3_600, 10_800)
_FRAMES: Final = 120
"""Of each zoom."""
_WORDS: Final = "speech_started item_1"

Figures = dict[str, tuple[float, list[float]]]
"""Goal and milliseconds by name."""


def run() -> list[Figure]:
    """Make the session, open it again and again, then look through it."""
    hours = float(os.environ.get("PARTICIPANT_SIMULATOR_HOURS", HOURS))
    with tempfile.TemporaryDirectory(prefix="opening-") as folder, _screen() as environment:
        session = Path(folder) / f"{hours:g} hours"
        make_session(session, hours)
        found = json.loads(_python(f"import bench.opening; bench.opening.measure({str(session)!r})", environment))
    return [Figure(f"opening: {name}", goal, "ms", samples) for name, (goal, samples) in found.items()]


def make_session(folder: Path, hours: float) -> None:
    """Write a finished session of so many hours."""
    from simulator.record.finishing import finish
    from tests.ui.synthetic import SyntheticSession

    folder.mkdir(parents=True)
    synthetic = SyntheticSession(round(hours * 3_600 / _CYCLE_S))
    with (folder / SESSION).open("wb") as lines:
        for entry in _as_recorded(synthetic.entries):
            lines.write(msgspec.json.encode(entry) + b"\n")
        ended = Entry(
            len(synthetic.entries), synthetic.duration_ns, Direction.NOTED, "record.ended", {"reason": "asked"}
        )
        lines.write(msgspec.json.encode(ended) + b"\n")
    _write_voices(folder / "session.heard.flac", hours)
    finish(folder)


def _as_recorded(entries: Iterable[Entry]) -> Iterable[Entry]:
    """Give made-up entries the ids, the order of fields and the uneven times of a real record."""
    random = np.random.default_rng(5)
    sent = 0
    for entry in entries:
        event: dict[str, Any] = {key: value for key, value in entry.event.items() if key != "type"}
        if not entry.seq:
            event = {"format": FORMAT, "format_version": 1}
        elif entry.direction is Direction.SENT:
            sent += 1
            event = {"type": entry.type, "event_id": f"event_{sent}", **event}
        elif entry.direction is Direction.RECEIVED:
            event = {"event_id": f"event_{random.bytes(12).hex()}", "type": entry.type, **event}
        late_ns = int(random.integers(0, 900_000)) if entry.seq else 0
        yield msgspec.structs.replace(entry, event=event, t_ns=entry.t_ns + late_ns)


def _write_voices(path: Path, hours: float) -> None:
    import soundfile

    seconds = np.arange(60 * SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ
    noise = np.random.default_rng(6).normal(0, 40, (2, len(seconds)))
    tone = 6_000 * np.sin(2 * np.pi * 180 * seconds) * np.abs(np.sin(2 * np.pi * 2.1 * seconds))
    minute = np.stack([tone * (seconds % 12 < 3), tone * (seconds % 12 >= 4)]) + noise
    with soundfile.SoundFile(path, "w", SAMPLE_RATE_HZ, 2, format="FLAC", subtype="PCM_16") as file:
        for _ in range(round(hours * 60)):
            file.write(minute.T.astype(np.int16))


def measure(folder: str) -> None:
    """Print what was measured in this process as JSON: {figure: [goal, [ms, …]]}."""
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QApplication

    from ui.main_window import MainWindow
    from ui.session_feed import SessionFeed
    from ui.theme import Theme

    application = QApplication(["bench"])
    window = MainWindow(SessionFeed(), Theme(application))
    window.resize(1920, 1080)
    window.show()
    _frame_ms(window)
    figures: Figures = {}
    opened: list[float] = []
    for _ in range(OPENINGS):
        window.record.show_live()
        _frame_ms(window)
        opened.append(_opened_ms(window, Path(folder)))
    figures["until it is on the screen"] = 2_000, opened
    began = time.perf_counter()
    samples = []
    while window.sessions.reads_sound:
        window.timeline.canvas.update()
        samples.append(_frame_ms(window, time.thread_time))
        time.sleep(0.01)
    print(f"sound read in {time.perf_counter() - began:.1f} s", file=sys.stderr)
    figures["a frame while the sound is read"] = 16.0, samples
    figures.update(_looked_through(window))
    # Queued: with nothing to wait for the window has ended before the loop runs.
    window.ended.connect(application.quit, Qt.ConnectionType.QueuedConnection)
    window.close()
    application.exec()
    print(json.dumps(figures))


def _opened_ms(window: "MainWindow", folder: Path) -> float:
    from PySide6.QtCore import QCoreApplication, QEventLoop

    began = time.perf_counter()
    window.sessions.open(folder)
    while not (window.record.shown.title and window.record.shown.path):
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    _frame_ms(window)
    return (time.perf_counter() - began) * 1_000


def _looked_through(window: "MainWindow") -> Figures:
    figures: Figures = {}
    panel, canvas = window.timeline, window.timeline.canvas
    whole_ns = window.record.shown.now_ns
    for span_s in _ZOOMS_S:
        panel._window.zoom_to(round(span_s * NS_PER_S))
        samples = []
        for step in range(_FRAMES):
            panel._window.scroll_to(round(whole_ns * step / _FRAMES))
            panel._show_window()
            canvas.update()
            samples.append(_frame_ms(window))
        figures[f"a frame anywhere, {span_s:g} s wide"] = 16.0, samples
        samples = []
        for _ in range(_FRAMES):
            panel._window.scroll_by(-37)
            panel._show_window()
            canvas.update()
            samples.append(_frame_ms(window))
        figures[f"a frame of dragging, {span_s:g} s wide"] = 16.0, samples
    for audio in (False, True):
        figures.update(_log_looked_through(window, audio))
    for name in ("Transcript", "Latency", "Answers"):
        window.tabs.setCurrentWidget(window.log)
        place = next(each for each in range(window.tabs.count()) if window.tabs.tabText(each).startswith(name))
        figures[f"go to {name}"] = 500.0, [_timed_ms(window, partial(window.tabs.setCurrentIndex, place))]
    return figures


def _log_looked_through(window: "MainWindow", audio: bool) -> Figures:
    log, rows = window.log, "log with its audio" if audio else "log"
    window.tabs.setCurrentWidget(log)
    figures: Figures = {f"{rows}: show it": (100.0, [_timed_ms(window, partial(log.audio_box.setChecked, audio))])}
    bar, count = log.table.verticalScrollBar(), log.model.rowCount()
    places = [step / _FRAMES for step in range(_FRAMES)]
    samples = [_timed_ms(window, partial(bar.setValue, round(bar.maximum() * place))) for place in places]
    figures[f"{rows}: a frame anywhere"] = 16.0, samples
    samples = [_timed_ms(window, partial(bar.setValue, bar.value() - 3)) for _ in places]
    figures[f"{rows}: a frame of scrolling"] = 16.0, samples
    samples = [_timed_ms(window, partial(log.table.selectRow, round(count * place))) for place in places]
    figures[f"{rows}: a row is selected"] = 100.0, samples
    samples = []
    for length in range(1, len(_WORDS) + 1):
        log.filter_field.setText(_WORDS[:length])
        samples.append(_timed_ms(window, log._apply_filter))
    figures[f"{rows}: a key in the filter"] = 100.0, samples
    log.filter_field.clear()
    log._apply_filter()
    return figures


def _timed_ms(window: "QWidget", do: Callable[[], object]) -> float:
    began = time.process_time()
    do()
    _frame_ms(window)
    return (time.process_time() - began) * 1_000


def _frame_ms(window: "QWidget", clock: Callable[[], float] = time.process_time) -> float:
    """Do the work of a frame and return how long that took."""
    from PySide6.QtCore import QCoreApplication, QEvent

    began = clock()
    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents()
    QCoreApplication.sendEvent(window, QEvent(QEvent.Type.UpdateRequest))
    QCoreApplication.processEvents()
    return (clock() - began) * 1_000

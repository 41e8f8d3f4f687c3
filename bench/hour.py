"""What an hour's session takes: memory of the participant's recording and of the window, and disk.

The hour is played fast, on a clock that is set. In one process the participant's recorder keeps it, with the rules that
watch it: fifty pieces of audio a second each way, as an engine that answers with 20 ms at a time would make them. The
folder is finished in a second, whose memory is read too. In a third the window takes the feed of an hour as it would
live, with everything that draws.

The voices are recordings that come with the program, over a noise floor such as a room has: silence would compress to
nothing. PARTICIPANT_SIMULATOR_MINUTES makes it shorter.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import psutil
from numpy.typing import NDArray

from bench.figures import Figure

ONLY_WHEN_NAMED: Final = True
MINUTES: Final = 60.0
SETTLED_MINUTE: Final = 5
GROWTH_GOAL_MB: Final = 60.0
DISK_GOAL_MB: Final = 300.0
FINISHING_GOAL_MB: Final = 200.0
_CHUNK: Final = 480
_CHUNK_NS: Final = 20_000_000
_A_SECOND: Final = 50
_TURN_S: Final = 24
_NOISE: Final = 40
_MOST_WAITING_BYTES: Final = 1 << 20

Samples = NDArray[np.int16]


def run() -> Iterable[Figure]:
    """Measure, and return the figures."""
    minutes = float(os.environ.get("PARTICIPANT_SIMULATOR_MINUTES", MINUTES))
    with tempfile.TemporaryDirectory(prefix="hour-") as folder:
        session = Path(folder) / "session"
        kept = _python(f"bench.hour.keep({str(session)!r}, {minutes})")
        wav_mb = _size_mb(session)
        finishing_mb, finishing_s = _finish(session)
        disk_mb = _size_mb(session)
    drawn = _python(f"bench.hour.draw({minutes})")
    print(f"on disk: {wav_mb:.0f} MB, {disk_mb:.0f} MB finished in {finishing_s:.1f} s", file=sys.stderr)
    what = f"growth from minute {SETTLED_MINUTE} to {minutes:g}"
    return [
        Figure(f"participant's record: {what}", GROWTH_GOAL_MB, "MB", [kept["growth_mb"]]),
        Figure(f"window: {what}", GROWTH_GOAL_MB, "MB", [drawn["growth_mb"]]),
        Figure("finishing: memory at most", FINISHING_GOAL_MB, "MB", [finishing_mb]),
        Figure(f"disk for {minutes:g} minutes", DISK_GOAL_MB, "MB", [disk_mb]),
    ]


def _python(call: str) -> dict[str, Any]:
    """Run a function of this file in a process of its own, and return the JSON that it printed last."""
    with tempfile.TemporaryDirectory(prefix="hour-user-") as user:
        environment = os.environ | {
            "QT_QPA_PLATFORM": "offscreen",
            "PARTICIPANT_SIMULATOR_DATA": f"{user}/data",
            "PARTICIPANT_SIMULATOR_CONFIG": f"{user}/config",
        }
        command = [sys.executable, "-c", f"import bench.hour; {call}"]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def _size_mb(session: Path) -> float:
    from simulator.record.folder import size_bytes

    return size_bytes(session) / 2**20


def _finish(session: Path) -> tuple[float, float]:
    """Return the most memory that the process that finishes a session took, and how long it took."""
    from simulator.engines.children import child_environment, python_command

    began, most = time.monotonic(), 0.0
    with subprocess.Popen(python_command("simulator.record.finishing", str(session)), env=child_environment()) as child:
        process = psutil.Process(child.pid)
        while child.poll() is None:
            most = max(most, process.memory_info().rss / 2**20)
            time.sleep(0.05)
    if child.returncode:
        raise RuntimeError("the session could not be finished")
    return most, time.monotonic() - began


class Memory:
    """Memory of this process by the minute of the session."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._process = psutil.Process()
        self._mb: dict[int, float] = {}

    def look(self, minute: int) -> None:
        """Read it, once a minute."""
        if minute not in self._mb:
            self._mb[minute] = self._process.memory_info().rss / 2**20
            if minute % 5 == 0:
                print(f"{self._name}: minute {minute}, {self._mb[minute]:.1f} MB", file=sys.stderr, flush=True)

    def growth_mb(self) -> float:
        """Return how much more the last minute took than the one in which it had settled; nan without both."""
        last = max(self._mb)
        return self._mb[last] - self._mb[SETTLED_MINUTE] if last > SETTLED_MINUTE else float("nan")


def keep(session: str, minutes: float) -> None:
    """Keep a session of so many minutes as the participant does; print the growth of this process."""
    clock = _Clock()
    time.monotonic_ns = clock
    from simulator.audio.playout import AudioHanded
    from simulator.participant.recorder import SessionRecorder
    from simulator.participant.rule_watch import RuleWatch
    from simulator.record.redact import Redactor

    def fail(fault: object) -> None:
        raise RuntimeError(f"the record cannot be kept: {fault}")

    lost: list[object] = []
    recorder = SessionRecorder(
        Path(session) / "session.jsonl",
        redactor=Redactor(),
        on_entry=lambda entry: None,
        on_fault=fail,
        on_loss=lambda loss, over: lost.append(loss),
    )
    watch = RuleWatch(recorder)
    memory = Memory("participant's record")
    log = recorder.log
    log.started(engine="e", url="ws://e", model="m", headers={}, at_ns=clock())
    for number, (said, answered, events) in zip(range(int(minutes * 60) * _A_SECOND), _conversation(), strict=False):
        clock.now_ns += _CHUNK_NS
        recorder.captured(said, clock(), begins=number == 0)
        log.sent({"type": "input_audio_buffer.append", "audio": ""}, clock(), audio=said.tobytes(), size_bytes=1_330)
        for event in events:
            log.received(event, clock(), size_bytes=400)
        if answered is not None:
            item, samples = answered
            delta = {"type": "response.output_audio.delta", "event_id": f"event_{number}", "delta": "", **item}
            log.received(delta, clock(), audio=samples.tobytes(), size_bytes=1_500)
            recorder.handed([AudioHanded(item["item_id"], 0, samples, number * _CHUNK, clock(), clock(), 0)])
        recorder.advance(clock())
        recorder.take_peaks()
        watch.tick(clock() - recorder.started_ns)
        while recorder.waiting_bytes > _MOST_WAITING_BYTES:
            time.sleep(0.001)  # the disk has no more than an hour's time for an hour
        memory.look(number // (60 * _A_SECOND))
    recorder.close("the hour is over")
    if lost:
        raise RuntimeError(f"the record lost something: {lost[0]}")
    print(json.dumps({"growth_mb": memory.growth_mb()}))


class _Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now_ns = 1_000_000_000

    def __call__(self) -> int:
        return self.now_ns


_Answered = tuple[dict[str, Any], Samples] | None


def _conversation() -> Iterator[tuple[Samples, _Answered, list[dict[str, Any]]]]:
    """Yield 20 ms at a time what is said, what is answered by which item, and what the engine says beside it."""
    from simulator.audio.audio_files import load_recording
    from simulator.audio.recordings import Role, recordings_for

    random = np.random.default_rng(3)
    turns = itertools.cycle([load_recording(each.path) for role in Role for each in recordings_for(role)])
    for turn in itertools.count():
        said, answered = next(turns), next(turns)
        for chunk in range(_TURN_S * _A_SECOND):
            noise = random.normal(0, _NOISE, _CHUNK)
            events: list[dict[str, Any]] = []
            answer: _Answered = None
            if chunk >= _TURN_S * _A_SECOND // 2:
                ids = {"response_id": f"resp_{turn}", "item_id": f"item_{turn}", "output_index": 0, "content_index": 0}
                piece = _piece(answered, chunk - _TURN_S * _A_SECOND // 2)
                answer = (ids, piece)
                if chunk % 10 == 0:
                    events.append({"type": "response.output_audio_transcript.delta", "delta": f"word {chunk}", **ids})
            elif chunk % 100 == 0:
                events.append({"type": "rate_limits.updated", "event_id": f"event_{turn}_{chunk}", "rate_limits": []})
            yield (_piece(said, chunk) * 0.5 + noise).astype(np.int16), answer, events


def _piece(samples: Samples, number: int) -> Samples:
    piece = samples[number * _CHUNK : (number + 1) * _CHUNK]
    return np.pad(piece, (0, _CHUNK - len(piece)))


def draw(minutes: float) -> None:
    """Give a window the feed of so many minutes; print the growth of this process."""
    from PySide6.QtCore import QCoreApplication
    from PySide6.QtWidgets import QApplication

    from simulator.participant.messages import decode_feed, encode_line
    from tests.ui.synthetic import CYCLE_MS, SyntheticSession
    from ui.main_window import MainWindow
    from ui.session_feed import SessionFeed
    from ui.theme import Theme

    application = QApplication(["bench"])
    feed = SessionFeed()
    window = MainWindow(feed, Theme(application))
    window.resize(1920, 1080)
    window.show()
    cycles = int(minutes * 60_000 / CYCLE_MS)
    session = SyntheticSession(cycles)
    memory = Memory("window")
    for number in range(cycles):
        begins_ns, ends_ns = (each * CYCLE_MS * 1_000_000 for each in (number, number + 1))
        for batch in session.batches(begins_ns, ends_ns, per_second=5):
            # Through the lines of the feed: what the session made up must not count twice.
            feed.take([decode_feed(encode_line(message)) for message in batch])
        QCoreApplication.processEvents()
        memory.look(ends_ns // 60_000_000_000)
    print(json.dumps({"growth_mb": memory.growth_mb()}))

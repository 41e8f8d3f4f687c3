"""What does a session lose when its process is killed?

A hundred times a process of its own keeps a session in real time, as the participant does, and is killed at a random
moment. Then its folder is opened by this program and its audio by others (Python's wave, libsndfile, SoX where it is
installed), finished, and opened again. The figures are how much time before the kill each of them cannot read.

As it takes some minutes, it is measured only when named. PARTICIPANT_SIMULATOR_KILLS makes it shorter.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import wave
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import numpy as np
import soundfile

from bench.figures import Figure
from simulator.engines.children import child_environment
from simulator.record.entries import Track
from simulator.record.finishing import finish
from simulator.record.manifest import changes
from simulator.record.reader import audio, read_record
from simulator.record.wav import flac_path, track_path
from simulator.units import NS_PER_S, SAMPLE_RATE_HZ

ONLY_WHEN_NAMED: Final = True
KILLS: Final = 100
LONGEST_S: Final = 3.0
GOAL_S: Final = 1.0

_SESSION: Final = """
import itertools, sys, time
from pathlib import Path
import numpy as np
from simulator.participant.recorder import SessionRecorder
from simulator.record.redact import Redactor
recorder = SessionRecorder(
    Path(sys.argv[1]), redactor=Redactor(), on_entry=lambda entry: None, on_fault=lambda fault: sys.exit(str(fault))
)
recorder.log.started(engine="e", url="ws://e", model="m", headers={}, at_ns=recorder.started_ns)
for number in itertools.count():
    chunk = np.full(480, number % 1000 + 1, np.int16)
    now = time.monotonic_ns()
    recorder.log.sent({"type": "input_audio_buffer.append", "audio": ""}, now, audio=chunk.tobytes())
    recorder.log.received({"type": "response.output_audio.delta", "delta": ""}, now, audio=chunk.tobytes())
    recorder.captured(chunk, now, begins=number == 0)
    recorder.advance(now)
    print(now - recorder.started_ns, time.monotonic_ns(), flush=True)
    time.sleep(max(0.0, recorder.started_ns / 1e9 + 0.02 * (number + 1) - time.monotonic()))
"""


def run() -> Iterable[Figure]:
    """Measure, and return the figures."""
    kills = int(os.environ.get("PARTICIPANT_SIMULATOR_KILLS", KILLS))
    seed = random.randrange(1 << 30)
    print(f"{kills} kills, seed {seed}", file=sys.stderr, flush=True)
    moments = random.Random(seed)
    lost: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        for number in range(kills):
            session = Path(folder) / str(number)
            last_ns = _kill_one(session, moments.uniform(0.05, LONGEST_S))
            _read(session, last_ns, lost)
            shutil.rmtree(session)
    return [Figure(f"lost by a kill: {name}", GOAL_S, "s", samples) for name, samples in lost.items()]


def _kill_one(session: Path, after_s: float) -> int:
    """Return the session's time at which it was killed, at the latest."""
    with subprocess.Popen(
        [sys.executable, "-P", "-c", _SESSION, str(session / "session.jsonl")],
        env=child_environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        first = child.stdout.readline()
        time.sleep(after_s)
        child.kill()
        lines = [first, *child.stdout.read().splitlines()]
    return max(int(line.split()[0]) for line in lines if len(line.split()) == 2)


def _read(session: Path, last_ns: int, lost: dict[str, list[float]]) -> None:
    record = read_record(session)
    entries = record.entries
    if entries and record.problems and "was cut off in the middle" not in record.problems[0]:
        raise RuntimeError(f"A killed session is damaged: {record.problems}")

    def note(name: str, known_s: float) -> None:
        lost.setdefault(name, []).append(max(0.0, last_ns / NS_PER_S - known_s))

    note("events", entries[-1].t_ns / NS_PER_S if entries else 0.0)
    readers: dict[str, Callable[[Path], np.ndarray]] = {"wave": _by_wave, "soundfile": _by_soundfile}
    if shutil.which("sox"):
        readers["sox"] = _by_sox
    for track in Track:
        begins_s = entries[1].t_ns / NS_PER_S if entries[1:] and track is not Track.HEARD else 0.0
        own = audio(session, track).reshape(-1, 2 if track is Track.HEARD else 1)
        note(f"{track.value}, here", begins_s + len(own) / SAMPLE_RATE_HZ)
        for name, reader in readers.items():
            wav = track_path(record.path, track)
            samples = reader(wav) if wav.exists() else own[:0]  # it is made with the first samples
            if not np.array_equal(samples, own[: len(samples)]):
                raise RuntimeError(f"{name} reads other samples of {track.value}")
            note(f"{track.value}, {name}", begins_s + len(samples) / SAMPLE_RATE_HZ)
        told = [entry.audio for entry in entries if entry.audio is not None and entry.audio.track is track]
        if told and len(own) < told[-1].first_sample + told[-1].samples:
            raise RuntimeError(f"An event tells of samples of {track.value} that are not there")
    _check_finished(session, {track: np.array(audio(session, track)) for track in Track})


def _check_finished(session: Path, before: dict[Track, np.ndarray]) -> None:
    finish(session)
    for track, samples in before.items():
        flac = flac_path(session / "session.jsonl", track)
        after = soundfile.read(flac, dtype="int16")[0] if flac.exists() else samples[:0]
        if not np.array_equal(after, samples):
            raise RuntimeError(f"Finishing changed {track.value}")
    if changed := list(changes(session)):
        raise RuntimeError(f"The manifest does not fit: {changed}")


def _by_wave(path: Path) -> np.ndarray:
    with wave.open(str(path)) as file:
        data = file.readframes(file.getnframes())
        return np.frombuffer(data, "<i2").reshape(-1, file.getnchannels())


def _by_soundfile(path: Path) -> np.ndarray:
    samples: np.ndarray = soundfile.read(path, dtype="int16", always_2d=True)[0]
    return samples


def _by_sox(path: Path) -> np.ndarray:
    done = subprocess.run(
        ["sox", str(path), "-t", "raw", "-e", "signed", "-b", "16", "-L", "-"], capture_output=True, check=True
    )
    with wave.open(str(path)) as file:
        return np.frombuffer(done.stdout, "<i2").reshape(-1, file.getnchannels())

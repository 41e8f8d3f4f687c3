"""Finishes a session's folder: audio to FLAC, what a reader wants at once into files of its own, the manifest last.

    python -P -m simulator.record.finishing FOLDER

A process of its own at low priority, so that the session's own process may end at once. Each step leaves the folder
whole: a file takes its name when it is complete, and a WAV goes only after its FLAC was decoded and compared sample by
sample. Killed at any moment it is begun again, by whoever opens the session next, and it finishes what a crash left.
"""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from simulator import __version__
from simulator.engines.children import child_environment, in_the_background, python_command
from simulator.errors import SimulatorError, StorageFault, UnreadableFile, UnreadableRecording, UsageError
from simulator.record import lock
from simulator.record.atomic import part_of, put_in_place, sync_folder, write_whole
from simulator.record.entries import Track
from simulator.record.folder import SESSION, is_running, is_session
from simulator.record.manifest import Manifest, read_manifest, write_manifest
from simulator.record.reader import stream
from simulator.record.summary import Summary
from simulator.record.tracks import Samples, TrackFile, open_flac
from simulator.record.wav import HEADER_BYTES, flac_path, track_path
from simulator.resources import system_name
from simulator.units import NS_PER_S, SAMPLE_RATE_HZ

_BLOCK_FRAMES: Final = 1 << 16
_LOWEST_PRIORITY: Final = 19


def is_finished(folder: Path) -> bool:
    """Whether a session was finished: its manifest comes last. What came into the folder later is not its own."""
    try:
        read_manifest(folder)
    except UnreadableFile:
        return False
    return True


def start(folder: Path) -> None:
    """Let a process of its own finish a session, unless it is finished or goes on. Returns at once."""
    if not is_session(folder) or is_finished(folder) or is_running(folder):
        return
    child = subprocess.Popen(
        python_command("simulator.record.finishing", str(folder)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=child_environment(),
        **in_the_background(),
    )
    # Nobody waits for it but this thread, which ends with this process; the child does not.
    threading.Thread(target=child.wait, name="session-finishing", daemon=True).start()


def finish(folder: Path) -> Manifest:
    """Finish a session. Blocks for some ten seconds an hour of it; one that is finished gets its manifest anew.

    Raises UsageError where the folder is none, or its session goes on, UnreadableFile where its events are no record,
    StorageFault where something cannot be written: then everything is as it was, and it can be tried again.
    """
    if not is_session(folder):
        raise UsageError(f"{folder} is no session's folder.")
    try:
        with _locked(folder):
            problems: list[str] = []
            summary = Summary()
            for entry in stream(folder / SESSION, problems):
                summary.feed(entry)
            for track in Track:
                try:
                    _compress(folder / SESSION, track)
                except UnreadableRecording as error:
                    problems.append(str(error))
            for name, content in summary.files().items():
                write_whole(folder / name, content)
            return write_manifest(folder, _told(summary, problems))
    except OSError as error:
        raise StorageFault(
            f"The session in {folder} cannot be finished ({error.strerror or error}); what was recorded is whole. "
            "Free some space or make the folder writable, and open it again.",
            str(error),
        ) from error


def main(arguments: list[str]) -> int:
    """Finish the session in the folder that is named; on an error say why, and return 3."""
    if hasattr(os, "nice"):
        os.nice(_LOWEST_PRIORITY)
    try:
        finish(Path(arguments[0]))
    except SimulatorError as error:
        sys.stderr.write(f"{error}\n")
        return 3
    return 0


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep others from writing, compressing or deleting the session."""
    with lock.holding(folder / SESSION) as held:
        if not held:
            raise UsageError(f"The session in {folder} still goes on, or is being finished or deleted already.")
        yield


def _told(summary: Summary, problems: list[str]) -> dict[str, Any]:
    if summary.ended is None:
        problems = [*problems, "The session did not come to its end: its process was killed, or the disk was full."]
    if summary.lost_entries:
        problems = [*problems, f"The disk was too slow: {summary.lost_entries} events are lost."]
    started_at = summary.started.get("started_at")
    return {
        "program": __version__,
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "started_at": started_at if isinstance(started_at, str) else None,
        "duration_s": round(summary.last_ns / NS_PER_S, 3),
        "entries": summary.entries,
        "ended": summary.ended,
        "problems": problems,
    }


def _compress(record: Path, track: Track) -> None:
    """Put a FLAC in the place of a WAV. Raises OSError or UnreadableRecording, and leaves the WAV."""
    wav, flac = track_path(record, track), flac_path(record, track)
    if not wav.exists():
        return
    if wav.stat().st_size > HEADER_BYTES:
        with TrackFile(record, track) as samples:
            if samples.frames and not (flac.exists() and _same(samples, flac)):
                _make(samples, flac)
    wav.unlink()
    sync_folder(record.parent)


def _make(samples: TrackFile, flac: Path) -> None:
    part = part_of(flac)
    try:
        _encode(samples, part)
        if not _same(samples, part):
            raise OSError(f"{part} does not hold what {samples.path} does")
        put_in_place(flac)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _encode(samples: TrackFile, target: Path) -> None:
    import soundfile

    form = {"samplerate": SAMPLE_RATE_HZ, "channels": samples.channels, "format": "FLAC", "subtype": "PCM_16"}
    try:
        with soundfile.SoundFile(system_name(target), "w", **form) as file:
            for block in samples.blocks(_BLOCK_FRAMES):
                file.write(block)
    except RuntimeError as error:  # what libsndfile raises, with reasons of its own
        with target.open("ab") as file:
            file.write(bytes(_BLOCK_FRAMES))  # a full disk says so
        raise OSError(str(error)) from error


def _same(samples: TrackFile, flac: Path) -> bool:
    """Whether a FLAC decodes to exactly these samples."""
    try:
        with open_flac(flac) as file:
            if (file.frames, file.channels) != (samples.frames, samples.channels):
                return False
            for block in samples.blocks(_BLOCK_FRAMES):
                decoded: Samples = file.read(len(block), dtype="int16", always_2d=True)
                if not np.array_equal(decoded, block.reshape(len(block), -1)):
                    return False
            return True
    except RuntimeError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

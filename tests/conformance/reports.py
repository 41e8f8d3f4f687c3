"""Reports and records for tests of what is made of them, without any engine."""

from pathlib import Path
from typing import Any

import numpy as np

from simulator.conformance.check import Measurement, Verdict
from simulator.conformance.repeats import summarise
from simulator.conformance.report import Engine, Report, Result, environment, overall
from simulator.conformance.store import CELLS
from simulator.record.entries import Direction, Entry, Track
from simulator.record.writer import RecordWriter
from tests.conformance.sheets import Sheet

PASSED, FAILED, INCONCLUSIVE = Verdict.PASSED, Verdict.FAILED, Verdict.INCONCLUSIVE


def measured(name: str, value: float, unit: str = "ms", **more: Any) -> Measurement:
    return Measurement(name=name, value=value, unit=unit, **more)


def result(check: str, mode: str | None = None, verdict: Verdict = PASSED, **more: Any) -> Result:
    fields: dict[str, Any] = {
        "reasons": [] if verdict is PASSED else ["It was not so."],
        "warnings": [],
        "measurements": [],
        "clause": f"What {check} asks for.",
        "record": None,
        "record_sha256": None,
        "attempts": 1,
    }
    return Result(check=check, turn_detection=mode, verdict=verdict, **(fields | more))


def report(*results: Result, engine: Engine | None = None, **more: Any) -> Report:
    fields: dict[str, Any] = {
        "started_at": "2026-11-30T10:00:00+00:00",
        "finished_at": "2026-11-30T10:01:00+00:00",
        "environment": environment(),
        "verdict": overall(results),
        "repeats": summarise(results),
    }
    engine = engine or Engine(name="lab", url="wss://lab.example/v1/realtime?model=•••", model="m")
    return Report(engine=engine, results=list(results), **(fields | more))


def whole(verdict: Verdict = PASSED, **more: Any) -> Report:
    """A report of the whole suite in which handshake ends as `verdict` and all else passed."""
    cells = sorted(CELLS, key=str)
    results = [result(check, mode, verdict if check == "handshake" else PASSED) for check, mode in cells]
    return report(*results, **more)


def write_record(sheet: Sheet, path: Path) -> None:
    """Write a sheet as a record, with a tone wherever it has audio."""
    faults: list[Exception] = []
    writer = RecordWriter(path, on_fault=faults.append)
    started = {"format": "participant-simulator/record", "format_version": 1}
    entries = [Entry(0, 0, Direction.NOTED, "record.started", started)]
    entries += [
        Entry(
            entry.seq + 1,
            max(entry.t_ns, 0),
            entry.direction,
            entry.type,
            entry.event,
            entry.size_bytes,
            entry.audio,
        )
        for entry in sheet.entries()
    ]
    for entry in entries:
        writer.append(entry)
        if entry.audio is not None and entry.audio.samples:
            tone = 8_000 * np.sin(np.arange(entry.audio.samples) * 0.06)
            writer.write_audio(Track(entry.audio.track), tone.astype(np.int16))
    writer.close()
    assert not faults

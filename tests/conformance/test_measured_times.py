"""What the suite measures is what the engine says it did: both stamp the same events by this computer's one clock."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from simulator.conformance.evidence import Evidence
from simulator.conformance.report import Result
from simulator.conformance.suite import run_suite
from simulator.conformance.wire import Target
from simulator.record.fields import text
from simulator.record.reader import read_record
from tests.engine.conftest import running_engine

WITHIN_MS: Final = 20
ATTEMPTS: Final = 3
"""A busy computer may hold up one of the two programs for longer than that, but not three times."""

Line = dict[str, Any]

# Each measurement of each check, and the events of the engine's log between which it lies.
MEASURED: Final = {
    ("engine_turn", "onset to speech_started"): ("onset", "input_audio_buffer.speech_started"),
    ("engine_turn", "committed to first audio"): ("input_audio_buffer.committed", "response.output_audio.delta"),
    ("barge_in", "speech_started to response.done"): ("input_audio_buffer.speech_started", "response.done"),
    ("barge_in", "truncate to its acknowledgement"): ("conversation.item.truncate", "conversation.item.truncated"),
    ("cancel", "response.cancel to response.done"): ("response.cancel", "response.done"),
}


async def test_measured_times_are_those_of_the_engine(tmp_path: Path) -> None:
    for attempt in range(ATTEMPTS):
        differences = await _differences(tmp_path / str(attempt))
        assert differences.keys() == MEASURED.keys()
        if max(map(abs, differences.values())) <= WITHIN_MS:
            return
    raise AssertionError(differences)


async def _differences(folder: Path) -> dict[tuple[str, str], float]:
    """Run the checks, and return by how many ms each measurement differs from the engine's own log."""
    folder.mkdir()
    checks = list(dict.fromkeys(check for check, _ in MEASURED))
    with running_engine("--log-actions", str(folder / "actions.jsonl")) as url:
        report = await run_suite(
            Target(url), only=checks, turn_detections=["server_vad"], jobs=len(checks), records_dir=folder / "records"
        )
    lines = [json.loads(line) for line in (folder / "actions.jsonl").read_text(encoding="utf-8").splitlines()]
    return {
        (result.check, name): measured_ms - _engine_ms(folder / "records", result, lines, *MEASURED[result.check, name])
        for result in report.results
        for name, measured_ms in _measured(result)
    }


def _measured(result: Result) -> Iterator[tuple[str, float]]:
    assert result.reasons == []
    for each in result.measurements:
        if (result.check, each.name) in MEASURED:
            yield each.name, each.value


def _engine_ms(records: Path, result: Result, lines: list[Line], start: str, end: str) -> float:
    assert result.record is not None
    evidence = Evidence(read_record(records / result.record).entries)
    created = evidence.received("session.created")
    assert created is not None
    session = text(created, "session", "id")
    own = [line for line in lines if line["session"] == session]
    if start == "onset":
        onset = evidence.utterances[0].onset_sample
        began = next(line for line in own if line.get("samples", 0) > onset)
    else:
        began = next(line for line in own if line["type"] == start)
    ended = next(line for line in own if line["type"] == end and line["t_ns"] >= began["t_ns"])
    return float(ended["t_ns"] - began["t_ns"]) / 1e6

"""The suite under the platform's specification file: its tools and words are sent, and its limits decide."""

from pathlib import Path
from typing import Any

import pytest

from simulator.conformance.check import Verdict
from simulator.conformance.judging import judge_record
from simulator.conformance.report import Report, all_checks, judge_report, read_json, write_json
from simulator.conformance.store import State, Stored, status
from simulator.conformance.suite import run_suite
from simulator.conformance.wire import Target
from simulator.profile.agent_spec import AgentSpec, read_agent_spec
from simulator.record.entries import Entry
from simulator.record.reader import read_record
from tests.conformance.small_engine import small_engine
from tests.profile.spec_file import spec_document, write_spec

TIMEOUT_MS = 400


@pytest.fixture
def specification(tmp_path: Path) -> AgentSpec:
    """A file of a later version, with other words, another silence and a short time for events."""
    document = spec_document()
    document["specVersion"] = "0.2.3"
    document["conformance"]["thresholds"]["eventTimeoutMs"] = TIMEOUT_MS
    document["conformance"]["turnDetections"][0]["silence_duration_ms"] = 650
    return read_agent_spec(write_spec(tmp_path / "spec.json", document))


async def run(folder: Path, check: str, specification: AgentSpec, *faults: str) -> tuple[Report, list[Entry]]:
    async with small_engine(*faults) as url:
        report = await run_suite(
            Target(url, "m", "small"),
            only=[check],
            turn_detections=["server_vad"],
            specification=specification,
            records_dir=folder / "records",
        )
    (path,) = sorted((folder / "records").glob("*.jsonl"))[:1]
    write_json(report, folder / "report.json", folder / "records")
    return report, list(read_record(path).entries)


def sent(entries: list[Entry], kind: str) -> list[dict[str, Any]]:
    return [each.event for each in entries if each.direction == "sent" and each.type == kind]


async def test_tools_words_and_turn_detection_are_the_files(tmp_path: Path, specification: AgentSpec) -> None:
    report, entries = await run(tmp_path, "silent_tool", specification, "limited")
    session = sent(entries, "session.update")[0]["session"]
    assert session["tools"] == list(specification.tools)
    assert session["audio"]["input"]["turn_detection"]["silence_duration_ms"] == 650
    (item,) = sent(entries, "conversation.item.create")
    text = item["item"]["content"][0]["text"]
    assert '"Asked: How warm is the weather today?\\nSlide it anywhere from 0 to 100.\\nSay a number,' in text

    assert report.spec_version == "0.2.3"
    assert report.spec_sha256 == specification.sha256
    assert report.thresholds["eventTimeoutMs"] == TIMEOUT_MS
    kept = read_json(tmp_path / "report.json")
    assert (kept.spec_version, kept.spec_sha256, kept.thresholds) == (
        *(report.spec_version, report.spec_sha256, report.thresholds),
    )


async def test_a_record_is_judged_again_by_the_limits_it_was_made_under(
    tmp_path: Path, specification: AgentSpec
) -> None:
    report, entries = await run(tmp_path, "handshake", specification, "silent")
    assert report.verdict is Verdict.FAILED, report.results
    assert f"within {TIMEOUT_MS} ms" in report.results[0].reasons[0]
    _, told = judge_report(tmp_path / "report.json")
    assert "otherwise" not in told

    (started,) = (each for each in entries if each.type == "check.started")
    assert started.event["specification"] == {"version": "0.2.3", "sha256": specification.sha256}
    assert started.event["thresholds"]["eventTimeoutMs"] == TIMEOUT_MS


async def test_limits_that_are_none_leave_nothing_to_judge_by(tmp_path: Path, specification: AgentSpec) -> None:
    await run(tmp_path, "handshake", specification)
    path = tmp_path / "records" / "handshake.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"eventTimeoutMs":400', b'"eventTimeoutMs":"long"'))
    judgement = judge_record(all_checks()["handshake"], None, read_record(path))
    assert judgement.verdict is Verdict.INCONCLUSIVE
    assert "limits that are none" in str(judgement.reasons)


async def test_a_report_by_other_limits_says_nothing_about_the_engine_today(
    tmp_path: Path, specification: AgentSpec
) -> None:
    report, _ = await run(tmp_path, "handshake", specification)
    found = status([Stored(tmp_path / "report.json", report)], "small", "m")
    assert found.state is State.STALE
    assert found.why == ["It was checked against other limits than this program's, from a specification file."]

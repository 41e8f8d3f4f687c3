"""The suite against real sockets: a small engine that behaves, and one that misbehaves in one thing at a time."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from simulator.conformance.check import Verdict
from simulator.conformance.report import Report, Result, judge_report, read_json, write_json
from simulator.conformance.suite import Progress, plan, run_suite
from simulator.conformance.wire import Target
from simulator.errors import EngineUnreachable, UnknownName
from simulator.record.entries import Direction, Track
from simulator.record.reader import audio, read_record
from tests.conformance.small_engine import small_engine

FIRST = ("handshake", "engine_turn", "barge_in")
KEY = "sk-planted-key-0123456789"


async def run(folder: Path, *faults: str, only: tuple[str, ...] = FIRST, jobs: int = 3) -> Report:
    async with small_engine(*faults) as url:
        target = Target(f"{url}?model=m&key={KEY}", "m", "small", {"Authorization": f"Bearer {KEY}"}, [KEY])
        return await run_suite(
            target, only=only, turn_detections=["server_vad"], jobs=jobs, records_dir=folder / "records"
        )


def verdicts(report: Report) -> dict[str, Verdict]:
    return {result.check: result.verdict for result in report.results}


def only_result(report: Report) -> Result:
    (result,) = report.results
    return result


async def test_an_engine_that_behaves_passes_and_leaves_records_that_prove_it(tmp_path: Path) -> None:
    report = await run(tmp_path)
    assert verdicts(report) == dict.fromkeys(FIRST, Verdict.PASSED), report.results
    assert (report.verdict, report.exit_code) == (Verdict.PASSED, 0)
    assert [fixture.name for fixture in report.fixtures] == ["interruption_slt", "question_pico_us"]
    assert report.engine.session_accepted is not None

    path = tmp_path / "report.json"
    write_json(report, path, tmp_path / "records")
    assert judge_report(path)[0] == 0
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or KEY.encode() not in file.read_bytes(), file

    record = read_record(tmp_path / "records" / "barge_in-server_vad.jsonl")
    assert record.problems == []
    appended = sum(entry.audio.samples for entry in record.entries if entry.direction is Direction.SENT and entry.audio)
    assert len(audio(record.path, Track.PARTICIPANT)) == appended > 0
    assert len(audio(record.path, Track.AGENT)) > 24_000
    (truncate,) = (entry for entry in record.entries if entry.type == "conversation.item.truncate")
    assert truncate.event["audio_end_ms"] % 10 == 7, "a rounded value might pass by chance"


FAULTS = {
    "no rate": ("handshake", "session.audio.output.format.rate is None"),
    "refuse": ("handshake", "no such voice"),
    "late": ("engine_turn", "after the onset of speech, 1000 at most"),
    "no usage": ("engine_turn", "response.usage.total_tokens of the answer is None"),
    "deaf": ("barge_in", "No response.done after speech_started came within 1500 ms"),
    "not over": ("barge_in", "after its response.done"),
    "rounds": ("barge_in", "but acknowledged at"),
}
"""What the engine does wrong: the check that must notice, and what it must say."""


async def test_a_fault_turns_its_check_red_and_names_the_clause(tmp_path: Path) -> None:
    runs = [run(tmp_path / fault, fault, only=(check,)) for fault, (check, _) in FAULTS.items()]
    for report, (fault, (_, words)) in zip(await asyncio.gather(*runs), FAULTS.items(), strict=True):
        result = only_result(report)
        assert result.verdict is Verdict.FAILED, (fault, result)
        assert any(words in reason for reason in result.reasons), (fault, result.reasons)


async def test_ten_thousand_unknown_events_change_nothing(tmp_path: Path) -> None:
    report = await run(tmp_path, "flood", only=("handshake", "engine_turn"))
    assert report.verdict is Verdict.PASSED, report.results


UNDECIDED = {
    "hang up": (
        "engine_turn",
        1,
        "closed the connection with code 1011 “oops” after input_audio_buffer.speech_started",
    ),
    "vanish": ("engine_turn", 3, "The connection was lost after input_audio_buffer.speech_started"),
    "limited": ("barge_in", 1, "refused to go on with rate_limit_exceeded"),
    "full": ("engine_turn", 1, "takes no more connections at present (429)"),
    "fast": ("barge_in", 3, "had finished its reply"),
}
"""What keeps a check from being tried: the check, the attempts it gets, and what it must say."""


async def test_what_could_not_be_tried_is_undecided_and_says_why(tmp_path: Path) -> None:
    runs = [run(tmp_path / fault, fault, only=(check,)) for fault, (check, *_) in UNDECIDED.items()]
    for report, (fault, (_, attempts, words)) in zip(await asyncio.gather(*runs), UNDECIDED.items(), strict=True):
        result = only_result(report)
        assert (result.verdict, report.exit_code) == (Verdict.INCONCLUSIVE, 2), (fault, result)
        assert result.attempts == attempts, (fault, result)
        # On a busy computer the first reason may be that the program was held up.
        assert any(words in reason for reason in result.reasons), (fault, result.reasons)
    requests = set()
    for name in ("barge_in-server_vad", "barge_in-server_vad-attempt2", "barge_in-server_vad-attempt3"):
        entries = read_record(tmp_path / "fast" / "records" / f"{name}.jsonl").entries
        requests |= {json.dumps(entry.event["item"]) for entry in entries if entry.type == "conversation.item.create"}
    assert len(requests) == 3, "a longer reply is asked for each time"


async def test_a_program_that_is_held_up_judges_nothing(tmp_path: Path) -> None:
    def hold_up(progress: Progress) -> None:
        if progress.waiting_for == "speech_started":
            time.sleep(0.4)

    async with small_engine() as url:
        report = await run_suite(
            Target(url),
            only=["engine_turn"],
            turn_detections=["server_vad"],
            records_dir=tmp_path / "records",
            on_progress=hold_up,
        )
    result = only_result(report)
    assert (result.verdict, result.attempts) == (Verdict.INCONCLUSIVE, 3)
    assert any("This computer was busy: our audio left" in reason for reason in result.reasons)
    assert any("This computer was busy: the program was held up" in reason for reason in result.reasons)


async def test_a_failed_handshake_stops_no_other_check(tmp_path: Path) -> None:
    report = await run(tmp_path, "no rate")
    passed = Verdict.PASSED
    assert verdicts(report) == {"handshake": Verdict.FAILED, "engine_turn": passed, "barge_in": passed}


async def test_where_no_update_is_acknowledged_the_others_are_undecided_and_say_so(tmp_path: Path) -> None:
    report = await run(tmp_path, "refuse")
    handshake, *others = report.results
    assert handshake.verdict is Verdict.FAILED
    for result in others:
        assert (result.verdict, result.attempts) == (Verdict.INCONCLUSIVE, 1)
        assert "No session.update was ever acknowledged" in result.reasons[0]


async def test_cancelling_gives_a_report_of_what_was_done(tmp_path: Path) -> None:
    seen: list[Progress] = []
    begun = asyncio.Event()

    def on_progress(progress: Progress) -> None:
        seen.append(progress)
        if (
            progress.progress == "waiting"
            and progress.check == "engine_turn"
            and progress.waiting_for == "speech_started"
        ):
            begun.set()

    async with small_engine() as url:
        task = asyncio.create_task(
            run_suite(Target(url), only=FIRST, jobs=1, records_dir=tmp_path / "records", on_progress=on_progress)
        )
        await asyncio.wait_for(begun.wait(), 30)
        task.cancel()
        report = await asyncio.wait_for(task, 30)
    assert [(result.check, result.verdict, result.attempts) for result in report.results] == [
        ("handshake", Verdict.PASSED, 1),
        ("engine_turn", Verdict.INCONCLUSIVE, 1),
        ("engine_turn", Verdict.INCONCLUSIVE, 0),
        ("barge_in", Verdict.INCONCLUSIVE, 0),
        ("barge_in", Verdict.INCONCLUSIVE, 0),
    ]
    assert report.results[1].reasons[0] == "The run was interrupted."
    path = tmp_path / "report.json"
    write_json(report, path, tmp_path / "records")
    code, text = judge_report(path)
    assert code == 2
    assert "otherwise" not in text
    assert {(each.progress, each.check) for each in seen} >= {
        ("queued", "barge_in"),
        ("running", "handshake"),
        ("finished", "handshake"),
        ("finished", "engine_turn"),
    }


async def test_a_report_is_judged_again_and_a_changed_record_is_noticed(tmp_path: Path) -> None:
    report = await run(tmp_path, "no rate", only=("handshake",))
    path, records = tmp_path / "report.json", tmp_path / "records"
    write_json(report, path, records)
    assert read_json(path).results[0].record == "records/handshake.jsonl"
    code, text = judge_report(path)
    assert (code, text.splitlines()[-1]) == (1, "Verdict: failed.")
    assert judge_report(path, records)[0] == 1

    record = records / "handshake.jsonl"
    whole = record.read_bytes()
    record.write_bytes(whole.replace(b'"rate":24000', b'"rate":24001', 1))
    code, text = judge_report(path)
    assert code == 2
    assert "was changed" in text
    assert text.endswith(", and not all results are the report's own.\n")
    record.unlink()
    code, text = judge_report(path)
    assert code == 2
    assert "is missing" in text

    record.write_bytes(whole)
    path.write_bytes(path.read_bytes().replace(b'"verdict": "failed"', b'"verdict": "passed"'))
    code, text = judge_report(path)
    assert code == 2
    assert "the report says otherwise" in text


async def test_an_engine_that_is_not_there_is_told_once(tmp_path: Path) -> None:
    with pytest.raises(EngineUnreachable, match="Nothing listens at"):
        await run_suite(Target("ws://127.0.0.1:9/?key=secret"), records_dir=tmp_path)


def test_the_plan_is_in_the_order_of_the_specification() -> None:
    runs = [(run.check.id, run.mode) for run in plan(FIRST)]
    assert runs == [
        ("handshake", None),
        ("engine_turn", "server_vad"),
        ("engine_turn", "semantic_vad"),
        ("barge_in", "server_vad"),
        ("barge_in", "semantic_vad"),
    ]
    assert [run.record_name(1) for run in plan(["handshake"], repeat=2)] == [
        "handshake.jsonl",
        "handshake-repeat2.jsonl",
    ]
    with pytest.raises(UnknownName, match="hand_shake"):
        plan(["hand_shake"])
    with pytest.raises(UnknownName, match="server_vad, semantic_vad"):
        plan(turn_detections=["vad"])

"""The whole suite against the embedded engine, side by side: two programs that share no reading of the interface."""

from pathlib import Path

from simulator.conformance.check import Verdict
from simulator.conformance.report import judge_report, write_json
from simulator.conformance.suite import run_suite
from simulator.conformance.wire import Target
from simulator.engines.embedded import EmbeddedEngine
from simulator.profile.facts import CHECKS


async def test_the_embedded_engine_passes_all_fifteen_for_the_right_reasons(tmp_path: Path) -> None:
    records = tmp_path / "records"
    async with EmbeddedEngine() as url:
        report = await run_suite(Target(url, "", "embedded"), jobs=15, records_dir=records)
    assert {result.check for result in report.results} == set(CHECKS)
    assert len(report.results) == 15
    for result in report.results:
        assert (result.verdict, result.reasons, result.warnings) == (Verdict.PASSED, [], []), result
    assert report.readings == {"audio_start_ms": "re-enable"}
    assert [(extra.check, extra.verdict) for extra in report.extras] == [("settings_kept", Verdict.PASSED)]
    assert {choice.name for choice in report.choices} >= {"graded truncation"}

    measured = {
        (result.check, each.name): each.value
        for result in report.results
        if result.turn_detection in (None, "server_vad")
        for each in result.measurements
    }
    # An engine that hears speech has heard some of it; one that ends turns after 500 ms of silence cannot do so before.
    assert measured["engine_turn", "onset to speech_started"] > 0
    assert measured["engine_turn", "end of speech to committed"] >= 450
    assert measured["barge_in", "played before the interruption"] >= 1_000
    assert measured["cancel", "deltas before the cancel"] >= 2

    write_json(report, tmp_path / "report.json", records)
    code, text = judge_report(tmp_path / "report.json")
    assert code == 0
    assert text.splitlines()[-2:] == ["passed        settings_kept, beside the suite", "Verdict: passed."]

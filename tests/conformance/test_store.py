"""Stored reports: what they say about an engine, and what makes them say less."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from simulator.conformance.report import Engine, Report
from simulator.conformance.store import (
    STALE_AFTER_DAYS,
    Settings,
    State,
    Status,
    Stored,
    covered,
    is_whole,
    keep,
    keep_page,
    new_run,
    status,
    stored,
)
from simulator.errors import StorageFault
from simulator.profile.facts import SUITE_VERSION
from tests.conformance.reports import FAILED, INCONCLUSIVE, PASSED, report, result, whole

NOW = datetime(2026, 12, 1, tzinfo=UTC)
URL = "wss://lab.example/v1/realtime?model=m"


def at(made: Report, when: datetime) -> Report:
    finished = (when + timedelta(minutes=1)).isoformat()
    return msgspec.structs.replace(made, started_at=when.isoformat(), finished_at=finished)


def said(*reports: Report, settings: Settings | None = None, now: datetime = NOW) -> Status:
    """What these reports, the newest first, say about the lab's engine."""
    return status([Stored(Path("r"), each) for each in reports], "lab", "m", settings=settings, now=now)


def test_a_whole_suite_that_passed_is_told_with_its_time() -> None:
    told = said(whole())
    assert (told.state, told.why) == (State.PASSED, [])
    assert (told.passed, told.runs) == (15, 15)
    assert told.finished_at == "2026-11-30T10:01:00+00:00"
    assert said(whole(FAILED)).state is State.FAILED
    assert said(whole(INCONCLUSIVE)).state is State.INCONCLUSIVE


def test_what_was_never_checked_is_none() -> None:
    assert said().state is State.NONE
    assert said(whole(engine=Engine(name="lab", url="", model="another"))).state is State.NONE


def test_some_checks_alone_make_no_pass_but_can_spoil_one() -> None:
    some = report(result("handshake"), result("cancel"))
    assert not is_whole(some)
    told = said(some)
    assert (told.state, told.why) == (State.INCONCLUSIVE, ["Only 2 of the suite's 15 runs were made."])
    assert (told.passed, told.runs) == (2, 15)
    twice = said(report(result("handshake"), result("cancel", verdict=FAILED), result("handshake"), result("cancel")))
    assert (twice.passed, twice.runs) == (1, 15)
    assert said(some, whole()).state is State.PASSED
    assert said(report(result("cancel", verdict=FAILED)), some, whole()).state is State.FAILED
    assert said(report(result("cancel", verdict=INCONCLUSIVE)), whole()).state is State.PASSED
    assert said(whole(), report(result("cancel", verdict=FAILED)), whole()).state is State.PASSED


def test_an_interrupted_run_is_not_whole_and_leaves_an_earlier_pass() -> None:
    full = whole()
    begun = [*full.results[:3], *(msgspec.structs.replace(each, attempts=0) for each in full.results[3:])]
    interrupted = msgspec.structs.replace(full, results=begun, verdict=INCONCLUSIVE)
    assert said(interrupted).why == ["Only 3 of the suite's 15 runs were made."]
    assert said(interrupted, whole()).state is State.PASSED


def test_another_suite_version_is_stale() -> None:
    old = msgspec.structs.replace(whole(), suite_version=SUITE_VERSION - 1)
    told = said(old)
    assert (told.state, told.verdict) == (State.STALE, PASSED)
    assert told.why == [f"It was checked by suite {SUITE_VERSION - 1}; the suite is now at {SUITE_VERSION}."]
    assert said(old, whole()).state is State.PASSED


def test_a_report_counts_for_a_limited_time() -> None:
    finished = datetime(2026, 11, 30, 10, 1, tzinfo=UTC)
    limit = timedelta(days=STALE_AFTER_DAYS)
    assert said(whole(), now=finished + limit).state is State.PASSED
    assert said(whole(), now=finished + limit + timedelta(seconds=1)).state is State.STALE
    for garbage in ("yesterday", "2026-11-30T10:01:00"):
        assert said(msgspec.structs.replace(whole(), finished_at=garbage)).state is State.STALE


@pytest.mark.parametrize(
    ("settings", "state"),
    [
        (Settings(URL), State.PASSED),
        (Settings("wss://LAB.example/v1/realtime"), State.PASSED),
        (Settings(None), State.PASSED),
        (Settings(URL, frozenset({"Authorization"})), State.PASSED),
        (Settings("wss://other.example/v1/realtime"), State.STALE),
        (Settings("wss://lab.example:8443/v1/realtime"), State.STALE),
        (Settings("wss://lab.example/v2/realtime"), State.STALE),
        (Settings(URL + "&api-version=1"), State.STALE),
        (Settings(URL, frozenset({"X-Region"})), State.STALE),
    ],
)
def test_changed_settings_are_stale(settings: Settings, state: State) -> None:
    assert said(whole(), settings=settings).state is state


def test_the_report_that_fits_the_present_settings_decides() -> None:
    there = whole(FAILED, engine=Engine(name="lab", url="wss://other.example/", model="m"))
    assert said(there, whole(), settings=Settings(URL)).state is State.PASSED
    assert said(there, whole(), settings=Settings("wss://other.example/")).state is State.FAILED


def test_reports_are_kept_apart_and_found_newest_first(tmp_path: Path) -> None:
    names = [("lab", "m"), ("../lab", "m"), ("Lab", "m"), ("lab", ""), ("CON", "a/b\\c:d"), ("实验", "m")]
    for day, (engine, model) in enumerate(names, start=1):
        when = datetime(2026, 11, day, tzinfo=UTC)
        run = new_run(tmp_path, engine, model, when)
        assert run.is_relative_to(tmp_path)
        assert len(run.relative_to(tmp_path).parts) == 4
        keep(at(whole(engine=Engine(name=engine, url="", model=model)), when), run, run / "records")
    found, problems = stored(tmp_path)
    assert problems == []
    assert list(covered(found)) == names[::-1]
    assert len({each.path.parent.parent for each in found}) == len(names)
    told = status(found, "../lab", "m", now=NOW)
    assert (told.state, told.page) == (State.PASSED, None)
    assert told.report is not None
    assert keep_page(b"<p>", Path(told.report).parent) == Path(str(status(found, "../lab", "m", now=NOW).page))


def test_two_runs_of_one_second_have_two_folders(tmp_path: Path) -> None:
    assert new_run(tmp_path, "lab", "m", NOW) != new_run(tmp_path, "lab", "m", NOW)


def test_a_killed_run_is_no_report_and_a_broken_report_is_told(tmp_path: Path) -> None:
    new_run(tmp_path, "lab", "m", NOW)
    assert stored(tmp_path) == ([], [])
    run = new_run(tmp_path, "lab", "m", NOW)
    (run / "report.json").write_bytes(b'{"format": "partici')
    found, problems = stored(tmp_path)
    assert found == []
    assert len(problems) == 1
    assert "is not a report" in problems[0]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageFault):
        new_run(tmp_path / "file", "lab", "m", NOW)

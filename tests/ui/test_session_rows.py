"""Sessions as rows of a table: versions of instructions, cells, filter, order."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from simulator.record.session_facts import ReplayEnd
from simulator.record.sessions import Answer, Facts, Session, sha256
from ui.models.session_rows import (
    Column,
    SessionRow,
    Wanted,
    cell,
    days,
    in_order,
    length,
    letter,
    row_of,
    versions,
    words_of,
)

BRIEF, LONG = "You are a guide. Be brief.", "You are a guide. Talk at length."


def row(name: str, day: int | None, *texts: str, running: bool = False, size: int = 0, **facts: Any) -> SessionRow:
    """Return a session that began on a day of November 2026 at noon UTC."""
    started = None if day is None else datetime(2026, 11, day, 12, tzinfo=UTC)
    told = Facts(started_at=started, instructions=list(texts), **{"ended": "disconnected", **facts})
    return row_of(Session(Path("/nowhere") / name, size, running, told))


ROWS = [
    row("b", 3, LONG, engine="openai", model="gpt", study="Museum", latencies={"response_start": [700.0, 900.0]}),
    row("a", 2, BRIEF, engine="embedded", answers=[Answer("warm-up", "likertscale", "How close?", 5)], size=7),
    row("c", 4, BRIEF, LONG, engine="embedded", study="Museum", latencies={"response_start": [90.0]}, size=9),
    row("d", None, engine="openai"),
]
NUMBERS = versions(ROWS)


def names(rows: list[SessionRow]) -> str:
    return "".join(each.session.name for each in rows)


def test_versions_are_numbered_in_the_order_of_their_first_use() -> None:
    assert {sha256(BRIEF): 0, sha256(LONG): 1} == NUMBERS
    assert [letter(number) for number in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


def test_cells_tell_figures_and_gaps() -> None:
    assert cell(ROWS[0], Column.RESPONSE) == "800"
    assert cell(ROWS[0], Column.FIRST_AUDIO) == "–"
    assert cell(ROWS[0], Column.ENGINE) == "openai · gpt"
    assert cell(ROWS[1], Column.ANSWERS) == "1"
    assert cell(ROWS[1], Column.INSTRUCTIONS) == sha256(BRIEF)[:8]
    assert cell(ROWS[3], Column.INSTRUCTIONS) == cell(ROWS[3], Column.DATE) == "–"
    assert [length(seconds) for seconds in (0, 59.9, 61, 3_661)] == ["0:00", "0:59", "1:01", "1:01:01"]
    assert cell(row("r", 1, replay_of="a"), Column.NAME) == "↻ r"


def test_the_state_says_only_what_is_unusual(tmp_path: Path) -> None:
    states = [
        row("e", 1).state,
        row("f", 1, ended=None, running=True).state,
        row("g", 1, ended=None, notes=["Line 4 is garbage."]).state,
    ]
    assert states == ["not finished", "running", "broken off, damaged"]
    (tmp_path / "manifest.json").touch()
    assert row_of(Session(tmp_path, 0, False, Facts(ended=""))).state == ""


def test_a_replay_and_faults_are_seen_in_the_state_with_what_was_lost() -> None:
    whole, lossy, stopped = ReplayEnd("finished", 0, 0), ReplayEnd("finished", 1, 2), ReplayEnd("stopped", 0, 0)
    told = [
        row("e", 1, replay_of="a", replay_end=whole, faults=["not_interrupted"]),
        row("f", 1, replay_of="a", replay_end=lossy, faults=["one", "two"]),
        row("g", 1, replay_of="a", replay_end=stopped),
        row("h", 1, ended=None, running=True, replay_of="a"),
        row("j", 1, ended=None, replay_of="a"),
        row("i", 1, ended=None, running=True),
    ]
    assert [cell(each, Column.STATE) for each in told] == [
        "not finished · ↻ replay · ⚠ 1 fault",
        "not finished · ↻ 1 missed, 2 refused · ⚠ 2 faults",
        "not finished · ↻ stopped",
        "running · ↻ replay",
        "broken off · ↻ no end",
        "running",
    ]


@pytest.mark.parametrize(
    ("column", "ascending", "descending"),
    [
        (Column.DATE, "abcd", "cbad"),
        (Column.RESPONSE, "cbad", "bcad"),
        (Column.ENGINE, "cadb", "bdca"),
        (Column.INSTRUCTIONS, "acbd", "bcad"),
        (Column.SIZE, "bdac", "cabd"),
        (Column.NAME, "abcd", "dcba"),
    ],
)
def test_rows_are_in_the_order_of_a_column_and_what_is_unknown_comes_last(
    column: Column, ascending: str, descending: str
) -> None:
    ordered = [in_order(ROWS, column, descending=each, numbers=NUMBERS) for each in (False, True)]
    assert [names(each) for each in ordered] == [ascending, descending]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Wanted(), "bacd"),
        (Wanted("LENGTH"), "bc"),
        (Wanted("guide museum"), "bc"),
        (Wanted('"a guide" brief'), "ac"),
        (Wanted('"guide a"'), ""),
        (Wanted("close"), "a"),
        (Wanted("2026-11-03"), "b"),
        (Wanted(engine="embedded"), "ac"),
        (Wanted(engine="embed"), ""),
        (Wanted(study="Museum", instructions=sha256(BRIEF)), "c"),
        (Wanted(since=date(2026, 11, 3)), "bc"),
        (Wanted(until=date(2026, 11, 3)), "ba"),
        (Wanted("guide", since=date(2026, 11, 3), until=date(2026, 11, 3)), "b"),
    ],
)
def test_rows_are_filtered_by_everything_that_is_given(wanted: Wanted, found: str) -> None:
    assert names(wanted.choose(ROWS)) == found


def test_words_may_be_quoted_and_an_open_quotation_is_one() -> None:
    assert words_of('Tea "old Maps" sea') == ["tea", "old maps", "sea"]
    assert words_of('"old maps') == ["old maps"]
    assert words_of(' "" ') == []


def test_a_day_a_month_and_a_year_are_days() -> None:
    assert days("2026-11-05") == (date(2026, 11, 5), date(2026, 11, 5))
    assert days(" 2024-02 ") == (date(2024, 2, 1), date(2024, 2, 29))
    assert days("2026") == (date(2026, 1, 1), date(2026, 12, 31))
    for wrong in ("", "soon", "2026-13", "2026-02-30", "1-2-3-4", "0", "2026-0"):
        with pytest.raises(ValueError, match=r".*"):
            days(wrong)

"""docs/export.md and docs/measures.md name everything that is written, by the names under which it is written."""

import re
from pathlib import Path

import pytest

from simulator.record.export import tables
from simulator.record.measures.titles import TITLES, TRANSFER
from tests.record.test_export import INTERVALS, POINTS

DOCS = Path(__file__).parents[2] / "docs"


def _section(document: str, heading: str) -> str:
    parts = re.split(r"^## ", (DOCS / document).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return next(part for part in parts if part.startswith(f"{heading}\n"))


@pytest.mark.parametrize("column", tables.TURN_COLUMNS)
def test_each_column_of_the_turns_is_explained(column: str) -> None:
    assert f"`{column}`" in _section("export.md", "`turns.csv`")


@pytest.mark.parametrize("column", [*tables.EVENT_COLUMNS, *tables.ANSWER_COLUMNS, *tables.LATENCY_COLUMNS])
def test_each_column_of_the_other_tables_is_explained(column: str) -> None:
    assert f"`{column}`" in _section("export.md", "The other tables")


@pytest.mark.parametrize("tier", ["participant voice", *INTERVALS, *POINTS])
def test_each_tier_is_explained(tier: str) -> None:
    assert tier in _section("export.md", "Tiers (Audacity, TextGrid, ELAN, the page's timeline)")


@pytest.mark.parametrize(("name", "title"), TITLES.items())
def test_each_latency_is_defined_by_the_name_that_is_shown(name: str, title: str) -> None:
    assert f"**{title.lower()}** (`{name}`" in _section("measures.md", "Latencies between events")
    assert f"**{TRANSFER.lower()}**" in _section("measures.md", "Latencies between events")

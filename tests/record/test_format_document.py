"""What the documentation says about the formats is what the program writes."""

import re
from pathlib import Path

import pytest

from simulator.record import entries, manifest, session_cache, summary
from simulator.record.backlog import MOST_WAITING_BYTES
from simulator.record.folder import ANSWERS, CHECKS, MANIFEST, SESSION, SETTINGS, STUDY

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "record.md").read_text(encoding="utf-8")
SOURCES = [path for room in ("record", "session", "participant") for path in (ROOT / "simulator" / room).rglob("*.py")]


def test_each_kind_of_note_is_described() -> None:
    noting = re.compile(r"(?:\bnote|_note|\bNote|\bnoted)\(\s*\"([a-z_.]+)\"")
    kinds = {kind for path in SOURCES for kind in noting.findall(path.read_text(encoding="utf-8"))}
    assert len(kinds) > 40
    assert sorted(kind for kind in kinds if f"`{kind}`" not in TEXT) == []


@pytest.mark.parametrize("name", [SESSION, SETTINGS, ANSWERS, CHECKS, MANIFEST, STUDY])
def test_each_file_is_described(name: str) -> None:
    assert f"`{name}`" in TEXT


@pytest.mark.parametrize(
    ("format_name", "version"),
    [
        (entries.FORMAT, entries.FORMAT_VERSION),
        (manifest.FORMAT, manifest.FORMAT_VERSION),
        (summary.SETTINGS_FORMAT, summary.FORMAT_VERSION),
        (session_cache.FORMAT, session_cache.FORMAT_VERSION),
    ],
)
def test_each_format_is_named_with_its_version(format_name: str, version: int) -> None:
    (row,) = (line for line in TEXT.splitlines() if line.startswith(f"| `{format_name}`"))
    assert row.endswith(f"| {version} |")


def test_each_field_of_the_files_of_the_end_is_described() -> None:
    summed = summary.Summary()
    fields = {
        MANIFEST: manifest.Manifest.__struct_fields__ + manifest.ManifestFile.__struct_fields__,
        SETTINGS: tuple(summed.settings()),
        ANSWERS: tuple(summed.answers()),
        CHECKS: tuple(summed.checks()),
    }
    section = TEXT.partition("## The end")[2].partition("\n## ")[0]
    for name, written in fields.items():
        (row,) = (line for line in section.splitlines() if line.startswith(f"| `{name}`"))
        assert [field for field in written if f"`{field}`" not in row and not field.startswith("format")] == []


def test_each_field_of_an_entry_is_described_and_the_bound_is_the_one_in_force() -> None:
    assert [field for field in entries.Entry.__struct_fields__ if f"| `{field}` |" not in TEXT] == []
    assert f"{MOST_WAITING_BYTES >> 20} MiB wait in memory" in TEXT

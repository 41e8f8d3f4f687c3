"""A report in its forms: JSON by its schema, JUnit XML, one page; hostile text, keys, sizes, and repeats."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import msgspec
import pytest

from simulator.conformance.html import EVENTS_CHARACTERS, to_html
from simulator.conformance.junit import to_junit
from simulator.conformance.plain_text import visible
from simulator.conformance.repeats import summarise
from simulator.conformance.report import (
    ClauseResult,
    Engine,
    Report,
    judge_report,
    read_json,
    to_json,
    write_json,
    write_whole,
)
from simulator.conformance.report_schema import record_schema, report_schema
from simulator.conformance.suite import run_suite
from simulator.conformance.wire import Target
from simulator.errors import StorageFault
from simulator.record.redact import PLACEHOLDER
from tests.conformance.reports import FAILED, INCONCLUSIVE, PASSED, measured, report, result, write_record
from tests.conformance.sheets import Sheet, good_barge_in, good_engine_turn
from tests.conformance.small_engine import small_engine

KEY = "sk-planted-key-0123456789"
HOSTILE = "<script>alert(1)</script>\"' onload='x' \x00\x1b[31m\u202e\ud800\ufffe ]]> &amp; -->"


def valid(data: bytes) -> None:
    jsonschema.Draft202012Validator(report_schema()).validate(json.loads(data))


class Page(HTMLParser):
    """Reads a page as a browser would, and keeps what matters: elements, attributes, text, and whether tags match."""

    VOID = frozenset({"meta", "br"})

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(data.decode())
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join("".join(self.text).split())

    def count(self, tag: str, **attributes: str) -> int:
        return sum(name == tag and attributes.items() <= found.items() for name, found in self.elements)


def stands_alone(data: bytes) -> Page:
    """Check that a page asks for nothing from elsewhere and runs nothing, and return it."""
    page = Page(data)
    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", data)
    assert {name for name, _ in page.elements} & {"script", "link", "img", "iframe", "object", "base"} == set()
    for _, attributes in page.elements:
        for name, value in attributes.items():
            assert not name.startswith("on"), name
            assert name not in {"href", "src", "xlink:href"} or str(value).startswith("#")
    ids = [str(found["id"]) for _, found in page.elements if "id" in found]
    assert len(ids) == len(set(ids))
    targets = {str(found["href"])[1:] for _, found in page.elements if "href" in found}
    assert targets <= set(ids)
    return page


def recorded(folder: Path, sheet: Sheet, check: str, mode: str | None, **more: Any) -> Report:
    write_record(sheet, folder / "records" / "run.jsonl")
    return report(result(check, mode, record="records/run.jsonl", record_sha256="0" * 64, **more))


# JSON


def test_a_report_keeps_the_format_that_was_promised() -> None:
    made = json.loads(to_json(report(result("barge_in", "server_vad", measurements=[measured("a", 1.5)]))))
    promised = {"format", "formatVersion", "specVersion", "suiteVersion", "tool", "engine", "startedAt", "finishedAt"}
    promised |= {"environment", "thresholds", "fixtures", "verdict", "readings", "extras", "results"}
    assert set(made) >= promised
    assert (made["format"], made["formatVersion"]) == ("participant-simulator/report", 1)
    assert set(made["tool"]) == {"name", "version", "commit"}
    (run,) = made["results"]
    assert set(run) >= {"check", "turnDetection", "verdict", "reasons", "warnings", "measurements", "clause"}
    assert set(run) >= {"record", "recordSha256", "attempts"}
    assert run["measurements"] == [
        {"name": "a", "value": 1.5, "unit": "ms", "threshold": None, "from": None, "to": None}
    ]


def test_the_schema_takes_what_is_written_and_nothing_else() -> None:
    made = to_json(report(result("handshake", verdict=FAILED), result("cancel", verdict=INCONCLUSIVE)))
    valid(made)
    for wrong in (
        made.replace(b'"verdict": "failed"', b'"verdict": "fine"'),
        made.replace(b'"formatVersion": 1', b'"formatVersion": 2'),
        made.replace(b'"clause"', b'"claws"'),
    ):
        with pytest.raises(jsonschema.ValidationError):
            valid(wrong)
    later = json.loads(made) | {"field of a later version": 1}
    valid(json.dumps(later).encode())


def test_the_schema_of_a_record_takes_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    write_record(good_barge_in(), path)
    validator = jsonschema.Draft202012Validator(record_schema())
    lines = path.read_bytes().splitlines()
    for line in lines:
        validator.validate(json.loads(line))
    assert not validator.is_valid(json.loads(lines[0]) | {"direction": "shouted"})


def test_a_report_names_neither_its_user_nor_their_computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home" / "alexandra"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    made = report(result("handshake", record="handshake.jsonl"))
    outside = tmp_path / "work"
    write_json(made, outside / "r.json", home / "data" / "records")
    assert b"alexandra" not in (outside / "r.json").read_bytes()
    assert read_json(outside / "r.json").results[0].record == "handshake.jsonl"
    write_json(made, home / "data" / "r.json", home / "data" / "records")
    assert read_json(home / "data" / "r.json").results[0].record == "records/handshake.jsonl"
    assert set(made.environment) == {"python", "system", "machine", "cores", "byteOrder", "libraries"}


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.json"
    write_whole(path, b"first")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StorageFault, match="No space left"):
        write_whole(path, b"second")
    assert [file.name for file in tmp_path.iterdir()] == ["r.json"]
    assert path.read_bytes() == b"first"


# Repeats


def test_repeats_count_and_spread() -> None:
    runs = [
        result(
            "barge_in", "server_vad", verdict, repeat=n + 1, measurements=[measured("onset", value, threshold=1_000)]
        )
        for n, (verdict, value) in enumerate([(PASSED, 80.0), (FAILED, 1_200.0), (PASSED, 90.0), (INCONCLUSIVE, 100.0)])
    ]
    (cell, other) = summarise([*runs, result("cancel")])
    assert (cell.passed, cell.failed, cell.inconclusive, cell.runs) == (2, 1, 1, 4)
    (spread,) = cell.spread
    assert (spread.min, spread.median, spread.max, spread.count) == (80.0, 95.0, 1_200.0, 4)
    assert (other.check, other.runs, other.spread) == ("cancel", 1, [])

    made = report(*runs)
    valid(to_json(made))
    words = stands_alone(to_html(made, Path())).words
    assert "2 of 4 passed" in words
    assert "80 ms95 ms1200 ms1000 ms4" in words  # the cells of one row


# JUnit


def test_junit_shows_a_failure_and_never_takes_inconclusive_for_passed() -> None:
    made = report(
        result("handshake"),
        result("barge_in", "server_vad", FAILED, reasons=["Late.", "And rounded."], duration_ms=1_500.0),
        result("barge_in", "semantic_vad", INCONCLUSIVE, reasons=[], attempts=3),
        result("cancel", repeat=2, warnings=["Odd."], measurements=[measured("gap", 3, threshold=5)]),
        extras=[result("settings_kept", verdict=FAILED)],
    )
    root = ElementTree.fromstring(to_junit(made))
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    for element in (root, suite):
        counts = [element.get(name) for name in ("tests", "failures", "errors", "skipped")]
        assert counts == ["4", "1", "1", "0"]
        assert float(element.get("time", "")) == 1.5
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp", ""))
    assert [child.tag for child in suite] == ["properties", *["testcase"] * 4]
    cases = suite.findall("testcase")
    for case in cases:
        assert set(case.attrib) == {"classname", "name", "time"}
        assert {child.tag for child in case} <= {"failure", "error", "system-out"}
        for outcome in (*case.findall("failure"), *case.findall("error")):
            assert set(outcome.attrib) == {"message", "type"}
    assert [[child.tag for child in case] for case in cases] == [[], ["failure"], ["error"], ["system-out"]]
    assert [case.get("name") for case in cases] == [
        "handshake",
        "barge_in (server_vad)",
        "barge_in (semantic_vad)",
        "cancel run 2",
    ]
    failure = cases[1][0]
    assert failure.get("message") == "Late."
    assert failure.text == "What barge_in asks for.\nLate.\nAnd rounded."
    assert cases[3][0].text == "warning: Odd.\ngap: 3 ms (limit 5)"


def test_junit_takes_any_text() -> None:
    made = report(
        result(HOSTILE, "server_vad", FAILED, reasons=[HOSTILE], warnings=[HOSTILE], clause=HOSTILE),
        engine=Engine(name=HOSTILE, url="", model=HOSTILE),
    )
    data = to_junit(made)
    failure = ElementTree.fromstring(data).find(".//failure")
    assert failure is not None
    assert failure.get("message") == visible(HOSTILE)
    assert not re.search(rb"[\x00-\x09\x0b-\x1f]", data)


def test_what_would_hide_or_reorder_text_becomes_visible() -> None:
    assert visible("a\x00b\x1b\u202ec\ud800d\n") == "a\\x00b\\x1b\\u202ec\\ud800d\\x0a"
    assert visible("Zoë, 你好 😀") == "Zoë, 你好 😀"


# The page


def test_a_page_shows_clause_actual_ends_and_picture(tmp_path: Path) -> None:
    sheet = good_barge_in()
    seq = 1 + next(entry.seq for entry in sheet.entries() if entry.type.endswith("speech_started"))
    made = recorded(
        tmp_path,
        sheet,
        "barge_in",
        "server_vad",
        verdict=FAILED,
        reasons=[f"Too late (event {seq})."],
        measurements=[measured("onset", 1_400.0, threshold=1_000, start="event 3", end=f"event {seq}")],
    )
    page = stands_alone(to_html(made, tmp_path))
    for words in ("What barge_in asks for.", "Too late (", "1400 ms", "1000 ms", "input_audio_buffer.speech_started"):
        assert words in page.words
    assert page.count("a", href=f"#barge_in-server_vad-event-{seq}") >= 2
    assert page.count("tr", id=f"barge_in-server_vad-event-{seq}") == 1
    assert page.count("svg", role="img") == 1
    for kind in ("participant", "agent", "unheard"):
        assert page.count("path", **{"class": kind}) == 1, kind
    assert page.count("rect", **{"class": "vad"}) == 1
    assert "truncate" in page.words
    assert "Content-Security-Policy" in str(page.elements)


def test_a_page_marks_what_was_broken_and_does_not_call_the_rest_kept() -> None:
    clauses = [ClauseResult("first", "It is prompt.", False), ClauseResult("second", "It is silent.", True)]
    words = stands_alone(to_html(report(result("cancel", verdict=FAILED, clauses=clauses)), Path())).words
    assert "· It is prompt.✕ It is silent." in words
    kept = [msgspec.structs.replace(each, broken=False) for each in clauses]
    words = stands_alone(to_html(report(result("cancel", clauses=kept)), Path())).words
    assert "✓ It is prompt.✓ It is silent." in words


def test_a_page_shows_where_listening_was_off(tmp_path: Path) -> None:
    sheet = good_engine_turn()
    off = {"audio": {"input": {"turn_detection": None}}}
    on = {"audio": {"input": {"turn_detection": {"type": "server_vad"}}}}
    sheet.sent(6_000, "session.update", session=off)
    sheet.sent(7_500, "session.update", session=on)
    page = stands_alone(to_html(recorded(tmp_path, sheet, "engine_turn", "server_vad"), tmp_path))
    assert page.count("rect", **{"class": "off"}) == 1
    assert "Listening off, 6.00 s to 7.50 s" in page.words


def test_a_page_takes_any_text(tmp_path: Path) -> None:
    told = HOSTILE.replace("\ud800", "")
    sheet = good_engine_turn()
    sheet.received(5_000, told, item={"text": told}, **{told: told})
    sheet.received(5_001, "error", error={"message": told})
    sheet.edit("answer.added", item={"id": told})
    made = recorded(
        tmp_path,
        sheet,
        "engine_turn",
        "server_vad",
        verdict=FAILED,
        reasons=[HOSTILE, "event 99999999999999999999", "event 3" * 3],
        warnings=[HOSTILE],
        clause=HOSTILE,
        measurements=[measured(HOSTILE, 1, HOSTILE, start=HOSTILE, end="event ²")],
    )
    engine = Engine(name=HOSTILE, url=HOSTILE, model=HOSTILE, headers=[HOSTILE], session_accepted={told: [told]})
    made = msgspec.structs.replace(made, engine=engine, readings={HOSTILE: HOSTILE})
    page = stands_alone(to_html(made, tmp_path))
    assert "<script>alert(1)</script>" in page.words  # as text
    assert page.words.count("alert(1)") >= 10


def test_a_page_stays_small_however_much_an_engine_sends(tmp_path: Path) -> None:
    sheet = good_engine_turn()
    for number in range(6_000):
        sheet.received(5_000 + number / 10, f"vendor.{number % 7}", filler="<" * 3_000)
    made = recorded(tmp_path, sheet, "engine_turn", "server_vad")
    (run,) = made.results
    runs = [msgspec.structs.replace(run, repeat=n + 1) for n in range(15)]
    data = to_html(report(*runs), tmp_path)
    stands_alone(data)
    assert len(data) < EVENTS_CHARACTERS + 15 * 60_000 < 5_000_000
    assert b"entries are left out" in data


def test_events_of_one_kind_in_a_row_become_one_line(tmp_path: Path) -> None:
    sheet = good_engine_turn()
    for number in range(1_000):
        sheet.received(5_000 + number / 1_000, "vendor.ping", number=number)
    page = stands_alone(to_html(recorded(tmp_path, sheet, "engine_turn", "server_vad"), tmp_path))
    assert "1000 × vendor.ping" in page.words


def test_a_page_does_without_records(tmp_path: Path) -> None:
    made = report(
        result("handshake", verdict=INCONCLUSIVE, attempts=0),
        result("cancel", record="gone.jsonl", record_sha256="0" * 64),
    )
    words = stands_alone(to_html(made, tmp_path)).words
    assert "this run never began" in words
    assert "gone.jsonl is missing" in words
    (tmp_path / "gone.jsonl").write_bytes(b"\x00\xff garbage\n" * 9)
    assert "cannot be read" in stands_alone(to_html(made, tmp_path)).words


def test_a_page_takes_a_record_whose_audio_is_cut_or_foreign(tmp_path: Path) -> None:
    made = recorded(tmp_path, good_barge_in(), "barge_in", "server_vad")
    wav = tmp_path / "records" / "run.agent.wav"
    wav.write_bytes(wav.read_bytes()[:2_000])
    assert stands_alone(to_html(made, tmp_path)).count("svg", role="img") == 1
    wav.write_bytes(b"no audio at all, but a text that is longer than a header")
    assert "The audio of the record cannot be read" in stands_alone(to_html(made, tmp_path)).words


# Keys, and the judge again


async def test_no_key_gets_into_any_form_of_a_report(tmp_path: Path) -> None:
    async with small_engine("tells key") as url:
        headers = {"Authorization": f"Bearer {KEY}", "X-Other": f"{KEY}-other"}
        target = Target(f"{url}?model=m&key={KEY}", "m", "small", headers, [KEY, f"{KEY}-other"])
        made = await run_suite(target, only=["handshake"], records_dir=tmp_path / "records")
    assert made.results[0].verdict is FAILED
    assert PLACEHOLDER in made.results[0].reasons[0]
    write_json(made, tmp_path / "r.json", tmp_path / "records")
    page = to_html(made, tmp_path / "records")
    (tmp_path / "r.html").write_bytes(page)
    (tmp_path / "r.xml").write_bytes(to_junit(made))
    assert "X-Other" in stands_alone(page).words
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or KEY.encode() not in file.read_bytes(), file
    assert KEY not in judge_report(tmp_path / "r.json")[1]


async def test_judge_repeats_every_byte_and_detects_changed_audio_and_counts(tmp_path: Path) -> None:
    async with small_engine() as url:
        target = Target(url, "m", "small")
        made = await run_suite(
            target, only=["engine_turn"], turn_detections=["server_vad"], records_dir=tmp_path / "records"
        )
    path = tmp_path / "r.json"
    write_json(made, path, tmp_path / "records")
    valid(path.read_bytes())
    assert set(made.results[0].audio_sha256) == {"participant", "agent"}
    assert made.results[0].duration_ms > 1_000
    first = judge_report(path)
    assert first[0] == 0
    assert judge_report(path) == first
    assert judge_report(path, tmp_path / "records") == first

    wav = tmp_path / "records" / "engine_turn-server_vad.agent.wav"
    sound = wav.read_bytes()
    wav.write_bytes(sound[:-2] + b"\x01\x01")
    code, text = judge_report(path)
    assert (code, "the audio of its record" in text) == (2, True)
    wav.unlink()
    assert judge_report(path)[0] == 2
    wav.write_bytes(sound)
    assert judge_report(path) == first

    written = path.read_bytes()
    path.write_bytes(written.replace(b'"runs": 1', b'"runs": 2'))
    code, text = judge_report(path)
    assert (code, "do not follow from its results" in text) == (2, True)

    path.write_bytes(written)
    (tmp_path / "records" / "engine_turn-server_vad.jsonl").write_bytes(b"no record\n")
    code, text = judge_report(path)
    assert (code, "was changed" in text) == (2, True)

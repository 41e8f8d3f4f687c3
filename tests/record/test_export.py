"""Exports of one small session written by hand, each opened again by a reader that is not ours.

praatio reads the TextGrid, pympi and an XML schema the annotations of ELAN, pandas the tables, libsndfile the sound.
"""

import base64
import hashlib
import io
import json
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pympi
import pytest
import soundfile
import xmlschema
from hypothesis import given, settings
from hypothesis import strategies as st
from praatio import textgrid

from simulator.cli import main
from simulator.errors import UnreadableFile, UsageError
from simulator.record.export import FORMS, export, tables
from simulator.record.export.elan import annotation_document
from simulator.record.export.tables import cell
from simulator.record.export.textgrid import textgrid as praat_text
from simulator.record.export.tiers import Span, Tier
from tests.record.export_record import QUESTION, SAID, Sheet, conversation

SCHEMA = xmlschema.XMLSchema(Path(__file__).with_name("eaf_3_0.xsd"))
INTERVALS = {
    "participant speech": [(1.0, 2.1, "speech"), (3.2, 3.8, "speech")],
    "participant words": [(1.0, 2.1, SAID)],
    "participant words, recognised here": [(1.0, 2.1, "say hi")],
    "engine turns": [(1.3, 2.6, "u1"), (3.5, 4.1, "u2")],
    "agent voice": [
        (0.0, 6.0, "voice")
    ],  # the sound of the sheet: one level, -50.3 and -44.3 dBFS, of which one is talk
    "agent heard": [(2.8, 3.55, "One two")],
    "agent not heard": [(3.55, 4.8, "three four.")],
    "responses": [(2.7, 3.56, "cancelled: turn_detected")],
    "listening off": [(4.7, 4.9, "listening off")],
    "questions": [(3.6, 4.5, f"{QUESTION} → vasrating: 70")],
}
POINTS = {
    "answers": [(4.5, "vasrating: 70"), (4.6, "multiplechoice: a, b")],
    "pushes": [(3.6, "timer: 30")],
    "chat": [(4.95, "Hello, you")],
    "barge-ins": [(3.5, "barge-in")],
    "marks": [(5.0, "odd; again, and why")],
}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the session in all forms."""
    folder = tmp_path_factory.mktemp("export")
    done = export(conversation().write(folder / "Pilot 1"), FORMS, folder / "out")
    assert done.notes == []
    assert sorted(done.files) == sorted((folder / "out").iterdir())
    return folder / "out"


def test_praat_reads_contiguous_intervals_and_points(exported: Path) -> None:
    grid = textgrid.openTextgrid(str(exported / "Pilot_1.TextGrid"), includeEmptyIntervals=True, reportingMode="error")
    assert list(grid.tierNames) == [*INTERVALS, *POINTS]
    assert (grid.minTimestamp, grid.maxTimestamp) == (0.0, 6.0)
    for name, expected in INTERVALS.items():
        entries = grid.getTier(name).entries
        words = [(each.start, each.end, each.label) for each in entries if each.label]
        assert words == [(start, end, text.strip()) for start, end, text in expected]
        assert entries[0].start == 0.0
        assert entries[-1].end == 6.0
        assert all(one.end == other.start for one, other in pairwise(entries))
    for name, points in POINTS.items():
        assert [(each.time, each.label) for each in grid.getTier(name).entries] == points


def test_elan_reads_aligned_tiers_with_their_sound(exported: Path) -> None:
    path = exported / "Pilot_1.eaf"
    SCHEMA.validate(path)
    document = pympi.Eaf(str(path))
    assert list(document.get_tier_names()) == [*INTERVALS, *POINTS]
    for name, expected in INTERVALS.items():
        told = [(round(start * 1000), round(end * 1000), text) for start, end, text in expected]
        assert [each[:3] for each in document.get_annotation_data_for_tier(name)] == told
    for name, points in POINTS.items():
        told = [(round(at * 1000), round(at * 1000) + 1, text) for at, text in points]
        assert [each[:3] for each in document.get_annotation_data_for_tier(name)] == told
    (media,) = document.get_linked_files()
    assert soundfile.info(exported / media["RELATIVE_MEDIA_URL"]).duration == 6.0


def test_the_labels_of_audacity_are_a_file_a_tier(exported: Path) -> None:
    def read(name: str) -> list[list[str]]:
        text = (exported / f"Pilot_1.labels.{name}.txt").read_text(encoding="utf-8")
        return [line.split("\t") for line in text.splitlines()]

    assert read("agent-heard") == [["2.800000", "3.550000", "One two"]]
    assert read("participant-words") == [["1.000000", "2.100000", SAID.replace("\t", " ")]]
    assert read("marks") == [["5.000000", "5.000000", "odd"], ["5.000000", "5.000000", "again, and why"]]
    assert len(list(exported.glob("*.labels.*"))) == len(INTERVALS) + len(POINTS)


@pytest.mark.parametrize("form", ["wav", "flac"])
def test_both_voices_are_sound_together_and_apart(exported: Path, form: str) -> None:
    def read(what: str) -> Any:
        path = exported / f"Pilot_1.{what}.{form}"
        assert (soundfile.info(path).subtype, soundfile.info(path).format) == ("PCM_16", form.upper())
        samples, rate = soundfile.read(path, dtype="int16")
        assert rate == 24_000
        return samples

    assert np.array_equal(read("heard"), np.tile([100, -200], (144_000, 1)))
    assert np.array_equal(read("participant"), np.full(144_000, 100))
    assert np.array_equal(read("agent-heard"), np.full(144_000, -200))
    assert np.array_equal(read("agent-received"), np.full(48_000, 7))


def test_pandas_reads_the_tables(exported: Path) -> None:
    turns = pandas.read_csv(exported / "Pilot_1.turns.csv").set_index("item_id")
    assert list(turns["who"]) == ["participant", "agent", "participant", "study", "agent typed", "mark", "mark"]
    assert turns.loc["u1", ["start_s", "end_s", "text", "recognised"]].tolist() == [1.0, 2.1, SAID, "say hi"]
    assert turns.loc["a1", ["start_s", "end_s", "heard_text", "heard_ms", "generated_ms"]].tolist() == [
        *(2.8, 3.55, "One two"),
        *(750.0, 2_000.0),
    ]
    assert turns.loc[["u1", "a1"], "told_s"].tolist() == [1.3, 2.75]  # as the window's transcript and `run --json` say
    answers = pandas.read_csv(exported / "Pilot_1.answers.csv", dtype={"value": str})
    assert answers["value"].tolist() == ["70", '["a","b"]']
    assert answers["question"].tolist()[0] == f"'{QUESTION}"  # a spreadsheet would run it
    assert answers["by"].tolist() == ["agent", "participant"]
    assert answers["part"].tolist() == ["Second", "Second"]
    assert answers["asked_s"].tolist()[0] == 3.6
    events = pandas.read_csv(exported / "Pilot_1.events.csv")
    assert events["seq"].tolist() == list(range(len(conversation().entries)))
    appended = events[events["type"] == "input_audio_buffer.append"]
    assert appended[["t_s", "first_sample", "samples"]].values.tolist() == [
        [number + 1.0, number * 24_000.0, 24_000.0] for number in range(4)
    ]
    heard = events[events["type"] == "conversation.item.input_audio_transcription.completed"]
    assert json.loads(heard["fields"].iloc[0])["transcript"] == SAID
    latencies = pandas.read_csv(exported / "Pilot_1.latencies.csv").set_index("name")
    assert latencies["value_ms"].to_dict() == {"response_start": 100.0, "first_audio": 140.0, "barge_in_stop": 50.0}


class Page(HTMLParser):
    """Collects what a browser would."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self.scripts = 0
        self.policy = ""
        self.sources: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = dict(attrs)
        self.scripts += tag == "script"
        self.sources += [value for name in ("src", "href", "data", "action") if (value := fields.get(name))]
        assert not any(name.startswith("on") for name in fields)
        if fields.get("http-equiv") == "Content-Security-Policy":
            self.policy = fields["content"] or ""

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_holds_everything_and_runs_nothing_of_the_record(exported: Path) -> None:
    text = (exported / "Pilot_1.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.scripts == 1
    script = text[text.index("<script>") + len("<script>") : text.index("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in page.policy
    assert page.policy.startswith("default-src 'none';")
    (sound,) = page.sources
    kind, _, data = sound.partition(",")
    assert kind == "data:audio/flac;base64"
    samples, _ = soundfile.read(io.BytesIO(base64.b64decode(data)), dtype="int16")
    assert np.array_equal(samples, np.tile([100, -200], (144_000, 1)))
    for words in (
        SAID,
        "One two",
        " three four.",
        QUESTION,
        "70",
        "a, b",
        "Hello, you",
        "again, and why",
        "0:01.000",
        "Response created",
    ):
        assert words in page.text


def test_the_voices_are_tiers_by_the_energy_of_what_was_heard(tmp_path: Path) -> None:
    """Silence, but for the participant from 1 to 2 s and from 2.1 s on: the pause of 100 ms is one within talk."""
    record = conversation().write(tmp_path / "s")
    heard = np.zeros((144_000, 2), dtype=np.int16)
    heard[24_000:48_000, 0] = heard[50_400:60_000, 0] = 1_000
    heard[72_000:84_000, 1] = 500
    soundfile.write(record / "session.heard.wav", heard, 24_000, subtype="PCM_16")
    out = tmp_path / "out"
    export(record, ["audacity", "textgrid"], out)
    assert (out / "s.labels.participant-voice.txt").read_text() == "1.000000\t2.500000\tvoice\n"
    assert (out / "s.labels.agent-voice.txt").read_text() == "3.000000\t3.500000\tvoice\n"
    grid = textgrid.openTextgrid(str(out / "s.TextGrid"), includeEmptyIntervals=False)
    assert [(each.start, each.end) for each in grid.getTier("participant voice").entries] == [(1.0, 2.5)]


def test_without_audio_there_are_no_tiers_of_voices_and_nothing_to_complain_of(tmp_path: Path) -> None:
    done = export(conversation().write(tmp_path / "s", audio=False), ["textgrid"], tmp_path / "out")
    assert done.notes == []
    assert "voice" not in done.files[0].read_text()


def test_times_in_tables_have_no_more_digits_than_a_microsecond(tmp_path: Path) -> None:
    sheet = conversation()
    sheet.noted(5_500, "playback.ended", item_id="a1", handed_samples=161_965, received_samples=161_965)
    done = export(sheet.write(tmp_path / "s"), ["csv"], tmp_path / "out")
    turns = pandas.read_csv(next(path for path in done.files if path.name == "s.turns.csv")).set_index("item_id")
    # 161,965 samples at 24 kHz are 6748.541666... ms.
    assert turns.loc["a1", ["heard_ms", "generated_ms"]].tolist() == [6748.542, 6748.542]


def test_a_question_that_begins_with_the_word_is_not_called_one_twice(tmp_path: Path) -> None:
    sheet = conversation()
    sheet.noted(5_200, "push", context={"event": "question", "question": "Question: How are you?"})
    out = tmp_path / "out"
    export(sheet.write(tmp_path / "s"), ["audacity", "csv"], out)
    assert "\tQuestion: How are you?\n" in (out / "s.labels.pushes.txt").read_text()
    turns = pandas.read_csv(out / "s.turns.csv")
    assert "Question: How are you?" in turns["text"].tolist()


def test_a_long_sound_lies_beside_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.record.export.LARGEST_INSIDE_BYTES", 10)
    done = export(conversation().write(tmp_path / "a b"), ["html"], tmp_path / "out")
    assert [path.name for path in done.files] == ["a_b.heard.flac", "a_b.html"]
    assert Page(done.files[1].read_text(encoding="utf-8")).sources == ["a_b.heard.flac"]


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    record = conversation().write(tmp_path / "s")
    out = tmp_path / "out"
    first = export(record, ["csv"], out)
    before = {path: path.read_bytes() for path in first.files}
    assert [path.name for path in export(record, ["textgrid"], out).files] == ["s.TextGrid"]
    again = export(record, ["csv", "textgrid"], out).files
    assert {path.name.split(".")[0] for path in again} == {"s-2"}
    assert {path: path.read_bytes() for path in before} == before


def test_two_exports_at_once_are_of_different_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record, out, others = conversation().write(tmp_path / "s"), tmp_path / "out", list[Path]()

    def one_more(*arguments: Any, **named: Any) -> Any:
        if not others:
            others.append(out)
            others.extend(export(record, ["csv"], out).files)
        return tables.turn_rows(*arguments, **named)

    monkeypatch.setattr("simulator.record.export.tables", SimpleNamespace(**vars(tables) | {"turn_rows": one_more}))
    done = export(record, ["csv"], out).files
    assert {path.name.split(".")[0] for path in done} == {"s"}
    assert {path.name.split(".")[0] for path in others[1:]} == {"s-2"}
    assert sorted(out.iterdir()) == sorted([*done, *others[1:]])


def _killed_export(record: Path, out: Path, after: str) -> None:
    """Export in a process that is killed when it is about to write the form `after`."""
    code = (
        "import os, signal, sys; from pathlib import Path; import simulator.record.export as export\n"
        f"export.{after} = lambda *a, **n: os.kill(os.getpid(), signal.SIGKILL)\n"
        "export.export(Path(sys.argv[1]), ['csv', 'textgrid'], Path(sys.argv[2]))"
    )
    assert subprocess.run([sys.executable, "-c", code, str(record), str(out)], timeout=60).returncode == -9


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_what_a_killed_export_kept_is_free_again(tmp_path: Path) -> None:
    record, out = conversation().write(tmp_path / "s"), tmp_path / "out"
    _killed_export(record, out, "collect")
    _killed_export(record, out, "tables.table")
    assert [path.name for path in out.iterdir()] == [".s.exporting"]
    done = export(record, ["textgrid"], out).files
    assert [path.name for path in done] == ["s.TextGrid"]
    assert list(out.iterdir()) == done


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_what_a_killed_export_left_in_part_is_taken_away_and_what_is_whole_stays(tmp_path: Path) -> None:
    record, out = conversation().write(tmp_path / "s"), tmp_path / "out"
    _killed_export(record, out, "textgrid")
    whole = sorted(path for path in out.iterdir() if path.suffix == ".csv")
    (out / ".s.heard.wav.part").write_bytes(bytes(100))
    (out / ".other.heard.wav.part").write_bytes(bytes(100))
    assert whole
    done = export(record, ["csv"], out).files
    assert {path.name.split(".")[0] for path in done} == {"s-2"}
    assert sorted(out.iterdir()) == sorted([out / ".other.heard.wav.part", *whole, *done])


def test_intervals_that_overlap_get_a_tier_of_their_own_and_none_is_empty(tmp_path: Path) -> None:
    sheet = Sheet()
    for at_ms, name in ((1_000, "r1"), (1_500, "r2")):
        sheet.received(at_ms, "response.created", response={"id": name})
    sheet.received(2_000, "response.done", response={"id": "r1", "status": "completed"})
    sheet.received(3_000, "response.done", response={"id": "r2", "status": "failed"})
    sheet.received(3_000, "response.created", response={"id": "r3"})
    sheet.received(3_000, "response.done", response={"id": "r3", "status": "completed"})
    done = export(sheet.write(tmp_path / "s", audio=False), ["textgrid", "elan"], tmp_path / "out")
    grid = textgrid.openTextgrid(str(done.files[0]), includeEmptyIntervals=False, reportingMode="error")
    assert [(each.start, each.end) for each in grid.getTier("responses").entries] == [(1.0, 2.0), (3.0, 3.001)]
    assert [(each.start, each.end) for each in grid.getTier("responses (2)").entries] == [(1.5, 3.0)]
    SCHEMA.validate(done.files[1])
    assert done.notes == []


def test_annotations_without_their_sound_say_what_to_export(tmp_path: Path) -> None:
    record = conversation().write(tmp_path / "s")
    alone = export(record, ["elan"], tmp_path / "out")
    assert alone.notes == ["ELAN finds no sound beside the annotations: export wav with them."]
    assert pympi.Eaf(str(alone.files[0])).get_linked_files() == []
    annotations, page = export(record, ["elan", "html"], tmp_path / "both").files
    assert annotations.suffix == ".eaf"
    assert "ELAN" not in page.read_text(), "who reads the page has no use for it"


def test_hostile_texts_times_and_types_reach_no_format(tmp_path: Path) -> None:
    evil = '</script><img src=x onerror="alert(1)">]]>\x00\x1b\u202e\ufffe"\r\n\t'
    sheet = Sheet(engine=evil, model=["x"], started_at="yesterday")
    sheet.received(10, "input_audio_buffer.speech_started", audio_start_ms=-(10**17), item_id=evil)
    sheet.received(20, "input_audio_buffer.speech_stopped", audio_end_ms=10**17, item_id=evil)
    sheet.received(30, "conversation.item.input_audio_transcription.completed", item_id=evil, transcript=evil)
    sheet.noted(40, "answer", component={"a": 1}, question=evil, value={evil: [evil]}, asked_ns=10**40, answered_ns=-5)
    sheet.noted(50, "playback.started", item_id=evil, handed_ns=10**40)
    sheet.noted(60, "playback.cut", item_id=evil, cut_ns=-(10**40), handed_samples=-3, received_samples=10**40)
    sheet.noted(70, "mark", note=evil)
    done = export(
        sheet.write(tmp_path / "s", audio=False), ["csv", "audacity", "textgrid", "elan", "html"], tmp_path / "o"
    )
    files = {path.name: path for path in done.files}
    SCHEMA.validate(files["s.eaf"])
    textgrid.openTextgrid(str(files["s.TextGrid"]), includeEmptyIntervals=True, reportingMode="error")
    assert Page(files["s.html"].read_text(encoding="utf-8")).sources == []
    assert len(pandas.read_csv(files["s.events.csv"])) == 8
    assert all(len(line.split("\t")) == 3 for line in files["s.labels.marks.txt"].read_text("utf-8").splitlines())


def test_a_damaged_record_is_exported_up_to_the_damage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = conversation().write(tmp_path / "s")
    lines = (record / "session.jsonl").read_bytes().splitlines(keepends=True)
    (record / "session.jsonl").write_bytes(b"".join(lines[:4]) + b"\xff garbage\n" + b"".join(lines[4:]))
    (record / "session.heard.wav").unlink()
    assert main(["export", str(record), "--to", "csv,wav", "--out", str(tmp_path / "out"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["notes"] == [
        f"Line 5 (byte {sum(map(len, lines[:4]))}) is no entry: the record opens up to there.",
        "The record holds no voices on the session's clock: the participant's file is what was sent.",
        "The record holds no heard audio.",
    ]
    names = {Path(path).name: Path(path) for path in printed["files"]}
    assert len(pandas.read_csv(names["s.events.csv"])) == 4
    assert soundfile.info(names["s.participant.wav"]).frames == 96_000


def test_a_session_that_was_cut_off_ends_where_its_record_does(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.received(1_000, "input_audio_buffer.speech_started", audio_start_ms=700, item_id="u1")
    sheet.received(2_000, "response.created", response={"id": "r1"})
    done = export(sheet.write(tmp_path / "s", audio=False), ["audacity"], tmp_path / "out")
    told = {path.name: path.read_text(encoding="utf-8") for path in done.files}
    assert told["s.labels.participant-speech.txt"] == "1.000000\t2.000000\tspeech\n"
    assert told["s.labels.responses.txt"] == "2.000000\t2.000000\t\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere", "--to", "csv"], "There is no record nowhere"),
        (["nowhere"], "There is no record nowhere"),
        (["empty.jsonl", "--to", "csv"], "holds no record"),
        (["text.jsonl", "--to", "csv"], "is not a record"),
        (["s", "--to", "docx"], "“docx” is no form to export"),
        (["s"], "Say what to export"),
        (["s", "--to", "wav", "--redacted"], "A redacted copy holds no voices"),
        (["s", "--to", "wav,flac"], "holds no audio"),
    ],
)
def test_wrong_use_is_said_in_a_sentence(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.jsonl").touch()
    Path("text.jsonl").write_text("hello\n", encoding="utf-8")
    conversation().write(Path("s"), audio=False)
    assert main(["export", *arguments, "--out", "out"]) == 3
    assert sentence in capsys.readouterr().err
    assert not list(Path().glob("out/*"))


def test_audio_that_was_left_out_on_purpose_is_told(tmp_path: Path) -> None:
    sheet = Sheet(audio_kept=False)
    record = sheet.write(tmp_path / "s", audio=False)
    assert export(record, ["csv", "wav"], tmp_path / "o").notes == [
        "The audio was left out of this session on purpose."
    ]
    with pytest.raises(UsageError):
        export(record, ["wav"], tmp_path / "o2")
    with pytest.raises(UnreadableFile):
        export(tmp_path / "o", ["csv"], tmp_path / "o2")


def test_positions_that_count_from_elsewhere_are_no_times(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.appended(20_000, 0, 24_000)
    sheet.received(20_300, "input_audio_buffer.speech_started", audio_start_ms=5_000, item_id="u1")
    sheet.received(20_900, "input_audio_buffer.speech_stopped", audio_end_ms=5_400, item_id="u1")
    done = export(sheet.write(tmp_path / "s", audio=False), ["audacity"], tmp_path / "out")
    told = {path.name: path.read_text(encoding="utf-8") for path in done.files}
    assert told["s.labels.participant-speech.txt"] == "20.300000\t20.900000\tspeech\n"


def test_a_finished_session_is_exported_from_its_flac_as_far_as_it_decodes(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.noted(10_000, "record.ended", reason="disconnected")
    record = sheet.write(tmp_path / "s", audio=False)
    noise = np.random.default_rng(3).integers(-3_000, 3_000, (240_000, 2), dtype=np.int16)
    soundfile.write(record / "session.heard.flac", noise, 24_000, subtype="PCM_16")
    whole = export(record, ["wav"], tmp_path / "whole")
    assert whole.notes == []
    assert np.array_equal(soundfile.read(whole.files[0], dtype="int16")[0], noise)
    with (record / "session.heard.flac").open("r+b") as file:
        file.truncate(file.seek(0, 2) // 2)
    done = export(record, ["wav"], tmp_path / "half")
    samples, _ = soundfile.read(done.files[0], dtype="int16")
    assert 100_000 < len(samples) < 140_000
    assert np.array_equal(samples, noise[: len(samples)])
    (note,) = done.notes
    assert note == f"session.heard.flac is damaged: it was exported up to {len(samples) / 24_000:.1f} s of 10.0 s."


def test_sound_that_ends_before_the_events_is_told(tmp_path: Path) -> None:
    record = conversation().write(tmp_path / "s")
    with (record / "session.heard.wav").open("r+b") as file:
        file.truncate(44 + 4 * 48_000)
    done = export(record, ["wav"], tmp_path / "out")
    assert done.notes == ["session.heard.wav ends 4.0 s before the events do: it was cut off."]
    assert soundfile.info(done.files[0]).frames == 48_000


def test_a_hundred_responses_that_never_end_are_twenty_tiers(tmp_path: Path) -> None:
    sheet = Sheet()
    for number in range(100):
        sheet.received(1_000 + number, "response.created", response={"id": f"r{number}"})
    done = export(sheet.write(tmp_path / "s", audio=False), ["elan", "textgrid"], tmp_path / "out")
    SCHEMA.validate(done.files[1])
    assert len(pympi.Eaf(str(done.files[1])).get_tier_names()) == 20


def test_a_record_of_a_check_is_exported_beside_itself_without_passing_for_it(tmp_path: Path) -> None:
    folder = conversation().write(tmp_path / "records")
    (folder / "session.heard.wav").unlink()
    for path in list(folder.iterdir()):
        path.rename(folder / path.name.replace("session", "barge_in-server_vad"))
    done = export(folder / "barge_in-server_vad.jsonl", ["wav"], folder)
    names = [path.name for path in done.files]
    assert names == ["barge_in-server_vad-export.participant.wav", "barge_in-server_vad-export.agent-received.wav"]
    sent, _ = soundfile.read(done.files[0], dtype="int16")
    assert np.array_equal(sent, np.arange(96_000, dtype=np.int16))


_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5_000), st.integers(1, 900), _texts), max_size=8))
def test_any_texts_and_times_come_back_from_praat_and_elan(
    tmp_path_factory: pytest.TempPathFactory, parts: list[tuple[int, int, str]]
) -> None:
    at_ms, spans = 0, []
    for gap_ms, length_ms, text in parts:
        spans.append(Span((at_ms + gap_ms) / 1000, (at_ms + gap_ms + length_ms) / 1000, text))
        at_ms += gap_ms + length_ms
    tier = Tier("words", "agent", tuple(spans))
    folder = tmp_path_factory.mktemp("any")
    (folder / "t.TextGrid").write_bytes(praat_text([tier], 10.0).encode())
    grid = textgrid.openTextgrid(str(folder / "t.TextGrid"), includeEmptyIntervals=False, reportingMode="error")
    read = [(each.start, each.end) for each in grid.getTier("words").entries]
    # The reader drops intervals whose text is blank.
    assert set(read) <= {(span.start_s, span.end_s) for span in spans}
    assert len(read) >= sum(span.text.isalnum() for span in spans)
    (folder / "t.eaf").write_bytes(annotation_document([tier], None, None))
    SCHEMA.validate(folder / "t.eaf")
    told = pympi.Eaf(str(folder / "t.eaf")).get_annotation_data_for_tier("words")
    assert [each[:2] for each in told] == [(span.start_ms, span.end_ms) for span in spans]
    assert [each[2] for each, span in zip(told, spans, strict=True) if span.text.isalnum()] == [
        span.text for span in spans if span.text.isalnum()
    ]


JOINED = "می‌خواهم 👩‍👩‍👧 \U0001fae9 שלום‏!"


@pytest.mark.parametrize("words", [JOINED, "soft­hyphen", "no break"])
def test_letters_that_are_joined_and_directed_stay_so_everywhere(tmp_path: Path, words: str) -> None:
    sheet = conversation()
    sheet.noted(6_000, "mark", note=f"a\x07b {words}\u2028c")
    record = sheet.write(tmp_path / "s", audio=False)
    out = tmp_path / "out"
    export(record, ["csv", "audacity", "textgrid", "elan", "html"], out)
    for name in ("s.turns.csv", "s.labels.marks.txt", "s.TextGrid", "s.eaf", "s.html"):
        told = (out / name).read_text(encoding="utf-8")
        assert words in told or " ".join(words.split()) in told, name
    assert f"a b {' '.join(words.split())} c\n" in (out / "s.labels.marks.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["=1", " =1", "\t+1", "\r\n-1", "@a", "\ufeff=1", "＝1", "\xa0＠a", "\0=1"])
def test_no_text_is_run_by_a_spreadsheet(text: str) -> None:
    assert str(cell(text)).startswith("'")


@pytest.mark.parametrize("text", ["a=1", "", " ", "1-2", "'=1", "–1"])
def test_other_texts_stay_as_they_are_in_a_table(text: str) -> None:
    assert cell(text) == text

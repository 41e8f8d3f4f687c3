"""The measures of a whole record of tones and silences placed by hand, by its events and by its audio."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas
import pytest
import soundfile

from simulator.cli import main
from simulator.cli.measures import table
from simulator.record.entries import FORMAT, FORMAT_VERSION, AudioSpan, Direction, Entry, Track
from simulator.record.export import export
from simulator.record.floor import Shares
from simulator.record.floor_report import FloorReport, report
from simulator.record.floor_sources import loud_spans
from simulator.record.folder import record_file
from simulator.record.reader import stream
from simulator.record.session_comparison import side
from simulator.record.wav import header, track_path
from tests.record.export_record import Sheet

MS = 1_000_000
PARTICIPANT_TONES_MS = ((1_000, 3_000), (5_000, 6_000), (10_000, 10_500))
AGENT_TONES_MS = ((3_600, 5_310), (7_000, 8_000), (8_100, 9_000))
LENGTH_MS = 11_000


def lanes() -> np.ndarray:
    """Tones of about -24 dBFS; the participant's room hisses at about -67."""
    at = np.arange(LENGTH_MS * 24)
    tone = np.round(3_000 * np.sin(2 * np.pi * 500 * at / 24_000))
    heard = np.zeros((len(at), 2))
    heard[:, 0] = np.random.default_rng(5).integers(-25, 26, len(at))
    for channel, spans in enumerate((PARTICIPANT_TONES_MS, AGENT_TONES_MS)):
        for start, end in spans:
            heard[start * 24 : end * 24, channel] = tone[start * 24 : end * 24]
    return heard.astype(np.int16)


def entries() -> list[Entry]:
    """Two turns, a barge-in, a reply that was never heard, two replies on end, and talk while listening was off.

    The engine counts 300 ms before the onset and 500 ms behind the end as speech.
    """
    found: list[tuple[int, Direction, str, dict[str, Any], AudioSpan | None]] = []

    def received(at_ms: int, kind: str, /, **event: Any) -> None:
        found.append((at_ms, Direction.RECEIVED, f"input_audio_buffer.{kind}", event, None))

    def noted(at_ms: int, kind: str, /, **event: Any) -> None:
        found.append((at_ms, Direction.NOTED, kind, event, None))

    def played(start_ms: int, end_ms: int, item: str, how: str = "ended") -> None:
        samples = (end_ms - start_ms) * 24
        noted(start_ms, "playback.started", item_id=item, handed_ns=start_ms * MS)
        counts = {"handed_samples": samples, "received_samples": samples if how == "ended" else 48_000}
        noted(end_ms, f"playback.{how}", item_id=item, handed_ns=end_ms * MS, cut_ns=end_ms * MS, **counts)

    for start_ms in range(0, 9_500, 20):
        span = AudioSpan(Track.PARTICIPANT, start_ms * 24, 480, 960)
        found.append((start_ms + 20, Direction.SENT, "input_audio_buffer.append", {"audio": ""}, span))
    received(1_200, "speech_started", item_id="u1", audio_start_ms=700)
    received(3_500, "speech_stopped", item_id="u1", audio_end_ms=3_500)
    played(3_600, 5_310, "a1", "cut")
    received(5_300, "speech_started", item_id="u2", audio_start_ms=4_700)
    stop = {"received_ns": 5_300 * MS, "cut_ns": 5_312 * MS, "last_sound_handed_ns": 5_310 * MS, "item_id": "a1"}
    noted(5_320, "barge_in", dac_source="latency", **stop)
    received(6_500, "speech_stopped", item_id="u2", audio_end_ms=6_500)
    noted(6_700, "playback.cut", item_id="a2", handed_samples=0, received_samples=4_800, cut_ns=6_700 * MS)
    played(7_000, 8_000, "a3")
    played(8_100, 9_000, "a4")
    noted(9_500, "listening.off")
    noted(11_000, "listening.on")
    noted(11_000, "record.ended", reason="disconnected")
    found.sort(key=lambda each: each[0])
    start = {"format": FORMAT, "format_version": FORMAT_VERSION}
    return [
        Entry(seq, at_ms * MS, direction, kind, event, audio=span)
        for seq, (at_ms, direction, kind, event, span) in enumerate(
            [(0, Direction.NOTED, "record.started", start, None), *found]
        )
    ]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The folder of a session."""
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries()))
    data = lanes().astype("<i2").tobytes()
    track_path(path, Track.HEARD).write_bytes(header(2, len(data)) + data)
    return tmp_path


def pairs(found: FloorReport, measure: str) -> list[tuple[float, float, float]]:
    (row,) = (row for row in found.measures if row.measure == measure)
    return [(pair.events.ms, pair.energy.ms, pair.difference_ms) for pair in row.pairs]


def test_each_measure_by_both_sources_and_how_far_they_disagree(record: Path) -> None:
    found = report(record)
    assert found.problems == []
    assert pairs(found, "transfer to agent") == [(100, 600, 500), (500, 1_000, 500)]
    assert pairs(found, "response latency") == [(100, 600, 500), (500, 1_000, 500)]
    assert pairs(found, "transfer to participant") == [(-610, -310, 300)]
    assert pairs(found, "overlap at transfer") == [(0, 0, 0), (610, 310, -300), (0, 0, 0)]
    assert pairs(found, "barge-in yield") == [(610, 310, -300)]
    assert pairs(found, "barge-in stop") == [(10, 10, 0)]
    assert pairs(found, "silence") == [(100, 600, 500), (500, 1_000, 500)]
    overlap = found.measures[2]
    assert (overlap.median_difference_ms, overlap.largest_difference_ms) == (0, -300)
    assert all(len(row.events) == len(row.energy or []) == len(row.pairs) for row in found.measures)


def _without_loudspeaker(record: Path, how: str) -> None:
    events = record / "session.jsonl"
    lines = events.read_bytes()
    if how == "noted":
        lines = lines.replace(b'"dac_source":"latency"', b'"dac_source":"simulated"')
    else:  # earlier versions told of the output alone
        first, _, rest = lines.partition(b"\n")
        chosen = msgspec.json.encode(Entry(1, 0, Direction.NOTED, "output.chosen", {"name": "silent clock"}))
        later = [msgspec.json.decode(line, type=Entry) for line in rest.splitlines()]
        moved = [msgspec.json.encode(msgspec.structs.replace(entry, seq=entry.seq + 1)) for entry in later]
        lines = b"\n".join([first, chosen, *moved]) + b"\n"
    events.write_bytes(lines)


@pytest.mark.parametrize("how", ["noted", "by the name of the output"])
def test_no_barge_in_stop_is_measured_where_there_was_no_loudspeaker(record: Path, how: str) -> None:
    _without_loudspeaker(record, how)
    found = report(record)
    (row,) = (row for row in found.measures if row.measure == "barge-in stop")
    assert (row.events, row.energy, row.pairs) == ([], [], [])
    assert found.silent_stops == 1
    assert (
        "Barge-in stop is not measured at an interruption: there was no loudspeaker that could fall silent."
        in table(found)
    )
    facts = side("s", stream(record / "session.jsonl", []), []).facts
    assert facts.barge_ins == 1
    assert facts.median_ms("barge_in_stop") is None
    assert pairs(found, "barge-in yield") == [(610, 310, -300)]


def test_an_empty_record_has_no_measures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "session.jsonl").touch()
    assert main(["measures", str(tmp_path)]) == 3
    assert capsys.readouterr().err == f"{tmp_path / 'session.jsonl'} is empty: it holds no record.\n"


def test_a_file_of_other_lines_is_not_taken_for_the_record_of_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "train.jsonl").write_text('{"prompt": "Hello"}\n')
    assert main(["measures", str(tmp_path)]) == 3
    told = f"The folder {tmp_path} holds no session: there is no session.jsonl in it.\n"
    assert capsys.readouterr().err == told
    Sheet().write(tmp_path / "s", audio=False)
    (tmp_path / "s" / "session.jsonl").rename(tmp_path / "check.jsonl")
    assert record_file(tmp_path) == tmp_path / "check.jsonl"


def test_talk_shares_by_both_sources_without_the_time_when_listening_was_off(record: Path) -> None:
    found = report(record)
    assert found.energy is not None
    assert found.energy.shares == Shares(participant_ms=2_690, agent_ms=3_400, both_ms=310, silence_ms=1_600)
    assert found.events.shares == Shares(participant_ms=3_990, agent_ms=3_100, both_ms=610, silence_ms=600)
    assert found.not_listened_ms == 1_500


def test_a_record_without_audio_has_the_measures_of_its_events(record: Path) -> None:
    track_path(record / "session.jsonl", Track.HEARD).unlink()
    found = report(record)
    assert found.problems == ["The record holds no heard audio."]
    assert found.energy is None
    assert [each.offset_ms for each in found.events.responses] == [100, 500]
    assert all((row.energy, row.pairs, row.largest_difference_ms) == (None, [], None) for row in found.measures)


def test_a_frame_is_loud_from_its_limit_on() -> None:
    """A square wave's level is that of its amplitude: 184 is -45.01 dBFS, 185 -44.97; 103 -50.05, 104 -49.97."""
    signs = np.tile([1, -1], 120)[:, None]
    below, at = np.array([184, 103]), np.array([185, 104])
    samples = np.concatenate([signs * below, signs * at, signs * at, signs * below]).astype(np.int16)
    assert loud_spans([samples], (-45.0, -50.0)) == [[(10 * MS, 30 * MS)]] * 2


def test_blocks_of_any_length_make_the_same_spans() -> None:
    heard = lanes()
    whole = loud_spans([heard], (-45.0, -50.0))
    assert whole[0] == [(start * MS, end * MS) for start, end in PARTICIPANT_TONES_MS]
    assert whole[1] == [(start * MS, end * MS) for start, end in AGENT_TONES_MS]
    assert loud_spans(np.array_split(heard, range(0, len(heard), 1_001)), (-45.0, -50.0)) == whole
    assert loud_spans([], (-45.0, -50.0)) == [[], []]


def exported(record: Path, *, redacted: bool = False) -> pandas.DataFrame:
    files = export(record, ["csv"], record / "out", redacted=redacted).files
    (path,) = (path for path in files if path.name.endswith(".measures.csv"))
    numbers = {"to_s": "", "value_ms": "", "difference_ms": ""}
    return pandas.read_csv(path, dtype={"pair": str}, keep_default_na=False, na_values=numbers)


def rows(table: pandas.DataFrame, measure: str, source: str) -> list[tuple[Any, ...]]:
    found = table[(table["measure"] == measure) & (table["source"] == source)]
    return list(found[["kind", "from_s", "to_s", "value_ms", "pair"]].itertuples(index=False, name=None))


def test_pandas_reads_each_value_with_both_its_ends(record: Path) -> None:
    table = exported(record)
    assert rows(table, "transfer to agent", "events") == [("", 3.5, 3.6, 100, "1"), ("", 6.5, 7.0, 500, "2")]
    assert rows(table, "transfer to agent", "energy") == [("", 3.0, 3.6, 600, "1"), ("", 6.0, 7.0, 1_000, "2")]
    assert rows(table, "transfer to participant", "energy") == [("", 5.31, 5.0, -310, "1")]
    assert rows(table, "overlap at transfer", "events")[1] == ("to participant", 4.7, 5.31, 610, "2")
    assert rows(table, "barge-in yield", "energy") == [("yielded", 5.0, 5.31, 310, "1")]
    assert rows(table, "barge-in stop", "events") == [("", 5.3, 5.31, 10, "1")]
    assert rows(table, "silence", "events") == [("gap", 3.5, 3.6, 100, "1"), ("gap", 6.5, 7.0, 500, "2")]
    assert rows(table, "talk share", "energy") == [
        ("participant", 1.0, 9.0, 2_690, "1"),
        ("agent", 1.0, 9.0, 3_400, "2"),
        ("both", 1.0, 9.0, 310, "3"),
        ("nobody", 1.0, 9.0, 1_600, "4"),
    ]
    differences = table.dropna(subset="difference_ms").groupby("measure")["difference_ms"].apply(list).to_dict()
    assert differences == {
        "transfer to agent": [500, 500],
        "transfer to participant": [300],
        "overlap at transfer": [0, -300, 0],
        "response latency": [500, 500],
        "barge-in yield": [-300],
        "barge-in stop": [0],
        "silence": [500, 500],
        "talk share": [-1_300, 300, -300, 1_000],
    }


def test_the_table_tells_of_a_barge_in_at_which_the_agent_talked_on(record: Path) -> None:
    """The reply from 3.6 s is not cut but goes on to 8 s, 1.5 s longer than the participant talks."""
    path = record / "session.jsonl"
    kept = [entry for entry in entries() if entry.type != "playback.cut" and entry.event.get("item_id") != "a3"]
    longer = {"item_id": "a1", "handed_ns": 8_000 * MS, "handed_samples": 105_600, "received_samples": 105_600}
    kept.append(Entry(0, 8_000 * MS, Direction.NOTED, "playback.ended", longer))
    kept.sort(key=lambda entry: entry.t_ns)
    lines = (msgspec.json.encode(msgspec.structs.replace(entry, seq=seq)) for seq, entry in enumerate(kept))
    path.write_bytes(b"\n".join(lines) + b"\n")
    (told,) = exported(record)[lambda table: table["kind"] == "talked on"].itertuples(index=False, name=None)
    assert told[:4] == ("barge-in yield", "events", "talked on", 4.7)
    assert all(pandas.isna(value) or value == "" for value in told[4:])


def test_a_redacted_table_holds_nothing_from_the_voices(record: Path) -> None:
    table = exported(record, redacted=True)
    assert set(table["source"]) == {"events"}
    assert rows(table, "response latency", "events") == [("", 3.5, 3.6, 100, ""), ("", 6.5, 7.0, 500, "")]


@pytest.mark.parametrize("level", ["nan", "1", "1e9", "-97"])
def test_a_level_that_no_audio_has_is_refused(record: Path, level: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", str(record), "--agent-dbfs", level]) == 3
    assert f"A level of {float(level):g} dBFS: use -96 to 0." in capsys.readouterr().err


def test_a_damaged_record_is_measured_up_to_the_damage(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = record / "session.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    damage = next(number for number, line in enumerate(lines) if b"barge_in" in line)
    path.write_bytes(b"".join(lines[:damage]) + b"garbage\n")
    assert main(["measures", str(record)]) == 0
    told = capsys.readouterr()
    assert f"Line {damage + 1} (byte" in told.err
    assert "response latency               1        100" in told.out


def test_the_command_prints_a_table_or_every_turn(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", str(record)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "response latency               2        300       2        800      +500      +500       2" in lines
    shares = "participant 33.6 %, agent 42.5 %, both 3.9 %, nobody 20.0 %"
    assert f"By energy, of 8.0 s: {shares}; barge-ins 1, of which the agent talked on at 0." in lines
    assert "Listening was off for 1.5 s; what was said then is left out." in lines
    assert main(["measures", str(record), "--json", "--participant-dbfs", "-20"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["thresholds"] == {"participantDbfs": -20.0, "agentDbfs": -50.0}
    assert told["energy"]["talk"] == {"participantMs": 0.0, "agentMs": 3_710.0, "bothMs": 0.0, "silenceMs": 1_690.0}
    (latency,) = (row for row in told["measures"] if row["measure"] == "response latency")
    assert latency["events"] == [{"atNs": 3_600 * MS, "ms": 100.0}, {"atNs": 7_000 * MS, "ms": 500.0}]
    assert (latency["energy"], latency["both"], latency["medianDifferenceMs"]) == ([], [], None)


def test_audio_that_is_damaged_is_measured_up_to_there_and_that_is_said(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.noted(30_000, "record.ended", reason="x")
    folder = sheet.write(tmp_path / "s", audio=False)
    noise = np.random.default_rng(3).integers(-9_000, 9_000, (30 * 24_000, 2)).astype(np.int16)
    path = folder / "session.heard.flac"
    soundfile.write(path, noise, 24_000, subtype="PCM_16")
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes(20_000) + whole[middle + 20_000 :])
    measured = report(folder)
    (problem,) = measured.problems
    assert problem.startswith("session.heard.flac is damaged or was cut off: it is measured up to 14.")
    assert problem.endswith(" s of 30.0 s.")
    assert measured.energy is not None
    assert 14_000 < measured.energy.shares.both_ms < 15_000
    path.write_bytes(whole)
    assert report(folder).problems == []

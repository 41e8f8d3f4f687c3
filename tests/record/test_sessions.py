"""The sessions of a folder in a list, filtered, kept in a cache, and two of them compared. Sessions written by hand."""

import hashlib
import shutil
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from simulator.errors import UnreadableFile
from simulator.record import session_cache
from simulator.record import sessions as sessions_module
from simulator.record.atomic import write_whole
from simulator.record.folder import delete_session, size_bytes
from simulator.record.lock import take
from simulator.record.reader import stream
from simulator.record.session_cache import CACHE
from simulator.record.session_comparison import AnswerPair, Comparison, LatencyPair, Setting, compare
from simulator.record.session_facts import ReplayEnd
from simulator.record.sessions import Answer, Facts, Filter, Session, sessions
from tests.record.export_record import Sheet

FIRST = "You are a guide.\nBe brief.\nNever sing."
SECOND = "You are a guide.\nTalk at length.\nNever sing."
QUESTION = "How close?"


def updated(sheet: Sheet, at_ms: float, **session: Any) -> None:
    """The settings are asked for, and taken as they are."""
    sheet.sent(at_ms, "session.update", session=session)
    sheet.received(at_ms + 1, "session.updated", session={"id": f"sess_{at_ms}", **session})


def turn(sheet: Sheet, at_ms: float, number: int, said: str, reply: str, start_ms: float = 40) -> None:
    """The participant talks for 500 ms, the engine hears it end, and answers `start_ms` later."""
    item, response = f"u{number}", f"r{number}"
    sheet.received(at_ms, "input_audio_buffer.speech_started", item_id=item, audio_start_ms=0)
    sheet.received(at_ms + 500, "input_audio_buffer.speech_stopped", item_id=item, audio_end_ms=500)
    sheet.received(at_ms + 501, "input_audio_buffer.committed", item_id=item)
    transcribed = "conversation.item.input_audio_transcription.completed"
    sheet.received(at_ms + 502, transcribed, item_id=item, transcript=said)
    sheet.received(at_ms + 500 + start_ms, "response.created", response={"id": response})
    spoken: dict[str, Any] = {"item_id": f"a{number}", "response_id": response}
    sheet.received(at_ms + 550 + start_ms, "response.output_audio_transcript.done", **spoken, transcript=reply)
    sheet.received(at_ms + 560 + start_ms, "response.done", response={"id": response, "status": "completed"})


def answered(sheet: Sheet, at_ms: float, value: Any, question: str = QUESTION, *, accepted: bool = True) -> None:
    fields = {"component": "likertscale", "question": question, "value": value, "accepted": accepted, "attempts": 1}
    sheet.noted(at_ms, "answer", **fields)


def first_session(voice: str = "marin") -> Sheet:
    """Two turns, one accepted answer of two, a study, a mark, a push, a broken rule; ten seconds long."""
    sheet = Sheet(engine="embedded", model="script", url="ws://127.0.0.1:1/v1/realtime")
    updated(sheet, 10, instructions=FIRST, voice=voice)
    sheet.noted(20, "study.started", name="Tea talk", steps=3)
    sheet.noted(30, "part", name="warm-up")
    turn(sheet, 1_000, 1, "Hello there.", "Hi.", start_ms=40)
    turn(sheet, 3_000, 2, "Which tea?", "Green.", start_ms=60)
    answered(sheet, 5_000, 9, accepted=False)
    answered(sheet, 6_000, 5)
    sheet.noted(7_000, "push", context={"event": "timer"}, seq_sent=0)
    sheet.noted(7_100, "mark", note="odd")
    sheet.noted(7_200, "violation", clause="x", sentence="It spoke.", seq=1)
    sheet.noted(10_000, "record.ended", reason="disconnected")
    return sheet


def second_session() -> Sheet:
    """Another engine and other instructions: one turn more in the middle, another answer, one more question."""
    sheet = Sheet(engine="openai", model="gpt-realtime", started_at="2026-12-02T12:00:00.000+00:00")
    updated(sheet, 10, instructions=SECOND, voice="cedar")
    sheet.noted(30, "part", name="warm-up")
    turn(sheet, 1_000, 1, "hello there", "Good day to you.", start_ms=200)
    turn(sheet, 3_000, 3, "Wait.", "I wait.", start_ms=300)
    turn(sheet, 5_000, 2, "which tea", "A long story.", start_ms=700)
    answered(sheet, 6_000, 6)
    answered(sheet, 6_500, 2, "How warm?")
    sheet.noted(10_000, "record.ended", reason="disconnected")
    return sheet


def save(folder: Path, sheet: Sheet, tail: bytes = b"") -> Path:
    folder.mkdir(parents=True)
    lines = b"".join(msgspec.json.encode(entry) + b"\n" for entry in sheet.entries)
    (folder / "session.jsonl").write_bytes(lines + tail)
    return folder


def facts_of(tmp_path: Path, sheet: Sheet, tail: bytes = b"") -> Facts:
    return sessions(save(tmp_path / "records" / "one", sheet, tail).parent)[0].facts


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A folder with both sessions."""
    save(tmp_path / "records" / "a", first_session())
    save(tmp_path / "records" / "b", second_session())
    return tmp_path / "records"


def test_a_session_says_who_what_and_how_fast(tmp_path: Path) -> None:
    facts = facts_of(tmp_path, first_session())
    assert facts.started_at == datetime(2026, 12, 1, 10, tzinfo=UTC)
    assert (facts.engine, facts.model, facts.study, facts.duration_s) == ("embedded", "script", "Tea talk", 10.0)
    assert facts.instructions == [FIRST]
    assert facts.answers == [Answer("warm-up", "likertscale", QUESTION, 5, 1)]
    assert (facts.participant_turns, facts.agent_turns, facts.barge_ins) == (2, 2, 0)
    assert (facts.pushes, facts.marks, facts.violations, facts.problems) == (1, 1, 1, 0)
    assert facts.latencies["response_start"] == [40.0, 60.0]
    assert facts.median_ms("response_start") == 50.0
    assert facts.median_ms("barge_in_stop") is None
    assert (facts.ended, facts.notes) == ("disconnected", [])


def test_a_session_says_when_the_agent_took_the_floor_and_of_what_it_is_a_replay(tmp_path: Path) -> None:
    sheet = first_session()
    # The first turn, of 500 ms, was heard from 1,000 to 1,500 ms on; the agent is audible 250 ms later.
    sheet.noted(20, "replay.started", of="/records/pilot", by="replies", acts=3)
    sheet.noted(1_751, "playback.started", item_id="a1", handed_ns=1_750_000_000)
    ended = {"item_id": "a1", "handed_samples": 24_000, "received_samples": 24_000}
    sheet.noted(2_750, "playback.ended", **ended, handed_ns=2_750_000_000)
    facts = facts_of(tmp_path, sheet)
    assert (facts.transfers_ms, facts.transfer_ms, facts.replay_of) == ([250.0], 250.0, "/records/pilot")
    assert facts.replay == "replay of /records/pilot · without an end"
    assert (Facts().transfer_ms, Facts().replay_of) == (None, None)


def test_a_replay_says_what_was_lost_of_it() -> None:
    told = [
        Facts(replay_of="pilot", replay_end=ReplayEnd(end, missed, refused)).replay
        for end, missed, refused in (("finished", 0, 0), ("finished", 1, 0), ("stopped", 3, 4))
    ]
    assert told == [
        "replay of pilot",
        "replay of pilot · 1 reply missed",
        "replay of pilot · 3 replies missed · 4 refused · stopped",
    ]
    assert Facts().replay is None


def test_instructions_that_were_refused_or_repeated_are_no_version(tmp_path: Path) -> None:
    sheet = first_session()
    sheet.sent(8_000, "session.update", session={"instructions": FIRST})
    sheet.sent(8_100, "session.update", session={"instructions": "Sing."})
    digest = hashlib.sha256(b"Sing.").hexdigest()
    sheet.noted(8_200, "instructions", sha256=digest, accepted=False, error="No.")
    sheet.sent(8_300, "session.update", session={"audio": {"input": {"turn_detection": None}}})
    sheet.sent(8_400, "session.update", session={"instructions": SECOND})
    assert facts_of(tmp_path, sheet).instructions == [FIRST, SECOND]


def test_the_newest_session_comes_first_and_each_says_its_size(records: Path) -> None:
    found = sessions(records)
    assert [each.name for each in found] == ["b", "a"]
    assert [each.state for each in found] == ["ended", "ended"]
    assert found[1].size_bytes == size_bytes(records / "a") == (records / "a" / "session.jsonl").stat().st_size
    assert found[1].instructions_sha256 == hashlib.sha256(FIRST.encode()).hexdigest()


def test_damaged_sessions_are_listed_with_their_note(records: Path) -> None:
    cut = first_session()
    del cut.entries[-1]
    save(records / "cut", cut, b'{"seq":')
    save(records / "garbage", Sheet(started_at="long ago"), b"\x00\xff\n")
    save(records / "later", Sheet(format_version=99))
    for name, content in (("empty", b""), ("noise", b"\xff\x00" * 99)):
        (records / name).mkdir()
        (records / name / "session.jsonl").write_bytes(content)
    (records / "no session").mkdir()
    found = {each.name: each for each in sessions(records)}
    assert found.keys() == {"a", "b", "cut", "garbage", "later", "empty", "noise"}
    assert found["cut"].state == "broken off"
    assert len(found["cut"].facts.answers) == 1
    assert "was cut off in the middle" in found["cut"].facts.notes[0]
    assert found["garbage"].facts.started_at is None
    assert [found[name].facts.notes == [] for name in ("a", "b", "garbage", "later", "empty", "noise")] == [
        *(True, True),
        *(False, False, False, False),
    ]


def read_again(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that the names of sessions go to whose events are read."""
    names: list[str] = []

    def counted(path: Path, problems: list[str]) -> Any:
        names.append(path.parent.name)
        return stream(path, problems)

    monkeypatch.setattr(sessions_module, "stream", counted)
    return names


def test_only_what_changed_is_read_again(records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_again(monkeypatch)
    first = sessions(records)
    assert sorted(read) == ["a", "b"]
    assert sessions(records) == first
    assert len(read) == 2
    shutil.rmtree(records / "a")
    save(records / "a", first_session(voice="somebody else"))
    sessions(records)
    assert read[2:] == ["a"]


def test_sessions_are_found_by_what_was_said_typed_or_noted(records: Path, tmp_path: Path) -> None:
    spoken = Sheet(started_at="2026-12-03T12:00:00.000+00:00")
    turn(spoken, 1_000, 1, "I sea a ship.", "A white\n ship?")
    spoken.noted(2_000, "recognised", item_id="u1", text="I see a ship", model="tiny")
    spoken.noted(2_100, "push", context={"event": "typed", "said": "ahoy there"}, seq_sent=0)
    spoken.noted(2_200, "chat.sent", message="Look west", call_id="c1")
    spoken.noted(2_300, "mark", note="laughs")
    save(records / "c", spoken)
    for wanted in ("SEA a ship", "see a ship", "white ship", "ahoy", "look west", "laughs"):
        for _ in range(2):  # from the events, then from the cache
            assert [each.name for each in sessions(records) if Filter(text=wanted).matches(each)] == ["c"], wanted
    assert [each.name for each in sessions(records) if Filter(text="hello there").matches(each)] == ["b", "a"]
    assert delete_session(records / "c") == []
    assert b"ship" not in (records / CACHE).read_bytes()


def test_a_session_with_megabytes_of_words_is_not_kept_but_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = first_session()
    turn(sheet, 11_000, 3, "Sing.", "la " * 1_400_000 + "dee")
    save(tmp_path / "records" / "long", sheet)
    read = read_again(monkeypatch)
    for _ in range(2):
        assert [each.name for each in sessions(tmp_path / "records") if Filter(text="la dee").matches(each)]
    assert read == ["long", "long"]
    assert not (tmp_path / "records" / CACHE).exists()


@pytest.mark.parametrize("content", [b"", b"\xff", b'{"format":"x"}', b"[" * 100_000])
def test_a_broken_cache_is_made_anew(records: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = sessions(records)
    (records / CACHE).write_bytes(content)
    read = read_again(monkeypatch)
    assert sessions(records) == expected
    assert sessions(records) == expected
    assert sorted(read) == ["a", "b"]


def test_facts_in_the_cache_that_are_none_are_read_from_the_events(records: Path) -> None:
    expected = sessions(records)
    cache = records / CACHE
    cache.write_bytes(cache.read_bytes().replace(b'"duration_s":10.0', b'"duration_s":"x"'))
    assert sessions(records) == expected


def test_a_deleted_session_leaves_no_words_in_the_cache(records: Path) -> None:
    sessions(records)
    assert b"Be brief" in (records / CACHE).read_bytes()
    assert delete_session(records / "a") == []
    assert b"Be brief" not in (records / CACHE).read_bytes()
    assert b"Talk at length" in (records / CACHE).read_bytes()


@pytest.mark.parametrize("deleted_while", ["listing", "deleting"])
def test_a_session_that_is_deleted_while_the_cache_is_written_leaves_no_words_in_it(
    records: Path, monkeypatch: pytest.MonkeyPatch, deleted_while: str
) -> None:
    """Another process deletes it between what is read of the sessions and what is written about them."""
    if deleted_while == "deleting":
        shutil.copytree(records / "b", records / "c")
        sessions(records)
    waiting = ["a"]

    def late(path: Path, content: bytes) -> None:
        if path.name == CACHE and waiting:
            delete_session(records / waiting.pop())
        write_whole(path, content)

    monkeypatch.setattr(session_cache, "write_whole", late)
    if deleted_while == "deleting":
        delete_session(records / "c")
    else:
        sessions(records)
    assert waiting == []
    assert b"Be brief" not in (records / CACHE).read_bytes()
    assert b"Talk at length" in (records / CACHE).read_bytes()


def test_what_a_crash_or_an_earlier_version_left_of_the_cache_goes_with_the_session(records: Path) -> None:
    sessions(records)
    cache, part = records / CACHE, records / f".{CACHE}.part"
    part.write_bytes(cache.read_bytes()[:-40])
    cache.write_bytes(cache.read_bytes().replace(b'"program":"', b'"program":"0.0.'))
    delete_session(records / "a")
    assert not part.exists()
    assert not cache.exists()
    assert [each.name for each in sessions(records)] == ["b"]


def test_a_folder_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadableFile, match="cannot be listed"):
        sessions(tmp_path / "none")
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_DATA", str(tmp_path / "new"))
    assert sessions() == []


def test_a_session_that_goes_on_is_read_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live = first_session()
    end = live.entries.pop()
    folder = save(tmp_path / "records" / "live", live)
    read = read_again(monkeypatch)
    with (folder / "session.jsonl").open("ab") as file:
        assert take(file.fileno())
        assert [each.state for each in sessions(folder.parent)] == ["running"]
        file.write(msgspec.json.encode(end) + b"\n")
    (after,) = sessions(folder.parent)
    assert (after.state, after.facts.ended) == ("ended", "disconnected")
    assert sessions(folder.parent) == [after]
    assert read == ["live", "live"]


def test_progress_is_told_after_each_session(records: Path) -> None:
    told: list[tuple[int, int]] = []
    sessions(records, lambda done, of: told.append((done, of)))
    assert told == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (Filter(), ["b", "a"]),
        (Filter(engine="EMBED"), ["a"]),
        (Filter(engine="gpt"), ["b"]),
        (Filter(study="tea"), ["a"]),
        (Filter(instructions=hashlib.sha256(SECOND.encode()).hexdigest()[:6].upper()), ["b"]),
        (Filter(instructions="0000000000"), []),
        (Filter(text="at length"), ["b"]),
        (Filter(text="how warm"), ["b"]),
        (Filter(text="how close"), ["b", "a"]),
        (Filter(text="how close", engine="embedded"), ["a"]),
        (Filter(since=date(2026, 12, 2)), ["b"]),
        (Filter(until=date(2026, 12, 1)), ["a"]),
        (Filter(since=date(2026, 12, 1), until=date(2026, 12, 2)), ["b", "a"]),
        (Filter(since=date(2027, 1, 1)), []),
    ],
)
def test_sessions_are_filtered(records: Path, wanted: Filter, names: list[str]) -> None:
    assert [each.name for each in sessions(records) if wanted.matches(each)] == names


def test_a_session_without_a_date_is_on_no_day() -> None:
    nowhere = Session(Path("x"), 0, running=False, facts=Facts())
    assert Filter().matches(nowhere)
    assert not Filter(since=date(1, 1, 1)).matches(nowhere)


@pytest.fixture
def compared(records: Path) -> Comparison:
    return compare(records / "a", records / "b" / "session.jsonl")


def test_the_instructions_are_told_as_a_unified_difference(compared: Comparison) -> None:
    assert compared.instructions == [
        "--- a: instructions",
        "+++ b: instructions",
        "@@ -1,3 +1,3 @@",
        " You are a guide.",
        "-Be brief.",
        "+Talk at length.",
        " Never sing.",
    ]


def test_answers_to_the_same_question_stand_beside_each_other(compared: Comparison) -> None:
    five, six, two = (
        Answer("warm-up", "likertscale", *each, 1) for each in ((QUESTION, 5), (QUESTION, 6), ("How warm?", 2))
    )
    assert compared.answers == [
        AnswerPair("warm-up", "likertscale", QUESTION, 1, five, six),
        AnswerPair("warm-up", "likertscale", "How warm?", 1, None, two),
    ]


def test_latencies_and_barge_ins_stand_beside_each_other(compared: Comparison) -> None:
    (start,) = [each for each in compared.latencies if each.name == "response_start"]
    assert start == LatencyPair("response_start", [40.0, 60.0], [200.0, 300.0, 700.0])
    assert start.medians_ms == (50.0, 300.0)
    assert compared.barge_ins == (0, 0)


def test_percentiles_and_differences_of_latencies_are_told() -> None:
    hundred = [float(value) for value in range(100, 0, -1)]
    pair = LatencyPair("first_audio", hundred, [10.0])
    assert (pair.medians_ms, pair.p95s_ms, pair.difference_ms) == ((50.5, 10.0), (95.0, 10.0), -40.5)
    alone = LatencyPair("first_audio", [], [10.0])
    assert (alone.medians_ms, alone.p95s_ms, alone.difference_ms) == ((None, 10.0), (None, 10.0), None)


def test_reading_for_a_comparison_ends_where_nobody_waits_for_it(records: Path) -> None:
    class GivenUp(Exception):
        pass

    def look() -> None:
        raise GivenUp

    with pytest.raises(GivenUp):
        compare(records / "a", records / "b", look)


def test_only_settings_that_differ_are_told(compared: Comparison) -> None:
    assert compared.settings == [
        Setting("engine", "embedded", "openai"),
        Setting("model", "script", "gpt-realtime"),
        Setting("asked.voice", "marin", "cedar"),
        Setting("taken.voice", "marin", "cedar"),
    ]


def test_a_tool_that_one_session_lacks_is_one_setting_and_null_is_as_good_as_none(tmp_path: Path) -> None:
    both = {"type": "function", "name": "send_chat", "description": "Writes."}
    one = {"type": "function", "name": "answer_scale", "parameters": {"type": "object", "required": ["value"]}}
    for name, asked in (("a", {"tools": [both, one], "tracing": None}), ("b", {"tools": [both]})):
        sheet = Sheet()
        updated(sheet, 5, **asked)
        sheet.write(tmp_path / name, audio=False)
    lacked = {"type": "function", "parameters.type": "object", "parameters.required": ["value"]}
    assert compare(tmp_path / "a", tmp_path / "b").settings == [
        Setting("asked.tools.answer_scale", lacked, None),
        Setting("taken.tools.answer_scale", lacked, None),
    ]
    assert [each.path for each in compare(tmp_path / "b", tmp_path / "a").settings] == [
        "asked.tools.answer_scale",
        "taken.tools.answer_scale",
    ]


def test_the_same_turns_of_the_participant_are_in_one_row(compared: Comparison) -> None:
    assert [tuple(turn and turn.text for turn in row) for row in compared.transcript] == [
        ("Hello there.", "hello there"),
        ("Hi.", "Good day to you."),
        (None, "Wait."),
        (None, "I wait."),
        ("Which tea?", "which tea"),
        ("Green.", "A long story."),
        ("timer", None),
    ]


def test_a_session_compared_with_itself_differs_in_nothing(records: Path) -> None:
    same = compare(records / "a", records / "a")
    assert (same.settings, same.instructions) == ([], [])
    assert all(one == other for one, other in same.transcript)
    assert all(each.first == each.second for each in same.answers)

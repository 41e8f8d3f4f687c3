"""The log's rows: what an entry says, what the filter lets through, and that a burst is one insertion."""

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex

from simulator.record.entries import AudioSpan, Direction, Entry, Track
from simulator.units import NS_PER_MS, NS_PER_S
from ui.models import entry_text
from ui.models.entry_text import AUDIO_TYPES, Sign, clock, gist, long_clock, search_text, short_id, sign_of, size_text
from ui.models.log_model import Column, LogModel, Show
from ui.record_view import RecordView
from ui.theme import Theme

R, S, N = Direction.RECEIVED, Direction.SENT, Direction.NOTED


def entry(seq: int, direction: Direction, kind: str, **event: Any) -> Entry:
    return Entry(seq, seq * 10 * NS_PER_MS, direction, kind, event, 100)


def audio_entry(seq: int) -> Entry:
    return Entry(
        seq, seq, S, "input_audio_buffer.append", {"audio": ""}, 1300, AudioSpan(Track.PARTICIPANT, 0, 480, 960)
    )


@pytest.fixture
def view(theme: Theme) -> RecordView:
    view = RecordView()
    view.add(
        [
            entry(0, N, "record.started"),
            entry(1, R, "input_audio_buffer.speech_started", item_id="item_7", audio_start_ms=4180),
            audio_entry(2),
            entry(3, S, "conversation.item.truncate", item_id="item_6", audio_end_ms=1840),
            entry(4, R, "error", error={"code": "session_expired", "message": "Too long."}),
        ]
    )
    return view


def types(model: LogModel) -> list[str]:
    return [str(model.index(row, Column.TYPE).data()) for row in range(model.rowCount())]


def test_a_row_gives_time_direction_type_what_matters_and_size(view: RecordView) -> None:
    model = LogModel(view)
    row = [model.index(1, column).data() for column in Column]
    assert row == [
        "00:00.010",
        "◀",
        "input_audio_buffer.speech_started",
        "item_7  audio_start_ms 4180",
        "100 B",
    ]


def test_audio_events_are_folded_away_until_asked_for(view: RecordView) -> None:
    model = LogModel(view)
    assert (model.rowCount(), model.total) == (4, 5)
    model.set_filter("", Show.EVERYTHING, True)
    assert types(model)[2] == "input_audio_buffer.append"
    assert model.index(2, Column.GIST).data() == "20 ms"


@pytest.mark.parametrize(
    ("words", "show", "expected"),
    [
        ("truncate", Show.EVERYTHING, [3]),
        ("ITEM_7", Show.EVERYTHING, [1]),
        ("item start", Show.EVERYTHING, [1]),
        ("", Show.PROBLEMS, [4]),
        ("", Show.SENT, [3]),
        ("", Show.RECEIVED, [1, 4]),
        ("", Show.NOTED, [0]),
        ("nothing like it", Show.EVERYTHING, []),
    ],
)
def test_the_filter_lets_through_what_holds_all_words(
    view: RecordView, words: str, show: Show, expected: list[int]
) -> None:
    model = LogModel(view)
    model.set_filter(words, show, False)
    found = [model.entry_at(row) for row in range(model.rowCount())]
    assert [each.seq for each in found if each is not None] == expected


def test_a_burst_is_inserted_at_once_and_filtered_as_it_comes(view: RecordView) -> None:
    model = LogModel(view)
    model.set_filter("truncate", Show.EVERYTHING, False)
    inserted: list[tuple[int, int]] = []
    model.rowsInserted.connect(lambda _parent, first, last: inserted.append((first, last)))
    more = [
        entry(5 + number, S, "conversation.item.truncate" if number % 2 else "response.cancel") for number in range(10)
    ]
    view.add(more)
    model.take_new()
    assert inserted == [(1, 5)]
    assert model.rowCount() == 6
    model.take_new()
    assert inserted == [(1, 5)]


def test_rows_are_found_by_number_where_the_record_has_holes(theme: Theme) -> None:
    view = RecordView()
    view.add([entry(seq, R, "error") for seq in (0, 1, 5, 6)])
    model = LogModel(view)
    assert [model.row_of(seq) for seq in (0, 1, 3, 5, 6, 9)] == [0, 1, None, 2, 3, None]
    assert view.problems == 4
    assert model.rowCount(model.index(0, 0)) == 0
    assert not QModelIndex().isValid()


@pytest.mark.parametrize(
    ("kind", "event", "problem", "sign"),
    [
        ("session.created", {}, None, Sign.PLAIN),
        ("error", {}, None, Sign.PROBLEM),
        ("ping", {}, "“ping” is not an event of HRP 0.2.0.", Sign.NOTICE),
        ("ping", {}, None, Sign.NOTICE),
        ("response.audio.delta", {}, "It belongs to the beta.", Sign.PROBLEM),
        ("response.done", {}, "the field response is missing", Sign.PROBLEM),
        ("malformed", {}, "not JSON", Sign.PROBLEM),
        ("truncation.refused", {}, None, Sign.NOTICE),
        ("connection.closed", {"by": "us"}, None, Sign.PLAIN),
        ("connection.closed", {"by": "lost"}, None, Sign.PROBLEM),
        ("response.done", {"response": {"status": "failed"}}, None, Sign.PROBLEM),
        ("response.done", {"response": {"status": "cancelled"}}, None, Sign.PLAIN),
    ],
)
def test_what_asks_for_attention(kind: str, event: dict[str, Any], problem: str | None, sign: Sign) -> None:
    noted = {"truncation.refused", "connection.closed"}
    assert sign_of(Entry(0, 0, N if kind in noted else R, kind, event, problem=problem)) is sign


def test_an_error_counts_once_where_a_note_says_what_came_of_it(theme: Theme) -> None:
    view = RecordView()
    view.add([entry(0, R, "error", error={"code": "bad_truncate"}), entry(1, N, "truncation.refused", item_id="i")])
    assert view.problems == 0
    assert view.sign(view.entries[0]) is Sign.NOTICE
    view.add([entry(2, R, "response.done"), Entry(3, 3, N, "violation", {"seq": 2, "clause": "c"})])
    view.add([entry(4, R, "error"), entry(5, N, "problem", sentence="s"), entry(6, R, "error")])
    assert view.problems == 3
    model = LogModel(view)
    model.set_filter("", Show.PROBLEMS, False)
    assert [each.seq for row in range(model.rowCount()) if (each := model.entry_at(row))] == [3, 5, 6]


@pytest.mark.parametrize(
    ("kind", "event", "expected"),
    [
        (
            "playback.cut",
            {"item_id": "item_6", "handed_samples": 44_160, "received_samples": 124_800, "cause": "speech_started"},
            "item_6  heard 1840 of 5200 ms  speech_started",
        ),
        (
            "barge_in",
            {"item_id": "i", "received_ns": 0, "cut_ns": 200_000, "inaudible_ns": 42_000_000, "dac_source": "dac"},
            "i  silent after 42 ms (dac)  cut after 0.2 ms",
        ),
        ("push", {"context": {"event": "timer", "secondsLeft": 30}}, "timer  secondsLeft 30"),
        (
            "response.done",
            {"response": {"id": "resp_1", "status": "completed", "usage": {"total_tokens": 7}}},
            "resp_1  completed  7 tokens",
        ),
        ("error", {"error": {"code": "c", "message": "m"}}, "c  m"),
        ("session.update", {"session": {"audio": {"input": {"turn_detection": None}}}}, "turn detection off"),
        (
            "response.output_audio_transcript.done",
            {"item_id": "item_1", "transcript": "Hello\nthere"},
            "item_1  “Hello there”",
        ),
        ("call.held", {"call_id": "call_1", "name": "answer_text", "arguments": "{}"}, "answer_text {}"),
        (
            "call.answered",
            {"by": "judge", "how": "as judged", "output": '{"accepted":true}'},
            'as judged  {"accepted":true}',
        ),
        ("call.answered", {"by": "operator", "how": "broken", "output": "{"}, "by the operator  broken  {"),
        ("replay.started", {"of": "pilot", "by": "replies", "acts": 4}, "pilot  as in the conversation  4 acts"),
        (
            "replay.act",
            {"number": 3, "what": "timer", "after": "reply begins", "exchange": 2, "after_ms": 800.0, "late_ms": 1.25},
            "3  timer  800 ms after reply begins 2  late by 1.2 ms",
        ),
        ("replay.missed", {"exchange": 2, "what": "no reply came"}, "2  no reply came"),
        ("replay.refused", {"number": 3, "sentence": "The engine refused it."}, "3  The engine refused it."),
        ("mark", {"note": ""}, "by the operator"),  # what is typed later has an entry of its own
        ("mark", {"note": "He laughs"}, "“He laughs”"),
        ("mark.note", {"mark": 11, "note": "He laughs\nat it"}, "of the mark #11: “He laughs at it”"),
        ("raw", {"seq": 12}, "event #12 was sent as it stands"),
        ("vendor.event", {"type": "vendor.event", "speed": 2, "nested": {"a": 1}}, "speed 2"),
        ("response.created", {"response": None}, ""),
        ("response.create", {"response": {"output_modalities": None, "tool_choice": "auto"}}, "tool_choice auto"),
        ("response.create", {"response": {"output_modalities": 5}}, ""),
        (
            "conversation.item.create",
            {"item": {"type": "message", "role": "user", "content": [{"text": "hi"}]}},
            "message  user  “hi”",
        ),
    ],
)
def test_what_matters_of_an_entry(kind: str, event: dict[str, Any], expected: str) -> None:
    assert gist(Entry(0, 0, R, kind, event)) == expected


def test_times_sizes_and_identifiers_in_words() -> None:
    assert clock(12_480 * NS_PER_MS) == "00:12.480"
    assert clock(3_725_001 * NS_PER_MS) == "1:02:05.001"
    assert long_clock(192 * NS_PER_S) == "00:03:12"
    assert [size_text(size) for size in (0, 312, 4_100, 3_000_000)] == ["", "312 B", "4.1 kB", "3.0 MB"]
    assert short_id("item_8a00944aee3cd43b9e3f0b14") == "item_…f0b14"
    assert short_id("item_7") == "item_7"


_IDS = st.sampled_from(["event_1", "event_12", "event_007", "event_ab12", "EVENT_5", None, 7])
_AUDIO = st.builds(
    lambda kind, direction, ids, samples, problem: Entry(
        0,
        0,
        direction,
        kind,
        {"type": kind, **ids},
        9,
        AudioSpan(Track.AGENT, 0, samples, 0),
        problem=problem,
    ),
    st.sampled_from(["input_audio_buffer.append", "response.output_audio.delta", "error"]),
    st.sampled_from([R, S]),
    st.fixed_dictionaries({}, optional={"event_id": _IDS, "item_id": st.sampled_from(["item_1", "Item_20"])}),
    st.sampled_from([0, 480, 2_400, -1]),
    st.none() | st.just("It is wrong."),
)
_OTHER = st.builds(
    lambda kind, direction: Entry(0, 0, direction, kind, {"item_id": "item_1"}, 9),
    st.sampled_from(["response.done", "error", "input_audio_buffer.append"]),
    st.sampled_from([R, S, N]),
)
_FILTERS = st.text(alphabet="evnt_0127 imsab", max_size=9) | st.sampled_from(["event_1", "append 20", "t_12", "none"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # the theme stays as it is
@given(st.lists(_AUDIO | _OTHER, max_size=20), st.integers(0, 20), _FILTERS, st.sampled_from(Show), st.booleans())
def test_the_filter_lets_through_what_each_row_says_for_itself(
    theme: Theme, entries: list[Entry], late: int, words: str, show: Show, audio: bool
) -> None:
    numbered = [msgspec.structs.replace(each, seq=place) for place, each in enumerate(entries)]
    view = RecordView()
    view.add(numbered[:late])
    model = LogModel(view)
    model.set_filter(words, show, audio)
    view.add(numbered[late:])
    model.take_new()
    kinds = {Show.RECEIVED: R, Show.SENT: S, Show.NOTED: N}
    expected = [
        each.seq
        for each in numbered
        if all(word in search_text(each) for word in words.lower().split())
        and (audio or each.problem is not None or (each.audio is None and each.type not in AUDIO_TYPES))
        and (show not in kinds or each.direction is kinds[show])
        and (show is not Show.PROBLEMS or view.sign(each) is Sign.PROBLEM)
    ]
    shown = [model.entry_at(row) for row in range(model.rowCount())]
    assert [each.seq for each in shown if each is not None] == expected
    assert model.total == len(numbered)


class Everywhere(dict[str, Any]):
    """An object in which every field has one value."""

    def __init__(self, value: Any) -> None:
        super().__init__(field=value)
        self._value = value

    def get(self, key: str, default: Any = None) -> Any:
        return self._value

    def __getitem__(self, key: str) -> Any:
        return self._value

    def __contains__(self, key: object) -> bool:
        return True


@pytest.mark.parametrize(
    "value",
    [None, True, -1, 1.5, 10**400, 1e308, "", "a\x00\n", [], [1, None, {}], {}, {"type": []}, [["name"]]],
    ids=repr,
)
def test_whatever_stands_in_an_event_its_row_is_written(value: Any) -> None:
    """An exception where Qt asks for a cell ends the program."""
    kinds = [*entry_text._GISTS, "connection.closed", "response.done", "unknown"]
    for nested in (value, {"field": value}, Everywhere(value), [Everywhere(value)]):
        for kind in kinds:
            row = Entry(3, 7, R, kind, Everywhere(nested), 100)
            assert isinstance(gist(row), str), kind
            assert isinstance(search_text(row), str), kind
            assert isinstance(sign_of(row), Sign), kind

"""Whatever a record holds, its plan opens or is refused with a sentence, and what is planned can be done."""

import contextlib
import copy
import itertools
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.errors import SimulatorError
from simulator.record.replay.deeds import Plan, Say
from simulator.record.replay.exchanges import exchanges
from simulator.record.replay.plan import plan
from simulator.record.replay.speeches import PAUSE_NS, Heard, Span, speeches
from tests.record.export_record import MS
from tests.record.replay.replayed import Session, append

STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(["[context] {", "[context] [1]", '[context] {"a":1}', "data:image/png;base64,AA", "message"]),
    st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.sampled_from(["type", "text", "audio", "response"]), st.integers(0, 3), max_size=2),
)


def everything() -> Session:
    """Return a session with each kind of deed."""
    session = Session().says(1_000, 2_000).says(5_000, 5_500)
    session.push(400, {"event": "timer", "secondsLeft": 3}, ("data:image/png;base64,iVBORw0KGgo=",))
    session.reply("1", 2_500, 5_200, cut="speech_started", latency_ms=20)
    session.reply("2", 6_000, 6_900, cut="stop_reply")
    session.sent(6_901, "response.cancel")
    asked: dict[str, Any] = {
        "component": "vasrating",
        "config": {},
        "during_video": False,
        "shown_on": "screen",
        "attempts": 3,
    }
    session.push(7_000, {"event": "question", "tool": "answer_scale"}, **asked)
    session.request(7_001, output_modalities=["text"], tool_choice={"type": "function", "name": "answer_scale"})
    session.received(7_100, "response.created", response={"id": "r", "output_modalities": ["text"]})
    call = {"type": "function_call", "call_id": "c", "name": "answer_scale", "arguments": "{}"}
    session.received(7_150, "response.function_call_arguments.done", call_id="c", response_id="r")
    session.received(7_200, "response.done", response={"id": "r", "status": "completed", "output": [call]})
    session.noted(7_200, "call.answered", call_id="c", output="{}")
    session.noted(7_300, "part", name="Two")
    session.sent(7_301, "session.update", session={"instructions": "Be brief."})
    session.request(7_400, output_modalities=["audio"])
    session.received(7_401, "error", error={"code": "conversation_already_has_active_response", "event_id": "e"})
    session.request(7_500, output_modalities=["audio"])
    session.listening(7_600, on=False)
    session.listening(7_700, on=True)
    session.sent(7_800, "input_audio_buffer.append", append(2, 3))
    session.noted(7_800, "raw", seq=len(session.entries) - 1)
    session.noted(7_900, "own_answer", component="vasrating", config={}, value=3)
    session.noted(7_910, "recording.started", name="one")
    session.noted(7_920, "recording.ended", name="one")
    return session.end(8_000)


ENTRIES = [msgspec.to_builtins(entry) for entry in everything().entries]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return everything().write(tmp_path_factory.mktemp("record") / "session")


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Return the lines of the session with some values replaced, left out, doubled or moved."""
    entries: list[Any] = copy.deepcopy(ENTRIES)
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(entries) - 1))
        match draw(st.sampled_from(["value", "value", "value", "drop", "double", "move", "time"])):
            case "drop" if len(entries) > 1:
                del entries[at]
            case "double":
                entries.insert(at, copy.deepcopy(entries[at]))
            case "move":
                entries.insert(draw(st.integers(0, len(entries) - 1)), entries.pop(at))
            case "time":
                entries[at]["t_ns"] = draw(st.integers(-(2**63), 2**63))
            case _:
                _replace(draw, entries[at].get("event") if draw(st.booleans()) else entries[at])
    for seq, entry in enumerate(entries):
        if draw(st.integers(0, 40)):
            entry["seq"] = seq
    return b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)


def _replace(draw: st.DrawFn, value: Any) -> None:
    """Replace something within a value."""
    while isinstance(value, dict | list) and value:
        key = draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
        if not isinstance(value[key], dict | list) or not draw(st.booleans()):
            value[key] = draw(STRANGE)
            return
        value = value[key]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=mutated())
def test_a_damaged_record_is_planned_or_refused(folder: Path, lines: bytes) -> None:
    (folder / "session.jsonl").write_bytes(lines)
    with contextlib.suppress(SimulatorError):
        _can_be_done(plan(folder))


def test_an_undamaged_one_holds_each_kind_of_deed(tmp_path: Path) -> None:
    planned = everything().planned(tmp_path)
    _can_be_done(planned)
    kinds = {type(act.deed).__name__ for act in planned.acts}
    assert kinds == {"Say", "Push", "Ask", "OwnAnswer", "Listen", "Instruct", "Request", "StopReply"}
    assert planned.lacks == ("1 append that was composed by hand cannot be sent again: the audio was not kept.",)


def _can_be_done(planned: Plan) -> None:
    times = [act.at_ns for act in planned.acts]
    assert times == sorted(times)
    assert all(each >= 0 for each in times)
    assert all(act.after_ns >= 0 and 0 <= act.after.exchange <= planned.exchanges for act in planned.acts)
    after = [act.after.exchange for act in planned.acts]
    assert after == sorted(after)
    assert planned.ends_ns >= 0
    says = [act.deed for act in planned.acts if isinstance(act.deed, Say)]
    assert all(each.samples > 0 and each.first_sample >= planned.voice_from_sample for each in says)
    assert all(one.first_sample + one.samples <= two.first_sample for one, two in itertools.pairwise(says))


spans = st.lists(st.tuples(st.integers(0, 20_000), st.integers(50, 3_000)), max_size=8).map(
    lambda drawn: [Span(start * MS, (start + length) * MS) for start, length in drawn]
)


def in_order(drawn: list[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in sorted(drawn):
        if not kept or span.started_ns > kept[-1].ended_ns:
            kept.append(span)
    return kept


@given(talk=spans, unheard=spans.map(in_order), recordings=spans.map(in_order), replies=spans)
def test_speeches_hold_all_talk_and_do_not_overlap(
    talk: list[Span], unheard: list[Span], recordings: list[Span], replies: list[Span]
) -> None:
    heard = [Heard(start, end, end, cut=False) for start, end in replies]
    found = speeches(talk, unheard, recordings, heard)
    assert all(one.ended_ns < two.started_ns for one, two in itertools.pairwise(found))
    for start, end in talk:
        whole = any(each.started_ns <= start and end <= each.ended_ns for each in found)
        assert whole or any(off_start < end and start < off_end for off_start, off_end in unheard)
    for one, two in itertools.pairwise(found):
        if two.started_ns - one.ended_ns < PAUSE_NS and not (unheard or recordings):
            assert any(one.ended_ns <= moment <= two.started_ns for each in replies for moment in each)
    numbered = exchanges(heard, found, recordings, [])
    assert len(numbered) <= min(len(heard), len(found) + 1)
    assert [each.begun_ns for each in numbered] == sorted(each.begun_ns for each in numbered)

"""Whatever a record holds, a judge answers, and passes nothing without the evidence that its clause names."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.conformance.check import Check, Verdict
from simulator.conformance.checks import discover
from simulator.conformance.judging import judge
from simulator.profile.facts import CHECKS as NAMED
from simulator.profile.facts import REQUIRED_SERVER_FIELDS
from simulator.record.entries import AudioSpan, Direction, Entry, Track
from tests.conformance.sheets import GOOD, Sheet

CHECKS = discover()
MODES = {check.id: "server_vad" if check.per_turn_detection else None for check in CHECKS.values()}

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-10, 10_000)
    | st.floats(allow_nan=False)
    | st.sampled_from(["r1", "u1", ""])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "status"]), inner),
    max_leaves=4,
)
FIELDS = sorted({name for names in REQUIRED_SERVER_FIELDS.values() for name in names} | {"event_id", "audio_end_ms"})
KINDS = sorted(
    {
        *REQUIRED_SERVER_FIELDS,
        "session.update",
        "response.create",
        "response.cancel",
        "conversation.item.truncate",
        "conversation.item.create",
        "input_audio_buffer.append",
        "input_audio_buffer.commit",
        "check.started",
        "drive.ended",
        "stream.started",
        "stream.stopped",
        "utterance",
        "listening.off",
        "listening.on",
        "connection.closed",
        "problem",
        "malformed",
    }
)
SPANS = st.none() | st.builds(
    AudioSpan, st.sampled_from(Track), st.integers(0, 100_000), st.integers(0, 100_000), st.integers(0, 200_000)
)


@st.composite
def _random_entries(draw: st.DrawFn) -> list[Entry]:
    lines = draw(
        st.lists(
            st.tuples(
                st.integers(0, 20_000_000_000),
                st.sampled_from(Direction),
                st.sampled_from(KINDS),
                st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=4),
                SPANS,
            ),
            max_size=30,
        )
    )
    return [
        Entry(seq, at, direction, kind, event, 0, span) for seq, (at, direction, kind, event, span) in enumerate(lines)
    ]


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
@given(entries=_random_entries())
@settings(max_examples=60)
def test_a_random_record_never_crashes_a_judge_and_never_passes(check: Check, entries: list[Entry]) -> None:
    mode = MODES[check.id]
    start = Entry(0, 0, Direction.NOTED, "check.started", {"check": check.id, "turn_detection": mode})
    assert judge(check, mode, [start, *entries]).verdict is not Verdict.PASSED


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
@given(data=st.data())
@settings(max_examples=60)
def test_a_good_record_that_was_cut_never_passes(check: Check, data: st.DataObject) -> None:
    entries = GOOD[check.id]().entries()
    kept = entries[: data.draw(st.integers(0, len(entries) - 1))]
    if not any(entry.type == "drive.ended" for entry in kept):
        assert judge(check, MODES[check.id], kept).verdict is not Verdict.PASSED


def _is_evidence(good: Callable[[], Sheet], name: str) -> bool:
    """Whether the clause names the line: what may go missing without harm is little, and listed here."""
    harmless = {
        "handshake": {"session.created"},
        "engine_turn": {"session.created", "input_audio_buffer.speech_stopped", "answer.added", "second"},
        "barge_in": {"session.created", "crossing", "input_audio_buffer.committed", "own reply", "own audio"},
        "listening_pause": {"session.created", "conversation.item.added", "stream.stopped"},
        "listening_pause_silent": {"session.created", "stream.stopped"},
        "cancel": {"session.created", "crossing"},
        "function_call": {"session.created", "request"},
        "silent_tool": {"session.created"},
        "image_context": {"session.created", "conversation.item.create"},
        "turn_detection_fields": {"session.created"},
    }
    common = {"append", "delta", "stream.started", "conversation.item.create"}
    return name not in harmless.get(good().check, set()) | common


@pytest.mark.parametrize(
    ("check_id", "name"),
    [(check_id, name) for check_id, good in GOOD.items() for name in good().names() if _is_evidence(good, name)],
)
def test_no_check_passes_without_each_piece_of_its_evidence(check_id: str, name: str) -> None:
    sheet = GOOD[check_id]()
    sheet.drop(name)
    judgement = judge(CHECKS[check_id], sheet.mode, sheet.entries())
    assert judgement.verdict is not Verdict.PASSED
    assert judgement.reasons


@pytest.mark.parametrize("check_id", GOOD)
@given(field=st.sampled_from(FIELDS), value=VALUES, data=st.data())
@settings(max_examples=60)
def test_a_field_of_any_type_never_crashes_a_judge(check_id: str, field: str, value: Any, data: st.DataObject) -> None:
    sheet = GOOD[check_id]()
    sheet.edit(data.draw(st.sampled_from(sheet.names())), **{field: value})
    judge(CHECKS[check_id], sheet.mode, sheet.entries())


def test_the_checks_are_those_of_the_specification() -> None:
    for check in CHECKS.values():
        assert check.per_turn_detection is NAMED[check.id]
        assert check.clause.endswith(".")
    assert list(CHECKS) == [name for name in NAMED if name in CHECKS]
    assert set(GOOD) == set(CHECKS)

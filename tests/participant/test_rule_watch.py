"""A live session with an engine that breaks a rule on purpose: the log marks it, with the name of its clause."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from simulator.participant.messages import (
    Ask,
    ChooseOutput,
    ChooseVoice,
    Connect,
    Disconnect,
    SetListening,
    SetTalk,
    VoiceKind,
)
from simulator.participant.recorder import SessionRecorder
from simulator.participant.rule_watch import RuleWatch
from simulator.record.entries import Entry
from simulator.record.reader import read_record
from simulator.record.redact import Redactor
from simulator.record.rules.event import Broken
from simulator.record.rules.live import LiveRules
from tests.participant.live_process import LiveProcess


async def _turn(live: LiveProcess) -> None:
    assert await live.send(ChooseVoice, kind=VoiceKind.RECORDING, recording="coffee_or_tea") is None
    assert await live.send(SetTalk, down=True) is None
    await live.entry("response.done")


async def _pause(live: LiveProcess) -> None:
    assert await live.send(ChooseVoice, kind=VoiceKind.RECORDING, recording="monologue") is None
    assert await live.send(SetTalk, down=True) is None
    await live.entry("input_audio_buffer.speech_started")
    assert await live.send(SetListening, on=False) is None
    await live.entry("input_audio_buffer.committed")


async def _question(live: LiveProcess) -> None:
    config = {"prompt": "Which one?", "options": ["Tea", "Coffee"]}
    await live.send(Ask, component="multiplechoice", config=config)


async def _violation(live: LiveProcess, clause: str) -> Entry:
    return await live.entry("violation", clause=clause)


@pytest.mark.parametrize(
    ("fault", "act", "clause"),
    [
        ("speech_started_late", _turn, "onset in time"),
        ("replies_to_commit", _pause, "no reply in the pause"),
        ("two_calls", _question, "one call"),
        ("usage_missing", _turn, "usage"),
        ("no_session.updated.session", _question, "required fields"),
    ],
)
async def test_the_log_marks_what_a_fault_breaks(
    fault: str, act: Callable[[LiveProcess], Awaitable[None]], clause: str, records: Path
) -> None:
    async with LiveProcess() as live:
        assert await live.send(ChooseOutput, device="none") is None
        assert await live.send(Connect, engine="embedded", faults=[fault], record_folder=str(records)) is None
        assert live.status.faults == [fault]
        await act(live)
        violation = await _violation(live, clause)
        assert violation.event["sentence"].endswith(".")
        assert violation.event["seq"] < violation.seq
        assert await live.send(Disconnect) is None
        assert await live.end_input() == 0
    (path,) = records.glob("*/session.jsonl")
    entries = read_record(path).entries
    assert entries[0].event["faults"] == [fault]
    assert {entry.event["clause"] for entry in entries if entry.type == "violation"} == {clause}


async def test_other_engines_are_never_told_to_break_rules(records: Path) -> None:
    async with LiveProcess() as live:
        error = await live.send(Connect, engine="ws://127.0.0.1:9/v1", faults=["odd_bytes"], record_folder=str(records))
        assert error == "Only the embedded engine can be told to break rules: choose it, or no faults."
        assert await live.end_input() == 0


class _BrokenRules(LiveRules):
    """Rules with a bug."""

    def feed(self, entry: Entry) -> list[Broken]:
        raise KeyError(entry.type)


def test_a_bug_in_a_rule_ends_the_watching_and_not_the_session(tmp_path: Path) -> None:
    entries: list[Entry] = []
    recorder = SessionRecorder(
        tmp_path / "session.jsonl", redactor=Redactor(), on_entry=entries.append, on_fault=lambda fault: None
    )
    watch = RuleWatch(recorder, _BrokenRules())
    recorder.log.received({"type": "session.created", "session": {}}, recorder.started_ns)
    recorder.log.received({"type": "session.updated", "session": {}}, recorder.started_ns)

    watch.judge()
    watch.tick(1_000_000)
    recorder.close("the test ended")

    (problem,) = [entry.event for entry in entries if entry.type == "problem"]
    assert problem["whose"] == "ours"
    assert "no longer marks violations" in problem["sentence"]
    assert "KeyError" in problem["details"]

"""Faults and oddities: how they are listed, chosen, combined, and how events are held back."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from simulator.engine import faults
from simulator.engine.action_log import ActionLog, opened
from simulator.engine.behaviour import Behaviour, Event, Said, Together
from simulator.engine.errors import SetupError
from simulator.engine.faults.fault import Changed, Responses, changed, switches_detection, without
from simulator.engine.outbox import Outbox
from tests.engine.client import connected
from tests.engine.conftest import running_engine


def engine(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-P", "-m", "simulator.engine", *arguments]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)


def test_the_list_says_name_kind_clause_and_checks() -> None:
    listed = engine("--list-faults")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert (
        "speech_started_late (fault)\n"
        "    speech_started leaves 1.4 s after the engine noticed the speech.\n"
        "    breaks “onset in time”; caught by engine_turn, barge_in, listening_pause, listening_pause_silent\n"
    ) in listed.stdout
    assert "ten_times_real_time (oddity)\n" in listed.stdout


def test_the_list_as_json_holds_the_same() -> None:
    listed = json.loads(engine("--list-faults", "--json").stdout)
    assert [each["name"] for each in listed] == list(faults.catalogue())
    late = next(each for each in listed if each["name"] == "speech_started_late")
    assert late == {
        "name": "speech_started_late",
        "kind": "fault",
        "does": "speech_started leaves 1.4 s after the engine noticed the speech.",
        "clause": "onset in time",
        "checks": ["engine_turn", "barge_in", "listening_pause", "listening_pause_silent"],
        "modes": ["server_vad", "semantic_vad"],
    }


def test_a_fault_that_does_not_exist_ends_the_engine_with_one_sentence() -> None:
    done = engine("--fault", "speech_started_early")
    assert done.returncode == 3
    assert done.stderr == "There is no fault called “speech_started_early”; --list-faults lists them.\n"


def test_a_log_that_cannot_be_written_ends_the_engine_with_one_sentence(tmp_path: Path) -> None:
    done = engine("--log-actions", str(tmp_path / "missing" / "log.jsonl"))
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "choose another for --log-actions" in done.stderr


async def test_an_engine_has_the_faults_it_was_started_with() -> None:
    with running_engine("--fault", "eagerness_resolved", "--fault", "update_unanswered") as url:
        async with connected(url) as client:
            await client.send({"type": "session.update", "session": {"type": "realtime", "instructions": "Hello."}})
            assert "session.updated" not in [event["type"] for event in await client.settled()]
    with running_engine("--fault", "eagerness_resolved") as url:
        async with connected(url) as client:
            await client.turn_detection({"type": "semantic_vad", "eagerness": "auto"})
            shown = client.of("session.updated")[-1]["session"]["audio"]["input"]["turn_detection"]
            assert shown["eagerness"] == "medium"


def test_without_faults_everything_is_by_the_rules() -> None:
    assert type(faults.behaviour([])) is Behaviour
    with pytest.raises(SetupError, match="nonsense"):
        faults.chosen(["nonsense"])


def test_each_session_gets_a_behaviour_of_its_own() -> None:
    chosen = faults.chosen(["audio_after_cancelled"])
    assert chosen[0].begin() is not chosen[0].begin()


class Twice(Behaviour):
    def says(self, event: Event) -> Iterable[Said]:
        return Said(event), Said({**event, "again": True}, 100)


class Later(Behaviour):
    def says(self, event: Event) -> Iterable[Said]:
        return (Said(event, 50),)


def test_behaviours_together_each_get_what_the_one_before_made() -> None:
    event = {"type": "x"}
    again = {"type": "x", "again": True}
    assert list(Together([Twice(), Later()]).says(event)) == [Said(event, 50), Said(again, 150)]
    assert list(Together([Later(), Twice()]).says(event)) == [Said(event, 50), Said(again, 150)]
    assert list(Together([]).says(event)) == [Said(event)]


def test_a_changed_event_leaves_the_given_one_alone() -> None:
    event = {"type": "x", "a": {"b": 1}}
    assert changed(event, "a.b", 2) == {"type": "x", "a": {"b": 2}}
    assert without(event, "a.b") == {"type": "x", "a": {}}
    assert without(event, "a.c") == event
    assert event == {"type": "x", "a": {"b": 1}}


def _created(response_id: str, modality: str) -> Event:
    return {"type": "response.created", "response": {"id": response_id, "output_modalities": [modality]}}


def test_only_the_responses_that_a_fault_is_about_are_changed() -> None:
    def change(event: Event) -> Iterable[Said]:
        return (Said({**event, "changed": True}),)

    def is_changed(behaviour: Behaviour, event: Event) -> bool:
        return any("changed" in said.event for said in behaviour.says(event))

    delta = {"type": "response.output_audio.delta", "response_id": "r1"}
    other = {**delta, "response_id": "r2"}
    for responses, first, second in (
        (Responses.SPOKEN, _created("r1", "audio"), _created("r2", "text")),
        (Responses.SILENT, _created("r1", "text"), _created("r2", "audio")),
    ):
        behaviour = Changed(delta["type"], lambda event: iter(change(event)), responses)
        assert not is_changed(behaviour, first)
        assert not is_changed(behaviour, second)
        assert is_changed(behaviour, delta)
        assert not is_changed(behaviour, other)

    answers = Changed("response.", lambda event: iter(change(event)), Responses.ANSWERS)
    assert not is_changed(answers, _created("r2", "audio"))
    assert not is_changed(answers, {"type": "input_audio_buffer.committed"})
    assert not is_changed(answers, {"type": "conversation.item.added"})
    assert is_changed(answers, _created("r1", "audio"))
    assert is_changed(answers, delta)
    assert not is_changed(answers, other)


@pytest.mark.parametrize(
    ("session", "switches"),
    [
        ({"audio": {"input": {"turn_detection": None}}}, False),
        ({"audio": {"input": {"turn_detection": {"type": "server_vad"}}}}, True),
        ({"audio": {"input": {}}}, None),
        ({"audio": None}, None),
        ({"instructions": ""}, None),
    ],
)
def test_which_updates_switch_turn_detection(session: Event, switches: bool | None) -> None:
    assert switches_detection({"type": "session.update", "session": session}) is switches


class Wire:
    """Takes what an outbox sends, and tells when it was so many."""

    def __init__(self, expected: int) -> None:
        self.types: list[str] = []
        self.complete = asyncio.Event()
        self._expected = expected

    async def send(self, message: str) -> None:
        self.types.append(json.loads(message)["type"])
        if len(self.types) == self._expected:
            self.complete.set()


class HeldByName(Behaviour):
    """Holds every event back for the milliseconds that its type names."""

    def says(self, event: Event) -> Iterable[Said]:
        return (Said(event, float(event["type"])),)


async def test_events_that_are_held_back_leave_when_due_and_in_order(tmp_path: Path) -> None:
    wire = Wire(5)
    with opened(tmp_path / "log.jsonl") as stream:
        outbox = Outbox(wire, HeldByName(), ActionLog("s1", stream))
        sending = asyncio.create_task(outbox.run())
        for delay in ("60", "0", "20", "20.0", "40"):
            outbox.put({"type": delay})
        await asyncio.wait_for(wire.complete.wait(), 10)
        sending.cancel()
    assert wire.types == ["0", "20", "20.0", "40", "60"]
    logged = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [line["type"] for line in logged] == wire.types
    assert {(line["session"], line["did"]) for line in logged} == {("s1", "said")}
    assert [line["t_ns"] for line in logged] == sorted(line["t_ns"] for line in logged)


def test_the_log_counts_appended_samples_and_holds_no_audio(tmp_path: Path) -> None:
    with opened(tmp_path / "log.jsonl") as stream:
        log = ActionLog("s1", stream)
        log.heard({"type": "input_audio_buffer.append", "audio": "AAAAAA=="})  # four bytes
        log.heard({"type": "input_audio_buffer.append", "audio": "AAAA"})  # three bytes
        log.said({"type": "response.done", "response": {"id": "r1", "usage": {}}})
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [line.get("samples") for line in lines] == [2, 3, None]
    assert lines[2]["response_id"] == "r1"
    assert "AAAA" not in (tmp_path / "log.jsonl").read_text()

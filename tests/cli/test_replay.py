"""`replay`: what it prints, and with which code it ends."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from simulator.cli import main
from simulator.engines.children import python_command
from simulator.engines.profiles import resolve
from simulator.participant.replay_run import ReplayOptions, ReplayOutcome, ReplayRun
from simulator.participant.study_run import Recogniser
from simulator.record.reader import read_record
from simulator.record.replay.deeds import Plan
from simulator.record.replay.plan import plan, plan_of
from tests.participant.scripted_engine import EngineSide, ScriptedEngine
from tests.record.replay.replayed import Session

TIMER = {"event": "timer", "secondsLeft": 30}
LIKERT: dict[str, Any] = {"component": "likertscale", "config": {"question": "Was it warm?", "scale": 7}, "attempts": 3}


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def _typed() -> Session:
    """A line is typed and answered, a timer is shown after it, and a question is asked."""
    session = Session()
    session.push(150, {"event": "typed", "speaker": "Alex", "said": "Goodbye!"})
    session.request(151, output_modalities=["audio"])
    session.reply("a", 500, 1_500)
    session.push(1_600, TIMER)
    question = {"event": "question", "tool": "answer_scale", "question": "Was it warm?"}
    session.push(1_700, question, **LIKERT, during_video=False, shown_on="screen", wording="own")
    return session


def _waiting() -> Session:
    """A reply is awaited that no silent engine gives."""
    session = Session()
    session.push(150, TIMER)
    session.request(151, output_modalities=["audio"])
    session.reply("a", 500, 1_500)
    return session.end(1_600)


def test_both_sessions_are_printed_beside_each_other_and_the_new_one_is_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = _typed().end(2_000).write(tmp_path / "source")
    (tmp_path / "kind.txt").write_text("Be very kind.", encoding="utf-8")
    options = ["--record", str(tmp_path / "new"), "--recogniser", "none", "--turn-detection", "semantic_vad"]
    options += ["--instructions", str(tmp_path / "kind.txt")]
    assert main(["replay", str(source), "--engine", "embedded", *options, "--json"]) == 0
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert told["source"] == str(source / "session.jsonl")
    assert (told["engine"], told["by"], told["end"]) == ("embedded", "replies", "finished")
    assert (told["acts"], told["done"], told["missed"], told["refused"], told["lacks"]) == (4, 4, [], [], [])
    assert told["comparison"]["first"]["name"] == "source"
    assert [each["question"] for each in told["comparison"]["answers"]] == ["Was it warm?"]
    progress = said.err.splitlines()
    assert [line for line in progress if line.startswith(tuple("1234"))] == [
        "1 of 4: typed.",
        "2 of 4: ask for a reply.",
        "3 of 4: timer.",
        "4 of 4: question “Was it warm?”.",
    ]
    assert "A: source" in progress  # the text for a person, behind the progress
    entries = read_record(Path(told["record"])).entries
    settings = next(each.event["session"] for each in entries if each.type == "session.update")
    assert settings["instructions"] == "Be very kind."
    assert settings["audio"]["input"]["turn_detection"]["type"] == "semantic_vad"
    assert settings["audio"]["output"]["voice"] == "cedar"
    assert {each["name"] for each in settings["tools"]} == {"answer_scale", "send_chat"}
    assert main(["measures", told["record"]]) == 0
    assert main(["export", told["record"], "--to", "csv", "--out", str(tmp_path / "csv")]) == 0
    capsys.readouterr()
    again = plan(Path(told["record"]))
    assert [type(each.deed).__name__ for each in again.acts] == ["Push", "Request", "Push", "Ask"]


def test_the_embedded_engine_breaks_a_rule_and_every_result_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = _typed().end(2_000).write(tmp_path / "source")
    options = ["--record", str(tmp_path / "new"), "--recogniser", "none", "--fault", "odd_bytes", "--json"]
    main(["replay", str(source), "--engine", "embedded", *options])
    told = json.loads(capsys.readouterr().out)
    assert told["engine"] == "embedded with odd_bytes"
    assert told["comparison"]["second"]["faults"] == ["odd_bytes"]
    assert read_record(Path(told["record"])).entries[0].event["faults"] == ["odd_bytes"]
    assert main(["sessions", str(tmp_path / "new"), "--engine", "odd_bytes"]) == 0
    assert "embedded with odd_bytes" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["run", "replay"])
@pytest.mark.parametrize(
    ("engine", "fault", "sentence"),
    [
        ("embedded", "no_such", "There is no fault called “no_such”: see `engine --list-faults`."),
        ("ws://h/v1", "odd_bytes", "Only the embedded engine can be told to break rules: give --engine embedded."),
    ],
)
def test_a_fault_that_cannot_be_had_is_wrong_use(
    command: str, engine: str, fault: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    what = "first_meeting" if command == "run" else str(_typed().end(2_000).write(tmp_path / "source"))
    assert main([command, what, "--engine", engine, "--fault", fault]) == 3
    assert capsys.readouterr().err.strip() == sentence


def test_a_disk_that_takes_nothing_costs_the_comparison_and_not_the_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = Session()
    session.push(150, TIMER)
    source = session.end(200).write(tmp_path / "source")
    (tmp_path / "file").touch()
    options = ["--record", str(tmp_path / "file"), "--recogniser", "none", "--json"]
    assert main(["replay", str(source), "--engine", "embedded", *options]) == 2
    told = json.loads(capsys.readouterr().out)
    assert (told["end"], told["recorded"], told["comparison"]) == ("finished", False, None)


def test_a_record_that_is_there_no_more_at_the_end_costs_the_comparison_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = Session()
    session.push(150, TIMER)
    source = session.end(200).write(tmp_path / "source")
    run = ReplayRun.run

    async def deleted_behind(self: ReplayRun) -> ReplayOutcome:
        outcome = await run(self)
        source.rename(tmp_path / "elsewhere")
        return outcome

    monkeypatch.setattr(ReplayRun, "run", deleted_behind)
    options = ["--record", str(tmp_path / "records"), "--recogniser", "none", "--json"]
    assert main(["replay", str(source), "--engine", "embedded", *options]) == 2
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert (told["end"], told["done"], told["comparison"]) == ("finished", 1, None)
    assert f"The record {source / 'session.jsonl'} cannot be read" in said.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nothing.jsonl", "--engine", "embedded"], "nothing.jsonl"),
        (["{source}", "--engine", "ws://127.0.0.1:9/v1/realtime"], "Nothing listens at 127.0.0.1, port 9"),
        (["{source}", "--engine", "embedded", "--turn-detection", "none"], "server_vad, semantic_vad"),
        (["{source}", "--engine", "embedded", "--instructions", "nothing.txt"], "nothing.txt"),
        (["{source}", "--engine", "unheard-of"], "unheard-of"),
        (["{empty}", "--engine", "embedded"], "Nothing of this session can be done again."),
        (["{source}", "--engine", "embedded", "--by", "heart"], "heart"),
    ],
)
def test_what_cannot_begin_ends_with_3_and_a_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, empty = _typed().end(2_000).write(tmp_path / "source"), Session().end(300).write(tmp_path / "empty")
    assert main(["replay", *(each.format(source=source, empty=empty) for each in arguments)]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    lines = said.err.splitlines()
    assert sentence in lines[-1]
    # Why nothing can be done is part of that sentence.
    assert len(lines) == 1 or "{empty}" not in arguments


async def _run(source: Path, script: Any, records: Path) -> ReplayOutcome:
    async with ScriptedEngine(script) as engine:
        options = ReplayOptions(recogniser=Recogniser(on=False))
        return await ReplayRun(plan(source), resolve(engine.url), str(records), options, lambda line: None).run()


def test_the_record_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read: list[Path] = []

    def counted(source: Path, *found: Any) -> Plan:
        read.append(source)
        return plan_of(source, *found)

    monkeypatch.setattr("simulator.record.replay.plan.plan_of", counted)
    session = Session()
    session.push(150, TIMER)
    source = session.end(200).write(tmp_path / "source")
    options = ["--record", str(tmp_path / "records"), "--recogniser", "none", "--json"]
    assert main(["replay", str(source), "--engine", "embedded", *options]) == 0
    assert read == [source / "session.jsonl"]


async def test_an_engine_that_closes_in_the_middle_leaves_a_record_and_what_was_done(tmp_path: Path) -> None:
    async def leaves(side: EngineSide) -> None:
        await side.greet()
        await side.expect("response.create")
        await side.socket.close(1011, "tired")

    outcome = await _run(_waiting().write(tmp_path / "source"), leaves, tmp_path / "records")
    assert outcome.end == "connection ended"
    assert not outcome.complete
    assert outcome.done == 2
    assert any("tired" in each for each in outcome.problems)
    assert outcome.record is not None
    assert read_record(Path(outcome.record)).ended


async def test_what_a_record_lacks_and_an_engine_misses_makes_it_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.participant.replay_runner.REPLY_WITHIN_NS", 100_000_000)

    async def silent(side: EngineSide) -> None:
        await side.greet()
        await side.expect("response.create")
        await side.send("response.created", response={"id": "r", "status": "in_progress"})
        await side.finish("r")

    missed = await _run(_waiting().write(tmp_path / "missed"), silent, tmp_path / "records")
    assert (missed.end, missed.complete) == ("finished", False)
    assert [(each.exchange, each.what) for each in missed.missed] == [(1, "no reply came")]
    lacking = Session(audio_kept=False)
    lacking.push(150, TIMER)
    lacks = await _run(lacking.end(200).write(tmp_path / "lacks", audio=False), silent, tmp_path / "records")
    assert (lacks.end, lacks.done, lacks.missed, lacks.refused) == ("finished", 1, [], [])
    assert len(lacks.lacks) == 1
    assert not lacks.complete


@pytest.mark.skipif(sys.platform == "win32", reason="signals between processes are POSIX")
def test_an_interrupted_replay_ends_in_order_with_what_it_has(tmp_path: Path) -> None:
    source = _waiting().write(tmp_path / "source")
    command = python_command("simulator", "replay", str(source), "--engine", "embedded", "--by", "clock", "--json")
    late = source / "session.jsonl"
    # The record goes on for a minute, in which nothing happens.
    late.write_text(late.read_text(encoding="utf-8").replace('"t_ns":1600000000', '"t_ns":60000000000'), "utf-8")
    with subprocess.Popen(
        [*command, "--record", str(tmp_path / "records")],
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        while "2 of 2" not in process.stderr.readline():
            assert process.poll() is None
        # As Ctrl-C does: to every process of the terminal.
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=10)
    assert process.returncode == 2, err
    told = json.loads(out)
    assert (told["end"], told["done"]) == ("interrupted", 2)
    assert told["comparison"]["second"]["replayOf"] == "source"
    assert read_record(Path(told["record"])).ended

"""The command line as a user or a script meets it: help, exit codes, one sentence on standard error."""

import asyncio
import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from simulator import __version__
from simulator.cli import main
from simulator.engines.children import child_environment, python_command
from simulator.engines.embedded import EmbeddedEngine
from simulator.record.reader import read_record

KEY = "sk-planted-0123456789abcdef"
STUDY = """\
format: participant-simulator/study
version: 1
steps:
"""


class Result:
    """What a command printed, and how it ended."""

    def __init__(self, done: "subprocess.CompletedProcess[str]") -> None:
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which nothing of the user's is read or written."""
    folders = {
        "PARTICIPANT_SIMULATOR_CONFIG": str(tmp_path / "config"),
        "PARTICIPANT_SIMULATOR_DATA": str(tmp_path / "data"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }
    return {name: value for name, value in child_environment().items() if name != "OPENAI_API_KEY"} | folders


def _run(environment: dict[str, str], *arguments: str, timeout_s: float = 60) -> Result:
    return Result(
        subprocess.run(
            python_command("simulator", *arguments),
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout_s,
            check=False,
        )
    )


def _study(folder: Path, *steps: str) -> str:
    path = folder / "study.yaml"
    path.write_text(STUDY + "".join(f"  - {step}\n" for step in steps), encoding="utf-8")
    return str(path)


def test_without_a_command_the_help_is_printed(environment: dict[str, str]) -> None:
    result = _run(environment)
    assert result.code == 0
    assert result.out.startswith("usage: participant-simulator")
    for command in ("run", "check", "judge", "engine", "devices"):
        assert f"    {command} " in result.out


@pytest.mark.parametrize("command", ["run", "check", "judge", "engine", "devices", "participant"])
def test_every_command_explains_itself_and_its_exit_codes(command: str, environment: dict[str, str]) -> None:
    result = _run(environment, command, "--help")
    assert result.code == 0
    assert result.out.startswith(f"usage: participant-simulator {command}")
    assert "exit codes:" in result.out


def test_version(environment: dict[str, str]) -> None:
    assert _run(environment, "--version").out == f"participant-simulator {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["fly"], "invalid choice: 'fly'"),
        (["run"], "The following arguments are required: STUDY, --engine"),
        (["run", "no_such_study", "--engine", "embedded"], "There is no study no_such_study: give the path"),
        (["run", "a_short_conversation", "--engine", "opnai"], "There is no engine called “opnai”"),
        (["run", "a_short_conversation", "--engine", "openai"], "The engine “openai” needs a key and none was found"),
        (["run", "a_short_conversation", "--engine", "http://localhost/"], "starts with ws:// or wss://"),
        (["run", "a_short_conversation", "--engine", "ws://127.0.0.1:1/"], "Nothing listens at 127.0.0.1"),
        (
            ["run", "a_short_conversation", "--engine", "ws://127.0.0.1:1/", "--voice", "nobody"],
            "There is no recording called “nobody”",
        ),
        (["run", "a_short_conversation", "--engine", "embedded", "--runs", "0"], "is not a count"),
        (["run", "a" * 5000, "--engine", "embedded"], "There is no study aaa"),
        (["run", "likertscale", "--engine", "embedded", "--compare", "none.json"], "none.json cannot be read"),
        (["run", "likertscale", "--engine", "embedded", "--instructions", "none.txt"], "none.txt cannot be read"),
        (["run", "likertscale", "--engine", "embedded", "--csv", "none/a.csv"], "in a folder that exists"),
        (["run", "likertscale", "--engine", "embedded", "--spec", "none.json"], "none.json"),
        (["run", "likertscale", "--engine", "embedded", "--impair", "noise"], "“noise” in --impair is not understood"),
        (["run", "likertscale", "--engine", "embedded", "--impair", "drop=60"], "use a value from 0 to 50"),
        (["run", "likertscale", "--engine", "embedded", "--voice", "."], "holds no audio file"),
        (["judge", "a" * 5000], "There is no report aaa"),
        (["check"], "engine"),
        (["check", "--engine", "ws://127.0.0.1:1/"], "127.0.0.1"),
        (["check", "--engine", "ws://127.0.0.1:1/", "--only", "levitation"], "levitation"),
        (["check", "--engine", "embedded", "--turn-detection", "psychic"], "invalid choice: 'psychic'"),
        (["judge", "no_such_report.json"], "There is no report no_such_report.json"),
        (["run", "a_short_conversation", "--engine", f"ws://{'a' * 64}/"], "The address of the engine cannot be used"),
        (["check", "--engine", "ws://../", "--only", "handshake"], "The address of the engine cannot be used"),
        (["engine", "--require-key-env", "NOT_SET"], "NOT_SET"),
        (["engine", "--port", "65536"], "the port must lie between 0 and 65535"),
        (["engine", "--port", "-1"], "the port must lie between 0 and 65535"),
        (["engine", "--port", "http"], "the port must lie between 0 and 65535"),
        (["engine", "--host", ""], "the address is empty"),
        (["engine", "--rate", "fast"], "the rate must be 0.1 or more"),
    ],
)
def test_wrong_use_ends_with_3_and_one_sentence(
    arguments: Sequence[str], says: str, environment: dict[str, str]
) -> None:
    result = _run(environment, *arguments)
    assert result.code == 3
    assert result.out == ""
    *progress, sentence = result.err.splitlines()
    assert says in sentence
    assert "Traceback" not in result.err
    # Before it, at most what this computer lacks.
    assert all("PortAudio" in line for line in progress)


def test_a_key_is_never_printed(environment: dict[str, str]) -> None:
    for arguments in (
        ["--header", f"api-key {KEY}"],
        ["--header-env", f"api-key={KEY}-"],
        ["--header", f"Authorization: Bearer {KEY}"],
    ):
        result = _run(environment, "run", "a_short_conversation", "--engine", "ws://127.0.0.1:1/", *arguments)
        assert result.code == 3
        assert KEY not in result.out + result.err


def test_run_prints_the_answers_and_keeps_the_record(environment: dict[str, str], tmp_path: Path) -> None:
    study = _study(
        tmp_path,
        "screen: {type: showtext, text: Welcome.}",
        "typed: {speaker: Alex, said: Hello.}",
        "{when: after reply, question: {component: likertscale, config: {question: Warm, scale: 7}}}",
    )
    records = tmp_path / "records"
    result = _run(environment, "run", study, "--engine", "embedded", "--voice", "silence", "--record", str(records))
    assert result.code == 0, result.err
    (run,) = json.loads(result.out)["runs"]
    assert run["end"] == "finished"
    (answer,) = run["answers"]
    assert answer["component"] == "likertscale"
    assert 1 <= answer["value"] <= 7
    (path,) = records.glob("*/session.jsonl")
    assert run["record"] == str(path)
    record = read_record(path)
    assert record.problems == []
    assert record.entries[-1].type == "record.ended"
    assert not [entry for entry in record.entries if entry.type in {"problem", "violation"}]


def test_run_without_audio_keeps_none(environment: dict[str, str], tmp_path: Path) -> None:
    records = tmp_path / "records"
    options = ("--engine", "embedded", "--voice", "silence", "--record", str(records), "--no-audio")
    assert _run(environment, "run", _study(tmp_path, "wait: 1"), *options).code == 0
    (folder,) = records.iterdir()
    record = read_record(folder)
    assert not record.keeps_audio
    assert any(entry.audio is not None for entry in record.entries)
    assert [path.suffix for path in folder.iterdir() if path.suffix in {".wav", ".flac"}] == []


def test_several_runs_give_the_spread_of_their_answers_and_a_comparison(
    environment: dict[str, str], tmp_path: Path
) -> None:
    study = _study(
        tmp_path,
        "part: {name: Grüße, guidance: Be kind.}",
        "question: {component: vasrating, config: {question: Wie warm?}, own_answer: 5}",
    )
    other, table, instructions = tmp_path / "other.json", tmp_path / "answers.csv", tmp_path / "instructions.txt"
    answer = {"component": "vasrating", "tool": "answer_scale", "value": 10, "question": "Wie warm?", "part": "Grüße"}
    other.write_text(json.dumps({"runs": [{"answers": [answer]}]}), encoding="utf-8")
    instructions.write_text("You are Sam.")
    options = ["--runs", "2", "--csv", str(table), "--compare", str(other), "--instructions", str(instructions)]
    result = _run(environment, "run", study, "--engine", "embedded", "--voice", "silence", *options)
    assert result.code == 0, result.err
    printed = json.loads(result.out)
    values = [run["answers"][0]["value"] for run in printed["runs"]]
    (spread,) = printed["spread"]["answers"]
    assert (spread["n"], spread["part"], spread["mean"]) == (2, "Grüße", sum(values) / 2)
    (compared,) = printed["compared"]["answers"]
    assert (compared["this"]["n"], compared["other"]["mean"]) == (2, 10)
    assert "  other.json: n 1, mean 10, 10 to 10\n" in result.err
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [(row["run"], row["by"]) for row in rows] == [
        ("1", "participant"),
        ("1", "agent"),
        ("2", "participant"),
        ("2", "agent"),
    ]
    for run in printed["runs"]:
        record = read_record(Path(run["record"])).entries
        updates = [entry.event["session"] for entry in record if entry.type == "session.update"]
        assert updates[0]["instructions"] == "You are Sam."
        assert [tool["name"] for tool in updates[0]["tools"]] == ["answer_scale"]
        assert updates[1]["instructions"] == "You are Sam.\n\nBe kind."


def test_a_run_that_cannot_be_recorded_says_so_and_ends_with_2(environment: dict[str, str], tmp_path: Path) -> None:
    study = _study(tmp_path, "screen: {type: showtext, text: Welcome.}", "wait: 1")
    folder = tmp_path / "file"
    folder.write_text("in the way")
    result = _run(environment, "run", study, "--engine", "embedded", "--voice", "silence", "--record", str(folder))
    assert result.code == 2
    (run,) = json.loads(result.out)["runs"]
    assert (run["end"], run["recorded"]) == ("finished", False)
    (problem,) = run["problems"]
    assert problem.startswith("The record cannot be written")
    assert problem in result.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_result_that_cannot_be_printed_is_written_as_a_table_all_the_same(
    environment: dict[str, str], tmp_path: Path
) -> None:
    study, table = _study(tmp_path, "question: {component: vasrating, config: {question: Warm?}}"), tmp_path / "a.csv"
    options = ["--voice", "silence", "--record", str(tmp_path / "records"), "--csv", str(table)]
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            python_command("simulator", "run", study, "--engine", "embedded", *options),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert run.returncode == 3
    assert run.stderr.endswith(b"The result cannot be written to standard output: No space left on device.\n")
    assert len(table.read_text(encoding="utf-8").splitlines()) == 2


async def test_a_run_whose_settings_the_engine_refuses_says_so_and_ends_with_2(
    environment: dict[str, str], tmp_path: Path
) -> None:
    study = _study(tmp_path, "wait: 0")
    records = str(tmp_path / "records")
    async with EmbeddedEngine(["update_refused"]) as url:
        command = ("run", study, "--engine", url, "--voice", "silence", "--record", records)
        result = await asyncio.to_thread(_run, environment, *command)
    assert result.code == 2
    (run,) = json.loads(result.out)["runs"]
    (problem,) = run["problems"]
    assert "The engine refused the settings" in problem


def test_a_bug_does_not_look_like_a_failed_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def with_a_bug(arguments: object) -> int:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("simulator.cli.schema.execute", with_a_bug)
    assert main(["schema", "study"]) == 2
    said = capsys.readouterr().err
    assert said.endswith("The program itself failed (ZeroDivisionError): please report it with the lines above.\n")
    assert "with_a_bug" in said


def test_a_question_left_unanswered_ends_with_2(environment: dict[str, str], tmp_path: Path) -> None:
    study = _study(tmp_path, "question: {component: textinput, config: {question: Why}, within_s: 1}", "wait: 0")
    # An engine that is there and says nothing: the port of a study's own embedded engine is not used here.
    with subprocess.Popen(
        [sys.executable, "-c", _MUTE_ENGINE], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as engine:
        assert engine.stdout is not None
        assert engine.stdin is not None
        url = engine.stdout.readline().strip()
        result = _run(environment, "run", study, "--engine", url, "--voice", "silence")
        engine.stdin.close()
    assert result.code == 2
    (run,) = json.loads(result.out)["runs"]
    assert [missed["line"] for missed in run["unanswered"]] == [4]


_MUTE_ENGINE = """
import asyncio, sys
from tests.participant.scripted_engine import ScriptedEngine

async def main():
    async def mute(side):
        await side.greet()
    async with ScriptedEngine(mute) as engine:
        print(engine.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


def test_runs_that_are_interrupted_while_their_engine_starts_print_a_result_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def starts(engine: EmbeddedEngine) -> str:
        signal.raise_signal(signal.SIGINT)
        await asyncio.Event().wait()
        return ""

    monkeypatch.setattr(EmbeddedEngine, "__aenter__", starts)
    assert main(["run", "vasrating", "--engine", "embedded", "--runs", "2"]) == 2
    said = capsys.readouterr()
    assert json.loads(said.out)["runs"] == []
    assert said.err.startswith("Interrupted.\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals between processes are POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_writes_what_it_has_and_ends_with_2(
    number: signal.Signals, environment: dict[str, str], tmp_path: Path
) -> None:
    study = _study(tmp_path, "typed: {speaker: Alex, said: Hello.}", "wait: 60")
    records = tmp_path / "records"
    with subprocess.Popen(
        python_command(
            "simulator", "run", study, "--engine", "embedded", "--voice", "silence", "--record", str(records)
        ),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        while "wait 60 s" not in process.stderr.readline():
            assert process.poll() is None
        # As Ctrl-C does: to every process of the terminal.
        os.killpg(process.pid, number)
        out, err = process.communicate(timeout=2)
        code = process.returncode
    assert code == 2, err
    (run,) = json.loads(out)["runs"]
    assert run["end"] == "interrupted"
    assert read_record(Path(run["record"])).entries[-1].event == {"reason": "the program ended"}


def test_check_gives_its_verdict_and_judge_agrees(environment: dict[str, str], tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    options = ["--only", "handshake", "--report", str(report), "--records", str(tmp_path / "records"), "--json"]
    result = _run(environment, "check", "--engine", "embedded", *options)
    assert result.code == 0, result.err
    printed = json.loads(result.out)
    assert printed["verdict"] == "passed"
    # The engine may say what it lacks in between.
    states = [json.loads(line)["progress"] for line in result.err.splitlines() if line.startswith("{")]
    assert states[0] == "queued"
    assert states[-1] == "finished"
    judged = _run(environment, "judge", str(report))
    assert judged.code == 0
    assert "handshake" in judged.out
    (record,) = (tmp_path / "records").glob("handshake*.jsonl")
    record.unlink()
    assert _run(environment, "judge", str(report)).code == 2


@pytest.fixture
def without(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """A machine on which neither Qt nor the sound libraries can be loaded."""
    for module in ("PySide6", "sounddevice", "soundfile"):
        (tmp_path / f"{module}.py").write_text(f"raise ImportError('no {module} here')\n")
    paths = [str(tmp_path), environment.get("PYTHONPATH", "")]
    return environment | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


@pytest.mark.parametrize(
    "command", ["check --list", "reports", "schema report", "schema study", "engine --list-faults", "fixture list"]
)
def test_a_command_that_plays_and_draws_nothing_loads_no_library_for_it(without: dict[str, str], command: str) -> None:
    result = _run(without, *command.split())
    assert result.code == 0, result.err
    assert result.out


def test_commands_work_without_qt_and_portaudio(without: dict[str, str], tmp_path: Path) -> None:
    study = _study(tmp_path, "typed: {speaker: Alex, said: Hello.}")
    assert _run(without).code == 0
    result = _run(without, "devices")
    assert result.code == 3
    assert "PortAudio" in result.err
    result = _run(without, "run", study, "--engine", "embedded", "--voice", "silence")
    assert result.code == 0, result.err
    assert "PortAudio" in result.err
    result = _run(without, "run", study, "--engine", "embedded", "--voice", "mic")
    assert result.code == 3
    assert "PortAudio" in result.err


@pytest.mark.sound
def test_devices_lists_what_portaudio_sees(environment: dict[str, str], sound_server) -> None:  # type: ignore[no-untyped-def]
    heard = environment | sound_server.env
    result = _run(heard, "devices", "--json")
    assert result.code == 0
    names = {device["name"] for device in json.loads(result.out)}
    assert {"pulse", "default"} <= names
    text = _run(heard, "devices").out
    assert text.startswith("Microphones:\n")
    assert "Output devices:\n" in text

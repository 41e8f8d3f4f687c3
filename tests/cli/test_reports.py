"""What `check` writes, and the commands that read it again: reports, compare, judge, schema."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import jsonschema
import pytest

from simulator.engines.children import child_environment, python_command
from tests.conformance.small_engine import small_engine

KEY = "sk-planted-0123456789abcdef"


class Shell:
    """Runs commands of the program in a folder, with the user's folders in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = child_environment() | {
            "PARTICIPANT_SIMULATOR_CONFIG": str(folder / "config"),
            "PARTICIPANT_SIMULATOR_DATA": str(folder / "data"),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
            "THE_KEY": KEY,
        }

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *python_command("simulator", *arguments),
            cwd=self.folder,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def __call__(self, *arguments: str, code: int = 0) -> str:
        """Run a command, check its exit code, and return its standard output; on code 3 its standard error."""
        process = await self.start(*arguments)
        out, err = await asyncio.wait_for(process.communicate(), 60)
        assert process.returncode == code, (arguments, out, err)
        assert KEY.encode() not in out + err
        return (err if code == 3 else out).decode()

    async def status(self, engine: str) -> dict[str, Any]:
        listed = json.loads(await self("reports", "--json"))
        assert listed["problems"] == []
        (found,) = (each for each in listed["engines"] if each["engine"] == engine)
        return dict(found)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


async def test_a_check_writes_every_form_and_keeps_its_report(shell: Shell) -> None:
    schema = json.loads(await shell("schema", "report"))
    async with small_engine("no rate") as url:
        forms = ["--report", "out/r.json", "--junit", "out/r.xml", "--html", "out/r.html"]
        address = f"{url}?key={KEY}"
        await shell(
            "check",
            "--url",
            address,
            "--api-key-env",
            "THE_KEY",
            "--only",
            "handshake",
            "--repeat",
            "2",
            *forms,
            code=1,
        )
    report = json.loads((shell.folder / "out" / "r.json").read_bytes())
    jsonschema.Draft202012Validator(schema).validate(report)
    assert [each["record"] for each in report["results"]] == [
        "r-records/handshake.jsonl",
        "r-records/handshake-repeat2.jsonl",
    ]
    assert [(each["passed"], each["failed"], each["runs"]) for each in report["repeats"]] == [(0, 2, 2)]
    assert ElementTree.fromstring((shell.folder / "out" / "r.xml").read_bytes()).get("failures") == "2"
    assert "0 of 15 passed" in await shell("reports")
    assert b"0 of 2 passed" in (shell.folder / "out" / "r.html").read_bytes()

    assert "otherwise" not in await shell("judge", "out/r.json", code=1)
    status = await shell.status(urlsplit(url).netloc)
    assert (status["state"], status["verdict"]) == ("failed", "failed")
    assert Path(status["report"]).is_relative_to(shell.folder / "data" / "reports")
    assert "handshake" in Path(status["page"]).read_text(encoding="utf-8")
    await shell("judge", status["report"], code=1)
    for file in shell.folder.rglob("*"):
        assert file.is_dir() or KEY.encode() not in file.read_bytes(), file


async def test_reports_lists_the_known_engines_and_compare_tells_what_was_lost(shell: Shell) -> None:
    assert (await shell.status("embedded"))["state"] == "none"
    for name, faults, code in (("good", (), 0), ("bad", ("no rate",), 1)):
        async with small_engine(*faults) as url:
            place = ["--report", f"{name}.json", "--no-store"]
            await shell("check", "--url", url, "--only", "handshake", *place, code=code)
    assert not (shell.folder / "data" / "reports").exists()
    assert "handshake" in await shell("compare", "good.json", "bad.json", code=1)
    changes = json.loads(await shell("compare", "bad.json", "good.json", "--json"))["changes"]
    assert [(each["before"], each["after"]) for each in changes] == [("failed", "passed")]
    assert "cannot be read" in await shell("compare", "good.json", "gone.json", code=3)
    assert "--records" in await shell("check", "--url", url, "--no-store", code=3)


async def test_an_engine_that_is_not_there_leaves_no_empty_run(shell: Shell) -> None:
    await shell("check", "--url", "ws://127.0.0.1:9/", "--only", "handshake", code=3)
    assert [path for path in (shell.folder / "data").rglob("*") if path.name.startswith("20")] == []


async def test_a_file_that_cannot_be_written_keeps_no_other_from_being_written(shell: Shell) -> None:
    (shell.folder / "file").write_bytes(b"")
    async with small_engine() as url:
        forms = ["--junit", "file/r.xml", "--html", "r.html"]
        told = await shell("check", "--url", url, "--only", "handshake", *forms, code=3)
    assert "r.xml cannot be written" in told
    assert (shell.folder / "r.html").is_file()
    assert (await shell.status(urlsplit(url).netloc))["verdict"] == "passed"


@pytest.mark.skipif(sys.platform == "win32", reason="a child of this test cannot be sent Ctrl-C there")
async def test_an_interrupted_run_writes_what_it_has(shell: Shell) -> None:
    async with small_engine() as url:
        process = await shell.start(
            "check", "--url", url, "--only", "handshake", "--only", "engine_turn", "--report", "r.json", "--json"
        )
        assert process.stderr is not None
        async for line in process.stderr:
            if json.loads(line).get("waitingFor") == "speech_started":
                break
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 2
    report = json.loads((shell.folder / "r.json").read_bytes())
    assert report["verdict"] == "inconclusive"
    assert [each["verdict"] for each in report["results"]] == ["passed", "inconclusive", "inconclusive"]
    await shell("judge", "r.json", code=2)
    status = await shell.status(urlsplit(url).netloc)
    assert (status["state"], status["verdict"]) == ("inconclusive", "inconclusive")
    assert status["why"] == ["Only 2 of the suite's 15 runs were made."]


async def test_a_folder_that_cannot_be_written_does_not_stop_a_run_with_places_of_its_own(shell: Shell) -> None:
    (shell.folder / "data").write_bytes(b"")
    async with small_engine() as url:
        check = ["check", "--url", url, "--only", "handshake"]
        await shell(*check, "--report", "r.json")
        assert "cannot be made" in await shell(*check, code=3)
    assert (shell.folder / "r.json").is_file()

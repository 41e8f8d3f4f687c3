"""The participant process ends in order, whatever ends it, and leaves a whole record and nothing running."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from simulator.engines.children import child_environment
from simulator.participant.messages import (
    ChooseVoice,
    Connect,
    ConnectionState,
    Quit,
    RequestReply,
    SendEvent,
    VoiceKind,
)
from simulator.record.reader import read_record
from tests.participant.live_process import LiveProcess
from tests.participant.scripted_engine import EngineSide, ScriptedEngine, tone
from tests.rig.sound import SoundServer, sound_server


async def _long_reply(side: EngineSide) -> None:
    """Ten seconds of speech, so that whatever happens does so in mid-reply."""
    await side.greet()
    await side.begin_reply("resp_1", "item_1")
    for _ in range(20):
        await side.say("resp_1", "item_1", tone(500))
    await side.end_audio("resp_1", "item_1")
    await side.finish("resp_1")


def _check_record(records: Path, reason: str) -> None:
    (path,) = records.glob("*/session.jsonl")
    record = read_record(path)
    assert record.problems == []
    kinds = [entry.type for entry in record.entries]
    assert kinds[0] == "record.started"
    assert kinds[-1] == "record.ended"
    assert record.entries[-1].event == {"reason": reason}
    assert [entry.event["by"] for entry in record.entries if entry.type == "connection.closed"] == ["us"]
    # What was being heard is cut and truncated before the end.
    (cut,) = (entry for entry in record.entries if entry.type == "playback.cut")
    assert cut.event["cause"] == "closed"
    assert 0 < cut.event["handed_samples"] < cut.event["received_samples"] == 240_000


@pytest.mark.parametrize("ending", ["end of input", "SIGTERM", "SIGINT", "Quit"])
async def test_ends_in_mid_reply_with_a_whole_record(ending: str, records: Path) -> None:
    if ending.startswith("SIG") and sys.platform == "win32":
        pytest.skip("Windows has no signals between processes")
    async with ScriptedEngine(_long_reply) as engine, LiveProcess() as live:
        assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
        await live.status_with(lambda status: status.agent_heard)
        await live.entry("response.done")
        if ending == "end of input":
            code = await live.end_input()
        elif ending == "Quit":
            assert await live.send(Quit) is None
            code = await live.ended()
        else:
            live.process.send_signal(getattr(signal, ending))
            code = await live.ended()
    assert code == 0
    _check_record(records, "the program ended")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals between processes")
async def test_an_impatient_second_signal_does_not_break_off_the_end(records: Path) -> None:
    over = asyncio.Event()

    async def deaf_in_mid_reply(side: EngineSide) -> None:
        await side.greet()
        await side.begin_reply("resp_1", "item_1")
        for _ in range(20):
            await side.say("resp_1", "item_1", tone(500))
        await side.finish("resp_1")
        # It never answers the close, so that the end takes long enough to be disturbed.
        side.socket.transport.pause_reading()
        await over.wait()
        side.socket.transport.abort()

    async with ScriptedEngine(deaf_in_mid_reply) as engine, LiveProcess() as live:
        assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
        await live.status_with(lambda status: status.agent_heard)
        await live.entry("response.done")
        live.process.send_signal(signal.SIGINT)
        await live.status_with(lambda status: status.connection is ConnectionState.CLOSING)
        live.process.send_signal(signal.SIGINT)
        live.process.send_signal(signal.SIGTERM)
        try:
            assert await live.ended() == 0
        finally:
            over.set()
    _check_record(records, "the program ended")


@pytest.mark.skipif(sys.platform == "win32", reason="closes standard streams the POSIX way")
@pytest.mark.parametrize("closed", ["<&-", "<&- >&-", "<&- >&- 2>&-"])
def test_streams_that_were_closed_before_the_start_end_it_in_order(closed: str) -> None:
    command = f'"{sys.executable}" -P -m simulator participant {closed}'
    run = subprocess.run(["sh", "-c", command], env=child_environment(), capture_output=True, timeout=20, check=False)
    assert (run.returncode, run.stderr) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="the sound server is reached by a Unix socket")
async def test_a_sound_server_that_hangs_does_not_outlive_the_window(tmp_path: Path) -> None:
    over = asyncio.Event()

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await over.wait()
        writer.close()

    address = tmp_path / "pulse"
    environment = {"PULSE_SERVER": f"unix:{address}"}
    async with await asyncio.start_unix_server(hang, address), LiveProcess(environment=environment) as live:
        try:
            await live.status_with(lambda _: bool(live.raw))
            assert await live.end_input() == 0
        finally:
            over.set()


async def test_the_embedded_engine_ends_with_the_process(records: Path) -> None:
    async with LiveProcess() as live:
        assert await live.send(Connect, engine="embedded", record_folder=str(records)) is None
        assert await live.send(RequestReply) is None
        children = psutil.Process(live.process.pid).children(recursive=True)
        assert children
        assert await live.end_input() == 0
        assert _running_after_2_s(children) == []


@pytest.mark.skipif(sys.platform == "win32", reason="stops processes the POSIX way")
async def test_an_embedded_engine_that_hangs_ends_with_the_process_and_all_that_it_started(records: Path) -> None:
    async with LiveProcess() as live:
        assert await live.send(Connect, engine="embedded", record_folder=str(records)) is None
        children = psutil.Process(live.process.pid).children(recursive=True)
        for child in children:
            child.suspend()
        try:
            assert await live.end_input() == 0
            assert _running_after_2_s(children) == []
        finally:
            for child in children:
                if child.is_running():
                    child.kill()
    (path,) = records.glob("*/session.jsonl")
    assert read_record(path).entries[-1].type == "record.ended"


def _running_after_2_s(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Return those that still run two seconds later. A dead one that nobody collected does not."""
    _, left = psutil.wait_procs(processes, timeout=2)
    return [process for process in left if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]


_PARENT = """
import subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdin.write(b'{"command": "connect", "id": 1, "engine": "embedded"}\\n')
child.stdin.flush()
while b'"feed":"reply"' not in child.stdout.readline():
    pass
print(child.pid, flush=True)
child.wait()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills a parent the POSIX way")
def test_nothing_outlives_a_parent_that_was_killed() -> None:
    command = [sys.executable, "-P", "-m", "simulator", "participant"]
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT, *command], stdout=subprocess.PIPE, env=child_environment()
    ) as parent:
        assert parent.stdout is not None
        participant = psutil.Process(int(parent.stdout.readline()))
        family = [participant, *participant.children(recursive=True)]
        assert len(family) >= 2
        parent.kill()
    assert _running_after_2_s(family) == []


async def test_an_engine_that_never_answers_the_close_does_not_hold_up_the_end(records: Path) -> None:
    over = asyncio.Event()

    async def deaf(side: EngineSide) -> None:
        await side.greet()
        side.socket.transport.pause_reading()
        await over.wait()
        side.socket.transport.abort()

    async with ScriptedEngine(deaf) as engine, LiveProcess() as live:
        assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
        assert await live.send(ChooseVoice, kind=VoiceKind.RECORDING, recording="monologue") is None
        try:
            assert await live.end_input() == 0
        finally:
            over.set()
    (path,) = records.glob("*/session.jsonl")
    assert read_record(path).entries[-1].type == "record.ended"


async def test_an_engine_that_reads_nothing_any_more_while_much_is_sent_does_not_hold_up_the_end(records: Path) -> None:
    """What was written fills every buffer on the way, so that the close does not even leave."""
    over = asyncio.Event()

    async def deaf(side: EngineSide) -> None:
        await side.greet()
        side.socket.transport.pause_reading()
        await over.wait()
        side.socket.transport.abort()

    async with ScriptedEngine(deaf) as engine, LiveProcess() as live:
        assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
        much = {"type": "conversation.item.create", "item": {"text": "x" * 15_000_000}}
        assert await live.send(SendEvent, event=much) is None
        try:
            assert await live.end_input() == 0
        finally:
            over.set()
    (path,) = records.glob("*/session.jsonl")
    assert read_record(path).entries[-1].type == "record.ended"


async def test_a_name_that_is_still_looked_up_does_not_hold_up_the_end(records: Path) -> None:
    async with LiveProcess(hangs="names") as live:
        live.order(Connect, engine="wss://engine.example/v1/realtime", record_folder=str(records))
        await live.status_with(lambda status: status.connection is ConnectionState.CONNECTING)
        assert await live.end_input() == 0


_MUTE = b'{"command": "set_muted", "id": 1, "muted": true}\n'


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals between processes")
@pytest.mark.parametrize("ending", ["end of input", "SIGTERM"])
def test_the_end_does_not_depend_on_what_executes_commands(ending: str) -> None:
    """Nothing can be finished then; what was recorded so far lies on the disk."""
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.participant.hanging", "loop"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=child_environment(),
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(_MUTE)
        process.stdin.flush()
        while process.stderr.readline() != b"muted: True\n":
            assert process.poll() is None
        if ending == "SIGTERM":
            process.send_signal(signal.SIGTERM)
        else:
            process.stdin.close()
        assert process.wait(2) == 0


async def test_the_end_does_not_depend_on_the_lock_of_the_interpreter() -> None:
    async with LiveProcess(hangs="lock") as live:
        await live.status_with(lambda _: bool(live.raw))
        assert await live.end_input() == 1


@pytest.mark.sound
@pytest.mark.parametrize("ending", ["end of input", "SIGTERM"])
async def test_a_microphone_and_a_loudspeaker_that_hang_hold_up_neither_the_end_nor_the_record(
    ending: str, sound_server: SoundServer, records: Path
) -> None:
    """The sound server stops answering a moment before: nobody knows yet, and closing either device hangs."""
    with sound_server_of_its_own() as server:
        async with ScriptedEngine(_long_reply) as engine, LiveProcess(environment=server.env) as live:
            assert await live.send(ChooseVoice, kind=VoiceKind.MICROPHONE) is None
            assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
            await live.status_with(lambda status: status.agent_heard)
            await live.entry("response.done")
            os.kill(server.pid, signal.SIGSTOP)
            try:
                live.order(ChooseVoice, kind=VoiceKind.SILENCE)
                if ending == "SIGTERM":
                    live.process.send_signal(signal.SIGTERM)
                    assert await live.ended() == 0
                else:
                    assert await live.end_input() == 0
            finally:
                os.kill(server.pid, signal.SIGCONT)
    _check_record(records, "the program ended")


sound_server_of_its_own = sound_server

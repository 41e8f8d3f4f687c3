"""What a broken engine, network, disk or file does to a live session: one clear sentence, and nothing is lost."""

import asyncio
import base64
import itertools
import json
import sys
from http import HTTPStatus
from pathlib import Path

import numpy as np
import pytest

from simulator.participant.host import InProcessHost
from simulator.participant.messages import (
    ChooseOutput,
    ChooseVoice,
    Connect,
    ConnectionState,
    Disconnect,
    Entries,
    Push,
    SetTalk,
    StopReply,
    VoiceKind,
)
from simulator.record.entries import Entry, Track
from simulator.record.reader import Record, audio, read_record
from tests.participant.live_process import LiveProcess
from tests.participant.scripted_engine import EngineSide, ScriptedEngine, silent_engine, tone


def _record(records: Path) -> Record:
    (path,) = records.glob("*/session.jsonl")
    return read_record(path)


def _entries(record: Record, kind: str) -> list[Entry]:
    return [entry for entry in record.entries if entry.type == kind]


async def _only_greet(side: EngineSide) -> None:
    await side.greet()


# ---- no connection


async def test_unreachable_engine_is_one_sentence_and_no_record(records: Path) -> None:
    async with InProcessHost() as host:
        # Port 1 is reserved and nothing listens there.
        error = await host.send(Connect, engine="ws://127.0.0.1:1/v1/realtime", record_folder=str(records))
        assert error == "Nothing listens at 127.0.0.1, port 1: start the engine, or check the address and its port."
        assert host.status.connection is ConnectionState.IDLE
    assert not records.exists()


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (HTTPStatus.UNAUTHORIZED, "refused the key (401)"),
        (HTTPStatus.FORBIDDEN, "does not allow this key to connect (403)"),
        (HTTPStatus.NOT_FOUND, "knows no engine at this address (404)"),
        (HTTPStatus.BAD_GATEWAY, "failed while the connection was made (502)"),
    ],
)
async def test_a_refused_handshake_says_what_to_check(status: HTTPStatus, says: str) -> None:
    async with ScriptedEngine(_only_greet, status=status) as engine, InProcessHost() as host:
        error = await host.send(Connect, engine=engine.url)
        assert error is not None
        assert says in error
        assert host.status.connection is ConnectionState.IDLE


@pytest.mark.parametrize(("path", "named"), [("", True), ("/", True), ("/v1/other", False)])
async def test_a_missing_path_is_named_where_no_engine_is_found(path: str, named: bool) -> None:
    async with ScriptedEngine(_only_greet, status=HTTPStatus.NOT_FOUND) as engine, InProcessHost() as host:
        error = await host.send(Connect, engine=f"ws://127.0.0.1:{engine.port}{path}")
    assert error is not None
    assert "(404)" in error
    assert ("usually ends in /v1/realtime" in error) == named


async def test_an_address_without_a_websocket_says_so() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server, InProcessHost() as host:
        port = server.sockets[0].getsockname()[1]
        error = await host.send(Connect, engine=f"ws://127.0.0.1:{port}/")
        assert error == "127.0.0.1 answered, but not as a WebSocket: check the address and its path."


async def test_connecting_can_be_cancelled() -> None:
    async with silent_engine() as (address, accepted), InProcessHost() as host:
        connecting = asyncio.create_task(host.send(Connect, engine=address))
        await accepted.wait()
        await host.status_with(lambda status: status.connection is ConnectionState.CONNECTING)
        assert await host.send(Disconnect) is None
        assert await connecting == "Connecting was cancelled."
        assert host.status.connection is ConnectionState.IDLE


# ---- the connection ends


async def test_a_connection_lost_in_mid_sentence_keeps_everything_so_far(records: Path) -> None:
    heard = asyncio.Event()

    async def vanish(side: EngineSide) -> None:
        await side.greet()
        await side.begin_reply("resp_1", "item_1")
        await side.say("resp_1", "item_1", tone(400))
        await heard.wait()
        side.socket.transport.abort()

    ended: asyncio.Queue[str] = asyncio.Queue()
    async with (
        ScriptedEngine(vanish) as engine,
        InProcessHost(on_ended=lambda end: ended.put_nowait(end.sentence)) as host,
    ):
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        await host.status_with(lambda status: status.agent_heard)
        heard.set()
        sentence = await ended.get()
        assert sentence.startswith("The connection was lost")
        assert host.status.connection is ConnectionState.IDLE
        assert await host.send(StopReply) == "There is no session: connect to an engine first."
    record = _record(records)
    (closed,) = _entries(record, "connection.closed")
    assert (closed.event["by"], closed.event["code"]) == ("lost", None)
    (problem,) = _entries(record, "problem")
    assert problem.event["sentence"] == sentence
    assert len(audio(record.path, Track.AGENT)) == 400 * 24
    assert record.entries[-1].event == {"reason": "connection lost"}


async def test_a_close_by_the_engine_gives_its_code_and_reason(records: Path) -> None:
    async def expire(side: EngineSide) -> None:
        await side.greet()
        await side.socket.close(1001, "session_expired")

    ended: asyncio.Queue[str] = asyncio.Queue()
    async with (
        ScriptedEngine(expire) as engine,
        InProcessHost(on_ended=lambda end: ended.put_nowait(end.sentence)) as host,
    ):
        await host.send(Connect, engine=engine.url, record_folder=str(records))
        assert (
            await ended.get()
            == "The engine closed the connection with code 1001 (“session_expired”): connect again to go on."
        )
    (closed,) = _entries(_record(records), "connection.closed")
    assert closed.event == {"code": 1001, "reason": "session_expired", "by": "engine"}


# ---- frames


async def test_broken_frames_are_kept_and_the_session_goes_on(records: Path) -> None:
    async def babble(side: EngineSide) -> None:
        await side.greet()
        await side.socket.send("{ this is no JSON")
        await side.socket.send(b"\xff\xfe\x00 nor is this text")
        await side.socket.send("[1, 2]")
        await side.send("vendor.ping", beat=7)
        await side.begin_reply("resp_1", "item_1")
        await side.send("response.output_audio.delta", response_id="resp_1", item_id="item_1", delta="§§ no base64")
        await side.send("input_audio_buffer.speech_started", audio_start_ms=5)
        await side.finish("resp_1")
        await side.expect("conversation.item.create")
        await side.send("error", error={"type": "invalid_request_error", "code": "odd", "message": "That was odd."})

    seen: list[Entry] = []
    async with (
        ScriptedEngine(babble) as engine,
        InProcessHost(lambda message: seen.extend(message.entries) if isinstance(message, Entries) else None) as host,
    ):
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        assert await host.send(Push, context={"event": "timer", "secondsLeft": 3}) is None
        await host.status_with(lambda _: any(entry.event.get("code") == "odd" for entry in seen))
        assert host.status.problems >= 6
        assert await host.send(Disconnect) is None
    record = _record(records)
    malformed = _entries(record, "malformed")
    assert malformed[0].raw_text == "{ this is no JSON"
    assert len(malformed) == 3
    (unknown,) = _entries(record, "vendor.ping")
    assert unknown.event == {"type": "vendor.ping", "beat": 7}
    assert unknown.problem is not None
    (delta,) = _entries(record, "response.output_audio.delta")
    assert delta.raw_text == "§§ no base64"
    assert delta.problem is not None
    (started,) = _entries(record, "input_audio_buffer.speech_started")
    assert "item_id" in (started.problem or "")
    assert any(entry.event.get("code") == "odd" for entry in _entries(record, "problem"))


async def test_settings_that_the_engine_refuses_are_told_and_the_session_goes_on(records: Path) -> None:
    async def refuse(side: EngineSide) -> None:
        await side.send("session.created", session={"type": "realtime", "id": "sess_1"})
        update = await side.expect("session.update")
        error = {
            "type": "invalid_request_error",
            "code": "bad",
            "message": "No such voice.",
            "event_id": update["event_id"],
        }
        await side.send("error", error=error)

    async with ScriptedEngine(refuse) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        assert host.status.connection is ConnectionState.CONNECTED
        assert host.status.session_accepted is None
        assert host.status.problems >= 1
    (problem,) = _entries(_record(records), "problem")
    assert problem.event["sentence"] == "The engine refused the settings: No such voice."


async def test_samples_split_at_odd_bytes_are_heard_whole(records: Path) -> None:
    speech = tone(200)
    data = speech.tobytes()
    splits = [0, 1, 700, 701, 4001, len(data)]

    async def split(side: EngineSide) -> None:
        await side.greet()
        await side.begin_reply("resp_1", "item_1")
        for start, end in itertools.pairwise(splits):
            await side.say("resp_1", "item_1", data[start:end])
        await side.end_audio("resp_1", "item_1")
        await side.finish("resp_1")

    async with ScriptedEngine(split) as engine, InProcessHost(on_event=(over := _Over())) as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        await over.wait()
        assert await host.send(Disconnect) is None
    record = _record(records)
    assert np.array_equal(audio(record.path, Track.AGENT), speech)
    (ended,) = _entries(record, "playback.ended")
    assert ended.event["handed_samples"] == ended.event["received_samples"] == len(speech)
    handed = audio(record.path, Track.HEARD)[:, 1]
    assert np.array_equal(handed[np.flatnonzero(handed)], speech)


class _Over:
    """Waits for the end of a reply."""

    def __init__(self) -> None:
        self._over = asyncio.Event()

    def __call__(self, event: object) -> None:
        if type(event).__name__ == "ReplyOver":
            self._over.set()

    async def wait(self) -> None:
        await self._over.wait()


async def test_a_message_of_three_mebibytes_arrives(records: Path) -> None:
    text = "long " * (3 * 1024 * 1024 // 5)

    async def talkative(side: EngineSide) -> None:
        await side.greet()
        item = {"id": "item_1", "type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        await side.send("conversation.item.added", item=item)
        await side.send("response.created", response={"id": "resp_1", "status": "in_progress"})

    async with ScriptedEngine(talkative) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        await host.status_with(lambda status: status.response_active)
        assert await host.send(Disconnect) is None
    (added,) = _entries(_record(records), "conversation.item.added")
    assert added.size_bytes > 3 * 1024 * 1024
    assert added.event["item"]["content"][0]["text"] == text


async def test_an_image_of_three_mebibytes_is_sent(records: Path, tmp_path: Path) -> None:
    image = tmp_path / "large.png"
    image.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(3 * 1024 * 1024))
    got: asyncio.Queue[int] = asyncio.Queue()

    async def look(side: EngineSide) -> None:
        await side.greet()
        item = (await side.expect("conversation.item.create"))["item"]
        data = item["content"][1]["image_url"].removeprefix("data:image/png;base64,")
        got.put_nowait(len(base64.b64decode(data)))

    async with ScriptedEngine(look) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        context = {"event": "screen", "type": "showimage", "text": "Look.", "images": ["attached: the image (large)"]}
        assert await host.send(Push, context=context, images=[str(image)]) is None
        assert await got.get() == image.stat().st_size


# ---- files and devices


async def test_a_recording_that_cannot_be_read_leaves_the_voice_as_it_was(tmp_path: Path) -> None:
    noise = tmp_path / "noise.wav"
    noise.write_bytes(b"this is no audio")
    async with InProcessHost() as host:
        assert await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording="coffee_or_tea") is None
        error = await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording=str(noise))
        assert error == "noise.wav cannot be read as audio: use a WAV, FLAC, OGG or MP3 file."
        error = await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording="no_such_name")
        assert error is not None
        assert error.startswith("There is no recording called “no_such_name”: use coffee_or_tea, ")
        assert (host.status.voice, host.status.voice_name) == (VoiceKind.RECORDING, "coffee_or_tea")


async def test_devices_that_will_not_open_are_replaced_and_named(records: Path) -> None:
    async with ScriptedEngine(_only_greet) as engine, InProcessHost() as host:
        error = await host.send(ChooseOutput, device="No Such Speaker")
        assert error is not None
        assert "No Such Speaker" in error or "PortAudio" in error
        assert host.status.output_name == "silent clock"
        error = await host.send(ChooseVoice, kind=VoiceKind.MICROPHONE, device="No Such Microphone")
        assert error is not None
        assert error in host.status.lacks
        assert host.status.voice is VoiceKind.SILENCE
        # The session can be held all the same, and the engine hears silence.
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        append = await engine.sides[0].expect("input_audio_buffer.append")
        assert base64.b64decode(append["audio"]) == bytes(960)
        # Choosing no sound is no lack.
        assert await host.send(ChooseOutput, device="none") is None
        assert len(host.status.lacks) == 1


async def test_the_talk_key_says_so_where_there_is_nothing_to_say() -> None:
    async with InProcessHost() as host:
        error = await host.send(SetTalk, down=True)
        assert error == "The participant's voice is silence: choose a microphone or a recording first."


async def test_a_record_folder_that_is_none_is_told_and_the_session_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    seen: list[Entry] = []
    async with (
        ScriptedEngine(_only_greet) as engine,
        InProcessHost(lambda message: seen.extend(message.entries) if isinstance(message, Entries) else None) as host,
    ):
        assert await host.send(Connect, engine=engine.url, record_folder=str(tmp_path / "file")) is None
        status = await host.status_with(lambda status: not status.recording)
        assert status.connection is ConnectionState.CONNECTED
        assert any("record" in lack for lack in status.lacks)
        # Without a disk the feed goes on.
        assert await host.send(Push, context={"event": "resumed"}) is None
        await host.status_with(lambda _: any(entry.type == "push" for entry in seen))


@pytest.mark.skipif(
    sys.platform == "win32", reason="the limit on the size of files that stands for a full disk is POSIX"
)
async def test_a_full_disk_is_told_and_what_was_written_stays_whole(records: Path) -> None:
    small_disk = (
        "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000)); "
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    async with ScriptedEngine(_only_greet) as engine, LiveProcess(by=[sys.executable, "-c", small_disk]) as live:
        assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
        status = await live.status_with(lambda status: status.record_path is not None and not status.recording)
        assert status.connection is ConnectionState.CONNECTED
        assert any(lack.startswith("The disk is full: recording stopped.") for lack in status.lacks)
        assert await live.send(Push, context={"event": "resumed"}) is None
        await live.entry("push")
        assert await live.end_input() == 0
    (path,) = records.glob("*/session.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    assert all(line.endswith(b"\n") and json.loads(line) for line in lines)
    assert len(audio(path, Track.HEARD)) > 0

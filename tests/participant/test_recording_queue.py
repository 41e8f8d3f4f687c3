"""A folder of recordings as the participant's voice: each press of the talk key says the next one."""

from pathlib import Path

import pytest
import soundfile

from simulator.errors import UnreadableRecording, UsageError
from simulator.participant.host import InProcessHost
from simulator.participant.live_events import LiveEvent, RecordingSaid
from simulator.participant.messages import ChooseVoice, Connect, Disconnect, SetTalk, VoiceKind
from simulator.participant.recording_queue import RecordingQueue, recordings_in
from simulator.record.reader import read_record
from tests.participant.scripted_engine import EngineSide, ScriptedEngine, tone


def _recording(path: Path, milliseconds: int = 40) -> None:
    soundfile.write(path, tone(milliseconds), 24_000)


async def _greets(side: EngineSide) -> None:
    await side.greet()


async def _until_read(queue: RecordingQueue) -> None:
    assert queue._reading is not None
    await queue._reading


def test_files_come_in_the_order_of_their_names_with_numbers_by_value(tmp_path: Path) -> None:
    for name in ("turn 10.wav", "turn 9.wav", "Turn 1.wav", "answer.flac", "2.ogg", "10.wav"):
        _recording(tmp_path / name)
    (tmp_path / "notes.txt").write_text("no audio")
    (tmp_path / "more.wav").mkdir()
    _recording(tmp_path / ".hidden.wav")
    names = [path.name for path in recordings_in(tmp_path)]
    assert names == ["2.ogg", "10.wav", "answer.flac", "Turn 1.wav", "turn 9.wav", "turn 10.wav"]


def test_a_folder_without_audio_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableRecording, match="holds no audio file: put WAV, FLAC"):
        recordings_in(tmp_path)
    with pytest.raises(UnreadableRecording, match="cannot be read"):
        recordings_in(tmp_path / "missing")


async def test_each_is_given_once_and_then_the_first_again(tmp_path: Path) -> None:
    folder = tmp_path / "turns"
    folder.mkdir()
    for name in ("1.wav", "2.wav"):
        _recording(folder / name)
    queue = RecordingQueue(folder, print)
    await queue.begin()
    assert queue.name == "turns: 1 of 2 1.wav"
    assert queue.take().name == "1"
    assert queue.name == "turns: 1 of 2 1.wav"  # while it is said
    queue.said()
    assert queue.name == "turns: 2 of 2 2.wav"
    await _until_read(queue)
    assert queue.take().name == "2"
    queue.said()
    assert queue.at_end
    assert queue.name == "turns: all 2 said"
    await _until_read(queue)
    assert queue.take().name == "1"
    assert queue.name == "turns: 1 of 2 1.wav"
    queue.close()


async def test_what_is_still_read_or_cannot_be_read_is_told(tmp_path: Path) -> None:
    _recording(tmp_path / "1.wav")
    (tmp_path / "2.wav").write_text("broken")
    _recording(tmp_path / "3.wav")
    told: list[str] = []
    queue = RecordingQueue(tmp_path, told.append)
    await queue.begin()
    queue.take()
    queue.said()
    with pytest.raises(UsageError, match="still being read: press again"):
        queue.take()
    await _until_read(queue)
    assert queue.take().name == "3"
    assert queue.name.endswith(": 2 of 2 3.wav")
    assert told == [
        "2.wav cannot be read as audio: use a WAV, FLAC, OGG or MP3 file. It is left out of the folder's recordings."
    ]
    queue.close()


async def test_files_that_vanish_meanwhile_leave_a_sentence(tmp_path: Path) -> None:
    _recording(tmp_path / "1.wav")
    queue = RecordingQueue(tmp_path, lambda sentence: None)
    await queue.begin()
    queue.take()
    (tmp_path / "1.wav").unlink()
    await _until_read(queue)
    queue.said()
    with pytest.raises(UsageError, match="can be read any more: take another folder"):
        queue.take()


async def test_a_folder_of_broken_files_is_no_voice(tmp_path: Path) -> None:
    (tmp_path / "1.wav").write_text("broken")
    with pytest.raises(UnreadableRecording, match="None of the audio files"):
        await RecordingQueue(tmp_path, lambda sentence: None).begin()


async def test_each_press_of_the_talk_key_says_the_next(tmp_path: Path, records: Path) -> None:
    folder = tmp_path / "turns"
    folder.mkdir()
    _recording(folder / "9.wav", 250)
    _recording(folder / "10.wav", 250)
    said: list[LiveEvent] = []
    async with ScriptedEngine(_greets) as engine, InProcessHost(on_event=said.append) as host:
        assert await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording=str(folder)) is None
        assert host.status.voice_name == "turns: 1 of 2 9.wav"
        await host.send(Connect, engine=engine.url, record_folder=str(records))
        for name, then in (("9", "turns: 2 of 2 10.wav"), ("10", "turns: all 2 said")):
            assert await host.send(SetTalk, down=True) is None
            await host.send(SetTalk, down=False)
            await host.status_with(lambda status, name=name, then=then: status.voice_name == then)  # type: ignore[misc]
            assert said[-1] == RecordingSaid(name)
        await host.send(Disconnect)
    (path,) = records.glob("*/session.jsonl")
    entries = read_record(path).entries
    assert [entry.event["name"] for entry in entries if entry.type == "recording.started"] == ["9", "10"]
    assert not [entry for entry in entries if entry.type == "problem"]

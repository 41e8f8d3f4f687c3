"""A saved session is played from any point: both voices, to the sample, and told where it is."""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from simulator.audio.playout import Playout
from simulator.audio.stream_state import StreamState
from simulator.errors import AudioUnavailable, DeviceUnavailable, UnreadableRecording
from simulator.participant.session_player import play, together
from simulator.record.entries import Track
from simulator.record.writer import RecordWriter
from simulator.units import BLOCK_SAMPLES, SAMPLE_RATE_HZ, samples_to_ns
from tests.rig.sound import Plug, SoundServer, recorded
from tests.rig.sound import sound_server as sound_server_of_its_own

ROOT = Path(__file__).resolve().parents[2]

if TYPE_CHECKING:
    from numpy.typing import NDArray


class FastOutput:
    """Takes blocks as fast as the loop runs, and keeps what a loudspeaker would get."""

    def __init__(self, playout: Playout, loop: asyncio.AbstractEventLoop) -> None:
        self._playout, self._loop = playout, loop
        self.blocks: list[NDArray[np.int16]] = []
        self.open = True

    def start(self) -> None:
        self._loop.call_soon(self._take)

    def _take(self) -> None:
        for _ in range(20):
            block = np.zeros(BLOCK_SAMPLES, dtype=np.int16)
            now_ns = time.monotonic_ns()
            self._playout.fill(block, now_ns, now_ns - samples_to_ns(BLOCK_SAMPLES))
            self.blocks.append(block)
        if self.open:
            self._loop.call_later(0.005, self._take)

    def close(self) -> None:
        self.open = False

    def state(self) -> StreamState:
        return StreamState("fast", len(self.blocks), 0, self.open, None, 0, "latency", SAMPLE_RATE_HZ)


def save(folder: Path, heard: "NDArray[np.int16]") -> Path:
    writer = RecordWriter(folder / "session.jsonl", on_fault=lambda fault: pytest.fail(str(fault)))
    writer.write_audio(Track.HEARD, heard)
    writer.close()
    return folder / "session.jsonl"


async def test_both_voices_sound_from_the_wanted_sample_to_the_end(tmp_path: Path) -> None:
    at = np.arange(3 * SAMPLE_RATE_HZ)
    heard = np.stack([at % 1_000 + 1, at % 700 + 1], axis=1).astype(np.int16)
    record, said, outputs = save(tmp_path, heard), list[dict[str, Any]](), list[FastOutput]()

    def open_output(playout: Playout, loop: asyncio.AbstractEventLoop) -> FastOutput:
        outputs.append(FastOutput(playout, loop))
        return outputs[0]

    await play(record, 30_000, open_output, said.append)
    sounded = np.concatenate(outputs[0].blocks)
    sounded = sounded[sounded > 0]  # the piece that was read last may come after a block of silence
    assert np.array_equal(sounded, (heard[30_000:, 0] + heard[30_000:, 1]))
    places = [line["at_sample"] for line in said if "at_sample" in line]
    assert places == sorted(places)
    assert places[0] >= 30_000
    assert places[-1] == 3 * SAMPLE_RATE_HZ
    assert said[-1] == {"ended": True}
    assert not outputs[0].open


class NoOutput(FastOutput):
    """A device that is there and does not begin."""

    def start(self) -> None:
        raise DeviceUnavailable("The output device “headset” does not open.")


@pytest.mark.parametrize("opens", [False, True])
async def test_without_a_loudspeaker_the_place_moves_on_a_silent_clock_and_it_is_told(
    tmp_path: Path, opens: bool
) -> None:
    record, said, outputs = (
        save(tmp_path, np.ones((6_000, 2), dtype=np.int16)),
        list[dict[str, Any]](),
        list[NoOutput](),
    )

    def open_output(playout: Playout, loop: asyncio.AbstractEventLoop) -> NoOutput:
        if not opens:
            raise AudioUnavailable("This computer has no loudspeaker.")
        outputs.append(NoOutput(playout, loop))
        return outputs[0]

    await play(record, 0, open_output, said.append)
    assert said[0]["silent"].startswith("Nothing is heard; the cursor moves along all the same")
    assert ("“headset” does not open" if opens else "has no loudspeaker") in said[0]["silent"]
    assert [line["at_sample"] for line in said[1:-1]][-1] == 6_000
    assert said[-1] == {"ended": True}
    assert not any(output.open for output in outputs)


async def test_a_record_without_sound_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_bytes(b"")
    with pytest.raises(UnreadableRecording, match="holds no sound"):
        await play(tmp_path / "session.jsonl", 0, FastOutput, lambda line: None)


async def test_behind_the_end_nothing_is_opened(tmp_path: Path) -> None:
    said: list[dict[str, Any]] = []

    def no_output(playout: Playout, loop: asyncio.AbstractEventLoop) -> FastOutput:
        pytest.fail("a device was opened")

    await play(save(tmp_path, np.ones((100, 2), dtype=np.int16)), 100, no_output, said.append)
    assert said == [{"ended": True}]


@pytest.mark.sound
def test_a_loudspeaker_gets_what_the_record_holds(sound_server: SoundServer, tmp_path: Path) -> None:
    at = np.arange(2 * SAMPLE_RATE_HZ)
    record = save(tmp_path, np.stack([at % 1_000 + 1, at % 700 + 1], axis=1).astype(np.int16))
    raw = ["--raw", "--format=s16le", "--rate=24000", "--channels=1"]
    with sound_server_of_its_own() as server:
        plug = Plug(server, "headset")
        plug.plug_in()
        env = plug.env | {"PYTHONPATH": str(ROOT)}
        question = {"record": str(record), "first_sample": SAMPLE_RATE_HZ, "output": ["headset", "ALSA", None]}
        command = [sys.executable, "-P", "-m", "simulator.participant.session_player", json.dumps(question)]
        recording = ["parecord", *raw, "--device=output.monitor"]
        with (
            recorded(recording, env, 960) as heard,
            subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as player,
        ):
            assert player.stdout is not None
            told = list(map(json.loads, player.stdout))
        plug.unplug()
    assert told[-2:] == [{"at_sample": 2 * SAMPLE_RATE_HZ}, {"ended": True}]
    samples = np.frombuffer(b"".join(heard), dtype="<i2")
    sounded = samples[np.flatnonzero(samples)]
    wanted = (at % 1_000 + at % 700 + 2)[SAMPLE_RATE_HZ:]
    assert np.array_equal(sounded[:20_000], wanted[:20_000])


def test_two_loud_voices_are_clipped_and_do_not_wrap() -> None:
    heard = np.array([[30_000, 30_000], [-30_000, -30_000], [5, -2]], dtype=np.int16)
    assert together(heard).tolist() == [32_767, -32_768, 3]

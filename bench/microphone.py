"""How long the participant's voice takes from the device's callback to the socket, chunk by chunk, for half a minute.

The live process runs with a real input device (a PulseAudio null source, where a sound server can run; else a
recording, whose deadlines stand for the callbacks) against a scripted engine in another process.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from bench.figures import Figure
from bench.session_folder import session_folder
from simulator.engines.children import child_environment, python_command
from simulator.errors import SimulatorError
from simulator.participant.feed import PipeFeed
from simulator.participant.messages import ChooseVoice, Connect, SetTalk, VoiceKind
from simulator.participant.process import Participant
from simulator.units import BLOCK_MS
from tests.participant.scripted_engine import EngineSide, ScriptedEngine
from tests.rig.errors import RigUnavailable
from tests.rig.sound import sound_server

GOAL_MS: Final = 10.0
CHUNKS: Final = 1_500


def run() -> Iterable[Figure]:
    """Measure, and return the figure."""
    with _sound() as (environment, kind), session_folder("microphone-") as folder:
        delays_ms = asyncio.run(_measure(environment, kind, Path(folder)))
    name = "microphone: device callback to socket" if kind is VoiceKind.MICROPHONE else "recording: due to socket"
    return [Figure(name, GOAL_MS, "ms", delays_ms)]


@contextlib.contextmanager
def _sound() -> "Iterator[tuple[dict[str, str], VoiceKind]]":
    try:
        with sound_server() as running:
            environment = child_environment() | running.env | {"PULSE_SOURCE": running.microphone}
            yield environment, VoiceKind.MICROPHONE
    except RigUnavailable as reason:
        print(f"a recording instead of a device: {reason}", file=sys.stderr)
        yield child_environment(), VoiceKind.RECORDING


async def _measure(environment: dict[str, str], kind: VoiceKind, folder: Path) -> list[float]:
    async def script(side: EngineSide) -> None:
        await side.greet()

    async with ScriptedEngine(script) as engine:
        result = folder / "delays.json"
        process = await asyncio.create_subprocess_exec(
            *python_command("bench.microphone", engine.url, kind.value, str(folder), str(result)),
            stdout=subprocess.DEVNULL,
            env=environment | {"PYTHONPATH": str(Path(__file__).resolve().parents[1])},
        )
        if await asyncio.wait_for(process.wait(), 120):
            raise RuntimeError("the live process failed")
    return [delay_ns / 1e6 for delay_ns in json.loads(result.read_text())]


async def _participant(url: str, kind: VoiceKind, folder: str) -> list[int]:
    """Be the live process, and return the delays of `CHUNKS` chunks."""
    participant = Participant(PipeFeed(1).publish)
    await participant.start()
    choice = ChooseVoice(id=1, kind=kind, recording="monologue" if kind is VoiceKind.RECORDING else None)
    for command in (choice, Connect(id=2, engine=url, record_folder=folder), SetTalk(id=3, down=True)):
        reply = await participant.handle(command)
        if reply.error is not None:
            raise SimulatorError(reply.error)
    await asyncio.sleep((CHUNKS + 50) * BLOCK_MS / 1000)
    delays = list(participant.append_delays_ns)[:CHUNKS]
    await participant.close()
    return delays


if __name__ == "__main__":
    found = asyncio.run(_participant(sys.argv[1], VoiceKind(sys.argv[2]), sys.argv[3]))
    Path(sys.argv[4]).write_text(json.dumps(found))

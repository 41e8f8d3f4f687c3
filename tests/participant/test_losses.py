"""What devices lose reaches the record, with figures, at most once a second."""

import dataclasses
from pathlib import Path

import pytest

from simulator.audio.devices import Device
from simulator.audio.streams import SilentOutput, StreamState
from simulator.participant.host import InProcessHost
from simulator.participant.losses import LossWatch
from simulator.participant.messages import ChooseOutput, Connect, Disconnect
from simulator.record.reader import read_record
from tests.participant.scripted_engine import EngineSide, ScriptedEngine

S = 1_000_000_000
BUSY = "as this computer was too busy: close other programs."


class Counters:
    """A device that says it lost what a test wants."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dropouts = 0
        self.lost_samples = 0

    def state(self) -> StreamState:
        return StreamState(self.name, 0, self.dropouts, True, None, 0, "dac", 24_000)


def test_nothing_lost_is_nothing_told() -> None:
    watch = LossWatch()
    watch.look(Counters("Mic"), Counters("Speakers"))
    watch.look(None, None)
    assert watch.take(0, everything=True) == []


def test_lost_samples_and_dropouts_are_told_with_their_device() -> None:
    watch, microphone, speakers = LossWatch(), Counters("Mic"), Counters("Speakers")
    microphone.lost_samples, microphone.dropouts, speakers.dropouts = 12_000, 1, 3
    watch.look(microphone, speakers)
    notes = watch.take(5 * S)
    assert [(note["code"], note["direction"], note["device"]) for note in notes] == [
        ("samples_lost", "input", "Mic"),
        ("dropouts", "input", "Mic"),
        ("dropouts", "output", "Speakers"),
    ]
    assert [note.get("samples", note.get("times")) for note in notes] == [12_000, 1, 3]
    assert {note["whose"] for note in notes} == {"environment"}
    assert [note["sentence"] for note in notes] == [
        f"500 ms of what the microphone “Mic” heard were lost, {BUSY}",
        f"The microphone “Mic” lost audio once, {BUSY}",
        f"The output device “Speakers” ran dry 3 times, {BUSY}",
    ]
    watch.look(microphone, speakers)
    assert watch.take(60 * S) == []


def test_a_loss_that_goes_on_is_told_once_a_second_with_the_sum() -> None:
    watch, speakers = LossWatch(), Counters("Speakers")
    told: list[tuple[int | str, int]] = []
    for tenth in range(25):
        speakers.dropouts += 1
        watch.look(None, speakers)
        told += [(tenth, note["times"]) for note in watch.take(tenth * S // 10)]
    told += [("end", note["times"]) for note in watch.take(2 * S + S // 2, everything=True)]
    assert told == [(0, 1), (10, 10), (20, 10), ("end", 4)]


def test_another_device_counts_from_its_own_beginning() -> None:
    watch, first, second = LossWatch(), Counters("First"), Counters("Second")
    first.dropouts = 7
    watch.look(None, first)
    watch.take(0)
    second.dropouts = 2
    watch.look(None, second)
    assert [(note["device"], note["times"]) for note in watch.take(0)] == [("Second", 2)]


def test_what_was_lost_before_a_session_is_not_its_problem() -> None:
    watch, microphone = LossWatch(), Counters("Mic")
    microphone.dropouts = 4
    watch.look(microphone, None)
    watch.forget()
    microphone.dropouts = 5
    watch.look(microphone, None)
    assert [note["times"] for note in watch.take(0)] == [1]


class DryOutput(SilentOutput):
    """An output device that ran dry twice in each session."""

    def __init__(self, playout, _device, on_wake, loop, **_) -> None:  # type: ignore[no-untyped-def]
        super().__init__(playout, on_wake, loop)
        self.device = Device("Dry", "ALSA", 0, 2, 48_000, is_default_input=False, is_default_output=True)

    def correct(self, _: object) -> None:
        """Nothing was measured of it."""

    def state(self) -> StreamState:
        return dataclasses.replace(super().state(), name="Dry", dropouts=2 if self._callbacks > 5 else 0)


async def test_a_device_that_runs_dry_is_a_problem_in_record_and_status(
    records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.participant.loudspeaker.OutputStream", DryOutput)

    async def accept(side: EngineSide) -> None:
        await side.greet()
        session = (await side.expect("session.update"))["session"]
        await side.send("session.updated", session=session)

    async with ScriptedEngine(accept) as engine, InProcessHost() as host:
        assert await host.send(ChooseOutput, device=None) is None
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        await host.status_with(lambda status: status.problems == 1)
        await host.send(Disconnect)
    (path,) = records.glob("*/session.jsonl")
    problems = [entry.event for entry in read_record(path).entries if entry.type == "problem"]
    assert [(problem["code"], problem["device"], problem["times"]) for problem in problems] == [("dropouts", "Dry", 2)]

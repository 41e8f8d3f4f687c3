"""The suite with people's voices, which are no part of the project: a woman who reads, a man at a microphone."""

import asyncio
from pathlib import Path
from typing import Final

import pytest
import soundfile

from simulator.audio.own_recordings import add_recording
from simulator.audio.recordings import Role
from simulator.conformance.check import Verdict
from simulator.conformance.suite import run_suite
from simulator.conformance.wire import Target
from simulator.engines.embedded import EmbeddedEngine

PEOPLE: Final = Path(__file__).parents[2].parent / "shared" / "fixtures"
AUSTEN: Final = "sense_and_sensibility_01_austen_64kb-{}.wav"

# What is one turn of theirs: the file, from and to in ms (between two of its pauses), and what it can stand for.
Turns = dict[str, tuple[str, int, int | None, Role]]
WOMAN: Final[Turns] = {
    "austen_short": (AUSTEN.format("0890"), 0, None, Role.QUESTION),
    "austen_long": (AUSTEN.format("0870"), 0, None, Role.MONOLOGUE),
    "austen_interrupts": (AUSTEN.format("0870"), 0, None, Role.INTERRUPTION),
}
MAN: Final[Turns] = {
    "kennedy_short": ("jfk.flac", 5_100, 7_950, Role.QUESTION),
    "kennedy_interrupts": ("jfk.flac", 7_950, None, Role.INTERRUPTION),
}
SPOKEN_BY: Final[dict[str, tuple[Turns, list[str]]]] = {
    "woman": (WOMAN, ["engine_turn", "barge_in", "listening_pause", "listening_pause_silent"]),
    "man": (MAN, ["engine_turn", "barge_in", "listening_pause_silent"]),  # no turn of his is a monologue
}

pytestmark = pytest.mark.skipif(not PEOPLE.is_dir(), reason="the shared recordings are not beside this checkout")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their recordings, added as a user adds theirs."""
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_DATA", str(tmp_path / "data"))
    for name, (file, from_ms, to_ms, role) in {**WOMAN, **MAN}.items():
        samples, rate_hz = soundfile.read(PEOPLE / file, dtype="int16")
        cut = samples[from_ms * rate_hz // 1000 : None if to_ms is None else to_ms * rate_hz // 1000]
        soundfile.write(tmp_path / f"{name}.wav", cut, rate_hz)
        add_recording(tmp_path / f"{name}.wav", role=role)


@pytest.mark.usefixtures("people")
async def test_the_embedded_engine_passes_with_people_who_speak(tmp_path: Path) -> None:
    async with EmbeddedEngine() as url:
        runs = [
            run_suite(Target(url), only=checks, voices=list(turns), jobs=8, records_dir=tmp_path / who)
            for who, (turns, checks) in SPOKEN_BY.items()
        ]
        reports = await asyncio.gather(*runs)
    for report, (turns, _) in zip(reports, SPOKEN_BY.values(), strict=True):
        assert {fixture.name for fixture in report.fixtures} == set(turns)
        for result in report.results:
            assert (result.verdict, result.reasons) == (Verdict.PASSED, []), result

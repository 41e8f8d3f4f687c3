"""Who speaks in a run: the program's voices in turn, or those that the user names."""

from pathlib import Path

import pytest

from simulator.audio.own_recordings import add_recording
from simulator.audio.recordings import Role, SpeechRecording, project_recordings, recordings_for
from simulator.conformance.casting import Cast
from simulator.conformance.suite import plan
from simulator.errors import UnknownName, UsageError
from simulator.resources import fixtures_dir

SPEAKING = {
    "engine_turn": (Role.QUESTION,),
    "barge_in": (Role.INTERRUPTION,),
    "listening_pause": (Role.MONOLOGUE, Role.QUESTION),
    "listening_pause_silent": (Role.QUESTION,),
}


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SpeechRecording:
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_DATA", str(tmp_path))
    return add_recording(fixtures_dir() / "speech" / "question_slt.flac", name="mine", role=Role.QUESTION)


def spoken_in_a_suite(cast: Cast) -> list[SpeechRecording]:
    return [
        cast.recording(role, run.check.id, run.mode) for run in plan(list(SPEAKING)) for role in SPEAKING[run.check.id]
    ]


def test_one_suite_hears_every_voice() -> None:
    assert {each.voice for each in spoken_in_a_suite(Cast())} == {each.voice for each in project_recordings()}


def test_the_same_run_always_speaks_the_same_and_the_next_repeat_or_attempt_another() -> None:
    def name(**numbers: int) -> str:
        return Cast().recording(Role.QUESTION, "engine_turn", "server_vad", **numbers).name

    count = len(recordings_for(Role.QUESTION))
    assert name() == name(repeat=1, attempt=1)
    assert len({name(repeat=number) for number in range(1, count + 1)}) == count
    assert len({name(attempt=number) for number in (1, 2, 3)}) == 3
    assert name() != Cast().recording(Role.QUESTION, "engine_turn", "semantic_vad").name


def test_a_voice_that_is_named_says_all() -> None:
    assert {each.voice for each in spoken_in_a_suite(Cast(["flite awb"]))} == {"flite awb"}


def test_a_recording_that_is_named_is_spoken_where_its_role_fits() -> None:
    spoken = spoken_in_a_suite(Cast(["interruption_rms"]))
    assert {each.name for each in spoken if each.role is Role.INTERRUPTION} == {"interruption_rms"}
    assert len({each.name for each in spoken if each.role is Role.QUESTION}) > 1


def test_a_recording_of_the_users_own_is_only_spoken_when_it_is_named(own: SpeechRecording) -> None:
    assert not any(each.added for each in spoken_in_a_suite(Cast()))
    assert {each.name for each in spoken_in_a_suite(Cast(["mine"])) if each.role is Role.QUESTION} == {own.name}


def test_a_name_that_nobody_can_speak_with_is_told(own: SpeechRecording) -> None:
    with pytest.raises(UnknownName, match="flite slt, flite rms, flite awb"):
        Cast(["nobody"])
    add_recording(own.path, name="aimless")
    with pytest.raises(UsageError, match="has no role"):
        Cast(["aimless"])

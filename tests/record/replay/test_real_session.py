"""A short study with the embedded engine, and the plan of its record: it holds what the study did, when it did it."""

from pathlib import Path

import numpy as np
import pytest

from simulator.participant.host import InProcessHost
from simulator.participant.messages import ChooseVoice, Connect, Disconnect, PlayStudy, VoiceKind
from simulator.record.entries import Track
from simulator.record.fields import whole_number
from simulator.record.reader import Record, audio, read_record
from simulator.record.replay.deeds import Anchor, Ask, Instruct, Listen, Push, Request, Say
from simulator.record.replay.plan import plan
from simulator.record.replay.voice import ParticipantVoice
from simulator.study.loading import load_study
from simulator.units import NS_PER_MS, NS_PER_S

STUDY = """\
format: participant-simulator/study
version: 1
name: A barge-in
instructions: Be kind.
steps:
  - participants: [{name: Alex, role: A}]
  - say: {text: Please tell me a long story.}
  - when: during reply
    say: {text: Stop. I have heard enough.}
  - when: after reply
    part: {name: Two, guidance: Be brief.}
  - listening: off
  - question: {component: likertscale, config: {question: Good?, scale: 7}, attempts: 2}
  - wait: 0.5
  - listening: on
  - wait: 0.3
  - typed: {speaker: Alex, said: Goodbye.}
  - when: after reply
    timer: 1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the session's folder is made; nothing of the user's is read or written."""
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_DATA", str(tmp_path / "data"))
    return tmp_path / "records"


def times(record: Record, kind: str) -> list[int]:
    return [entry.t_ns for entry in record.entries if entry.type == kind]


async def test_the_plan_holds_what_the_study_did(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    study = load_study(tmp_path / "study.yaml").study
    async with InProcessHost() as host:
        assert await host.send(ChooseVoice, kind=VoiceKind.SILENCE) is None
        connected = await host.send(Connect, engine="embedded", record_folder=str(folder), instructions="Be kind.")
        assert connected is None
        assert await host.send(PlayStudy, study=study) is None
        await host.status_with(lambda status: status.study is None)
        assert await host.send(Disconnect) is None
    (path,) = folder.glob("*/session.jsonl")
    planned, record = plan(path), read_record(path)
    assert planned.lacks == ()
    deeds = [act.deed for act in planned.acts]
    expected = [Push, Say, Say, Instruct, Listen, Ask, Listen, Push, Request, Push]
    assert [type(deed) for deed in deeds] == expected
    assert planned.exchanges == 3
    asked = {"question": "Good?", "scale": 7}
    assert [deed for deed in deeds if isinstance(deed, Ask)] == [Ask("likertscale", asked, attempts=2)]
    assert [deed for deed in deeds if isinstance(deed, Instruct)] == [Instruct("Be kind.\n\nBe brief.", "Two")]
    assert [deed.on for deed in deeds if isinstance(deed, Listen)] == [False, True]

    (_, first, barge_in, part, *_) = planned.acts
    assert first.after == Anchor()
    assert barge_in.after == Anchor("reply begins", 1)
    assert part.after == Anchor("reply ends", 2)
    assert 0 <= part.after_ns < NS_PER_S

    # The speeches are the recordings, to the sample; the second is timed from the reply to the block.
    sent = audio(path, Track.PARTICIPANT)
    noted = [entry for entry in record.entries if entry.type == "recording.started"]
    starts = times(record, "playback.started")
    assert len(noted) == 2
    with ParticipantVoice(path) as voice:
        for act, note in zip((first, barge_in), noted, strict=True):
            assert isinstance(act.deed, Say)
            said_at, samples = whole_number(note, "first_sample"), whole_number(note, "samples")
            assert said_at is not None
            assert samples is not None
            said = sent[said_at : said_at + samples]
            heard = voice.read(act.deed.first_sample, act.deed.samples)
            inside = np.trim_zeros(heard)
            offset = _place(said, inside[:4_800])
            assert offset is not None
            assert np.array_equal(said[offset : offset + len(inside)], inside)
            loud = np.flatnonzero(np.abs(said.astype(int)) > 1_000)
            assert offset <= loud[0]
            assert offset + len(inside) >= loud[-1]
    onset_ns = noted[1].t_ns - starts[0]
    assert abs(barge_in.after_ns - onset_ns) < 500 * NS_PER_MS


def _place(samples: "np.ndarray", piece: "np.ndarray") -> int | None:
    """Return where a piece lies within samples."""
    starts = np.flatnonzero(samples[: len(samples) - len(piece) + 1] == piece[0])
    return next((int(at) for at in starts if np.array_equal(samples[at : at + len(piece)], piece)), None)

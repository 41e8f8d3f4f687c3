"""The studies that come with the program: each is played to its end against the embedded engine, with every answer."""

from pathlib import Path

from simulator.participant.host import InProcessHost
from simulator.participant.messages import Connect, Disconnect, PlayStudy
from simulator.record.reader import read_record
from simulator.resources import fixtures_dir
from simulator.study.loading import load_study
from simulator.study.steps import AskQuestion

COMPLETE = ("first_meeting", "rating_faces", "gemeinsames_fruehstueck")
SMALL = (
    "multiplechoice",
    "multiplechoice_several",
    "likertscale",
    "vasrating",
    "ranking",
    "textinput",
    "rapidrate",
    "audiorecording",
)


async def test_every_question_of_the_samples_is_answered_by_the_embedded_engine(records: Path) -> None:
    asked, own = 0, 0
    async with InProcessHost() as host:
        assert await host.send(Connect, engine="embedded", record_folder=str(records)) is None
        for name in (*SMALL, *COMPLETE):
            study = load_study(fixtures_dir() / "studies" / f"{name}.yaml").study
            questions = [step.action for step in study.steps if isinstance(step.action, AskQuestion)]
            assert questions
            asked += len(questions)
            own += sum(question.own_answer is not None for question in questions)
            # The voice is silence: what is said is left out, which `run` does say in its own tests.
            assert await host.send(PlayStudy, study=study, speaks=False) is None
            await host.status_with(lambda status: status.study is None)
        assert await host.send(Disconnect) is None
    (path,) = records.glob("*/session.jsonl")
    notes = [entry for entry in read_record(path).entries if entry.direction == "noted"]
    ended = [entry.event for entry in notes if entry.type == "study.ended"]
    assert ended == [{"end": "finished", "unanswered": [], "missed_replies": []}] * (len(SMALL) + len(COMPLETE))
    assert [entry.event for entry in notes if entry.type in ("study.refused", "problem", "violation")] == []
    accepted = [entry for entry in notes if entry.type == "answer" and entry.event["accepted"]]
    assert len(accepted) == asked
    assert sum(entry.type == "own_answer" for entry in notes) == own

"""An imported experiment is played to its end against the embedded engine, and heard while it shows the video chat."""

import json
from pathlib import Path
from typing import Any

from simulator.participant.host import InProcessHost
from simulator.participant.messages import Connect, Disconnect, PlayStudy
from simulator.record.reader import read_record
from simulator.study.loading import load_study


def _state(name: str, component: str, config: dict[str, Any], *, video_chat: bool) -> dict[str, Any]:
    return {
        "id": name,
        "focusComponent": {"type": component, "config": config},
        "globalComponentsVisibility": {"videochat": video_chat},
    }


EXPERIMENT = {
    "name": "Imported",
    "requiredParticipants": 2,
    "globalComponents": {"videochat": {}},
    "states": [
        _state("welcome", "showtext", {"text": "<p>Hello!</p>"}, video_chat=False),
        _state("talk", "videochat", {"durationMs": 500}, video_chat=True),
        _state("drink", "multiplechoice", {"prompt": "Tea?", "options": [{"text": "Yes"}, "No"]}, video_chat=False),
        _state("warm", "vasrating", {"prompt": "How warm?", "min": 0, "max": 10}, video_chat=False),
        _state("joy", "likertscale", {"prompt": "It was fun.", "scalePoints": 5}, video_chat=False),
        _state("rank", "ranking", {"prompt": "Rank.", "options": ["A", "B"]}, video_chat=False),
        _state("why", "textinput", {"prompt": "Why?"}, video_chat=False),
    ],
}


async def test_an_imported_experiment_is_played_and_answered(records: Path, tmp_path: Path) -> None:
    path = tmp_path / "experiment.json"
    path.write_text(json.dumps(EXPERIMENT), encoding="utf-8")
    async with InProcessHost() as host:
        assert await host.send(Connect, engine="embedded", record_folder=str(records)) is None
        assert await host.send(PlayStudy, study=load_study(path).study) is None
        await host.status_with(lambda status: status.study is None)
        assert await host.send(Disconnect) is None
    (record,) = records.glob("*/session.jsonl")
    notes = [entry for entry in read_record(record).entries if entry.direction == "noted"]
    answered = [entry.event["component"] for entry in notes if entry.type == "answer" and entry.event["accepted"]]
    assert answered == ["multiplechoice", "vasrating", "likertscale", "ranking", "textinput"]
    heard = [entry.type for entry in notes if entry.type.startswith("listening.")]
    assert heard[:3] == ["listening.off", "listening.on", "listening.off"]
    assert [entry.event for entry in notes if entry.type in ("study.refused", "problem", "violation")] == []

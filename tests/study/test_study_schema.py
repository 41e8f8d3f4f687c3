"""The schema of the study file takes what the reader takes, and refuses what it refuses by shape."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from simulator.errors import UnreadableFile
from simulator.profile.components import RATING_PAUSE_COMPONENTS
from simulator.resources import fixtures_dir
from simulator.study.steps import AskQuestion, EnterPart, PushContext
from simulator.study.study_file import read_study
from simulator.study.study_schema import study_schema

HEAD = "format: participant-simulator/study\nversion: 1\n"
STEPS = """\
steps:
  - participants: [{name: Alex, role: A}, {name: 7}]
  - {screen: {type: showtext, text: Hello, images: []}, when: after reply, at_s: 1.5}
  - typed: {speaker: Alex, said: 12, reply: no}
  - question: {component: likertscale, config: {question: How was it}, during_video: true, within_s: 20}
  - timer: 30
  - pause: [Alex]
  - resume:
  - experimenter_message: Thanks.
  - revealed: {name: Alex, role: A, answer: [1, 2]}
  - say: coffee_or_tea
  - listening: off
  - instructions: Be brief.
  - reply:
  - reply: Say hello.
  - wait: 0
  - part: The first
  - part: {name: The second, guidance: Be brief.}
  - {screen: {video_chat: no}}
  - rating_pause: {component: rapidrate, config: {prompt: Now, dimensions: [{label: Calm}]}, own_answer: {Calm: 5}}
  - question: {component: textinput, config: {question: Why}, attempts: 2, video_chat: true}
  - say: {text: Hello., voice: heart}
  - context: {item: {event: participants}, images: [], reply: true, video_chat: off}
"""
SETTINGS = (
    "name: A\ninstructions: B\nvoice: marin\nturn_detection: {type: semantic_vad}\nreply_within_s: 5\ntext_chat: true\n"
)


def taken_by_schema(text: str) -> bool:
    return jsonschema.Draft202012Validator(study_schema()).is_valid(yaml.safe_load(text))


def taken_by_reader(text: str, folder: Path) -> bool:
    path = folder / "study.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        read_study(path)
    except UnreadableFile:
        return False
    return True


def test_both_take_every_step_and_setting_and_the_studies_that_come_along(tmp_path: Path) -> None:
    text = HEAD + SETTINGS + STEPS
    assert taken_by_reader(text, tmp_path)
    assert taken_by_schema(text)
    studies = list((fixtures_dir() / "studies").glob("*.yaml"))
    assert studies
    for path in studies:
        assert taken_by_schema(path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize(
    "text",
    [
        "steps: [{wait: 1}]\n",
        HEAD,
        HEAD.replace("1", "2") + "steps: [{wait: 1}]\n",
        HEAD + "steps: []\n",
        HEAD + "steps: 5\n",
        HEAD + "colour: red\nsteps: [{wait: 1}]\n",
        HEAD + "reply_within_s: 0\nsteps: [{wait: 1}]\n",
        HEAD + "turn_detection: {eagerness: low}\nsteps: [{wait: 1}]\n",
        HEAD + "turn_detection: {type: foo}\nsteps: [{wait: 1}]\n",
        HEAD + "turn_detection: {type: semantic_vad, threshold: 0.5}\nsteps: [{wait: 1}]\n",
        HEAD + "turn_detection: {type: server_vad, threshold: 2}\nsteps: [{wait: 1}]\n",
        HEAD + "steps: [{sing: la}]\n",
        HEAD + "steps: [{at_s: 3}]\n",
        HEAD + "steps: [{say: a, wait: 1}]\n",
        HEAD + "steps: [{wait: -1}]\n",
        HEAD + "steps: [{wait: long}]\n",
        HEAD + "steps: [{wait: 1, when: later}]\n",
        HEAD + "steps: [{listening: maybe}]\n",
        HEAD + "steps: [{typed: {speaker: Alex}}]\n",
        HEAD + "steps: [{question: {component: likertscale}}]\n",
        HEAD + "steps: [{participants: [{role: A}]}]\n",
        HEAD + "steps: [{screen: {images: [{shows: a}]}}]\n",
        HEAD + "steps: [{revealed: {name: Alex}}]\n",
        HEAD + "steps: [{resume: now}]\n",
        HEAD + "steps: [{say: }]\n",
        HEAD + "steps: [{say: {voice: heart}}]\n",
        HEAD + "steps: [{part: {guidance: Be brief.}}]\n",
        HEAD + "steps: [{question: {component: rapidrate, config: {prompt: A, dimensions: [B]}}}]\n",
        HEAD + "steps: [{question: {component: textinput, config: {question: A}, attempts: 0}}]\n",
        HEAD + "steps: [{context: {item: {text: A}}}]\n",
        HEAD + "steps: [{question: {component: textinput, config: {}}}]\n",
        HEAD + "steps: [{question: {component: ranking, config: {prompt: A}}}]\n",
        HEAD + "steps: [{rating_pause: {component: rapidrate, config: {prompt: A}}}]\n",
    ],
)
def test_both_refuse_a_wrong_shape(text: str, tmp_path: Path) -> None:
    assert not taken_by_reader(text, tmp_path)
    assert not taken_by_schema(text)


def test_the_schema_in_docs_is_this_one() -> None:
    published = Path(__file__).parents[2] / "docs" / "study.schema.json"
    assert json.loads(published.read_text(encoding="utf-8")) == study_schema(), (
        "write it again: participant-simulator schema study > docs/study.schema.json"
    )


def test_each_component_has_a_sample_and_the_complete_ones_have_everything() -> None:
    folder = fixtures_dir() / "studies"
    samples = {path.stem: read_study(path) for path in folder.glob("*.yaml")}
    asked = {
        name: [step.action for step in study.steps if isinstance(step.action, AskQuestion)]
        for name, study in samples.items()
    }
    for component in RATING_PAUSE_COMPONENTS:
        (question,) = asked[component]
        assert question.component == component
    (several,) = asked["multiplechoice_several"]
    assert several.config["allowMultiple"] is True
    for name in ("first_meeting", "rating_faces", "gemeinsames_fruehstueck"):
        steps = [step.action for step in samples[name].steps]
        events = {action.context["event"] for action in steps if isinstance(action, PushContext)}
        assert {"participants", "screen", "timer", "revealed", "paused", "resumed", "experimenter_message"} <= events
        assert sum(isinstance(action, EnterPart) and action.guidance is not None for action in steps) >= 2

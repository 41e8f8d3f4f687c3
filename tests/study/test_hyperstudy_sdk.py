"""An experiment built with HyperStudy's own SDK becomes the study that was worked out by hand."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hyperstudy import (
    AgentConfig,
    ComponentType,
    Experiment,
    FocusComponent,
    PromptLayer,
    Role,
    State,
    TransitionRules,
    likert_scale,
    multiple_choice,
    ranking,
    show_image,
    show_text,
    show_video,
    text_input,
    vas_rating,
    waiting,
)

from simulator.study.hyperstudy import roles_of
from simulator.study.loading import load_study
from simulator.study.needs import needed_tools
from simulator.study.steps import AskQuestion, EnterPart, PushContext, SetListening, Step, Study, Wait, When
from simulator.study.study_file import read_study
from simulator.study.study_writing import write_study

PAUSES = {
    "enabledStates": ["clip"],
    "stateConfigurations": {
        "clip": {
            "stateId": "clip",
            "videoDuration": 60_000,
            "distribution": {"type": "manual", "parameters": {"times": [40, 15]}},
            "ratingComponent": {
                "type": "rapidrate",
                "config": {
                    "prompt": "How do you feel?",
                    "dimensions": [{"label": "Calm", "minLabel": "not", "maxLabel": "very"}, {"label": "Happy"}],
                },
            },
            "responseTimeLimit": 20_000,
            "seekBackDuration": 3_000,
        }
    },
}


def shows(video_chat: bool) -> dict[str, bool]:
    return {"videochat": video_chat}


def timed(duration_ms: int) -> TransitionRules:
    return TransitionRules(type="timed", duration_ms=duration_ms)


def built() -> Experiment:
    return Experiment(
        name="First impressions",
        description="Two strangers meet.",
        required_participants=2,
        roles={
            "host": Role(name="Host", participant_count=1),
            "guest": Role(name="Guest", participant_count=1, mode="agent", persona_id="persona_7"),
        },
        agent_config=AgentConfig(
            role_overrides={
                "guest": PromptLayer(objective="Get to know the host.", guidance="Be brief.", examples=["Hello!"]),
                "host": PromptLayer(objective="Never told to the guest."),
            }
        ),
        global_components={
            ComponentType.VIDEO_CHAT: {},
            ComponentType.TEXT_CHAT: {},
            ComponentType.SPARSE_RATING: PAUSES,
        },
        states=[
            State(
                id="welcome",
                name="Welcome",
                focus_component=show_text("<h1>Welcome</h1><p>Read &amp; <b>wait</b>.</p>", font_size=24),
                global_components_visibility=shows(False),
            ),
            State(
                id="face",
                focus_component=show_image("https://example.org/face.png", caption="Look at this face."),
                transition_rules=timed(5_000),
                global_components_visibility=shows(False),
            ),
            State(
                id="clip",
                focus_component=show_video("https://example.org/clip.mp4"),
                global_components_visibility=shows(False),
            ),
            State(
                id="talk",
                name="Talk",
                focus_component=FocusComponent(type=ComponentType.VIDEO_CHAT, config={"showCountdown": True}),
                transition_rules=timed(120_000),
                global_components_visibility=shows(True),
            ),
            State(
                id="warm",
                focus_component=vas_rating("How warm?", output_variable="warm", min_value=0, max_value=10),
                global_components_visibility=shows(False),
            ),
            State(
                id="drink",
                focus_component=multiple_choice(
                    "Which drinks?", ["Tea", "Coffee"], output_variable="d", allowMultiple=True
                ),
                transition_rules=timed(45_000),
                global_components_visibility=shows(False),
            ),
            State(
                id="joy",
                focus_component=likert_scale("I enjoyed it.", output_variable="joy", scale_points=5),
                global_components_visibility=shows(False),
            ),
            State(
                id="rank",
                focus_component=ranking("Rank these.", ["Reading", "Hiking"], output_variable="rank"),
                global_components_visibility=shows(False),
            ),
            State(
                id="why",
                focus_component=text_input("Why?", output_variable="why"),
                global_components_visibility=shows(False),
            ),
            State(
                id="rest",
                focus_component=waiting(3_000, message="One moment."),
                global_components_visibility=shows(False),
            ),
        ],
    )


def written(tmp_path: Path, experiment: Experiment) -> Path:
    path = tmp_path / "experiment.json"
    path.write_text(json.dumps(experiment.model_dump(by_alias=True, exclude_none=True)), encoding="utf-8")
    return path


def screen(kind: str, text: str, video_chat: bool) -> PushContext:
    return PushContext({"event": "screen", "type": kind, "text": text}, video_chat=video_chat)


def ask(component: str, config: dict[str, Any], within_s: float = 30.0) -> AskQuestion:
    return AskQuestion(component, config, within_s=within_s, video_chat=False)


FEELING = AskQuestion(
    "rapidrate",
    {
        "prompt": "How do you feel?",
        "dimensions": [{"label": "Calm", "minLabel": "not", "maxLabel": "very"}, {"label": "Happy"}],
    },
    during_video=True,
    within_s=20.0,
    shown_on="rating pause",
)
EXPECTED = (
    Step(PushContext({"event": "participants", "others": [{"name": "Host", "role": "Host"}]})),
    Step(EnterPart("Welcome")),
    Step(screen("showtext", "Welcome\n\nRead & wait.", False)),
    # People end the welcome: the next part comes after the reply to what was said in it.
    Step(EnterPart("face"), when=When.AFTER_REPLY),
    Step(screen("showimage", "Look at this face.", False)),
    Step(Wait(5.0)),
    Step(EnterPart("clip")),
    Step(screen("showvideo", "", False)),
    Step(Wait(15.0)),
    Step(FEELING),
    # 25 s to second 40, and the 3 s that are played again.
    Step(Wait(28.0)),
    Step(FEELING),
    Step(Wait(23.0)),
    Step(EnterPart("Talk")),
    Step(screen("videochat", "", True)),
    Step(PushContext({"event": "timer", "secondsLeft": 120})),
    Step(Wait(120.0)),
    Step(EnterPart("warm")),
    Step(ask("vasrating", {"prompt": "How warm?", "minValue": 0, "maxValue": 10})),
    Step(EnterPart("drink")),
    Step(ask("multiplechoice", {"prompt": "Which drinks?", "options": ["Tea", "Coffee"], "allowMultiple": True}, 45.0)),
    Step(EnterPart("joy")),
    Step(ask("likertscale", {"prompt": "I enjoyed it.", "scalePoints": 5})),
    Step(EnterPart("rank")),
    Step(ask("ranking", {"prompt": "Rank these.", "options": ["Reading", "Hiking"]})),
    Step(EnterPart("why")),
    Step(ask("textinput", {"prompt": "Why?"})),
    Step(EnterPart("rest")),
    Step(screen("waiting", "One moment.", False)),
    Step(Wait(3.0)),
)


def test_states_roles_and_visibility_become_the_deck(tmp_path: Path) -> None:
    study = load_study(written(tmp_path, built())).study
    assert study.steps == EXPECTED
    assert study.name == "First impressions"
    assert study.instructions == "Get to know the host.\n\nBe brief.\n\n- Hello!"
    assert study.text_chat is True
    assert needed_tools(study) == (
        "send_chat",
        "answer_choices",
        "answer_scale",
        "answer_ranking",
        "answer_text",
        "answer_dimensions",
    )


def test_what_is_not_taken_over_is_said_with_the_states_name(tmp_path: Path) -> None:
    notes = load_study(written(tmp_path, built())).notes
    assert "Not taken over of the experiment: description." in notes
    assert "State “Welcome”: the field fontSize of its component's config was left out." in notes
    assert (
        "States “warm”, “drink”, “joy”, “rank” and “why”: "
        "the field outputVariable of its component's config was left out."
    ) in notes
    assert any(
        note.startswith("State “face”: the picture https://example.org/face.png is not downloaded") for note in notes
    )
    assert any(note.startswith("State “clip”: the video https://example.org/clip.mp4 is not played") for note in notes)
    assert any(
        note.startswith("The persona persona_7 of the role “Guest” lies in the platform's library") for note in notes
    )


def test_the_role_that_is_wanted_decides_who_the_others_are(tmp_path: Path) -> None:
    path = written(tmp_path, built())
    study = load_study(path, "Host").study
    assert study.steps[0] == Step(
        PushContext({"event": "participants", "others": [{"name": "Guest", "role": "Guest"}]})
    )
    assert study.instructions == "Never told to the guest."
    assert [(role.id, role.name, role.is_agent) for role in roles_of(path)] == [
        ("host", "Host", False),
        ("guest", "Guest", True),
    ]


def test_the_sdks_own_spelling_of_python_is_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "snake.json"
    path.write_text(built().model_dump_json(exclude_none=True), encoding="utf-8")
    assert load_study(path).study == load_study(written(tmp_path, built())).study


def test_an_imported_study_is_written_and_read_again(tmp_path: Path) -> None:
    study = load_study(written(tmp_path, built())).study
    write_study(study, tmp_path / "study.yaml")
    again = read_study(tmp_path / "study.yaml")
    assert without_lines(again) == study


def without_lines(study: Study) -> Study:
    steps = tuple(msgspec.structs.replace(step, line=0) for step in study.steps)
    return msgspec.structs.replace(study, steps=steps)


@pytest.mark.parametrize("component", list(ComponentType))
def test_every_component_of_the_sdk_says_whether_the_participant_is_heard_and_leaves_no_word_out(
    component: ComponentType, tmp_path: Path
) -> None:
    config = {"prompt": "Words of its own", "options": ["A", "B"], "ownField": 1}
    state = State(
        id="only",
        focus_component=FocusComponent(type=component, config=config),
        global_components_visibility=shows(True),
    )
    loaded = load_study(written(tmp_path, Experiment(name="One", states=[state])))
    heard = [
        action.on if isinstance(action, SetListening) else action.video_chat
        for action in (step.action for step in loaded.study.steps)
        if isinstance(action, SetListening)
        or (isinstance(action, PushContext | AskQuestion) and action.video_chat is not None)
    ]
    assert heard == [True]
    told = str([msgspec.to_builtins(step.action) for step in loaded.study.steps])
    assert "Words of its own" in told or any("left out" in note and "prompt" in note for note in loaded.notes)
    assert any("left out" in note and "ownField" in note for note in loaded.notes)

"""Importing experiments: spellings, envelopes, roles, times, rating pauses; and files that are none."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.errors import SimulatorError, UnknownName, UnreadableFile, UsageError
from simulator.profile.components import config_error
from simulator.study.hyperstudy import roles_of
from simulator.study.loading import Loaded, load_study
from simulator.study.steps import AskQuestion, EnterPart, PushContext, SetListening, StepAction, Wait, When
from simulator.study.study_writing import study_text

TWO_ROLES = {"a": {"name": "Speaker", "participantCount": 1}, "b": {"name": "Listener", "participantCount": 2}}


def state(component: str = "showtext", config: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    settings_ = {"text": "Hello."} if config is None else config
    return {"id": "s", "name": "Only", "focusComponent": {"type": component, "config": settings_}, **fields}


def loaded(tmp_path: Path, experiment: Any, role: str | None = None) -> Loaded:
    path = tmp_path / "experiment.json"
    path.write_text(experiment if isinstance(experiment, str) else json.dumps(experiment), encoding="utf-8")
    return load_study(path, role)


def one(tmp_path: Path, *states: dict[str, Any], **fields: Any) -> Loaded:
    return loaded(tmp_path, {"name": "One", "states": list(states), **fields})


def actions(study: Loaded) -> list[StepAction]:
    return [step.action for step in study.study.steps]


def question(study: Loaded) -> AskQuestion:
    return next(action for action in actions(study) if isinstance(action, AskQuestion))


# ---- envelopes


@pytest.mark.parametrize(
    "envelope",
    [
        lambda experiment: experiment,
        lambda experiment: {"status": "success", "metadata": {}, "data": [experiment]},
        lambda experiment: {"data": experiment},
        lambda experiment: {"exportInfo": {"exportVersion": "1.0"}, "experiment": experiment, "mediaAssets": [{}, {}]},
    ],
)
def test_an_experiment_is_found_in_what_the_platform_wraps_it_in(envelope: Any, tmp_path: Path) -> None:
    study = loaded(tmp_path, envelope({"name": "Wrapped", "states": [state()]}))
    assert study.study.name == "Wrapped"
    assert [type(action) for action in actions(study)] == [EnterPart, PushContext]


def test_the_title_of_an_exports_metadata_is_its_name_and_its_media_are_said_to_be_missing(tmp_path: Path) -> None:
    experiment = {"metadata": {"title": "By title"}, "states": [state()]}
    study = loaded(tmp_path, {"experiment": experiment, "mediaAssets": [{"id": "video_1"}]})
    assert study.study.name == "By title"
    assert "The 1 media files that the export lists are not in it, and are not downloaded." in study.notes


def test_states_come_by_their_order(tmp_path: Path) -> None:
    first, second = state(id="1", name="First", order=1), state(id="2", name="Second", order=2)
    study = one(tmp_path, second, first)
    assert [action.name for action in actions(study) if isinstance(action, EnterPart)] == ["First", "Second"]
    assert "The states come by their order fields, which differ from their order in the file." in study.notes


# ---- roles


def test_several_roles_want_a_choice_that_names_them(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has the roles Speaker and Listener: choose .* --role a\."):
        one(tmp_path, state(), roles=TWO_ROLES)


@pytest.mark.parametrize(
    ("role", "others"),
    [
        ("a", [{"name": "Listener 1", "role": "Listener"}, {"name": "Listener 2", "role": "Listener"}]),
        ("Listener", [{"name": "Speaker", "role": "Speaker"}, {"name": "Listener", "role": "Listener"}]),
    ],
)
def test_the_others_are_all_participants_but_the_agent(role: str, others: Any, tmp_path: Path) -> None:
    study = loaded(tmp_path, {"name": "R", "states": [state()], "roles": TWO_ROLES}, role)
    assert actions(study)[0] == PushContext({"event": "participants", "others": others})
    assert "Of the 2 other participants, one has a voice here." in study.notes


def test_a_role_that_is_not_there_is_named_beside_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="no role “c”: its roles are Speaker and Listener"):
        loaded(tmp_path, {"name": "R", "states": [state()], "roles": TWO_ROLES}, "c")


def test_without_roles_the_number_of_participants_counts(tmp_path: Path) -> None:
    study = one(tmp_path, state(), requiredParticipants=3)
    assert actions(study)[0] == PushContext(
        {"event": "participants", "others": [{"name": "Participant 1"}, {"name": "Participant 2"}]}
    )


def test_a_study_file_has_no_roles_and_refuses_one(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("format: participant-simulator/study\nversion: 1\nsteps: [{wait: 1}]\n", encoding="utf-8")
    assert roles_of(path) == ()
    with pytest.raises(UsageError, match="leave the role away"):
        load_study(path, "a")


# ---- what is heard


@pytest.mark.parametrize(
    ("everywhere", "visibility", "heard"),
    [
        ({}, {"videochat": True}, True),
        ({}, {}, False),
        ({"videochat": {}}, {}, True),
        ({"videochat": {}}, {"videochat": False}, False),
        ({"videochat": {"enabled": False}}, {"videochat": True}, False),
        ({"videochat": {}}, {"textchat": True}, True),
    ],
)
def test_the_participant_is_heard_while_the_video_chat_is_shown(
    everywhere: Any, visibility: Any, heard: bool, tmp_path: Path
) -> None:
    study = one(tmp_path, state(globalComponentsVisibility=visibility), globalComponents=everywhere)
    shown = next(action for action in actions(study) if isinstance(action, PushContext) and "type" in action.context)
    assert shown.video_chat is heard


def test_a_state_that_shows_nothing_still_says_who_is_heard(tmp_path: Path) -> None:
    study = one(tmp_path, state("trigger", {}, globalComponentsVisibility={"videochat": True}))
    assert actions(study)[-1] == SetListening(True)
    assert "State “Only”: the component trigger has no meaning for a voice agent, and is left out." in study.notes


def test_a_text_chat_declares_the_tool_and_says_where_it_would_be_hidden(tmp_path: Path) -> None:
    shown = state(id="1", name="Chat", globalComponentsVisibility={"textchat": True})
    study = one(tmp_path, shown, state())
    assert study.study.text_chat is True
    assert any(note.startswith("The text chat is shown in 1 of 2 states") for note in study.notes)
    assert one(tmp_path, state()).study.text_chat is False


# ---- times


@pytest.mark.parametrize(
    ("rules", "seconds", "ends_by_itself"),
    [
        ({"type": "timed", "durationMs": 2500}, [2.5], True),
        ({"type": "TIMED", "durationMs": 2500}, [2.5], True),
        ({"durationMs": 2500}, [2.5], True),
        ({"type": "auto"}, [], False),
        ({"type": "manual", "durationMs": 2500}, [], False),
        ({"type": "all"}, [], False),
        ({}, [], False),
    ],
)
def test_a_timed_state_waits_and_one_that_people_end_waits_for_a_reply(
    rules: Any, seconds: list[float], ends_by_itself: bool, tmp_path: Path
) -> None:
    study = one(tmp_path, state(transitionRules=rules), state(id="2", name="Next"))
    assert [action.seconds for action in actions(study) if isinstance(action, Wait)] == seconds
    following = next(step for step in study.study.steps if step.action == EnterPart("Next"))
    assert following.when is (When.NOW if ends_by_itself else When.AFTER_REPLY)


def test_a_timed_question_may_be_answered_that_long(tmp_path: Path) -> None:
    config = {"question": "Why?", "showCountdown": True}
    study = one(tmp_path, state("textinput", config, transitionRules={"type": "timed", "durationMs": 90_000}))
    assert actions(study)[1:] == [
        PushContext({"event": "timer", "secondsLeft": 90}),
        AskQuestion("textinput", {"question": "Why?"}, within_s=90.0, video_chat=False),
    ]


# ---- questions in each spelling


@pytest.mark.parametrize(
    ("component", "given", "asked"),
    [
        ("multiplechoice", {"question": "Q", "choices": ["A", "B"]}, {"question": "Q", "choices": ["A", "B"]}),
        (
            "multiplechoice",
            {"prompt": "Q", "options": [{"text": "<i>A</i>", "value": 1}, {"label": "B"}, {"value": "C"}]},
            {"prompt": "Q", "options": ["A", "B", "C"]},
        ),
        ("vasrating", {"prompt": "Q", "min": -5, "max": 5}, {"prompt": "Q", "minValue": -5, "maxValue": 5}),
        (
            "vasrating",
            {"question": "Q", "minValue": 0, "maxValue": 1, "leftLabel": "low", "rightLabel": "high"},
            {"question": "Q", "minValue": 0, "maxValue": 1, "minLabel": "low", "maxLabel": "high"},
        ),
        ("likertscale", {"question": "Q", "scale": 5}, {"question": "Q", "scale": 5}),
        (
            "likertscale",
            {"prompt": "Q", "labels": ["no", "so", "yes"]},
            {"prompt": "Q", "labels": ["no", "so", "yes"], "scale": 3},
        ),
        (
            "ranking",
            {"prompt": "Q", "options": ["A", "B"], "lowLabel": "l"},
            {"prompt": "Q", "options": ["A", "B"], "lowLabel": "l"},
        ),
        ("textinput", {"prompt": "<p>Q &gt; 1</p>"}, {"prompt": "Q > 1"}),
    ],
)
def test_questions_keep_what_they_ask(component: str, given: Any, asked: Any, tmp_path: Path) -> None:
    study = one(tmp_path, state(component, given))
    assert question(study).config == asked
    assert config_error(component, asked) is None


def test_choices_with_values_and_pictures_say_what_is_not_taken_over(tmp_path: Path) -> None:
    options = [{"text": "A", "value": 1, "imageUrl": "a.png", "color": "red"}, {"text": "B", "value": 2}]
    notes = one(tmp_path, state("multiplechoice", {"prompt": "Q", "options": options})).notes
    assert "State “Only”: the picture a.png of the choice “A” is not shown." in notes
    assert "State “Only”: the agent answers with the texts of the choices, not with their values." in notes
    assert "State “Only”: not taken over of the choices: color." in notes


def test_a_question_that_cannot_be_asked_is_shown_and_said(tmp_path: Path) -> None:
    study = one(tmp_path, state("multiplechoice", {"question": "Which?", "choices": ["A", "A"]}))
    assert actions(study)[-1] == PushContext(
        {"event": "screen", "type": "multiplechoice", "text": "Which?"}, video_chat=False
    )
    assert any(
        "its question is not asked. The question “Which?” has the choice “A” twice" in note for note in study.notes
    )


def test_a_picture_beside_a_question_has_a_screen_to_drag_it_onto(tmp_path: Path) -> None:
    config = {"question": "How kind is this face?", "showStimulus": True, "stimulusUrl": "../../etc/passwd"}
    study = one(tmp_path, state("vasrating", config))
    shown = actions(study)[1]
    assert shown == PushContext(
        {"event": "screen", "type": "vasrating", "text": "How kind is this face?"}, video_chat=False
    )
    assert any("the picture ../../etc/passwd is not downloaded" in note for note in study.notes)


@pytest.mark.parametrize("component", ["rapidrate", "audiorecording"])
def test_what_only_a_rating_pause_asks_is_shown_on_a_screen(component: str, tmp_path: Path) -> None:
    study = one(tmp_path, state(component, {"prompt": "Say it.", "dimensions": [{"label": "Calm"}]}))
    assert not any(isinstance(action, AskQuestion) for action in actions(study))
    assert any(f"answers the component {component} in a rating pause only" in note for note in study.notes)


def test_an_unknown_component_shows_its_text_and_says_so(tmp_path: Path) -> None:
    study = one(tmp_path, state("hologram", {"text": "Look.", "depth": 3}))
    assert actions(study)[-1] == PushContext({"event": "screen", "type": "hologram", "text": "Look."}, video_chat=False)
    assert "State “Only”: its component “hologram” is not known: of it, only the text is shown." in study.notes
    assert "State “Only”: the field depth of its component's config was left out." in study.notes


# ---- rating pauses


def pauses(tmp_path: Path, **fields: Any) -> list[float]:
    """Return when the video stops, in seconds of waiting since it began."""
    rating = {"ratingComponent": {"type": "textinput", "config": {"prompt": "Now?"}}, **fields}
    everywhere = {"sparserating": {"enabledStates": ["s"], "stateConfigurations": {"s": rating}}}
    study = one(tmp_path, state("showvideo", {"url": "clip.mp4"}), globalComponents=everywhere)
    stops, now = [], 0.0
    for action in actions(study):
        now += action.seconds if isinstance(action, Wait) else 0.0
        if isinstance(action, AskQuestion):
            assert action.shown_on == "rating pause"
            assert action.during_video
            stops.append(round(now, 3))
    return stops


@pytest.mark.parametrize(
    ("distribution", "stops"),
    [
        ({"type": "manual", "parameters": {"times": [5, 2.5, 70]}}, [2.5, 5.0]),
        # Five parts of 12 s, stopped in the middle of each.
        ({"type": "stratified", "parameters": {"binSamplingType": "center"}}, [6.0, 18.0, 30.0, 42.0, 54.0]),
        # Every 20 s on average.
        ({"type": "uniform", "parameters": {"minInterval": 10_000, "maxInterval": 30_000}}, [20.0, 40.0, 60.0]),
        # Three a minute.
        ({"type": "poisson", "parameters": {"lambda": 3}}, [20.0, 40.0, 60.0]),
        ({"type": "by mood"}, [0.0]),
    ],
)
def test_a_video_stops_at_the_moments_of_its_sampling(distribution: Any, stops: list[float], tmp_path: Path) -> None:
    assert pauses(tmp_path, videoDuration=60_000, distribution=distribution) == stops


def test_without_the_videos_length_a_rating_pause_stands_at_its_start(tmp_path: Path) -> None:
    assert pauses(tmp_path) == [0.0]


def test_rating_pauses_that_stop_no_video_are_said(tmp_path: Path) -> None:
    rating = {"ratingComponent": {"type": "textinput", "config": {"prompt": "Now?"}}}
    everywhere = {"sparserating": {"stateConfigurations": {"s": rating, "gone": rating}}}
    study = one(tmp_path, state(), globalComponents=everywhere)
    assert not any(isinstance(action, AskQuestion) for action in actions(study))
    assert "State “Only”: its rating pauses are left out: it shows no video, or hides them." in study.notes
    assert "The rating pauses of gone are left out: there is no such state." in study.notes


# ---- what is left out


def test_nothing_is_left_out_in_silence(tmp_path: Path) -> None:
    only = state(
        config={"text": "Hi {name}", "color": "red"},
        nextState="s",
        loop={"times": 3},
        transitionRules={"type": "by magic", "condition": "x"},
        agentGuidance="Be kind.",
    )
    only["focusComponent"]["style"] = {}
    study = one(
        tmp_path,
        only,
        randomizeStates=True,
        variables={"name": {"type": "string"}},
        consentFormEnabled=True,
        consentFormContent="I agree.",
        globalComponents={"gazeoverlay": {}, "videochat": {"position": "top"}},
        somethingNew=1,
        agentConfig={"pacing": {"ms": 1}},
    )
    said = " ".join(study.notes)
    for name in (
        "color",
        "nextState",
        "loop",
        "condition",
        "style",
        "somethingNew",
        "pacing",
        "position",
        "gazeoverlay",
    ):
        assert name in said, name
    for words in (
        "{name}",
        "by magic",
        "draws the order",
        "the consent form",
        "the variables",
        "agentGuidance is taken",
    ):
        assert words in said, words
    assert actions(study)[1] == EnterPart("Only", "Be kind.")


def test_the_same_of_many_states_is_said_once(tmp_path: Path) -> None:
    states = [state(id=str(at), name=f"S{at}", config={"text": "x", "color": "red"}) for at in range(8)]
    notes = one(tmp_path, *states).notes
    states_named = "States “S0”, “S1”, “S2”, “S3”, “S4” and 3 more"
    assert f"{states_named}: the field color of its component's config was left out." in notes


# ---- files that are no experiment


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"states": [}', "line 1: this is no JSON"),
        ("[1, 2]", "at the top: expected an experiment, as .*, found a list"),
        ('{"name": "x"}', "at the top: expected the experiment's states"),
        ('{"states": []}', "states: expected at least one state"),
        ('{"states": {}}', "states: expected the list of the experiment's states, found an object"),
        ('{"states": [3]}', r"states\[0\]: expected a state, as .*, found 3"),
        ('{"states": [{"id": 7}]}', r"states\[0\].id: expected the state's id, found 7"),
        ('{"states": [{"id": "a", "focusComponent": []}]}', r"states\[0\].focusComponent: expected .*, found a list"),
        (
            '{"states": [{"id": "a", "focusComponent": {"type": null}}]}',
            r"focusComponent: expected a component with its type",
        ),
        (
            '{"states": [{"id": "a", "transitionRules": {"durationMs": -1}}]}',
            r"states\[0\].transitionRules.durationMs: expected milliseconds from 0 to 86,400,000, found -1",
        ),
        ('{"states": [{"id": "a", "transitionRules": {"durationMs": NaN}}]}', "NaN is no number that JSON has"),
        ('{"states": [{"id": "a", "order": 1e999}]}', r"states\[0\].order: this number is larger than any"),
        (
            '{"states": [{"id": "a", "globalComponentsVisibility": {"videochat": "yes"}}]}',
            r"globalComponentsVisibility.videochat: expected true or false, found “yes”",
        ),
        ('{"states": [{"id": "a", "id": "b"}]}', "the field “id” stands twice"),
        ('{"states": [{"id": "\\ud800"}]}', r"states\[0\].id: half a character stands here"),
        ('{"states": ' + "[" * 100 + "]" * 100 + "}", "nested more than 64 levels deep"),
        ('{"states": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested more than 64 levels deep"),
        (
            '{"states": [{"id": "a"}], "roles": {"r": {"participantCount": 1000000}}}',
            "roles.r.participantCount: expected",
        ),
        ('{"states": [{"id": "a"}], "roles": [{"id": "r"}, {"id": "r"}]}', r"roles\[1\]: the role r stands twice"),
        ('{"states": [{"id": ' + "9" * 5000 + "}]}", "a whole number in it is larger than any"),
    ],
)
def test_a_file_that_is_no_experiment_says_where_and_what_was_expected(
    text: str, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(UnreadableFile, match=complaint) as caught:
        loaded(tmp_path, text)
    assert str(tmp_path / "experiment.json") in str(caught.value)


def test_a_text_longer_than_a_screen_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UnreadableFile, match=r"states\[0\].focusComponent.config.text: this text is longer than 50,000"
    ):
        one(tmp_path, state(config={"text": "x" * 50_001}))


def test_a_file_of_any_size_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(64_000_001)
    with pytest.raises(UnreadableFile, match="larger than 64 MB"):
        load_study(path)


@pytest.mark.timeout(20)
def test_two_thousand_states_are_loaded(tmp_path: Path) -> None:
    text = "<p>" + "Hello <b>you</b> &amp; me. " * 10 + "</p>"
    states = [state(id=str(at), name=f"State {at}", config={"text": text}) for at in range(2_000)]
    assert len(one(tmp_path, *states).study.steps) == 4_000


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "timed", "showtext", "multiplechoice", "<p>", "{x}", "agent", "manual", "\x00", "é"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "config", "id", "x"]), inner),
    max_leaves=6,
)


OF_A_STATE = (
    "id",
    "name",
    "order",
    "focusComponent",
    "transitionRules",
    "globalComponentsVisibility",
    "agentGuidance",
)


@settings(max_examples=150, deadline=None)
@given(
    where=st.sampled_from(
        [*OF_A_STATE, "roles", "globalComponents", "requiredParticipants", "agentConfig", "variables", "states"]
    ),
    component=st.sampled_from(["showtext", "showvideo", "multiplechoice", "likertscale", "rapidrate", "sparserating"]),
    field=st.sampled_from(
        ["question", "options", "labels", "dimensions", "durationMs", "ratingComponent", "url", "scale"]
    ),
    value=JSON_VALUES,
)
def test_whatever_a_field_holds_it_is_read_or_refused_in_a_sentence(
    where: str, component: str, field: str, value: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    only = state(component, {field: value})
    experiment: dict[str, Any] = {"name": "One", "states": [only], where: value}
    if where in OF_A_STATE:
        experiment = {"name": "One", "states": [{**only, where: value}]}
    try:
        study = loaded(folder, experiment)
    except SimulatorError:
        return  # what it says is tested above
    assert study_text(study.study, folder)

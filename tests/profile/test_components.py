"""Which configs of a component can be asked, what is said of the others, and where a question may stand."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.errors import UnknownName, UnreadableFile, UsageError
from simulator.profile.answers import RATING_PAUSE_COMPONENTS, config_error, judge, question_text, value_schema
from simulator.profile.components import (
    bounds_of,
    check_place,
    dimensions_of,
    number_text,
    options_of,
    step_of,
)

Q = {"question": "Q"}


@pytest.mark.parametrize(
    ("component", "config"),
    [
        ("multiplechoice", {**Q, "choices": ["A"]}),
        ("multiplechoice", {**Q, "choices": ["A", "a"], "allowMultiple": True, "required": False}),
        ("multiplechoice", {**Q, "choices": ["A"], "allowMultiple": None, "required": None}),
        ("likertscale", Q),
        ("likertscale", {**Q, "scale": 2}),
        ("likertscale", {**Q, "scale": 11.0}),
        ("likertscale", {**Q, "scalePoints": 5}),
        ("vasrating", Q),
        ("vasrating", {**Q, "minValue": -1.5, "maxValue": -1, "step": 0.5}),
        ("vasrating", {**Q, "minValue": None, "maxValue": None, "step": None}),
        ("ranking", {"prompt": "Q", "options": [{"text": "A", "imageUrl": "x"}, {"label": "B"}, {"value": 3}]}),
        ("textinput", Q),
        ("rapidrate", {"prompt": "Q", "dimensions": [{"label": "A", "value": "x"}, "B"]}),
        ("audiorecording", {"prompt": "Q", "maxRecordingTime": 30}),
    ],
)
def test_a_config_that_can_be_asked(component: str, config: dict[str, Any]) -> None:
    assert config_error(component, config) is None
    assert question_text(component, config)
    assert value_schema(component, config)


@pytest.mark.parametrize(
    ("component", "config", "reason"),
    [
        ("showtext", Q, "cannot be answered"),
        ("textinput", {}, "has no words: give it “question” or “prompt”"),
        ("textinput", {"question": " "}, "has no words"),
        ("textinput", {"question": 5}, "has no words"),
        ("textinput", {"question": "half \ud83d"}, "half a character"),
        ("textinput", {**Q, "required": "yes"}, "“required” of the question “Q” must be true or false"),
        ("multiplechoice", {**Q, "choices": ["A"], "allowMultiple": 1}, "“allowMultiple” of the question “Q” must be"),
        ("multiplechoice", Q, "has no choices"),
        ("multiplechoice", {**Q, "choices": []}, "has no choices"),
        ("multiplechoice", {**Q, "choices": "Tea"}, "has no choices"),
        ("multiplechoice", {**Q, "choices": ["Tea", {"text": "Tea"}]}, "has the choice “Tea” twice"),
        ("multiplechoice", {**Q, "choices": ["Tea", " "]}, "A choice has no text"),
        ("multiplechoice", {**Q, "choices": [True, False]}, "put yes and no in quotes"),
        ("multiplechoice", {**Q, "choices": [{"imageUrl": "x.png"}]}, "A choice has no text"),
        ("multiplechoice", {**Q, "choices": [None]}, "A choice has no text"),
        ("multiplechoice", {**Q, "choices": ["half \udc00"]}, "half a character"),
        ("ranking", {**Q, "options": [1, 1.0]}, "has the choice “1” twice"),
        ("likertscale", {**Q, "scale": 1}, "“scale” of the question “Q” must be from 2 to 11 points"),
        ("likertscale", {**Q, "scale": 12}, "must be from 2 to 11 points"),
        ("likertscale", {**Q, "scale": 5.5}, "must be from 2 to 11 points"),
        ("likertscale", {**Q, "scale": "7"}, "“scale” of the question “Q” must be a number"),
        ("likertscale", {**Q, "scale": True}, "must be a number"),
        ("likertscale", {**Q, "scale": math.nan}, "must be a number"),
        ("likertscale", {**Q, "scalePoints": 40}, "“scalePoints” of the question “Q” must be from 2 to 11"),
        ("vasrating", {**Q, "minValue": 5, "maxValue": 5}, "is 5, which must be less than its “maxValue” 5"),
        ("vasrating", {**Q, "minValue": 101}, "is 101, which must be less than its “maxValue” 100"),
        ("vasrating", {**Q, "maxValue": math.inf}, "“maxValue” of the question “Q” must be a number"),
        ("vasrating", {**Q, "maxValue": 10**400}, "“maxValue” of the question “Q” must be a number"),
        ("vasrating", {**Q, "minValue": "0"}, "“minValue” of the question “Q” must be a number"),
        ("vasrating", {**Q, "step": -1}, "“step” of the question “Q” must be a number from 0 to 100"),
        ("vasrating", {**Q, "step": 101}, "“step” of the question “Q” must be a number from 0 to 100"),
        ("rapidrate", Q, "has no dimensions"),
        ("rapidrate", {**Q, "dimensions": [{"label": "A"}, "A"]}, "has the dimension “A” twice"),
        ("rapidrate", {**Q, "dimensions": [{"minLabel": "low"}]}, "has no text"),
    ],
)
def test_a_config_that_cannot_be_asked_says_why(component: str, config: dict[str, Any], reason: str) -> None:
    error = config_error(component, config)
    assert error is not None
    assert reason in error
    for ask in (question_text, value_schema):
        with pytest.raises(UsageError) as raised:
            ask(component, config)
        assert str(raised.value) == error
    assert judge(component, config, "answer_text", "{}").error == error


def test_both_spellings_are_understood() -> None:
    assert options_of({"options": [{"text": "A", "value": 1}, {"label": "B"}, {"value": 2.5}, "C"]}) == [
        *("A", "B", "2.5", "C")
    ]
    assert dimensions_of({"dimensions": [{"label": "Calm", "text": "x"}, "Happy"]}) == ["Calm", "Happy"]
    assert bounds_of("likertscale", {"scalePoints": 9}) == (1, 9)
    assert bounds_of("likertscale", {}) == (1, 7)
    assert bounds_of("vasrating", {"minValue": -1, "maxValue": 2.5}) == (-1, 2.5)


def test_a_step_is_for_the_slider_and_not_for_the_answer() -> None:
    config = {**Q, "minValue": 0, "maxValue": 10, "step": 5}
    assert step_of(config, 10) == 5
    assert judge("vasrating", config, "answer_scale", '{"value":3.3}').value == 3.3
    assert "multipleOf" not in value_schema("vasrating", config)


def test_a_question_of_a_pause_is_not_asked_on_a_screen() -> None:
    for component in RATING_PAUSE_COMPONENTS:
        check_place(component, "rating pause")
    for component in RATING_PAUSE_COMPONENTS[:5]:
        check_place(component, "screen")
    for component in ("rapidrate", "audiorecording"):
        with pytest.raises(UsageError, match="in a rating pause only"):
            check_place(component, "screen")
    with pytest.raises(UsageError, match="not on “ceiling”"):
        check_place("textinput", "ceiling")
    with pytest.raises(UnknownName, match="showimage"):
        check_place("showimage", "screen")


@pytest.mark.parametrize(
    ("value", "text"),
    [(7, "7"), (7.0, "7"), (-0.5, "-0.5"), (1_000_000, "1000000"), (1e6, "1000000"), (0.1, "0.1"), (1e300, "1e+300")],
)
def test_numbers_are_written_whole(value: float, text: str) -> None:
    assert number_text(value) == text


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["text", "label", "value"]), inner),
    max_leaves=6,
)
KEYS = (
    *("question", "prompt", "choices", "options", "allowMultiple", "required", "scale", "scalePoints", "minValue"),
    *("maxValue", "step", "labels", "minLabel", "maxLabel", "lowLabel", "highLabel", "dimensions"),
)


@given(
    st.sampled_from((*RATING_PAUSE_COMPONENTS, "waiting")),
    st.dictionaries(st.sampled_from(KEYS), odd, max_size=6),
    st.text(max_size=20),
)
def test_any_config_is_either_asked_or_refused(component: str, config: dict[str, Any], arguments: str) -> None:
    error = config_error(component, config)
    assert judge(component, config, "answer_text", arguments).error is not None or component in (
        *("textinput", "audiorecording"),
    )
    if error is None:
        assert question_text(component, config)
        assert value_schema(component, config)["description"]
    else:
        with pytest.raises((UnreadableFile, UnknownName)):
            question_text(component, config)

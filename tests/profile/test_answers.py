"""Questions, their value schemas, and which calls are taken as answers."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.errors import UnknownName, UnreadableFile
from simulator.profile.answers import judge, options_of, question_text, value_schema
from simulator.profile.tools import ARGUMENT_OF, TOOLS, tool_for

DRINK = {"question": "Which drink do you prefer?", "choices": ["Coffee", "Tea"]}
COLOURS = {"question": "Which colours do you like?", "choices": ["Red", "Green", "Blue"], "allowMultiple": True}
LIKERT = {"question": "I enjoyed the conversation.", "scale": 7}
VAS = {"question": "How warm was your partner?", "minValue": 0, "maxValue": 100}
RANKING = {"question": "Rank these activities.", "options": ["Reading", "Hiking", "Cooking"]}
TEXT = {"question": "Describe your partner in one sentence."}
RAPID = {"prompt": "How do you feel right now?", "dimensions": [{"label": "Calm"}, {"label": "Happy"}]}
RECORDING = {"prompt": "Say what just happened."}

QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("multiplechoice", DRINK),
    ("multiplechoice", COLOURS),
    ("likertscale", LIKERT),
    ("vasrating", VAS),
    ("ranking", RANKING),
    ("textinput", TEXT),
    ("rapidrate", RAPID),
    ("audiorecording", RECORDING),
]
IDS = [tool_for(*each) + "-" + each[0] for each in QUESTIONS]


def without_description(schema: dict[str, Any]) -> dict[str, Any]:
    assert schema["description"]
    return {key: value for key, value in schema.items() if key != "description"}


def test_value_schemas_have_the_specifications_shapes() -> None:
    shapes = [without_description(value_schema(*each)) for each in QUESTIONS]
    score = {"type": "number", "minimum": 0, "maximum": 100}
    assert shapes == [
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "integer", "minimum": 1, "maximum": 7},
        {"type": "number", "minimum": 0, "maximum": 100},
        {"type": "array", "items": {"type": "string"}},
        {"type": "string"},
        {
            "type": "object",
            "properties": {"Calm": score, "Happy": score},
            "required": ["Calm", "Happy"],
            "additionalProperties": False,
        },
        {"type": "string"},
    ]


@pytest.mark.parametrize(
    ("index", "arguments", "value"),
    [
        (0, '{"choice":"Tea"}', "Tea"),
        (1, '{"choices":["Blue","Red"]}', ["Blue", "Red"]),
        (2, '{"value":7}', 7),
        (2, '{"value":4.0}', 4.0),
        (3, '{"value":70.5}', 70.5),
        (4, '{"order":["Cooking","Reading","Hiking"]}', ["Cooking", "Reading", "Hiking"]),
        (5, '{"text":"Warm and quick."}', "Warm and quick."),
        (6, '{"scores":{"Calm":0,"Happy":100}}', {"Calm": 0, "Happy": 100}),
        (7, '{"text":"They laughed."}', "They laughed."),
    ],
)
def test_a_fitting_answer_is_taken(index: int, arguments: str, value: Any) -> None:
    component, config = QUESTIONS[index]
    answer = judge(component, config, tool_for(component, config), arguments)
    assert (answer.error, answer.value) == (None, value)


@pytest.mark.parametrize(
    ("index", "arguments", "reason"),
    [
        (0, '{"choice":"tea"}', "“choice” is “tea”, which is not on the screen: its exact text is “Tea”."),
        (0, '{"choice":" Tea "}', "“choice” is “ Tea ”, which is not on the screen: its exact text is “Tea”."),
        (0, '{"choice":"Milk"}', "“choice” is “Milk”, which is not on the screen: there are “Coffee”, “Tea”."),
        (0, '{"choice":1}', "“choice” must be one text, not a number: one of “Coffee”, “Tea”."),
        (0, '{"choice":["Tea"]}', "“choice” must be one text, not a list: one of “Coffee”, “Tea”."),
        (0, '{"choice":null}', "“choice” must be one text, not null: one of “Coffee”, “Tea”."),
        (1, '{"choices":["Red","Pink"]}', "“choices” has “Pink”, which is not on the screen: there are {colours}."),
        (1, '{"choices":["red"]}', "“choices” has “red”, which is not on the screen: its exact text is “Red”."),
        (1, '{"choices":["Red","Red"]}', "“choices” has “Red” more than once: name each choice once."),
        (1, '{"choices":[]}', "“choices” must have at least one choice of {colours}."),
        (1, '{"choices":"Red"}', "“choices” must be a list of texts, not the text “Red”: texts of {colours}."),
        (1, '{"choices":[1]}', "“choices” must be a list of texts, and has a number: texts of {colours}."),
        (2, '{"value":8}', "“value” must be a whole number from 1 to 7."),
        (2, '{"value":3.5}', "“value” must be a whole number from 1 to 7."),
        (2, '{"value":true}', "“value” must be a whole number from 1 to 7, not true."),
        (3, '{"value":-1}', "“value” must be a number from 0 to 100."),
        (
            3,
            '{"value":"70"}',
            "“value” must be a number from 0 to 100, not the text “70”: write the number without quotation marks.",
        ),
        (3, '{"value":"seventy"}', "“value” must be a number from 0 to 100, not the text “seventy”."),
        (3, '{"value":null}', "“value” must be a number from 0 to 100, not null."),
        (4, '{"order":["Reading","Hiking"]}', "“order” lacks “Cooking”: give each item of the list once."),
        (
            4,
            '{"order":["Reading","Hiking","Reading"]}',
            "“order” has “Reading” more than once and lacks “Cooking”: give each item of the list once.",
        ),
        (5, '{"text":" "}', "“text” must not be empty."),
        (5, '{"text":["a"]}', "“text” must be a text, not a list."),
        (6, '{"scores":{"Calm":5}}', "“scores” lacks “Happy”: give a number from 0 to 100 for each label."),
        (6, '{"scores":{"Calm":5,"Happy":101}}', "“scores” must have a number from 0 to 100 for “Happy”."),
        (6, '{"scores":{"Calm":5,"happy":1}}', "“scores” has “happy”, which is not on the screen: {its} “Happy”."),
        (
            6,
            '{"scores":{"Calm":"5","Happy":1}}',
            "“scores” must have a number from 0 to 100 for “Calm”, not the text “5”: "
            "write the number without quotation marks.",
        ),
        (
            6,
            '{"scores":{"Calm":5,"Happy":1,"Sad":2}}',
            "“scores” has “Sad”, which is not on the screen: there are “Calm”, “Happy”.",
        ),
        (
            6,
            '{"scores":[5,1]}',
            "“scores” must be an object with a number from 0 to 100 for each of “Calm”, “Happy”, not a list.",
        ),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_with_its_reason(index: int, arguments: str, reason: str) -> None:
    component, config = QUESTIONS[index]
    answer = judge(component, config, tool_for(component, config), arguments)
    reason = reason.replace("{colours}", "“Red”, “Green”, “Blue”").replace("{its}", "its exact text is")
    assert (answer.error, answer.value) == (reason, None)


def test_another_tool_than_the_questions_is_refused() -> None:
    answer = judge("vasrating", VAS, "answer_text", '{"text":"70"}')
    assert answer.error == "This question is answered with answer_scale, not with answer_text."


values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 120) | st.floats(-5, 120) | st.sampled_from(["Tea", "Red", "Calm", ""]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["Calm", "Happy", "Sad"]), inner, max_size=3)
    ),
    max_leaves=4,
)


@pytest.mark.parametrize(("component", "config"), QUESTIONS, ids=IDS)
@given(value=values)
def test_what_is_taken_fits_both_schemas(component: str, config: dict[str, Any], value: Any) -> None:
    """jsonschema is the independent witness."""
    tool = tool_for(component, config)
    arguments = {ARGUMENT_OF[tool]: value}
    parameters = next(each["parameters"] for each in TOOLS if each["name"] == tool)
    fits = jsonschema.Draft202012Validator(parameters).is_valid(arguments) and jsonschema.Draft202012Validator(
        value_schema(component, config)
    ).is_valid(value)
    answer = judge(component, config, tool, json.dumps(arguments))
    assert fits or answer.error is not None
    if tool in ("answer_scale", "answer_dimensions"):
        assert fits == (answer.error is None)


def test_a_question_spells_out_its_range_and_its_choices() -> None:
    assert question_text("vasrating", VAS) == (
        "Question: How warm was your partner?\nA visual analog scale from 0 to 100.\n"
        "Answer with a number from 0 to 100."
    )
    assert question_text("multiplechoice", DRINK) == (
        "Question: Which drink do you prefer?\nMultiple choice, one is chosen. Choices:\n- Coffee\n- Tea\n"
        "Answer with the exact text of one choice."
    )


def test_labels_of_a_scale_are_told() -> None:
    config = {**LIKERT, "minLabel": "not at all", "maxLabel": "very much"}
    assert "from 1 to 7 (from “not at all” to “very much”)" in question_text("likertscale", config)


def test_the_factories_spelling_is_understood() -> None:
    config = {"prompt": "Drink?", "options": [{"text": "Coffee"}, {"label": "Tea", "value": 2}, {"value": 3}]}
    assert options_of(config) == ["Coffee", "Tea", "3"]
    assert question_text("multiplechoice", config).startswith("Question: Drink?\n")
    assert judge("multiplechoice", config, "answer_choice", '{"choice":"Tea"}').value == "Tea"


def test_a_question_that_lacks_its_choices_says_so() -> None:
    with pytest.raises(UnreadableFile, match="no choices"):
        question_text("multiplechoice", {"question": "Which?"})
    with pytest.raises(UnreadableFile, match="no dimensions"):
        value_schema("rapidrate", {"prompt": "How?"})
    with pytest.raises(UnreadableFile, match="“scale”"):
        value_schema("likertscale", {"question": "Q", "scale": "seven"})
    with pytest.raises(UnknownName):
        value_schema("gazeoverlay", {})

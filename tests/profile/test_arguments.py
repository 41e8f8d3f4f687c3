"""Arguments of calls that no well-behaved engine sends: each is refused in a sentence, and nothing is repaired."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.profile.answers import Answer, judge, value_schema
from simulator.profile.arguments import near, read_argument, shown
from simulator.profile.tools import ARGUMENT_OF, TOOLS, tool_for
from tests.profile.test_answers import IDS, QUESTIONS

VAS = {"question": "How warm?", "minValue": 0, "maxValue": 100}
LIKERT = {"question": "Fun?", "scale": 7}
CHOICES = {"question": "Which?", "choices": ["Café au lait", "Tea.", "yes", "No, thanks"]}
EXPECTED = "expected a JSON object with “value”."


def rate(arguments: str) -> Answer:
    return judge("vasrating", VAS, "answer_scale", arguments)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("", f"The arguments are empty: {EXPECTED}"),
        ("  \n", f"The arguments are empty: {EXPECTED}"),
        ("value: 70", f"The arguments are not JSON: {EXPECTED}"),
        ('{"value":70', f"The arguments are not JSON: {EXPECTED}"),
        ('{"value":70} and more', f"The arguments are not JSON: {EXPECTED}"),
        ("{'value':70}", f"The arguments are not JSON: {EXPECTED}"),
        ('{"value":070}', f"The arguments are not JSON: {EXPECTED}"),
        ('\ufeff{"value":70}', f"The arguments are not JSON: {EXPECTED}"),
        ("70", f"The arguments are a number: {EXPECTED}"),
        ("null", f"The arguments are null: {EXPECTED}"),
        ("true", f"The arguments are true: {EXPECTED}"),
        ("[70]", f"The arguments are a list: {EXPECTED}"),
        ('"70"', f"The arguments are the text “70”: {EXPECTED}"),
        ('"{\\"value\\":70}"', f'The arguments are the text “{{"value":70}}”: {EXPECTED}'),
        ('{"value":NaN}', f"The arguments hold NaN, which is no number in JSON: {EXPECTED}"),
        ('{"value":Infinity}', f"The arguments hold Infinity, which is no number in JSON: {EXPECTED}"),
        ('{"value":-Infinity}', f"The arguments hold -Infinity, which is no number in JSON: {EXPECTED}"),
        ('{"value":1e400}', f"The arguments hold 1e400, which is too large a number: {EXPECTED}"),
        ('{"value":' + "9" * 5000 + "}", f"The arguments hold too large a number: {EXPECTED}"),
        ('{"value":70,"value":71}', f"The arguments have “value” more than once: {EXPECTED}"),
        ('{"value":{"a":1,"a":2}}', f"The arguments have “a” more than once: {EXPECTED}"),
        ('{"value":"\\ud83d"}', f"The arguments hold half a character, a lone surrogate: {EXPECTED}"),
        ('{"value":[["\\udc00"]]}', f"The arguments hold half a character, a lone surrogate: {EXPECTED}"),
        ('{"\\ud83d":1}', f"The arguments hold half a character, a lone surrogate: {EXPECTED}"),
        ('{"value":"\ud83d"}', f"The arguments hold half a character, a lone surrogate: {EXPECTED}"),
        ("[" * 100_000, f"The arguments are nested too deeply: {EXPECTED}"),
        ('{"value":' * 50_000, f"The arguments are nested too deeply: {EXPECTED}"),
        ("{}", "The argument “value” is missing."),
        ('{"rating":70}', "The argument “value” is missing, and there is no argument “rating”."),
        ('{"Value":70}', "The argument “value” is missing, and there is no argument “Value”."),
        ('{"value":70,"why":"warm"}', "There is no argument “why”: the one argument is “value”."),
        ('{"value":101.0}', "“value” must be a number from 0 to 100."),
        ('{"value":1e3}', "“value” must be a number from 0 to 100."),
        ('{"value":false}', "“value” must be a number from 0 to 100, not false."),
        ('{"value":{"value":70}}', "“value” must be a number from 0 to 100, not an object."),
        ('{"value":[70]}', "“value” must be a number from 0 to 100, not a list."),
    ],
)
def test_arguments_are_refused_with_what_is_wrong(arguments: str, reason: str) -> None:
    assert rate(arguments) == Answer(None, reason)


@pytest.mark.parametrize(("text", "value"), [("70", 70), ("70.0", 70.0), ("7e1", 70.0), ("0", 0), ("-0.0", -0.0)])
def test_a_number_is_taken_however_json_writes_it(text: str, value: float) -> None:
    answer = rate(f'{{"value":{text}}}')
    assert (answer.value, answer.error) == (value, None)


@pytest.mark.parametrize("text", ["3", "3.0", "3e0", "30e-1"])
def test_a_point_of_a_likertscale_is_kept_as_the_integer_of_its_schema(text: str) -> None:
    answer = judge("likertscale", LIKERT, "answer_scale", f'{{"value":{text}}}')
    assert answer == Answer(3)
    assert type(answer.value) is int


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("café au lait", "Café au lait"),
        ("Cafe\u0301 au  lait", "Café au lait"),
        ("Tea", "Tea."),
        ("“yes”", "yes"),
        ("YES!", "yes"),
        ("No, thanks\n", "No, thanks"),
    ],
)
def test_a_text_that_nearly_fits_is_refused_with_the_exact_one(given: str, meant: str) -> None:
    answer = judge("multiplechoice", CHOICES, "answer_choice", json.dumps({"choice": given}))
    assert answer.value is None
    assert answer.error is not None
    assert answer.error.endswith(f"its exact text is “{meant}”.")


def test_a_text_that_two_choices_are_near_to_is_not_guessed() -> None:
    assert near("tea", ["Tea", "TEA"]) is None


def test_several_choices_are_none_only_where_none_is_required() -> None:
    config = {**CHOICES, "allowMultiple": True}
    empty = '{"choices":[]}'
    assert judge("multiplechoice", config, "answer_choices", empty).error is not None
    assert judge("multiplechoice", {**config, "required": True}, "answer_choices", empty).error is not None
    assert judge("multiplechoice", {**config, "required": False}, "answer_choices", empty) == Answer([])


def test_an_answer_may_be_in_any_script_with_quotes_and_line_breaks() -> None:
    text = 'مرحبا "こんにちは"\n\\ 👩\u200d🔬 \u2028'
    arguments = json.dumps({"text": text})
    assert judge("textinput", {"question": "Q"}, "answer_text", arguments) == Answer(text)
    assert judge("textinput", {"question": "Q"}, "answer_text", json.dumps({"text": text}, ensure_ascii=False)).value


def test_what_the_agent_wrote_is_shown_in_one_line_and_not_too_long() -> None:
    assert shown("a\nb\u2028c") == "a b c"
    assert shown("x" * 1000) == "x" * 59 + "…"
    assert shown("\ud83d") == "\N{REPLACEMENT CHARACTER}"


def test_another_tools_name_is_shown_safely() -> None:
    answer = judge("vasrating", VAS, "rm -rf\n\ud800" + "x" * 500, "{}")
    assert answer.error is not None
    assert answer.error.startswith("This question is answered with answer_scale, not with rm -rf ")
    assert len(answer.error.encode()) < 200


json_like = st.recursive(
    st.sampled_from(["null", "true", "NaN", "1e999", '"Tea"', '"\\ud800"', "3.0", "70", "-1", '"Calm"', "Infinity"]),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda each: f"[{','.join(each)}]")
        | st.lists(
            st.tuples(st.sampled_from(["choice", "choices", "value", "order", "text", "scores", "Calm"]), inner)
        ).map(lambda each: "{" + ",".join(f'"{name}":{value}' for name, value in each) + "}")
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(("component", "config"), QUESTIONS, ids=IDS)
@given(arguments=st.text(max_size=40) | json_like, tool=st.sampled_from([*ARGUMENT_OF, "other"]))
def test_no_arguments_are_too_odd_and_what_is_taken_fits_the_schema(
    component: str, config: dict[str, Any], arguments: str, tool: str
) -> None:
    """jsonschema is the independent witness."""
    answer = judge(component, config, tool, arguments)
    if answer.error is not None:
        assert answer.value is None
        assert answer.error.endswith(".")
        answer.error.encode()
        return
    assert tool == tool_for(component, config)
    jsonschema.validate(answer.value, value_schema(component, config), jsonschema.Draft202012Validator)
    json.dumps(answer.value, ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize(("component", "config"), QUESTIONS, ids=IDS)
@given(data=st.data())
def test_every_value_of_the_schema_and_of_the_screen_is_taken(
    component: str, config: dict[str, Any], data: st.DataObject
) -> None:
    tool = tool_for(component, config)
    texts = config.get("choices") or config.get("options") or []
    value = data.draw(
        {
            "answer_choice": st.sampled_from(texts or [""]),
            "answer_choices": st.lists(st.sampled_from(texts or [""]), min_size=1, unique=True),
            "answer_ranking": st.permutations(texts),
            "answer_scale": st.integers(1, 7) if component == "likertscale" else st.floats(0, 100),
            "answer_text": st.text(min_size=1).filter(str.strip),
            "answer_dimensions": st.fixed_dictionaries({"Calm": st.floats(0, 100), "Happy": st.integers(0, 100)}),
        }[tool]
    )
    assert judge(component, config, tool, json.dumps({ARGUMENT_OF[tool]: value})) == Answer(value)


def test_a_chat_line_is_read_as_strictly() -> None:
    assert read_argument("send_chat", '{"message":"hi"}') == ("hi", None)
    assert read_argument("send_chat", '{"text":"hi"}')[1] == (
        "The argument “message” is missing, and there is no argument “text”."
    )
    assert {each["name"] for each in TOOLS} == set(ARGUMENT_OF)

"""response.create's parameters: the table, what is said of a response, and the way from the form to JSON and back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.realtime.realtime_response_create_params import RealtimeResponseCreateParams

from simulator.profile.response_checks import validate
from simulator.profile.response_parameters import BY_NAME, OLDER_VOICE_LIVE, PARAMETERS, Group, Kind
from simulator.profile.response_values import FURTHER, build, read_json, start_values, values_of
from simulator.profile.tools import TOOLS

HRP, OPENAI, AZURE = Group.HRP, Group.OPENAI, Group.AZURE

WHO_UNDERSTANDS = {
    "output_modalities": {HRP, OPENAI, AZURE},
    "tool_choice": {HRP, OPENAI, AZURE},
    "tools": {OPENAI, AZURE},
    "instructions": {OPENAI, AZURE},
    "audio": {OPENAI, AZURE},
    "conversation": {OPENAI, AZURE},
    "input": {OPENAI, AZURE},
    "max_output_tokens": {OPENAI, AZURE},
    "metadata": {OPENAI, AZURE},
    "parallel_tool_calls": {OPENAI, AZURE},
    "reasoning": {OPENAI, AZURE},
    "prompt": {OPENAI},
    "interim_response": {AZURE},
    "pre_generated_assistant_message": {AZURE},
}

PCM = {"type": "audio/pcm", "rate": 24000}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Welcome back."}]}
ASKED = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "And now?"}]}
WHOLE: dict[str, Any] = {
    "output_modalities": ["text"],
    "tool_choice": {"type": "function", "name": "answer_scale"},
    "instructions": "Answer in one word.\nIn Dutch.",
    "conversation": "none",
    "input": [{"type": "item_reference", "id": "item_7"}, ASKED],
    "tools": [dict(TOOLS[3]), {"type": "mcp", "server_label": "docs", "server_url": "https://example.org"}],
    "audio": {"output": {"format": PCM, "voice": "cedar"}},
    "max_output_tokens": 4096,
    "metadata": {"trial": "12", "condition": "warm"},
    "parallel_tool_calls": False,
    "reasoning": {"effort": "minimal"},
    "prompt": {"id": "pmpt_1", "version": "2", "variables": {"city": "Oslo"}},
    "interim_response": {
        "type": "static_interim_response",
        "triggers": ["latency", "tool"],
        "latency_threshold_ms": 2000,
        "texts": ["One moment.", "Let me see."],
    },
    "pre_generated_assistant_message": SAID,
}
LLM_INTERIM = {
    "type": "llm_interim_response",
    "triggers": ["latency", "tool"],
    "latency_threshold_ms": 2000,
    "model": "small",
    "instructions": "Say that it takes a moment.",
    "max_completion_tokens": 50,
}


def wrong(response: dict[str, Any]) -> list[str]:
    return [complaint.path for complaint in validate(response) if complaint.wrong]


def test_each_parameter_names_who_understands_it() -> None:
    assert {parameter.name: set(parameter.groups) for parameter in PARAMETERS} == WHO_UNDERSTANDS


def test_a_field_of_choice_starts_with_one_of_its_choices() -> None:
    for parameter in PARAMETERS:
        for field in parameter.fields:
            if field.kind is Kind.CHOICE:
                assert field.start in field.choices, (parameter.name, field.name)
            for value in field.shown_for:
                assert value in next(each for each in parameter.fields if each.name == "choice").choices


def test_a_response_with_every_parameter_is_in_order_and_comes_back_from_the_form() -> None:
    assert validate(WHOLE) == []
    values = values_of(WHOLE, TOOLS)
    assert FURTHER not in values
    built = build(values, TOOLS)
    assert built.complaints == ()
    assert json.dumps(built.response) == json.dumps(WHOLE)


def test_the_form_makes_the_interim_response_of_a_model() -> None:
    response = {"interim_response": LLM_INTERIM}
    assert validate(response) == []
    assert build(values_of(response, TOOLS), TOOLS).response == response


@pytest.mark.parametrize("parameter", [parameter.name for parameter in PARAMETERS])
def test_a_parameter_left_as_it_starts_is_built_under_its_name(parameter: str) -> None:
    assert list(build({parameter: start_values(parameter)}, TOOLS).response) == [parameter]


def test_an_empty_input_empties_the_context() -> None:
    assert build({"input": start_values("input")}, TOOLS).response == {"input": []}


@pytest.mark.parametrize(
    ("response", "paths"),
    [
        ({"output_modalities": []}, ["output_modalities"]),
        ({"output_modalities": ["audio", "text"]}, ["output_modalities"]),
        ({"tool_choice": "always"}, ["tool_choice"]),
        ({"tool_choice": {"type": "function"}}, ["tool_choice.name"]),
        ({"tool_choice": {"type": "mcp", "name": "find"}}, ["tool_choice.server_label"]),
        ({"tools": {"type": "function"}}, ["tools"]),
        ({"tools": [{"type": "function", "name": "a"}, {"type": "function", "name": "a"}]}, ["tools[1].name"]),
        ({"max_output_tokens": 0}, ["max_output_tokens"]),
        ({"max_output_tokens": 1}, []),
        ({"max_output_tokens": 4096}, []),
        ({"max_output_tokens": 4097}, ["max_output_tokens"]),
        ({"max_output_tokens": True}, ["max_output_tokens"]),
        ({"max_output_tokens": "inf"}, []),
        ({"max_output_tokens": "infinite"}, ["max_output_tokens"]),
        ({"metadata": {f"k{number}": "" for number in range(16)}}, []),
        ({"metadata": {f"k{number}": "" for number in range(17)}}, ["metadata"]),
        ({"metadata": {"k" * 64: "v" * 512}}, []),
        ({"metadata": {"k" * 65: "v" * 513}}, [f"metadata.{'k' * 24}"] * 2),
        ({"metadata": {"trial": 12}}, ["metadata.trial"]),
        ({"conversation": "default"}, ["conversation"]),
        ({"input": [{"type": "item_reference"}]}, ["input[0].id"]),
        ({"input": [{"type": "message", "role": "agent", "content": []}]}, ["input[0].role"]),
        ({"audio": {"output": {"format": {"type": "audio/pcm", "rate": 16000}}}}, ["audio.output.format.rate"]),
        ({"audio": {"voice": "marin"}}, ["audio.output"]),
        ({"reasoning": {"effort": "maximal"}}, ["reasoning.effort"]),
        ({"parallel_tool_calls": "yes"}, ["parallel_tool_calls"]),
        ({"prompt": {"version": "1"}}, ["prompt.id"]),
        ({"interim_response": {**LLM_INTERIM, "triggers": []}}, ["interim_response.triggers"]),
        ({"interim_response": {"type": "static_interim_response", "triggers": ["tool"]}}, ["interim_response.texts"]),
        ({"pre_generated_assistant_message": {**SAID, "role": "user"}}, ["pre_generated_assistant_message.role"]),
    ],
)
def test_what_breaks_a_documented_limit_is_named_by_its_place(response: dict[str, Any], paths: list[str]) -> None:
    assert wrong(response) == paths


@pytest.mark.parametrize("name", OLDER_VOICE_LIVE)
def test_names_of_the_older_voice_live_are_recognised_and_not_forbidden(name: str) -> None:
    (complaint,) = validate({name: True})
    assert "older Voice Live" in complaint.sentence
    assert not complaint.wrong


def test_an_unknown_parameter_is_marked_and_not_forbidden() -> None:
    (complaint,) = validate({"temperature": 0.8})
    assert complaint.path == "temperature"
    assert not complaint.wrong


def test_a_forced_tool_that_nobody_declared_is_worth_a_word() -> None:
    response = {"tool_choice": {"type": "function", "name": "answer_scale"}}
    assert validate(response) == []
    assert validate(response, ["answer_scale"]) == []
    (complaint,) = validate(response, ["send_chat"])
    assert complaint.path == "tool_choice.name"
    own = {**response, "tools": [{"type": "function", "name": "send_chat"}]}
    assert [each.path for each in validate(own, ["answer_scale"])] == ["tool_choice.name"]


def test_a_text_that_is_no_json_says_where() -> None:
    built = build({"input": {"items": '[{"type": ]'}}, TOOLS)
    assert built.response == {}
    assert built.complaints[0].path == "input"
    assert "line 1, column 11" in built.complaints[0].sentence
    assert read_json("[NaN]")[1] is not None
    assert read_json("[" * 100_000)[1] is not None


def test_a_pair_given_twice_and_a_parameter_given_twice_are_complained_of() -> None:
    values: dict[str, dict[str, Any]] = {
        "metadata": {"pairs": [("a", "1"), ("a", "2")]},
        FURTHER: {"json": '{"metadata": {}, "temperature": 1}'},
    }
    built = build(values, TOOLS)
    assert [complaint.path for complaint in built.complaints] == ["metadata.a", f"{FURTHER}.metadata"]
    assert built.response["temperature"] == 1


def test_what_the_fields_cannot_hold_is_kept_as_json() -> None:
    for value in (["text", "audio"], ["smell"], "audio"):
        values = values_of({"output_modalities": value}, TOOLS)
        assert set(values) == {FURTHER}
        assert build(values, TOOLS).response == {"output_modalities": value}


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5000) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*BY_NAME, "temperature", "commit"]), ANY_JSON, max_size=4))
def test_any_response_comes_back_from_the_form_and_is_judged_without_a_crash(response: dict[str, Any]) -> None:
    validate(response, ["a"])
    built = build(values_of(response, TOOLS), TOOLS)
    assert built.complaints == ()
    assert built.response == response


def test_the_client_library_of_openai_knows_the_same_parameters() -> None:
    known = set(RealtimeResponseCreateParams.model_fields)
    assert {parameter.name for parameter in PARAMETERS if OPENAI in parameter.groups} == known
    # It has a type of its own for a response whose input holds references.
    of_openai = {name: value for name, value in WHOLE.items() if name in known - {"input"}}
    RealtimeResponseCreateParams.model_validate(of_openai)

"""The declared tools and which of them answers a component."""

import jsonschema
import pytest

from simulator.errors import UnknownName
from simulator.profile.tools import TOOLS, tool_for


def test_seven_tools_with_one_required_argument_each() -> None:
    shapes = {each["name"]: each["parameters"]["required"] for each in TOOLS}
    assert shapes == {
        "send_chat": ["message"],
        "answer_choice": ["choice"],
        "answer_choices": ["choices"],
        "answer_scale": ["value"],
        "answer_ranking": ["order"],
        "answer_text": ["text"],
        "answer_dimensions": ["scores"],
    }
    for each in TOOLS:
        jsonschema.Draft202012Validator.check_schema(each["parameters"])
        assert list(each) == ["type", "name", "description", "parameters"]
        assert each["parameters"]["additionalProperties"] is False


@pytest.mark.parametrize(
    ("component", "config", "tool"),
    [
        ("multiplechoice", {}, "answer_choice"),
        ("multiplechoice", {"allowMultiple": True}, "answer_choices"),
        ("multiplechoice", {"allowMultiple": False}, "answer_choice"),
        ("likertscale", {}, "answer_scale"),
        ("vasrating", {}, "answer_scale"),
        ("ranking", {}, "answer_ranking"),
        ("textinput", {}, "answer_text"),
        ("rapidrate", {}, "answer_dimensions"),
        ("audiorecording", {}, "answer_text"),
    ],
)
def test_the_tool_of_each_component(component: str, config: dict[str, object], tool: str) -> None:
    assert tool_for(component, config) == tool


def test_a_component_that_cannot_be_answered_is_named() -> None:
    with pytest.raises(UnknownName, match="showtext"):
        tool_for("showtext", {})

"""Where a specification file differs from what the program knows, field by field."""

import json
from typing import Any

import pytest

from simulator.profile.agent_spec import differences, parse_agent_spec
from simulator.profile.differences import Difference
from tests.profile.spec_file import VAS_QUESTION, spec_document
from tests.profile.test_agent_spec import changed


def found(document: Any) -> list[Difference]:
    return differences(parse_agent_spec(json.dumps(document).encode(), "spec.json"))


def facts_of(document: Any) -> list[Difference]:
    return [each for each in found(document) if each.kind != "wording"]


def test_a_file_in_other_words_differs_in_words_only() -> None:
    paths = [each.path for each in found(spec_document())]
    assert facts_of(spec_document()) == []
    assert paths == [
        *(
            "voiceEngine.tools.send_chat.description",
            "voiceEngine.tools.send_chat.parameters.properties.message.description",
        ),
        *(
            f"voiceEngine.tools.answer_{each}.description"
            for each in ("choice", "choices", "scale", "ranking", "text", "dimensions")
        ),
        "answers.multiplechoice (answer_choice).valueSchema.description",
        "answers.multiplechoice (answer_choices).valueSchema.description",
        "answers.likertscale (answer_scale).valueSchema.description",
        "answers.vasrating (answer_scale).valueSchema.description",
        "answers.ranking (answer_ranking).valueSchema.description",
        "answers.textinput (answer_text).valueSchema.description",
        "answers.rapidrate (answer_dimensions).valueSchema.description",
        "answers.audiorecording (answer_text).valueSchema.description",
        "voiceEngine.contextItems.question.question (vasrating)",
    ]


def test_the_words_of_a_question_are_shown_beside_ours() -> None:
    (question,) = (each for each in found(spec_document()) if "contextItems" in each.path)
    assert question.given == VAS_QUESTION
    assert question.known == (
        "Question: How furry?\nA visual analog scale from 0 to 100.\nAnswer with a number from 0 to 100."
    )


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("specVersion", "0.2.1", ("specVersion", "0.2.0", "0.2.1", "fact")),
        (
            "conformance.thresholds.maxOnsetDelayMs",
            900,
            ("conformance.thresholds.maxOnsetDelayMs", 1000, 900, "fact"),
        ),
        (
            "conformance.turnDetections.1.eagerness",
            "low",
            ("conformance.turnDetections.semantic_vad.eagerness", "auto", "low", "fact"),
        ),
        (
            "conformance.checks.2.perTurnDetection",
            False,
            ("conformance.checks.barge_in.perTurnDetection", True, False, "fact"),
        ),
        (
            "voiceEngine.tools.3.parameters.properties.value.type",
            "integer",
            ("voiceEngine.tools.answer_scale.parameters.properties.value.type", "number", "integer", "fact"),
        ),
        (
            "voiceEngine.tools.3.strict",
            True,
            ("voiceEngine.tools.answer_scale.strict", None, True, "added"),
        ),
        ("answers.4.voiceTool", "sort", ("answers.ranking (sort)", None, {}, "added")),
        (
            "answers.3.valueSchema.maximum",
            10,
            ("answers.vasrating (answer_scale).valueSchema.maximum", 100, 10, "fact"),
        ),
        (
            "voiceEngine.clientEvents.8.example.content_index",
            1,
            ("voiceEngine.clientEvents.conversation.item.truncate.example.content_index", 0, 1, "fact"),
        ),
        (
            "voiceEngine.clientEvents.9.example.response.conversation",
            "none",
            ("voiceEngine.clientEvents.response.create.example.response.conversation", None, "none", "added"),
        ),
        (
            "voiceEngine.contextItems.5",
            '[context] {"event":"timer","secondsLeft":"12"}',
            ("voiceEngine.contextItems.timer.secondsLeft", 0, "…", "fact"),
        ),
        (
            "voiceEngine.contextItems.3",
            '[context] {"event":"typed","said":"hi","speaker":"Kim"}',
            (
                "voiceEngine.contextItems.typed (the order of its fields)",
                ["event", "speaker", "said"],
                ["event", "said", "speaker"],
                "fact",
            ),
        ),
        (
            "voiceEngine.contextItems.9",
            '[context] {"event":"applause","from":"Kim"}',
            ("voiceEngine.contextItems.applause", None, {"event": "applause", "from": "…"}, "added"),
        ),
        (
            "voiceEngine.functionOutputs.accepted.accepted",
            1,
            ("voiceEngine.functionOutputs.accepted.accepted", True, 1, "fact"),
        ),
        (
            "modelEndpoint.requestTimeoutMs.max",
            250000,
            ("modelEndpoint.requestTimeoutMs.max", 300000, 250000, "fact"),
        ),
        ("videoEngine", {"codec": "h264"}, ("videoEngine", None, {"codec": "h264"}, "added")),
    ],
)
def test_a_field_that_differs_is_named_with_both_values(path: str, value: Any, expected: tuple[Any, ...]) -> None:
    first = facts_of(changed(path, value))[0]
    shown = (first.path, first.known, first.given, first.kind)
    assert shown[:2] == expected[:2]
    assert shown[3] == expected[3]
    if expected[2] != {}:
        assert shown[2] == expected[2]


def test_what_the_file_lacks_is_missing() -> None:
    document = spec_document()
    del document["voiceEngine"]["functionOutputs"]
    del document["voiceEngine"]["contextItems"][-1]
    document["voiceEngine"]["serverEvents"]["ignored"].remove("rate_limits.updated")
    document["voiceEngine"]["serverEvents"]["ignored"].append("ping")
    document["voiceEngine"]["tools"].pop()
    assert {(each.path, each.kind) for each in facts_of(document)} == {
        ("voiceEngine.functionOutputs", "missing"),
        ("voiceEngine.contextItems.resumed", "missing"),
        ("voiceEngine.serverEvents.ignored[rate_limits.updated]", "missing"),
        ("voiceEngine.serverEvents.ignored[ping]", "added"),
        ("voiceEngine.tools.answer_dimensions", "missing"),
    }


def test_numbers_are_compared_by_value_and_names_without_their_order() -> None:
    document = changed("voiceEngine.audio.sampleRateHz", 24000.0)
    document["answerableComponents"]["screen"].reverse()
    document["voiceEngine"]["serverEvents"]["required"]["error"] = ["error"]
    assert facts_of(document) == []


def test_facts_come_before_words() -> None:
    kinds = [each.kind for each in found(changed("conformance.suiteVersion", 7))]
    assert kinds[0] == "fact"
    assert set(kinds[1:]) == {"wording"}

"""A specification file: what is read from it, what is refused, and whose words a question is in."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.errors import UnknownName, UnreadableFile, UnsupportedVersion
from simulator.profile import answers, facts
from simulator.profile.agent_spec import OWN, AgentSpec, differences, parse_agent_spec, read_agent_spec
from simulator.profile.tools import TOOLS
from tests.profile.spec_file import spec_document, write_spec

PLATFORMS: Final = Path(__file__).parents[2].parent / "shared" / "spec" / "agent-spec.json"
VAS: Final = {"question": "How tall?", "minValue": -2.5, "maxValue": 50.0}


def parsed(document: Any) -> AgentSpec:
    return parse_agent_spec(json.dumps(document).encode(), "spec.json")


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return a file's document with another value at a path like ``voiceEngine.tools.0.name``."""
    document = spec_document()
    *outer, last = path.split(".")
    place: Any = document
    for name in outer:
        place = place[int(name) if name.isdigit() else name]
    place[int(last) if last.isdigit() else last] = value
    return document


def refusal(document: Any) -> str:
    with pytest.raises(UnreadableFile) as raised:
        parsed(document)
    return str(raised.value)


class TestReading:
    def test_tools_are_as_in_the_file_and_functions(self) -> None:
        spec = parsed(spec_document())
        assert spec.tool_names == tuple(each["name"] for each in TOOLS)
        assert spec.tools[3] == {
            "type": "function",
            "name": "answer_scale",
            "description": "The tests' words for answer_scale.",
            "parameters": {
                "type": "object",
                "properties": {"value": {"type": "number"}},
                "required": ["value"],
                "additionalProperties": False,
            },
        }
        assert [next(iter(each)) for each in spec.tools] == ["type"] * 7

    def test_thresholds_and_turn_detections_follow_the_file(self) -> None:
        document = changed("conformance.thresholds.maxOnsetDelayMs", 700)
        document["conformance"]["turnDetections"][0]["silence_duration_ms"] = 650
        spec = parsed(document)
        assert spec.thresholds == facts.Thresholds(max_onset_delay_ms=700)
        assert spec.turn_detection("server_vad") == {
            "type": "server_vad",
            "silence_duration_ms": 650,
            "create_response": True,
            "interrupt_response": True,
        }
        with pytest.raises(UnknownName, match="server_vad, semantic_vad"):
            spec.turn_detection("none")

    def test_a_file_is_known_by_its_hash(self, tmp_path: Path) -> None:
        path = tmp_path / "spec.json"
        path.write_bytes(b"\xef\xbb\xbf" + json.dumps(spec_document()).encode())
        spec = read_agent_spec(path)
        assert (spec.source, spec.version) == ("file", "0.2.0")
        assert spec.sha256 is not None
        assert len(spec.sha256) == 64
        path.write_bytes(path.read_bytes() + b"\n")
        assert read_agent_spec(path).sha256 != spec.sha256

    def test_our_own_has_the_same_facts(self) -> None:
        assert (OWN.version, OWN.tools, OWN.thresholds) == ("0.2.0", TOOLS, facts.THRESHOLDS)
        assert OWN.turn_detection("semantic_vad") == facts.turn_detection("semantic_vad")
        assert (OWN.source, OWN.sha256, differences(OWN)) == ("own", None, [])

    @pytest.mark.parametrize("version", ["0.2.1", "0.2.17"])
    def test_later_versions_of_0_2_are_read(self, version: str) -> None:
        assert parsed(changed("specVersion", version)).version == version

    @pytest.mark.parametrize("version", ["0.1.9", "0.3.0", "1.0.0", "0.2", "0.2.x", "0.2.0-beta", "9" * 5000])
    def test_other_versions_are_refused(self, version: str) -> None:
        with pytest.raises(UnsupportedVersion, match=r"follows 0\.2\.x") as raised:
            parsed(changed("specVersion", version))
        assert len(str(raised.value)) < 200


class TestWording:
    def test_the_question_that_the_file_shows_is_worded_as_there(self) -> None:
        wording = parsed(spec_document()).wording
        assert wording.question_text("vasrating", VAS) == (
            "Asked: How tall?\nSlide it anywhere from -2.5 to 50.\nSay a number, -2.5 at least, 50 at most."
        )
        assert wording.source_of("vasrating") == "file"

    def test_what_the_file_does_not_word_stays_ours(self) -> None:
        wording = parsed(spec_document()).wording
        config = {"question": "Fun?", "scale": 4}
        assert wording.question_text("likertscale", config) == answers.question_text("likertscale", config)
        assert {each: wording.source_of(each) for each in answers.RATING_PAUSE_COMPONENTS if each != "vasrating"} == {
            "multiplechoice": "own",
            "likertscale": "own",
            "ranking": "own",
            "textinput": "own",
            "rapidrate": "own",
            "audiorecording": "own",
        }

    def test_labels_that_the_example_lacks_are_told_in_a_line_of_ours(self) -> None:
        wording = parsed(spec_document()).wording
        config = {**VAS, "minLabel": "low", "maxLabel": "high"}
        assert wording.question_text("vasrating", config).endswith("50 at most.\nLabels: low, high.")
        assert wording.source_of("vasrating", config) == "file and own"

    def test_descriptions_of_values_are_the_files_with_the_questions_range(self) -> None:
        wording = parsed(spec_document()).wording
        assert answers.value_schema("likertscale", {"question": "Fun?", "scale": 9}, wording) == {
            "type": "integer",
            "minimum": 1,
            "maximum": 9,
            "description": "A point, 1 up to 9.",
        }
        assert answers.value_schema("vasrating", VAS, wording)["description"] == "Anything between -2.5 and 50!"
        several = {"question": "Q", "choices": ["a", "b"], "allowMultiple": True}
        assert answers.value_schema("multiplechoice", several, wording)["description"] == "Some pets, as written."

    def test_choices_are_set_where_the_examples_stood(self) -> None:
        shown = ("answer_choice", "Cat or dog?\nPick from: Cat | Dog\nOnly one.")
        sorted_pets = ("answer_ranking", "Sort the pets.\n* Cat\n* Dog\n* Fish")
        wording = parsed(spec_document(questions=(shown, sorted_pets))).wording
        config = {"prompt": "Drink?", "options": [{"text": "Tea"}, "Milk", "Water"]}
        assert wording.question_text("multiplechoice", config) == "Drink?\nPick from: Tea | Milk | Water\nOnly one."
        assert wording.question_text("ranking", config) == "Drink?\n* Tea\n* Milk\n* Water"
        assert wording.source_of("multiplechoice") == "file"
        assert wording.source_of("multiplechoice", {"allowMultiple": True}) == "own"

    @pytest.mark.parametrize(
        ("tool", "text"),
        [
            ("answer_scale", "How furry?"),  # no range
            ("answer_scale", "How furry? To 100!"),  # half a range
            ("answer_scale", "How furry? How furry? 0 to 100"),  # its words twice
            ("answer_scale", "Something else, from 0 to 100"),
            ("answer_choice", "How furry? From 0 to 100"),  # another tool
            ("answer_choice", "Cat or dog?\n1. Cat\n2. Dog"),  # counted: what would the third be?
            ("answer_choices", "Which pets? Cat, Dog and Fish"),  # what stands between two is not the same
            ("answer_choice", "Cat or dog? Guess!"),  # no choices
            ("answer_scale", "How furry? From 0 to 100, and 50 is neither"),  # a middle that others do not have
        ],
    )
    def test_an_example_that_leaves_doubt_is_not_guessed_from(self, tool: str, text: str) -> None:
        wording = parsed(spec_document(questions=((tool, text),))).wording
        assert wording.questions == {}

    def test_an_example_of_two_kinds_words_neither(self) -> None:
        document = changed("answers.2.exampleConfig", {"question": "Worth", "scale": 5})
        document["answers"][3]["exampleConfig"] = {"question": "Worth", "minValue": 1, "maxValue": 5}
        document["voiceEngine"]["contextItems"] = [
            '[context] {"event":"question","tool":"answer_scale","question":"Worth 1 to 5","duringVideo":false}'
        ]
        assert parsed(document).wording.questions == {}

    def test_an_example_that_tells_its_labels_is_not_guessed_from(self) -> None:
        labels = {"minLabel": "bald", "maxLabel": "shaggy"}
        furry = {"question": "How furry?", "minValue": 0, "maxValue": 100, **labels}
        for text, worded in (("How furry? 0 (bald) to 100 (shaggy)", False), ("How furry? 0 to 100", True)):
            document = spec_document(questions=(("answer_scale", text),))
            document["answers"][3]["exampleConfig"] = furry
            assert bool(parsed(document).wording.questions) is worded

    def test_a_config_that_does_not_fit_is_refused_in_the_files_words_too(self) -> None:
        with pytest.raises(UnreadableFile, match="maxValue"):
            parsed(spec_document()).wording.question_text("vasrating", {"question": "Q", "minValue": 9, "maxValue": 1})


class TestRefusing:
    @pytest.mark.parametrize(
        ("path", "value", "reason"),
        [
            ("specVersion", 2, "expected a text at specVersion, found “2”"),
            ("answers", {}, "expected a list with at least one entry at answers, found an object"),
            ("answers", [], "at answers, found an empty list"),
            ("answers.0", "x", "expected an object at answers[0], found “x”"),
            ("answers.0.componentType", None, "expected a text at answers[0].componentType, found nothing"),
            ("answers.3.exampleConfig", [1], "expected an object at answers[3].exampleConfig, found a list"),
            ("answers.3.valueSchema.description", 7, "expected a text at answers[3].valueSchema.description"),
            ("voiceEngine", None, "expected an object at voiceEngine, found nothing"),
            ("voiceEngine.tools", "none", "at voiceEngine.tools, found “none”"),
            ("voiceEngine.tools.1.name", "", "expected a text at voiceEngine.tools[1].name"),
            ("voiceEngine.tools.1.name", "send_chat", "expected a name that no tool before has"),
            ("voiceEngine.tools.2.description", False, "at voiceEngine.tools[2].description, found false"),
            ("voiceEngine.tools.2.parameters", [], "expected an object at voiceEngine.tools[2].parameters"),
            ("voiceEngine.contextItems.0", "hello", "expected a text that begins with “[context] ”"),
            ("voiceEngine.contextItems.0", "[context] [1]", "expected a text that begins with “[context] ”"),
            ("voiceEngine.contextItems.0", "[context] {", "expected a text that begins with “[context] ”"),
            ("voiceEngine.contextItems.0", 5, "expected a text at voiceEngine.contextItems[0], found “5”"),
            ("conformance.thresholds.noReplyWindowMs", "1500", "expected a whole number from 1 to 600000"),
            ("conformance.thresholds.noReplyWindowMs", 0, "at conformance.thresholds.noReplyWindowMs, found “0”"),
            ("conformance.thresholds.noReplyWindowMs", True, "found true"),
            ("conformance.thresholds.noReplyWindowMs", 1.5, "found “1.5”"),
            ("conformance.thresholds", {}, "at conformance.thresholds.maxOnsetDelayMs, found nothing"),
            ("conformance.turnDetections", [{"type": "server_vad"}], "also a turn detection of type semantic_vad"),
            ("conformance.turnDetections.1.type", "server_vad", "a type that no turn detection before has"),
        ],
    )
    def test_a_broken_part_is_named_with_what_was_expected(self, path: str, value: Any, reason: str) -> None:
        assert reason in refusal(changed(path, value))

    @pytest.mark.parametrize("document", [[], "spec", 5, None, {}, {"specVersion": "0.2.0"}])
    def test_other_json_is_refused(self, document: Any) -> None:
        assert "spec.json: expected" in refusal(document)

    @pytest.mark.parametrize(
        ("contents", "reason"),
        [
            (b"", "is not JSON"),
            (b"# Participant Simulator", "is not JSON"),
            (b"\xff\xfe{\x00", "is not JSON"),
            (b'{"specVersion": "0.2.0"', "is not JSON"),
            (b'{"specVersion": "\\ud800"}', "is not JSON"),
            (b"[" * 200_000, "nested too deeply"),
            (b"[" * 100 + b"]" * 100, "nested too deeply"),
            (b" " * (4 * 1024 * 1024 + 1), "too large"),
        ],
        ids=["empty", "prose", "UTF-16", "cut off", "lone surrogate", "unclosed", "deep", "large"],
    )
    def test_what_is_no_document_is_refused(self, contents: bytes, reason: str) -> None:
        with pytest.raises(UnreadableFile, match=reason):
            parse_agent_spec(contents, "spec.json")

    def test_lists_and_texts_without_end_are_refused(self) -> None:
        many = ["[context] {}"] * 101
        assert "a list of at most 100 entries" in refusal(changed("voiceEngine.contextItems", many))
        assert "a text of at most 10000 characters" in refusal(changed("voiceEngine.tools.0.description", "x" * 10_001))

    def test_a_file_made_to_take_long_is_read(self) -> None:
        """The worst that the limits let through: each of a hundred questions fits no answer, at the last moment."""
        document = spec_document()
        text = "[context] " + json.dumps({"event": "question", "tool": "answer_ranking", "question": "P" + "a1" * 4900})
        document["voiceEngine"]["contextItems"] = [text] * 100
        config = {"question": "P", "options": ["a", "1a", "b"]}
        document["answers"] = [{**document["answers"][4], "exampleConfig": config}] * 100
        document["answers"][0] = spec_document()["answers"][0]
        assert parsed(document).wording.questions == {}

    def test_a_context_item_cannot_be_nested_without_end(self) -> None:
        item = '[context] {"event":"typed","said":' + "[" * 300 + "]" * 300 + "}"
        assert "at voiceEngine.contextItems[0]" in refusal(changed("voiceEngine.contextItems.0", item))

    def test_a_path_that_is_no_file_is_refused(self, tmp_path: Path) -> None:
        for path in (tmp_path, tmp_path / "none.json", "a\0b", "x" * 5000):
            with pytest.raises(UnreadableFile, match="There is no file"):
                read_agent_spec(path)

    def test_a_text_from_the_file_is_shortened_in_a_refusal(self) -> None:
        assert len(refusal(changed("answers", "x" * 100_000))) < 200


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for name, each in inner for place in places(each, (*path, name)))]


PLACES: Final = [place for place in places(spec_document()) if place]


@given(st.sampled_from(PLACES), anything, st.booleans())
def test_a_file_with_anything_anywhere_is_read_or_refused(place: tuple[Any, ...], value: Any, removed: bool) -> None:
    document: Any = spec_document()
    inner = document
    for name in place[:-1]:
        inner = inner[name]
    if removed:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    try:
        spec = parsed(document)
    except UnreadableFile:
        return
    for each in differences(spec):
        assert each.path
        assert each.kind in ("fact", "added", "missing", "wording")
    assert spec.wording.question_text("textinput", {"question": "Why?"})


@pytest.mark.skipif(not PLATFORMS.is_file(), reason="the platform's own file is not beside this checkout")
def test_the_platforms_own_file_is_read_and_words_its_example(tmp_path: Path) -> None:
    spec = read_agent_spec(PLATFORMS)
    document = json.loads(PLATFORMS.read_bytes())
    shown = [json.loads(each.removeprefix("[context] ")) for each in document["voiceEngine"]["contextItems"]]
    (example,) = (each["question"] for each in shown if each["event"] == "question")
    config = next(each["exampleConfig"] for each in document["answers"] if each["componentType"] == "vasrating")
    assert spec.wording.question_text("vasrating", config) == example
    assert [{"type": "function", **each} for each in document["voiceEngine"]["tools"]] == list(spec.tools)
    for each in document["answers"]:
        assert answers.value_schema(each["componentType"], each["exampleConfig"], spec.wording) == each["valueSchema"]
    assert {each.kind for each in differences(spec)} == {"wording"}
    assert read_agent_spec(write_spec(tmp_path / "copy.json", document)).tools == spec.tools

"""What panels show, in words: questions, pushes, sessions side by side, voices."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from simulator.audio.recordings import SpeechRecording, project_recordings
from simulator.errors import SimulatorError, UsageError
from simulator.participant.messages import Ask, ChooseVoice, Push, VoiceKind
from ui.models.pushes import PUSHES, QUESTION_EXAMPLES, PushKind, preview, question_config
from ui.models.session_diff import Match, compare_sessions, contained, in_words
from ui.models.voices import Voice, first_voice, recorded_voices, voice_from_key


def kind(name: str) -> PushKind:
    return next(each for each in PUSHES if each.name == name)


def values(name: str, **changed: Any) -> dict[str, Any]:
    return {field.name: field.default for field in kind(name).fields} | changed


@pytest.mark.parametrize(
    ("component", "details", "config"),
    [
        ("multiplechoice", "Coffee, Tea", {"question": "Q", "choices": ["Coffee", "Tea"]}),
        ("multiplechoice", "several:, A, B", {"question": "Q", "choices": ["A", "B"], "allowMultiple": True}),
        ("likertscale", "5", {"question": "Q", "scale": 5}),
        ("vasrating", "10 to 20", {"question": "Q", "minValue": 10, "maxValue": 20}),
        ("ranking", "One, Two", {"question": "Q", "options": ["One", "Two"]}),
        ("textinput", "", {"question": "Q"}),
        ("rapidrate", "Calm, Happy", {"prompt": "Q", "dimensions": [{"label": "Calm"}, {"label": "Happy"}]}),
        ("audiorecording", "", {"prompt": "Q"}),
    ],
)
def test_a_question_of_each_component(component: str, details: str, config: dict[str, Any]) -> None:
    assert question_config(component, "Q", details) == config


@pytest.mark.parametrize("component", list(QUESTION_EXAMPLES))
def test_the_example_of_each_component_can_be_asked_as_it_stands(component: str) -> None:
    question, _, details = QUESTION_EXAMPLES[component]
    command = kind("Question").command(values("Question", component=component, question=question, details=details))
    assert isinstance(command, Ask)
    assert preview(command).startswith('[context] {"event":"question","tool":"answer_')
    assert question in preview(command)


def test_a_scale_in_words_is_refused_with_a_sentence() -> None:
    with pytest.raises(UsageError, match="whole numbers: “seven” is none"):
        question_config("likertscale", "Q", "seven")
    with pytest.raises(SimulatorError, match="has no choices"):
        kind("Question").command(values("Question", details=""))
    with pytest.raises(UsageError, match="The message is empty"):
        kind("Typed chat").command(values("Typed chat", said="  "))


def test_images_of_a_screen_are_attached_and_described() -> None:
    command = kind("Screen").command(values("Screen", text="Look.", images=[Path("/pictures/a_smiling_face.png")]))
    assert command == Push(
        id=0,
        context={
            "event": "screen",
            "type": "showimage",
            "text": "Look.",
            "images": ["attached: the image (a smiling face)"],
        },
        images=["/pictures/a_smiling_face.png"],
    )


def test_revealed_answers_are_numbers_where_they_look_like_it() -> None:
    number = kind("Revealed").command(values("Revealed", answer="70"))
    words = kind("Revealed").command(values("Revealed", answer="Tea"))
    assert isinstance(number, Push)
    assert isinstance(words, Push)
    assert (number.context["answer"], words.context["answer"]) == (70, "Tea")


def test_what_was_requested_must_be_contained_in_what_was_accepted() -> None:
    requested = {
        "type": "realtime",
        "audio": {"input": {"turn_detection": {"type": "server_vad", "silence_duration_ms": 500}}},
        "speed": 1,
        "tools": [{"type": "function", "name": "send_chat", "parameters": {"required": ["message"]}}],
        "instructions": "Be brief.",
    }
    accepted = {
        "id": "sess_1",
        "speed": 1.0,
        "tools": [{"name": "send_chat", "type": "function", "parameters": {"required": ["message"]}, "strict": False}],
        "instructions": "You are helpful.",
        "audio": {"input": {"turn_detection": {"silence_duration_ms": 200, "type": "server_vad", "threshold": 0.5}}},
    }
    found = {pair.path: pair.match for pair in compare_sessions(requested, accepted)}
    detection = "audio.input.turn_detection"
    assert found == {
        f"{detection}.type": Match.SAME,
        f"{detection}.silence_duration_ms": Match.DIFFERS,
        f"{detection}.threshold": Match.ENGINES_OWN,
        "speed": Match.SAME,
        "tools": Match.SAME,
        "instructions": Match.DIFFERS,
    }


def test_a_field_that_is_missing_or_of_another_kind_differs() -> None:
    requested = {"audio": {"input": {"turn_detection": None, "format": {"rate": 24_000}}}, "voice": "marin"}
    accepted = {"audio": {"input": {"turn_detection": {"type": "server_vad"}, "format": "pcm16"}}}
    found = {pair.path: (pair.match, pair.accepted) for pair in compare_sessions(requested, accepted)}
    assert found == {
        "audio.input.turn_detection": (Match.DIFFERS, "type server_vad"),
        "audio.input.format": (Match.DIFFERS, "pcm16"),
        "voice": (Match.DIFFERS, ""),
    }


def test_before_the_engine_answered_nothing_differs() -> None:
    pairs = compare_sessions({"audio": {"output": {"voice": "marin"}}}, None)
    assert [(pair.path, pair.match) for pair in pairs] == [("audio.output.voice", Match.UNANSWERED)]
    assert compare_sessions(None, None) == []


def test_values_compare_as_json_and_read_as_words() -> None:
    assert contained(1, 1.0)
    assert not contained(1, True)
    assert not contained([1], [1, 2])
    assert in_words([{"name": "a"}, {"name": "b"}]) == "2: a, b"
    assert in_words(None) == "null"
    assert in_words("") == "“”"
    assert in_words({"type": "x", "on": True}) == "type x, on true"


def test_voices_are_commands_labels_and_keys() -> None:
    microphone = Voice(VoiceKind.MICROPHONE, "USB mic")
    assert microphone.command() == ChooseVoice(id=0, kind=VoiceKind.MICROPHONE, device="USB mic")
    assert voice_from_key(microphone.key) == microphone
    headset = Voice(VoiceKind.MICROPHONE, "Headset: left", "ALSA")
    assert headset.command() == ChooseVoice(id=0, kind=VoiceKind.MICROPHONE, device="Headset: left", host_api="ALSA")
    assert voice_from_key(headset.key) == headset
    for channel in (2, "mix"):
        second = Voice(VoiceKind.MICROPHONE, "Card", "ALSA", channel)
        assert voice_from_key(second.key) == second
        assert second.command().channel == channel
    assert voice_from_key("nonsense") is None
    recording = Voice(VoiceKind.RECORDING, "one_word")
    assert (recording.label, recording.command().recording) == ("one word", "one_word")
    assert Voice(VoiceKind.RECORDING, str(Path("/tmp/my voice.wav"))).label == "my voice.wav"
    assert first_voice([recording, microphone]) == microphone
    assert first_voice([]) == Voice(VoiceKind.SILENCE)


def test_recordings_come_as_voices_the_newcomers_first_then_the_users_own() -> None:
    def recording(name: str, added: bool = False) -> SpeechRecording:
        return msgspec.structs.replace(project_recordings()[0], name=name, words=f"Say {name}.", voice="v", added=added)

    voices = recorded_voices([recording("zebra"), recording("coffee_or_tea"), recording("mine", added=True)])
    assert [voice.name for voice in voices] == ["coffee_or_tea", "mine", "zebra"]
    assert voices[0].words == "“Say coffee_or_tea.” v"

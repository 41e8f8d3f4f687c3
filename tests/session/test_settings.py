"""Settings: the first update, instructions, what counts as in force, and what engines do wrong."""

import base64
import hashlib
from typing import Any

import pytest

from simulator.profile import facts
from simulator.profile.tools import TOOLS
from simulator.session.settings import SessionSettings, not_in_force
from tests.session.conversation import Conversation, sent_in


def instructions_note(text: str, accepted: bool, **more: str) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(text.encode()).hexdigest(), "accepted": accepted, **more}


def test_the_first_update_is_whole_and_answers_session_created() -> None:
    talk = Conversation(SessionSettings(instructions="Be kind.", voice="cedar"), standing=False)
    assert talk.run(talk.session.started(0)) == []
    talk.engine("session.created", session={"id": "sess_1"})
    audio_format = {"type": "audio/pcm", "rate": 24000}
    assert talk.sent == [
        {
            "type": "session.update",
            "session": {
                "type": "realtime",
                "output_modalities": ["audio"],
                "instructions": "Be kind.",
                "tools": list(TOOLS),
                "tool_choice": "auto",
                "audio": {
                    "input": {
                        "format": audio_format,
                        "transcription": None,
                        "turn_detection": facts.turn_detection("server_vad"),
                    },
                    "output": {"format": audio_format, "voice": "cedar", "speed": 1},
                },
            },
        }
    ]
    assert (talk.session.session_accepted, talk.session.instructions_accepted) == (None, None)
    talk.answer_update()
    assert talk.session.instructions_accepted == "Be kind."
    assert talk.notes("instructions") == [instructions_note("Be kind.", accepted=True)]
    assert talk.notes("problem") == []


def test_a_second_session_created_changes_nothing() -> None:
    talk = Conversation()
    assert talk.engine("session.created", session={}) == []


def test_every_client_event_has_an_id_of_its_own() -> None:
    talk = Conversation()
    talk.speak()
    talk.run(talk.session.request_reply(None, 0))
    ids = [each["event_id"] for each in sent_in(talk.history)]
    assert len(ids) == len(set(ids)) == 3


def test_new_instructions_are_sent_alone_and_count_when_answered() -> None:
    talk = Conversation()
    talk.run(talk.session.set_instructions("Be brief.", 0, token=4))
    assert talk.sent == [{"type": "session.update", "session": {"type": "realtime", "instructions": "Be brief."}}]
    assert talk.session.instructions_accepted == ""
    assert talk.settled == []
    talk.answer_update()
    assert talk.session.instructions_accepted == "Be brief."
    assert talk.settled == [(4, None)]
    assert talk.notes("instructions") == [instructions_note("Be brief.", accepted=True)]


def test_refused_instructions_are_not_in_force() -> None:
    talk = Conversation()
    talk.run(talk.session.set_instructions("Too long.", 0, token=4))
    talk.error("too long", "string_above_max_length", talk.last_event_id)
    refusal = "The engine refused the settings: too long"
    assert talk.settled == [(4, refusal)]
    assert talk.session.instructions_accepted == ""
    assert talk.notes("instructions") == [instructions_note("Too long.", accepted=False, error=refusal)]


def test_an_engine_that_keeps_its_own_instructions_is_found_out() -> None:
    talk = Conversation()
    talk.run(talk.session.set_instructions("Mine.", 0, token=4))
    talk.answer_update(instructions="Its own.")
    assert talk.session.instructions_accepted == "Its own."
    assert talk.settled == [(4, "The engine answered, but these instructions are not in force.")]


def test_updates_are_answered_in_order() -> None:
    talk = Conversation()
    talk.run(talk.session.set_instructions("One.", 0, token=1))
    talk.run(talk.session.set_listening(False, 0, token=2))
    talk.run(talk.session.set_instructions("Two.", 0, token=3))
    talk.answer_update(instructions="One.")
    assert talk.settled == [(1, None)]
    talk.answer_update(instructions="One.")
    assert talk.settled == [(2, None)]
    talk.answer_update(instructions="Two.")
    assert talk.settled == [(3, None)]


def test_an_error_takes_its_update_out_of_the_order() -> None:
    talk = Conversation()
    talk.run(talk.session.set_instructions("One.", 0, token=1))
    first = talk.last_event_id
    talk.run(talk.session.set_instructions("Two.", 0, token=2))
    talk.error("no", "invalid_value", first)
    assert [token for token, _ in talk.settled] == [1]
    talk.answer_update(instructions="Two.")
    assert talk.settled == [(2, None)]


def test_an_error_that_names_nothing_is_a_problem_and_refuses_nothing() -> None:
    talk = Conversation()
    talk.run(talk.session.set_instructions("One.", 0, token=1))
    talk.error("slow down", "rate_limit", None)
    assert talk.settled == []
    assert talk.notes("problem") == [
        {"whose": "engine", "code": "rate_limit", "sentence": "The engine reports an error: slow down"}
    ]


def test_silently_replaced_turn_detection_is_shown() -> None:
    talk = Conversation(SessionSettings(turn_detection=facts.turn_detection("semantic_vad")), standing=False)
    talk.engine("session.created", session={})
    requested = talk.session.session_requested
    assert requested is not None
    given = {**requested["audio"]["input"], "turn_detection": {"type": "server_vad", "create_response": True}}
    talk.answer_update(audio={**requested["audio"], "input": given})
    (problem,) = talk.notes("problem")
    assert problem["code"] == "setting_not_in_force"
    assert "session.audio.input.turn_detection.type" in problem["sentence"]


def test_an_answer_without_a_session_still_answers() -> None:
    talk = Conversation()
    talk.run(talk.session.set_instructions("One.", 0, token=1))
    talk.engine("session.updated")
    assert talk.settled == [(1, None)]


def test_an_unasked_session_updated_shows_what_is_in_force() -> None:
    talk = Conversation()
    talk.engine("session.updated", session={"instructions": "Changed elsewhere."})
    assert talk.session.instructions_accepted == "Changed elsewhere."
    assert talk.session.session_accepted == {"instructions": "Changed elsewhere."}


def test_an_engine_that_never_creates_a_session_is_named() -> None:
    talk = Conversation(standing=False)
    talk.run(talk.session.started(0))
    talk.pass_time(15_000)
    assert talk.actions == []
    talk.pass_time(1)
    assert [each["code"] for each in talk.notes("problem")] == ["no_session_created"]
    talk.pass_time(60_000)
    assert talk.actions == []


def test_the_beta_interface_is_named_once() -> None:
    talk = Conversation()
    talk.engine("response.audio.delta", delta="")
    assert "response.output_audio.delta" in talk.notes("problem")[0]["sentence"]
    assert talk.engine("response.audio.delta", delta="") == []


def test_unknown_and_ignored_events_bring_nothing() -> None:
    talk = Conversation()
    assert talk.engine("ping") == []
    assert talk.engine("rate_limits.updated", rate_limits=[]) == []


def test_a_frame_that_is_no_json_changes_nothing() -> None:
    talk = Conversation()
    talk.frame("{broken")
    assert talk.actions == []
    talk.speak()
    assert talk.sent_types == ["input_audio_buffer.append"]


@pytest.mark.parametrize(
    ("requested", "echoed", "differing"),
    [
        ({"a": 1}, {"a": 1.0, "b": 2}, []),
        ({"a": 1}, {"a": True}, ["session.a"]),
        ({"a": True}, {"a": 1}, ["session.a"]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 2, "b": 1}}, []),
        ({"a": {"b": 1}}, {"a": {}}, ["session.a.b"]),
        ({"a": {"b": 1}}, {"a": None}, ["session.a"]),
        ({"a": None}, {}, []),
        ({"a": None}, {"a": {"type": "server_vad"}}, ["session.a"]),
        ({"a": [{"n": 1}, {"n": 2}]}, {"a": [{"n": 1, "x": 0}, {"n": 3}]}, ["session.a[1].n"]),
        ({"a": [1]}, {"a": [1, 2]}, ["session.a"]),
    ],
)
def test_what_was_requested_must_be_contained_in_the_echo(
    requested: dict[str, Any], echoed: dict[str, Any], differing: list[str]
) -> None:
    assert not_in_force(requested, echoed) == differing


class TestPush:
    PNG = b"\x89PNG\r\n\x1a\n"

    def test_a_context_item_is_sent_and_noted(self) -> None:
        talk = Conversation()
        talk.run(talk.session.push({"event": "timer", "secondsLeft": 30}, [], False, 0, token=1))
        content = [{"type": "input_text", "text": '[context] {"event":"timer","secondsLeft":30}'}]
        assert talk.sent == [
            {
                "type": "conversation.item.create",
                "item": {"type": "message", "role": "user", "content": content},
            }
        ]
        assert talk.notes("push") == [{"context": {"event": "timer", "secondsLeft": 30}, "images": 0}]
        assert talk.settled == [(1, None)]

    def test_typed_chat_asks_for_a_reply(self) -> None:
        talk = Conversation()
        talk.run(talk.session.push({"event": "typed", "speaker": "Alex", "said": "hello?"}, [], True, 0))
        assert talk.sent_types == ["conversation.item.create", "response.create"]
        assert talk.sent[1]["response"] == {"output_modalities": ["audio"]}

    def test_typed_chat_during_a_reply_is_sent_now_and_its_reply_requested_after(self) -> None:
        talk = Conversation()
        talk.created()
        talk.run(talk.session.push({"event": "typed", "speaker": "Alex", "said": "hello?"}, [], True, 0))
        assert talk.sent_types == ["conversation.item.create"]
        talk.done()
        assert talk.sent_types == ["response.create"]

    def test_an_image_is_attached_once_a_session(self) -> None:
        talk = Conversation()
        face, house = self.PNG + b"face", self.PNG + b"house"
        talk.run(talk.session.push({"event": "screen"}, [face, face], False, 0))
        parts = talk.sent[0]["item"]["content"]
        assert [each["type"] for each in parts] == ["input_text", "input_image"]
        assert parts[1]["image_url"] == "data:image/png;base64," + base64.b64encode(face).decode()
        assert talk.notes("push")[0]["images"] == 1
        talk.run(talk.session.push({"event": "screen"}, [face, house], False, 0))
        assert [each["type"] for each in talk.sent[0]["item"]["content"]] == ["input_text", "input_image"]

    def test_an_image_shown_again_is_named_and_no_longer_called_attached(self) -> None:
        talk = Conversation()
        face, house = self.PNG + b"face", self.PNG + b"house"
        first = {"event": "screen", "type": "showimage", "images": ["attached: the image (Face)"]}
        talk.run(talk.session.push(first, [face], False, 0))
        assert '"images":["attached: the image (Face)"]' in talk.sent[0]["item"]["content"][0]["text"]
        both = ["attached: the image (House)", "attached: the image (Face)", "attached: the image (House)"]
        talk.run(talk.session.push({"event": "screen", "images": both}, [house, face, house], False, 0))
        text, *images = talk.sent[0]["item"]["content"]
        assert text["text"].endswith('"images":["attached: the image (House)","the image (Face)","the image (House)"]}')
        assert len(images) == 1
        assert talk.notes("push")[0]["context"]["images"][1] == "the image (Face)"

    def test_lines_that_are_not_one_for_each_image_stay_as_they_are(self) -> None:
        talk = Conversation()
        face = self.PNG + b"face"
        for _ in range(2):
            talk.run(talk.session.push({"event": "screen", "images": ["attached: a", "attached: b"]}, [face], False, 0))
        assert '"images":["attached: a","attached: b"]' in talk.sent[0]["item"]["content"][0]["text"]

    def test_an_image_of_a_push_that_was_refused_is_not_taken_for_attached(self) -> None:
        talk = Conversation()
        face = self.PNG + b"face"
        talk.run(talk.session.push({"event": "screen", "x": float("nan")}, [face], False, 0, token=1))
        assert talk.sent == []
        assert "JSON" in str(talk.settled[0][1])
        talk.run(talk.session.push({"event": "screen"}, [face], False, 0))
        assert len(talk.sent[0]["item"]["content"]) == 2

    def test_images_too_large_for_one_event_are_refused_with_the_figures(self) -> None:
        talk = Conversation()
        images = [self.PNG + bytes([number]) * (6 << 20) for number in range(2)]
        talk.run(talk.session.push({"event": "screen"}, images, False, 0, token=1))
        assert talk.sent == []
        sentence = "The images of this push make 16.0 MiB, and an engine takes 15 MiB at most: use smaller ones."
        assert talk.settled == [(1, sentence)]

    def test_what_is_no_image_is_refused_and_nothing_is_sent(self) -> None:
        talk = Conversation()
        talk.run(talk.session.push({"event": "screen"}, [b"GIF89a"], False, 0, token=1))
        assert talk.sent == []
        assert talk.settled == [(1, "The image is neither a PNG nor a JPEG file: convert it first.")]

    def test_a_refused_item_is_a_problem(self) -> None:
        talk = Conversation()
        talk.run(talk.session.push({"event": "resumed"}, [], False, 0))
        talk.error("no room", "invalid_value", talk.last_event_id)
        assert talk.notes("problem")[0]["sentence"] == "The engine reports an error: no room"

    def test_before_the_session_and_after_it_nothing_is_sent(self) -> None:
        talk = Conversation(standing=False)
        for _ in range(2):
            talk.run(talk.session.push({"event": "resumed"}, [], False, 0, token=1))
            talk.run(talk.session.set_instructions("x", 0, token=2), first=False)
            talk.run(talk.session.ask("textinput", {"question": "Q"}, False, 0, token=3), first=False)
            talk.run(talk.session.request_reply(None, 0, token=4), first=False)
            assert talk.settled == [(token, "There is no session: connect first.") for token in (1, 2, 3, 4)]
            assert talk.sent == []
            talk.run(talk.session.closed(1000, "", 0))

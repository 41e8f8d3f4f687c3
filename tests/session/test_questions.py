"""Questions: announced, answered silently by the forced tool, judged, asked again, given up."""

import json
from typing import Any

import pytest

from tests.session.conversation import MS, Conversation

VAS = {"question": "How warm was your partner?", "minValue": 0, "maxValue": 100}
SILENT = {
    "type": "response.create",
    "response": {"output_modalities": ["text"], "tool_choice": {"type": "function", "name": "answer_scale"}},
}
SPOKEN = {"type": "response.create", "response": {"output_modalities": ["audio"]}}


def output(text: str, call_id: str = "call_1") -> dict[str, Any]:
    item = {"type": "function_call_output", "call_id": call_id, "output": text}
    return {"type": "conversation.item.create", "item": item}


@pytest.fixture
def talk() -> Conversation:
    """A question was asked at 1 s, and its silent response began."""
    talk = Conversation()
    talk.now_ns = 1000 * MS
    talk.run(talk.session.ask("vasrating", VAS, False, talk.now_ns, token=1))
    return talk


def test_it_is_announced_and_its_silent_answer_requested(talk: Conversation) -> None:
    item, request = talk.sent
    text = item["item"]["content"][0]["text"]
    assert json.loads(text.removeprefix("[context] ")) == {
        "event": "question",
        "tool": "answer_scale",
        "question": "Question: How warm was your partner?\nA visual analog scale from 0 to 100.\n"
        "Answer with a number from 0 to 100.",
        "duringVideo": False,
    }
    assert request == SILENT
    assert talk.notes("push")[0]["images"] == 0


def test_its_note_says_enough_to_ask_it_again(talk: Conversation) -> None:
    (noted,) = talk.notes("push")
    asked = {name: noted[name] for name in ("component", "config", "during_video", "shown_on", "attempts", "wording")}
    assert asked == {
        "component": "vasrating",
        "config": VAS,
        "during_video": False,
        "shown_on": "screen",
        "attempts": 3,
        "wording": "own",
    }


def test_an_answer_that_fits_is_accepted_noted_and_followed_by_nothing(talk: Conversation) -> None:
    talk.created()
    talk.now_ns = 2500 * MS
    talk.call("answer_scale", '{"value":70}')
    assert talk.actions == []
    talk.done()
    assert talk.sent == [output('{"accepted":true}')]
    assert talk.notes("answer") == [
        {
            "component": "vasrating",
            "question": "How warm was your partner?",
            "wording": "own",
            "tool": "answer_scale",
            "call_id": "call_1",
            "arguments": '{"value":70}',
            "value": 70,
            "accepted": True,
            "attempts": 1,
            "asked_ns": 1000 * MS,
            "answered_ns": 2500 * MS,
        }
    ]
    assert talk.settled == [(1, None)]
    assert talk.session.question is None


def test_a_call_that_is_only_in_response_done_counts(talk: Conversation) -> None:
    talk.created()
    talk.done(calls=[{"call_id": "call_1", "name": "answer_scale", "arguments": '{"value":70}'}])
    assert talk.settled == [(1, None)]


def test_the_same_call_in_both_events_is_answered_once(talk: Conversation) -> None:
    talk.created()
    talk.call("answer_scale", '{"value":70}')
    talk.done(calls=[{"call_id": "call_1", "name": "answer_scale", "arguments": '{"value":70}'}])
    assert talk.sent == [output('{"accepted":true}')]


def test_a_call_that_comes_again_in_a_later_response_is_answered_once(talk: Conversation) -> None:
    again = {"call_id": "call_1", "name": "answer_scale", "arguments": '{"value":70}'}
    talk.created()
    talk.done(calls=[again])
    talk.created("resp_2")
    talk.done("resp_2", calls=[again])
    assert "conversation.item.create" not in talk.sent_types
    assert [each["sentence"] for each in talk.notes("problem")] == [
        "A call has the call_id “call_1” of one before it, so it was not answered."
    ]


def test_a_response_that_is_done_twice_brings_no_call_twice(talk: Conversation) -> None:
    again = {"call_id": "call_1", "name": "answer_scale", "arguments": '{"value":70}'}
    talk.created()
    talk.done(calls=[again])
    talk.done(calls=[again])
    assert talk.actions == []


def test_an_answer_out_of_range_is_refused_with_the_reason_and_asked_again(talk: Conversation) -> None:
    talk.created()
    talk.call("answer_scale", '{"value":170}')
    talk.done()
    reason = "“value” must be a number from 0 to 100."
    assert talk.sent == [output(json.dumps({"error": reason}, ensure_ascii=False).replace('": "', '":"')), SILENT]
    assert talk.notes("answer")[0]["accepted"] is False
    assert talk.notes("answer")[0]["error"] == reason
    talk.created("resp_2")
    talk.call("answer_scale", '{"value":17}', "call_2", "resp_2")
    talk.done("resp_2")
    assert talk.sent == [output('{"accepted":true}', "call_2")]
    assert talk.settled == [(1, None)]


def test_after_three_refusals_it_is_given_up(talk: Conversation) -> None:
    for number in range(1, 4):
        talk.created(f"resp_{number}")
        talk.call("answer_scale", "{}", f"call_{number}", f"resp_{number}")
        talk.done(f"resp_{number}")
    sentence = "The agent did not answer in 3 attempts. The argument “value” is missing."
    assert talk.sent_types == ["conversation.item.create"]
    assert talk.settled == [(1, sentence)]
    assert talk.notes("answer")[-1]["error"] == sentence
    assert [each["code"] for each in talk.notes("problem")] == ["question_unanswered"]
    assert talk.session.question is None


def test_a_silent_response_without_a_call_is_asked_again(talk: Conversation) -> None:
    talk.created()
    talk.done()
    assert talk.sent == [SILENT]


def test_a_call_in_a_cancelled_response_does_not_count(talk: Conversation) -> None:
    """An interrupted response still ends its arguments, which may be incomplete."""
    talk.created()
    talk.call("answer_scale", '{"value":7')
    talk.done(status="cancelled")
    assert talk.sent == [SILENT]
    assert talk.notes("answer") == []


def test_the_request_waits_for_a_reply_in_progress() -> None:
    talk = Conversation()
    talk.created()
    talk.run(talk.session.ask("vasrating", VAS, True, 0))
    assert talk.sent_types == ["conversation.item.create"]
    assert '\\"duringVideo\\":true' in json.dumps(talk.sent)
    talk.done()
    assert talk.sent == [SILENT]


def test_an_answer_given_in_a_spoken_reply_is_taken_and_the_reply_goes_on() -> None:
    talk = Conversation()
    talk.created()
    talk.run(talk.session.ask("vasrating", VAS, False, 0, token=1))
    talk.call("answer_scale", '{"value":5}')
    talk.done()
    assert talk.sent_types == ["conversation.item.create", "response.create"]
    assert talk.settled == [(1, None)]


def test_a_call_without_a_question_is_refused(talk: Conversation) -> None:
    talk = Conversation()
    talk.created()
    talk.call("answer_scale", '{"value":5}')
    talk.done()
    assert talk.sent == [output('{"error":"This question is not on the screen."}'), SPOKEN]
    assert talk.notes("answer") == []


def test_an_undeclared_tool_is_refused(talk: Conversation) -> None:
    talk.created()
    talk.call("launch_rocket", "{}")
    talk.done()
    assert talk.sent == [output('{"error":"There is no tool “launch_rocket”."}'), SILENT]


def test_the_tool_of_another_question_is_refused(talk: Conversation) -> None:
    talk.created()
    talk.call("answer_text", '{"text":"70"}')
    talk.done()
    assert "answered with answer_scale, not with answer_text" in talk.sent[0]["item"]["output"]


def test_a_refused_request_counts_as_an_attempt(talk: Conversation) -> None:
    for _ in range(2):
        talk.error("tool_choice unsupported", "invalid_value", talk.last_event_id)
        assert talk.sent == [SILENT]
    talk.error("tool_choice unsupported", "invalid_value", talk.last_event_id)
    assert talk.sent == []
    assert talk.settled == [(1, "The agent did not answer in 3 attempts. None was begun.")]


def test_a_silent_request_that_crossed_a_spoken_reply_is_not_taken_for_it(talk: Conversation) -> None:
    """The modalities tell the two apart."""
    event_id = talk.last_event_id
    talk.created("resp_auto", output_modalities=["audio"])
    talk.audio(100, "item_1", "resp_auto")
    assert talk.played == ["item_1"]
    talk.error("busy", "conversation_already_has_active_response", event_id)
    talk.done("resp_auto")
    assert talk.sent == [SILENT]


def test_audio_of_a_silent_response_is_not_played(talk: Conversation) -> None:
    talk.created()
    talk.audio(100)
    assert talk.played == []
    talk.audio(100)
    assert talk.actions == []
    talk.done()
    talk.audio(100)
    assert talk.played == []


def test_a_question_that_cannot_be_asked_says_why() -> None:
    talk = Conversation()
    talk.run(talk.session.ask("multiplechoice", {"question": "Which?"}, False, 0, token=1))
    assert talk.settled == [(1, "The question “Which?” has no choices: give it a list of texts.")]
    assert talk.sent == []


def test_a_lost_connection_gives_the_question_up(talk: Conversation) -> None:
    talk.run(talk.session.closed(None, "", 0))
    assert talk.settled == [(1, "The connection ended before this was done.")]


class TestChat:
    def test_a_line_is_accepted_and_the_reply_goes_on_after_it(self) -> None:
        talk = Conversation()
        talk.created()
        talk.call("send_chat", '{"message":"hi"}')
        talk.done()
        assert talk.sent == [output('{"accepted":true}'), SPOKEN]

    def test_an_empty_line_is_refused(self) -> None:
        talk = Conversation()
        talk.created()
        talk.call("send_chat", '{"message":" "}')
        talk.done()
        assert talk.sent[0] == output('{"error":"“message” must be a text that is not empty."}')

    def test_two_calls_of_one_response_get_two_outputs_and_one_reply(self) -> None:
        talk = Conversation()
        talk.created()
        talk.call("send_chat", '{"message":"a"}', "call_1")
        talk.call("send_chat", '{"message":"b"}', "call_2")
        talk.done()
        assert talk.sent_types == ["conversation.item.create", "conversation.item.create", "response.create"]

    def test_an_agent_that_only_calls_tools_is_stopped(self) -> None:
        talk = Conversation()
        for number in range(6):
            talk.created(f"resp_{number}")
            talk.call("send_chat", '{"message":"a"}', f"call_{number}", f"resp_{number}")
            talk.done(f"resp_{number}")
        assert talk.sent_types == ["conversation.item.create"]
        assert [each["code"] for each in talk.notes("problem")] == ["tool_loop"]


def test_a_question_that_nobody_waits_for_any_more_makes_room_for_the_next(talk: Conversation) -> None:
    talk.created()
    talk.run(talk.session.ask("vasrating", VAS, False, talk.now_ns, token=2))
    talk.run(talk.session.ask("vasrating", VAS, False, talk.now_ns, token=3))
    talk.run(talk.session.withdraw(2, talk.now_ns))
    assert talk.session.questions_waiting == 1
    talk.run(talk.session.withdraw(1, talk.now_ns))
    (given_up,) = talk.notes("answer")
    assert given_up["accepted"] is False
    assert given_up["error"] == "The question was given up before it was answered."
    assert talk.session.question is not None
    assert talk.session.question.token == 3
    talk.run(talk.session.withdraw(1, talk.now_ns))
    assert talk.session.question.token == 3

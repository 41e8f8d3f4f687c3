"""The operator takes the agent's calls in hand: accepts, refuses, lets them wait or answers with broken JSON."""

import json
from typing import Any

import pytest

from simulator.session.calls import MOST_HELD
from tests.session.conversation import MS, Conversation

VAS = {"question": "How warm?"}
SPOKEN = {"type": "response.create", "response": {"output_modalities": ["audio"]}}


def output(text: str, call_id: str = "call_1") -> dict[str, Any]:
    item = {"type": "function_call_output", "call_id": call_id, "output": text}
    return {"type": "conversation.item.create", "item": item}


def answer(talk: Conversation, how: Any, text: str = "", call_id: str = "call_1") -> None:
    talk.run(talk.session.answer_call(call_id, how, text, talk.now_ns, token=9))


@pytest.fixture
def talk() -> Conversation:
    """A question is on the screen, and calls are in hand."""
    talk = Conversation()
    talk.run(talk.session.set_calls_in_hand(True, 0, token=8))
    assert talk.settled == [(8, None)]
    talk.run(talk.session.ask("vasrating", VAS, False, 0, token=1))
    return talk


def called(talk: Conversation, arguments: str) -> None:
    """The agent called the tool of the question, at 3 s."""
    talk.now_ns = 3000 * MS
    talk.created()
    talk.call("answer_scale", arguments)
    talk.done()


def test_a_call_waits_and_nothing_follows_its_response(talk: Conversation) -> None:
    called(talk, '{"value":170}')
    assert talk.sent == []
    assert talk.notes("call.held") == [
        {"call_id": "call_1", "name": "answer_scale", "arguments": '{"value":170}'},
    ]
    (held,) = talk.session.held_calls
    assert held.since_ns == 3000 * MS
    assert held.question is talk.session.question
    assert held.error is not None
    assert held.error.startswith("“value” must be a number from 0 to 100")


def test_as_judged_is_what_would_have_been_without_the_operator(talk: Conversation) -> None:
    called(talk, '{"value":70}')
    answer(talk, "as judged")
    assert talk.sent == [output('{"accepted":true}')]
    assert talk.settled == [(1, None), (9, None)]
    assert talk.notes("answer")[0]["value"] == 70
    assert "by" not in talk.notes("answer")[0]
    assert talk.notes("call.answered") == [
        {"call_id": "call_1", "by": "operator", "how": "as judged", "output": '{"accepted":true}'}
    ]
    assert talk.session.held_calls == []


def test_what_does_not_fit_may_be_accepted_with_the_value_that_it_gave(talk: Conversation) -> None:
    called(talk, '{"value":170}')
    answer(talk, "accept")
    assert talk.sent == [output('{"accepted":true}')]
    (note,) = talk.notes("answer")
    assert (note["value"], note["accepted"], note["by"]) == (170, True, "operator")
    assert note["judged"].startswith("“value” must be a number from 0 to 100")


def test_what_cannot_be_read_may_be_accepted_without_a_value(talk: Conversation) -> None:
    called(talk, "{")
    answer(talk, "accept")
    assert (talk.notes("answer")[0]["value"], talk.notes("answer")[0]["accepted"]) == (None, True)


def test_a_refusal_tells_its_text_and_the_question_is_asked_again(talk: Conversation) -> None:
    called(talk, '{"value":70}')
    answer(talk, "refuse", "Think “again”.\n")
    text, request = talk.sent
    assert text == output('{"error":"Think “again”.\\n"}')
    assert request["response"]["tool_choice"]["name"] == "answer_scale"
    assert (talk.notes("answer")[0]["accepted"], talk.notes("answer")[0]["error"]) == (False, "Think “again”.\n")


def test_a_refusal_without_a_text_is_refused_itself(talk: Conversation) -> None:
    called(talk, '{"value":70}')
    answer(talk, "refuse", " ")
    assert talk.settled == [(9, "A refusal needs its reason: the agent is to know what to do better.")]
    assert len(talk.session.held_calls) == 1


def test_broken_json_is_none_and_leaves_the_question_open(talk: Conversation) -> None:
    called(talk, '{"value":70}')
    answer(talk, "broken")
    broken = talk.sent[0]["item"]["output"]
    assert broken == '{"accepted":tru'
    with pytest.raises(json.JSONDecodeError):
        json.loads(broken)
    assert talk.sent_types == ["conversation.item.create", "response.create"]
    assert talk.notes("answer")[0]["accepted"] is False


def test_refused_to_the_last_attempt_it_is_given_up(talk: Conversation) -> None:
    for number in (1, 2, 3):
        talk.created(f"resp_{number}")
        talk.call("answer_scale", '{"value":70}', f"call_{number}", f"resp_{number}")
        talk.done(f"resp_{number}")
        answer(talk, "refuse", "No.", f"call_{number}")
    assert (1, "The agent did not answer in 3 attempts. No.") in talk.settled
    assert talk.session.question is None


def test_a_call_that_does_not_wait_cannot_be_answered(talk: Conversation) -> None:
    answer(talk, "accept", call_id="call_7")
    assert talk.settled == [(9, "No call “call_7” waits for an answer.")]
    assert talk.sent == []


def test_of_two_calls_in_one_reply_the_second_is_judged_after_the_first_and_then_the_reply_goes_on(
    talk: Conversation,
) -> None:
    talk = Conversation()
    talk.run(talk.session.set_calls_in_hand(True, 0))
    talk.created(output_modalities=["audio"])
    talk.run(talk.session.ask("vasrating", VAS, False, 0, token=1))
    talk.call("answer_scale", '{"value":1}', "call_1")
    talk.call("answer_scale", '{"value":2}', "call_2")
    talk.done()
    assert [each.error for each in talk.session.held_calls] == [None, None]
    assert talk.sent == [], "it is not asked silently while an answer may be in hand"
    answer(talk, "as judged", call_id="call_2")
    assert talk.sent == [output('{"accepted":true}', "call_2")]
    assert talk.session.held_calls[0].error == "This question is not on the screen."
    answer(talk, "as judged", call_id="call_1")
    assert talk.sent == [output('{"error":"This question is not on the screen."}'), SPOKEN]


def test_while_a_call_waits_the_next_question_waits_too(talk: Conversation) -> None:
    talk.run(talk.session.ask("textinput", {"question": "Why?"}, False, 0, token=2))
    called(talk, '{"value":70}')
    assert (talk.session.questions_waiting, talk.sent) == (1, [])
    answer(talk, "accept")
    assert talk.sent_types == ["conversation.item.create", "conversation.item.create", "response.create"]


def test_switched_off_those_that_wait_are_answered_as_judged_in_order(talk: Conversation) -> None:
    talk.created()
    talk.call("send_chat", '{"message":"a"}', "call_1")
    talk.call("answer_scale", '{"value":70}', "call_2")
    talk.call("launch", "{}", "call_3")
    talk.done()
    talk.run(talk.session.set_calls_in_hand(False, 0, token=7))
    assert [each["item"]["call_id"] for each in talk.sent] == ["call_1", "call_2", "call_3"]
    assert [each["by"] for each in talk.notes("call.answered")] == ["operator"] * 3
    assert talk.notes("chat.sent") == [{"message": "a", "call_id": "call_1"}]
    assert talk.settled == [(1, None), (7, None)]
    assert not talk.session.calls_in_hand


def test_a_call_of_a_cancelled_response_never_waits(talk: Conversation) -> None:
    talk.created()
    talk.call("answer_scale", '{"value":7')
    talk.done(status="cancelled")
    assert talk.session.held_calls == []
    assert talk.sent_types == ["response.create"]


def test_a_lost_connection_forgets_them_and_gives_the_question_up(talk: Conversation) -> None:
    called(talk, '{"value":70}')
    talk.run(talk.session.closed(None, "", 0))
    assert talk.session.held_calls == []
    assert talk.settled == [(1, "The connection ended before this was done.")]
    answer(talk, "accept")
    assert talk.settled == [(9, "There is no session: connect first.")]


def test_a_barge_in_and_another_reply_leave_the_call_waiting(talk: Conversation) -> None:
    called(talk, '{"value":70}')
    talk.speech_started()
    talk.speech_stopped()
    talk.committed()
    talk.created("resp_2", output_modalities=["audio"])
    answer(talk, "refuse", "No.")
    assert talk.sent == [output('{"error":"No."}')]
    talk.done("resp_2")
    assert talk.sent[0]["response"]["tool_choice"]["name"] == "answer_scale"


def test_a_chat_line_may_be_refused_and_is_not_typed_then(talk: Conversation) -> None:
    talk = Conversation()
    talk.run(talk.session.set_calls_in_hand(True, 0))
    talk.created()
    talk.call("send_chat", '{"message":"a"}')
    talk.done()
    answer(talk, "refuse", "The chat is closed.")
    assert talk.sent == [output('{"error":"The chat is closed."}'), SPOKEN]
    assert talk.notes("chat.sent") == []


def test_more_calls_than_anybody_could_answer_are_answered_as_judged() -> None:
    talk = Conversation()
    talk.run(talk.session.set_calls_in_hand(True, 0))
    talk.created()
    for number in range(MOST_HELD + 1):
        talk.call("send_chat", '{"message":"a"}', f"call_{number}")
    talk.done()
    assert len(talk.session.held_calls) == MOST_HELD
    assert talk.sent == [output('{"accepted":true}', f"call_{MOST_HELD}")]


@pytest.mark.parametrize(("attempts", "left"), [(1, False), (2, True)])
def test_a_silent_answer_that_ends_in_vain_meanwhile_is_dealt_with_after_the_call_in_hand(
    attempts: int, left: bool
) -> None:
    """The agent called the tool in a reply of its own, and the silent response that crossed it holds nothing."""
    talk = Conversation()
    talk.run(talk.session.set_calls_in_hand(True, 0))
    talk.run(talk.session.ask("vasrating", VAS, False, 0, attempts=attempts, token=1))
    talk.created("resp_auto", output_modalities=["audio"])
    talk.call("answer_scale", '{"value":7}', "call_1", "resp_auto")
    talk.done("resp_auto")
    talk.created("resp_1", output_modalities=["text"])
    talk.done("resp_1")
    assert talk.sent == []
    assert talk.session.question is not None
    answer(talk, "refuse", "No.")
    assert (talk.session.question is not None) is left
    assert ((1, "The agent did not answer in 1 attempt. No.") in talk.settled) is not left
    requests = [each for each in talk.sent if each["type"] == "response.create"]
    silent = {"output_modalities": ["text"], "tool_choice": {"type": "function", "name": "answer_scale"}}
    assert requests == [{"type": "response.create", "response": silent} if left else SPOKEN]

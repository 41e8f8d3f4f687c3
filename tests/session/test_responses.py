"""One response at a time: what waits, what is sent when, and what is tried again."""

import pytest

from tests.session.conversation import Conversation

SPOKEN = {"type": "response.create", "response": {"output_modalities": ["audio"]}}


@pytest.fixture
def talk() -> Conversation:
    return Conversation()


def ask_reply(talk: Conversation, token: int | None = None) -> None:
    talk.run(talk.session.request_reply(None, talk.now_ns, token=token))


def test_with_none_in_progress_it_is_sent_at_once_and_settled_when_created(talk: Conversation) -> None:
    ask_reply(talk, token=1)
    assert talk.sent == [SPOKEN]
    assert talk.settled == []
    talk.created()
    assert talk.settled == [(1, None)]
    assert talk.session.response_active


def test_instructions_go_along(talk: Conversation) -> None:
    talk.run(talk.session.request_reply("Be brief.", 0))
    assert talk.sent[0]["response"] == {"output_modalities": ["audio"], "instructions": "Be brief."}


def test_it_waits_for_the_response_in_progress(talk: Conversation) -> None:
    talk.created()
    ask_reply(talk)
    assert talk.sent == []
    talk.done()
    assert talk.sent == [SPOKEN]


def test_two_requests_go_one_after_the_other(talk: Conversation) -> None:
    ask_reply(talk, token=1)
    ask_reply(talk, token=2)
    assert talk.sent == []
    talk.created()
    assert talk.sent == []
    talk.done()
    assert talk.sent == [SPOKEN]
    talk.created("resp_2")
    assert talk.settled == [(2, None)]


def test_after_a_cancel_it_waits_for_response_done(talk: Conversation) -> None:
    talk.created()
    talk.run(talk.session.stop_reply(0))
    ask_reply(talk)
    assert talk.sent == []
    talk.done(status="cancelled")
    assert talk.sent == [SPOKEN]


def test_a_response_outside_the_conversation_blocks_nothing(talk: Conversation) -> None:
    talk.created("resp_side", conversation_id=None)
    assert not talk.session.response_active
    ask_reply(talk, token=1)
    assert talk.sent == [SPOKEN]


def test_a_request_that_crossed_a_response_of_the_engine_is_sent_again_after_it(talk: Conversation) -> None:
    ask_reply(talk, token=1)
    event_id = talk.last_event_id
    talk.created("resp_auto")
    talk.error("busy", "conversation_already_has_active_response", event_id)
    assert talk.sent == []
    assert talk.notes("problem") == []
    talk.done("resp_auto")
    assert talk.sent == [SPOKEN]
    talk.created("resp_2")
    talk.done("resp_2")
    assert talk.sent == []


def test_after_three_attempts_it_is_given_up(talk: Conversation) -> None:
    ask_reply(talk, token=1)
    for _ in range(2):
        talk.error("busy", "conversation_already_has_active_response", talk.last_event_id)
        assert talk.sent == [SPOKEN]
    talk.error("busy", "conversation_already_has_active_response", talk.last_event_id)
    assert talk.sent == []
    assert talk.settled == [(1, "The engine reports an error: busy")]


def test_another_refusal_settles_it_and_the_next_goes(talk: Conversation) -> None:
    ask_reply(talk, token=1)
    ask_reply(talk, token=2)
    talk.error("bad instructions", "invalid_value", talk.last_event_id)
    assert talk.settled == [(1, "The engine reports an error: bad instructions")]
    assert talk.sent == [SPOKEN]


def test_a_request_that_nobody_answers_is_given_up_after_fifteen_seconds(talk: Conversation) -> None:
    ask_reply(talk, token=1)
    talk.pass_time(15_000)
    assert talk.actions == []
    talk.pass_time(1)
    assert talk.settled == [(1, "The engine did not begin the requested response within 15 s.")]
    ask_reply(talk)
    assert talk.sent == [SPOKEN]


def test_a_cancel_that_nobody_answers_does_not_block_for_ever(talk: Conversation) -> None:
    talk.created()
    talk.run(talk.session.stop_reply(0))
    ask_reply(talk)
    talk.pass_time(15_001)
    assert talk.sent == [SPOKEN]
    assert [each["code"] for each in talk.notes("problem")] == ["cancel_unanswered"]


def test_a_long_response_is_not_given_up(talk: Conversation) -> None:
    talk.created()
    talk.pass_time(120_000)
    assert talk.session.response_active


def test_the_end_of_a_response_without_id_ends_the_one_in_progress(talk: Conversation) -> None:
    talk.created()
    talk.engine("response.done", response={"status": "completed"})
    assert not talk.session.response_active


def test_a_response_done_without_response_ends_it_too(talk: Conversation) -> None:
    talk.created()
    ask_reply(talk)
    talk.engine("response.done")
    assert talk.sent == [SPOKEN]


def test_a_failed_response_is_a_problem_of_the_engine(talk: Conversation) -> None:
    talk.created()
    talk.done(status="failed", status_details={"error": {"message": "no capacity"}})
    assert talk.notes("problem") == [
        {
            "whose": "engine",
            "code": "response_failed",
            "sentence": "The engine could not finish its response: no capacity.",
        }
    ]


def test_nothing_is_asked_before_the_settings_are_in_force() -> None:
    talk = Conversation(standing=False)
    talk.engine("session.created", session={})
    ask_reply(talk)
    assert talk.sent == []
    talk.answer_update()
    assert talk.sent == [SPOKEN]


def test_an_engine_that_speaks_first_is_played(talk: Conversation) -> None:
    talk.audio(100, "item_0", "resp_0")
    assert talk.played == ["item_0"]


def test_a_lost_connection_settles_what_waits(talk: Conversation) -> None:
    ask_reply(talk, token=1)
    ask_reply(talk, token=2)
    talk.run(talk.session.closed(None, "", 0))
    ended = "The connection ended before this was done."
    assert talk.settled == [(1, ended), (2, ended)]

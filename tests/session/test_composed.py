"""Responses and events that somebody composed: sent as they stand, when they may go, and settled in every case."""

from typing import Any

import pytest

from simulator.session.actions import Send
from tests.session.conversation import Conversation

TEXT_ONLY = {"output_modalities": ["text"], "instructions": "Sum up.", "max_output_tokens": 100}
BESIDE = {"conversation": "none", "output_modalities": ["text"], "metadata": {"topic": "mood"}, "input": []}
SPOKEN = {"output_modalities": ["audio"]}
VAS = {"question": "How warm?", "minValue": 0, "maxValue": 10}


@pytest.fixture
def talk() -> Conversation:
    return Conversation()


def create(talk: Conversation, response: dict[str, Any], token: int = 1) -> None:
    talk.run(talk.session.create_response(response, talk.now_ns, token=token))


def send(talk: Conversation, event: dict[str, Any], token: int = 1) -> None:
    talk.run(talk.session.send_event(event, talk.now_ns, token=token))


class TestCreateResponse:
    def test_it_carries_every_parameter_as_given_and_is_settled_when_created(self, talk: Conversation) -> None:
        create(talk, TEXT_ONLY)
        assert talk.sent == [{"type": "response.create", "response": TEXT_ONLY}]
        assert talk.settled == []
        talk.created(output_modalities=["text"])
        assert talk.settled == [(1, None)]

    def test_it_waits_for_the_reply_in_progress(self, talk: Conversation) -> None:
        talk.created()
        create(talk, TEXT_ONLY)
        assert talk.sent == []
        talk.done()
        assert talk.sent == [{"type": "response.create", "response": TEXT_ONLY}]

    def test_one_beside_the_conversation_waits_for_nothing_and_holds_nothing_up(self, talk: Conversation) -> None:
        talk.created()
        create(talk, BESIDE)
        assert talk.sent == [{"type": "response.create", "response": BESIDE}]
        talk.created("resp_beside", conversation_id=None)
        assert talk.settled == [(1, None)]
        talk.done("resp_1")
        talk.run(talk.session.request_reply(None, 0))
        assert talk.sent_types == ["response.create"]

    def test_an_engine_that_does_not_say_where_it_runs_settles_it_too(self, talk: Conversation) -> None:
        create(talk, BESIDE)
        talk.created("resp_beside", output_modalities=["text"])
        assert talk.settled == [(1, None)]
        assert not talk.session.response_active

    def test_a_refused_one_is_settled_with_the_engine_s_words(self, talk: Conversation) -> None:
        for response in (TEXT_ONLY, BESIDE):
            create(talk, response)
            talk.error("unknown parameter", "invalid_value", talk.last_event_id)
            assert talk.settled == [(1, "The engine reports an error: unknown parameter")]

    def test_an_unanswered_one_is_given_up_after_fifteen_seconds(self, talk: Conversation) -> None:
        create(talk, TEXT_ONLY, 1)
        create(talk, BESIDE, 2)
        talk.pass_time(15_001)
        late = "The engine did not begin the requested response within 15 s."
        assert talk.settled == [(1, late), (2, late)]

    def test_a_lost_connection_settles_all(self, talk: Conversation) -> None:
        create(talk, BESIDE, 1)
        create(talk, TEXT_ONLY, 2)
        create(talk, TEXT_ONLY, 3)
        talk.run(talk.session.closed(None, "", 0))
        assert sorted(token for token, _ in talk.settled) == [1, 2, 3]

    def test_a_reply_of_text_only_lets_the_next_one_go(self, talk: Conversation) -> None:
        create(talk, TEXT_ONLY)
        talk.created()
        talk.run(talk.session.request_reply(None, 0))
        talk.done()
        assert talk.sent == [{"type": "response.create", "response": SPOKEN}]

    def test_the_call_of_a_silent_one_is_answered_and_followed_by_nothing(self, talk: Conversation) -> None:
        create(talk, {"output_modalities": ["text"], "tool_choice": {"type": "function", "name": "send_chat"}})
        talk.created()
        talk.call("send_chat", '{"message":"hi"}')
        talk.done()
        assert talk.sent_types == ["conversation.item.create"]

    def test_the_call_of_one_beside_the_conversation_has_no_output_in_it(self, talk: Conversation) -> None:
        create(talk, BESIDE)
        talk.created("resp_beside", conversation_id=None)
        talk.call("send_chat", '{"message":"hi"}', "call_1", "resp_beside")
        talk.done("resp_beside", conversation_id=None)
        assert talk.sent == []

    def test_one_without_modalities_is_settled_by_whatever_begins(self, talk: Conversation) -> None:
        create(talk, {})
        talk.created(output_modalities=["audio"])
        assert talk.settled == [(1, None)]


class TestSendEvent:
    def test_it_leaves_at_once_as_it_stands_and_is_marked(self, talk: Conversation) -> None:
        talk.created()
        event = {"type": "no.such.event", "b": 1, "a": {"x": None}}
        send(talk, event)
        (sent,) = [each for each in talk.actions if isinstance(each, Send)]
        assert sent.event.wire == event  # type: ignore[union-attr]
        assert talk.notes("raw") == [{}]
        assert talk.settled == [(1, None)]

    @pytest.mark.parametrize("event", [{}, {"type": 5}, {"type": ""}, {"typ": "response.create"}])
    def test_without_a_type_it_is_refused(self, talk: Conversation, event: dict[str, Any]) -> None:
        send(talk, event)
        assert talk.sent == []
        assert talk.settled == [(1, "The event has no type: give it a “type”, such as “response.create”.")]

    def test_more_than_an_engine_takes_is_refused_with_both_figures(self, talk: Conversation) -> None:
        send(talk, {"type": "input_audio_buffer.append", "audio": "A" * (16 * 1024 * 1024)})
        assert talk.sent == []
        sentence = "The event has 16.0 MiB, and an engine takes 15 MiB at most: send less at a time."
        assert talk.settled == [(1, sentence)]

    def test_nested_too_deeply_it_is_refused(self, talk: Conversation) -> None:
        deep: dict[str, Any] = {}
        for _ in range(200):
            deep = {"a": deep}
        for refused in (
            lambda: send(talk, {"type": "x", "a": deep}),
            lambda: create(talk, deep),
            lambda: talk.run(talk.session.push(deep, [], False, 0, token=1)),
        ):
            refused()
            assert talk.sent == []
            assert "128 levels deep" in str(talk.settled[0][1])

    def test_settings_written_by_hand_are_answered_in_their_turn(self, talk: Conversation) -> None:
        """Else their answer would be taken for that of the switch behind them, and audio appended too early."""
        talk.run(talk.session.set_listening(False, 0))
        talk.answer_update()
        send(talk, {"type": "session.update", "session": {"type": "realtime", "instructions": "Mine."}})
        talk.run(talk.session.set_listening(True, 0, token=2))
        talk.answer_update(instructions="Mine.")
        assert talk.session.instructions_accepted == "Mine."
        assert talk.speak() == []
        talk.answer_update()
        assert talk.settled == [(2, None)]
        talk.speak()
        assert talk.sent_types == ["input_audio_buffer.append"]

    @pytest.mark.parametrize("named", ["mine", None])
    def test_settings_written_by_hand_that_are_refused_leave_the_order(self, talk: Conversation, named: Any) -> None:
        event: dict[str, Any] = {"type": "session.update", "session": {"voice": 5}}
        send(talk, event if named is None else {**event, "event_id": named})
        talk.run(talk.session.set_instructions("New.", 0, token=2))
        talk.error("no such voice", "invalid_value", named)
        assert talk.settled == []
        talk.answer_update(instructions="New.")
        assert talk.settled == [(2, None)]

    @pytest.mark.parametrize("session", [None, [], {"audio": 5}, {"instructions": 5}])
    def test_settings_that_are_none_do_no_harm(self, talk: Conversation, session: Any) -> None:
        send(talk, {"type": "session.update", "session": session})
        talk.engine("session.updated", session={})
        talk.run(talk.session.set_instructions("New.", 0, token=2))
        talk.answer_update(instructions="New.")
        assert talk.settled == [(2, None)]

    def test_without_a_session_both_are_refused(self) -> None:
        talk = Conversation(standing=False)
        send(talk, {"type": "x"})
        assert talk.settled == [(1, "There is no session: connect first.")]
        create(talk, {})
        assert talk.settled == [(1, "There is no session: connect first.")]


class TestKeepOwnAnswer:
    def test_a_value_that_fits_is_noted(self, talk: Conversation) -> None:
        talk.run(talk.session.keep_own_answer("vasrating", VAS, 7, token=1))
        assert talk.notes("own_answer") == [{"component": "vasrating", "config": VAS, "value": 7}]
        assert (talk.sent, talk.settled) == ([], [(1, None)])

    @pytest.mark.parametrize("value", [11, "7", None, [7], float("nan")])
    def test_one_that_does_not_is_refused(self, talk: Conversation, value: Any) -> None:
        talk.run(talk.session.keep_own_answer("vasrating", VAS, value, token=1))
        assert talk.notes("own_answer") == []
        assert talk.settled[0][1] is not None

    def test_so_is_one_to_a_component_that_cannot_be_answered(self, talk: Conversation) -> None:
        talk.run(talk.session.keep_own_answer("showtext", {}, "x", token=1))
        assert talk.notes("own_answer") == []
        assert talk.settled[0][1] is not None


def test_entering_a_part_changes_the_instructions_only_and_is_noted_before_it(talk: Conversation) -> None:
    talk.run(talk.session.set_instructions("Be brief.", 0, part="Second half", token=1))
    assert talk.sent == [{"type": "session.update", "session": {"type": "realtime", "instructions": "Be brief."}}]
    assert talk.notes("part") == [{"name": "Second half"}]


def test_a_part_without_guidance_is_noted_and_leaves_the_instructions(talk: Conversation) -> None:
    talk.run(talk.session.set_instructions(None, 0, part="Second half", token=1))
    assert talk.sent == []
    assert talk.notes("part") == [{"name": "Second half"}]
    assert talk.settled == [(1, None)]

"""Questions that wait behind one another, how often each is asked, and engines that answer as they should not."""

from typing import Any

import pytest

from simulator.profile.agent_spec import AgentSpec
from simulator.profile.wording import Wording
from simulator.session.questions import MOST_WAITING
from simulator.session.settings import SessionSettings
from tests.session.conversation import MS, Conversation, sent_in

VAS = {"question": "How warm?", "minValue": 0, "maxValue": 100}
WHY = {"question": "Why?"}
NOT_ON_SCREEN = '{"error":"This question is not on the screen."}'


def ask(talk: Conversation, component: str = "vasrating", config: dict[str, Any] = VAS, **more: Any) -> None:
    talk.run(talk.session.ask(component, config, False, talk.now_ns, **more))


def forced(event: dict[str, Any]) -> str | None:
    """The tool that a response.create forces."""
    choice: dict[str, str] = event["response"].get("tool_choice", {})
    return choice.get("name")


def outputs(talk: Conversation) -> list[str]:
    items = [each["item"] for each in talk.sent if each["type"] == "conversation.item.create"]
    return [each["output"] for each in items if each["type"] == "function_call_output"]


@pytest.fixture
def two() -> Conversation:
    """A scale is on the screen and its silent response in progress; a text waits behind it."""
    talk = Conversation()
    ask(talk, token=1)
    ask(talk, "textinput", WHY, token=2)
    assert talk.actions == []
    talk.created()
    return talk


class TestTheQueue:
    def test_the_second_is_neither_announced_nor_requested_before_the_first_is_answered(
        self, two: Conversation
    ) -> None:
        assert (two.session.question.words, two.session.questions_waiting) == ("How warm?", 1)  # type: ignore[union-attr]
        two.now_ns = 5000 * MS
        two.call("answer_scale", '{"value":70}')
        two.done()
        assert two.sent_types == ["conversation.item.create", "conversation.item.create", "response.create"]
        assert two.settled == [(1, None)]
        assert '"tool":"answer_text"' in two.sent[1]["item"]["content"][0]["text"]
        assert forced(two.sent[2]) == "answer_text"
        assert (two.session.question.words, two.session.questions_waiting) == ("Why?", 0)  # type: ignore[union-attr]
        two.created("resp_2")
        two.call("answer_text", '{"text":"Because."}', "call_2", "resp_2")
        two.done("resp_2")
        assert two.settled == [(2, None)]
        assert two.notes("answer")[0]["asked_ns"] == 5000 * MS

    def test_one_that_is_given_up_makes_room_for_the_next(self, two: Conversation) -> None:
        for number in (1, 2, 3):
            if number > 1:
                two.created(f"resp_{number}")
            two.done(f"resp_{number}")
        assert [token for token, _ in two.settled] == [1]
        assert forced(two.sent[-1]) == "answer_text"

    def test_a_lost_connection_settles_all_of_them(self, two: Conversation) -> None:
        two.run(two.session.closed(None, "", 0))
        ended = "The connection ended before this was done."
        assert two.settled == [(1, ended), (2, ended)]
        assert two.session.questions_waiting == 0

    def test_it_is_bounded(self, two: Conversation) -> None:
        for number in range(MOST_WAITING - 1):
            ask(two, token=10 + number)
        ask(two, token=99)
        assert two.settled == [
            (99, "50 questions wait already: let the agent answer some of them first."),
        ]

    def test_a_late_answer_to_the_first_is_none_to_the_second_though_the_tool_is_the_same(self) -> None:
        talk = Conversation()
        ask(talk, attempts=1, token=1)
        ask(talk, config={"question": "How funny?"}, token=2)
        talk.created()
        talk.done()
        assert [token for token, _ in talk.settled] == [1]
        talk.created("resp_2")
        talk.call("answer_scale", '{"value":70}', "call_late", "resp_1")
        assert talk.actions == []
        talk.call("answer_scale", '{"value":20}', "call_2", "resp_2")
        talk.done("resp_2")
        assert talk.notes("answer")[0]["value"] == 20

    def test_of_two_calls_in_one_response_the_second_is_not_the_next_question_s(self) -> None:
        talk = Conversation()
        ask(talk, token=1)
        ask(talk, config={"question": "How funny?"}, token=2)
        talk.created()
        talk.call("answer_scale", '{"value":70}', "call_1")
        talk.call("answer_scale", '{"value":20}', "call_2")
        talk.done()
        assert outputs(talk) == ['{"accepted":true}', NOT_ON_SCREEN]
        assert talk.settled == [(1, None)]

    def test_a_spoken_reply_begun_with_the_first_on_screen_does_not_answer_the_second(self) -> None:
        """The silent answer crossed with a reply of the engine's own, which calls the tool too, but later."""
        talk = Conversation()
        ask(talk, token=1)
        ask(talk, config={"question": "How funny?"}, token=2)
        talk.created("resp_auto", output_modalities=["audio"])
        talk.created("resp_1", output_modalities=["text"])
        talk.call("answer_scale", '{"value":70}', "call_1", "resp_1")
        talk.done("resp_1")
        assert talk.settled == [(1, None)]
        talk.call("answer_scale", '{"value":75}', "call_auto", "resp_auto")
        talk.done("resp_auto")
        assert outputs(talk) == [NOT_ON_SCREEN]
        assert talk.notes("answer") == []


class TestAttempts:
    @pytest.mark.parametrize("attempts", [0, 11, -1])
    def test_their_number_is_from_1_to_10(self, attempts: int) -> None:
        talk = Conversation()
        ask(talk, attempts=attempts, token=1)
        assert talk.settled == [(1, f"A question is asked from 1 to 10 times, not {attempts} times.")]
        assert talk.sent == []

    def test_with_one_it_is_given_up_after_the_first_refusal(self) -> None:
        talk = Conversation()
        ask(talk, attempts=1, token=1)
        talk.created()
        talk.call("answer_scale", '{"value":170}')
        talk.done()
        assert talk.sent_types == ["conversation.item.create"]
        assert talk.settled[0][1].startswith("The agent did not answer in 1 attempt. “value” must be")  # type: ignore[union-attr]

    def test_each_refused_answer_is_kept_with_the_number_of_its_attempt(self) -> None:
        talk = Conversation()
        ask(talk, attempts=5)
        kept = []
        for number, arguments in enumerate(
            ['{"value":"70"}', '{"value":null}', "{", '{"value":NaN}', '{"value":7}'], 1
        ):
            talk.created(f"resp_{number}")
            talk.call("answer_scale", arguments, f"call_{number}", f"resp_{number}")
            talk.done(f"resp_{number}")
            kept += talk.notes("answer")
        assert [(each["attempts"], each["arguments"], each["accepted"]) for each in kept] == [
            (1, '{"value":"70"}', False),
            (2, '{"value":null}', False),
            (3, "{", False),
            (4, '{"value":NaN}', False),
            (5, '{"value":7}', True),
        ]
        assert {each["question"] for each in kept} == {"How warm?"}
        assert "response.create" not in talk.sent_types

    def test_an_answer_that_speech_cut_short_is_no_attempt_but_not_for_ever(self) -> None:
        talk = Conversation()
        ask(talk, attempts=2, token=1)
        asked = 0
        while talk.session.question is not None:
            asked += 1
            talk.created(f"resp_{asked}", output_modalities=["text"])
            talk.done(f"resp_{asked}", "cancelled", status_details={"reason": "turn_detected"})
        assert asked == 10 + 2
        assert talk.settled == [
            (1, "The agent did not answer in 2 attempts. The last response was cancelled without a call.")
        ]

    def test_one_that_the_operator_stopped_is_an_attempt(self) -> None:
        talk = Conversation()
        ask(talk, attempts=1, token=1)
        talk.created(output_modalities=["text"])
        talk.run(talk.session.stop_reply(0))
        talk.done(status="cancelled", status_details={"reason": "client_cancelled"})
        assert [token for token, _ in talk.settled] == [1]


class TestWhereAndWhetherItCanBeAsked:
    @pytest.mark.parametrize(
        ("component", "config"),
        [("rapidrate", {"prompt": "Now?", "dimensions": ["Calm"]}), ("audiorecording", {"prompt": "Say it."})],
    )
    def test_some_are_asked_in_a_rating_pause_only(self, component: str, config: dict[str, Any]) -> None:
        talk = Conversation()
        ask(talk, component, config, token=1)
        assert talk.sent == []
        assert talk.settled[0][1] is not None
        ask(talk, component, config, shown_on="rating pause")
        assert talk.sent_types == ["conversation.item.create", "response.create"]

    def test_one_whose_tool_is_not_declared_is_not_asked(self) -> None:
        talk = Conversation(SessionSettings(tools=("answer_text", "send_chat")))
        ask(talk, token=1)
        ((_number, sentence),) = talk.settled
        assert sentence is not None
        assert "no tool answer_scale" in sentence
        assert sentence.endswith("add the question to the study, then connect again.")
        assert talk.sent == []

    def test_one_that_is_pushed_by_hand_has_its_tool_declared_first_beside_the_others(self) -> None:
        talk = Conversation(SessionSettings(tools=("answer_text", "send_chat")))
        ask(talk, adds_tool=True)
        assert talk.sent_types == ["session.update", "conversation.item.create", "response.create"]
        session = talk.sent[0]["session"]
        assert [each["name"] for each in session["tools"]] == ["send_chat", "answer_scale", "answer_text"]
        assert set(session) == {"type", "tools"}
        assert talk.notes("tool.added") == [
            {"name": "answer_scale", "tools": ["send_chat", "answer_scale", "answer_text"]}
        ]
        talk.answer_update()
        talk.created()
        talk.call("answer_scale", '{"value": 40}')
        talk.done(calls=[{"name": "answer_scale", "call_id": "call_1", "arguments": '{"value": 40}'}])
        assert [each["accepted"] for each in talk.notes("answer")] == [True]
        ask(talk, adds_tool=True)
        assert talk.sent_types == ["conversation.item.create", "response.create"], "it is declared by now"

    def test_an_update_with_a_tool_that_the_engine_refuses_is_sent_again_with_the_next_question(self) -> None:
        talk = Conversation(SessionSettings(tools=("send_chat",)))
        ask(talk, attempts=1, adds_tool=True)
        update = next(each for each in sent_in(talk.actions) if each["type"] == "session.update")
        talk.error("no more tools", event_id=update["event_id"])
        assert "no more tools" in talk.notes("problem")[0]["sentence"]
        talk.created()
        talk.done(status="failed")
        ask(talk, adds_tool=True)
        assert talk.sent_types[0] == "session.update"

    def test_only_the_tools_that_were_named_are_declared_in_the_specification_s_order(self) -> None:
        talk = Conversation(SessionSettings(tools=("answer_text", "send_chat")), standing=False)
        talk.engine("session.created", session={})
        assert [each["name"] for each in talk.sent[0]["session"]["tools"]] == ["send_chat", "answer_text"]

    def test_a_call_of_one_of_the_seven_that_was_not_declared_is_refused(self) -> None:
        talk = Conversation(SessionSettings(tools=("answer_scale",)))
        talk.created()
        talk.call("send_chat", '{"message":"hi"}')
        talk.done()
        assert outputs(talk) == ['{"error":"There is no tool “send_chat”."}']
        assert talk.notes("chat.sent") == []

    def test_the_words_and_tools_of_a_loaded_specification_are_sent(self) -> None:
        tool = {"type": "function", "name": "answer_scale", "description": "theirs", "parameters": {}}
        spec = AgentSpec(tools=(tool,), wording=Wording(), version="0.2.9", source="file", sha256="00")
        talk = Conversation(SessionSettings(specification=spec), standing=False)
        talk.engine("session.created", session={})
        assert talk.sent[0]["session"]["tools"] == [tool]


class TestEnginesThatAnswerOtherwise:
    def test_a_chat_line_instead_of_the_answer_is_typed_and_the_question_asked_again(self) -> None:
        talk = Conversation()
        ask(talk)
        talk.created()
        talk.call("send_chat", '{"message":"Which one?"}')
        talk.done()
        assert outputs(talk) == ['{"accepted":true}']
        assert talk.notes("chat.sent") == [{"message": "Which one?", "call_id": "call_1"}]
        assert [forced(each) for each in talk.sent if each["type"] == "response.create"] == ["answer_scale"]

    def test_a_spoken_reply_that_answers_takes_the_place_of_the_silent_request_that_waits(self) -> None:
        talk = Conversation()
        talk.created()
        ask(talk, token=1)
        talk.call("answer_scale", '{"value":5}')
        talk.done()
        assert talk.settled == [(1, None)]
        assert talk.sent[-1] == {"type": "response.create", "response": {"output_modalities": ["audio"]}}
        talk.created("resp_2")
        talk.done("resp_2")
        assert talk.sent == []

    def test_a_request_that_crossed_the_spoken_answer_is_not_sent_again(self) -> None:
        talk = Conversation()
        ask(talk, token=1)
        event_id = talk.last_event_id
        talk.created("resp_auto", output_modalities=["audio"])
        talk.call("answer_scale", '{"value":5}', "call_1", "resp_auto")
        talk.done("resp_auto")
        assert talk.settled == [(1, None)]
        talk.error("busy", "conversation_already_has_active_response", event_id)
        requests = [each for each in talk.sent if each["type"] == "response.create"]
        assert [forced(each) for each in requests] == [None]

    def test_it_waits_for_a_reply_cut_by_a_barge_in_and_for_the_one_begun_in_between(self) -> None:
        talk = Conversation()
        talk.created()
        talk.audio(1000)
        talk.speech_started()
        ask(talk)
        assert talk.sent_types == ["conversation.item.create"]
        talk.created("resp_auto", output_modalities=["audio"])
        talk.done("resp_1", status="cancelled")
        assert talk.sent == []
        talk.done("resp_auto")
        assert [forced(each) for each in talk.sent] == ["answer_scale"]

    def test_a_call_after_the_question_was_given_up_is_refused(self) -> None:
        talk = Conversation()
        ask(talk, attempts=1)
        talk.created()
        talk.done()
        talk.created("resp_2")
        talk.call("answer_scale", '{"value":5}', "call_2", "resp_2")
        talk.done("resp_2")
        assert outputs(talk) == [NOT_ON_SCREEN]

    def test_the_same_call_in_a_spoken_and_in_the_silent_response_counts_once(self) -> None:
        talk = Conversation()
        ask(talk, token=1)
        talk.created("resp_auto", output_modalities=["audio"])
        talk.call("answer_scale", '{"value":5}', "call_1", "resp_auto")
        talk.created("resp_1", output_modalities=["text"])
        talk.call("answer_scale", '{"value":5}', "call_1", "resp_1")
        talk.done("resp_1")
        assert talk.settled == [(1, None)]
        talk.done("resp_auto")
        assert outputs(talk) == []

    def test_an_answer_to_a_request_that_was_thought_lost_counts_and_is_followed_by_nothing(self) -> None:
        """The engine begins after 15 s, when the question was just asked again; the second request crosses it."""
        talk = Conversation()
        ask(talk, token=1)
        talk.pass_time(15_001)
        second = talk.last_event_id
        talk.created("resp_1", output_modalities=["text"])
        talk.error("busy", "conversation_already_has_active_response", second)
        talk.call("answer_scale", '{"value":5}')
        talk.done()
        assert talk.settled == [(1, None)]
        assert talk.sent_types == ["conversation.item.create"]

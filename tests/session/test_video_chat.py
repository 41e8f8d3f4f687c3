"""The screen shows the video chat or hides it: the participant is heard only while it is shown."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from simulator.profile import facts
from simulator.session.actions import Settled
from tests.session.conversation import Conversation, sent_in

SCREEN = {"event": "screen", "type": "showtext", "text": "Wait."}
ITEM = "conversation.item.create"


def push(talk: Conversation, shown: bool | None, token: int | None = None) -> None:
    talk.run(talk.session.push(SCREEN, [], False, talk.now_ns, video_chat=shown, token=token))


def turn_detection(event: dict[str, Any]) -> Any:
    return event["session"]["audio"]["input"]["turn_detection"]


def updates(talk: Conversation) -> int:
    return sum(each["type"] == "session.update" for each in sent_in(talk.history))


@pytest.fixture
def talk() -> Conversation:
    return Conversation()


def test_hidden_in_mid_speech_it_is_switched_off_before_the_item_and_committed_once(talk: Conversation) -> None:
    talk.speech_started()
    push(talk, False, token=1)
    assert talk.sent_types == ["session.update", ITEM]
    assert turn_detection(talk.sent[0]) is None
    assert talk.settled == [(1, None)], "a push does not wait for the engine"
    assert talk.speak() == []
    talk.answer_update()
    assert talk.sent == [{"type": "input_audio_buffer.commit"}]
    talk.committed()
    assert talk.speak() == []


def test_hidden_in_silence_nothing_is_committed(talk: Conversation) -> None:
    push(talk, False)
    talk.answer_update()
    assert talk.sent == []


def test_shown_again_it_is_heard_only_after_the_engine_answered(talk: Conversation) -> None:
    push(talk, False)
    talk.answer_update()
    push(talk, True, token=1)
    assert talk.sent_types == ["session.update", ITEM]
    assert turn_detection(talk.sent[0]) == facts.turn_detection("server_vad")
    assert talk.settled == [(1, None)]
    assert talk.speak() == []
    talk.answer_update()
    talk.speak()
    assert talk.sent_types == ["input_audio_buffer.append"]


@pytest.mark.parametrize("shown", [None, True])
def test_a_screen_that_changes_nothing_about_it_sends_the_item_alone(talk: Conversation, shown: bool | None) -> None:
    push(talk, shown)
    assert talk.sent_types == [ITEM]
    talk.speak()
    assert talk.sent_types == ["input_audio_buffer.append"]


def test_a_push_that_is_refused_switches_nothing(talk: Conversation) -> None:
    talk.run(talk.session.push(SCREEN, [b"GIF89a"], False, 0, video_chat=False, token=1))
    assert talk.sent == []
    assert talk.session.listening


def test_hidden_during_a_reply_the_reply_goes_on(talk: Conversation) -> None:
    talk.created()
    talk.audio(500)
    push(talk, False)
    assert not talk.cut
    talk.audio(500)
    assert talk.played == ["item_1"]


def test_a_question_hides_it_when_it_is_put_on_the_screen_not_while_it_waits(talk: Conversation) -> None:
    ask = talk.session.ask
    talk.run(ask("vasrating", {"question": "One?"}, False, 0))
    talk.run(ask("vasrating", {"question": "Two?"}, False, 0, video_chat=False))
    assert talk.sent == []
    talk.speak()
    assert talk.sent_types == ["input_audio_buffer.append"]
    talk.created()
    talk.call("answer_scale", '{"value":5}')
    talk.done()
    assert talk.sent_types == [ITEM, "session.update", ITEM, "response.create"]
    assert talk.speak() == []


class Screens(RuleBasedStateMachine):
    """Screens that show and hide the video chat as fast as anybody can push, a speaker, an engine that answers late.

    The model holds what HRP promises: from a push that hides it until the answer to the update that shows it again,
    nothing is appended; each time turn detection goes off in a turn that the engine left open, one commit follows.
    """

    def __init__(self) -> None:
        super().__init__()
        self.talk = Conversation()
        self.checked = len(self.talk.history)
        self.shown = True
        self.heard = True
        self.unanswered: list[Any] = []
        self.detects = True
        self.turn: str | None = None
        self.turns = 0
        self.reply: str | None = None
        self.replies = 0
        self.tokens = 0
        self.commits = 0

    def look(self) -> list[dict[str, Any]]:
        new = sent_in(self.talk.history[self.checked :])
        self.checked = len(self.talk.history)
        for event in new:
            if event["type"] == "input_audio_buffer.append":
                assert self.heard, "appended while hidden"
            elif event["type"] == "session.update":
                assert len(self.unanswered) == 0, "one switch at a time"
                self.unanswered.append(turn_detection(event))
            elif event["type"] == "input_audio_buffer.commit":
                self.commits += 1
        return new

    def switch(self, shown: bool) -> None:
        self.shown = shown
        self.heard = self.heard and shown

    def sent_in_order(self, types: list[str]) -> None:
        assert ITEM in types
        assert "session.update" not in types[types.index(ITEM) :], "the change of listening leaves before the item"

    @rule(shown=st.booleans())
    def push(self, shown: bool) -> None:
        self.switch(shown)
        self.tokens += 1
        push(self.talk, shown, self.tokens)
        self.sent_in_order([each["type"] for each in self.look()])
        assert self.talk.settled == [(self.tokens, None)]

    @rule(shown=st.booleans())
    def ask(self, shown: bool) -> None:
        if self.talk.session.question is not None:
            return
        self.switch(shown)
        self.tokens += 1
        config = {"question": "How warm?"}
        self.talk.run(
            self.talk.session.ask("vasrating", config, False, 0, attempts=1, video_chat=shown, token=self.tokens)
        )
        self.sent_in_order([each["type"] for each in self.look()])

    @rule()
    def speak(self) -> None:
        self.talk.speak()
        assert bool(self.talk.sent) == self.heard
        self.look()

    @precondition(lambda self: self.unanswered)
    @rule()
    def engine_answers(self) -> None:
        detects, commits = self.unanswered.pop(0) is not None, self.commits
        self.detects = detects
        if detects and self.shown:
            self.heard = True
        self.talk.answer_update()
        self.look()
        open_turn = not detects and self.turn is not None
        assert self.commits - commits == (1 if open_turn else 0)
        if open_turn:
            self.talk.committed(str(self.turn))
            self.turn = None
            self.look()

    @precondition(lambda self: self.detects and self.turn is None)
    @rule()
    def engine_hears_speech(self) -> None:
        self.turns += 1
        self.turn = f"user_{self.turns}"
        self.talk.speech_started(self.turn)
        self.look()

    @precondition(lambda self: self.detects and self.turn is not None)
    @rule()
    def engine_ends_the_turn(self) -> None:
        item, self.turn = str(self.turn), None
        self.talk.speech_stopped(item)
        self.talk.committed(item)
        self.look()

    @precondition(lambda self: self.reply is None)
    @rule()
    def engine_begins_a_reply(self) -> None:
        self.replies += 1
        self.reply = f"resp_{self.replies}"
        self.talk.created(self.reply)
        self.talk.audio(200, f"item_{self.replies}", self.reply)
        self.look()

    @precondition(lambda self: self.reply is not None)
    @rule(answers=st.booleans())
    def engine_ends_the_reply(self, answers: bool) -> None:
        call = {"call_id": f"call_{self.replies}", "name": "answer_scale", "arguments": '{"value":5}'}
        response, self.reply = str(self.reply), None
        self.talk.done(response, calls=[call] if answers else [])
        self.look()

    @invariant()
    def it_listens_exactly_when_it_may(self) -> None:
        assert self.talk.session.listening == self.heard

    def teardown(self) -> None:
        """However they were mixed: once the engine answered all, listening is what the last screen wants."""
        while self.unanswered:
            self.engine_answers()
        assert self.talk.session.listening == self.shown
        self.talk.run(self.talk.session.closed(None, "", 0))
        settled = sorted(each.token for each in self.talk.history if isinstance(each, Settled))
        assert settled == list(range(1, self.tokens + 1))


TestScreens = Screens.TestCase
TestScreens.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)


@given(st.lists(st.booleans(), min_size=1, max_size=12))
@settings(max_examples=200)
def test_however_fast_it_is_hidden_and_shown_one_turn_is_committed_at_most_once(screens: list[bool]) -> None:
    """All pushed before the engine answers the first switch."""
    talk = Conversation()
    talk.speech_started()
    for shown in screens:
        push(talk, shown)
        talk.speak()
    answered = 1  # the session's first update
    while updates(talk) > answered:
        talk.answer_update()
        answered += 1
    sent = [each["type"] for each in sent_in(talk.history)]
    assert sent.count("input_audio_buffer.commit") == (0 if all(screens) else 1)
    assert talk.session.listening == screens[-1]

"""Listening off and on: nothing appended while off, one commit for an unfinished turn, the last wish wins."""

import pytest

from simulator.profile import facts
from simulator.session.settings import SessionSettings
from tests.session.conversation import Conversation

COMMIT = {"type": "input_audio_buffer.commit"}
SWITCHED_BACK = "Listening was switched back before this took effect."


def update(turn_detection: object) -> dict[str, object]:
    audio_format = {"type": "audio/pcm", "rate": 24000}
    audio = {"input": {"format": audio_format, "transcription": None, "turn_detection": turn_detection}}
    return {"type": "session.update", "session": {"type": "realtime", "audio": audio}}


OFF = update(None)
ON = update(facts.turn_detection("server_vad"))


@pytest.fixture
def talk() -> Conversation:
    return Conversation()


def switch(talk: Conversation, on: bool, token: int | None = None) -> None:
    talk.run(talk.session.set_listening(on, talk.now_ns, token=token))


def test_while_on_all_is_appended(talk: Conversation) -> None:
    talk.speak()
    assert talk.sent_types == ["input_audio_buffer.append"]


def test_off_in_mid_speech_stops_appending_at_once_and_commits_after_the_answer(talk: Conversation) -> None:
    talk.speech_started()
    switch(talk, False, token=1)
    assert talk.sent == [OFF]
    assert talk.notes("listening.off") == [{"in_speech": True}]
    assert talk.speak() == []
    assert not talk.session.listening
    talk.answer_update()
    assert talk.sent == [COMMIT]
    assert talk.settled == [(1, None)]
    talk.committed()
    assert talk.actions == []
    assert talk.speak() == []


def test_off_in_silence_commits_nothing(talk: Conversation) -> None:
    talk.speech_started()
    talk.speech_stopped()
    talk.committed()
    switch(talk, False)
    assert talk.notes("listening.off") == [{"in_speech": False}]
    talk.answer_update()
    assert talk.sent == []


def test_a_turn_that_the_engine_committed_before_its_answer_is_not_committed_again(talk: Conversation) -> None:
    """The end of the speech and the switch cross on the wire."""
    talk.speech_started()
    switch(talk, False)
    talk.speech_stopped()
    talk.committed()
    talk.answer_update()
    assert talk.sent == []


def test_speech_that_stops_by_being_switched_off_is_still_to_be_committed(talk: Conversation) -> None:
    talk.speech_started()
    switch(talk, False)
    talk.speech_stopped()
    talk.answer_update()
    assert talk.sent == [COMMIT]


def test_speech_that_the_engine_noticed_only_after_the_switch_is_kept_too(talk: Conversation) -> None:
    switch(talk, False)
    assert talk.notes("listening.off") == [{"in_speech": False}]
    talk.speech_started()
    talk.answer_update()
    assert talk.sent == [COMMIT]


def test_the_commit_of_an_earlier_turn_does_not_end_the_present_one(talk: Conversation) -> None:
    talk.speech_started("item_b")
    talk.committed("item_a")
    switch(talk, False)
    talk.answer_update()
    assert talk.sent == [COMMIT]


def test_on_again_appends_only_after_the_answer(talk: Conversation) -> None:
    switch(talk, False)
    talk.answer_update()
    switch(talk, True, token=2)
    assert talk.sent == [ON]
    assert talk.settled == []
    assert talk.speak() == []
    talk.answer_update()
    assert talk.notes("listening.on") == [{}]
    assert talk.settled == [(2, None)]
    talk.speak()
    assert talk.sent_types == ["input_audio_buffer.append"]


def test_off_and_on_at_once_waits_for_the_answer_and_ends_on(talk: Conversation) -> None:
    talk.speech_started()
    switch(talk, False, token=1)
    switch(talk, True, token=2)
    assert talk.sent == []
    talk.answer_update()
    assert talk.sent == [COMMIT, ON]
    assert talk.settled == [(1, None)]
    talk.answer_update()
    assert talk.settled == [(2, None)]
    assert talk.session.listening


def test_off_on_off_sends_one_update_and_ends_off(talk: Conversation) -> None:
    switch(talk, False, token=1)
    switch(talk, True, token=2)
    switch(talk, False, token=3)
    talk.answer_update()
    assert talk.sent == []
    assert talk.settled == [(1, None), (2, SWITCHED_BACK), (3, None)]


def test_on_taken_back_while_it_is_under_way(talk: Conversation) -> None:
    switch(talk, False)
    talk.answer_update()
    switch(talk, True, token=1)
    switch(talk, False, token=2)
    assert talk.sent == []
    talk.answer_update()
    assert talk.sent == [OFF]
    assert talk.notes("listening.on") == []
    assert talk.speak() == []
    talk.answer_update()
    assert talk.settled == [(1, SWITCHED_BACK), (2, None)]
    assert talk.sent == []


def test_what_is_so_already_is_settled_at_once(talk: Conversation) -> None:
    switch(talk, True, token=1)
    assert talk.settled == [(1, None)]
    assert talk.sent == []


def test_a_refused_off_leaves_nothing_appended_and_keeps_the_turn(talk: Conversation) -> None:
    talk.speech_started()
    switch(talk, False, token=1)
    talk.error("no", "invalid_value", talk.last_event_id)
    assert talk.sent == [COMMIT]
    assert talk.settled == [(1, "The engine refused the settings: no")]
    assert talk.speak() == []


def test_a_refused_on_stays_off(talk: Conversation) -> None:
    switch(talk, False)
    talk.answer_update()
    switch(talk, True, token=1)
    talk.error("no", "invalid_value", talk.last_event_id)
    assert talk.settled == [(1, "The engine refused the settings: no")]
    assert not talk.session.listening_wanted
    assert talk.speak() == []
    switch(talk, True)
    assert talk.sent == [ON]


def test_an_unanswered_off_is_given_up_after_fifteen_seconds(talk: Conversation) -> None:
    talk.speech_started()
    switch(talk, False, token=1)
    talk.pass_time(15_000)
    assert talk.actions == []
    talk.pass_time(1)
    assert talk.sent == [COMMIT]
    assert talk.settled == [(1, "The engine did not answer session.update within 15 s.")]
    assert [each["code"] for each in talk.notes("problem")] == ["update_unanswered"]


def test_an_empty_commit_is_benign(talk: Conversation) -> None:
    talk.speech_started()
    switch(talk, False)
    talk.answer_update()
    assert talk.error("empty", "input_audio_buffer_commit_empty", talk.last_event_id) == []


def test_the_reply_goes_on_when_listening_is_switched_off(talk: Conversation) -> None:
    talk.created()
    talk.audio(500)
    switch(talk, False)
    assert not talk.cut
    talk.answer_update()
    talk.audio(500)
    assert talk.played == ["item_1"]


def test_pausing_the_study_does_not_touch_listening(talk: Conversation) -> None:
    talk.run(talk.session.push({"event": "paused", "waitingFor": ["Alex (A)"]}, [], False, 0))
    assert talk.sent_types == ["conversation.item.create"]
    talk.speak()
    assert talk.sent_types == ["input_audio_buffer.append"]


def test_nothing_is_appended_before_the_settings_are_in_force() -> None:
    talk = Conversation(standing=False)
    assert talk.speak() == []
    talk.engine("session.created", session={})
    assert talk.sent_types == ["session.update"]
    assert talk.speak() == []
    talk.answer_update()
    talk.speak()
    assert talk.sent_types == ["input_audio_buffer.append"]


def test_a_session_may_start_without_listening() -> None:
    talk = Conversation(SessionSettings(listening=False), standing=False)
    talk.engine("session.created", session={})
    assert talk.sent[0]["session"]["audio"]["input"]["turn_detection"] is None
    assert talk.notes("listening.off") == [{"in_speech": False}]
    talk.answer_update()
    assert talk.speak() == []
    switch(talk, True)
    assert talk.sent == [ON]


def test_a_wish_before_the_session_is_created_goes_into_the_first_update() -> None:
    talk = Conversation(standing=False)
    switch(talk, False, token=1)
    talk.engine("session.created", session={})
    assert talk.sent[0]["session"]["audio"]["input"]["turn_detection"] is None
    talk.answer_update()
    assert talk.settled == [(1, None)]


def test_when_the_settings_are_refused_nothing_is_appended() -> None:
    talk = Conversation(standing=False)
    talk.engine("session.created", session={})
    talk.error("semantic_vad is not supported", "invalid_value", talk.last_event_id)
    assert talk.notes("problem")[0]["sentence"] == "The engine refused the settings: semantic_vad is not supported"
    assert talk.notes("listening.off") == [{"in_speech": False}]
    assert talk.speak() == []
    assert talk.session.session_accepted is None
    assert talk.session.instructions_accepted is None


def test_a_lost_connection_settles_the_wish(talk: Conversation) -> None:
    switch(talk, False, token=1)
    talk.run(talk.session.closed(1006, "lost in mid-sentence", 0))
    assert talk.settled == [(1, "The connection ended before this was done: lost in mid-sentence.")]
    switch(talk, True, token=2)
    assert talk.settled == [(2, "There is no session: connect first.")]
    assert talk.sent == []


def test_an_engine_that_never_says_committed_gets_one_commit_for_one_turn(talk: Conversation) -> None:
    talk.speech_started()
    switch(talk, False)
    talk.answer_update()
    assert talk.sent == [COMMIT]
    switch(talk, True)
    talk.answer_update()
    switch(talk, False)
    assert talk.notes("listening.off") == [{"in_speech": False}]
    talk.answer_update()
    assert talk.sent == []

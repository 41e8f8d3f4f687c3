"""Barge-in: the cut comes first, truncations say what was heard, late audio is dropped, a new response plays."""

import pytest

from simulator.session.actions import CutPlayback, EndItem, Play
from simulator.session.settings import SessionSettings
from tests.session.conversation import MS, Conversation


@pytest.fixture
def talk() -> Conversation:
    """5 s of a reply received, 1840 ms of it heard, the response still in progress."""
    talk = Conversation()
    talk.created()
    for _ in range(5):
        talk.audio(1000)
    talk.hear(1840)
    talk.now_ns = 7000 * MS
    return talk


def test_the_cut_is_the_first_action_and_the_item_is_truncated_at_what_was_handed(talk: Conversation) -> None:
    actions = talk.speech_started()
    assert actions[0] == CutPlayback("speech_started", talk.seq, 7000 * MS)
    assert talk.sent == [
        {"type": "conversation.item.truncate", "item_id": "item_1", "content_index": 0, "audio_end_ms": 1840}
    ]
    assert talk.notes("playback.cut") == [
        {
            "item_id": "item_1",
            "response_id": "resp_1",
            "handed_samples": 1840 * 24,
            "received_samples": 5000 * 24,
            "begun": True,
            "cut_ns": 7000 * MS,
            "cause": "speech_started",
        }
    ]


def test_the_engine_cancels_by_itself(talk: Conversation) -> None:
    talk.speech_started()
    assert "response.cancel" not in talk.sent_types


def test_late_audio_of_the_cut_response_is_dropped_and_noted(talk: Conversation) -> None:
    talk.speech_started()
    talk.audio(200)
    assert talk.played == []
    assert talk.sent == []
    assert talk.notes("audio.dropped") == [{"response_id": "resp_1", "item_id": "item_1", "samples": 4800}]
    talk.done(status="cancelled")
    talk.audio(100)
    assert talk.played == []
    assert len(talk.notes("audio.dropped")) == 1


def test_a_new_response_plays_after_a_cut(talk: Conversation) -> None:
    talk.speech_started()
    talk.done(status="cancelled")
    talk.created("resp_2")
    talk.audio(100, "item_2", "resp_2")
    assert talk.played == ["item_2"]


def test_an_item_that_begins_only_after_the_cut_was_never_heard(talk: Conversation) -> None:
    talk.speech_started()
    talk.audio(100, "item_late")
    assert talk.played == []
    assert talk.truncated == [("item_late", 0)]
    talk.audio(100, "item_late")
    assert talk.truncated == []


def test_items_behind_the_one_being_heard_are_truncated_at_zero() -> None:
    talk = Conversation()
    talk.created()
    talk.audio(1000, "item_1")
    talk.audio_done("item_1")
    talk.audio(1000, "item_2")
    talk.audio(1000, "item_3")
    talk.hear(400)
    talk.speech_started()
    assert talk.truncated == [("item_1", 400), ("item_2", 0), ("item_3", 0)]


def test_an_item_heard_to_its_end_is_not_truncated() -> None:
    talk = Conversation()
    talk.created()
    talk.audio(1000, "item_1")
    talk.audio_done("item_1")
    talk.audio(1000, "item_2")
    talk.hear(1500)
    talk.speech_started()
    assert talk.truncated == [("item_2", 500)]


def test_a_whole_reply_heard_to_its_end_leaves_nothing_to_cut() -> None:
    talk = Conversation()
    talk.created()
    talk.audio(1000)
    talk.audio_done()
    talk.done()
    talk.hear(1000)
    assert talk.notes("playback.ended") == [
        {"item_id": "item_1", "handed_samples": 24_000, "handed_ns": 0, "received_samples": 24_000}
    ]
    talk.speech_started()
    assert talk.actions == []


def test_the_loudspeaker_counts_and_not_the_response() -> None:
    """Audio comes faster than real time: the response is done long before its last sample is heard."""
    talk = Conversation()
    talk.created()
    talk.audio(1000)
    talk.audio_done()
    talk.done()
    talk.hear(300)
    talk.speech_started()
    assert talk.cut
    assert talk.truncated == [("item_1", 300)]


def test_all_that_came_was_heard_but_more_was_to_come() -> None:
    """An engine slower than real time: the item goes on, so it is truncated where it was heard."""
    talk = Conversation()
    talk.created()
    talk.audio(500)
    talk.hear(800)
    talk.speech_started()
    assert talk.cut
    assert talk.truncated == [("item_1", 500)]


def test_speech_with_nothing_playing_cuts_nothing() -> None:
    talk = Conversation()
    talk.speech_started()
    assert talk.actions == []


def test_a_response_interrupted_before_its_first_sound_is_not_played_later() -> None:
    talk = Conversation()
    talk.created()
    talk.speech_started()
    assert not talk.cut
    talk.audio(100)
    assert talk.played == []
    assert talk.truncated == [("item_1", 0)]


def test_where_the_engine_was_told_not_to_be_interrupted_such_a_response_plays() -> None:
    mode = {"type": "server_vad", "create_response": True, "interrupt_response": False}
    talk = Conversation(SessionSettings(turn_detection=mode))
    talk.created()
    talk.speech_started()
    talk.audio(100)
    assert talk.played == ["item_1"]


def test_half_a_millisecond_is_not_heard() -> None:
    talk = Conversation()
    talk.created()
    talk.audio(1000)
    talk.hear(10)
    talk.loudspeaker.items[0].handed_samples += 23
    talk.speech_started()
    assert talk.truncated == [("item_1", 10)]


def test_a_truncation_never_exceeds_what_was_received() -> None:
    """Whatever the loudspeaker claims: 3 bytes are one sample."""
    talk = Conversation()
    talk.created()
    talk.audio_bytes(bytes(2 * 24 * 10 + 1))
    talk.loudspeaker.items[0].handed_samples = 99_999
    talk.speech_started()
    assert talk.truncated == [("item_1", 10)]


def test_an_item_of_which_no_audio_came_is_not_truncated() -> None:
    talk = Conversation()
    talk.created()
    talk.audio_bytes(b"")
    talk.speech_started()
    assert talk.actions == []


def test_a_refused_truncation_is_noted_and_benign(talk: Conversation) -> None:
    talk.speech_started()
    talk.error("Audio is already shorter.", "invalid_value", talk.last_event_id)
    assert talk.notes("truncation.refused") == [{"item_id": "item_1", "message": "Audio is already shorter."}]
    assert talk.notes("problem") == []


def test_the_acknowledgement_of_a_truncation_needs_nothing(talk: Conversation) -> None:
    talk.speech_started()
    assert talk.engine("conversation.item.truncated", item_id="item_1", content_index=0, audio_end_ms=1840) == []


def test_a_second_speech_started_cuts_nothing_twice(talk: Conversation) -> None:
    talk.speech_started()
    talk.speech_started("item_other")
    assert not talk.cut
    assert talk.sent == []


def test_speech_started_without_an_item_still_cuts(talk: Conversation) -> None:
    """A deviating engine breaks the profile; the participant is not talked over all the same."""
    actions = talk.engine("input_audio_buffer.speech_started", audio_start_ms=5)
    assert isinstance(actions[0], CutPlayback)


def test_playback_notes_name_the_response() -> None:
    talk = Conversation()
    talk.created()
    talk.audio(1000)
    talk.hear(20)
    assert talk.notes("playback.started") == [
        {
            "item_id": "item_1",
            "handed_ns": 0,
            "dac_ns": 30 * MS,
            "dac_source": "stream.latency",
            "response_id": "resp_1",
        }
    ]


def test_samples_split_across_deltas_are_counted_as_bytes() -> None:
    talk = Conversation()
    talk.created()
    talk.audio_bytes(bytes(479))
    talk.audio_bytes(bytes(481))
    talk.audio_done()
    assert talk.actions == [EndItem("item_1")]
    talk.hear(20)
    assert talk.notes("playback.ended")[0]["received_samples"] == 480


def test_an_item_that_ends_in_half_a_sample_ends() -> None:
    talk = Conversation()
    talk.created()
    talk.audio_bytes(bytes(481))
    talk.audio_done()
    assert talk.actions[0] == EndItem("item_1")


def test_a_delta_over_two_seconds_breaks_the_profile_and_plays() -> None:
    talk = Conversation()
    talk.created()
    talk.audio(2001)
    assert talk.played == ["item_1"]


def test_the_end_of_a_response_ends_its_items() -> None:
    talk = Conversation()
    talk.created()
    talk.audio(100)
    talk.done()
    assert EndItem("item_1") in talk.actions


def test_audio_after_the_announced_end_is_not_played() -> None:
    talk = Conversation()
    talk.created()
    talk.audio(100)
    talk.audio_done()
    talk.audio(100)
    assert talk.played == []


def test_a_lost_connection_cuts_at_once_and_sends_nothing(talk: Conversation) -> None:
    actions = talk.run(talk.session.closed(None, "lost", talk.now_ns))
    assert actions[0] == CutPlayback("closed")
    assert talk.notes("playback.cut")[0]["cause"] == "closed"
    assert talk.sent == []
    assert talk.audio(100) == []
    assert talk.run(talk.session.closed(None, "lost", talk.now_ns)) == []


class TestStopReply:
    def test_cancels_cuts_and_truncates(self, talk: Conversation) -> None:
        actions = talk.run(talk.session.stop_reply(talk.now_ns, token=3))
        assert actions[0] == CutPlayback("stop_reply")
        assert talk.sent == [
            {"type": "conversation.item.truncate", "item_id": "item_1", "content_index": 0, "audio_end_ms": 1840},
            {"type": "response.cancel", "response_id": "resp_1"},
        ]
        assert talk.settled == [(3, None)]
        talk.audio(100)
        assert talk.played == []

    def test_of_a_response_that_is_done_only_cuts(self, talk: Conversation) -> None:
        talk.done()
        talk.run(talk.session.stop_reply(talk.now_ns))
        assert talk.sent_types == ["conversation.item.truncate"]

    def test_with_nothing_going_on_does_nothing(self) -> None:
        talk = Conversation()
        assert talk.run(talk.session.stop_reply(0)) == []

    def test_twice_cancels_once(self, talk: Conversation) -> None:
        talk.run(talk.session.stop_reply(talk.now_ns))
        talk.run(talk.session.stop_reply(talk.now_ns))
        assert talk.sent == []

    def test_that_came_too_late_for_the_engine_is_benign(self, talk: Conversation) -> None:
        talk.run(talk.session.stop_reply(talk.now_ns))
        assert talk.error("nothing to cancel", "response_cancel_not_active", talk.last_event_id) == []

    def test_reaches_a_reply_that_was_asked_for_and_did_not_begin(self) -> None:
        talk = Conversation()
        talk.run(talk.session.request_reply(None, 0))
        talk.run(talk.session.stop_reply(0))
        assert talk.sent == []
        talk.created()
        assert talk.sent == [{"type": "response.cancel", "response_id": "resp_1"}]
        talk.audio(100)
        assert talk.played == []

    def test_lets_the_next_response_play(self, talk: Conversation) -> None:
        talk.run(talk.session.stop_reply(talk.now_ns))
        talk.done(status="cancelled")
        talk.created("resp_2")
        assert talk.audio(100, "item_2", "resp_2") == [Play("item_2", "resp_2", bytes(4800))]


def test_an_item_of_which_only_half_a_sample_came_is_not_truncated(talk: Conversation) -> None:
    talk.audio_bytes(b"\x00", "item_2")
    talk.speech_started()
    assert talk.truncated == [("item_1", 1840)]
    assert [each["item_id"] for each in talk.notes("playback.cut")] == ["item_1"]


def test_audio_of_a_response_that_was_done_when_it_was_cut_is_dropped(talk: Conversation) -> None:
    talk.done()
    talk.speech_started()
    talk.audio(100, "item_2")
    assert talk.played == []
    assert len(talk.notes("audio.dropped")) == 1

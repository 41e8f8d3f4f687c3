"""The conversation in words, in the result of a run."""

from simulator.participant.run_transcript import run_transcript
from simulator.record.measures import Turn

S = 1_000_000_000


def test_each_turn_has_its_words_its_time_and_what_was_heard_of_it() -> None:
    turns = [
        Turn("participant", "a", "", 2 * S, 1, recognised="Tea?", recogniser="tiny.en"),
        Turn("agent", "b", "Well, tea then.", 3 * S, 2, heard_text="Well,", heard_ms=500.0, generated_ms=1500.0),
        Turn("study", "c", "paused", 4 * S, 3),
        Turn("typed", "d", "And you?", 5 * S, 4),
    ]
    assert run_transcript(turns) == [
        {"who": "participant", "text": "Tea?", "atS": 2.0, "recognisedBy": "tiny.en"},
        {"who": "agent", "text": "Well, tea then.", "atS": 3.0, "heard": "Well,", "heardS": 0.5},
        {"who": "typed", "text": "And you?", "atS": 5.0},
    ]


def test_the_engine_s_words_come_before_ours_and_speech_without_words_stays() -> None:
    turns = [
        Turn("participant", "a", "Tea, please.", S, 1, recognised="Tee, please.", recogniser="tiny.en"),
        Turn("participant", "b", "", 2 * S, 2),
        Turn("agent", "c", "Fine.", 3 * S, 3, generated_ms=400.0),
    ]
    assert run_transcript(turns) == [
        {"who": "participant", "text": "Tea, please.", "atS": 1.0},
        {"who": "participant", "text": "", "atS": 2.0},
        {"who": "agent", "text": "Fine.", "atS": 3.0},
    ]

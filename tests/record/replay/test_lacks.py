"""What cannot be done again is said, and the rest is planned."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from simulator.errors import UnreadableFile
from simulator.record import lock
from simulator.record.replay.deeds import Push
from simulator.record.replay.plan import plan
from tests.record.export_record import MS, Sheet
from tests.record.replay.replayed import Session, kinds, said

TIMER = {"event": "timer", "secondsLeft": 30}


def pushed() -> Session:
    session = Session().says(1_000, 2_000)
    session.push(2_500, TIMER)
    return session


def test_audio_that_was_left_out(tmp_path: Path) -> None:
    session = Session(audio_kept=False)
    session.push(2_500, TIMER)
    planned = session.end(8_000).planned(tmp_path, audio=False)
    assert kinds(planned) == ["Push"]
    assert planned.lacks == (
        "The audio was left out of this session on purpose: nothing that was said can be said again.",
    )


def test_audio_that_is_not_there(tmp_path: Path) -> None:
    planned = pushed().end(8_000).planned(tmp_path, audio=False)
    assert kinds(planned) == ["Push"]
    assert planned.lacks == ("The record holds no heard audio: nothing that was said can be said again.",)


def test_audio_that_was_cut_off(tmp_path: Path) -> None:
    folder = pushed().says(6_000, 7_000).end(8_000).write(tmp_path / "session")
    track = folder / "session.heard.wav"
    track.write_bytes(track.read_bytes()[: 44 + 4 * 24 * 5_000])
    planned = plan(folder)
    assert said(planned) == [(800, 2_300)]
    assert planned.lacks == ("session.heard.wav opens up to 5.0 s of 8.0 s: what was said later cannot be said again.",)


def test_audio_that_is_damaged_in_the_middle(tmp_path: Path) -> None:
    session = pushed().says(6_000, 7_000).end(8_000)
    session.voice = session.voice + np.random.default_rng(1).integers(-9, 9, len(session.voice), dtype=np.int16)
    folder = session.write(tmp_path / "session")
    heard, _ = soundfile.read(folder / "session.heard.wav", dtype="int16")
    (folder / "session.heard.wav").unlink()
    track = folder / "session.heard.flac"
    soundfile.write(track, heard, 24_000, subtype="PCM_16")
    whole = track.read_bytes()
    track.write_bytes(whole[: len(whole) // 2] + bytes(4_000) + whole[len(whole) // 2 + 4_000 :])
    planned = plan(folder)
    assert said(planned) == [(800, 2_300)]
    (lack,) = planned.lacks
    assert lack.startswith("session.heard.flac opens up to ")
    assert lack.endswith(" of 8.0 s: what was said later cannot be said again.")


def test_a_damaged_line(tmp_path: Path) -> None:
    folder = pushed().write(tmp_path / "session")
    file = folder / "session.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + b"rubbish\n")
    planned = plan(folder)
    assert kinds(planned) == ["Say", "Push"]
    assert planned.ends_ns == 2_400 * MS
    assert planned.lacks == (f"Line 6 (byte {len(whole)}) is no entry: the record opens up to there.",)


def test_questions_of_earlier_records(tmp_path: Path) -> None:
    session = Session()
    question = {"event": "question", "tool": "answer_scale", "question": "How warm?", "duringVideo": True}
    session.push(500, question, wording="own")
    session.request(510, output_modalities=["text"], tool_choice={"type": "function", "name": "answer_scale"})
    planned = session.end(8_000).planned(tmp_path)
    assert planned.acts == ()
    assert planned.lacks == (
        "1 question cannot be asked again: an earlier version made this record, which did not keep how a question was "
        "asked.",
    )


def test_questions_of_the_earliest_records_whose_notes_do_not_tell_them_from_other_pushes(tmp_path: Path) -> None:
    session = Session()
    for at_ms, warmth in ((500, "How warm?"), (700, "How warm now?")):
        session.push(at_ms, {"event": "question", "tool": "answer_scale", "question": warmth, "duringVideo": True})
        choice = {"type": "function", "name": "answer_scale"}
        session.request(at_ms + 10, output_modalities=["text"], tool_choice=choice)
    session.push(900, {"event": "question", "tool": "answer_text", "question": "An operator's own event."})
    planned = session.end(8_000).planned(tmp_path)
    assert [act.deed for act in planned.acts] == [
        Push({"event": "question", "tool": "answer_text", "question": "An operator's own event."}, ())
    ]
    assert planned.lacks == (
        "2 questions cannot be asked again: an earlier version made this record, which did not keep how a question "
        "was asked.",
    )


def test_images_that_are_none(tmp_path: Path) -> None:
    session = Session()
    session.push(500, TIMER, ("data:image/png;base64,?", "https://example.org/face.png"))
    planned = session.end(8_000).planned(tmp_path)
    assert kinds(planned) == ["Push"]
    assert planned.lacks == ("2 images cannot be pushed again: the record does not hold them.",)


def test_entries_that_were_lost(tmp_path: Path) -> None:
    session = Session()
    session.noted(500, "entry.lost")
    assert session.end(8_000).planned(tmp_path).lacks == (
        "1 entry of the record was lost to a slow disk: what was done then is not known.",
    )


def test_a_microphone_that_heard_the_loudspeaker(tmp_path: Path) -> None:
    session = Session()
    session.noted(500, "sound.warning", code="echo", sentence="…")
    assert session.end(8_000).planned(tmp_path).lacks == (
        "The microphone heard the loudspeaker: the agent's voice may be in what is said again.",
    )


def test_a_redacted_copy(tmp_path: Path) -> None:
    session = Session(redacted=True, audio_kept=False)
    session.push(500, TIMER)
    planned = session.end(8_000).planned(tmp_path, audio=False)
    assert planned.acts == ()
    assert planned.lacks == ("This is a redacted copy: what was said and pushed is not in it.",)


def test_a_session_that_never_began(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.noted(100, "connection.closed", code=1006, reason="", by="lost")
    planned = plan(sheet.write(tmp_path / "session", audio=False))
    assert planned.acts == ()
    assert planned.lacks == ("The engine took no settings in this session, so it never began.",)


def test_no_record(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile):
        plan(tmp_path / "nothing")


def test_a_session_that_still_goes_on(tmp_path: Path) -> None:
    source = pushed().write(tmp_path / "session")
    assert plan(source).lacks == ()
    with lock.holding(source / "session.jsonl") as held:
        assert held
        planned = plan(source)
    assert kinds(planned) == ["Say", "Push"]
    assert planned.lacks == ("This session has no end yet: what is said and done in it from now on is not done again.",)


def test_a_session_that_ended_and_is_being_finished(tmp_path: Path) -> None:
    source = pushed().end(8_000).write(tmp_path / "session")
    with lock.holding(source / "session.jsonl") as held:
        assert held
        assert plan(source).lacks == ()


@pytest.mark.parametrize(
    ("dropped", "percent", "lacks"), [("skipped", 5.0, 1), ("skipped", 0.0, 0), ("silent", 5.0, 0)]
)
def test_a_voice_of_which_parts_were_skipped(dropped: str, percent: float, lacks: int, tmp_path: Path) -> None:
    session = pushed()
    session.noted(900, "impairments", active=True, drop_percent=percent, dropped=dropped)
    expected = "Parts of the voice were skipped as an impairment: silence takes their place in what is said again."
    assert session.end(8_000).planned(tmp_path).lacks == (expected,) * lacks

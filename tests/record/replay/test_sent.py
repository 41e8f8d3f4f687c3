"""What is said again is what was sent, though the heard track slipped samples to stay on the session's clock."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from simulator.record.entries import Direction, Entry
from simulator.record.replay.deeds import Say
from simulator.record.replay.plan import plan
from simulator.record.replay.sent import SentVoice
from tests.record.export_record import MS
from tests.record.replay.replayed import Session, append

BLOCK = 480
FIRST = 100 * 24
"""Where the first sample that was sent lies on the session's clock."""

Samples = NDArray[np.int16]


def _voice() -> Samples:
    """Five seconds: silence, and from 1.0 to 3.0 s a voice that is nowhere like itself."""
    voice = np.zeros(5 * 24_000, dtype=np.int16)
    noise = np.random.default_rng(7).normal(0, 3_000, 2 * 24_000 + 24)
    voice[24_000 : 3 * 24_000] = np.convolve(noise, np.ones(25) / 5, "valid").astype(np.int16)
    return voice


def _slipped(voice: Samples, every: int, by: int) -> Samples:
    """Return the voice with one in so many blocks longer by some samples, or shorter."""
    blocks = []
    for number, start in enumerate(range(0, len(voice), BLOCK)):
        block = voice[start : start + BLOCK].astype(np.float64)
        if number % every == 0:
            block = np.interp(np.linspace(0, BLOCK - 1, BLOCK + by), np.arange(BLOCK), block)
        blocks.append(np.rint(block).astype(np.int16))
    return np.concatenate(blocks)


def _record(folder: Path, sent: Samples, heard: Samples) -> Path:
    session = Session()
    session.voice = np.concatenate([np.zeros(FIRST, dtype=np.int16), heard])
    for number in range(len(sent) // BLOCK):
        event = {"type": "input_audio_buffer.append", "event_id": f"event_{number}", "audio": ""}
        span, at_ns = append(BLOCK * number, BLOCK), (100 + 20 * (number + 1)) * MS
        session.entries.append(
            Entry(len(session.entries), at_ns, Direction.SENT, str(event["type"]), event, 1_000, span)
        )
    session.end(5_100).write(folder)
    soundfile.write(folder / "session.participant.wav", sent, 24_000, subtype="PCM_16")
    return folder


def _said(record: Path) -> tuple[Say, Samples]:
    (say,) = (act.deed for act in plan(record).acts)
    assert isinstance(say, Say)
    voice = SentVoice(record, [say])
    try:
        halves = [voice.read(say.first_sample, 20_000), voice.read(say.first_sample + 20_000, say.samples - 20_000)]
    finally:
        voice.close()
    return say, np.concatenate(halves)


@pytest.mark.parametrize(("every", "by"), [(20, 1), (20, -1), (1, 1), (1, -1)])
def test_a_speech_is_as_it_was_sent(every: int, by: int, tmp_path: Path) -> None:
    sent = _voice()
    say, said = _said(_record(tmp_path / "session", sent, _slipped(sent, every, by)))
    assert np.array_equal(np.trim_zeros(said), np.trim_zeros(sent))
    # On the clock it begins as far away as samples were slipped before it: 50 blocks of 20 ms.
    begins = say.first_sample + int(np.flatnonzero(said)[0])
    assert abs(begins - (FIRST + 24_000 + by * (50 // every))) <= 24


def test_a_speech_that_was_sent_otherwise_is_as_it_was_heard(tmp_path: Path) -> None:
    heard = _voice()
    sent = np.concatenate([heard[:40_000], heard[50_000:], np.zeros(10_000, dtype=np.int16)])  # much was left out
    _, said = _said(_record(tmp_path / "session", sent, heard))
    assert np.array_equal(np.trim_zeros(said), np.trim_zeros(heard))


def test_without_what_was_sent_all_is_as_it_was_heard(tmp_path: Path) -> None:
    heard = _slipped(_voice(), 20, 1)
    record = _record(tmp_path / "session", _voice(), heard)
    (record / "session.participant.wav").write_bytes(b"no audio")
    _, said = _said(record)
    assert np.array_equal(np.trim_zeros(said), np.trim_zeros(heard))


def test_nothing_that_was_sent_after_a_pause_of_listening_gets_into_a_speech(tmp_path: Path) -> None:
    heard = _voice()
    record = _record(tmp_path / "session", heard, heard)
    say, _ = _said(record)
    assert say.sent is not None
    # Two seconds of voice, 200 ms before it and 300 ms behind it; the entry of its end says what was sent by then.
    assert say.sent[1] - say.sent[0] == pytest.approx(2_500 * 24, abs=BLOCK)
    cut = Say(say.first_sample, say.samples, (say.sent[0], say.sent[0] + 24_000))
    voice = SentVoice(record, [cut])
    try:
        said = voice.read(cut.first_sample, cut.samples)
    finally:
        voice.close()
    assert np.array_equal(said, heard[cut.first_sample - FIRST :][: cut.samples])

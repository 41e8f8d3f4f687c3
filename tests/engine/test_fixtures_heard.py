"""The embedded engine hears every voice of the project's recordings, soon and whole."""

import itertools

import numpy as np
import pytest

from simulator.audio.audio_files import load_recording
from simulator.audio.recordings import Role, SpeechRecording, project_recordings
from simulator.engine.activity import SpeechActivity
from simulator.engine.configuration import SERVER_VAD
from simulator.engine.input_audio import InputAudio, TurnStarted, TurnStopped
from simulator.engine.speech_model import SpeechModel
from simulator.engine.turn_detection import DetectionSettings

CHUNK_SAMPLES = 480


@pytest.fixture(scope="module")
def activity() -> SpeechActivity:
    return SpeechActivity(SpeechModel())


@pytest.mark.parametrize("entry", project_recordings(), ids=lambda entry: entry.name)
@pytest.mark.parametrize("shift_ms", [0, 7])
def test_onset_within_150_ms_and_one_turn_where_one_was_spoken(
    activity: SpeechActivity, entry: SpeechRecording, shift_ms: int
) -> None:
    """`shift_ms` moves the speech against the 16 ms grid of the detector."""
    edges = _edges(activity, entry, shift_ms)
    starts_ms = [at_ms for at_ms, edge in edges if isinstance(edge, TurnStarted)]
    stops_ms = [at_ms for at_ms, edge in edges if isinstance(edge, TurnStopped)]
    assert 0 < starts_ms[0] - shift_ms - entry.onset_ms <= 150
    assert 400 < stops_ms[-1] - shift_ms - entry.offset_ms <= 700
    long_pauses = [pause for pause in entry.pauses if pause.to_ms - pause.from_ms >= 650]
    assert bool(long_pauses) == (entry.role is Role.PAUSES)
    assert len(starts_ms) == len(stops_ms) == 1 + len(long_pauses)


def _edges(activity: SpeechActivity, entry: SpeechRecording, shift_ms: int) -> list[tuple[float, object]]:
    """Append the recording and two seconds of silence, chunk by chunk: each edge with the ms appended until then."""
    activity.reset()
    ids = (f"item_{number}" for number in itertools.count(1))
    buffer = InputAudio(activity, lambda: next(ids))
    buffer.set_turn_detection(DetectionSettings.of({**SERVER_VAD}))
    samples = np.pad(load_recording(entry.path), (shift_ms * 24, 48_000))
    edges: list[tuple[float, object]] = []
    for start in range(0, len(samples), CHUNK_SAMPLES):
        chunk = samples[start : start + CHUNK_SAMPLES].astype("<i2")
        edges += [((start + len(chunk)) / 24, edge) for edge in buffer.append(chunk.tobytes())]
    return edges

"""A long record is planned piece by piece: neither its entries nor its audio are held."""

import tracemalloc
from pathlib import Path

import msgspec
import soundfile

from simulator.record.replay.plan import plan
from tests.record.replay.replayed import Session

SECONDS = 600


def test_ten_minutes_take_less_memory_than_their_files(tmp_path: Path) -> None:
    session = Session()
    for second in range(10, SECONDS, 10):
        session.push(1_000 * second, {"event": "timer", "secondsLeft": second})
    folder = session.says(1_000, 2_000).end(1_000 * SECONDS).write(tmp_path / "session", audio=False)
    track = folder / "session.heard.wav"
    soundfile.write(track, session.voice.reshape(-1, 1).repeat(2, axis=1), 24_000, subtype="PCM_16")
    with track.open("r+b") as file:
        file.truncate(44 + 4 * 24_000 * SECONDS)  # silence, which takes no room on the disk
    lines = (folder / "session.jsonl").read_bytes().splitlines(keepends=True)
    with (folder / "session.jsonl").open("wb") as file:
        file.writelines(lines[:3])
        for number in range(3, 50 * SECONDS):
            span = {"track": "participant", "first_sample": 480 * number, "samples": 480, "payload_bytes": 960}
            event = {"type": "input_audio_buffer.append", "event_id": f"event_{number}", "audio": ""}
            entry = {"seq": number, "t_ns": 20_000_000 * number, "direction": "sent", "type": event["type"]}
            file.write(msgspec.json.encode(entry | {"event": event, "size_bytes": 1_370, "audio": span}) + b"\n")
        for number, line in enumerate(lines[3:], 50 * SECONDS):
            file.write(msgspec.json.encode(msgspec.json.decode(line) | {"seq": number}) + b"\n")
    size_bytes = track.stat().st_size + (folder / "session.jsonl").stat().st_size
    tracemalloc.start()
    try:
        planned = plan(folder)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(planned.acts) == SECONDS // 10
    assert planned.lacks == ()
    assert size_bytes > 60_000_000
    assert peak_bytes < 30_000_000

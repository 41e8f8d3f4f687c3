"""Numbering, audio positions, and keys that are found nowhere."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.record.entries import AudioSpan, Direction, Entry, Track
from simulator.record.log import RecordLog
from simulator.record.redact import Redactor, redact_headers, redact_url
from simulator.record.writer import RecordWriter

KEY = "sk-planted+key/0123456789=="


def _delta(item_id: str, payload: bytes = b"") -> dict[str, object]:
    return {"type": "response.output_audio.delta", "item_id": item_id, "response_id": "r", "delta": "AAAA"}


def test_entries_are_numbered_and_timed_from_the_start_of_the_record() -> None:
    entries: list[Entry] = []
    log = RecordLog(5_000, [entries.append])
    log.noted("talk", {"down": True}, 5_010)
    log.received({"type": "session.created", "session": {}}, 5_020, size_bytes=44)
    log.sent({"type": "response.create"}, 5_030)
    log.received_malformed("{" * 9_000, 5_040, problem="not JSON")
    assert [(entry.seq, entry.t_ns, entry.direction) for entry in entries] == [
        (0, 10, Direction.NOTED),
        (1, 20, Direction.RECEIVED),
        (2, 30, Direction.SENT),
        (3, 40, Direction.RECEIVED),
    ]
    assert entries[3].type == "malformed"
    assert entries[3].raw_text == "{" * 4_096


def test_audio_leaves_the_event_and_is_counted_in_its_track() -> None:
    kept: list[tuple[Track, list[int]]] = []

    def keep(track: Track, samples: NDArray[np.int16]) -> None:
        kept.append((track, samples.tolist()))

    log = RecordLog(0, [], [keep])
    append = {"type": "input_audio_buffer.append", "audio": "AQACAA=="}
    first = log.sent(append, 1, audio=b"\x01\x00\x02\x00")
    second = log.sent(append, 2, audio=b"\x03\x00")
    other = log.received(_delta("a"), 3, audio=b"\x04\x00")
    assert first.event == {"type": "input_audio_buffer.append", "audio": ""}
    assert append["audio"] == "AQACAA=="
    assert first.audio == AudioSpan(Track.PARTICIPANT, 0, 2, 4)
    assert second.audio == AudioSpan(Track.PARTICIPANT, 2, 1, 2)
    assert other.audio == AudioSpan(Track.AGENT, 0, 1, 2)
    assert kept == [(Track.PARTICIPANT, [1, 2]), (Track.PARTICIPANT, [3]), (Track.AGENT, [4])]
    assert log.position(Track.PARTICIPANT) == 3


def test_samples_split_across_deltas_are_joined_within_an_item_only() -> None:
    samples: list[int] = []
    log = RecordLog(0, [], [lambda _, part: samples.extend(part.tolist())])
    spans = [
        log.received(_delta("a"), 1, audio=b"\x01\x00\x02").audio,
        log.received(_delta("a"), 2, audio=b"\x00\x03\x00").audio,
        log.received(_delta("a"), 3, audio=b"\x09").audio,
        log.received(_delta("b"), 4, audio=b"\x04\x00").audio,
    ]
    assert samples == [1, 2, 3, 4]
    assert [(span.first_sample, span.samples, span.payload_bytes) for span in spans if span] == [
        (0, 1, 3),
        (1, 2, 3),
        (3, 0, 1),
        (3, 1, 2),
    ]


def test_a_payload_that_is_no_base64_is_kept_as_text_with_its_problem() -> None:
    entry = RecordLog(0, []).received(_delta("a") | {"delta": "%%%"}, 1, problem="The audio is not base64.")
    assert entry.raw_text == "%%%"
    assert entry.event["delta"] == ""
    assert entry.audio is None


@pytest.mark.parametrize(
    ("url", "redacted"),
    [
        ("wss://api.example.org/v1/realtime?model=m&key=secret", "wss://api.example.org/v1/realtime?model=•••&key=•••"),
        ("wss://user:secret@example.org:8443/x", "wss://•••@example.org:8443/x"),
        ("ws://127.0.0.1:80/v1/realtime#secret", "ws://127.0.0.1:80/v1/realtime"),
        ("ws://example.org/?secret", "ws://example.org/?•••"),
        ("ws://[bad", "•••"),
    ],
)
def test_addresses_lose_what_may_be_secret(url: str, redacted: str) -> None:
    assert redact_url(url) == redacted


def test_headers_keep_their_names_only() -> None:
    assert redact_headers({"Authorization": f"Bearer {KEY}", "X-Trace": "1"}) == {
        "Authorization": "•••",
        "X-Trace": "•••",
    }


def test_short_values_are_not_hunted_in_texts() -> None:
    assert Redactor(["1", ""]).json({"id": "item_1"}) == {"id": "item_1"}


def test_a_planted_key_is_found_nowhere_in_a_record(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    writer = RecordWriter(path, on_fault=lambda fault: pytest.fail(str(fault)))
    log = RecordLog(0, [writer.append], [writer.write_audio], Redactor([f"Bearer {KEY}"]))
    log.started(
        engine=f"wss://x/?key={KEY}",
        url=f"wss://{KEY}@x/?key={KEY}",
        model="m",
        headers={"Authorization": f"Bearer {KEY}"},
        at_ns=1,
    )
    log.received({"type": "error", "error": {"message": f"Wrong key {KEY}.", KEY: [KEY]}}, 2)
    log.received_malformed(f"<html>{KEY}", 3, problem=f"not JSON: {KEY}")
    log.received({"type": KEY}, 4)
    log.received(_delta("a") | {"delta": KEY}, 5, problem="The audio is not base64.")
    log.noted("problem", {"sentence": f"refused {KEY}", "url": "wss://x/?key=sk-planted%2Bkey%2F0123456789%3D%3D"}, 6)
    log.sent({"type": "session.update", "session": {"instructions": KEY}}, 7)
    writer.close()
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) == 7
    assert "0123456789" not in text
    assert KEY not in json.dumps([json.loads(line) for line in text.splitlines()])


@pytest.mark.parametrize("size", [1, 2, 3, 7, 13, 26, 27, 40])
def test_a_key_that_comes_in_pieces_is_not_put_together_by_a_reader(size: int) -> None:
    said = f"The key is {KEY}, and again {KEY}{KEY}."
    log = RecordLog(0, [], redactor=Redactor([f"Bearer {KEY}"]))
    kept = {"a": "", "b": ""}
    for first in range(0, len(said), size):
        for item in kept:  # two texts at a time
            event = {"type": "response.output_text.delta", "item_id": item, "delta": said[first : first + size]}
            kept[item] += log.received(event, first).event["delta"]
    assert kept["a"] == kept["b"]
    assert kept["a"].startswith("The key is ")
    assert ", and again " in kept["a"]
    assert kept["a"].endswith(".")
    for length in range(len(KEY) // 2 + 1, len(KEY) + 1):
        assert KEY[:length] not in kept["a"]
    assert "0123456789" not in kept["a"]


def test_pieces_without_a_key_stay_as_they_are() -> None:
    log = RecordLog(0, [], redactor=Redactor(["application/json", KEY]))
    pieces = ["An appl", "e, and", " sk-pl", "", "anted no tree."]
    kept = [log.received({"type": "x.delta", "item_id": "a", "delta": each}, 1).event["delta"] for each in pieces]
    assert kept == pieces


@pytest.mark.parametrize("before", range(4_096 - len(KEY) - 1, 4_098))
def test_the_start_of_a_broken_frame_holds_no_start_of_a_key(before: int) -> None:
    log = RecordLog(0, [], redactor=Redactor([KEY]))
    frame = "x" * before + KEY + "y" * 5_000
    raw = log.received_malformed(frame, 1, problem="not JSON").raw_text
    audio = log.received(_delta("a") | {"delta": frame}, 2, problem="The audio is not base64.").raw_text
    assert raw == audio
    assert raw is not None
    assert "sk" not in raw
    assert raw.startswith("x" * min(before, 4_096))


@pytest.mark.parametrize(
    ("value", "repeated"),
    [
        ("Basic bWU6aHVudGVyMg==", ["bWU6aHVudGVyMg==", "me:hunter2", "the password hunter2"]),
        ("Token abc/def+123", ["abc/def+123", r'{"t":"abc\/def+123"}', "abc%2Fdef%2B123"]),
        ('session="cookie-123456"; theme=dark', ["cookie-123456"]),
        ('quo"ted-secret', [r'{"a": "quo\"ted-secret"}', 'quo"ted-secret']),
    ],
)
def test_a_header_s_secret_is_hidden_in_the_forms_in_which_it_comes_back(value: str, repeated: list[str]) -> None:
    redactor = Redactor([value])
    for text in repeated:
        hidden = redactor.text(text)
        assert "•••" in hidden
        assert not any(part in hidden for part in ("hunter2", "bWU6", "def", "cookie-1", "ted-secret"))

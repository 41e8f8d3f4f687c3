"""Sending again what the log holds: events as they were, audio from the record's file."""

import base64
from pathlib import Path

import numpy as np
import pytest

from simulator.errors import StorageFault, UsageError
from simulator.record.entries import AudioSpan, Direction, Entry, Track
from simulator.record.redact import PLACEHOLDER
from simulator.record.writer import RecordWriter
from ui.models.conversation_items import conversation_items
from ui.models.kept_payloads import LONGEST_SHOWN, with_payloads, without_payloads
from ui.models.send_again import event_of, why_not


def sent(event: dict[str, object], audio: AudioSpan | None = None) -> Entry:
    return Entry(3, 0, Direction.SENT, str(event["type"]), event, 10, audio)


def told(kind: str, **fields: object) -> Entry:
    return Entry(0, 0, Direction.RECEIVED, kind, {"type": kind, **fields})


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A record whose participant said the samples 0 to 99."""
    path = tmp_path / "session.jsonl"
    faults: list[StorageFault] = []
    writer = RecordWriter(path, on_fault=faults.append)
    writer.append(Entry(0, 0, Direction.NOTED, "record.started"))
    writer.write_audio(Track.PARTICIPANT, np.arange(100, dtype=np.int16))
    writer.close()
    assert not faults
    return path


def test_an_event_is_sent_as_it_was_but_for_its_number() -> None:
    entry = sent({"type": "response.cancel", "event_id": "event_4", "response_id": "resp_1"})
    assert event_of(entry, None) == {"type": "response.cancel", "response_id": "resp_1"}


def test_audio_is_read_from_the_record(record: Path) -> None:
    entry = sent({"type": "input_audio_buffer.append", "audio": ""}, AudioSpan(Track.PARTICIPANT, 10, 5, 10))
    event = event_of(entry, record)
    assert np.frombuffer(base64.b64decode(event["audio"]), dtype="<i2").tolist() == [10, 11, 12, 13, 14]


@pytest.mark.parametrize(
    ("span", "kept", "reason"),
    [
        (AudioSpan(Track.PARTICIPANT, 98, 5, 10), True, "not yet"),
        (AudioSpan(Track.PARTICIPANT, 10, 5, 11), True, "middle of a sample"),
        (AudioSpan(Track.PARTICIPANT, 10, 5, 10), False, "no record"),
    ],
)
def test_audio_that_is_not_there_is_a_sentence(record: Path, span: AudioSpan, kept: bool, reason: str) -> None:
    entry = sent({"type": "input_audio_buffer.append", "audio": ""}, span)
    with pytest.raises(UsageError, match=reason):
        event_of(entry, record if kept else None)


def test_what_was_received_or_lost_a_key_is_not_sent_again() -> None:
    assert why_not(told("session.created")) is not None
    with_key = sent({"type": "session.update", "session": {"tools": [{"authorization": PLACEHOLDER}]}})
    assert "key" in str(why_not(with_key))
    assert why_not(sent({"type": "input_audio_buffer.commit"})) is None


def test_the_items_of_a_conversation_have_their_words() -> None:
    spoken = {"id": "item_2", "type": "message", "role": "assistant", "content": []}
    typed = {"id": "item_1", "type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]}
    call = {"id": "item_3", "type": "function_call", "name": "answer_text", "arguments": "{}", "call_id": "call_1"}
    items = conversation_items(
        [
            told("conversation.item.added", item=typed),
            told("conversation.item.added", item=spoken),
            told("conversation.item.done", item=spoken),
            told("response.output_audio_transcript.done", item_id="item_2", transcript="Good day."),
            told("conversation.item.added", item=call),
            told("conversation.item.added", item={"id": "item_4", "type": "message", "role": "user"}),
            told("conversation.item.deleted", item_id="item_4"),
            told("conversation.item.added", item="damaged"),
        ]
    )
    assert [(item.id, item.kind, item.words) for item in items] == [
        ("item_1", "user", "Hello"),
        ("item_2", "assistant", "Good day."),
        ("item_3", "function_call", "answer_text {}"),
    ]
    assert items[2].call_id == "call_1"


def test_long_strings_are_kept_aside_while_an_event_is_edited() -> None:
    image = "data:image/png;base64," + "A" * LONGEST_SHOWN
    event = {"type": "x", "content": [{"image_url": image}, {"image_url": image + "B"}, {"text": "short"}]}
    shown, kept = without_payloads(event)
    assert len(str(shown)) < 400
    assert with_payloads(shown, kept) == event
    shown["content"][0]["image_url"] = "edited"
    assert with_payloads(shown, kept)["content"][0]["image_url"] == "edited"
    assert event["content"][0]["image_url"] == image  # type: ignore[index]

"""The examples of client events: one for each use, whole."""

import base64

import pytest
from openai.types.realtime.realtime_client_event import RealtimeClientEvent
from pydantic import TypeAdapter

from simulator.profile.client_event_examples import CLIENT_EVENTS, EXAMPLES, Example


def test_each_client_event_of_hrp_has_an_example() -> None:
    assert set(CLIENT_EVENTS) == {
        "session.update",
        "input_audio_buffer.append",
        "input_audio_buffer.commit",
        "conversation.item.create",
        "conversation.item.truncate",
        "response.create",
        "response.cancel",
    }


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_an_example_is_an_event_of_the_wire(example: Example) -> None:
    """The client library of OpenAI is the witness: it knows the events and the types of their fields."""
    adapter: TypeAdapter[object] = TypeAdapter(RealtimeClientEvent)
    read = adapter.validate_python(example.event)
    assert getattr(read, "type", None) == example.event["type"]
    assert example.title.startswith(str(example.event["type"]))


def test_the_example_of_an_image_is_one_red_pixel() -> None:
    (event,) = [example.event for example in EXAMPLES if "image" in example.title]
    image = base64.b64decode(event["item"]["content"][1]["image_url"].removeprefix("data:image/png;base64,"))
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    assert image.endswith(b"IEND\xaeB`\x82")

"""Each use of each client event byte for byte, as golden/client_events.txt holds it, written by hand."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from simulator.profile import context_items as items
from simulator.profile.answers import judge
from simulator.profile.differences import Difference, compare
from simulator.profile.own_statement import STATEMENT
from simulator.protocol import client_events as client
from simulator.session.responses import silent, spoken
from simulator.session.settings import SessionSettings, only_instructions, only_turn_detection, whole_session
from tests.profile.spec_file import spec_document

GOLDEN: Final = Path(__file__).parent / "golden" / "client_events.txt"
LINES: Final = GOLDEN.read_bytes().decode().split("\n")
FRAMES: Final = {name.removeprefix("# "): frame for name, frame in zip(LINES[:-1:2], LINES[1:-1:2], strict=True)}


def item(text: dict[str, Any], *images: bytes) -> client.ConversationItemCreate:
    content: list[client.InputText | client.InputImage] = [client.InputText(items.context_text(text))]
    content += [client.InputImage(items.data_url(each)) for each in images]
    return client.ConversationItemCreate(item=client.MessageItem(content=content))


def output(call_id: str, text: str) -> client.ConversationItemCreate:
    return client.ConversationItemCreate(item=client.FunctionCallOutput(call_id, text))


def whole() -> client.SessionUpdate:
    choice = {
        "type": "function",
        "name": "answer_choice",
        "description": "Pick one.",
        "parameters": {
            "type": "object",
            "properties": {"choice": {"type": "string"}},
            "required": ["choice"],
            "additionalProperties": False,
        },
    }
    session = whole_session(SessionSettings(instructions='You are Kim.\nBe "brief".'), listening=True)
    wire = client.Session(
        output_modalities=session.output_modalities,
        instructions=session.instructions,
        tools=[choice],
        tool_choice=session.tool_choice,
        audio=session.audio,
    )
    return client.SessionUpdate(session=wire)


def refusal() -> str:
    config = {"question": "Coffee or tea?", "choices": ["Coffee", "Tea"]}
    error = judge("multiplechoice", config, "answer_choice", '{"choice":"tea"}').error
    return json.dumps({"error": error}, ensure_ascii=False, separators=(",", ":"))


EVENTS: Final[dict[str, client.ClientEvent]] = {
    "session.update": whole(),
    "session.update (2)": client.SessionUpdate(session=only_instructions("Now talk about the film — 映画について。")),
    "session.update (3)": client.SessionUpdate(session=only_turn_detection(None)),
    "input_audio_buffer.commit": client.InputAudioBufferCommit(),
    "input_audio_buffer.append": client.InputAudioBufferAppend(audio=b"\x00\x00\xff\x7f\x00\x80"),
    "conversation.item.create": item(items.screen("showtext", 'Say "hello".\nThen wait.')),
    "conversation.item.create (2)": item(
        items.screen("showimage", "Look.", [items.attached_image("a red square")]), b"\x89PNG\r\n\x1a\n"
    ),
    "conversation.item.create (3)": output("call_7", '{"accepted":true}'),
    "conversation.item.create (refused)": output("call_8", refusal()),
    "conversation.item.truncate": client.ConversationItemTruncate(item_id="item_9", audio_end_ms=2050),
    "response.create": client.ResponseCreate(response=spoken()),
    "response.create (question)": client.ResponseCreate(response=silent("answer_scale")),
    "response.cancel": client.ResponseCancel(response_id="resp_4"),
}


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_sent_as_the_golden_file_has_it(name: str) -> None:
    assert client.encode(EVENTS[name]).encode() == FRAMES[name].encode()


def test_the_golden_frames_are_the_events_of_the_specification() -> None:
    """Put into a file in place of its examples, the frames differ from what is known in nothing."""
    document = spec_document()
    examples = [json.loads(FRAMES[name]) for name in STATEMENT["voiceEngine"]["clientEvents"]]
    document["voiceEngine"]["clientEvents"] = [{"type": each["type"], "example": each} for each in examples]
    document["voiceEngine"]["questionRequest"] = json.loads(FRAMES["response.create (question)"])
    assert [each for each in compare(document) if each.kind != "wording"] == []
    examples[9]["response"]["output_modalities"] = ["text"]
    path = "voiceEngine.clientEvents.response.create.example.response.output_modalities"
    assert [each for each in compare(document) if each.kind != "wording"] == [
        Difference(f"{path}[text]", None, "text", "added"),
        Difference(f"{path}[audio]", "audio", None, "missing"),
    ]


@pytest.mark.parametrize("name", STATEMENT["voiceEngine"]["clientEvents"])
def test_the_keys_of_a_frame_stand_in_the_specifications_order(name: str) -> None:
    assert order(json.loads(FRAMES[name])) == order(STATEMENT["voiceEngine"]["clientEvents"][name]["example"])


def order(value: Any) -> Any:
    """Return the names of an object and of all that it holds, in order; of tools none."""
    if isinstance(value, dict):
        return [(name, None if name == "tools" else order(inner)) for name, inner in value.items()]
    return [order(each) for each in value] if isinstance(value, list) else None


def test_all_frames_are_tried() -> None:
    assert list(FRAMES) == list(EVENTS)

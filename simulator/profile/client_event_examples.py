"""An example of each use of each client event of HRP (voiceEngine.clientEvents), whole and ready to be changed."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from simulator.profile.context_items import attached_image, context_text, screen, timer
from simulator.profile.facts import ACCEPTED_OUTPUT, AUDIO_FORMAT, DEFAULT_VOICE, turn_detection
from simulator.profile.tools import TOOLS

ITEM_ID: Final = "item_of_the_agent"
RESPONSE_ID: Final = "response_in_progress"
CALL_ID: Final = "call_to_answer"
"""What stands in the examples where an id of the session belongs."""

_SILENCE: Final = base64.b64encode(bytes(2 * 240)).decode()
"""10 ms of PCM16 at 24 kHz."""
_RED_PIXEL: Final = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
_FORMAT: Final = dict(AUDIO_FORMAT)


@dataclass(frozen=True, slots=True)
class Example:
    """A client event, and what it is for."""

    title: str
    event: Mapping[str, Any]


def _update(session: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "session.update", "session": {"type": "realtime", **session}}


def _listening(detection: Mapping[str, Any] | None) -> dict[str, Any]:
    return _update({"audio": {"input": {"format": _FORMAT, "transcription": None, "turn_detection": detection}}})


def _context(context: Mapping[str, Any], *images: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "input_text", "text": context_text(context)}]
    content += [{"type": "input_image", "image_url": image} for image in images]
    return {"type": "conversation.item.create", "item": {"type": "message", "role": "user", "content": content}}


def _output(output: str) -> dict[str, Any]:
    item = {"type": "function_call_output", "call_id": CALL_ID, "output": output}
    return {"type": "conversation.item.create", "item": item}


_WHOLE: Final = {
    "output_modalities": ["audio"],
    "instructions": "You take part in a study. Be brief.",
    "tools": list(TOOLS),
    "tool_choice": "auto",
    "audio": {
        "input": {"format": _FORMAT, "transcription": None, "turn_detection": turn_detection("server_vad")},
        "output": {"format": _FORMAT, "voice": DEFAULT_VOICE, "speed": 1},
    },
}
_SILENT: Final = {"output_modalities": ["text"], "tool_choice": {"type": "function", "name": "answer_scale"}}

EXAMPLES: Final[tuple[Example, ...]] = (
    Example("session.update: everything", _update(_WHOLE)),
    Example("session.update: instructions only", _update({"instructions": "From now on, ask more questions."})),
    Example("session.update: listening off", _listening(None)),
    Example("session.update: listening on, server_vad", _listening(turn_detection("server_vad"))),
    Example("session.update: listening on, semantic_vad", _listening(turn_detection("semantic_vad"))),
    Example("input_audio_buffer.append: 10 ms of silence", {"type": "input_audio_buffer.append", "audio": _SILENCE}),
    Example("input_audio_buffer.commit", {"type": "input_audio_buffer.commit"}),
    Example("conversation.item.create: context", _context(timer(30))),
    Example(
        "conversation.item.create: screen with an image",
        _context(
            screen("showimage", "Look at this.", [attached_image("red")]),
            _RED_PIXEL,
        ),
    ),
    Example("conversation.item.create: answer to a call", _output(ACCEPTED_OUTPUT)),
    Example("conversation.item.create: refusal of a call", _output('{"error":"Choose one of the options."}')),
    Example(
        "conversation.item.truncate",
        {"type": "conversation.item.truncate", "item_id": ITEM_ID, "content_index": 0, "audio_end_ms": 1840},
    ),
    Example("response.create: speak", {"type": "response.create", "response": {"output_modalities": ["audio"]}}),
    Example("response.create: silent answer", {"type": "response.create", "response": _SILENT}),
    Example("response.cancel", {"type": "response.cancel", "response_id": RESPONSE_ID}),
)

CLIENT_EVENTS: Final = tuple(dict.fromkeys(str(example.event["type"]) for example in EXAMPLES))
"""The types of the client events of HRP."""

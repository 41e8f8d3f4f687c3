"""Context items: what the study tells the agent (voiceEngine.contextItems).

Each builder returns one JSON object, its keys in the specification's order; `context_text` makes the text of the item.
"""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from simulator.errors import UnreadableFile

PREFIX: Final = "[context] "
ATTACHED: Final = "attached: "

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MEDIA_TYPES: Final = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"))


def context_text(item: Mapping[str, Any]) -> str:
    """Return the text of a [context] item: the prefix and the object as compact JSON, in its own key order.

    The JSON is that of the platform's language: letters beyond ASCII stay as they are, half a character (a lone
    surrogate) is escaped, and a whole number has no point (70.0 is 70). Raises ValueError for a number that JSON does
    not have (NaN, infinity), TypeError for a value that it does not have.
    """
    text = json.dumps(_whole(item), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return PREFIX + _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _whole(value: Any) -> Any:
    """Return a value whose whole numbers are ints, as far as a float holds each of them."""
    if isinstance(value, Mapping):
        return {name: _whole(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def participants(others: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Who else takes part: ``[{"name": …, "role": …}]``."""
    return {"event": "participants", "others": [dict(each) for each in others]}


def screen(component: str, text: str, images: Sequence[str] = ()) -> dict[str, Any]:
    """What the screen shows: the component's type, its text, and a line for each image attached to the item."""
    item: dict[str, Any] = {"event": "screen", "type": component, "text": text}
    if images:
        item["images"] = list(images)
    return item


def attached_image(description: str) -> str:
    """The line that stands for an attached image in a screen's `images`."""
    return ATTACHED + named_image(description)


def named_image(description: str) -> str:
    """The line of an image that was attached before: an image is attached once a session, and later only named.

    The specification shows no such line. It is the line of the attached image without the word that says so.
    """
    return f"the image ({description})"


def typed(speaker: str, said: str) -> dict[str, Any]:
    """What somebody wrote in the text chat."""
    return {"event": "typed", "speaker": speaker, "said": said}


def question(tool: str, text: str, during_video: bool = False) -> dict[str, Any]:
    """The question on the screen and the tool that answers it; `text` is `answers.question_text`."""
    return {"event": "question", "tool": tool, "question": text, "duringVideo": during_video}


def timer(seconds_left: int) -> dict[str, Any]:
    """How long the present part still lasts."""
    return {"event": "timer", "secondsLeft": seconds_left}


def experimenter_message(text: str) -> dict[str, Any]:
    """What the experimenter wrote to the participants."""
    return {"event": "experimenter_message", "text": text}


def revealed(name: str, role: str, answer: Any) -> dict[str, Any]:
    """The answer of somebody else, now shown to all."""
    return {"event": "revealed", "name": name, "role": role, "answer": answer}


def paused(waiting_for: Sequence[str]) -> dict[str, Any]:
    """The study waits for somebody: ``["Alex (A)"]``. This never touches listening."""
    return {"event": "paused", "waitingFor": list(waiting_for)}


def resumed() -> dict[str, Any]:
    """The study goes on."""
    return {"event": "resumed"}


def data_url(image: bytes) -> str:
    """Return the contents of a PNG or JPEG file as a data URL. Raises UnreadableFile for anything else."""
    for magic, media_type in _MEDIA_TYPES:
        if image.startswith(magic):
            return f"data:{media_type};base64,{base64.b64encode(image).decode('ascii')}"
    raise UnreadableFile("The image is neither a PNG nor a JPEG file: convert it first.")

"""Token counts as the profile's engines report them (HRP: response.done needs usage). Pure.

Nothing here is billed: text counts as one token for four characters, audio as one token for 100 ms of the user's and
for 50 ms of the agent's, an image as a fixed number.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from simulator.engine import pcm

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.engine.conversation import Item

_CHARACTERS = 4
_USER_AUDIO_MS = 100
AGENT_AUDIO_MS = 50
_IMAGE_TOKENS = 256


def _ceil(amount: int, unit: int) -> int:
    return -(-amount // unit)


def text_tokens(characters: int) -> int:
    return _ceil(characters, _CHARACTERS)


def audio_tokens(samples: int) -> int:
    """Tokens of the agent's own audio."""
    return _ceil(samples, AGENT_AUDIO_MS * pcm.SAMPLES_PER_MS)


def usage(
    instructions: str, tools: Iterable[dict[str, Any]], items: Iterable[Item], characters: int, samples: int
) -> dict[str, Any]:
    """The `usage` of a response that said so many characters and made so many samples of audio."""
    text = text_tokens(len(instructions) + sum(len(json.dumps(tool)) for tool in tools))
    audio = images = 0
    for item in items:
        images += _IMAGE_TOKENS * sum(part["type"] == "input_image" for part in item.wire.get("content", ()))
        text += text_tokens(sum(len(value) for value in _texts(item)))
        if item.wire.get("role") == "assistant":
            audio += audio_tokens(item.audio_samples)
        else:
            audio += sum(_ceil(pcm.ms_in(part), _USER_AUDIO_MS) for part in item.audio.values())
    output_text, output_audio = text_tokens(characters), audio_tokens(samples)
    total_in, total_out = text + audio + images, output_text + output_audio
    return {
        "total_tokens": total_in + total_out,
        "input_tokens": total_in,
        "output_tokens": total_out,
        "input_token_details": {
            "text_tokens": text,
            "audio_tokens": audio,
            "image_tokens": images,
            "cached_tokens": 0,
            "cached_tokens_details": {"text_tokens": 0, "audio_tokens": 0, "image_tokens": 0},
        },
        "output_token_details": {"text_tokens": output_text, "audio_tokens": output_audio},
    }


def _texts(item: Item) -> Iterable[str]:
    for part in item.wire.get("content", ()):
        yield part.get("text") or part.get("transcript") or ""
    for name in ("name", "arguments", "output"):
        yield item.wire.get(name, "")

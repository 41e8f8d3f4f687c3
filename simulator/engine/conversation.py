"""The default conversation: its items in order, with the audio that belongs to them. Pure.

Items go over the wire without audio; conversation.item.retrieve brings the audio too. Truncation cuts an assistant's
audio at what the listener heard and drops its transcript, so that nothing unheard stays in the context.
"""

from __future__ import annotations

import copy
import secrets
from dataclasses import dataclass, field
from typing import Any

from simulator.engine import fields, pcm
from simulator.engine.errors import Refusal
from simulator.engine.items import checked_item

# The audio of older items is forgotten beyond this (almost 6 minutes): an hour of talk must not fill the memory.
_AUDIO_LIMIT_BYTES = 16 * 1024 * 1024
_LONGEST_MS = 24 * 3600 * 1000


def new_id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(12)}"


@dataclass(slots=True)
class Item:
    """One item.

    Attributes:
        wire: the item as clients see it, without audio.
        audio: PCM16 by content index.
        audio_samples: length of the assistant's audio, kept when the audio itself is forgotten.
        silent: audio in which nobody spoke.
    """

    wire: dict[str, Any]
    audio: dict[int, bytearray] = field(default_factory=dict)
    audio_samples: int = 0
    silent: bool = False

    @property
    def id(self) -> str:
        return str(self.wire["id"])

    def shown(self) -> dict[str, Any]:
        """A copy for an event; later changes do not reach it."""
        return copy.deepcopy(self.wire)

    def with_audio(self) -> dict[str, Any]:
        item = self.shown()
        for index, audio in self.audio.items():
            item["content"][index]["audio"] = pcm.encoded(audio)
        return item


def spoken_item(item_id: str, audio: bytes, *, silent: bool = False) -> Item:
    """The user's turn, as committed from the input audio buffer; `silent` when it is one without speech."""
    content = [{"type": "input_audio", "transcript": None}]
    wire = {"id": item_id, "object": "realtime.item", "type": "message", "status": "completed", "role": "user"}
    return Item({**wire, "content": content}, {0: bytearray(audio)}, silent=silent)


class Conversation:
    """Items in order."""

    def __init__(self) -> None:
        self.id = new_id("conv")
        self.items: list[Item] = []

    def last_id(self) -> str | None:
        return self.items[-1].id if self.items else None

    def before(self, item_id: str) -> str | None:
        """The id of the item before this one, which must be there."""
        index = next(i for i, item in enumerate(self.items) if item.id == item_id)
        return self.items[index - 1].id if index else None

    def find(self, item_id: object) -> Item | None:
        return next((item for item in self.items if item.id == item_id), None)

    def append(self, item: Item) -> str | None:
        """Adds the item at the end; the id of the one before it."""
        previous = self.last_id()
        self.items.append(item)
        self._forget_old_audio()
        return previous

    def create(self, event: dict[str, Any]) -> tuple[Item, str | None]:
        """Carries out conversation.item.create: the new item and the id of the one before it.

        Raises:
            Refusal: the item or the place for it is not valid.
        """
        wire, audio = checked_item(event.get("item"), "item")
        wire.setdefault("id", new_id("item"))
        if self.find(wire["id"]) is not None:
            raise Refusal("item_already_exists", f"An item with the id '{wire['id']}' already exists.", "item.id")
        if wire["type"] == "function_call_output":
            self._require_call(wire["call_id"])
        item = Item(wire, audio, sum(pcm.samples_in(part) for part in audio.values()))
        after = event.get("previous_item_id")
        if after is None:
            return item, self.append(item)
        if after == "root":
            self.items.insert(0, item)
            return item, None
        self.items.insert(self._index(after, "previous_item_id", "item_create_invalid_previous_item_id") + 1, item)
        self._forget_old_audio()
        return item, str(after)

    def retrieve(self, item_id: object) -> Item:
        return self.items[self._index(item_id, "item_id", "item_retrieve_invalid_item_id")]

    def delete(self, item_id: object) -> None:
        del self.items[self._index(item_id, "item_id", "item_delete_invalid_item_id")]

    def truncate(self, item_id: object, content_index: object, audio_end_ms: object) -> None:
        """Cuts an assistant's audio.

        Raises:
            Refusal: no such item, not the assistant's audio, or it is shorter than that.
        """
        item = self.items[self._index(item_id, "item_id", "item_truncate_invalid_item_id")]
        content = item.wire.get("content") or []
        if item.wire.get("role") != "assistant" or not content or content[0]["type"] != "output_audio":
            message = "Only model output audio messages can be truncated."
            raise Refusal("unsupported_content_type", message, "item_id")
        if content_index != 0 or isinstance(content_index, bool):
            raise Refusal("invalid_value", "Only content_index 0 can be truncated.", "content_index")
        end_ms = fields.an_integer(audio_end_ms, "audio_end_ms", 0, _LONGEST_MS)
        kept_samples = end_ms * pcm.SAMPLES_PER_MS
        if kept_samples > item.audio_samples:
            length_ms = item.audio_samples // pcm.SAMPLES_PER_MS
            message = f"Audio content of {length_ms}ms is already shorter than {end_ms}ms."
            raise Refusal("invalid_value", message, "audio_end_ms")
        item.audio_samples = kept_samples
        if 0 in item.audio:
            del item.audio[0][kept_samples * pcm.SAMPLE_BYTES :]
        content[0]["transcript"] = None

    def _require_call(self, call_id: str) -> None:
        calls = (item.wire for item in self.items if item.wire["type"] == "function_call")
        if not any(call["call_id"] == call_id for call in calls):
            message = f"Tool call ID '{call_id}' not found in conversation."
            raise Refusal("invalid_tool_call_id", message, "item.call_id")

    def _index(self, item_id: object, param: str, code: str) -> int:
        for index, item in enumerate(self.items):
            if item.id == item_id:
                return index
        raise Refusal(code, f"The item with the id {item_id!r} does not exist in this conversation.", param)

    def _forget_old_audio(self) -> None:
        """Keeps the newest item's whatever its length, and that of one which is still being spoken."""
        total = sum(len(audio) for item in self.items for audio in item.audio.values())
        for item in self.items[:-1]:
            if total <= _AUDIO_LIMIT_BYTES:
                return
            if item.wire["status"] == "in_progress":
                continue
            total -= sum(len(audio) for audio in item.audio.values())
            item.audio.clear()

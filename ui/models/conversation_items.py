"""The items of a conversation as a record tells of them: to be referred to, truncated or answered."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from simulator.record.entries import Direction, Entry
from simulator.record.fields import value_at

_TOLD = frozenset({"conversation.item.added", "conversation.item.done", "conversation.item.created"})
_TRANSCRIBED = frozenset(
    {"response.output_audio_transcript.done", "conversation.item.input_audio_transcription.completed"}
)


@dataclass(frozen=True, slots=True)
class ConversationItem:
    """An item: its id, what it is (``assistant``, ``user``, ``function_call``…), and its words as far as known."""

    id: str
    kind: str
    words: str
    call_id: str = ""
    """Of a function call."""


Items = Callable[[], list[ConversationItem]]
"""Returns the items of the conversation, the oldest first."""


def conversation_items(entries: Iterable[Entry]) -> list[ConversationItem]:
    """Return the items that the engine told of and did not delete, the oldest first."""
    items: dict[str, ConversationItem] = {}
    transcripts: dict[str, str] = {}
    for entry in entries:
        if entry.direction is not Direction.RECEIVED:
            continue
        if entry.type in _TOLD:
            item = _item(value_at(entry, "item"))
            if item is not None:
                items[item.id] = item
        elif entry.type in _TRANSCRIBED:
            transcripts[str(entry.event.get("item_id"))] = str(entry.event.get("transcript") or "")
        elif entry.type == "conversation.item.deleted":
            items.pop(str(entry.event.get("item_id")), None)
    return [
        ConversationItem(item.id, item.kind, item.words or transcripts.get(item.id, ""), item.call_id)
        for item in items.values()
    ]


def _item(item: Any) -> ConversationItem | None:
    if not isinstance(item, dict) or not isinstance(item.get("id"), str):
        return None
    kind = str(item.get("role") or item.get("type") or "item")
    return ConversationItem(item["id"], kind, _words(item), str(item.get("call_id") or ""))


def _words(item: dict[str, Any]) -> str:
    if item.get("type") == "function_call":
        return f"{item.get('name', '')} {item.get('arguments', '')}".strip()
    if item.get("type") == "function_call_output":
        return str(item.get("output", ""))
    content = item.get("content")
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return " ".join(str(part.get("text") or part.get("transcript") or "") for part in parts).strip()

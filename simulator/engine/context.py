"""What the engine knows of the study: the [context] items of the conversation, in order (HRP: context items). Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.engine import pcm

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.engine.conversation import Item

_MARK = "[context]"


@dataclass(frozen=True, slots=True)
class Stimulus:
    """What the next reply answers.

    Attributes:
        kind: spoken, silence, text, output (of a function), nothing, or the event of a context item.
        text: its words, as far as there are any.
        data: the context item.
        spoken_ms: length of what was said.
    """

    kind: str
    text: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    spoken_ms: int = 0


@dataclass(slots=True)
class StudyContext:
    """The study as far as it was told."""

    latest: Stimulus = Stimulus("nothing")
    screen: str = ""
    question: dict[str, Any] | None = None
    partner: str = ""
    paused: bool = False
    turns: int = 0  # replies given so far

    @staticmethod
    def of(items: Iterable[Item]) -> StudyContext:
        context = StudyContext()
        for item in items:
            context._take(item)
        return context

    def _take(self, item: Item) -> None:
        wire = item.wire
        if wire["type"] == "function_call_output":
            self.latest = Stimulus("output", wire["output"])
        elif wire.get("role") == "assistant":
            self.turns += 1
        elif wire["type"] == "message":
            for index, part in enumerate(wire["content"]):
                if part["type"] == "input_audio" and item.silent:
                    self.latest = Stimulus("silence")
                elif part["type"] == "input_audio":
                    spoken_ms = pcm.ms_in(item.audio.get(index, b""))
                    self.latest = Stimulus("spoken", part.get("transcript") or "", spoken_ms=spoken_ms)
                elif part["type"] == "input_text":
                    self._read(part["text"])

    def _read(self, text: str) -> None:
        data = _context_data(text)
        if data is None:
            self.latest = Stimulus("text", text)
            return
        event = str(data.get("event", ""))
        words = data.get("text") or data.get("said") or data.get("question") or ""
        self.latest = Stimulus(event, str(words), data)
        if event == "screen":
            self.screen = str(words)
        elif event == "question":
            self.question = data
        elif event == "participants" and data.get("others"):
            self.partner = str(data["others"][0].get("name", ""))
        elif event in ("paused", "resumed"):
            self.paused = event == "paused"


def _context_data(text: str) -> dict[str, Any] | None:
    """The JSON object of a context item; None for any other text."""
    if not text.startswith(_MARK):
        return None
    try:
        data = json.loads(text[len(_MARK) :])
    except ValueError:
        return None
    return data if isinstance(data, dict) else None

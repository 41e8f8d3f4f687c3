"""What the engine knows of the study: the [context] items of the conversation, in order (HRP: context items). Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.engine import pcm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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


class Utterance(NamedTuple):
    """What somebody else said, and the reply of the engine's before it (empty: none)."""

    words: str
    after: str = ""


@dataclass(slots=True)
class StudyContext:
    """The study as far as it was told.

    Attributes:
        said: what the others said, spoken and typed, in order.
        own: the engine's own replies, in order; empty where one was cut.
        others: names of the others.
        partner: the one of them who wrote last, else the first.
        revealed: names and answers of others.
        turns: replies given so far.
        look: names the colour of the picture that was shown last; None where there is none.
        spoken_value: the answer to the question on the screen, in words.
    """

    latest: Stimulus = Stimulus("nothing")
    screen: str = ""
    question: dict[str, Any] | None = None
    partner: str = ""
    others: list[str] = field(default_factory=list)
    revealed: list[tuple[str, str]] = field(default_factory=list)
    seconds_left: int | float | None = None
    paused: bool = False
    turns: int = 0
    said: list[Utterance] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    look: Callable[[], str | None] = lambda: None
    spoken_value: str | None = None

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
            self.own.append(" ".join(part.get("transcript") or part.get("text") or "" for part in wire["content"]))
        elif wire["type"] == "message":
            for index, part in enumerate(wire["content"]):
                if part["type"] == "input_audio" and item.silent:
                    self.latest = Stimulus("silence")
                elif part["type"] == "input_audio":
                    spoken_ms = pcm.ms_in(item.audio.get(index, b""))
                    words = (part.get("transcript") or "").strip()
                    self.latest = Stimulus("spoken", words, spoken_ms=spoken_ms)
                    if words:
                        self._hear(words)
                elif part["type"] == "input_text":
                    self._read(part["text"])

    def _hear(self, words: str) -> None:
        self.said.append(Utterance(words, self.own[-1] if self.own else ""))

    def _read(self, text: str) -> None:
        data = _context_data(text)
        if data is None:
            self.latest = Stimulus("text", text)
            self._hear(text)
            return
        event = str(data.get("event", ""))
        words = data.get("text") or data.get("said") or data.get("question") or ""
        self.latest = Stimulus(event, str(words), data)
        if event == "screen":
            self.screen = str(words)
        elif event == "question":
            self.question = data
        elif event == "typed":
            self._hear(str(words))
            self.partner = str(data.get("speaker") or self.partner)
        elif event == "participants":
            self.others = _names(data.get("others"))
            self.partner = self.others[0] if self.others else ""
        elif event == "timer" and isinstance(data.get("secondsLeft"), int | float):
            self.seconds_left = data["secondsLeft"]
        elif event == "revealed":
            self.revealed.append((str(data.get("name", "The other one")), str(data.get("answer", "something else"))))
        elif event in ("paused", "resumed"):
            self.paused = event == "paused"


def _names(others: object) -> list[str]:
    """The names in a list of participants, as far as it is one."""
    given = others if isinstance(others, list) else []
    return [str(each["name"]) for each in given if isinstance(each, dict) and each.get("name")]


def _context_data(text: str) -> dict[str, Any] | None:
    """The JSON object of a context item; None for any other text."""
    if not text.startswith(_MARK):
        return None
    try:
        data = json.loads(text[len(_MARK) :])
    except ValueError:
        return None
    return data if isinstance(data, dict) else None

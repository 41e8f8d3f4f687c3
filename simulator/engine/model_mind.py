"""A language model as the engine's mind: what the conversation becomes as a request, and what its answer becomes.

The model is given the instructions, all items (images too) and the tools. Its words are said a sentence at a time, as
soon as each is whole; its calls come when its answer is over, since only then are their arguments.
"""

from __future__ import annotations

import json
import re
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from simulator.engine import pcm
from simulator.engine.mind import Call, CutShortError, MindError, Say

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Collection, Iterable

    from simulator.engine.chat import Chat
    from simulator.engine.conversation import Item
    from simulator.engine.mind import Step
    from simulator.engine.request import ResponseRequest

# A sentence ends in its mark and what closes it, before a space: then it is sure that it does not go on ("3.5").
_SENTENCE = re.compile(r"\s*(?:\S.*?)?[.!?…]+[\"'”’)\]*]*(?=\s)|\s*\S.*?(?=\n)", re.DOTALL)
_ABBREVIATION = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Prof|vs|etc|e\.g|i\.e|No)|\b[A-Z])\.$")
_THOUGHT_OPENS, _THOUGHT_CLOSES = "<think>", "</think>"
_CUTS = {"length": "max_output_tokens", "content_filter": "content_filter"}


class ModelMind:
    """Asks a model for each response."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    async def close(self) -> None:
        await self._chat.close()

    async def think(self, request: ResponseRequest) -> AsyncGenerator[Step, None]:
        """The model's answer. One that must call a tool says nothing beside it."""
        sentences, calls = Sentences(), _Calls()
        forced = isinstance(request.tool_choice, dict)
        said = False
        ending = None
        async with aclosing(self._chat.answer(request_body(request))) as pieces:
            async for piece in pieces:
                ending = piece.ending or ending
                calls.take(piece.calls)
                for sentence in sentences.take(piece.text) if not forced else ():
                    yield Say(sentence, goes_on=said)
                    said = True
        rest = sentences.rest()
        if rest and not forced:
            yield Say(rest, goes_on=said)
            said = True
        if ending in _CUTS:
            raise CutShortError(_CUTS[ending])
        found = calls.whole({tool["name"] for tool in request.tools})
        if forced and not found:
            raise MindError("tool_not_called", "The model answered without the function call that was asked for.")
        for call in found[:1] if forced else found:
            yield call
        if not said and not found:
            raise MindError("model_silent", "The model's answer was empty.")


def request_body(request: ResponseRequest) -> dict[str, Any]:
    """The request for chat completions that stands for this response."""
    body: dict[str, Any] = {"messages": messages(request.instructions, request.items)}
    tools, choice = list(request.tools), request.tool_choice
    if isinstance(choice, dict):
        # The only one: servers that do not know how to force a call may still make it.
        tools = [tool for tool in tools if tool["name"] == choice["name"]]
        choice = {"type": "function", "function": {"name": choice["name"]}}
    if tools and choice != "none":
        body["tools"] = [{"type": "function", "function": _declaration(tool)} for tool in tools]
        body["tool_choice"] = choice
    if not isinstance(request.max_output_tokens, str):
        body["max_tokens"] = request.max_output_tokens
    return body


def _declaration(tool: dict[str, Any]) -> dict[str, Any]:
    names = ("name", "description", "parameters", "strict")
    return {name: tool[name] for name in names if tool.get(name) is not None}


def messages(instructions: str, items: Iterable[Item]) -> list[dict[str, Any]]:
    """Instructions and items as messages. A call is followed by its output at once, as servers demand."""
    items = list(items)
    outputs = {item.wire["call_id"]: item.wire["output"] for item in items if _is(item, "function_call_output")}
    result: list[dict[str, Any]] = [{"role": "system", "content": instructions}] if instructions else []
    for item in items:
        if _is(item, "function_call"):
            result += _called(item.wire, outputs.get(item.wire["call_id"], '{"error":"no answer came"}'))
        elif _is(item, "message"):
            content = _content(item)
            if content:
                result.append({"role": item.wire["role"], "content": content})
    return result


def _is(item: Item, kind: str) -> bool:
    return bool(item.wire["type"] == kind)


def _called(call: dict[str, Any], output: str) -> list[dict[str, Any]]:
    function = {"name": call["name"], "arguments": call["arguments"] or "{}"}
    made = {"id": call["call_id"], "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [made]},
        {"role": "tool", "tool_call_id": call["call_id"], "content": output},
    ]


def _content(item: Item) -> str | list[dict[str, Any]]:
    """Text where there is nothing else: not every server takes parts."""
    parts: list[dict[str, Any]] = []
    for index, part in enumerate(item.wire["content"]):
        if part["type"] == "input_image":
            parts.append({"type": "image_url", "image_url": {"url": part["image_url"]}})
        elif text := _text(item, index, part):
            parts.append({"type": "text", "text": text})
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def _text(item: Item, index: int, part: dict[str, Any]) -> str:
    words = part.get("text") or part.get("transcript")
    if words:
        return str(words)
    if part["type"] == "input_audio":
        if item.silent:
            return "(Nobody spoke.)"
        seconds = pcm.ms_in(item.audio.get(index, b"")) / 1000
        return f"(Something was said, {seconds:.1f} seconds long, but the words were not understood.)"
    # A truncated reply has lost its words; that there was one must not be lost.
    return "(You began to speak and were interrupted.)" if part["type"] == "output_audio" else ""


class Sentences:
    """Cuts words that come in pieces into sentences. What a model thinks aloud, between think marks, is left out."""

    def __init__(self) -> None:
        self._waiting = ""
        self._began = False

    def take(self, text: str) -> list[str]:
        """The sentences that are whole now."""
        self._waiting += text
        if not self._began and not self._begin():
            return []
        found = []
        start = 0
        for match in _SENTENCE.finditer(self._waiting):
            sentence = self._waiting[start : match.end()]
            if sentence.strip() and not _ABBREVIATION.search(sentence):
                found.append(sentence)
                start = match.end()
        self._waiting = self._waiting[start:]
        return found

    def rest(self) -> str:
        """What is left at the end."""
        return self._waiting if self._waiting.strip() and (self._began or self._begin()) else ""

    def _begin(self) -> bool:
        """Whether the words proper have begun."""
        text = self._waiting.lstrip()
        if text.startswith(_THOUGHT_OPENS):
            _, closed, after = text.partition(_THOUGHT_CLOSES)
            if not closed:
                return False
            text = after.lstrip()
        elif _THOUGHT_OPENS.startswith(text):  # nothing yet, or perhaps the beginning of a mark
            return False
        self._waiting = text
        self._began = bool(text)
        return self._began


class _Calls:
    """Puts the parts of tool calls together."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._arguments: dict[int, str] = {}

    def take(self, parts: Iterable[dict[str, Any]]) -> None:
        for part in parts:
            index = part.get("index")
            index = index if isinstance(index, int) else len(self._names)
            function = part.get("function") or {}
            self._names[index] = self._names.get(index, "") + (function.get("name") or "")
            self._arguments[index] = self._arguments.get(index, "") + (function.get("arguments") or "")

    def whole(self, declared: Collection[str]) -> list[Call]:
        """The calls. Raises MindError where arguments are no JSON object, or there is no such tool."""
        for name in self._names.values():
            if name not in declared:
                raise MindError("tool_unknown", f"The model called “{name}”, which is not declared.")
        return [Call(name, _arguments(name, self._arguments[index])) for index, name in self._names.items()]


def _arguments(name: str, text: str) -> dict[str, Any]:
    try:
        arguments = json.loads(text or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        raise MindError("arguments_unreadable", f"The model called {name} with arguments that are no JSON object.")
    return arguments

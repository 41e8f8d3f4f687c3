"""Which of the declared tools the script calls, and with what. Pure.

A tool is called when it must be, or when somebody asks for it: by its name, spoken or written ("answer scale", too), by
what it is for ("please answer the question on the screen"), or by asking for the thing in its name ("what is the
weather in Lisbon?" for get_weather).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from simulator.engine import script
from simulator.engine.answers import arguments_for
from simulator.engine.sight import colour_of
from simulator.engine.small_talk import in_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.engine.context import StudyContext
    from simulator.engine.request import ResponseRequest

Tool = dict[str, Any]

_CHAT = "send_chat"
_ANSWERS = "answer_"
_ASKS_TO_ANSWER = re.compile(
    r"\b(?:please|can you|could you|will you|would you|now|then|go ahead and)\b.*\banswer\b.*"
    r"\b(?:question|screen|it|that)\b|^\W*answer (?:the|this|that) question\b"
    r"|\b(?:give|enter|submit|fill in|click|tick)\b.*\b(?:answer|rating|choice)\b",
    re.IGNORECASE,
)
_ASKS_TO_WRITE = re.compile(r"\b(?:write|send|type|post|put)\b.*\b(?:chat|message)\b", re.IGNORECASE)
_TO_WRITE = re.compile(
    r"\b(?:saying|that says|which says|with the words|with the text)\b[:,]?\s+(.+)$|:\s+(.+)$", re.IGNORECASE
)
_ASKS = re.compile(
    r"\?|\b(?:please|can you|could you|will you|would you|tell me|show me|give me|find|look up|check|i need|i want)\b"
    r"|^\W*(?:what|how|when|where|set|turn|switch|start|stop|open|close|play|book|call|add|remove|report|send|use)\b",
    re.IGNORECASE,
)
# They say that something is done, not what.
_VERBS = frozenset(
    re.findall(
        r"\w+",
        "get set show fetch find lookup look up check do make report tell send give read write run use call start stop "
        "add create update delete remove list search query current the a of for in to my by tool function",
    )
)
_COLOUR = re.compile(r"\bcolou?r\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]")
_AFTER = re.compile(
    r"\b(?:in|for|at|to|of|about|from|named|called|with|on)\s+(?:the\s+)?([\w'-]+(?:\s(?!and\b|please\b|now\b|today\b|tomorrow\b|in\b|for\b|at\b|to\b)[A-Z][\w'-]+){0,3})",
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def chosen_tool(request: ResponseRequest, context: StudyContext) -> Tool | None:
    """The tool to call: the forced one, one that was asked for, a fitting one if one is required."""
    if isinstance(request.tool_choice, dict):
        return next(tool for tool in request.tools if tool["name"] == request.tool_choice["name"])
    if request.tool_choice == "none" or not request.tools:
        return None
    on_screen = str((context.question or {}).get("tool", ""))
    for text in _asking(request, context):
        asked = _asked_for(text, request.tools, on_screen)
        if asked is not None:
            return asked
    if request.tool_choice == "required":
        return next((tool for tool in request.tools if tool["name"] == on_screen), request.tools[0])
    return None


def arguments(tool: Tool, request: ResponseRequest, context: StudyContext) -> dict[str, Any]:
    """Arguments that fit the tool's schema, and what it was asked for with."""
    asked = _asking(request, context)[-1]
    if tool["name"] == _CHAT:
        wanted = _TO_WRITE.search(asked)
        text = next(part for part in wanted.groups() if part) if wanted else in_turn(script.CHAT_MESSAGES, context)
        return {"message": text[0].upper() + text[1:]}
    question = question_of(tool["name"], request, context)
    if tool["name"] == "answer_text" and _COLOUR.search(question) and (colour := seen_colour(request)) is not None:
        return {"text": colour.capitalize()}
    if tool["name"].startswith(_ANSWERS):
        return arguments_for(tool, question, "\n".join([*context.own, *(each.words for each in context.said)]))
    return {**arguments_for(tool, question), **_from_sentence(tool, asked)}


def question_of(tool: str, request: ResponseRequest, context: StudyContext) -> str:
    """The text that the tool's answer is for."""
    if context.question is not None and context.question.get("tool") in (tool, None):
        return str(context.question.get("question", ""))
    return request.instructions if request.own_instructions else context.latest.text


def seen_colour(request: ResponseRequest) -> str | None:
    """The colour of the image that was shown last."""
    parts = [part for item in request.items for part in item.wire.get("content") or []]
    images = [part["image_url"] for part in parts if part["type"] == "input_image"]
    return colour_of(images[-1]) if images else None


def _asking(request: ResponseRequest, context: StudyContext) -> list[str]:
    """The texts that may ask for a tool: the response's own instructions, then what was said last."""
    latest = context.latest.text if context.latest.kind in ("text", "typed", "spoken") else ""
    return [request.instructions if request.own_instructions else "", latest]


def _asked_for(text: str, tools: Sequence[Tool], on_screen: str) -> Tool | None:
    if not text:
        return None
    for tool in tools:
        name = re.escape(tool["name"]).replace("_", "[_ -]?")
        if re.search(rf"\b{name}\b", text, re.IGNORECASE):
            return tool
    named = {tool["name"]: tool for tool in tools}
    if _ASKS_TO_ANSWER.search(text) and on_screen in named:
        return named[on_screen]
    if _ASKS_TO_WRITE.search(text) and _CHAT in named:
        return named[_CHAT]
    if not _ASKS.search(text):
        return None
    said = {word.lower().rstrip("s") for word in re.findall(r"[A-Za-z]+", text)}
    for tool in tools:
        things = _things(tool["name"])
        if things and things <= said and tool["name"] != _CHAT and not tool["name"].startswith(_ANSWERS):
            return tool
    return None


def _things(name: str) -> set[str]:
    """What a tool's name speaks of: get_weather and checkWeather of weather."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return {word.lower().rstrip("s") for word in words if word.lower() not in _VERBS}


def _from_sentence(tool: Tool, text: str) -> dict[str, Any]:
    """The arguments that can be read from the sentence that asked for the tool."""
    found: dict[str, Any] = {}
    for name, schema in ((tool.get("parameters") or {}).get("properties") or {}).items():
        value = _value(schema, text)
        if value is not None:
            found[name] = value
    return found


def _value(schema: dict[str, Any], text: str) -> Any:
    if schema.get("enum"):
        return next((value for value in schema["enum"] if _mentions(text, str(value))), None)
    if schema.get("type") in ("number", "integer"):
        numbers = [float(number) for number in _NUMBER.findall(text)]
        low, high = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
        number = next((number for number in numbers if low <= number <= high), None)
        return int(number) if number is not None and number.is_integer() else number
    if schema.get("type") == "string" and not schema.keys() & {"pattern", "format", "const", "minLength"}:
        words = _words_for(text)
        return words[: schema.get("maxLength", len(words))] if words else None
    return None


def _mentions(text: str, value: str) -> bool:
    return bool(value) and re.search(rf"\b{re.escape(value)}\b", text, re.IGNORECASE) is not None


def _words_for(text: str) -> str:
    """What a sentence gives as a text: quoted words, else the last that stand behind a preposition."""
    quoted = _QUOTED.search(text)
    if quoted:
        return quoted[1]
    after = _AFTER.findall(text)
    return str(after[-1]) if after else ""

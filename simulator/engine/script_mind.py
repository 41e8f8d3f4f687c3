"""The script: a mind without a model behind it. Pure; the words are those of the file script.

It knows the study's context items, the instructions, what was typed and what the participant said, or, where nothing
recognises words, that something was said and for how long. The same conversation always gets the same reply.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from simulator.engine import script
from simulator.engine.answers import arguments_for
from simulator.engine.context import Stimulus, StudyContext
from simulator.engine.mind import Call, Say
from simulator.engine.sight import colour_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from simulator.engine.mind import Step
    from simulator.engine.request import ResponseRequest

_LONG_WORDS = r"(?:long|longer|lengthy|story|stories|at length|in detail|keep talking|monologue|count aloud)"
_LONG = re.compile(rf"\b{_LONG_WORDS}\b", re.IGNORECASE)
# "how long", "not a long answer", "do not tell stories": the word stands shortly after one that turns it around.
_NOT_LONG = re.compile(
    rf"\b(?:no|not|never|avoid|without|don't|how|as|so|too)\b(?:\s+\w+){{0,3}}?\s+{_LONG_WORDS}\b", re.IGNORECASE
)
_GREETING = re.compile(r"^\W*(hello|hi|hey|good (morning|afternoon|evening)|anyone there)\b", re.IGNORECASE)
_GOODBYE = re.compile(r"\b(goodbye|good bye|bye|see you|farewell)\b", re.IGNORECASE)
_RETURNED = re.compile(r"\b(and you|what about you|how about you|and yours)\s*\?", re.IGNORECASE)
_INTRODUCE = re.compile(r"\b(introduce|get to know|who you are)\b", re.IGNORECASE)
_COLOUR = re.compile(r"\bcolou?r\b", re.IGNORECASE)
_BRIEF_MS = 2_000  # with the padding and the silence around it, that is a word or two
_LONG_MS = 8_000


class ScriptMind:
    """A mind that knows the script."""

    async def think(self, request: ResponseRequest) -> AsyncGenerator[Step, None]:
        """The steps of the plan."""
        for step in plan(request):
            yield step

    async def close(self) -> None:
        """Holds nothing."""


def plan(request: ResponseRequest) -> list[Step]:
    """What the response to this request holds, in order."""
    context = StudyContext.of(request.items)
    tool = _tool(request, context)
    if tool is not None:
        return [Call(tool["name"], _arguments(tool, request, context))]
    return [Say(_reply(request, context))]


def wants_long(text: str) -> bool:
    """Whether a text asks for a long reply. A sentence that forbids one does not."""
    sentences = re.split(r"(?<=[.!?])\s+|\n+", text)
    return any(_LONG.search(_NOT_LONG.sub("", sentence)) for sentence in sentences)


def _tool(request: ResponseRequest, context: StudyContext) -> dict[str, Any] | None:
    """The tool to call: the forced one, a fitting one if one is required, one that was asked for by its name."""
    if isinstance(request.tool_choice, dict):
        return next(tool for tool in request.tools if tool["name"] == request.tool_choice["name"])
    if request.tool_choice == "none" or not request.tools:
        return None
    asked = [request.instructions if request.own_instructions else ""]
    if context.latest.kind in ("text", "typed", "spoken"):
        asked.append(context.latest.text)
    for tool in request.tools:
        if any(re.search(rf"\b{re.escape(tool['name'])}\b", text) for text in asked):
            return tool
    if request.tool_choice == "required":
        expected = (context.question or {}).get("tool")
        return next((tool for tool in request.tools if tool["name"] == expected), request.tools[0])
    return None


def _arguments(tool: dict[str, Any], request: ResponseRequest, context: StudyContext) -> dict[str, Any]:
    if tool["name"] == "send_chat":
        return {"message": _in_turn(script.CHAT_MESSAGES, context)}
    question = _question(tool["name"], request, context)
    if tool["name"] == "answer_text" and _COLOUR.search(question) and (seen := _seen_colour(request)) is not None:
        return {"text": seen}
    return arguments_for(tool, question)


def _seen_colour(request: ResponseRequest) -> str | None:
    """The colour of the image that was shown last."""
    parts = [part for item in request.items for part in item.wire.get("content") or []]
    images = [part["image_url"] for part in parts if part["type"] == "input_image"]
    colour = colour_of(images[-1]) if images else None
    return None if colour is None else colour.capitalize()


def _question(tool: str, request: ResponseRequest, context: StudyContext) -> str:
    """The text that the tool's answer is for."""
    if context.question is not None and context.question.get("tool") in (tool, None):
        return str(context.question.get("question", ""))
    return request.instructions if request.own_instructions else context.latest.text


def _reply(request: ResponseRequest, context: StudyContext) -> str:
    latest = context.latest
    asked = request.instructions if request.own_instructions or latest.kind in ("spoken", "nothing") else ""
    if wants_long(asked) or (latest.kind != "output" and wants_long(latest.text)):
        return _in_turn(script.STORIES, context)
    if latest.kind == "spoken":
        return _to_speech(latest, context)
    if latest.kind in ("typed", "text"):
        return _to_text(latest, context)
    return _to_event(latest, context, request)


def _to_speech(latest: Stimulus, context: StudyContext) -> str:
    if context.paused:
        return _in_turn(script.PAUSED, context)
    if context.turns == 0:
        if _INTRODUCE.search(context.screen):
            return _in_turn(script.INTRODUCTION, context)
        return _in_turn(script.GREETINGS, context)
    if latest.spoken_ms < _BRIEF_MS:
        return _in_turn(script.BRIEF, context)
    return _in_turn(script.LISTENED_LONG if latest.spoken_ms > _LONG_MS else script.LISTENED, context)


def _to_text(latest: Stimulus, context: StudyContext) -> str:
    speaker = str(latest.data.get("speaker", "")) or context.partner
    choices: tuple[str, ...]
    if _GREETING.search(latest.text):
        choices = script.TYPED_GREETING
    elif _GOODBYE.search(latest.text):
        choices = script.TYPED_GOODBYE
    elif _RETURNED.search(latest.text):
        choices = script.TYPED_RETURNED
    elif "?" in latest.text:
        choices = script.TYPED_QUESTION
    else:
        choices = script.TYPED
    return _in_turn(choices, context).format(name=f", {speaker}" if speaker else "")


def _to_event(latest: Stimulus, context: StudyContext, request: ResponseRequest) -> str:
    match latest.kind:
        case "screen":
            choices = script.INTRODUCTION if _INTRODUCE.search(latest.text) else script.ON_SCREEN
            return _in_turn(choices, context)
        case "question":
            return _in_turn(script.QUESTION_VALUE, context).format(value=_spoken_value(request, context))
        case "output":
            refused = '"error"' in latest.text
            return _in_turn(script.REFUSED if refused else script.ACCEPTED, context)
        case "timer":
            return _in_turn(script.TIMER, context).format(seconds=latest.data.get("secondsLeft", "a few"))
        case "revealed":
            name, answer = latest.data.get("name", "The other one"), latest.data.get("answer", "something else")
            return _in_turn(script.REVEALED, context).format(name=name, answer=answer)
        case "experimenter_message":
            return _in_turn(script.EXPERIMENTER, context)
        case "paused":
            return _in_turn(script.PAUSED, context)
        case "resumed":
            return _in_turn(script.RESUMED, context)
        case _:
            return _in_turn(script.GREETINGS if context.turns == 0 else script.SILENT, context)


def _spoken_value(request: ResponseRequest, context: StudyContext) -> str:
    """The answer that the question's tool would give, in words."""
    name = (context.question or {}).get("tool")
    tool = next((tool for tool in request.tools if tool["name"] == name), None)
    if tool is None:
        return "yes"
    value = next(iter(arguments_for(tool, _question(tool["name"], request, context)).values()), "yes")
    if isinstance(value, dict):
        return ", ".join(f"{label} {score}" for label, score in value.items())
    return ", ".join(value) if isinstance(value, list) else str(value)


def _in_turn(choices: tuple[str, ...], context: StudyContext) -> str:
    return choices[context.turns % len(choices)]

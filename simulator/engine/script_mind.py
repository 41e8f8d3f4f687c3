"""The script: a mind without a model behind it. Pure; the words are those of the file script.

It knows the study's context items, the instructions, what was typed and what the participant said, or, where nothing
recognises words, that something was said and for how long. The same conversation always gets the same reply.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from simulator.engine import script
from simulator.engine.context import Stimulus, StudyContext
from simulator.engine.mind import Call, Say
from simulator.engine.small_talk import in_turn, reply_to
from simulator.engine.tool_use import arguments, chosen_tool, seen_colour
from simulator.engine.topics import topics_in

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
_ASKS_TO_TELL = re.compile(
    r"\b(?:(?:tell|read|give|sing|recite) (?:me|us)|tell a|(?:like|love|want) to hear|talk|speak|answer|"
    r"explain|describe|recite|keep talking|count)\b",
    re.IGNORECASE,
)
_INTRODUCE = re.compile(r"\b(introduce|get to know|who you are)\b", re.IGNORECASE)
_BRIEF_MS = 2_000  # with the padding and the silence around it, that is a word or two
_LONG_MS = 8_000
_MOST_TOLD = 200


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
    tool = chosen_tool(request, context)
    if tool is not None:
        return [Call(tool["name"], arguments(tool, request, context))]
    return [Say(_reply(request, context))]


def wants_long(text: str) -> bool:
    """Whether a text asks for a long reply. A sentence that forbids one does not."""
    sentences = re.split(r"(?<=[.!?])\s+|\n+", text)
    return any(_LONG.search(_NOT_LONG.sub("", sentence)) for sentence in sentences)


def _reply(request: ResponseRequest, context: StudyContext) -> str:
    latest = context.latest
    context.look = lambda: seen_colour(request)  # only where it is asked for: a large picture takes a while
    context.spoken_value = _spoken_value(request, context)
    asked = request.instructions if request.own_instructions or latest.kind in ("spoken", "nothing") else ""
    if wants_long(asked) or _asks_for_long(latest):
        return _story(latest.text, context)
    if latest.kind == "spoken":
        return _to_speech(latest, context, request)
    if latest.kind in ("typed", "text") and latest.text:
        return reply_to(latest.text, context, request.instructions)
    return _to_event(latest, context, request)


def _asks_for_long(latest: Stimulus) -> bool:
    """Whether somebody asks for a long reply. Who speaks of a long day does not."""
    if latest.kind in ("spoken", "typed"):
        return wants_long(latest.text) and _ASKS_TO_TELL.search(latest.text) is not None
    return latest.kind != "output" and wants_long(latest.text)


def _story(wish: str, context: StudyContext) -> str:
    """A story about what was wished for, where there is one; else the next one."""
    fitting = next((topic.story for topic in topics_in(wish) if topic.story is not None), None)
    return in_turn(script.STORIES, context) if fitting is None else script.STORIES[fitting]


def _to_speech(latest: Stimulus, context: StudyContext, request: ResponseRequest) -> str:
    if context.paused:
        return in_turn(script.PAUSED, context)
    if latest.text:
        return reply_to(latest.text, context, request.instructions)
    # It was said, but nobody knows what.
    if context.turns == 0:
        if _INTRODUCE.search(context.screen):
            return in_turn(script.INTRODUCTION, context)
        return in_turn(script.GREETINGS, context)
    if latest.spoken_ms < _BRIEF_MS:
        return in_turn(script.BRIEF, context)
    return in_turn(script.LISTENED_LONG if latest.spoken_ms > _LONG_MS else script.LISTENED, context)


def _to_event(latest: Stimulus, context: StudyContext, request: ResponseRequest) -> str:
    match latest.kind:
        case "screen":
            choices = script.INTRODUCTION if _INTRODUCE.search(latest.text) else script.ON_SCREEN
            return in_turn(choices, context)
        case "question":
            return in_turn(script.QUESTION_VALUE, context).format(value=context.spoken_value)
        case "output":
            return _to_output(latest.text, context)
        case "timer":
            return in_turn(script.TIMER, context).format(seconds=latest.data.get("secondsLeft", "a few"))
        case "revealed":
            name, answer = latest.data.get("name", "The other one"), latest.data.get("answer", "something else")
            return in_turn(script.REVEALED, context).format(name=name, answer=answer)
        case "experimenter_message":
            return in_turn(script.EXPERIMENTER, context)
        case "paused":
            return in_turn(script.PAUSED, context)
        case "resumed":
            return in_turn(script.RESUMED, context)
        case _:
            return in_turn(script.GREETINGS if context.turns == 0 else script.SILENT, context)


def _to_output(output: str, context: StudyContext) -> str:
    """Refused, accepted, or something that was found out: then it is told."""
    if '"error"' in output:
        return in_turn(script.REFUSED, context)
    told = _told(output)
    return in_turn(script.FOUND, context).format(told=told) if told else in_turn(script.ACCEPTED, context)


def _told(output: str) -> str:
    """What a tool's output says, in words; empty where it says only that all is well."""
    try:
        value = json.loads(output)
    except ValueError:
        value = output
    if isinstance(value, dict):
        value = ", ".join(f"{name.replace('_', ' ')} {each}" for name, each in value.items() if name != "accepted")
    text = "" if isinstance(value, bool) or value is None else " ".join(str(value).split()).rstrip(".")
    return text if len(text) <= _MOST_TOLD else text[:_MOST_TOLD].rsplit(" ", 1)[0]


def _spoken_value(request: ResponseRequest, context: StudyContext) -> str | None:
    """The answer that the question's tool would give, in words; None without a question."""
    if context.question is None:
        return None
    name = (context.question or {}).get("tool")
    tool = next((tool for tool in request.tools if tool["name"] == name), None)
    if tool is None:
        return "yes"
    value = next(iter(arguments(tool, request, context).values()), "yes")
    if isinstance(value, dict):
        return ", ".join(f"{label} {score}" for label, score in value.items())
    return ", ".join(value) if isinstance(value, list) else str(value)

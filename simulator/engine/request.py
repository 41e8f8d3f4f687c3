"""What a response is asked to be: response.create's fields over the session's settings. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.engine import fields
from simulator.engine.conversation import Conversation, Item, new_id
from simulator.engine.errors import Refusal, invalid
from simulator.engine.items import checked_item

if TYPE_CHECKING:
    from simulator.engine.configuration import Settings

_KNOWN = (
    "output_modalities", "instructions", "tools", "tool_choice", "audio", "conversation", "input", "max_output_tokens",
    "metadata", "parallel_tool_calls", "reasoning", "prompt",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ResponseRequest:
    """One response as it is to be made.

    Attributes:
        items: the context: the conversation so far, or the request's own `input`.
        own_instructions: whether the instructions were given for this response only.
        in_conversation: its items join the default conversation; only one such response runs at a time.
    """

    instructions: str
    own_instructions: bool
    items: tuple[Item, ...]
    tools: tuple[dict[str, Any], ...]
    tool_choice: str | dict[str, Any]
    speaks: bool
    speed: float
    voice: str | dict[str, Any]
    in_conversation: bool
    max_output_tokens: int | str
    metadata: dict[str, str] | None


def response_request(given: object, settings: Settings, conversation: Conversation) -> ResponseRequest:
    """The request that these fields (None: an automatic reply) make in this session.

    Raises:
        Refusal: a field is unknown or wrong, or a forced tool is not declared.
    """
    own = {} if given is None else fields.an_object(given, "response", _KNOWN)
    own = {name: value for name, value in own.items() if value is not None}
    output = _audio_output(own.get("audio"), settings)
    tools = fields.function_tools(own["tools"], "response.tools") if "tools" in own else settings["tools"]
    choice = settings["tool_choice"]
    if "tool_choice" in own:
        choice = fields.tool_choice(own["tool_choice"], "response.tool_choice")
    _require_declared(choice, tools)
    modalities = settings["output_modalities"]
    if "output_modalities" in own:
        modalities = fields.modalities(own["output_modalities"], "response.output_modalities")
    instructions = settings["instructions"]
    if "instructions" in own:
        instructions = fields.a_text(own["instructions"], "response.instructions")
    limit = settings["max_output_tokens"]
    if "max_output_tokens" in own:
        limit = fields.token_limit(own["max_output_tokens"], "response.max_output_tokens")
    where = fields.one_of(own.get("conversation", "auto"), "response.conversation", ("auto", "none"))
    return ResponseRequest(
        instructions=instructions,
        own_instructions="instructions" in own,
        items=_input(own["input"], conversation) if "input" in own else tuple(conversation.items),
        tools=tuple(tools),
        tool_choice=choice,
        speaks=modalities == ["audio"],
        speed=settings["audio"]["output"]["speed"],
        voice=output,
        in_conversation=where == "auto",
        max_output_tokens=limit,
        metadata=_metadata(own["metadata"]) if "metadata" in own else None,
    )


def _audio_output(given: object, settings: Settings) -> str | dict[str, Any]:
    """The voice; a format is checked, there is only one."""
    output: dict[str, Any] = {}
    if given is not None:
        audio = fields.an_object(given, "response.audio", ("output",))
        output = fields.an_object(audio.get("output") or {}, "response.audio.output", ("format", "voice"))
    if output.get("format") is not None:
        fields.audio_format(output["format"], "response.audio.output.format")
    if output.get("voice") is not None:
        return fields.voice(output["voice"], "response.audio.output.voice")
    voice: str | dict[str, Any] = settings["audio"]["output"]["voice"]
    return voice


def _require_declared(choice: str | dict[str, Any], tools: list[dict[str, Any]]) -> None:
    if isinstance(choice, dict) and all(tool["name"] != choice["name"] for tool in tools):
        message = f"Tool choice '{choice['name']}' not found in 'tools' parameter."
        raise Refusal("invalid_value", message, "response.tool_choice")
    if choice == "required" and not tools:
        message = "Tool choice 'required' needs at least one tool in the 'tools' parameter."
        raise Refusal("invalid_value", message, "response.tool_choice")


def _input(given: object, conversation: Conversation) -> tuple[Item, ...]:
    """Own items and references to items of the conversation."""
    items = []
    for index, entry in enumerate(fields.a_list(given, "response.input")):
        path = f"response.input[{index}]"
        if isinstance(entry, dict) and entry.get("type") == "item_reference":
            found = conversation.find(entry.get("id"))
            if found is None:
                raise Refusal("item_not_found", f"Item with id {entry.get('id')!r} not found.", f"{path}.id")
            items.append(found)
            continue
        wire, audio = checked_item(entry, path)
        wire.setdefault("id", new_id("item"))
        items.append(Item(wire, audio))
    return tuple(items)


def _metadata(given: object) -> dict[str, str]:
    pairs = fields.an_object(given, "response.metadata")
    if len(pairs) > 16:
        raise invalid("response.metadata", "at most 16 pairs", f"{len(pairs)} pairs")
    for key, value in pairs.items():
        fields.a_name(key, "response.metadata", 64)
        if len(fields.a_text(value, f"response.metadata.{key}")) > 512:
            raise invalid(f"response.metadata.{key}", "at most 512 characters", f"{len(value)} characters")
    return pairs

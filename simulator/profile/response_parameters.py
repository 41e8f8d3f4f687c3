"""The parameters of ``response.create`` as data: who understands each, what it may hold, and the fields of its form.

HRP has two of them; the interface of OpenAI and the Azure voice agent have more, and an engine under test may know any.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

METADATA_PAIRS: Final = 16
METADATA_KEY_CHARACTERS: Final = 64
METADATA_VALUE_CHARACTERS: Final = 512
OUTPUT_TOKENS: Final = (1, 4096)
UNLIMITED: Final = "inf"
DEFAULT_LATENCY_THRESHOLD_MS: Final = 2000

STATIC_INTERIM: Final = "static_interim_response"
LLM_INTERIM: Final = "llm_interim_response"


class Group(enum.StrEnum):
    """Whose documentation names a parameter."""

    HRP = "HRP"
    OPENAI = "OpenAI"
    AZURE = "Azure voice agent"


class Kind(enum.StrEnum):
    """How a field of the form is filled in."""

    CHOICE = "choice"
    """One of `choices`."""
    SUGGESTED = "suggested"
    """Any line; `choices` are offered."""
    SEVERAL = "several"
    """Some of `choices`, in their order."""
    LINE = "line"
    WHOLE = "whole"
    """A whole number within `limits`."""
    TEXT = "text"
    LINES = "lines"
    """Texts, one a line."""
    PAIRS = "pairs"
    """Names and values."""
    JSON = "json"
    TOOLS = "tools"
    """Names of the tools of the specification."""
    TOOL = "tool"
    """The name of a declared tool."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a parameter's form. `shown_for`: the values of the field `choice` with which it is there."""

    name: str
    kind: Kind
    label: str = ""
    choices: tuple[str, ...] = ()
    limits: tuple[int, int] | None = None
    example: str = ""
    start: Any = None
    """What the field holds at first."""
    shown_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a response: its name on the wire, who understands it, what it does, and its fields."""

    name: str
    groups: frozenset[Group]
    note: str
    fields: tuple[Field, ...]


_ALL: Final = frozenset(Group)
_BOTH: Final = frozenset({Group.OPENAI, Group.AZURE})

MODALITIES: Final = ("audio", "text", "animation", "avatar")
"""The last two are the Azure voice agent's."""
TOOL_CHOICES: Final = ("auto", "none", "required", "function", "mcp")
AUDIO_FORMATS: Final = ("audio/pcm", "audio/pcmu", "audio/pcma")
EFFORTS: Final = ("minimal", "low", "medium", "high", "xhigh")
TRIGGERS: Final = ("latency", "tool")

PARAMETERS: Final[tuple[Parameter, ...]] = (
    Parameter(
        "output_modalities",
        _ALL,
        "What the response consists of: speech with its transcript, or text alone.",
        (Field("choices", Kind.SEVERAL, choices=MODALITIES, start=["audio"]),),
    ),
    Parameter(
        "tool_choice",
        _ALL,
        "Whether the model may, must or must not call a tool, or which one it must call.",
        (
            Field("choice", Kind.CHOICE, choices=TOOL_CHOICES, start="auto"),
            Field("server_label", Kind.LINE, "Server label", shown_for=("mcp",)),
            Field("name", Kind.TOOL, "Tool", shown_for=("function", "mcp")),
        ),
    ),
    Parameter(
        "instructions",
        _BOTH,
        "Takes the place of the session's instructions, for this response only.",
        (Field("text", Kind.TEXT, example="How the agent is to behave in this response"),),
    ),
    Parameter(
        "conversation",
        _BOTH,
        "auto: the response becomes part of the conversation. none: it is out of band and adds no items to it.",
        (Field("choice", Kind.CHOICE, choices=("auto", "none"), start="none"),),
    ),
    Parameter(
        "input",
        _BOTH,
        "What the model sees instead of the conversation: items, or references to items. [] is an empty context.",
        (Field("items", Kind.JSON, example="[]", start="[]"),),
    ),
    Parameter(
        "tools",
        _BOTH,
        "Tools for this response only, in place of the session's.",
        (
            Field("names", Kind.TOOLS, start=[]),
            Field("own", Kind.JSON, "Own JSON", example='[{"type": "function", "name": "…", …}]'),
        ),
    ),
    Parameter(
        "audio",
        _BOTH,
        "The voice and the format of the speech. Where the agent spoke before, its voice cannot change.",
        (
            Field("voice", Kind.SUGGESTED, "Voice", start="marin"),
            Field("format", Kind.SUGGESTED, "Format", choices=("", *AUDIO_FORMATS), start=""),
        ),
    ),
    Parameter(
        "max_output_tokens",
        _BOTH,
        "The longest that the response may become, calls of tools included: 1 to 4096, or inf, which is the default.",
        (Field("tokens", Kind.SUGGESTED, choices=(UNLIMITED, "4096", "1024", "256"), start=UNLIMITED),),
    ),
    Parameter(
        "metadata",
        _BOTH,
        "Pairs that come back with the response, to know it again: at most 16, names to 64 characters, values to 512.",
        (Field("pairs", Kind.PAIRS, limits=(0, METADATA_PAIRS), start=[]),),
    ),
    Parameter(
        "parallel_tool_calls",
        _BOTH,
        "Whether several tools may be called at once. Reasoning models only.",
        (Field("choice", Kind.CHOICE, choices=("true", "false"), start="false"),),
    ),
    Parameter(
        "reasoning",
        _BOTH,
        "How much the model thinks before it answers. Reasoning models only.",
        (Field("choice", Kind.CHOICE, choices=EFFORTS, start="low"),),
    ),
    Parameter(
        "prompt",
        frozenset({Group.OPENAI}),
        "A prompt that is kept with the vendor: its id, perhaps its version, and values for its variables.",
        (
            Field("id", Kind.LINE, "Id", example="pmpt_…"),
            Field("version", Kind.LINE, "Version", example="the current one"),
            Field("variables", Kind.JSON, "Variables", example='{"city": "Oslo"}'),
        ),
    ),
    Parameter(
        "interim_response",
        frozenset({Group.AZURE}),
        "Something to say while the answer takes its time: one of your texts, or what a small model makes up.",
        (
            Field("choice", Kind.CHOICE, choices=(STATIC_INTERIM, LLM_INTERIM), start=STATIC_INTERIM),
            Field("triggers", Kind.SEVERAL, "When", choices=TRIGGERS, start=list(TRIGGERS)),
            Field("latency_threshold_ms", Kind.WHOLE, "Latency, ms", limits=(0, 600_000), start="2000"),
            Field("texts", Kind.LINES, "Texts, one a line", example="One moment…", shown_for=(STATIC_INTERIM,)),
            Field("model", Kind.LINE, "Model", shown_for=(LLM_INTERIM,)),
            Field("instructions", Kind.TEXT, "Instructions", shown_for=(LLM_INTERIM,)),
            Field(
                "max_completion_tokens",
                Kind.WHOLE,
                "Most tokens",
                limits=(1, 100_000),
                start="50",
                shown_for=(LLM_INTERIM,),
            ),
        ),
    ),
    Parameter(
        "pre_generated_assistant_message",
        frozenset({Group.AZURE}),
        "A message of the agent that opens the response: it is spoken as it stands, without a model.",
        (Field("text", Kind.TEXT, example="What the agent says"),),
    ),
)

BY_NAME: Final = {parameter.name: parameter for parameter in PARAMETERS}

OLDER_VOICE_LIVE: Final[Mapping[str, str]] = {
    "commit": "send input_audio_buffer.commit before it",
    "cancel_previous": "send response.cancel before it",
    "append_input_items": "add the items with conversation.item.create before it",
    "input_items": "use input",
    "modalities": "use output_modalities",
    "reasoning_effort": "use reasoning, with effort",
}
"""Names of Azure's older Voice Live interface, and what the present one has in their place."""

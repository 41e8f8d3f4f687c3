"""What is to be said of a ``response`` object before it is sent: what breaks a documented limit, what is worth knowing.

Nothing forbids a name: an engine under test may know more than its documentation says.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from simulator.profile.facts import AUDIO_FORMAT
from simulator.profile.response_parameters import (
    AUDIO_FORMATS,
    DEFAULT_LATENCY_THRESHOLD_MS,
    EFFORTS,
    LLM_INTERIM,
    METADATA_KEY_CHARACTERS,
    METADATA_PAIRS,
    METADATA_VALUE_CHARACTERS,
    MODALITIES,
    OLDER_VOICE_LIVE,
    OUTPUT_TOKENS,
    STATIC_INTERIM,
    TRIGGERS,
    UNLIMITED,
)


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is to be said of a part of a response. `wrong`: it breaks a documented limit."""

    path: str
    sentence: str
    wrong: bool = True


def validate(response: Mapping[str, Any], declared: Collection[str] | None = None) -> list[Complaint]:
    """Return what is to be said of a ``response`` object, in the order of its members.

    `declared` are the tools of the session, where they are known: a forced tool that is neither among them nor among
    the response's own is worth a word.
    """
    complaints: list[Complaint] = []
    for name, value in response.items():
        check = _CHECKS.get(name)
        if check is not None:
            complaints += check(value)
        elif name in OLDER_VOICE_LIVE:
            sentence = f"A name of Azure's older Voice Live, which is out of scope: {OLDER_VOICE_LIVE[name]}."
            complaints.append(Complaint(name, sentence, wrong=False))
        else:
            sentence = "No parameter known here: an engine may refuse it."
            complaints.append(Complaint(name, sentence, wrong=False))
    complaints += _undeclared(response, declared)
    return complaints


def _undeclared(response: Mapping[str, Any], declared: Collection[str] | None) -> list[Complaint]:
    choice, tools = response.get("tool_choice"), response.get("tools")
    if not isinstance(choice, dict) or choice.get("type") != "function" or not choice.get("name"):
        return []
    if isinstance(tools, list):
        known = [tool.get("name") for tool in tools if isinstance(tool, dict)]
        where = "the tools of this response"
    elif declared is not None:
        known, where = list(declared), "the tools of the session"
    else:
        return []
    if choice["name"] in known:
        return []
    return [Complaint("tool_choice.name", f"{choice['name']} is not among {where}.", wrong=False)]


def _modalities(value: Any) -> list[Complaint]:
    path = "output_modalities"
    if not isinstance(value, list) or not value:
        return [Complaint(path, 'Give at least one kind of output, as ["audio"] or ["text"].')]
    unknown = [str(each) for each in value if each not in MODALITIES]
    if unknown:
        return [Complaint(path, f"{', '.join(unknown)} is no kind of output known here.", wrong=False)]
    if "audio" in value and "text" in value:
        return [Complaint(path, "Speech brings its text along: choose audio or text, not both.")]
    if "animation" in value or "avatar" in value:
        return [Complaint(path, "animation and avatar are understood by the Azure voice agent only.", wrong=False)]
    return []


def _tool_choice(value: Any) -> list[Complaint]:
    if isinstance(value, str):
        words = ("none", "auto", "required")
        return [] if value in words else [Complaint("tool_choice", f"It is one of {', '.join(words)}, or an object.")]
    if not isinstance(value, dict) or value.get("type") not in ("function", "mcp"):
        return [Complaint("tool_choice", "An object names its type: function or mcp.")]
    if value["type"] == "mcp" and not _filled(value.get("server_label")):
        return [Complaint("tool_choice.server_label", "Name the MCP server by its label.")]
    if not _filled(value.get("name")):
        # An MCP server as a whole can be chosen: the name of one of its tools may be missing.
        return [] if value["type"] == "mcp" and "name" not in value else [Complaint("tool_choice.name", "Name a tool.")]
    return []


def _tools(value: Any) -> list[Complaint]:
    if not isinstance(value, list):
        return [Complaint("tools", "Tools are a JSON array of objects.")]
    complaints: list[Complaint] = []
    names: set[str] = set()
    for place, tool in enumerate(value):
        path = f"tools[{place}]"
        if not isinstance(tool, dict):
            complaints.append(Complaint(path, "A tool is a JSON object."))
        elif tool.get("type") == "mcp":
            if not _filled(tool.get("server_label")):
                complaints.append(Complaint(f"{path}.server_label", "An MCP tool names its server by a label."))
        elif tool.get("type") != "function":
            complaints.append(Complaint(f"{path}.type", "A tool's type is function or mcp."))
        elif not _filled(tool.get("name")):
            complaints.append(Complaint(f"{path}.name", "A function has a name."))
        elif tool["name"] in names:
            complaints.append(Complaint(f"{path}.name", f"{tool['name']} is declared twice."))
        elif not isinstance(tool.get("parameters", {}), dict):
            complaints.append(Complaint(f"{path}.parameters", "The parameters of a function are a JSON schema."))
        else:
            names.add(tool["name"])
    return complaints


def _instructions(value: Any) -> list[Complaint]:
    return [] if isinstance(value, str) else [Complaint("instructions", "Instructions are a text.")]


def _audio(value: Any) -> list[Complaint]:
    output = value.get("output") if isinstance(value, dict) else None
    if not isinstance(output, dict) or not output:
        return [Complaint("audio.output", "Give a voice, a format or both.")]
    complaints: list[Complaint] = []
    voice, form = output.get("voice", "-"), output.get("format")
    if not _filled(voice) and not (isinstance(voice, dict) and voice):
        complaints.append(Complaint("audio.output.voice", "A voice is a name, or an object for one of your own."))
    if form is not None and (not isinstance(form, dict) or form.get("type") not in AUDIO_FORMATS):
        complaints.append(Complaint("audio.output.format", f"Its type is one of {', '.join(AUDIO_FORMATS)}."))
    elif isinstance(form, dict) and form["type"] == AUDIO_FORMAT["type"] and form.get("rate") != AUDIO_FORMAT["rate"]:
        complaints.append(Complaint("audio.output.format.rate", "audio/pcm has a rate of 24000."))
    elif isinstance(form, dict) and form["type"] != AUDIO_FORMAT["type"]:
        sentence = f"{form['type']} is not played here: HRP speaks audio/pcm."
        complaints.append(Complaint("audio.output.format", sentence, wrong=False))
    return complaints


def _conversation(value: Any) -> list[Complaint]:
    return [] if value in ("auto", "none") else [Complaint("conversation", "It is auto or none.")]


def _input(value: Any) -> list[Complaint]:
    if not isinstance(value, list):
        return [Complaint("input", "The input is a JSON array of items; [] is an empty context.")]
    complaints: list[Complaint] = []
    for place, item in enumerate(value):
        path = f"input[{place}]"
        if not isinstance(item, dict) or not _filled(item.get("type")):
            complaints.append(Complaint(path, "An item is a JSON object with a type."))
        elif item["type"] == "item_reference" and not _filled(item.get("id")):
            complaints.append(Complaint(f"{path}.id", "A reference names the id of an item."))
        elif item["type"] == "message":
            complaints += _message(item, path, roles=("user", "assistant", "system"))
    return complaints


def _message(item: Mapping[str, Any], path: str, roles: tuple[str, ...]) -> list[Complaint]:
    if item.get("role") not in roles:
        return [Complaint(f"{path}.role", f"The role of this message is {' or '.join(roles)}.")]
    content = item.get("content")
    if not isinstance(content, list) or not all(isinstance(part, dict) and part.get("type") for part in content):
        return [Complaint(f"{path}.content", "The content of a message is an array of parts with a type.")]
    return []


def _max_output_tokens(value: Any) -> list[Complaint]:
    least, most = OUTPUT_TOKENS
    if value == UNLIMITED or (_is_whole(value) and least <= value <= most):
        return []
    return [Complaint("max_output_tokens", f"It is a whole number from {least} to {most}, or {UNLIMITED}.")]


def _metadata(value: Any) -> list[Complaint]:
    if not isinstance(value, dict):
        return [Complaint("metadata", "Metadata are pairs of a name and a text.")]
    complaints: list[Complaint] = []
    if len(value) > METADATA_PAIRS:
        complaints.append(Complaint("metadata", f"There are {len(value)} pairs: at most {METADATA_PAIRS} are allowed."))
    for name, text in value.items():
        path = f"metadata.{name[:24]}"
        if not name:
            complaints.append(Complaint("metadata", "A pair has no name."))
        if len(name) > METADATA_KEY_CHARACTERS:
            complaints.append(Complaint(path, _too_long("The name", len(name), METADATA_KEY_CHARACTERS)))
        if not isinstance(text, str):
            complaints.append(Complaint(path, "A value is a text."))
        elif len(text) > METADATA_VALUE_CHARACTERS:
            complaints.append(Complaint(path, _too_long("The value", len(text), METADATA_VALUE_CHARACTERS)))
    return complaints


def _too_long(what: str, count: int, most: int) -> str:
    return f"{what} has {count} characters: at most {most} are allowed."


def _parallel_tool_calls(value: Any) -> list[Complaint]:
    return [] if isinstance(value, bool) else [Complaint("parallel_tool_calls", "It is true or false.")]


def _reasoning(value: Any) -> list[Complaint]:
    if isinstance(value, dict) and value.get("effort") in EFFORTS:
        return []
    return [Complaint("reasoning.effort", f"The effort is one of {', '.join(EFFORTS)}.")]


def _prompt(value: Any) -> list[Complaint]:
    if not isinstance(value, dict) or not _filled(value.get("id")):
        return [Complaint("prompt.id", "Name the prompt by its id.")]
    if not isinstance(value.get("variables", {}), dict):
        return [Complaint("prompt.variables", "The variables are a JSON object.")]
    if not isinstance(value.get("version", ""), str):
        return [Complaint("prompt.version", "The version is a text.")]
    return []


def _interim_response(value: Any) -> list[Complaint]:
    path = "interim_response"
    kind = value.get("type") if isinstance(value, dict) else None
    if kind not in (STATIC_INTERIM, LLM_INTERIM):
        return [Complaint(f"{path}.type", f"Its type is {STATIC_INTERIM} or {LLM_INTERIM}.")]
    complaints: list[Complaint] = []
    triggers, threshold = value.get("triggers"), value.get("latency_threshold_ms", DEFAULT_LATENCY_THRESHOLD_MS)
    if not isinstance(triggers, list) or not triggers or any(each not in TRIGGERS for each in triggers):
        complaints.append(Complaint(f"{path}.triggers", "Say when: after a latency, at a tool's call, or at either."))
    if not _is_whole(threshold) or threshold < 0:
        complaints.append(Complaint(f"{path}.latency_threshold_ms", "The latency is a whole number of milliseconds."))
    if kind == STATIC_INTERIM:
        texts = value.get("texts")
        if not isinstance(texts, list) or not texts or not all(_filled(text) for text in texts):
            complaints.append(Complaint(f"{path}.texts", "Give at least one text to say."))
        return complaints
    tokens = value.get("max_completion_tokens", 1)
    if not _is_whole(tokens) or tokens < 1:
        complaints.append(Complaint(f"{path}.max_completion_tokens", "It is a whole number of tokens, from 1."))
    return complaints + [
        Complaint(f"{path}.{name}", "This is a text.")
        for name in ("model", "instructions")
        if not isinstance(value.get(name, ""), str)
    ]


def _pre_generated(value: Any) -> list[Complaint]:
    path = "pre_generated_assistant_message"
    if not isinstance(value, dict) or value.get("type") != "message":
        return [Complaint(path, "It is an item of the type message.")]
    complaints = _message(value, path, roles=("assistant",))
    if not complaints and not any(_filled(part.get("text")) for part in value["content"]):
        return [Complaint(f"{path}.content", "Give the text that the agent is to say.")]
    return complaints


def _filled(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_CHECKS: Final[dict[str, Callable[[Any], list[Complaint]]]] = {
    "output_modalities": _modalities,
    "tool_choice": _tool_choice,
    "tools": _tools,
    "instructions": _instructions,
    "audio": _audio,
    "conversation": _conversation,
    "input": _input,
    "max_output_tokens": _max_output_tokens,
    "metadata": _metadata,
    "parallel_tool_calls": _parallel_tool_calls,
    "reasoning": _reasoning,
    "prompt": _prompt,
    "interim_response": _interim_response,
    "pre_generated_assistant_message": _pre_generated,
}

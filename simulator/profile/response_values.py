"""Between the form of a response and its JSON: `build` makes the object of what was filled in, `values_of` the reverse.

`values_of` loses nothing: what the fields cannot hold exactly becomes text of the field for further parameters.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from simulator.profile.facts import AUDIO_FORMAT
from simulator.profile.response_checks import Complaint
from simulator.profile.response_parameters import BY_NAME, PARAMETERS, STATIC_INTERIM, Field, Kind

Fields = Mapping[str, Any]
"""The values of a parameter's fields by name."""
Values = Mapping[str, Fields]
"""What is filled in: only the parameters that are to be sent."""

FURTHER: Final = "further"
"""In `Values`, the text of a JSON object with parameters that have no fields: ``{"further": {"json": "…"}}``."""

_UNTYPEABLE: Final = ("\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\ufdd0", "\ufdd1")
"""Line breaks of other kinds, and what Qt takes for them: a text field makes all of them the usual one."""


@dataclass(frozen=True, slots=True)
class Built:
    """A ``response`` object, and what kept a field from becoming part of it."""

    response: dict[str, Any]
    complaints: tuple[Complaint, ...] = ()


class _NoJson(Exception):
    """A text that is no JSON; the message says where."""


def read_json(text: str) -> tuple[Any, str | None]:
    """Return the value of a JSON text and None, or None and where it stops being JSON, in a sentence."""
    try:
        return json.loads(text, parse_constant=_refuse_constant), None
    except json.JSONDecodeError as error:
        if not text.strip():
            return None, "Nothing is written yet."
        return None, f"No JSON: line {error.lineno}, column {error.colno}: {error.msg}."
    except RecursionError:
        return None, "No JSON that can be read: it is nested too deep."
    except ValueError as error:
        return None, f"No JSON: {error}."


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def build(values: Values, tools: Sequence[Mapping[str, Any]]) -> Built:
    """Return the ``response`` object; `tools` are the wire objects that the names of tools stand for."""
    response: dict[str, Any] = {}
    complaints: list[Complaint] = []
    for name, fields in values.items():
        if name == FURTHER:
            continue
        try:
            response[name] = _TO_WIRE[name](fields, tools)
        except _NoJson as error:
            complaints.append(Complaint(name, str(error)))
        names = [pair[0] for pair in fields.get("pairs", ())]
        twice = sorted({each for each in names if names.count(each) > 1})
        complaints += [Complaint(f"{name}.{each[:24]}", f"{each[:24]} is given twice.") for each in twice]
    further = str(values.get(FURTHER, {}).get("json", ""))
    if further.strip():
        more, problem = read_json(further)
        if problem is None and not isinstance(more, dict):
            problem = "Further parameters are a JSON object."
        if problem is not None:
            complaints.append(Complaint(FURTHER, problem))
        else:
            complaints += [Complaint(f"{FURTHER}.{name}", "Given above already.") for name in more if name in response]
            response |= {name: value for name, value in more.items() if name not in response}
    return Built(response, tuple(complaints))


def values_of(response: Mapping[str, Any], tools: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what the form shows of a ``response`` object: `build` makes the same object of it."""
    values: dict[str, dict[str, Any]] = {}
    further: dict[str, Any] = {}
    for name, value in response.items():
        fields = _fields_of(name, value, tools)
        if fields is None:
            further[name] = value
        else:
            values[name] = fields
    if further:
        values[FURTHER] = {"json": _pretty(further)}
    return values


def start_values(name: str) -> dict[str, Any]:
    """Return what the fields of a parameter hold at first."""
    return {field.name: "" if field.start is None else field.start for field in BY_NAME[name].fields}


def _fields_of(name: str, value: Any, tools: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    if name not in BY_NAME:
        return None
    try:
        fields = start_values(name) | _FROM_WIRE[name](value, tools)
        again = _TO_WIRE[name](fields, tools)
    except (_NoJson, AttributeError, KeyError, TypeError):
        return None  # it has another shape than the fields
    shown = all(_can_hold(field, fields[field.name]) for field in BY_NAME[name].fields)
    return fields if shown and _same(again, value) else None


def _can_hold(field: Field, value: Any) -> bool:
    match field.kind:
        case Kind.CHOICE:
            return value in field.choices
        case Kind.SEVERAL:
            return list(value) == [choice for choice in field.choices if choice in value]
        case Kind.LINE | Kind.SUGGESTED | Kind.WHOLE | Kind.TOOL:
            return isinstance(value, str) and not any(sign in value for sign in ("\n", *_UNTYPEABLE))
        case Kind.TEXT | Kind.LINES:
            return isinstance(value, str) and not any(sign in value for sign in _UNTYPEABLE)
        case Kind.PAIRS:
            return all(isinstance(text, str) and text.isprintable() and name for name, text in value)
        case _:
            return True


def _same(one: Any, other: Any) -> bool:
    """Return whether both are the same JSON: 1 and true are not, and the order of members counts."""
    return json.dumps(one) == json.dumps(other)


def _pretty(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=2)
    for sign in _UNTYPEABLE:
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _parsed(text: str) -> Any:
    value, problem = read_json(text)
    if problem is not None:
        raise _NoJson(problem)
    return value


def _number(text: str) -> Any:
    """Return the whole number that a text is, or the text: what is wrong with it is said by its check."""
    text = text.strip()
    return int(text) if text.lstrip("-").isdecimal() and text.isascii() and len(text) < 19 else text


def _tool_choice(fields: Fields, _tools: object) -> Any:
    match fields["choice"]:
        case "function":
            return {"type": "function", "name": fields["name"].strip()}
        case "mcp":
            name = {"name": fields["name"].strip()} if fields["name"].strip() else {}
            return {"type": "mcp", "server_label": fields["server_label"].strip(), **name}
        case word:
            return word


def _tool_choice_fields(value: Any, _tools: object) -> dict[str, Any]:
    if isinstance(value, str):
        return {"choice": value}
    return {
        "choice": value["type"],
        "name": value.get("name", ""),
        "server_label": value.get("server_label", ""),
    }


def _tools_array(fields: Fields, tools: Sequence[Mapping[str, Any]]) -> Any:
    chosen = [dict(tool) for tool in tools if tool["name"] in fields["names"]]
    if not fields["own"].strip():
        return chosen
    own = _parsed(fields["own"])
    return [*chosen, *(own if isinstance(own, list) else [own])]


def _tools_fields(value: Any, tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = [str(tool["name"]) for tool in tools if dict(tool) in value]
    own = [each for each in value if each not in [dict(tool) for tool in tools]]
    return {"names": names, "own": _pretty(own) if own else ""}


def _audio(fields: Fields, _tools: object) -> Any:
    output: dict[str, Any] = {}
    form, voice = fields["format"].strip(), fields["voice"].strip()
    if form:
        output["format"] = dict(AUDIO_FORMAT) if form == AUDIO_FORMAT["type"] else {"type": form}
    if voice:
        output["voice"] = voice
    return {"output": output}


def _audio_fields(value: Any, _tools: object) -> dict[str, Any]:
    output = value["output"]
    return {"format": output.get("format", {}).get("type", ""), "voice": output.get("voice", "")}


def _prompt(fields: Fields, _tools: object) -> Any:
    prompt: dict[str, Any] = {"id": fields["id"].strip()}
    if fields["version"].strip():
        prompt["version"] = fields["version"].strip()
    if fields["variables"].strip():
        prompt["variables"] = _parsed(fields["variables"])
    return prompt


def _prompt_fields(value: Any, _tools: object) -> dict[str, Any]:
    variables = _pretty(value["variables"]) if "variables" in value else ""
    return {"id": value["id"], "version": value.get("version", ""), "variables": variables}


def _interim(fields: Fields, _tools: object) -> Any:
    interim: dict[str, Any] = {"type": fields["choice"], "triggers": list(fields["triggers"])}
    if fields["latency_threshold_ms"].strip():
        interim["latency_threshold_ms"] = _number(fields["latency_threshold_ms"])
    if fields["choice"] == STATIC_INTERIM:
        return interim | {"texts": [line for line in fields["texts"].split("\n") if line.strip()]}
    for name in ("model", "instructions"):
        if fields[name].strip():
            interim[name] = fields[name]
    if fields["max_completion_tokens"].strip():
        interim["max_completion_tokens"] = _number(fields["max_completion_tokens"])
    return interim


def _interim_fields(value: Any, _tools: object) -> dict[str, Any]:
    return {
        "choice": value["type"],
        "triggers": list(value["triggers"]),
        "latency_threshold_ms": _plain(value.get("latency_threshold_ms", "")),
        "texts": "\n".join(value.get("texts", ())),
        "model": value.get("model", ""),
        "instructions": value.get("instructions", ""),
        "max_completion_tokens": _plain(value.get("max_completion_tokens", "")),
    }


def _plain(value: Any) -> str:
    return str(value)


def _message(fields: Fields, _tools: object) -> Any:
    part = {"type": "output_text", "text": fields["text"]}
    return {"type": "message", "role": "assistant", "content": [part]}


def _tokens(fields: Fields, _tools: object) -> Any:
    return _number(fields["tokens"])


def _truth(fields: Fields, _tools: object) -> Any:
    return {"true": True, "false": False}.get(fields["choice"], fields["choice"])


_TO_WIRE: Final[dict[str, Callable[[Fields, Sequence[Mapping[str, Any]]], Any]]] = {
    "output_modalities": lambda fields, _: list(fields["choices"]),
    "tool_choice": _tool_choice,
    "instructions": lambda fields, _: fields["text"],
    "conversation": lambda fields, _: fields["choice"],
    "input": lambda fields, _: _parsed(fields["items"]),
    "tools": _tools_array,
    "audio": _audio,
    "max_output_tokens": _tokens,
    "metadata": lambda fields, _: dict(fields["pairs"]),
    "parallel_tool_calls": _truth,
    "reasoning": lambda fields, _: {"effort": fields["choice"]},
    "prompt": _prompt,
    "interim_response": _interim,
    "pre_generated_assistant_message": _message,
}

_FROM_WIRE: Final[dict[str, Callable[[Any, Sequence[Mapping[str, Any]]], dict[str, Any]]]] = {
    "output_modalities": lambda value, _: {"choices": list(value)},
    "tool_choice": _tool_choice_fields,
    "instructions": lambda value, _: {"text": value},
    "conversation": lambda value, _: {"choice": value},
    "input": lambda value, _: {"items": _pretty(value)},
    "tools": _tools_fields,
    "audio": _audio_fields,
    "max_output_tokens": lambda value, _: {"tokens": _plain(value)},
    "metadata": lambda value, _: {"pairs": list(value.items())},
    "parallel_tool_calls": lambda value, _: {"choice": json.dumps(value)},
    "reasoning": lambda value, _: {"choice": value["effort"]},
    "prompt": _prompt_fields,
    "interim_response": _interim_fields,
    "pre_generated_assistant_message": lambda value, _: {"text": value["content"][0]["text"]},
}

assert set(_TO_WIRE) == set(_FROM_WIRE) == {parameter.name for parameter in PARAMETERS}

"""Checks of single fields of client events: each returns the value or refuses it by its path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.engine.errors import Refusal, invalid, missing, unknown, wrong_type

if TYPE_CHECKING:
    from collections.abc import Collection


def an_object(value: object, param: str, known: Collection[str] | None = None) -> dict[str, Any]:
    """A JSON object; `known` are the only keys it may have."""
    if not isinstance(value, dict):
        raise wrong_type(param, "an object", value)
    if known is not None:
        for key in value:
            if key not in known:
                raise unknown(f"{param}.{key}")
    return value


def a_list(value: object, param: str) -> list[Any]:
    if not isinstance(value, list):
        raise wrong_type(param, "an array", value)
    return value


def a_text(value: object, param: str) -> str:
    if not isinstance(value, str):
        raise wrong_type(param, "a string", value)
    return value


def a_name(value: object, param: str, limit: int = 256) -> str:
    """A text that is neither empty nor longer than `limit` characters."""
    text = a_text(value, param)
    if not 0 < len(text) <= limit:
        raise invalid(param, f"1 to {limit} characters", text)
    return text


def a_flag(value: object, param: str) -> bool:
    if not isinstance(value, bool):
        raise wrong_type(param, "a boolean", value)
    return value


def an_integer(value: object, param: str, low: int, high: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(param, "an integer", value)
    if not low <= value <= high:
        raise invalid(param, f"a value from {low} to {high}", value)
    return value


def a_number(value: object, param: str, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(param, "a number", value)
    if not low <= value <= high:
        raise invalid(param, f"a value from {low} to {high}", value)
    return value


def one_of(value: object, param: str, allowed: Collection[str]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise invalid(param, "one of " + ", ".join(f"'{name}'" for name in allowed), value)
    return value


def modalities(value: object, param: str) -> list[str]:
    """["audio"] or ["text"], never both."""
    if value not in (["audio"], ["text"]):
        raise invalid(param, "['audio'] or ['text']", value)
    return list(a_list(value, param))


def token_limit(value: object, param: str) -> int | str:
    """1 to 4096 or "inf"."""
    return "inf" if value == "inf" else an_integer(value, param, 1, 4096)


def audio_format(value: object, param: str) -> dict[str, Any]:
    """PCM16 at 24 kHz; a missing rate is that rate."""
    given = an_object(value, param, ("type", "rate"))
    if given.get("type", "audio/pcm") != "audio/pcm":
        raise invalid(f"{param}.type", "'audio/pcm', the only format of this engine", given["type"])
    if given.get("rate") not in (None, 24_000):
        raise invalid(f"{param}.rate", "24000", given["rate"])
    return {"type": "audio/pcm", "rate": 24_000}


def voice(value: object, param: str) -> str | dict[str, Any]:
    """Any name, or {"id": name}: a name without a voice of its own gets the usual one."""
    if isinstance(value, dict):
        return {"id": a_name(an_object(value, param, ("id",)).get("id"), f"{param}.id")}
    return a_name(value, param)


def function_tools(value: object, param: str) -> list[dict[str, Any]]:
    """Function declarations; other kinds of tools are refused."""
    tools = a_list(value, param)
    names: set[str] = set()
    for index, tool in enumerate(tools):
        path = f"{param}[{index}]"
        given = an_object(tool, path, ("type", "name", "description", "parameters", "strict"))
        one_of(given.get("type"), f"{path}.type", ("function",))
        if "name" not in given:
            raise missing(f"{path}.name")
        name = a_name(given["name"], f"{path}.name", 64)
        if name in names:
            raise Refusal("duplicate_tool", f"Two tools are called '{name}'.", f"{path}.name")
        names.add(name)
        if given.get("description") is not None:
            a_text(given["description"], f"{path}.description")
        if given.get("parameters") is not None:
            an_object(given["parameters"], f"{path}.parameters")
    return tools


def tool_choice(value: object, param: str) -> str | dict[str, Any]:
    """none, auto, required or {"type": "function", "name": …}."""
    if isinstance(value, dict):
        given = an_object(value, param, ("type", "name"))
        one_of(given.get("type"), f"{param}.type", ("function",))
        if "name" not in given:
            raise missing(f"{param}.name")
        return {"type": "function", "name": a_name(given["name"], f"{param}.name", 64)}
    return one_of(value, param, ("none", "auto", "required"))

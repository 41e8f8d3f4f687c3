"""The arguments of a tool call, read strictly: JSON as the standard has it, each name once, one argument.

What cannot be read is told in a sentence for the agent, who may try again.
"""

import json
import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Any, Final

from simulator.profile.tools import ARGUMENT_OF

_LONGEST_SHOWN: Final = 60
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class _Refused(ValueError):
    """JSON that is read by some and by the standard not; `str` says what is wrong with it."""


def read_argument(tool: str, arguments: str) -> tuple[Any, str | None]:
    """Return the one argument of a declared tool's call, or None and a sentence why it cannot be taken."""
    argument = ARGUMENT_OF[tool]
    expected = f"expected a JSON object with “{argument}”"
    try:
        given = _decoded(arguments)
    except _Refused as error:
        return None, f"{error}: {expected}."
    except RecursionError:
        return None, f"The arguments are nested too deeply: {expected}."
    except ValueError:
        empty = not arguments.strip()
        return None, f"The arguments are {'empty' if empty else 'not JSON'}: {expected}."
    if not isinstance(given, dict):
        return None, f"The arguments are {named(given)}: {expected}."
    extra = ", ".join(f"“{shown(each)}”" for each in given if each != argument)
    if argument not in given:
        instead = f", and there is no argument {extra}" if extra else ""
        return None, f"The argument “{argument}” is missing{instead}."
    if extra:
        return None, f"There is no argument {extra}: the one argument is “{argument}”."
    return given[argument], None


def _decoded(arguments: str) -> Any:
    given = json.loads(
        arguments, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_number, parse_int=_whole
    )
    if _LONE_SURROGATE.search(arguments) or (r"\u" in arguments and _has_lone_surrogate(given)):
        raise _Refused("The arguments hold half a character, a lone surrogate")
    return given


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = named_twice(pairs)
    if twice is not None:
        raise _Refused(f"The arguments have “{shown(twice)}” more than once")
    return dict(pairs)


def named_twice(pairs: list[tuple[str, Any]]) -> str | None:
    """Return the first name of a JSON object's fields that stands in it more than once, or None."""
    if len(dict(pairs)) == len(pairs):
        return None
    names = [name for name, _ in pairs]
    return next(name for name in names if names.count(name) > 1)


def _no_constant(name: str) -> Any:
    raise _Refused(f"The arguments hold {name}, which is no number in JSON")


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Refused(f"The arguments hold {shown(text)}, which is too large a number")
    return number


def _whole(text: str) -> int:
    if len(text) > 300:  # a float holds no more, and no scale asks for it
        raise _Refused("The arguments hold too large a number")
    return int(text)


def _has_lone_surrogate(value: Any) -> bool:
    if isinstance(value, str):
        return _LONE_SURROGATE.search(value) is not None
    if isinstance(value, dict):
        return any(_has_lone_surrogate(each) for pair in value.items() for each in pair)
    return isinstance(value, list) and any(_has_lone_surrogate(each) for each in value)


def named(value: Any) -> str:
    """Return what a JSON value is, for a sentence."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return f"the text “{shown(value)}”"


def shown(text: str) -> str:
    """Return a text of the agent as a sentence can hold it: in one line, not too long, and without half characters."""
    line = _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", re.sub(r"\s", " ", text))
    return line if len(line) <= _LONGEST_SHOWN else line[: _LONGEST_SHOWN - 1] + "…"


def near(given: str, texts: Sequence[str]) -> str | None:
    """Return the one text that differs only in case, blanks, quotation marks, stops or how its letters are composed."""
    fitting = [each for each in texts if _plain(each) == _plain(given)]
    return fitting[0] if len(fitting) == 1 else None


def _plain(text: str) -> str:
    composed = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(composed.strip(" \t\r\n\"'“”„«»‘’.,;:!?").split())

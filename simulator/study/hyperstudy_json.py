"""The JSON of an experiment, read with the path of each value, so that each complaint says where.

Names of fields are understood as the platform writes them (`focusComponent`) and as Python does (`focus_component`).
"""

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from simulator.errors import UnreadableFile
from simulator.profile.arguments import named_twice

_MOST_NESTED: Final = 64
_LONGEST_NUMBER: Final = 300
"""Digits of a whole number, as in a study file."""
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SNAKE: Final = re.compile("(?<=[a-z0-9])_([a-z0-9])")


class Node:
    """A value of the file that knows its path in it, as `states[3].name`. Its readers raise UnreadableFile."""

    def __init__(self, value: Any, file: Path, where: str = "") -> None:
        self.value = value
        self.where = where
        self._file = file

    def expected(self, what: str) -> UnreadableFile:
        """Return the error that says what should stand here instead."""
        return self.wrong(f"expected {what}, found {_found(self.value)}.")

    def wrong(self, why: str) -> UnreadableFile:
        """Return the error that says why this cannot stand here."""
        return UnreadableFile(f"{self._file}, {self.where or 'at the top'}: {why}")

    def fields(self, what: str) -> "dict[str, Node]":
        """Return the fields of an object by their names in camelCase, without those that are null."""
        fields: dict[str, Node] = {}
        for name, node in self.entries(what).items():
            camel = _SNAKE.sub(lambda found: found[1].upper(), name)
            if camel in fields:
                raise node.wrong(f"the field {camel} stands twice here, in two spellings: keep one of them.")
            fields[camel] = node
        return fields

    def entries(self, what: str) -> "dict[str, Node]":
        """Return the values of an object whose names are the researcher's own, without those that are null."""
        if not isinstance(self.value, Mapping):
            raise self.expected(what)
        return {name: self._inner(name) for name, value in self.value.items() if value is not None}

    def items(self, what: str) -> "Iterator[Node]":
        """Yield the values of a list."""
        if not isinstance(self.value, list):
            raise self.expected(what)
        for number, value in enumerate(self.value):
            yield Node(value, self._file, f"{self.where}[{number}]")

    def text(self, what: str) -> str:
        """Return a text that is not empty."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.expected(what)
        return self.value

    def number(self, what: str, smallest: float, largest: float) -> float:
        """Return a number within its bounds."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.expected(what)
        if not smallest <= self.value <= largest:
            raise self.expected(what)
        return float(self.value)

    def truth(self, what: str = "true or false") -> bool:
        """Return a yes or no."""
        if not isinstance(self.value, bool):
            raise self.expected(what)
        return self.value

    def _inner(self, name: str) -> "Node":
        return Node(self.value[name], self._file, f"{self.where}.{name}" if self.where else name)


def read_json(path: Path, text: str) -> Node:
    """Read a file's text as JSON. Raises UnreadableFile for what is no JSON, or nested too deep."""
    try:
        value = json.loads(text, parse_constant=_refuse, parse_int=_whole, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise UnreadableFile(
            f"{path}, line {error.lineno}: this is no JSON ({error.msg}): export the experiment again."
        ) from error
    except RecursionError as error:
        raise _too_deep(path) from error
    except ValueError as error:
        raise UnreadableFile(f"{path}: {error}") from error
    _check_values(value, path)
    return Node(value, path)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no number that JSON has: expected a finite one.")


def _whole(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        raise ValueError("a whole number in it is larger than any that can be sent.")
    return int(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = named_twice(pairs)
    if twice is not None:
        raise ValueError(f"the field “{twice[:40]}” stands twice in one object: keep one of them.")
    return dict(pairs)


def _check_values(root: Any, file: Path) -> None:
    """Refuse what no engine could be told: numbers beyond all bounds, half characters; and what is nested too deep."""
    waiting: list[tuple[Any, str, int]] = [(root, "", 1)]
    while waiting:
        value, where, level = waiting.pop()
        if level > _MOST_NESTED:
            raise _too_deep(file)
        if isinstance(value, str):
            _check_text(value, Node(value, file, where))
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise Node(value, file, where).wrong("this number is larger than any that can be sent.")
        elif isinstance(value, list):
            waiting += [(each, f"{where}[{number}]", level + 1) for number, each in enumerate(value)]
        elif isinstance(value, dict):
            for name, inner in value.items():
                _check_text(name, Node(name, file, where))
                waiting.append((inner, f"{where}.{name}" if where else name, level + 1))


def _check_text(text: str, node: Node) -> None:
    if not text.isascii() and _LONE_SURROGATE.search(text):
        raise node.wrong("half a character stands here, a lone surrogate: write the text anew.")


def _too_deep(path: Path) -> UnreadableFile:
    return UnreadableFile(f"{path} is nested more than {_MOST_NESTED} levels deep: this is no experiment.")


def _found(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case dict():
            return "an object"
        case list():
            return "a list"
        case bool():
            return "true" if value else "false"
        case str():
            return f"“{value[:40]}…”" if len(value) > 40 else f"“{value}”"
        case _:
            return f"{value:.6g}" if isinstance(value, float) else "a number" if abs(value) > 10**12 else str(value)


def names(listed: Collection[str]) -> str:
    """Return texts as they are listed in a sentence: a, b and c."""
    texts = list(listed)
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else ""

"""YAML read with its line numbers, so that each complaint about a file says where."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from simulator.errors import UnreadableFile

_MOST_NESTED: Final = 64
_MOST_VALUES: Final = 200_000


class Located:
    """A value of a YAML file that knows its line. Its readers raise UnreadableFile: file, line, expected, found."""

    def __init__(self, node: yaml.Node, path: Path) -> None:
        self._node = node
        self._path = path

    @property
    def line(self) -> int:
        """The line on which the value begins, from 1."""
        return int(self._node.start_mark.line) + 1

    def plain(self) -> Any:
        """Return the value as Python objects."""
        try:
            return yaml.SafeLoader("").construct_document(self._node)
        except (yaml.YAMLError, ValueError, TypeError) as error:
            raise self.expected("a plain value") from error

    def expected(self, what: str) -> UnreadableFile:
        """Return the error that says what should stand here instead."""
        return UnreadableFile(f"{self._path}, line {self.line}: expected {what}, found {self._found()}.")

    def mapping(self, what: str, allowed: Collection[str] | None = None) -> "dict[str, Located]":
        """Return the fields of a mapping; `allowed` names those it may have."""
        if not isinstance(self._node, yaml.MappingNode):
            raise self.expected(what)
        fields: dict[str, Located] = {}
        for key_node, value_node in self._node.value:
            key = Located(key_node, self._path)
            name = key_node.value if isinstance(key_node, yaml.ScalarNode) else ""
            if not name or (allowed is not None and name not in allowed):
                raise key.expected(f"one of {', '.join(sorted(allowed))}" if allowed else "the name of a field")
            if name in fields:
                raise UnreadableFile(f"{self._path}, line {key.line}: “{name}” stands twice here: keep one of them.")
            fields[name] = Located(value_node, self._path)
        return fields

    def items(self, what: str) -> "Iterator[Located]":
        """Yield the values of a list."""
        if not isinstance(self._node, yaml.SequenceNode):
            raise self.expected(what)
        for node in self._node.value:
            yield Located(node, self._path)

    def text(self, what: str) -> str:
        """Return a text that is not empty. Numbers and dates are taken as they are written."""
        if not isinstance(self._node, yaml.ScalarNode) or self._node.tag == "tag:yaml.org,2002:null":
            raise self.expected(what)
        text = str(self._node.value).strip()
        if not text:
            raise self.expected(what)
        return text

    def number(self, what: str, smallest: float = 0.0, largest: float = float("inf")) -> float:
        """Return a number within its bounds."""
        value = self.plain()
        if isinstance(value, bool) or not isinstance(value, int | float) or not smallest <= value <= largest:
            raise self.expected(what)
        return float(value)

    def truth(self, what: str) -> bool:
        """Return a yes or no: true, false, on, off, yes, no."""
        value = self.plain()
        if not isinstance(value, bool):
            raise self.expected(what)
        return value

    def is_empty(self) -> bool:
        """Return whether nothing stands here."""
        return self._node.tag == "tag:yaml.org,2002:null"

    def _found(self) -> str:
        if isinstance(self._node, yaml.MappingNode):
            return "a mapping"
        if isinstance(self._node, yaml.SequenceNode):
            return "a list"
        value = str(self._node.value)
        if self.is_empty() or not value:
            return "nothing"
        return f"“{value[:40]}…”" if len(value) > 40 else f"“{value}”"


def read_yaml(path: Path) -> Located:
    """Read a file with one YAML document. Raises UnreadableFile."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{path} is not text in UTF-8: save it as UTF-8.") from error
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UnreadableFile(
            f"{path}, line {line}: this is no YAML ({error.problem}): put texts that hold signs in quotation marks."
        ) from error
    except yaml.YAMLError as error:
        raise UnreadableFile(f"{path} is no YAML ({error}).") from error
    except RecursionError as error:
        raise _too_much(path) from error
    if node is None:
        raise UnreadableFile(f"{path} is empty: expected a study.")
    _check_extent(node, path)
    return Located(node, path)


def _check_extent(root: yaml.Node, path: Path) -> None:
    """Refuse what is nested too deep, or grows too large where its aliases are put in. Raises UnreadableFile."""
    waiting = [(root, 1)]
    seen = 0
    while waiting:
        node, level = waiting.pop()
        seen += 1
        if level > _MOST_NESTED or seen > _MOST_VALUES:
            raise _too_much(path)
        if isinstance(node, yaml.MappingNode):
            waiting += [(each, level + 1) for pair in node.value for each in pair]
        elif isinstance(node, yaml.SequenceNode):
            waiting += [(each, level + 1) for each in node.value]


def _too_much(path: Path) -> UnreadableFile:
    return UnreadableFile(
        f"{path} is nested more than {_MOST_NESTED} levels deep or holds more than {_MOST_VALUES:,} values: "
        "this is no study."
    )

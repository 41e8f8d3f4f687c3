"""YAML read with its line numbers, so that each complaint about a file says where.

Values are those of JSON. Of plain words only `true`, `false`, `null` and decimal numbers are anything but text: the
older rules of YAML, by which the choices Yes and No become truths, 12:30 a number and 2026-05-01 a date, are not
followed. Where a truth is expected, on, off, yes and no are taken as well.
"""

import difflib
import math
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from simulator.errors import UnreadableFile

_MOST_NESTED: Final = 64
_MOST_VALUES: Final = 200_000
_MOST_BYTES: Final = 64_000_000
_LONGEST_NUMBER: Final = 300
"""Digits of a whole number: what a float holds, and so what any JSON can say."""

# Ten times faster, where PyYAML was built with libyaml, and with the same lines.
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG: Final = "tag:yaml.org,2002:"
_NULL: Final = _TAG + "null"
_WHOLE: Final = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_DECIMAL: Final = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_PLAIN: Final = {_TAG + kind for kind in ("bool", "int", "float", "timestamp", "value", "merge")}
_TRUTHS: Final = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}


class Located:
    """A value of a YAML file that knows its line. Its readers raise UnreadableFile: file, line, expected, found."""

    def __init__(self, node: yaml.Node, path: Path) -> None:
        self._node = node
        self._path = path

    @property
    def line(self) -> int:
        """The line on which the value begins, from 1."""
        return int(self._node.start_mark.line) + 1

    @property
    def _is_marked(self) -> bool:
        """Whether quotation marks or a block say that it is text."""
        return isinstance(self._node, yaml.ScalarNode) and bool(self._node.style)

    def plain(self) -> Any:
        """Return the value as JSON has it: texts, numbers, truths, None, lists, and objects with texts as names."""
        node = self._node
        if isinstance(node, yaml.SequenceNode):
            return [Located(each, self._path).plain() for each in node.value]
        if isinstance(node, yaml.MappingNode):
            return {name: value.plain() for name, value in self.mapping("a plain object").items()}
        return self._scalar()

    def _scalar(self) -> Any:
        text = str(self._node.value)
        if self._is_marked or self._node.tag == _TAG + "str":
            return text
        if self._node.tag == _NULL:
            return None
        if text.lower() in ("true", "false"):
            return _TRUTHS[text.lower()]
        if _WHOLE.fullmatch(text):
            if len(text) > _LONGEST_NUMBER:
                raise self.wrong("this number is larger than any that can be sent.")
            return int(text)
        number = float(text) if _DECIMAL.fullmatch(text) else None
        if number is not None and math.isfinite(number):
            return number
        if self._node.tag not in _PLAIN or number is not None or text.lower().endswith((".inf", ".nan")):
            raise self.expected("a plain value")
        return text

    def expected(self, what: str) -> UnreadableFile:
        """Return the error that says what should stand here instead."""
        return UnreadableFile(f"{self._path}, line {self.line}: expected {what}, found {self._found()}.")

    def wrong(self, why: str) -> UnreadableFile:
        """Return the error that says why this cannot stand here."""
        return UnreadableFile(f"{self._path}, line {self.line}: {why}")

    def mapping(self, what: str, allowed: Collection[str] | None = None) -> "dict[str, Located]":
        """Return the fields of a mapping; `allowed` names those it may have."""
        if not isinstance(self._node, yaml.MappingNode):
            raise self.expected(what)
        fields: dict[str, Located] = {}
        for key_node, value_node in self._node.value:
            key = Located(key_node, self._path)
            name = key_node.value if isinstance(key_node, yaml.ScalarNode) else ""
            if not name or (allowed is not None and name not in allowed):
                raise key.expected_one_of(allowed) if allowed else key.expected("the name of a field")
            if name in fields:
                raise UnreadableFile(f"{self._path}, line {key.line}: “{name}” stands twice here: keep one of them.")
            fields[name] = Located(value_node, self._path)
        return fields

    def line_of(self, name: str) -> int:
        """Return the line, from 1, on which this field of a mapping has its name; the value may begin below."""
        return next(int(key.start_mark.line) + 1 for key, _value in self._node.value if key.value == name)

    def expected_one_of(self, names: Collection[str]) -> UnreadableFile:
        """Return the error that lists the names that may stand here, with the one that was probably meant."""
        error = self.expected(f"one of {', '.join(sorted(names))}")
        given = self._node.value if isinstance(self._node, yaml.ScalarNode) else ""
        meant = difflib.get_close_matches(str(given), list(names), n=1)
        return UnreadableFile(f"{error} Is “{meant[0]}” meant?") if meant else error

    def items(self, what: str) -> "Iterator[Located]":
        """Yield the values of a list."""
        if not isinstance(self._node, yaml.SequenceNode):
            raise self.expected(what)
        for node in self._node.value:
            yield Located(node, self._path)

    def text(self, what: str) -> str:
        """Return a text that is not empty. Numbers and dates are taken as they are written.

        Blanks around it count only in quotation marks.
        """
        if not isinstance(self._node, yaml.ScalarNode) or self.is_empty():
            raise self.expected(what)
        text = str(self._node.value)
        if not text.strip():
            raise self.expected(what)
        return text if self._node.style in ("'", '"') else text.strip()

    def number(self, what: str, smallest: float = 0.0, largest: float = float("inf")) -> float:
        """Return a number within its bounds."""
        value = self.plain()
        if isinstance(value, bool) or not isinstance(value, int | float) or not smallest <= value <= largest:
            raise self.expected(what)
        return float(value)

    def whole_number(self, what: str, smallest: int, largest: int) -> int:
        """Return a whole number within its bounds."""
        value = self.plain()
        if isinstance(value, bool) or not isinstance(value, int) or not smallest <= value <= largest:
            raise self.expected(what)
        return value

    def truth(self, what: str) -> bool:
        """Return a yes or no: true, false, on, off, yes, no."""
        value = str(self._node.value).lower() if isinstance(self._node, yaml.ScalarNode) else ""
        if value not in _TRUTHS or self._is_marked:
            raise self.expected(what)
        return _TRUTHS[value]

    def is_empty(self) -> bool:
        """Return whether nothing stands here."""
        return bool(self._node.tag == _NULL)

    @property
    def is_mapping(self) -> bool:
        """Whether fields stand here."""
        return isinstance(self._node, yaml.MappingNode)

    def _found(self) -> str:
        if isinstance(self._node, yaml.MappingNode):
            return "a mapping"
        if isinstance(self._node, yaml.SequenceNode):
            return "a list"
        value = str(self._node.value)
        if self.is_empty() or not value:
            return "nothing"
        return f"“{value[:40]}…”" if len(value) > 40 else f"“{value}”"


def read_file(path: Path) -> str:
    """Return the text of a file. Raises UnreadableFile."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UnreadableFile(f"{path} is larger than {_MOST_BYTES // 1_000_000} MB: this is no study.")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{path} is not text in UTF-8: save it as UTF-8.") from error


def read_yaml(path: Path) -> Located:
    """Read a file with one YAML document. Raises UnreadableFile."""
    text = read_file(path)
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        if "nesting depth" in (error.problem or ""):
            raise _too_much(path) from error
        indent = re.match(r"\s*", "".join(text.splitlines()[line - 1 : line]))
        advice = (
            "indent with blanks, not with tabs"
            if indent and "\t" in indent[0]
            else "put texts that hold signs in quotation marks"
        )
        raise UnreadableFile(f"{path}, line {line}: this is no YAML ({error.problem}): {advice}.") from error
    except yaml.YAMLError as error:
        raise UnreadableFile(f"{path} is no YAML ({error}).") from error
    except RecursionError as error:
        raise _too_much(path) from error
    if node is None:
        raise UnreadableFile(f"{path} is empty: expected a study.")
    _check_extent(node, path)
    return Located(node, path)


def has_comments(path: Path) -> bool:
    """Return whether a file of YAML holds comments, which a reader drops; False for what is no YAML, or not there."""
    try:
        text = read_file(path)
        end = 0
        for token in yaml.scan(text, Loader=_LOADER):
            before = text[end : token.start_mark.index]
            if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
                before += text[token.start_mark.index :].partition("\n")[0]
            if "#" in before:
                return True
            end = max(end, token.end_mark.index)
    except (UnreadableFile, yaml.YAMLError, RecursionError):
        return False
    return "#" in text[end:]


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

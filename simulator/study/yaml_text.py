"""YAML as a person would write it: fields in their order, what is short in one line, long texts as blocks."""

from collections.abc import Iterable
from typing import Any, Final

import yaml

_WIDTH: Final = 110
_SHORT: Final = 88
_DEEPEST: Final = 2
"""How many levels stand in one line at most."""
_TAG: Final = "tag:yaml.org,2002:"


def yaml_text(value: dict[str, Any] | list[dict[str, Any]]) -> str:
    """Return an object, or a list of objects, one field a line. All else is written as it fits."""
    pieces: list[str] = []
    dumper = _Dumper(_Pieces(pieces), allow_unicode=True, width=_WIDTH, sort_keys=False)
    try:
        dumper.open()
        node = dumper.represent_data(value)
        for each in [node, *(node.value if isinstance(node, yaml.SequenceNode) else [])]:
            each.flow_style = False
        dumper.serialize(node)
        dumper.close()
    finally:
        dumper.dispose()
    return "".join(pieces)


class _Pieces:
    """A stream for the dumper."""

    def __init__(self, pieces: list[str]) -> None:
        self.write = pieces.append


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text_node(dumper: _Dumper, text: str) -> yaml.Node:
    return dumper.represent_scalar(_TAG + "str", text, style=_style(text))


def _style(text: str) -> str | None:
    lines = text.split("\n")
    if text != text.strip() or not all(line.isprintable() for line in lines):
        # Blanks around a text count only in quotation marks (see yaml_nodes); other signs are written as escapes.
        return '"'
    if len(lines) > 1:
        return '"' if any(line != line.rstrip() for line in lines) else "|"
    return ">" if len(text) > _SHORT and "  " not in text else None


def _object_node(dumper: _Dumper, value: dict[str, Any]) -> yaml.Node:
    node = dumper.represent_mapping(_TAG + "map", value.items())
    node.flow_style = _fits_a_line(each for pair in node.value for each in pair)
    return node


def _list_node(dumper: _Dumper, value: Iterable[Any]) -> yaml.Node:
    node = dumper.represent_sequence(_TAG + "seq", value)
    node.flow_style = _fits_a_line(node.value)
    return node


def _fits_a_line(nodes: Iterable[yaml.Node]) -> bool:
    inside = list(nodes)
    return sum(map(_length, inside)) <= _SHORT and max(map(_depth, inside), default=0) < _DEEPEST


def _length(node: yaml.Node) -> int:
    if isinstance(node, yaml.ScalarNode):
        return len(node.value) + 2 + (_SHORT if "\n" in node.value else 0)
    return 2 + sum(map(_length, _inside(node)))


def _depth(node: yaml.Node) -> int:
    return 0 if isinstance(node, yaml.ScalarNode) else 1 + max(map(_depth, _inside(node)), default=0)


def _inside(node: yaml.Node) -> list[yaml.Node]:
    return [each for item in node.value for each in (item if isinstance(item, tuple) else (item,))]


_Dumper.add_representer(str, _text_node)
_Dumper.add_representer(dict, _object_node)
_Dumper.add_representer(list, _list_node)
_Dumper.add_representer(tuple, _list_node)

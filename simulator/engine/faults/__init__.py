"""Faults and oddities: ways in which the embedded engine behaves otherwise, each for a reason (see fault).

Found by being here: a file of this package holds them as values. `--fault NAME` chooses them, `--list-faults` lists
them.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING

from simulator.engine.behaviour import Behaviour, Together
from simulator.engine.errors import SetupError
from simulator.engine.faults.fault import FAULT, ODDITY, Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FAULT", "ODDITY", "Fault", "as_json", "as_text", "behaviour", "catalogue", "chosen"]


def catalogue() -> dict[str, Fault]:
    """All faults, then all oddities, by name, in the order of their files and places."""
    found: dict[str, Fault] = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            for each in value if isinstance(value, tuple) else (value,):
                if isinstance(each, Fault):
                    found[each.name] = each
    return dict(sorted(found.items(), key=lambda item: item[1].kind == ODDITY))


def chosen(names: Sequence[str]) -> list[Fault]:
    """The faults of these names. Raises SetupError where there is none of a name."""
    known = catalogue()
    for name in names:
        if name not in known:
            raise SetupError(f"There is no fault called “{name}”; --list-faults lists them.")
    return [known[name] for name in names]


def behaviour(faults: Sequence[Fault]) -> Behaviour:
    """The behaviour of one session with these faults."""
    return Together([each.begin() for each in faults]) if faults else Behaviour()


def as_json() -> str:
    """The list as JSON: an array of objects with name, kind, does, clause, checks and modes."""
    shown = [{name: value for name, value in asdict(each).items() if name != "begin"} for each in catalogue().values()]
    return json.dumps(shown, indent=2) + "\n"


def as_text() -> str:
    """The list for people."""
    lines = []
    for each in catalogue().values():
        breaks = f"breaks “{each.clause}”; " if each.clause else ""
        must = "caught by" if each.kind == FAULT else "minded by none of"
        only = "" if len(each.modes) > 1 else f", {each.modes[0]} only"
        lines.append(f"{each.name} ({each.kind})")
        for text in (each.does, f"{breaks}{must} {', '.join(each.checks)}{only}"):
            lines += textwrap.wrap(text, 110, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines) + "\n"

"""The option that lets the embedded engine break rules."""

import argparse
from collections.abc import Sequence

from simulator.engines.profiles import EngineTarget
from simulator.errors import UnknownName, UsageError


def add_fault_option(parser: argparse.ArgumentParser, why: str) -> None:
    """Add the option; `why` says in its help what it is for."""
    parser.add_argument(
        "--fault",
        dest="faults",
        metavar="NAME",
        action="append",
        default=[],
        help=f"let the embedded engine break this rule{why} (may be repeated; `engine --list-faults` has the names)",
    )


def check_faults(faults: Sequence[str], target: EngineTarget) -> None:
    """Raise UsageError where another engine is to break rules, UnknownName where ours has no fault of a name."""
    if not faults:
        return
    if not target.is_embedded:
        raise UsageError("Only the embedded engine can be told to break rules: give --engine embedded.")
    from simulator.engine.errors import SetupError
    from simulator.engine.faults import chosen

    try:
        chosen(list(faults))
    except SetupError as error:
        raise UnknownName(f"{str(error).partition(';')[0]}: see `engine --list-faults`.") from error


def name_with(faults: Sequence[str], target: EngineTarget) -> str:
    """Return what the engine is called in a result: one that breaks rules must not be taken for one that keeps them."""
    return f"{target.name} with {', '.join(faults)}" if faults else target.name

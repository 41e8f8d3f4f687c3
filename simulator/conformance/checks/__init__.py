"""The checks: one file each, found by being here.

A file holds one `Check` as ``CHECK``: its clause, how it drives an engine, and how its record is judged.
"""

import importlib
import pkgutil

from simulator.conformance.check import Check
from simulator.profile.facts import CHECKS


def discover() -> dict[str, Check]:
    """Return the checks in this package by id, in the order of the specification."""
    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    order = list(CHECKS)
    found: list[Check] = [module.CHECK for module in modules]
    found.sort(key=lambda check: (order.index(check.id) if check.id in order else len(order), check.id))
    return {check.id: check for check in found}

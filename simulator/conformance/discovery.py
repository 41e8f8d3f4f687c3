"""Finds checks by where their files lie: none is listed anywhere."""

import importlib
import pkgutil
from collections.abc import Iterable

from simulator.conformance.check import Check


def checks_in(package: str, path: Iterable[str]) -> list[Check]:
    """Return the ``CHECK`` of each module in a package."""
    modules = [importlib.import_module(f"{package}.{found.name}") for found in pkgutil.iter_modules(path)]
    return [module.CHECK for module in modules]

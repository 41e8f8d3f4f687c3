"""The checks: one file each, found by being here.

A file holds one `Check` as ``CHECK``: its clause, how it drives an engine, and how its record is judged.
"""

from simulator.conformance.check import Check
from simulator.conformance.discovery import checks_in
from simulator.profile.facts import CHECKS


def discover() -> dict[str, Check]:
    """Return the checks in this package by id, in the order of the specification."""
    order = list(CHECKS)
    found = checks_in(__name__, __path__)
    found.sort(key=lambda check: (order.index(check.id) if check.id in order else len(order), check.id))
    return {check.id: check for check in found}

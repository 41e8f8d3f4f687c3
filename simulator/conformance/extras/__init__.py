"""Checks of our own, beside the suite: reported under ``extras``, never counted in a verdict or an exit code."""

from simulator.conformance.check import Check
from simulator.conformance.discovery import checks_in


def discover() -> dict[str, Check]:
    """Return the extra checks by id, in the order of their names."""
    return {check.id: check for check in sorted(checks_in(__name__, __path__), key=lambda check: check.id)}

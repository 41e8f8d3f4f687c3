"""What a live session's log calls a rule is what the checks call their clause."""

import re
from pathlib import Path

from simulator.conformance.checks import discover
from simulator.conformance.rules import RULES
from simulator.record import rules

_NAMES = re.compile(r'(?:Broken\(|blame\(|clause = |else |[A-Z_]+: Final = )\s*"([a-z_ ]+)"')
ONLY_LIVE = {"readable events"}
"""A check reads frames that are no JSON as no events: it finds that something is missing."""


def test_the_rules_of_live_sessions_have_the_names_of_clauses() -> None:
    folder = Path(rules.__file__).parent
    named = {name for path in folder.glob("*.py") for name in _NAMES.findall(path.read_text(encoding="utf-8"))}
    clauses = {clause.name for check in discover().values() for clause in (*check.clauses, *RULES)}
    assert named - clauses == ONLY_LIVE
    assert len(named) > 35

"""Faults and oddities of the embedded engine: what can be chosen, and what is. No Qt here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from simulator.profile.facts import CHECKS


class Fault(msgspec.Struct, frozen=True):
    """One entry of `engine --list-faults --json`."""

    name: str
    kind: str
    """fault or oddity."""
    does: str
    clause: str = ""
    """The rule that it breaks; an oddity breaks none."""
    checks: tuple[str, ...] = ()
    """Those that must catch a fault, or could be fooled by an oddity."""
    modes: tuple[str, ...] = ()

    @property
    def caught_by(self) -> str:
        """Which checks it is for, in words."""
        return "every check" if set(self.checks) >= set(CHECKS) else ", ".join(self.checks)

    def matches(self, words: Iterable[str]) -> bool:
        """Whether every word stands somewhere in it."""
        text = (
            f"{self.name} {self.name.replace('_', ' ')} {self.kind} {self.does} {self.clause} {self.caught_by}".lower()
        )
        return all(word in text for word in words)


@dataclass(slots=True)
class FaultChoice:
    """All faults of this build, and the names of those that are chosen, in the order of choosing."""

    faults: tuple[Fault, ...] = ()
    chosen: list[str] = field(default_factory=list)

    def set_faults(self, faults: Sequence[Fault]) -> None:
        """Give the faults that exist; what is chosen and does not exist is dropped."""
        # Fields left out are the most by far, and the least to see: they come behind the other faults.
        self.faults = tuple(sorted(faults, key=lambda each: (each.kind == "oddity", each.name.startswith("no_"))))
        known = {fault.name for fault in faults}
        self.chosen = [name for name in self.chosen if name in known]

    def choose(self, name: str, wanted: bool) -> None:
        """Choose a fault, or no longer."""
        self.chosen = [each for each in self.chosen if each != name] + ([name] if wanted else [])

    def found(self, words: str) -> list[Fault]:
        """Return the faults in which every word stands."""
        wanted = words.lower().split()
        return [fault for fault in self.faults if fault.matches(wanted)]

    def described(self, names: Iterable[str]) -> str:
        """Return what the engine does with these faults, a line each."""
        does = {fault.name: fault.does for fault in self.faults}
        return "\n".join(f"{name}: {does[name]}" if name in does else name for name in names)

"""What of an experiment was not taken over, or otherwise than it was meant, gathered in sentences."""

from collections.abc import Collection
from typing import Final

from simulator.study.hyperstudy_json import names

_MOST_NAMED: Final = 5


class Notes:
    """Sentences about the experiment, and sentences about its states; the same one of many states is said once."""

    def __init__(self) -> None:
        self._general: list[str] = []
        self._of_states: dict[str, list[str]] = {}

    def add(self, sentence: str) -> None:
        """Say something of the whole experiment."""
        self._general.append(sentence)

    def of_state(self, state: str, sentence: str) -> None:
        """Say something of a state. The sentence goes on behind “State “…”: ”."""
        states = self._of_states.setdefault(sentence, [])
        if not states or states[-1] != state:
            states.append(state)

    def left_out(self, state: str, what: str, fields: Collection[str]) -> None:
        """Say which fields were not taken over."""
        if fields:
            plural = "s" if len(fields) > 1 else ""
            left = "were" if plural else "was"
            self.of_state(state, f"the field{plural} {names(sorted(fields))} of {what} {left} left out.")

    @property
    def sentences(self) -> list[str]:
        """All of them, those of the whole experiment first."""
        return [*self._general, *(f"{_states(states)}: {text}" for text, states in self._of_states.items())]


def _states(listed: list[str]) -> str:
    quoted = [f"“{name}”" for name in listed[:_MOST_NAMED]]
    more = len(listed) - len(quoted)
    if more:
        quoted.append(f"{more:,} more")
    return f"State{'s' if len(listed) > 1 else ''} {names(quoted)}"

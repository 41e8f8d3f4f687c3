"""A computer that does not keep time is noted in the record, by clocks that stand still in these tests."""

from typing import TYPE_CHECKING

import pytest

from simulator.conformance.timekeeping import Timekeeper
from simulator.record.log import RecordLog

if TYPE_CHECKING:
    from simulator.record.entries import Entry

MS = 1_000_000
LOOK_MS = 50


class Computer:
    """Two clocks, and the record of what the timekeeper found."""

    def __init__(self) -> None:
        self.monotonic_ns = 5_000 * MS
        self.wall_ns = 1_800_000_000_000 * MS
        self.between_readings_ns = 0
        self.entries: list[Entry] = []
        log = RecordLog(self.monotonic_ns, [self.entries.append])
        self.keeper = Timekeeper(log, self._wall, lambda: self.monotonic_ns)
        self.pass_(LOOK_MS)

    def _wall(self) -> int:
        self.monotonic_ns += self.between_readings_ns
        self.wall_ns += self.between_readings_ns
        return self.wall_ns

    def pass_(self, monotonic_ms: int, wall_ms: int | None = None) -> None:
        """Let time pass, then look."""
        self.monotonic_ns += monotonic_ms * MS
        self.wall_ns += (monotonic_ms if wall_ms is None else wall_ms) * MS
        self.keeper.look()

    @property
    def found(self) -> list[tuple[str, dict[str, object]]]:
        return [(entry.type, entry.event) for entry in self.entries]


def test_time_that_passes_as_it_should_is_not_noted() -> None:
    computer = Computer()
    for _ in range(100):
        computer.pass_(LOOK_MS)
    assert computer.found == []


@pytest.mark.parametrize(("passed_ms", "held"), [(LOOK_MS + 200, False), (LOOK_MS + 201, True)])
def test_a_program_that_did_not_get_its_turn_is_noted(passed_ms: int, held: bool) -> None:
    computer = Computer()
    computer.pass_(passed_ms)
    assert computer.found == ([("held.up", {"ms": 201})] if held else [])


@pytest.mark.parametrize(("wall_ms", "jump"), [(LOOK_MS + 250, None), (LOOK_MS + 251, 251), (-3_600_000, -3_600_050)])
def test_a_clock_that_was_set_or_a_computer_that_slept_is_noted_once(wall_ms: int, jump: int | None) -> None:
    computer = Computer()
    computer.pass_(LOOK_MS, wall_ms)
    computer.pass_(LOOK_MS)
    assert computer.found == ([] if jump is None else [("clock.jumped", {"by_ms": jump})])


def test_clocks_that_could_not_be_read_at_once_are_compared_at_the_next_look() -> None:
    computer = Computer()
    computer.between_readings_ns = 90 * MS
    computer.pass_(LOOK_MS, LOOK_MS + 1_000)
    assert computer.found == []
    computer.between_readings_ns = 0
    computer.pass_(LOOK_MS)
    assert computer.found == [("clock.jumped", {"by_ms": 1_000})]

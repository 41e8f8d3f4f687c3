"""`measures`: who had the floor when, by the engine's events and by the audio."""

import argparse
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from simulator.cli.exits import Exit
from simulator.cli.output import result, result_json, say
from simulator.cli.parser import Commands
from simulator.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.record.floor import Floor
    from simulator.record.floor_report import Compared, FloorReport, Value

_DESCRIPTION = """\
Measures a session as conversation research does: floor transfer offsets and their overlaps, response latencies, how
long barge-ins take, talk shares and silences; once by the engine's events, once by the energy of the audio, and how
far these disagree. Both ends of each interval are defined in docs/measures.md.
"""
LOWEST_DBFS: Final = -96
"""One step of 16 bits lies at -90."""
_ROW: Final = "{:<24} {:>7} {:>10} {:>7} {:>10} {:>9} {:>9} {:>7}"


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("measures", help="measure the turn-taking of a session", description=_DESCRIPTION)
    parser.add_argument("record", type=Path, metavar="RECORD", help="a session's folder, or a record's .jsonl file")
    for who, usual in (("participant", -45), ("agent", -50)):
        parser.add_argument(
            f"--{who}-dbfs",
            type=float,
            default=float(usual),
            metavar="DB",
            help=f"the {who}'s audio counts as talk from this level on, root mean square of 10 ms ({usual})",
        )
    parser.add_argument("--json", action="store_true", help="print every turn as JSON")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Print the measures. Raises UnreadableFile, UsageError."""
    from simulator.record.floor_report import report
    from simulator.record.floor_sources import Thresholds

    thresholds = Thresholds(arguments.participant_dbfs, arguments.agent_dbfs)
    for level in (thresholds.participant_dbfs, thresholds.agent_dbfs):
        if not LOWEST_DBFS <= level <= 0:
            raise UsageError(f"A level of {level:g} dBFS: use {LOWEST_DBFS} to 0.")
    found = report(arguments.record, thresholds)
    if arguments.json:
        result_json(as_json(found))
        return Exit.DONE
    for problem in found.problems:
        say(problem)
    result("\n".join(table(found)))
    return Exit.DONE


def table(found: "FloorReport") -> list[str]:
    """Return the measures in lines: how many and the median by each source, and how far the two are apart."""
    lines = [
        _ROW.format("", "events", "", "energy", "", "energy", "− events", "both"),
        _ROW.format("milliseconds", "n", "median", "n", "median", "median", "largest", "n"),
    ]
    for row in found.measures:
        by_energy = row.energy
        lines.append(
            _ROW.format(
                row.measure,
                len(row.events),
                _median(row.events),
                "–" if by_energy is None else len(by_energy),
                "–" if by_energy is None else _median(by_energy),
                _number(row.median_difference_ms, "+"),
                _number(row.largest_difference_ms, "+"),
                len(row.pairs),
            ).rstrip()
        )
    lines.append("")
    for source, measured in (("events", found.events), ("energy", found.energy)):
        if measured is not None:
            lines.append(_shares(source, measured))
    if found.silent_stops:
        told = "an interruption" if found.silent_stops == 1 else f"{found.silent_stops} interruptions"
        lines.append(f"Barge-in stop is not measured at {told}: there was no loudspeaker that could fall silent.")
    if found.not_listened_ms:
        lines.append(f"Listening was off for {found.not_listened_ms / 1000:.1f} s; what was said then is left out.")
    return lines


def as_json(found: "FloorReport") -> dict[str, Any]:
    """Return everything that was measured, turn by turn."""
    return {
        "thresholds": {
            "participantDbfs": found.thresholds.participant_dbfs,
            "agentDbfs": found.thresholds.agent_dbfs,
        },
        "notListenedMs": found.not_listened_ms,
        "bargeInStopsNotMeasured": found.silent_stops,
        "problems": found.problems,
        "measures": [_compared(row) for row in found.measures],
        "events": _floor(found.events),
        "energy": None if found.energy is None else _floor(found.energy),
    }


def _compared(row: "Compared") -> dict[str, Any]:
    return {
        "measure": row.measure,
        "events": _values(row.events),
        "energy": None if row.energy is None else _values(row.energy),
        "both": [
            {
                "atNs": each.events.at_ns,
                "eventsMs": each.events.ms,
                "energyMs": each.energy.ms,
                "differenceMs": each.difference_ms,
            }
            for each in row.pairs
        ],
        "medianDifferenceMs": row.median_difference_ms,
        "largestDifferenceMs": row.largest_difference_ms,
    }


def _values(values: "Sequence[Value]") -> list[dict[str, Any]]:
    return [{"atNs": each.at_ns, "ms": each.ms} for each in values]


def _floor(measured: "Floor") -> dict[str, Any]:
    shares = measured.shares
    return {
        "transfers": [
            {"to": each.to, "fromNs": each.from_ns, "toNs": each.to_ns, "overlapMs": each.overlap_ms}
            for each in measured.transfers
        ],
        "interruptions": [
            {"startedNs": each.started_ns, "silentNs": each.silent_ns} for each in measured.interruptions
        ],
        "silences": [
            {"startedNs": each.started_ns, "endedNs": each.ended_ns, "kind": each.kind} for each in measured.silences
        ],
        "talk": {
            "participantMs": shares.participant_ms,
            "agentMs": shares.agent_ms,
            "bothMs": shares.both_ms,
            "silenceMs": shares.silence_ms,
        },
    }


def _shares(source: str, measured: "Floor") -> str:
    shares = measured.shares
    total_ms = shares.total_ms
    told = ", ".join(f"{who} {100 * ms / total_ms if total_ms else 0:.1f} %" for who, ms in shares.parts())
    went_on = sum(each.silent_ns is None for each in measured.interruptions)
    told += f"; barge-ins {len(measured.interruptions)}, of which the agent talked on at {went_on}"
    return f"By {source}, of {total_ms / 1000:.1f} s: {told}."


def _median(values: "Sequence[Value]") -> str:
    return _number(median(each.ms for each in values) if values else None)


def _number(value: float | None, sign: str = "") -> str:
    return "–" if value is None else f"{value:{sign}.0f}"

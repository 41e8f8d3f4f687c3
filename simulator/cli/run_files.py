"""The files that `run` reads and writes: instructions, an earlier result, the answers as CSV."""

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from simulator.errors import StorageFault, UnreadableFile, UsageError
from simulator.record.export.tables import cell

COLUMNS: Final = (
    "run",
    "part",
    "question",
    "component",
    "value",
    "attempts",
    "asked_s",
    "answered_s",
    "by",
    "record",
)
"""A row is one answer; times are seconds from the start of the run's record; `by` is agent or participant."""

_MOST_BYTES: Final = 64_000_000


def read_instructions(path: Path) -> str:
    """Return the text of a file with the agent's instructions. Raises UnreadableFile."""
    try:
        text = _contents(path).decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{path} is not text in UTF-8: save it as UTF-8.") from error
    if not text:
        raise UnreadableFile(f"{path} is empty: expected the agent's instructions.")
    return text


def read_result(path: Path) -> list[dict[str, Any]]:
    """Return the runs of what `run` printed before. Raises UnreadableFile."""
    try:
        result = msgspec.json.decode(_contents(path), type=_Result)
        for answer in (answer for run in result.runs for answer in run.answers):
            msgspec.convert(answer.value, _VALUES.get(answer.component, float | str))
    except (msgspec.MsgspecError, RecursionError) as error:
        raise UnreadableFile(
            f"{path} is no result of a run: give a file with what `participant-simulator run` printed.", str(error)
        ) from error
    return [msgspec.to_builtins(run) for run in result.runs]


def _contents(path: Path) -> bytes:
    """Return what a file or a pipe holds, which may have no end. Raises UnreadableFile."""
    try:
        with path.open("rb") as file:
            contents = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:  # a name that no system takes
        raise UnreadableFile(f"{path} cannot be read: check the name.") from error
    if len(contents) > _MOST_BYTES:
        raise UnreadableFile(f"{path} is larger than {_MOST_BYTES // 1_000_000} MB: check which file it is.")
    return contents


class _Answer(msgspec.Struct):
    component: str
    value: Any
    question: str = ""
    part: str | None = None


_VALUES: Final[dict[str, Any]] = {
    "multiplechoice": str | list[str],
    "ranking": list[str],
    "rapidrate": dict[str, float],
}
"""What the answers to a component are, where they are neither a number nor a text."""


class _Run(msgspec.Struct):
    answers: list[_Answer]
    latencies: dict[str, list[float]] = {}


class _Result(msgspec.Struct):
    runs: list[_Run]


def check_place(path: Path) -> None:
    """Raise UsageError where a file could not be written, before anything costs time."""
    if path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"{path} cannot be written: name a file in a folder that exists.")


def write_csv(path: Path, runs: Iterable[Mapping[str, Any]]) -> None:
    """Write the answers of a result as CSV in UTF-8, a row an answer. Raises StorageFault."""
    try:
        path.write_text(answers_csv(runs), encoding="utf-8", newline="")
    except (OSError, UnicodeError) as error:
        raise StorageFault(f"{path} cannot be written: {error}.", str(error)) from error


def answers_csv(runs: Iterable[Mapping[str, Any]]) -> str:
    """Return the answers of a result as CSV (RFC 4180).

    Lists and objects are written as JSON. A text that a spreadsheet would run as a formula has an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for number, run in enumerate(runs, start=1):
        answers = [(answer, "agent") for answer in run["answers"]]
        answers += [(answer, "participant") for answer in run.get("ownAnswers", [])]
        for answer, by in sorted(answers, key=lambda pair: pair[0]["answeredS"]):
            row = (
                number,
                answer["part"],
                answer["question"],
                answer["component"],
                answer["value"],
                answer.get("attempts"),
                _seconds(answer.get("askedS")),
                _seconds(answer["answeredS"]),
                by,
                run["record"],
            )
            writer.writerow(map(cell, row))
    return text.getvalue()


def _seconds(value: float | None) -> str | None:
    return None if value is None else f"{value:.3f}"

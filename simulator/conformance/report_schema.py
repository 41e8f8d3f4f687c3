"""The JSON schemas of the formats: generated from the types that read and write them, so that they cannot lie.

A format only grows: fields may be added, so unknown ones are allowed, and what was promised from the start is required.
"""

from typing import Any, Final

import msgspec

from simulator.conformance.report import FORMAT, FORMAT_VERSION, Report
from simulator.record import entries

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_PROMISED: Final = {
    "Report": (
        "format formatVersion specVersion suiteVersion tool engine startedAt finishedAt environment thresholds "
        "fixtures verdict readings extras results"
    ),
    "Tool": "name version commit",
    "Engine": "url model sessionRequested sessionAccepted",
    "Fixture": "name sha256",
    "Result": "check turnDetection verdict reasons warnings measurements clause record recordSha256 attempts",
    "Measurement": "name value unit threshold from to",
}
"""What every report of format version 1 holds."""


def report_schema() -> dict[str, Any]:
    """Return the schema of a report."""
    schema = _schema(Report, "A report of the conformance suite", FORMAT, FORMAT_VERSION)
    kinds = schema["$defs"]
    for name, fields in _PROMISED.items():
        kinds[name]["required"] = fields.split()
    _state_format(kinds["Report"]["properties"])
    return schema


def record_schema() -> dict[str, Any]:
    """Return the schema of one line of a record. The first line is the note ``record.started``, with the format."""
    return _schema(entries.Entry, "One line of a record", entries.FORMAT, entries.FORMAT_VERSION)


def _schema(kind: Any, title: str, name: str, version: int) -> dict[str, Any]:
    schema = msgspec.json.schema(kind)
    return {"$schema": _DIALECT, "title": title, "$comment": f"{name}, format version {version}", **schema}


def _state_format(properties: dict[str, Any]) -> None:
    """A default is what this version writes into a new report, which says nothing about the format; these two do."""
    for described in properties.values():
        described.pop("default", None)
    properties["format"] = {"const": FORMAT}
    properties["formatVersion"] = {"const": FORMAT_VERSION}

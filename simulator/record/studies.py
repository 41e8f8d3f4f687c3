"""The names of the studies that a record tells of."""

from simulator.record.entries import Entry
from simulator.record.fields import text, value_at


def study_name(started: Entry) -> str:
    """Return what a study is called, by the note `study.started`."""
    return text(started, "name") or "a study without a name"


def replayed_studies(started: Entry) -> list[str]:
    """Return the studies of the record that is replayed, by the note `replay.started`; none in earlier versions."""
    names = value_at(started, "studies")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []

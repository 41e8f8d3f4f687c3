"""Loads a study from whatever file holds one: our own, or an experiment that HyperStudy exported."""

from pathlib import Path

import msgspec

from simulator.errors import UsageError
from simulator.study.steps import Study
from simulator.study.study_file import FORMAT, read_study
from simulator.study.yaml_nodes import read_file


class Loaded(msgspec.Struct, frozen=True):
    """A study, and in sentences what of its file was not taken over."""

    study: Study
    notes: list[str] = []


def load_study(path: Path, role: str | None = None) -> Loaded:
    """Load a study; what the file holds decides how it is read, not its name.

    `role` is the agent's in an experiment that has several. Raises UnreadableFile with what was expected.
    """
    if is_experiment(read_file(path)):
        from simulator.study.hyperstudy import import_experiment

        return Loaded(*import_experiment(path, role))
    if role is not None:
        raise UsageError(f"{path} is no experiment with roles: leave the role away.")
    return Loaded(read_study(path))


def is_experiment(text: str) -> bool:
    """Whether a text is JSON that is not a study file of ours, which may be written as JSON too."""
    return text.lstrip().startswith(("{", "[")) and FORMAT not in text

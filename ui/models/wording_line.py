"""Which wording is in force, in one line, and what is to be known of it."""

from collections.abc import Mapping
from pathlib import Path

from simulator.profile.agent_spec import AgentSpec


def wording_line(
    spec: AgentSpec, path: str | None, differences: int, in_force: Mapping[str, object] | None
) -> tuple[str, str]:
    """Return a line and its explanation. `in_force`: what the record of the running session says; None: no session."""
    if path is None:
        line, more = f"own words, {spec.version}", "Load the platform's agent-spec.json to send its words."
    else:
        line = f"{Path(path).name}, {spec.version}"
        more = f"{path}\nsha256 {spec.sha256}\n{differences} differences from what the program knows."
    if in_force is None or in_force.get("sha256") == spec.sha256:
        return line, more
    running = "a file" if in_force.get("source") == "file" else "the program's own wording"
    now = f"Sent from the next connection on. The running session follows {running}, {in_force.get('version')}."
    return f"next: {line}", f"{now}\n{more}"

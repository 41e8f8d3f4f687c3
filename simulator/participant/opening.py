"""What a session begins with: the settings that a Connect asks for, and the first lines of its record."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from simulator.engines.profiles import EngineTarget
from simulator.errors import StorageFault
from simulator.participant.messages import Connect
from simulator.participant.recorder import SessionRecorder, new_record_path
from simulator.profile.facts import turn_detection
from simulator.record.entries import Entry
from simulator.record.redact import Redactor, redact_url
from simulator.resources import data_folder
from simulator.session.settings import SessionSettings


def first_settings(command: Connect, *, listening: bool) -> SessionSettings:
    """Return the settings that a Connect asks for."""
    return SessionSettings(
        instructions=command.instructions,
        voice=command.voice,
        turn_detection=command.turn_detection or turn_detection("server_vad"),
        listening=listening,
    )


def open_record(
    command: Connect,
    target: EngineTarget,
    subprotocol: str | None,
    redactor: Redactor,
    *,
    on_entry: Callable[[Entry], None],
    on_fault: Callable[[StorageFault], None],
) -> SessionRecorder:
    """Begin the record of a session, with who was connected to and how. `on_fault` is called in another thread."""
    folder = Path(command.record_folder) if command.record_folder else data_folder() / "records"
    recorder = SessionRecorder(
        new_record_path(folder, target.name, datetime.now().astimezone()),
        redactor=redactor,
        on_entry=on_entry,
        on_fault=on_fault,
    )
    recorder.log.started(
        engine=target.name,
        url=target.url,
        model=target.model,
        headers=target.headers,
        at_ns=recorder.started_ns,
        **({"faults": command.faults} if command.faults else {}),
    )
    opened = {"url": redact_url(target.url), "model": target.model, "subprotocol": subprotocol}
    recorder.note("connection.opened", opened)
    return recorder

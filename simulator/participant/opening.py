"""What a session begins with: the settings that a Connect asks for, and the first lines of its record."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec

from simulator.engines.profiles import EngineTarget
from simulator.errors import StorageFault, UsageError
from simulator.participant.messages import Connect
from simulator.participant.recorder import Samples, SessionRecorder, new_record_path
from simulator.participant.versions import versions
from simulator.profile.agent_spec import OWN, AgentSpec, read_agent_spec
from simulator.record.backlog import OnLoss
from simulator.record.entries import Entry, Track
from simulator.record.redact import Redactor, redact_url
from simulator.resources import data_folder
from simulator.session.settings import SessionSettings


async def specification_of(command: Connect) -> AgentSpec:
    """Return the specification that a Connect names. Raises UsageError where it cannot be followed, or lacks a tool."""
    path = command.specification
    specification = OWN if path is None else await asyncio.to_thread(read_agent_spec, path)
    unknown = [each for each in command.tools or () if each not in specification.tool_names]
    if unknown:
        known = ", ".join(specification.tool_names)
        raise UsageError(f"The specification has no tool “{unknown[0]}”: it has {known}.")
    return specification


def first_settings(command: Connect, specification: AgentSpec, *, listening: bool) -> SessionSettings:
    """Return the settings that a Connect asks for."""
    first_mode = str(specification.turn_detections[0]["type"])
    return SessionSettings(
        instructions=command.instructions,
        voice=command.voice,
        turn_detection=command.turn_detection or specification.turn_detection(first_mode),
        listening=listening,
        specification=specification,
        tools=None if command.tools is None else tuple(command.tools),
    )


def open_record(
    command: Connect,
    specification: AgentSpec,
    target: EngineTarget,
    subprotocol: str | None,
    redactor: Redactor,
    *,
    on_entry: Callable[[Entry], None],
    on_fault: Callable[[StorageFault], None],
    on_loss: OnLoss,
    on_audio: Callable[[Track, Samples], None],
) -> SessionRecorder:
    """Begin the record of a session, with who was connected to and how. `on_fault` is called in another thread."""
    folder = Path(command.record_folder) if command.record_folder else data_folder() / "records"
    recorder = SessionRecorder(
        new_record_path(folder, target.name, datetime.now().astimezone()),
        redactor=redactor,
        on_entry=on_entry,
        on_fault=on_fault,
        on_loss=on_loss,
        on_audio=on_audio,
        keep_audio=command.keep_audio,
    )
    recorder.log.started(
        engine=target.name,
        url=target.url,
        model=target.model,
        headers=target.headers,
        at_ns=recorder.started_ns,
        versions=versions(),
        specification={
            "version": specification.version,
            "source": specification.source,
            "sha256": specification.sha256,
        },
        **({"thresholds": msgspec.to_builtins(specification.thresholds)} if specification.source == "file" else {}),
        **({"faults": command.faults} if command.faults else {}),
        **({} if command.keep_audio else {"audio_kept": False}),
        **_mind_of(target),
    )
    opened = {"url": redact_url(target.url), "model": target.model, "subprotocol": subprotocol}
    recorder.note("connection.opened", opened)
    return recorder


def _mind_of(target: EngineTarget) -> dict[str, object]:
    """Return which language model the embedded engine thinks with, for the record; never its key."""
    if target.thinking is None:
        return {}
    return {"think": {"url": redact_url(target.thinking.url), "model": target.thinking.model}}

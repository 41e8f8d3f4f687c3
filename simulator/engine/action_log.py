"""What the engine did and when, for comparing it with what others measured: one line of JSON for each event.

A line holds `t_ns` (monotonic clock of this machine, right after an event was read from or handed to the socket),
`session`, `did` (heard or said), the event's `type` and ids, and with an append `samples`, all appended so far.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, TextIO

from simulator.engine import pcm

if TYPE_CHECKING:
    from pathlib import Path

_KEPT = ("type", "event_id", "item_id", "response_id", "audio_start_ms", "audio_end_ms")


class ActionLog:
    """The log of one session; without a stream it keeps nothing. All sessions may share the stream."""

    def __init__(self, session_id: str = "", stream: TextIO | None = None) -> None:
        self._session_id = session_id
        self._stream = stream
        self._bytes = 0

    def heard(self, event: dict[str, Any]) -> None:
        """A client event was read."""
        if self._stream is None:
            return
        more = {}
        if event["type"] == "input_audio_buffer.append":
            text = str(event.get("audio", ""))
            self._bytes += len(text) * 3 // 4 - text[-2:].count("=")
            more["samples"] = self._bytes // pcm.SAMPLE_BYTES
        self._write("heard", event, more)

    def said(self, event: dict[str, Any]) -> None:
        """A server event was handed to the socket."""
        if self._stream is not None:
            self._write("said", event, {})

    def _write(self, did: str, event: dict[str, Any], more: dict[str, Any]) -> None:
        assert self._stream is not None
        kept = {name: event[name] for name in _KEPT if name in event}
        response = event.get("response")
        if isinstance(response, dict) and "id" in response:
            kept["response_id"] = response["id"]
        line = {"t_ns": time.monotonic_ns(), "session": self._session_id, "did": did, **kept, **more}
        self._stream.write(json.dumps(line) + "\n")


def opened(path: Path) -> TextIO:
    """A file for the log, line by line on the disk. Raises OSError."""
    return path.open("w", encoding="utf-8", buffering=1)

"""Events on their way to the engine: kept in the record once they were handed to the socket, with notes behind them.

How long the participant's audio took from its capture to the socket shows whether we ran late.
"""

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from simulator.participant.connection import Connection
from simulator.participant.recorder import SessionRecorder
from simulator.protocol.client_events import AnySent, InputAudioBufferAppend, audio_of, encode, record_json
from simulator.units import BYTES_PER_SAMPLE, NS_PER_MS

_DELAYS: Final = 60_000


class Outgoing:
    """Sends the events of one session, in order. `on_fault` hears of a bug in keeping them."""

    def __init__(
        self, connection: Connection, recorder: SessionRecorder, on_fault: Callable[[Exception], None]
    ) -> None:
        self._connection = connection
        self._recorder = recorder
        self._on_fault = on_fault
        self.appended_samples = 0
        """How much audio was appended: the length of the record's participant lane when all of it is sent."""
        self.delays_ns: deque[int] = deque(maxlen=_DELAYS)
        """From the capture of each chunk to its being handed to the socket; the last twenty minutes."""

    def send(self, event: AnySent, captured_ns: int) -> "Sent":
        """Queue an event for the socket. `captured_ns` is when the audio of an append was captured."""
        text, audio = encode(event), audio_of(event)
        sent = Sent(self._recorder, event, audio, len(text) if text.isascii() else len(text.encode()))
        if audio is not None:
            self.appended_samples += len(audio) // BYTES_PER_SAMPLE
        since_ns = captured_ns if isinstance(event, InputAudioBufferAppend) else None
        self._connection.send(text, partial(self._left, sent, since_ns))
        return sent

    def delays(self) -> dict[str, Any]:
        """Return the delays in a few figures, {} where no audio was sent."""
        return _quantiles_ms(self.delays_ns) if self.delays_ns else {}

    def _left(self, sent: "Sent", since_ns: int | None, sent_ns: int) -> None:
        try:
            if since_ns is not None:
                self.delays_ns.append(sent_ns - since_ns)
            sent.keep(sent_ns)
        except Exception as error:
            self._on_fault(error)


class Sent:
    """A frame that is kept in the record once it was handed to the socket, and the notes that name it behind it."""

    def __init__(self, recorder: SessionRecorder, event: AnySent, audio: bytes | None, size_bytes: int) -> None:
        self._recorder = recorder
        self._event = event
        self._audio = audio
        self._size_bytes = size_bytes
        self._notes: list[tuple[str, dict[str, Any]]] = []

    def note_after(self, kind: str, fields: dict[str, Any]) -> None:
        """Write a note with this frame's number (`seq_sent`, or `seq` of a raw one) once the frame was sent."""
        self._notes.append((kind, fields))

    def keep(self, sent_ns: int) -> None:
        """The frame was handed to the socket."""
        entry = self._recorder.log.sent(
            record_json(self._event), sent_ns, audio=self._audio, size_bytes=self._size_bytes
        )
        for kind, fields in self._notes:
            self._recorder.note(kind, {**fields, "seq" if kind == "raw" else "seq_sent": entry.seq}, sent_ns)


def _quantiles_ms(delays_ns: Iterable[int]) -> dict[str, Any]:
    ordered = sorted(delays_ns)
    last = len(ordered) - 1
    marks = {"median_ms": last // 2, "p99_ms": last * 99 // 100, "worst_ms": last}
    return {"chunks": len(ordered)} | {name: round(ordered[at] / NS_PER_MS, 3) for name, at in marks.items()}

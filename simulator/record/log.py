"""One owner of numbering and audio positions.

Whatever reaches a record goes through one `RecordLog`, which gives it the next number, the time on the record's clock
and, for audio, the place in its track. It does no I/O: the entries go to the sinks, usually a `RecordWriter`, a feed
and `Measures`, and the samples to the audio sinks.

Samples that an engine split across two deltas are joined again as long as both belong to one item; half a sample left
at the end of an item is dropped, lest it turn the rest of the track into noise. `payload_bytes` keeps what the wire
carried.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator import __version__
from simulator.record.entries import FORMAT, FORMAT_VERSION, AudioSpan, Direction, Entry, Track
from simulator.record.redact import Pieces, Redactor, redact_headers, redact_url
from simulator.units import BYTES_PER_SAMPLE

EntrySink = Callable[[Entry], None]
AudioSink = Callable[[Track, NDArray[np.int16]], None]

AUDIO_FIELDS = {
    "input_audio_buffer.append": "audio",
    "response.output_audio.delta": "delta",
    "response.audio.delta": "delta",  # the name of the beta interface, which some engines still speak
}
"""Event type to the field that carries base64 audio and is kept empty in a record."""

_PIECE_OF = ("response_id", "item_id", "output_index", "content_index", "call_id")
"""What says of which text an event carries a piece."""
RAW_TEXT_CHARACTERS = 4096
TOOL_NAME = "participant-simulator"


class RecordLog:
    """Numbers entries from 0, on a clock that began at `started_ns` (monotonic nanoseconds).

    Not thread-safe: it belongs to the thread that owns the socket. Sinks are called in order, and must not block.
    """

    def __init__(
        self,
        started_ns: int,
        sinks: Sequence[EntrySink],
        audio_sinks: Sequence[AudioSink] = (),
        redactor: Redactor | None = None,
    ) -> None:
        self.started_ns = started_ns
        self._sinks = list(sinks)
        self._audio_sinks = list(audio_sinks)
        self._redactor = redactor or Redactor()
        self._pieces = Pieces(self._redactor)
        self._next_seq = 0
        self._positions = dict.fromkeys((Track.PARTICIPANT, Track.AGENT), 0)
        self._half_sample = b""
        self._half_of: object = None

    def listen(self, sink: EntrySink) -> None:
        """Give entries from now on to another sink, too."""
        self._sinks.append(sink)

    def position(self, track: Track) -> int:
        """Return the number of samples that a track holds so far."""
        return self._positions[track]

    def received(
        self,
        event: Mapping[str, Any],
        at_ns: int,
        *,
        audio: bytes | None = None,
        size_bytes: int = 0,
        problem: str | None = None,
    ) -> Entry:
        """Keep an event from the engine, read from the socket at `at_ns`; `audio` is its decoded payload."""
        return self._event(Direction.RECEIVED, Track.AGENT, event, at_ns, audio, size_bytes, problem)

    def received_malformed(self, text: str, at_ns: int, *, problem: str, size_bytes: int = 0) -> Entry:
        """Keep the start of a frame that is no event, and in one sentence why it is none."""
        raw = self._redactor.start(text, RAW_TEXT_CHARACTERS)
        return self._add(
            at_ns, Direction.RECEIVED, "malformed", {}, size_bytes=size_bytes, raw_text=raw, problem=problem
        )

    def sent(self, event: Mapping[str, Any], at_ns: int, *, audio: bytes | None = None, size_bytes: int = 0) -> Entry:
        """Keep an event to the engine, handed to the socket at `at_ns`; `audio` is the payload before encoding."""
        return self._event(Direction.SENT, Track.PARTICIPANT, event, at_ns, audio, size_bytes, None)

    def noted(self, kind: str, fields: Mapping[str, Any], at_ns: int) -> Entry:
        """Keep something the program says about itself."""
        return self._add(at_ns, Direction.NOTED, kind, dict(fields))

    def started(
        self, *, engine: str, url: str, model: str, headers: Mapping[str, str], at_ns: int, **more: Any
    ) -> Entry:
        """Write the first entry of a record. The address and the headers are redacted here."""
        fields = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "started_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "tool": {"name": TOOL_NAME, "version": __version__},
            "engine": redact_url(engine) if "://" in engine else engine,
            "url": redact_url(url),
            "model": model,
            "headers": redact_headers(headers),
        }
        return self.noted("record.started", fields | more, at_ns)

    def _event(
        self,
        direction: Direction,
        track: Track,
        event: Mapping[str, Any],
        at_ns: int,
        audio: bytes | None,
        size_bytes: int,
        problem: str | None,
    ) -> Entry:
        kept = dict(event)
        kind = kept.get("type")
        kind = kind if isinstance(kind, str) else "malformed"
        raw_text = None
        if (field := AUDIO_FIELDS.get(kind)) is not None and field in kept:
            if audio is None and problem is not None:
                raw_text = self._redactor.start(str(kept[field]), RAW_TEXT_CHARACTERS)
            kept[field] = ""
        elif direction is Direction.RECEIVED and isinstance(piece := kept.get("delta"), str):
            of = (kind, *(str(kept.get(name)) for name in _PIECE_OF))
            kept["delta"] = self._pieces.next(of, piece)
        span = None
        if audio is not None:
            item = kept.get("item_id"), kept.get("content_index")
            span = self._keep_audio(track, audio, item if track is Track.AGENT else None)
        return self._add(
            at_ns, direction, kind, kept, size_bytes=size_bytes, audio=span, raw_text=raw_text, problem=problem
        )

    def _keep_audio(self, track: Track, payload: bytes, item: object) -> AudioSpan:
        joined = payload
        if track is Track.AGENT:
            joined = self._half_sample + payload if item == self._half_of else payload
            whole = len(joined) - len(joined) % BYTES_PER_SAMPLE
            self._half_sample, self._half_of = joined[whole:], item
        samples = np.frombuffer(joined, dtype="<i2", count=len(joined) // BYTES_PER_SAMPLE)
        span = AudioSpan(track, self._positions[track], len(samples), len(payload))
        self._positions[track] += len(samples)
        for sink in self._audio_sinks:
            sink(track, samples)
        return span

    def _add(self, at_ns: int, direction: Direction, kind: str, event: dict[str, Any], **more: Any) -> Entry:
        event = self._redactor.json(event)
        if (problem := more.get("problem")) is not None:
            more["problem"] = self._redactor.text(problem)
        entry = Entry(self._next_seq, at_ns - self.started_ns, direction, self._redactor.text(kind), event, **more)
        self._next_seq += 1
        for sink in self._sinks:
            sink(entry)
        return entry

"""How late the loudspeaker is: what was measured of it counts, where anything was, else what it says itself."""

from collections.abc import Callable, Mapping
from typing import Any

from simulator.audio.devices import Device
from simulator.audio.latencies import FILE_NAME, RoundTrip, latency_of, load_latencies
from simulator.audio.stream_state import LatencyOffset
from simulator.audio.streams import OutputStream
from simulator.engines.profiles import config_folder
from simulator.errors import UnreadableFile
from simulator.units import NS_PER_MS


class OutputLatency:
    """Corrects the times of output devices. `microphone` says which one is in use, if one is."""

    def __init__(
        self, note: Callable[[str, Mapping[str, object]], None], microphone: Callable[[], Device | None]
    ) -> None:
        self._note = note
        self._microphone = microphone
        self._used: RoundTrip | None = None

    def correct(self, output: OutputStream) -> None:
        """Let this device's times be what was measured of it."""
        self._used = self._measured(output.device)
        offset = None
        if self._used is not None:
            offset = LatencyOffset(round(self._used.output_offset_ms * NS_PER_MS), self._used.output_source)
        output.correct(offset)

    def told(self, output: OutputStream) -> dict[str, Any]:
        """Return how late a device that was corrected is, and how that is known, for the record."""
        used = self._used
        reported_ms = output.state().latency_ns / NS_PER_MS
        if used is None:
            return {"latency_from": "reported", "latency_ms": round(reported_ms, 2)}
        return {
            "latency_from": "measured",
            "latency_ms": round(used.output_ms, 2),
            "latency_offset_ms": round(used.output_offset_ms, 2),
            "round_trip_ms": used.round_trip_ms,
            "round_trip_spread_ms": used.spread_ms,
            "measured_with": used.input,
            "measured_at": used.measured_at,
        }

    def _measured(self, output: Device) -> RoundTrip | None:
        microphone = self._microphone()
        path = config_folder() / FILE_NAME
        try:
            known = load_latencies(path)
        except UnreadableFile as fault:
            fields = {"whose": "environment", "code": "latencies_unreadable", "sentence": str(fault)}
            self._note("problem", fields | {"details": fault.details})
            return None
        pair = None if microphone is None else (microphone.name, microphone.host_api)
        return latency_of(known, (output.name, output.host_api), pair)

"""A stream's own clock, translated into monotonic nanoseconds."""

from typing import Final

from simulator.units import NS_PER_MS, NS_PER_S


class DeviceClock:
    """Translates a stream's times into monotonic nanoseconds.

    The offset between the clocks is measured in each callback. A measurement is too large by the time between the
    stream taking its time and the callback running, never too small, so the smallest one counts. It may grow by 300
    millionths of the time that passed, as the clocks may drift (crystals do by 100 at most). A jump (the system's clock
    was set) starts anew.
    """

    _DRIFT_PPM: Final = 300
    _JUMP_NS: Final = 250 * NS_PER_MS

    def __init__(self) -> None:
        self._offset_ns: int | None = None
        self._measured_ns = 0

    def measure(self, current_s: float, now_ns: int) -> None:
        """Take the stream's present time, as given to a callback that runs at `now_ns`."""
        measured = now_ns - round(current_s * NS_PER_S)
        known = self._offset_ns
        if known is None or measured < known or measured > known + self._JUMP_NS:
            self._offset_ns = measured
        else:
            growth_ns = (now_ns - self._measured_ns) * self._DRIFT_PPM // 1_000_000
            self._offset_ns = min(measured, known + growth_ns)
        self._measured_ns = now_ns

    def monotonic_ns(self, stream_s: float) -> int:
        """Return a time of the stream's clock as monotonic nanoseconds. Measure first."""
        if self._offset_ns is None:
            raise ValueError("the clock was never measured")
        return round(stream_s * NS_PER_S) + self._offset_ns

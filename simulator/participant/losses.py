"""What the audio devices lost, counted from how they are doing: the sentences and figures of the record's notes."""

from typing import Any, Final, NamedTuple, Protocol

from simulator.audio.streams import StreamState
from simulator.units import NS_PER_S, samples_to_ms

NOTE_EVERY_NS: Final = NS_PER_S


class Device(Protocol):
    """An open device."""

    def state(self) -> StreamState:
        """Return how it is doing."""


class Microphone(Device, Protocol):
    """An open microphone."""

    @property
    def lost_samples(self) -> int:
        """Samples lost because the loop was held up."""


class _Loss(NamedTuple):
    """One way of losing audio on one device."""

    code: str
    direction: str
    device: str


class LossWatch:
    """Compares the devices' counters with those of the last look. Pure; the devices may change at any time."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[Device, int]] = {}
        self._due: dict[_Loss, int] = {}
        self._told_ns: dict[_Loss, int] = {}

    def look(self, microphone: Microphone | None, output: Device | None) -> None:
        """Count what was lost since the last look."""
        if microphone is not None:
            name = microphone.state().name
            self._count(_Loss("samples_lost", "input", name), microphone, microphone.lost_samples)
        for direction, device in (("input", microphone), ("output", output)):
            if device is not None:
                state = device.state()
                self._count(_Loss("dropouts", direction, state.name), device, state.dropouts)

    def forget(self) -> None:
        """Drop what was counted: there is no session that it belongs to."""
        self._due.clear()
        self._told_ns.clear()

    def take(self, now_ns: int, *, everything: bool = False) -> list[dict[str, Any]]:
        """Return the fields of the `problem` notes that are due: one a second for each loss, with what it came to.

        `everything` also gives what would be told later, as the session ends.
        """
        notes = []
        for loss, count in list(self._due.items()):
            told_ns = self._told_ns.get(loss)
            if everything or told_ns is None or now_ns - told_ns >= NOTE_EVERY_NS:
                self._told_ns[loss] = now_ns
                del self._due[loss]
                notes.append(_fields(loss, count))
        return notes

    def _count(self, loss: _Loss, device: Device, total: int) -> None:
        counter = (loss.code, loss.direction)
        before, known = self._known.get(counter, (device, 0))
        self._known[counter] = (device, total)
        lost = total - (known if before is device else 0)
        if lost > 0:
            self._due[loss] = self._due.get(loss, 0) + lost


def _fields(loss: _Loss, count: int) -> dict[str, Any]:
    if loss.code == "samples_lost":
        amount = {"samples": count}
        what = f"{samples_to_ms(count):.0f} ms of what the microphone “{loss.device}” heard were lost"
    else:
        amount = {"times": count}
        times = "once" if count == 1 else f"{count} times"
        verb = "lost audio" if loss.direction == "input" else "ran dry"
        what = f"The {'microphone' if loss.direction == 'input' else 'output device'} “{loss.device}” {verb} {times}"
    sentence = f"{what}, as this computer was too busy: close other programs."
    return {
        "whose": "environment",
        "code": loss.code,
        "sentence": sentence,
        "device": loss.device,
        "direction": loss.direction,
        **amount,
    }

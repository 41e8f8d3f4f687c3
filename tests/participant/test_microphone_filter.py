"""What is noted of a microphone, and what it passes to the voice."""

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.audio.playout_events import AudioHanded
from simulator.participant.microphone_filter import MicrophoneFilter
from simulator.units import NS_PER_MS, NS_PER_S
from tests.audio.test_sound_check import come_back, mixed, noise, voice, zeros

Samples = NDArray[np.int16]


class Desk:
    """A microphone beside a loudspeaker, on a clock of its own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.notes: list[tuple[str, dict[str, object]]] = []
        self.now_ns = 3 * NS_PER_S
        self.filter = MicrophoneFilter(self._note)
        monkeypatch.setattr("simulator.participant.microphone_filter.time.monotonic_ns", lambda: self.now_ns)

    def _note(self, kind: str, fields: Mapping[str, object]) -> None:
        self.notes.append((kind, dict(fields)))

    def hear(self, samples: Samples, playing: Samples | None = None) -> Samples:
        """Return what became the voice."""
        passed = []
        for first in range(0, len(samples), 480):
            if playing is not None:
                piece = playing[first : first + 480]
                self.filter.played(AudioHanded("item", first, piece, first, self.now_ns - 1, self.now_ns, 0))
            self.now_ns += 20 * NS_PER_MS
            passed.append(self.filter.passed(samples[first : first + 480], self.now_ns))
            self.filter.look()
        return np.concatenate(passed)

    def kinds(self) -> list[str]:
        return [f"{kind} {fields.get('code', fields.get('on'))}" for kind, fields in self.notes]


def test_a_warning_is_noted_once_with_its_figures_and_its_end_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(monkeypatch)
    desk.hear(noise(7.0, -38))
    desk.hear(noise(5.0, -70))
    (kind, fields), (end_kind, end_fields) = desk.notes
    assert (kind, fields["code"], fields["level_dbfs"]) == ("sound.warning", "hum", -38)
    assert "steady noise" in str(fields["sentence"])
    assert (end_kind, end_fields) == ("sound.good", {"code": "hum", "because": "good"})


def test_what_was_wrong_before_a_session_is_noted_at_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(monkeypatch)
    desk.filter.set_half_duplex(True)
    desk.hear(zeros(1.2))
    desk.notes.clear()
    desk.filter.note_beginning()
    desk.filter.look()
    assert desk.kinds() == ["half_duplex True", "sound.warning exact_zeros"]


def test_an_echo_is_no_matter_any_more_with_half_duplex(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = voice("monologue_slt", 6.0)
    heard = mixed(come_back(agent, -15, 60), noise(6.0, -68))
    desk = Desk(monkeypatch)
    passed = desk.hear(heard, playing=agent)
    assert np.array_equal(passed, heard)
    assert desk.kinds() == ["sound.warning echo"]
    desk.filter.set_half_duplex(True)
    passed = desk.hear(heard, playing=agent)
    assert not passed[120:].any()
    assert desk.kinds() == ["sound.warning echo", "half_duplex True", "sound.good echo"]
    assert desk.notes[-1][1]["because"] == "avoided"
    desk.filter.set_half_duplex(False)
    desk.hear(heard, playing=agent)
    assert desk.kinds()[3:] == ["half_duplex False", "sound.warning echo"]


def test_an_echo_that_is_cancelled_is_not_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = voice("monologue_slt", 8.0)
    heard = mixed(come_back(agent, -15, 60), noise(8.0, -68))
    desk = Desk(monkeypatch)
    desk.filter.set_echo_cancelling(True)
    assert desk.filter.echo_cancelling
    passed = desk.hear(heard, playing=agent)
    assert desk.notes == [("echo_cancelling", {"on": True, "delay_ms": 9})]
    late = slice(4 * 24_000, None)
    assert np.mean(passed[late].astype(float) ** 2) < 0.01 * np.mean(heard[late].astype(float) ** 2)


def test_another_microphone_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(monkeypatch)
    desk.hear(zeros(1.2))
    desk.filter.changed()
    desk.filter.look()
    assert desk.notes[-1] == ("sound.good", {"code": "exact_zeros", "because": "closed"})
    assert desk.filter.warnings == ()


def test_switching_to_what_is_on_already_is_not_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(monkeypatch)
    for on in (False, True, True, False, False):
        desk.filter.set_half_duplex(on)
    assert desk.kinds() == ["half_duplex True", "half_duplex False"]

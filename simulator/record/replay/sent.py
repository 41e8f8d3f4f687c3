"""The participant's speeches as they were sent, by their position on the session's clock.

The heard track keeps to that clock: where a microphone has another one, a sample is put in or left out here and there,
and none of what was sent. So a speech is looked up in what was sent, and the heard track says when it was.
"""

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numpy as np

from simulator.errors import SimulatorError
from simulator.record.entries import Track
from simulator.record.replay.deeds import Say
from simulator.record.replay.voice import ParticipantVoice
from simulator.record.tracks import Samples, TrackFile
from simulator.units import SAMPLE_RATE_HZ

_PIECE_SAMPLES: Final = SAMPLE_RATE_HZ // 20
"""So much of the heard track is found again in what was sent …"""
_REACH_SAMPLES: Final = SAMPLE_RATE_HZ // 2
"""… so near to where the times of the entries have it."""
_LOUD: Final = 200
"""A piece without a larger sample is like too many others."""
_TRIES: Final = 40
_MOST_SLIPPED: Final = 0.005
"""By how much of its length a speech may be longer or shorter on the clock."""
_ALIKE: Final = 0.9
"""The correlation of a piece in which samples were slipped with the one that was sent …"""
_OTHERS_LESS_BY: Final = 0.03
"""… from which that at any other place, this far away, has to differ."""
_FAR_SAMPLES: Final = SAMPLE_RATE_HZ // 1000


class SentVoice:
    """The voice of `says` as it was sent, and what lies between as it was heard. Belongs to one thread at a time.

    A speech that is not found whole in what was sent is the heard one. Raises as `ParticipantVoice`.
    """

    def __init__(self, record: Path, says: Iterable[Say]) -> None:
        self._heard = ParticipantVoice(record)
        self._sent: TrackFile | None = None
        with contextlib.suppress(SimulatorError):  # without it all is as it was heard
            self._sent = TrackFile(record, Track.PARTICIPANT)
        self._says = list(says)
        self._found: dict[int, int | None] = {}

    def read(self, first_sample: int, samples: int) -> Samples:
        """Return so many samples from a position on, zeros where there is none."""
        read = self._heard.read(first_sample, samples)
        for number, say in enumerate(self._says):
            since = max(first_sample, say.first_sample)
            until = min(first_sample + len(read), say.first_sample + say.samples)
            place = self._place(number) if since < until else None
            if place is not None and self._sent is not None and say.sent is not None:
                place += since - say.first_sample
                piece = self._sent.read(place, min(until - since, say.sent[1] - place))
                read[since - first_sample :][: len(piece)] = piece
        return read

    def close(self) -> None:
        """Close the files."""
        self._heard.close()
        if self._sent is not None:
            self._sent.close()

    def _place(self, number: int) -> int | None:
        """Return where in what was sent a speech begins; None where it is not there as it was heard."""
        if number not in self._found:
            say = self._says[number]
            known = self._sent is not None and say.sent is not None
            self._found[number] = self._looked_up(say) if known else None
        return self._found[number]

    def _looked_up(self, say: Say) -> int | None:
        assert say.sent is not None
        near = say.sent[0]
        last = say.samples - _PIECE_SAMPLES
        begins = self._first_found(say, range(0, last, _PIECE_SAMPLES), near)
        ends = None if begins is None else self._first_found(say, range(last, 0, -_PIECE_SAMPLES), begins)
        if begins is None or ends is None or begins < 0:
            return None
        return begins if abs(ends - begins) <= _MOST_SLIPPED * say.samples else None

    def _first_found(self, say: Say, offsets: Iterable[int], near: int) -> int | None:
        """Return where the speech would begin by the first of its pieces that is found."""
        tries = _TRIES
        for offset in offsets:
            piece = self._heard.read(say.first_sample + offset, _PIECE_SAMPLES)
            if int(np.max(np.abs(piece.astype(np.int32)))) < _LOUD:
                continue
            place = self._place_of(piece, near + offset)
            if place is not None:
                return place - offset
            tries -= 1
            if not tries:
                break
        return None

    def _place_of(self, piece: Samples, near: int) -> int | None:
        """Return where a piece lies in what was sent; None where it does not, or more than once."""
        assert self._sent is not None
        start = max(0, near - _REACH_SAMPLES)
        sent = self._sent.read(start, 2 * _REACH_SAMPLES + len(piece))
        peak = int(np.argmax(np.abs(piece.astype(np.int32))))
        firsts = np.flatnonzero(sent == piece[peak]) - peak
        firsts = firsts[(firsts >= 0) & (firsts + len(piece) <= len(sent))]
        places = [int(first) for first in firsts if np.array_equal(sent[first : first + len(piece)], piece)]
        place = places[0] if len(places) == 1 else None if places else _most_alike(sent, piece)
        return None if place is None else start + place


def _most_alike(sent: Samples, piece: Samples) -> int | None:
    """Return where a piece of a voice is that a few samples were put into, or left out of; None where no place is."""
    if len(sent) < len(piece):
        return None
    wanted, heard = piece.astype(np.float64), sent.astype(np.float64)
    powers = np.concatenate([[0.0], np.cumsum(heard**2)])
    norms = np.sqrt((powers[len(piece) :] - powers[: -len(piece)]) * (wanted @ wanted))
    alike = np.correlate(heard, wanted, "valid") / np.maximum(norms, 1.0)
    place = int(np.argmax(alike))
    best = float(alike[place])
    alike[max(0, place - _FAR_SAMPLES) : place + _FAR_SAMPLES + 1] = 0.0
    return place if best >= _ALIKE and float(alike.max()) <= best - _OTHERS_LESS_BY else None

"""The agent's voice on its way to the output device: a queue of items, positions in samples, no lock.

Two threads. The *loop* adds audio, cuts, and reads what happened; the *output callback* (or the silent clock) asks
for the next block with `fill`. A position is *handed* when the block that holds it was given to the device. What the
participant will have heard of an item is what was handed of it, so a cut must know it exactly, also while a `fill` is
running in the other thread.

How the two threads agree on it without a lock stands on top of `playout_chain`.

**When an item starts** (the jitter buffer). Deltas are sent in real time or faster and arrive up to an allowance
late; deltas never overtake each other. Let e be the time since the first delta arrived, and y the largest lead seen:
over all deltas, the audio before that delta minus the time since the first arrived. The first delta was y late at
least, for otherwise one of the later ones would have come early. So no later delta comes more than the allowance - y
behind the pace of the first, and starting at e >= allowance - y never runs dry. It cannot be earlier: a stream whose
first delta was exactly y late and whose next one is as late as allowed is still possible. An item that is complete
starts at once. After a gap within an item the same rule holds again. The next item follows the one before without a
pause.

The allowance follows what the session has shown (`jitter`), and is 180 ms at first. With blocks of 20 ms and 100 ms
deltas in real time the first sample is then handed 180 to 200 ms after it arrived at the latest, and 20 to 40 ms
where the engine and the device have proved punctual; at three times real time after 67 to 87 ms where the deltas are
evenly spaced.

An item that another one follows is taken to be complete: what still arrives for it is played only in its own place.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from simulator.audio.fades import FADE_SAMPLES, SMOOTH, Edges
from simulator.audio.jitter import Allowance, DevicePace, Lateness
from simulator.audio.playout_chain import Block, Cut, Item, Link, Samples, Segment, Span
from simulator.audio.playout_events import (
    AudioHanded,
    ItemHeard,
    LastSound,
    PlaybackEnded,
    PlaybackEvent,
    PlaybackGap,
    PlaybackStarted,
)
from simulator.units import BLOCK_SAMPLES, ns_to_samples, samples_to_ns

__all__ = [
    "AudioHanded",
    "ItemHeard",
    "LastSound",
    "PlaybackEnded",
    "PlaybackEvent",
    "PlaybackGap",
    "PlaybackStarted",
    "Playout",
]

_RECENT_SPANS: Final = 512
"""Pieces of blocks kept for `audible_samples`: ten seconds, more than any device queues."""


class Playout:
    """Plays items in the order in which they began to arrive; can be cut at any time.

    `fill` belongs to the output's thread, everything else to the loop's.
    """

    def __init__(self) -> None:
        link = Link()
        # The callback's.
        self._playing: deque[Item] = deque()
        self._last: Link = link
        self._flowing = False
        self._silence_samples = 0
        self._breaks_at: int | None = None
        self._interrupted = False
        self._pace = DevicePace()
        self.blocks = 0
        """Blocks filled so far, silent ones included."""
        self.handed_to_device = 0
        """Samples filled so far, silence included."""
        # The loop's.
        self._queue = self._playing
        self._seen: Link = link
        self._items: dict[str, Item] = {}
        self._waiting: deque[Item] = deque()
        self._events: list[PlaybackEvent] = []
        self._recent: deque[AudioHanded] = deque(maxlen=_RECENT_SPANS)
        self._last_sound: LastSound | None = None
        self._allowance = Allowance()

    # ---- the loop's side

    @property
    def allowance_ns(self) -> int:
        """How late audio may come at present without a gap."""
        return self._allowance.ns

    def add(self, item_id: str, samples: Samples, now_ns: int) -> bool:
        """Queue audio of an item that arrived at `now_ns`; `samples` must not change afterwards.

        Returns False, and keeps nothing, for an item that was cut, is complete or has ended.
        """
        item = self._items.get(item_id)
        if item is None:
            item = self._items[item_id] = Item(item_id)
        if item.ended or item.complete:
            return False
        if not len(samples):
            return True
        self._note_lateness(item.arrivals.arrived(now_ns, item.received, len(samples)))
        item.segments.append(Segment(samples, now_ns))
        item.received += len(samples)
        if item.received == len(samples):
            # Queued only now: an item in the queue is never without its first audio.
            self._waiting.append(item)
            self._queue.append(item)
        return True

    def item_complete(self, item_id: str) -> None:
        """Note that no more audio comes for the item. Unknown items are ignored: they had no audio."""
        item = self._items.get(item_id)
        if item is not None:
            item.complete = True
            self._note_lateness(item.arrivals.ended())

    def _note_lateness(self, known: Iterable[Lateness]) -> None:
        for lateness in known:
            self._allowance.note(lateness, self._pace.largest_lead_ns)

    def cut(self, now_ns: int) -> list[ItemHeard]:
        """Stop everything: nothing but silence is handed from the next block on.

        Returns the item being heard and each queued behind it, in order; not those handed to their end. Each is
        exact, whether or not a `fill` is running. A `LastSound` follows with the next `progress`.
        """
        cut = Cut(deque())
        while (behind := self._seen.claim(cut)) is not cut:
            self._seen = behind
            self._read(behind)
        self._seen = cut
        self._queue = cut.queue
        self._end_items()
        heard = [
            ItemHeard(item.item_id, item.received, item.handed, item.handed > 0, item.complete)
            for item in self._waiting
        ]
        for item in self._waiting:
            self._retire(item)
        self._waiting.clear()
        if heard and self._last_sound is not None:
            silent_ns = self._last_sound.dac_ns + samples_to_ns(FADE_SAMPLES)
            self._events.append(self._last_sound._replace(dac_ns=silent_ns, cut_ns=now_ns))
            self._last_sound = None
        return heard

    def progress(self) -> list[PlaybackEvent]:
        """Return what happened since the last call, in order."""
        self._catch_up()
        events, self._events = self._events, []
        return events

    def handed_samples(self, item_id: str) -> int:
        """Return how much of an item was handed to the device so far; 0 for an unknown one."""
        self._catch_up()
        item = self._items.get(item_id)
        return item.handed if item is not None else 0

    def received_samples(self, item_id: str) -> int:
        """Return how much audio was taken for an item so far; 0 for an unknown one."""
        item = self._items.get(item_id)
        return item.received if item is not None else 0

    def audible_samples(self, item_id: str, now_ns: int, latency_ns: int = 0) -> int:
        """Return how much of an item has left the device at `now_ns`.

        By the DAC times that came with the blocks, moved by `latency_ns` where the device adds a known delay behind
        its own clock.
        """
        self._catch_up()
        audible = self._items[item_id].handed if item_id in self._items else 0
        for span in reversed(self._recent):
            if span.item_id != item_id:
                continue
            out_samples = ns_to_samples(max(0, now_ns - latency_ns - span.dac_ns))
            audible = span.first_sample + min(out_samples, len(span.samples))
            if out_samples:
                break
        return audible

    def sounding_until_ns(self) -> int:
        """Return when the last sample handed so far leaves the device; 0 if there was none.

        The agent is being heard while this lies ahead, or while `pending_samples` is not 0.
        """
        self._catch_up()
        return _end_ns(self._recent[-1].dac_ns, len(self._recent[-1].samples)) if self._recent else 0

    def pending_samples(self) -> int:
        """Return how many samples are queued and not yet handed."""
        self._catch_up()
        return sum(item.received - item.handed for item in self._waiting)

    # ---- the output's side

    def fill(self, out: Samples, now_ns: int, dac_ns: int) -> Edges:
        """Write the next block to `out`: agent audio where there is some, else silence.

        `now_ns` is when the device asked for the block, `dac_ns` when its first sample will leave the device. Copies
        only: no lock, no allocation beyond one small link a block. Returns where the voice needs a fade.
        """
        self._breaks_at = None
        self._pace.asked(len(out), now_ns)
        flowed = self._flowing
        if self._follow_cuts() and flowed:
            self._breaks_at = 0
        block = Block(self.blocks)
        self.blocks += 1
        filled = self._copy(out, block, now_ns, dac_ns)
        out[filled:] = 0
        self.handed_to_device += len(out)
        if block.spans:
            behind = self._last.claim(block)
            if behind is block:
                self._last = block
            else:
                out[:] = 0
                self._follow_cuts()
                return Edges(0) if flowed else SMOOTH
        resumes = bool(block.spans) and block.spans[0].silence_before > 0
        if block.spans and self._interrupted:
            self._interrupted = False
            resumes = resumes or block.spans[0].handed.first_sample > 0
        return SMOOTH if self._breaks_at is None and not resumes else Edges(self._breaks_at, resumes)

    def interrupted(self) -> None:
        """Note that the output was closed, while nothing fills: what follows is joined to nothing before it."""
        self.handed_to_device += BLOCK_SAMPLES
        self._interrupted = True
        self._pace.restart()

    def _follow_cuts(self) -> bool:
        """Go on behind the cuts that were made; tell whether there was one."""
        before = self._last
        while (behind := self._last.behind) is not None:
            # The callback links its own blocks, so what it did not link is a cut.
            assert isinstance(behind, Cut)
            self._last = behind
            self._playing = behind.queue
            self._flowing = False
            self._silence_samples = 0
        return self._last is not before

    def _copy(self, out: Samples, block: Block, now_ns: int, dac_ns: int) -> int:
        """Copy what may be played to `out`, note it in `block`, and return the number of samples."""
        filled = 0
        while filled < len(out) and self._playing:
            item = self._playing[0]
            # Read before looking for audio: once it is true, no more audio comes.
            last = item.complete or len(self._playing) > 1
            if last and not item.segments:
                self._playing.popleft()
                self._silence_samples = 0
                continue
            flowed = self._flowing
            allowance_ns = self._allowance.ns
            self._flowing = bool(item.segments) and (flowed or last or _may_start(item.segments, now_ns, allowance_ns))
            if not self._flowing:
                if flowed:
                    self._breaks_at = filled
                break
            samples = self._next_samples(item, len(out) - filled)
            out[filled : filled + len(samples)] = samples
            handed = AudioHanded(
                item.item_id,
                item.position,
                samples,
                self.handed_to_device + filled,
                now_ns,
                dac_ns + samples_to_ns(filled),
                filled,
            )
            block.spans.append(Span(item, handed, self._silence_samples))
            self._silence_samples = 0
            item.position += len(samples)
            filled += len(samples)
        if not self._playing:
            self._flowing = False
        elif self._playing[0].position:
            self._silence_samples += len(out) - filled
        return filled

    def _next_samples(self, item: Item, most: int) -> Samples:
        segment = item.segments[0]
        samples = segment.samples[item.offset : item.offset + most]
        item.offset += len(samples)
        if item.offset == len(segment.samples):
            item.segments.popleft()
            item.offset = 0
        return samples

    # ---- news from the chain

    def _catch_up(self) -> None:
        while (behind := self._seen.behind) is not None:
            self._seen = behind
            self._read(behind)
        self._end_items()

    def _read(self, link: Link) -> None:
        assert isinstance(link, Block)
        for span in link.spans:
            item, handed = span.item, span.handed
            while self._waiting[0] is not item:
                self._end(self._waiting.popleft())
            if handed.first_sample == 0:
                self._events.append(PlaybackStarted(item.item_id, handed.handed_ns, handed.dac_ns))
            if span.silence_before:
                self._events.append(PlaybackGap(item.item_id, span.silence_before))
            self._events.append(handed)
            item.handed += len(handed.samples)
            item.last = handed
            self._recent.append(handed)
            sounding = np.flatnonzero(handed.samples)
            if sounding.size:
                silent_from_ns = _end_ns(handed.dac_ns, int(sounding[-1]) + 1)
                self._last_sound = LastSound(handed.handed_ns, silent_from_ns, link.number, 0)

    def _end_items(self) -> None:
        while self._waiting and self._waiting[0].complete and self._waiting[0].handed == self._waiting[0].received:
            self._end(self._waiting.popleft())

    def _end(self, item: Item) -> None:
        self._retire(item)
        if (last := item.last) is not None:
            ended_ns = _end_ns(last.dac_ns, len(last.samples))
            self._events.append(PlaybackEnded(item.item_id, item.handed, last.handed_ns, ended_ns))

    def _retire(self, item: Item) -> None:
        """Keep the item's figures and let go of its audio, which a running `fill` may still be reading."""
        retired = Item(item.item_id)
        retired.received, retired.handed, retired.ended = item.received, item.handed, True
        self._items[item.item_id] = retired


def _may_start(segments: Sequence[Segment], now_ns: int, allowance_ns: int) -> bool:
    """Tell whether playing may start with the first of `segments` (the rule on top of this file)."""
    first_ns = segments[0].arrived_ns
    before = 0
    # By index, not by iterator: the loop may append while this runs.
    for number in range(len(segments)):
        segment = segments[number]
        lead_ns = samples_to_ns(before) - (segment.arrived_ns - first_ns)
        if now_ns - first_ns >= allowance_ns - lead_ns:
            return True
        before += len(segment.samples)
    return False


def _end_ns(dac_ns: int, samples: int) -> int:
    """Return when `samples` from `dac_ns` on have left the device: rounded up, so that all of them have."""
    return dac_ns - samples_to_ns(-samples)

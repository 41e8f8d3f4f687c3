"""What a window shows at a time: one record, living or ended, and what follows from it.

The live session's view grows while it is shown; a check's view is loaded whole. Log, timeline, transcript, latencies
and answers draw from nothing else, so that a saved record looks as the live session did.
"""

from collections.abc import Iterable
from pathlib import Path

from simulator.audio.peaks import PeakPyramid
from simulator.participant.messages import Lane
from simulator.record.append_lines import Block
from simulator.record.entries import Direction, Entry
from simulator.record.entry_list import EntryList
from simulator.record.measures import Measures
from ui.models.entry_text import Sign, sign_of
from ui.models.impairing import told
from ui.models.implied_notes import ImpliedNotes

_JUDGING_NOTES = frozenset({"problem", "violation", "truncation.refused"})
_JUDGED_WITHIN = 8
"""A note follows its event within a few entries."""


class RecordView:
    """The entries of one record in order, its measures and its waveforms.

    Entries have ascending `seq`; numbers may be missing where a stretch could not be read again.
    """

    def __init__(self, title: str = "", path: Path | None = None, implied: ImpliedNotes | None = None) -> None:
        self.title = title
        """Empty for the live session, else what the banner calls this record."""
        self.path = path
        self.entries = EntryList()
        self.measures = Measures()
        self._implied = implied
        """Notes that count for the measures of a check's record, and are no entries of it."""
        self.lanes: dict[str, PeakPyramid] = {lane.value: PeakPyramid() for lane in Lane}
        self.impaired = ""
        """What was done to the participant's voice at some time, in a line."""
        self.replay_of = ""
        """The name of the session that was replayed in this one."""
        self.problems = 0
        """How many entries are problems; one that a later note judges counts once, as that note."""
        self.last_problem: Entry | None = None
        self.lacks: list[str] = []
        """What is wrong with the files of a saved record, in sentences."""
        self._judged: set[int] = set()
        self.now_ns = 0

    def add(self, entries: Iterable[Entry]) -> None:
        """Append entries that follow those already here."""
        append, measure = self.entries.append, self.measures.feed if self._implied is None else self._measure
        now_ns = self.now_ns
        for entry in entries:
            append(entry)
            measure(entry)
            if entry.t_ns > now_ns:
                now_ns = entry.t_ns
            # Of fifty entries a second nearly all are audio, and nothing else is to be said of them.
            if entry.audio is None or entry.problem is not None:
                self._look_at(entry)
        self.now_ns = now_ns

    def add_block(self, block: Block) -> None:
        """Append lines of a record that follow those already here, as `add` would their entries."""
        self.entries.extend_block(block)
        self.measures.feed_block(block)
        self.now_ns = max(self.now_ns, int(block.appends.times_ns.max(initial=0)))
        for entry in block.entries:
            if entry.t_ns > self.now_ns:
                self.now_ns = entry.t_ns
            if entry.audio is None or entry.problem is not None:
                self._look_at(entry)

    def _look_at(self, entry: Entry) -> None:
        if sign_of(entry) is Sign.PROBLEM:
            self.problems += 1
            self.last_problem = entry
        if entry.direction is Direction.NOTED and entry.type in _JUDGING_NOTES:
            self._judge(entry)
        if entry.direction is Direction.NOTED and entry.type == "impairments":
            self.impaired = told(entry.event) or self.impaired
        if entry.direction is Direction.NOTED and entry.type == "replay.started":
            self.replay_of = str(entry.event.get("of", ""))

    def sign(self, entry: Entry) -> Sign:
        """Return how much attention an entry asks for: that of a notice where a note says what is wrong with it."""
        return Sign.NOTICE if entry.seq in self._judged else sign_of(entry)

    def _measure(self, entry: Entry) -> None:
        implied = self._implied
        for note in implied.before(entry) if implied is not None else ():
            self.measures.feed(note)
        self.measures.feed(entry)
        for note in implied.after(entry) if implied is not None else ():
            self.measures.feed(note)

    def _judge(self, note: Entry) -> None:
        """Find the event that a note is about: the one it names, else the error just before it."""
        named = note.event.get("seq")
        here = self.position_of(note.seq) or 0
        if note.type == "violation" and isinstance(named, int):
            position = self.position_of(named) if named <= note.seq else None
            if position is not None and sign_of(self.entries[position]) is not Sign.PROBLEM:
                self._judged.add(named)
                return
        for entry in self.entries[max(0, here + 1 - _JUDGED_WITHIN) : here]:
            about = entry.seq == named if isinstance(named, int) else entry.type == "error"
            if about and entry.seq not in self._judged and sign_of(entry) is Sign.PROBLEM:
                self._judged.add(entry.seq)
                self.problems -= 1
                return

    def position_of(self, seq: int) -> int | None:
        """Return the index in `entries` of the entry numbered `seq`, or None where there is none."""
        return self.entries.position_of(seq)

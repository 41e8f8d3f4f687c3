"""What a record means in time: turns, responses, what was heard, pushes, barge-ins and latencies.

`Measures` is fed one entry after the other, live or from a file, and never looks back further than the objects it has
open: the work of an entry does not grow with the length of the record. Every list only grows; an object that changes
is replaced at its place, so that a view can keep positions.

All times are nanoseconds on the record's clock; samples are at 24 kHz. `seq` is the number of the entry that an object
began with: where the log shows it.
"""

from simulator.record.append_lines import Block
from simulator.record.entries import Direction, Entry
from simulator.record.measures.agent_voice import AUDIO_DELTA, AgentVoice
from simulator.record.measures.ledger import Ledger, Steps
from simulator.record.measures.objects import (
    SIMULATED,
    AgentSpan,
    BargeIn,
    Latency,
    Mark,
    Push,
    ResponseSpan,
    SpeechSpan,
    Turn,
)
from simulator.record.measures.operator import Operator
from simulator.record.measures.responses import Responses
from simulator.record.measures.speech import Speech

__all__ = [
    "SIMULATED",
    "AgentSpan",
    "BargeIn",
    "Latency",
    "Mark",
    "Measures",
    "Push",
    "ResponseSpan",
    "SpeechSpan",
    "Turn",
]


class Measures:
    """Feed it the entries of one record in order; read its lists. `revision` grows when any of them changed."""

    def __init__(self) -> None:
        self._ledger = Ledger()
        self._speech = Speech(self._ledger)
        self._responses = Responses(self._ledger, self._speech)
        self._agent_voice = AgentVoice(self._ledger, self._responses)
        self._operator = Operator(self._ledger)
        self._steps: Steps = {
            (Direction.NOTED, "connection.closed"): self._closed,
            (Direction.NOTED, "record.ended"): self._closed,
        }
        for part in (self._speech, self._responses, self._agent_voice, self._operator):
            self._steps |= part.steps()
        self._steps[Direction.RECEIVED, "response.done"] = self._response_done

    @property
    def revision(self) -> int:
        """Grows with every change."""
        return self._ledger.revision

    @property
    def speech_spans(self) -> list[SpeechSpan]:
        """What the engine heard as speech."""
        return self._speech.spans.items

    @property
    def responses(self) -> list[ResponseSpan]:
        """The engine's responses."""
        return self._responses.spans.items

    @property
    def heard(self) -> list[AgentSpan]:
        """The agent's voice at the output device, and what was never heard of it."""
        return self._agent_voice.spans.items

    @property
    def turns(self) -> list[Turn]:
        """The transcript, in the order in which the turns began."""
        return self._ledger.turns.items

    @property
    def latencies(self) -> list[Latency]:
        """Measured intervals, in the order in which they ended."""
        return self._ledger.latencies

    @property
    def barge_ins(self) -> list[BargeIn]:
        """The interruptions by the participant."""
        return self._agent_voice.barge_ins

    @property
    def pushes(self) -> list[Push]:
        """The context items."""
        return self._operator.pushes

    @property
    def marks(self) -> list[Mark]:
        """The moments that the operator marked."""
        return self._operator.marks.items

    @property
    def listening_off(self) -> list[tuple[int, int | None]]:
        """When listening was off: from, and until; None: it still is."""
        return self._operator.listening_off

    def feed(self, entry: Entry) -> None:
        """Take the next entry. An event without the fields that count here changes nothing."""
        step = self._steps.get((entry.direction, entry.type))
        if step is not None:
            step(entry)

    def feed_block(self, block: Block) -> None:
        """Take the lines of a block, as `feed` would take their entries."""
        behind = 0
        deltas: list[Entry] = []
        for place, entry in zip(block.places, block.entries, strict=True):
            if entry.type == AUDIO_DELTA and entry.direction is Direction.RECEIVED:
                deltas.append(entry)
                continue
            if deltas:
                self._agent_voice.take_deltas(deltas)
                deltas = []
            self._speech.take_appends(block.appends, behind, place)
            behind = place
            self.feed(entry)
        self._agent_voice.take_deltas(deltas)
        self._speech.take_appends(block.appends, behind, block.lines)

    def _response_done(self, entry: Entry) -> None:
        self._responses.response_done(entry)
        self._agent_voice.response_done(entry)

    def _closed(self, entry: Entry) -> None:
        self._speech.close(entry.t_ns)
        self._responses.close(entry.t_ns)
        self._agent_voice.close(entry.t_ns)
        self._operator.close(entry)
        self._ledger.revision += 1

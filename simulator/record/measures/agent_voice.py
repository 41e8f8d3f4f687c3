"""The agent's voice: what came of it, what was handed to the output device, its words, and how it was interrupted."""

import re
from dataclasses import replace
from typing import Any, Final

from simulator.record.entries import Direction, Entry
from simulator.record.fields import dicts_at, text, value_at, whole_number
from simulator.record.measures.ledger import Growing, Ledger, Steps
from simulator.record.measures.objects import SIMULATED, AgentSpan, BargeIn, Latency, Turn
from simulator.record.measures.reply_words import ReplyWords
from simulator.record.measures.responses import Responses
from simulator.units import NS_PER_MS, samples_to_ms

AUDIO_DELTA: Final = "response.output_audio.delta"
_MARK: Final = re.compile(r"\[\d+ characters #[0-9a-f]+\]")
_SILENT_CLOCK: Final = "silent clock"


class AgentVoice:
    """Keeps the items of the agent's voice and the barge-ins."""

    def __init__(self, ledger: Ledger, responses: Responses) -> None:
        self._ledger = ledger
        self._responses = responses
        self.spans: Growing[AgentSpan] = Growing()
        self.barge_ins: list[BargeIn] = []
        self._open: set[str] = set()
        self._received_samples: dict[str, int] = {}
        self._handed_samples: dict[str, int] = {}
        self._words = ReplyWords()
        self._silent_clock = False

    def steps(self) -> Steps:
        """Return what is done with which entry."""
        return {
            (Direction.RECEIVED, AUDIO_DELTA): self._audio_delta,
            (Direction.RECEIVED, "response.output_audio_transcript.delta"): self._transcript_delta,
            (Direction.RECEIVED, "response.output_audio_transcript.done"): self._transcript_done,
            (Direction.RECEIVED, "response.content_part.done"): self._part_done,
            (Direction.RECEIVED, "response.output_item.done"): self._item_done,
            (Direction.RECEIVED, "conversation.item.done"): self._item_done,
            (Direction.RECEIVED, "conversation.item.truncated"): self._truncated,
            (Direction.SENT, "conversation.item.truncate"): self._truncated,
            (Direction.NOTED, "playback.started"): self._playback_started,
            (Direction.NOTED, "playback.ended"): self._playback_ended,
            (Direction.NOTED, "playback.cut"): self._playback_cut,
            (Direction.NOTED, "barge_in"): self._barged_in,
            (Direction.NOTED, "output.chosen"): self._output_chosen,
        }

    def close(self, t_ns: int) -> None:
        """End what is open: the connection ended."""
        for item_id in self._open:
            item = self.spans.get(item_id)
            if item is not None:
                self.spans.put(item_id, replace(item, ended_ns=t_ns))
        self._open.clear()

    def _audio_delta(self, entry: Entry) -> None:
        self._responses.audio_came(entry)
        item_id = text(entry, "item_id")
        if item_id is None or entry.audio is None:
            return
        received = self._received_samples.get(item_id, 0) + entry.audio.samples
        self._received_samples[item_id] = received
        span = self.spans.get(item_id)
        if span is not None and not span.cut:
            # Up to fifty a second: built as it is, in a third of the time that replacing a field takes.
            started_ns, ended_ns, handed = span.started_ns, span.ended_ns, span.handed_samples
            self.spans.put(item_id, AgentSpan(item_id, started_ns, ended_ns, handed, received, False, span.seq))
        self._update_turn(item_id, entry)

    def take_deltas(self, entries: list[Entry]) -> None:
        """Take pieces of audio that came one after the other, with nothing else between them that counts.

        Of each item nothing but the first and the last of its pieces changes what is to be seen at the end.
        """
        before: object = None
        for entry, after in zip(entries, [*entries[1:], None], strict=False):
            event, span = entry.event, entry.audio
            item_id = event.get("item_id")
            item = item_id, event.get("response_id")
            if (
                after is not None
                and after.audio is not None
                and span is not None
                and isinstance(item_id, str)
                and item == before
                and item == (after.event.get("item_id"), after.event.get("response_id"))
                and item_id in self._received_samples
            ):
                self._received_samples[item_id] += span.samples
            else:
                self._audio_delta(entry)
                before = item

    def response_done(self, entry: Entry) -> None:
        """Take the end of a response: from here on its words are known."""
        response_id = text(entry, "response", "id")
        if response_id is None:
            return
        for item in dicts_at(entry, "response", "output"):
            self._item_ended(item, response_id, entry)
        for item_id in self._words.done(response_id, completed=value_at(entry, "response", "status") == "completed"):
            self._update_turn(item_id, entry)

    def _transcript_delta(self, entry: Entry) -> None:
        item_id, delta = text(entry, "item_id"), text(entry, "delta")
        if item_id is not None and delta is not None:
            self._words.told(item_id, _part(entry), delta, text(entry, "response_id"))
            self._update_turn(item_id, entry)

    def _transcript_done(self, entry: Entry) -> None:
        self._final(entry, text(entry, "transcript"))

    def _part_done(self, entry: Entry) -> None:
        if transcript := text(entry, "part", "transcript"):
            self._final(entry, transcript)

    def _final(self, entry: Entry, transcript: str | None) -> None:
        item_id = text(entry, "item_id")
        if item_id is not None and transcript is not None:
            self._words.final(item_id, _part(entry), transcript, text(entry, "response_id"))
            self._update_turn(item_id, entry)

    def _item_done(self, entry: Entry) -> None:
        item = value_at(entry, "item")
        in_response = entry.type == "response.output_item.done"
        if isinstance(item, dict) and (in_response or self._received_samples.get(text(entry, "item", "id") or "")):
            self._item_ended(item, text(entry, "response_id"), entry)

    def _item_ended(self, item: dict[str, Any], response_id: str | None, entry: Entry) -> None:
        if self._words.item(item, response_id):
            self._update_turn(item["id"], entry)

    def _truncated(self, entry: Entry) -> None:
        if (item_id := text(entry, "item_id")) is not None:
            self._words.interrupted(item_id)

    def _update_turn(self, item_id: str, entry: Entry) -> None:
        turn = self._ledger.turns.get(item_id)
        if turn is None:
            turn = Turn("agent", item_id, "", entry.t_ns, entry.seq)
            self._ledger.turns.add(item_id, turn)
        received, handed = self._received_samples.get(item_id, 0), self._handed_samples.get(item_id)
        text = self._words.text(item_id)
        heard_ms, heard_text = turn.heard_ms, turn.heard_text
        if handed is not None:
            heard_ms, heard_text = samples_to_ms(handed), _heard_part(text, handed, received)
        turn = Turn(
            turn.who,
            turn.item_id,
            text,
            turn.t_ns,
            turn.seq,
            heard_text,
            heard_ms,
            samples_to_ms(received),
            turn.recognised,
            turn.recogniser,
        )
        self._ledger.turns.put(item_id, turn)
        self._ledger.revision += 1

    def _playback_started(self, entry: Entry) -> None:
        item_id = text(entry, "item_id")
        if item_id is None:
            return
        handed_ns = whole_number(entry, "handed_ns")
        started_ns = entry.t_ns if handed_ns is None else handed_ns
        received = self._received_samples.get(item_id, 0)
        self.spans.add(item_id, AgentSpan(item_id, started_ns, None, 0, received, False, entry.seq))
        self._open.add(item_id)
        self._ledger.revision += 1

    def _playback_ended(self, entry: Entry) -> None:
        self._end_item(entry, whole_number(entry, "handed_ns"), cut=False)

    def _playback_cut(self, entry: Entry) -> None:
        self._end_item(entry, whole_number(entry, "cut_ns"), cut=True)

    def _end_item(self, entry: Entry, ended_ns: int | None, *, cut: bool) -> None:
        item_id = text(entry, "item_id")
        if item_id is None:
            return
        ended_ns = entry.t_ns if ended_ns is None else ended_ns
        handed = max(whole_number(entry, "handed_samples") or 0, 0)
        received = max(whole_number(entry, "received_samples") or 0, self._received_samples.get(item_id, 0))
        self._received_samples[item_id] = received
        self._handed_samples[item_id] = handed
        span = self.spans.get(item_id)
        if span is None:  # cut before any of it was handed over
            span = AgentSpan(item_id, ended_ns, ended_ns, 0, received, cut, entry.seq)
            self.spans.add(item_id, span)
        self.spans.put(
            item_id, replace(span, ended_ns=ended_ns, handed_samples=handed, received_samples=received, cut=cut)
        )
        self._open.discard(item_id)
        if cut:
            self._words.interrupted(item_id)
        self._update_turn(item_id, entry)

    def _output_chosen(self, entry: Entry) -> None:
        # Earlier versions gave the silent clock's times as a device's.
        self._silent_clock = text(entry, "name") == _SILENT_CLOCK

    def _barged_in(self, entry: Entry) -> None:
        received_ns, cut_ns = whole_number(entry, "received_ns"), whole_number(entry, "cut_ns")
        if received_ns is None or cut_ns is None:
            return
        last_ns = whole_number(entry, "last_sound_handed_ns")
        source = SIMULATED if self._silent_clock else text(entry, "dac_source")
        item_id = text(entry, "item_id")
        inaudible_ns = whole_number(entry, "inaudible_ns")
        self.barge_ins.append(BargeIn(received_ns, cut_ns, last_ns, inaudible_ns, source, item_id, entry.seq))
        self._ledger.revision += 1
        if source == SIMULATED:
            return
        started_seq = whole_number(entry, "speech_started_seq")
        # Sound that ended before speech_started came took no time to stop.
        silent_ns = max(received_ns, cut_ns if last_ns is None else last_ns)
        value_ms = (silent_ns - received_ns) / NS_PER_MS
        from_seq = entry.seq if started_seq is None else started_seq
        self._ledger.latencies.append(
            Latency("barge_in_stop", "speech_started", "last sound handed over", value_ms, from_seq, entry.seq)
        )


def _part(entry: Entry) -> int:
    """Return which content part of its item an event is about."""
    return whole_number(entry, "content_index") or 0


def _heard_part(text: str, handed_samples: int, received_samples: int) -> str:
    """Return the start of `text` that goes with the samples handed over, cut at the end of a word.

    The marks of a redacted copy, which stand for words, are whole or not there.
    """
    if handed_samples >= received_samples:
        return text if handed_samples else ""
    characters = len(text) * handed_samples // received_samples
    mark = _MARK.match(text, max(text.rfind("[", 0, characters), 0))
    if mark is not None and characters <= mark.end():
        return text[: mark.end() if characters == mark.end() else mark.start()].rstrip()
    if characters < len(text) and not text[characters].isspace():
        characters = max(text.rfind(" ", 0, characters), 0)
    return text[:characters].rstrip()

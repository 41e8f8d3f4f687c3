"""The plan of a replay: a record read as what its participant said and did, each timed from the agent's replies."""

import base64
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from simulator.record import lock
from simulator.record.append_lines import Block
from simulator.record.entries import LATEST_NS, Direction, Track
from simulator.record.fields import whole_number
from simulator.record.floor_sources import BLOCK_SAMPLES
from simulator.record.folder import record_file
from simulator.record.log import AUDIO_FIELDS
from simulator.record.reader import blocks
from simulator.record.replay.deeds import Act, Plan, Request, Say, SendRaw, Settings, StopReply
from simulator.record.replay.exchanges import Moments, exchanges
from simulator.record.replay.speeches import Heard, Span, loud, speeches
from simulator.record.replay.walk import Done, Item, Walk
from simulator.record.tracks import Samples, TrackFile
from simulator.units import NS_PER_MS, NS_PER_S, SAMPLE_RATE_HZ, ns_to_samples, samples_to_ns

LEAD_NS: Final = 200 * NS_PER_MS
"""A speech begins so long before its first loud frame: many a consonant is soft."""
TAIL_NS: Final = 300 * NS_PER_MS
"""And it ends so long after its last one."""
_NOTED_LATE_NS: Final = 100 * NS_PER_MS
"""A recording may be noted so long after its first sample."""
_HEARD_LAG_NS: Final = 2 * NS_PER_S
"""What a process that was killed did not write yet is no damage."""


def plan(record: Path) -> Plan:
    """Return the plan of a record, or of a session's folder, as far as it opens.

    Reads the whole record once and its heard track once, and holds neither. Raises UnreadableFile where there is no
    record; what cannot be done again is said in `Plan.lacks`.
    """
    source = record_file(record)
    problems: list[str] = []
    walk = Walk()
    for block in blocks(source, problems):
        _take(walk, block)
    never = _never_began(walk)
    if never is not None:
        return Plan(source, walk.settings or Settings(), (), 0, 0, lacks=(*problems, never))
    talk, lack = _talk(source, walk)
    made = plan_of(source, walk, talk)
    acts, lacking = _filled(source, walk.done, tuple(_placed(walk, made.acts)))
    lacks = [*problems, *([lack] if lack else []), *made.lacks]
    if walk.ended_ns is None and lock.is_held(source):
        lacks.append("This session has no end yet: what is said and done in it from now on is not done again.")
    if lacking:
        appends = _count(lacking, "append that was", "appends that were")
        lacks.append(f"{appends} composed by hand cannot be sent again: the audio was not kept.")
    return msgspec.structs.replace(made, acts=acts, lacks=tuple(lacks))


def _placed(walk: Walk, acts: Iterable[Act]) -> Iterator[Act]:
    """Yield the acts, each speech with about where it lies in what was sent."""
    times_ns, first_samples = np.concatenate(walk.sent, axis=1) if walk.sent else np.zeros((2, 0), dtype=np.int64)
    for act in acts:
        deed = act.deed
        if isinstance(deed, Say):
            ends_ns = [samples_to_ns(each) for each in (deed.first_sample, deed.first_sample + deed.samples)]
            first, end = np.searchsorted(times_ns, ends_ns)
            if end < len(times_ns):
                deed = msgspec.structs.replace(deed, sent=(int(first_samples[first]), int(first_samples[end])))
                act = msgspec.structs.replace(act, deed=deed)
        yield act


def _take(walk: Walk, block: Block) -> None:
    """Give a walk what a block of lines holds, of the appends only those that were composed by hand."""
    for entry in block.entries:
        if (entry.direction, entry.type) == (Direction.NOTED, "raw"):
            at = np.flatnonzero(block.appends.seqs == (whole_number(entry, "seq") or 0))
            if len(at):
                walk.feed(block.appends.entry(int(at[0])))
        walk.feed(entry)
    if len(block.appends):
        walk.sent.append((block.appends.times_ns, block.appends.first_samples))
        walk.last_ns = max(walk.last_ns, int(block.appends.times_ns.max()))


def plan_of(source: Path, walk: Walk, talk: Iterable[tuple[int, int]]) -> Plan:
    """Return the plan of what a walk found, and of when the participant talked on the record's clock. Pure."""
    ends_ns = walk.last_ns if walk.ended_ns is None else walk.ended_ns
    began_ns = walk.began_ns or 0
    replies = _replies(walk.items.values(), ends_ns)
    off = [Span(start, ends_ns if end is None else end) for start, end in walk.listening_off]
    unheard = _merged([Span(0, began_ns), *off, Span(ends_ns, LATEST_NS)])
    recordings = _recordings(walk.recordings, ends_ns)
    spoken = speeches(talk, unheard, recordings, replies)
    asked = [each.at_ns for each in walk.done if isinstance(each.deed, Request | SendRaw)]
    heard = exchanges(replies, spoken, recordings, asked)
    moments = Moments(began_ns, heard)
    acts = [
        *_says(spoken, unheard, [each.at_ns for each in walk.done], moments, began_ns),
        *(_act(each, moments, began_ns, walk.answered_ns.get(each.seq)) for each in walk.done),
    ]
    return Plan(
        source=source,
        settings=walk.settings or Settings(),
        acts=tuple(sorted(acts, key=lambda each: each.at_ns)),
        exchanges=len(heard),
        ends_ns=max(0, ends_ns - began_ns),
        voice_from_sample=ns_to_samples(began_ns),
        studies=tuple(walk.studies),
        lacks=tuple(_lacks(walk)),
    )


def _never_began(walk: Walk) -> str | None:
    """Return in a sentence why there is nothing to be done again; None where there may be."""
    if walk.redacted:
        return "This is a redacted copy: what was said and pushed is not in it."
    return None if walk.began_ns is not None else "The engine took no settings in this session, so it never began."


def _act(done: Done, moments: Moments, began_ns: int, answered_ns: int | None) -> Act:
    at_ns = max(done.at_ns, began_ns)
    moment = moments.before(at_ns, stops_reply=isinstance(done.deed, StopReply))
    after_ns = max(0, at_ns - moment.at_ns)
    answered_ns = None if answered_ns is None else max(at_ns, answered_ns) - began_ns
    return Act(done.deed, at_ns - began_ns, moment.anchor, after_ns, answered_ns)


def _says(
    spoken: list[Span], unheard: list[Span], done_ns: list[int], moments: Moments, began_ns: int
) -> Iterator[Act]:
    """Yield the speeches with what is soft before and behind them, as far as nothing else lies there."""
    free_from_ns = began_ns
    done_ns.sort()
    for number, speech in enumerate(spoken):
        moment = moments.before(speech.started_ns)
        since_ns = moment.at_ns if moment.at_ns <= speech.started_ns else moment.noticed_ns
        silent_ns = max((each.ended_ns for each in unheard if each.ended_ns <= speech.started_ns), default=0)
        done_before = bisect_right(done_ns, speech.started_ns)
        followed_ns = done_ns[done_before - 1] if done_before else 0
        first = _sample_from(max(speech.started_ns - LEAD_NS, since_ns, free_from_ns, silent_ns, followed_ns))
        until_ns = speech.ended_ns + TAIL_NS
        if number + 1 < len(spoken):
            until_ns = min(until_ns, (speech.ended_ns + spoken[number + 1].started_ns) // 2)
        until_ns = min(
            (each.started_ns for each in unheard if speech.ended_ns <= each.started_ns < until_ns), default=until_ns
        )
        samples = ns_to_samples(until_ns) - first
        free_from_ns = until_ns
        if samples > 0:
            at_ns = samples_to_ns(first)
            yield Act(Say(first, samples), at_ns - began_ns, moment.anchor, max(0, at_ns - moment.at_ns))


def _sample_from(at_ns: int) -> int:
    """Return the first sample that does not lie before a time, so that its own time is not either."""
    sample = ns_to_samples(at_ns)
    while samples_to_ns(sample) < at_ns:
        sample += 1
    return sample


def _replies(items: Iterable[Item], ends_ns: int) -> list[Heard]:
    """Return the replies that were heard, each with all its items."""
    by_response: dict[str, list[Item]] = {}
    for item in items:
        by_response.setdefault(item.response_id, []).append(item)
    return [_reply(each, ends_ns) for each in by_response.values()]


def _reply(items: list[Item], ends_ns: int) -> Heard:
    ends = [ends_ns if each.ended_ns is None else each.ended_ns for each in items]
    begun_ns = min(each.begun_ns for each in items)
    handed_ns = max(begun_ns, *ends)
    return Heard(
        begun_ns,
        max(begun_ns, *(end + each.latency_ns for end, each in zip(ends, items, strict=True))),
        handed_ns,
        any(each.cut for each in items),
        any(each.ended_ns is None for each in items),
    )


def _recordings(noted: Iterable[tuple[int, int | None]], ends_ns: int) -> list[Span]:
    """Return when recordings were said, one after the other, each from before its first sample on."""
    spans: list[Span] = []
    for start_ns, end_ns in noted:
        since_ns = max(start_ns - _NOTED_LATE_NS, spans[-1].ended_ns if spans else 0)
        spans.append(Span(since_ns, max(since_ns, ends_ns if end_ns is None else end_ns)))
    return spans


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, those that touch as one."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.started_ns <= merged[-1].ended_ns:
            merged[-1] = Span(merged[-1].started_ns, max(merged[-1].ended_ns, span.ended_ns))
        elif span.ended_ns > span.started_ns:
            merged.append(span)
    return merged


def _talk(source: Path, walk: Walk) -> tuple[list[tuple[int, int]], str | None]:
    """Return from when to when the participant was loud, and in a sentence what of that is not known."""
    if not walk.audio_kept:
        return [], "The audio was left out of this session on purpose: nothing that was said can be said again."
    with TrackFile(source, Track.HEARD) as file:
        if file.path is None:
            return [], "The record holds no heard audio: nothing that was said can be said again."
        read = 0

        def counted() -> Iterator[Samples]:
            nonlocal read
            for block in file.blocks(BLOCK_SAMPLES):
                read += len(block)
                yield block

        talk = loud(counted())
        ends_ns = walk.last_ns if walk.ended_ns is None else walk.ended_ns
        if samples_to_ns(read) < ends_ns - _HEARD_LAG_NS:
            return talk, (
                f"{file.path.name} opens up to {read / SAMPLE_RATE_HZ:.1f} s of {ends_ns / NS_PER_S:.1f} s: what was "
                "said later cannot be said again."
            )
    return talk, None


def _filled(source: Path, done: Iterable[Done], acts: tuple[Act, ...]) -> tuple[tuple[Act, ...], int]:
    """Return the acts with their audio in events that were composed by hand, and how many lack it."""
    spans = {id(each.deed): each.audio for each in done if each.audio is not None}
    if not spans:
        return acts, 0
    lacking = 0
    filled: list[Act] = []
    with TrackFile(source, Track.PARTICIPANT) as file:
        for act in acts:
            span = spans.get(id(act.deed))
            if span is not None and isinstance(act.deed, SendRaw):
                samples = file.read(span.first_sample, span.samples)
                if 2 * len(samples) != span.payload_bytes:
                    lacking += 1
                    continue
                payload = base64.b64encode(samples.astype("<i2").tobytes()).decode("ascii")
                event = {**act.deed.event, AUDIO_FIELDS["input_audio_buffer.append"]: payload}
                act = msgspec.structs.replace(act, deed=SendRaw(event))
            filled.append(act)
    return tuple(filled), lacking


def _lacks(walk: Walk) -> Iterator[str]:
    """Yield in sentences what the events say too little of to do it again."""
    if walk.lost_questions:
        questions = _count(walk.lost_questions, "question", "questions")
        yield (
            f"{questions} cannot be asked again: an earlier version made this record, which did not keep how a "
            "question was asked."
        )
    if walk.lost_images:
        what, them = _count(walk.lost_images, "image", "images"), "it" if walk.lost_images == 1 else "them"
        yield f"{what} cannot be pushed again: the record does not hold {them}."
    if walk.lost_entries:
        were = _count(walk.lost_entries, "entry of the record was", "entries of the record were")
        yield f"{were} lost to a slow disk: what was done then is not known."
    if walk.skipped:
        yield "Parts of the voice were skipped as an impairment: silence takes their place in what is said again."
    if walk.echo:
        yield "The microphone heard the loudspeaker: the agent's voice may be in what is said again."


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"

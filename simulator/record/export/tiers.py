"""A record as tiers: intervals and points in seconds on the session's clock, from which all annotations are made.

The clock is that of the heard track: second 0 is its first sample. The intervals of a tier never overlap, and none is
shorter than a millisecond, as the formats demand: what overlaps goes to a further tier, `responses (2)`.
"""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from simulator.record.entries import Direction, Entry, Track
from simulator.record.fields import text, whole_number
from simulator.record.measures import AgentSpan, Measures, SpeechSpan, Turn
from simulator.units import NS_PER_MS, NS_PER_S, SAMPLE_RATE_HZ, samples_to_ns

LATEST_NS: Final = 4_000_000 * NS_PER_S
"""46 days. Later times are damage, and ELAN's milliseconds end at 49."""
_SHORTEST_MS: Final = 1
_MOST_LANES: Final = 20
_LATEST_NOTICE_NS: Final = 5 * NS_PER_S
"""How long after speech began an engine may tell of it; where its positions say otherwise they count from elsewhere."""


@dataclass(frozen=True, slots=True)
class Span:
    """An interval; a point where both ends are the same."""

    start_s: float
    end_s: float
    text: str

    @property
    def start_ms(self) -> int:
        """The beginning in whole milliseconds."""
        return round(self.start_s * 1000)

    @property
    def end_ms(self) -> int:
        """The end in whole milliseconds; of an interval it lies behind the beginning."""
        return max(round(self.end_s * 1000), self.start_ms + _SHORTEST_MS)


@dataclass(frozen=True, slots=True)
class Tier:
    """Spans of one kind in the order of time."""

    name: str
    speaker: str
    """Whose doing it is: participant, agent, engine, study or operator."""
    spans: tuple[Span, ...]
    points: bool = False
    """Whether these are points in time rather than intervals."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, of the agent or the participant's own. Times are seconds; `asked_s` None: not known."""

    seq: int
    asked_s: float | None
    answered_s: float
    by: str
    fields: dict[str, Any]
    part: str


@dataclass(slots=True)
class Story:
    """What a record tells, collected from its entries in one pass."""

    started: dict[str, Any] = field(default_factory=dict)
    """The fields of its first entry."""
    measures: Measures = field(default_factory=Measures)
    answers: list[Answer] = field(default_factory=list)
    entries: int = 0
    last_ns: int = 0
    told_samples: dict[Track, int] = field(default_factory=dict)
    """How far the events say that each track reaches."""
    _part: str = ""
    _append_ends: list[int] = field(default_factory=list)
    """For each append the sample behind it …"""
    _append_ns: list[int] = field(default_factory=list)
    """… and when it was sent."""

    def feed(self, entry: Entry) -> None:
        """Take the next entry."""
        self.entries += 1
        self.last_ns = max(self.last_ns, _clamped(entry.t_ns))
        self.measures.feed(entry)
        if (span := entry.audio) is not None:
            told = span.first_sample + max(span.samples, 0)
            self.told_samples[span.track] = max(told, self.told_samples.get(span.track, 0))
        if entry.direction is Direction.SENT and entry.audio is not None:
            self._appended(entry)
        elif entry.direction is Direction.NOTED:
            self._noted(entry)

    def session_ns(self, sample: int) -> int | None:
        """Return when a sample of the sent audio was spoken; None where it was never sent."""
        at = bisect_right(self._append_ends, sample)
        if at >= len(self._append_ends) or sample < 0:
            return None
        return self._append_ns[at] - samples_to_ns(self._append_ends[at] - sample)

    def _appended(self, entry: Entry) -> None:
        span = entry.audio
        if span is None or span.track is not Track.PARTICIPANT or span.samples <= 0:
            return
        end, t_ns = span.first_sample + span.samples, _clamped(entry.t_ns)
        if not self._append_ends or end > self._append_ends[-1]:
            self._append_ends.append(end)
            self._append_ns.append(t_ns)

    def _noted(self, entry: Entry) -> None:
        match entry.type:
            case "record.started" if entry.seq == 0:
                self.started = entry.event
            case "part":
                self._part = text(entry, "name") or ""
            case "answer" | "own_answer":
                asked, answered = whole_number(entry, "asked_ns"), whole_number(entry, "answered_ns")
                own = entry.type == "own_answer"
                self.answers.append(
                    Answer(
                        entry.seq,
                        None if asked is None else seconds(asked),
                        seconds(entry.t_ns if answered is None else answered),
                        "participant" if own else text(entry, "by") or "agent",
                        entry.event,
                        self._part,
                    )
                )


def collect(entries: Iterable[Entry]) -> Story:
    """Return what the entries of a record tell."""
    story = Story()
    for entry in entries:
        story.feed(entry)
    return story


def seconds(t_ns: int) -> float:
    """Return a time of the record's clock in seconds, at microseconds; what no session reaches is clamped."""
    return round(_clamped(t_ns) / NS_PER_S, 6)


def tiers_of(story: Story) -> list[Tier]:
    """Return all tiers that hold something, each free of overlaps."""
    measures, end_ns = story.measures, story.last_ns
    speech = [(span, *_spoken(story, span)) for span in measures.speech_spans]
    turns = {turn.item_id: turn for turn in measures.turns}
    found = [
        *_laned("participant speech", "participant", [_span(start, end, "speech") for _, start, end in speech]),
        *_laned("participant words", "participant", _words(speech, turns, "text")),
        *_laned("participant words, recognised here", "participant", _words(speech, turns, "recognised")),
        *_laned(
            "engine turns",
            "engine",
            [_span(each.started_ns, each.stopped_ns or end_ns, each.item_id) for each in measures.speech_spans],
        ),
        *_laned("agent heard", "agent", [_heard(each, turns, end_ns) for each in measures.heard if _is_heard(each)]),
        *_laned("agent not heard", "agent", [_unheard(each, turns) for each in measures.heard if _rest(each)]),
        *_laned(
            "responses",
            "engine",
            [
                _span(each.created_ns, each.done_ns or end_ns, ": ".join(filter(None, (each.status, each.reason))))
                for each in measures.responses
            ],
        ),
        *_laned(
            "listening off",
            "study",
            [_span(start, end_ns if end is None else end, "listening off") for start, end in measures.listening_off],
        ),
        *_laned("questions", "study", [_question(each) for each in story.answers if each.asked_s is not None]),
        _points("answers", "agent", [(round(each.answered_s * NS_PER_S), answer_text(each)) for each in story.answers]),
        _points("pushes", "study", [(each.t_ns, _push_text(each.context)) for each in measures.pushes]),
        _points("chat", "agent", [(each.t_ns, each.text) for each in measures.turns if each.who == "agent typed"]),
        _points("barge-ins", "participant", [(each.received_ns, "barge-in") for each in measures.barge_ins]),
        _points("marks", "operator", [(each.t_ns, each.note) for each in measures.marks]),
    ]
    return [tier for tier in found if tier.spans]


def speech_times(story: Story) -> dict[str, tuple[float, float]]:
    """Return when each of the participant's turns was spoken, by the item's name."""
    spoken = ((each.item_id, *_spoken(story, each)) for each in story.measures.speech_spans)
    return {item_id: (seconds(start), seconds(end)) for item_id, start, end in spoken}


def answer_text(answer: Answer) -> str:
    """Return an answer in one line."""
    fields = answer.fields
    if fields.get("accepted") is False:
        return f"refused: {fields.get('error') or ''}"
    return f"{fields.get('component', '')}: {plain(fields.get('value'))}"


def plain(value: Any) -> str:
    """Return a JSON value as a person reads it."""
    if isinstance(value, list):
        return ", ".join(plain(each) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {plain(each)}" for name, each in value.items())
    return "" if value is None else str(value)


def one_line(text: str) -> str:
    """Return a text in one line: tabs, line ends and control characters are spaces."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _clamped(t_ns: int) -> int:
    return min(max(t_ns, 0), LATEST_NS)


def _span(start_ns: int, end_ns: int, text: str) -> Span:
    start_s = seconds(start_ns)
    return Span(start_s, max(seconds(end_ns), start_s), text)


def _spoken(story: Story, span: SpeechSpan) -> tuple[int, int]:
    """Return when a turn was spoken: by the engine's positions in the audio, or else by when it told of them."""
    stopped_ns = story.last_ns if span.stopped_ns is None else span.stopped_ns
    start = _position(story, span.audio_start_ms, span.started_ns)
    end = _position(story, span.audio_end_ms, stopped_ns)
    start_ns, end_ns = span.started_ns if start is None else start, stopped_ns if end is None else end
    return (start_ns, end_ns) if start_ns <= end_ns else (span.started_ns, stopped_ns)


def _position(story: Story, audio_ms: int | None, told_ns: int) -> int | None:
    if audio_ms is None:
        return None
    at_ns = story.session_ns(audio_ms * SAMPLE_RATE_HZ // 1000)
    # A position may be told of at once, and a few chunks are on their way.
    if at_ns is None or not told_ns - _LATEST_NOTICE_NS <= at_ns <= told_ns + 100 * NS_PER_MS:
        return None
    return at_ns


def _words(speech: list[tuple[SpeechSpan, int, int]], turns: dict[str, Turn], which: str) -> list[Span]:
    found = []
    for span, start_ns, end_ns in speech:
        turn = turns.get(span.item_id)
        words = getattr(turn, which) if turn is not None else None
        if words:
            found.append(_span(start_ns, end_ns, words))
    return found


def _rest(span: AgentSpan) -> int:
    """Return how many samples were received and never heard."""
    return max(span.received_samples - span.handed_samples, 0) if span.cut and span.ended_ns is not None else 0


def _is_heard(span: AgentSpan) -> bool:
    return span.handed_samples > 0 or span.ended_ns is None or not span.cut


def _heard(span: AgentSpan, turns: dict[str, Turn], end_ns: int) -> Span:
    turn = turns.get(span.item_id)
    words = "" if turn is None else turn.text if turn.heard_text is None else turn.heard_text
    return _span(span.started_ns, end_ns if span.ended_ns is None else span.ended_ns, words)


def _unheard(span: AgentSpan, turns: dict[str, Turn]) -> Span:
    """Return what would have been heard from the cut on."""
    turn = turns.get(span.item_id)
    words = "" if turn is None else turn.text.removeprefix(turn.heard_text or "").strip()
    start_ns = span.started_ns if span.ended_ns is None else span.ended_ns
    return _span(start_ns, start_ns + samples_to_ns(min(_rest(span), LATEST_NS // NS_PER_S * SAMPLE_RATE_HZ)), words)


def _question(answer: Answer) -> Span:
    fields = answer.fields
    asked_s = answer.asked_s or 0.0
    question = plain(fields.get("question")) or plain(fields.get("component"))
    return Span(asked_s, max(answer.answered_s, asked_s), f"{question} → {answer_text(answer)}")


def _push_text(context: dict[str, Any]) -> str:
    told = [str(context.get("event", ""))]
    told += [str(context[name]) for name in ("said", "question", "text", "name", "secondsLeft") if name in context]
    return ": ".join(told)


def _points(name: str, speaker: str, points: list[tuple[int, str]]) -> Tier:
    spans = sorted((_span(t_ns, t_ns, text) for t_ns, text in points), key=lambda span: span.start_s)
    return Tier(name, speaker, tuple(spans), points=True)


def _laned(name: str, speaker: str, spans: list[Span]) -> list[Tier]:
    """Return the spans in as many tiers as they need to overlap in none.

    Only a broken record needs more than `_MOST_LANES`: there, an interval ends where the next begins.
    """
    lanes: list[list[Span]] = []
    for span in sorted(spans, key=lambda span: (span.start_s, span.end_s)):
        free = next((lane for lane in lanes if lane[-1].end_ms <= span.start_ms), None)
        if free is None and len(lanes) < _MOST_LANES:
            lanes.append([span])
        elif free is not None:
            free.append(span)
        elif lanes[-1][-1].start_ms < span.start_ms:
            last = lanes[-1][-1]
            lanes[-1][-1:] = [Span(last.start_s, span.start_s, last.text), span]
    return [Tier(name if not at else f"{name} ({at + 1})", speaker, tuple(lane)) for at, lane in enumerate(lanes)]


def started_at(story: Story) -> str | None:
    """Return the date and time of day when the record began, as it says."""
    value = story.started.get("started_at")
    return value if isinstance(value, str) else None

"""A record as tiers: intervals and points in seconds on the session's clock, from which all annotations are made.

The clock is that of the heard track: second 0 is its first sample. The intervals of a tier never overlap, and none is
shorter than a millisecond, as the formats demand: what overlaps goes to a further tier, `responses (2)`.
"""

from dataclasses import dataclass
from typing import Any, Final

from simulator.record.entries import LATEST_NS
from simulator.record.floor import Spurt
from simulator.record.floor_sources import Talk
from simulator.record.measures import AgentSpan, SpeechSpan, Turn
from simulator.record.story import Answer, Story, seconds, spoken
from simulator.units import NS_PER_S, SAMPLE_RATE_HZ, samples_to_ns

_SHORTEST_MS: Final = 1
_MOST_LANES: Final = 20


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


def tiers_of(story: Story, voices: Talk | None = None) -> list[Tier]:
    """Return all tiers that hold something, each free of overlaps. `voices`: when both talked, by the energy."""
    measures, end_ns = story.measures, story.last_ns
    speech = [(span, *spoken(story, span)) for span in measures.speech_spans]
    turns = {turn.item_id: turn for turn in measures.turns}
    found = [
        *([] if voices is None else _laned("participant voice", "participant", _voice(voices.participant))),
        *_laned("participant speech", "participant", [_span(start, end, "speech") for _, start, end in speech]),
        *_laned("participant words", "participant", _words(speech, turns, "text")),
        *_laned("participant words, recognised here", "participant", _words(speech, turns, "recognised")),
        *_laned(
            "engine turns",
            "engine",
            [_span(each.started_ns, each.stopped_ns or end_ns, each.item_id) for each in measures.speech_spans],
        ),
        *([] if voices is None else _laned("agent voice", "agent", _voice(voices.agent))),
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


def _span(start_ns: int, end_ns: int, text: str) -> Span:
    start_s = seconds(start_ns)
    return Span(start_s, max(seconds(end_ns), start_s), text)


def _voice(spurts: list[Spurt]) -> list[Span]:
    return [_span(spurt.started_ns, spurt.ended_ns, "voice") for spurt in spurts]


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
    event = str(context.get("event", ""))
    told = [str(context[name]) for name in ("said", "question", "text", "name", "secondsLeft") if name in context]
    if told and told[0].lower().startswith(f"{event}:"):
        return ": ".join(told)  # "Question: How are you?" of the event "question"
    return ": ".join([event, *told])


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

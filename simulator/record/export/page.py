"""One HTML page to read and listen to a session: the transcript beside a timeline, answers and latencies.

The page needs nothing else and may load nothing else; only a long sound lies beside it. Every text of the record is
escaped, and the only script that may run is the one written here.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from statistics import median
from typing import Any, Final
from urllib.parse import quote

from simulator.record.export.texts import without_controls
from simulator.record.export.tiers import Tier, plain
from simulator.record.export.timeline import timeline
from simulator.record.measures import Turn
from simulator.record.measures.titles import title
from simulator.record.story import Story, seconds, speech_times, started_at

LARGEST_INSIDE_BYTES: Final = 24_000_000
"""A larger sound lies beside the page: browsers are slow with it inside."""
_BLOCK_BYTES: Final = 3 << 18  # of three bytes become four characters: blocks must not end between
_COLUMNS: Final = ("part", "by", "question", "answer", "asked s", "answered s", "attempts")

_STYLE: Final = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.sound { position: sticky; top: 0; background: Canvas; padding: .5rem 0; } audio { width: 100%; }
.timeline { display: flex; } .timeline > svg { flex: none; } svg { display: block; }
.drawing { overflow-x: auto; border: 1px solid GrayText; }
svg text { fill: CanvasText; font: 11px system-ui, sans-serif; }
.participant { fill: #2f7fd6; } .agent { fill: #d9822b; } .engine { fill: #8a8f98; } .study { fill: #3f9d63; }
.operator { fill: #b3409a; } .cursor { stroke: #e5484d; } .grid { stroke: #8a8f98; stroke-opacity: .3; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .2rem .6rem; }
tr + tr td { border-top: 1px solid #8a8f9855; } td.t { white-space: nowrap; font-variant-numeric: tabular-nums; }
.words { white-space: pre-wrap; overflow-wrap: anywhere; } .lost { opacity: .55; text-decoration: line-through; }
.note { border-left: 3px solid #d9822b; padding-left: .6rem; }
[data-t] { cursor: pointer; } button { all: unset; cursor: pointer; text-decoration: underline; }
"""
_SCRIPT: Final = """
const sound = document.querySelector("audio"), cursor = document.querySelector(".cursor");
document.addEventListener("click", event => {
  const at = event.target.closest("[data-t]");
  if (at && sound) { sound.currentTime = Number(at.dataset.t); sound.play(); }
});
if (sound && cursor) sound.addEventListener("timeupdate", () => {
  const x = sound.currentTime * Number(cursor.dataset.scale);
  cursor.setAttribute("x1", x); cursor.setAttribute("x2", x);
});
"""


def page(title: str, story: Story, tiers: Sequence[Tier], duration_s: float, notes: Iterable[str]) -> tuple[str, str]:
    """Return what comes before and after the sound."""
    head = [
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>",
        f"<meta http-equiv='Content-Security-Policy' content=\"{_policy()}\">",
        "<meta name='viewport' content='width=device-width'><meta name='referrer' content='no-referrer'>",
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{_text(title)}</h1><p>{_subtitle(story, duration_s)}</p>",
        *(f"<p class='note'>{_text(note)}</p>" for note in notes),
    ]
    tail = [
        "<h2>Timeline</h2><div class='timeline'>",
        timeline(tiers, duration_s),
        "</div><h2>Transcript</h2>",
        *_transcript(story),
        "<p>Struck through: generated, and never heard.</p>",
        *(["<h2>Answers</h2>", *_answers(story)] if story.answers else []),
        *(["<h2>Latencies</h2>", *_latencies(story)] if story.measures.latencies else []),
        f"<script>{_SCRIPT}</script></body></html>\n",
    ]
    return "\n".join(head), "\n".join(tail)


def with_sound(head: str, tail: str, sound: Path | None, *, inside: bool) -> Iterator[bytes]:
    """Yield the page with a FLAC file in it or beside it. Raises OSError."""
    yield head.encode("utf-8", "replace")
    if sound is None:
        yield b"<p class='note'>This page has no sound.</p>"
    elif not inside:
        yield f"<div class='sound'><audio controls src='{escape(quote(sound.name))}'></audio></div>".encode()
    else:
        yield b"<div class='sound'><audio controls src='data:audio/flac;base64,"
        with sound.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                yield base64.b64encode(block)
        yield b"'></audio></div>"
    yield tail.encode("utf-8", "replace")


def _policy() -> str:
    return (
        f"default-src 'none'; style-src {_hash(_STYLE)}; script-src {_hash(_SCRIPT)}; media-src data: file: 'self'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(source: str) -> str:
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _text(value: Any) -> str:
    """Return a value as text of the page; what HTML forbids is a space."""
    return escape(without_controls(plain(value)))


def _subtitle(story: Story, duration_s: float) -> str:
    started = story.started
    minutes, rest_s = divmod(duration_s, 60)
    told = [started_at(story), started.get("engine"), started.get("model"), f"{minutes:.0f} min {rest_s:04.1f} s"]
    return " · ".join(_text(each) for each in told if isinstance(each, str) and each)


def _time(at_s: float) -> str:
    minutes, rest_s = divmod(at_s, 60)
    return f"<td class='t'><button data-t='{at_s:.3f}'>{minutes:.0f}:{rest_s:06.3f}</button></td>"


def _transcript(story: Story) -> Iterator[str]:
    spoken = speech_times(story)
    heard = {each.item_id: seconds(each.started_ns) for each in story.measures.heard}
    yield "<table>"
    for turn in story.measures.turns:
        at_s = spoken[turn.item_id][0] if turn.item_id in spoken else heard.get(turn.item_id, seconds(turn.t_ns))
        words = f"<td class='words' dir='auto'>{_words(turn)}</td>"
        yield f"<tr>{_time(at_s)}<td>{_text(turn.who)}</td>{words}</tr>"
    yield "</table>"


def _words(turn: Turn) -> str:
    words = turn.text or turn.recognised or "(no words)"
    if turn.heard_text is None or turn.heard_text == turn.text or not turn.text.startswith(turn.heard_text):
        return _text(words)
    lost = turn.text[len(turn.heard_text) :]
    return f"{_text(turn.heard_text)}<span class='lost' title='not heard'>{_text(lost)}</span>"


def _answers(story: Story) -> Iterator[str]:
    yield f"<table><tr>{''.join(f'<th>{name}</th>' for name in _COLUMNS)}</tr>"
    for each in story.answers:
        fields = each.fields
        refused = fields.get("accepted") is False
        answer = f"refused: {plain(fields.get('error'))}" if refused else fields.get("value")
        asked = "<td></td>" if each.asked_s is None else _time(each.asked_s)
        yield (
            f"<tr><td>{_text(each.part)}</td><td>{_text(each.by)}</td>"
            f"<td class='words' dir='auto'>{_text(fields.get('question') or fields.get('component'))}</td>"
            f"<td class='words' dir='auto'>{_text(answer)}</td>{asked}{_time(each.answered_s)}"
            f"<td>{_text(fields.get('attempts'))}</td></tr>"
        )
    yield "</table>"


def _latencies(story: Story) -> Iterator[str]:
    values: dict[tuple[str, str, str], list[float]] = {}
    for each in story.measures.latencies:
        values.setdefault((each.name, each.from_label, each.to_label), []).append(each.value_ms)
    columns = ("latency", "from", "to", "n", "median ms", "smallest", "largest")
    yield f"<table><tr>{''.join(f'<th>{name}</th>' for name in columns)}</tr>"
    for (name, start, end), found in values.items():
        yield (
            f"<tr><td>{_text(title(name))}</td><td>{_text(start)}</td><td>{_text(end)}</td><td>{len(found)}</td>"
            f"<td>{median(found):.1f}</td><td>{min(found):.1f}</td><td>{max(found):.1f}</td></tr>"
        )
    yield "</table>"

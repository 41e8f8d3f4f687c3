"""Draws a `Timeline` as one SVG element for a page: no script, no font and no colour of its own."""

from collections.abc import Iterator
from html import escape
from typing import Final

import numpy as np

from simulator.audio.peaks import block_peaks
from simulator.conformance.plain_text import shortened, visible
from simulator.conformance.timeline import Mark, Samples, Timeline
from simulator.units import NS_PER_S

_WIDTH: Final = 1080
_LEFT: Final = 92
_RIGHT: Final = 8
_ROW: Final = 13
_ROWS: Final = 4
_WAVE: Final = 54
_BAR: Final = 14
_CHARACTER: Final = 5.6
"""Width of a letter of a label, roughly."""
_LANES: Final = _ROWS * _ROW + 6
_VAD: Final = _LANES + _WAVE + 2
_AGENT: Final = _VAD + _BAR + 8
_RESPONSES: Final = _AGENT + _WAVE + 2
_AXIS: Final = _RESPONSES + _BAR + 4
_HEIGHT: Final = _AXIS + 18
_WRONG: Final = frozenset({"error", "problem", "closed", "malformed"})
_COLUMNS: Final = (_WIDTH - _LEFT - _RIGHT) * 3 // 4

DEFINITIONS: Final = (
    '<svg width="0" height="0" class="definitions" aria-hidden="true"><defs><pattern id="hatch" width="6" height="6" '
    'patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch" width="2" height="6"/></pattern>'
    "</defs></svg>"
)
"""What all pictures of a page share; it stands in the page once."""


def svg(timeline: Timeline, title: str) -> str:
    """Return the picture as an SVG element, which takes its colours from the page's style sheet."""
    marks, rows = _draw_marks(timeline)
    top = _LANES - 6 - rows * _ROW
    box = f"0 {top} {_WIDTH} {_HEIGHT - top}"
    return "".join(
        [
            f'<svg class="timeline" viewBox="{box}" role="img" aria-label="{escape(visible(title))}">',
            *_backdrop(timeline),
            *marks,
            *_draw_voices(timeline),
            *_draw_speech(timeline),
            *_draw_responses(timeline),
            *_draw_axis(timeline),
            "</svg>",
        ]
    )


def _x(timeline: Timeline, t_ns: int) -> float:
    share = min(max(t_ns / timeline.end_ns, 0.0), 1.0)
    return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)


def _seconds(t_ns: int) -> str:
    return f"{t_ns / NS_PER_S:.2f} s"


def _rect(kind: str, x: float, until: float, y: float, height: float, tip: str = "") -> str:
    inner = f"<title>{escape(visible(tip))}</title>" if tip else ""
    width = round(max(until - x, 1.0), 1)
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}">{inner}</rect>'


def _label(y: float, words: str) -> str:
    return f'<text class="lane" x="{_LEFT - 8}" y="{y}" text-anchor="end">{words}</text>'


def _backdrop(timeline: Timeline) -> Iterator[str]:
    yield _rect("ground", _LEFT, _WIDTH - _RIGHT, _LANES, _WAVE)
    yield _rect("ground", _LEFT, _WIDTH - _RIGHT, _AGENT, _WAVE)
    for began, ended in timeline.listening_off:
        tip = f"Listening off, {_seconds(began)} to {_seconds(ended)}"
        x, until = _x(timeline, began), _x(timeline, ended)
        yield _rect("off", x, until, _LANES, _VAD + _BAR - _LANES, tip)
        if until - x > 70:
            yield f'<text class="off-word" x="{x + 5}" y="{_LANES + 12}">listening off</text>'
    for began, ended in timeline.spoken:
        tip = f"Speech in the recording, {_seconds(began)} to {_seconds(ended)}"
        yield _rect("spoken", _x(timeline, began), _x(timeline, ended), _LANES, _WAVE, tip)
    yield _label(_LANES + _WAVE / 2 + 4, "Participant")
    yield _label(_VAD + 11, "engine heard")
    yield _label(_AGENT + _WAVE / 2 + 4, "Agent")
    yield _label(_RESPONSES + 11, "responses")


def _draw_voices(timeline: Timeline) -> Iterator[str]:
    yield _wave("participant", timeline.participant, _LANES)
    yield _wave("unheard", timeline.unheard, _AGENT)
    yield _wave("agent", timeline.heard, _AGENT)


def _wave(kind: str, samples: Samples, y: int) -> str:
    """Return a waveform as one filled outline: its largest samples from left to right, its smallest back."""
    base = max(-(-len(samples) // _COLUMNS), 1)
    if len(samples) == 0 or not samples.any():
        return ""
    mins, maxs = block_peaks(samples, base)
    step, middle, scale = (_WIDTH - _LEFT - _RIGHT) * base / len(samples), y + _WAVE / 2, _WAVE / 256
    shapes = []
    loud = np.flatnonzero((maxs > 0) | (mins < -1))
    for run in np.split(loud, np.flatnonzero(np.diff(loud) > 1) + 1):
        if not len(run):
            continue
        points = [(_LEFT + n * step, middle - maxs[n] * scale) for n in run]
        points += [(_LEFT + (run[-1] + 1) * step, middle)]
        points += [(_LEFT + n * step, middle - mins[n] * scale + 0.5) for n in reversed(run)]
        shapes.append("M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in points) + "Z")
    return f'<path class="{kind}" d="{"".join(shapes)}"/>' if shapes else ""


def _draw_speech(timeline: Timeline) -> Iterator[str]:
    for span in timeline.speech:
        ended = timeline.end_ns if span.stopped_ns is None else span.stopped_ns
        tip = f"speech_started (event {span.seq}) at {_seconds(span.started_ns)}, stopped at {_seconds(ended)}"
        yield _rect("vad", _x(timeline, span.started_ns), _x(timeline, ended), _VAD + 2, _BAR - 6, tip)


def _draw_responses(timeline: Timeline) -> Iterator[str]:
    for span in timeline.responses:
        ended = timeline.end_ns if span.done_ns is None else span.done_ns
        status = visible(shortened(span.status or "no end", 40))
        tip = f"Response (event {span.seq}), {_seconds(span.created_ns)} to {_seconds(ended)}: {status}"
        x, until = _x(timeline, span.created_ns), _x(timeline, ended)
        kind = "response" if span.status in ("completed", None) else "response ended"
        yield _rect(kind, x, until, _RESPONSES + 2, _BAR - 6, tip)
        word = f"<title>{escape(tip)}</title>{escape(status)}"
        at = min(until + 4, _WIDTH - _RIGHT - len(status) * _CHARACTER)
        if at >= until:
            yield f'<text class="status" x="{at:.1f}" y="{_RESPONSES + 10}">{word}</text>'


def _draw_marks(timeline: Timeline) -> tuple[list[str], int]:
    """Return the marks, and how many rows of labels they need above the lanes."""
    placed: list[tuple[Mark, float, float, int | None]] = []
    free_from, rows = [0.0] * _ROWS, 0
    for mark in timeline.marks:
        x, width = _x(timeline, mark.t_ns), len(mark.label) * _CHARACTER + 4
        left = x if x + width <= _WIDTH else x - width
        row = next((n for n in range(_ROWS) if free_from[n] <= left), None)
        placed.append((mark, x, left, row))
        if row is not None:
            free_from[row], rows = left + width + 4, max(rows, row + 1)
    return [_mark(mark, x, left, None if row is None else rows - 1 - row) for mark, x, left, row in placed], rows


def _mark(mark: Mark, x: float, left: float, row: int | None) -> str:
    """Return a mark whose label stands in a row, counted upwards from the lanes; without a row only its line."""
    tip = escape(visible(f"{mark.direction.value} {mark.type}, event {mark.seq}, at {_seconds(mark.t_ns)}"))
    kind = "mark wrong" if mark.label in _WRONG else "mark"
    top = _LANES - 2 - (0 if row is None else (row + 1) * _ROW - 4)
    label = "" if row is None else f'<text x="{left + 3:.1f}" y="{_LANES - 6 - row * _ROW}">{mark.label}</text>'
    return f'<g class="{kind}"><title>{tip}</title><path d="M{x} {top}V{_AXIS}"/>{label}</g>'


def _draw_axis(timeline: Timeline) -> Iterator[str]:
    length_s = timeline.end_ns / NS_PER_S
    step_s = next((step for step in (0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60) if length_s / step <= 14), 120)
    for n in range(int(length_s / step_s) + 1):
        x = _x(timeline, round(n * step_s * NS_PER_S))
        if x <= _WIDTH - 24:
            text = f'<text x="{x}" y="{_AXIS + 14}">{n * step_s:g} s</text>'
            yield f'<g class="tick"><path d="M{x} {_AXIS}v4"/>{text}</g>'

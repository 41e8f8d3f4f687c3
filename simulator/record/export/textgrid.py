"""A TextGrid for Praat, in its long text format, to be kept as UTF-8.

Interval tiers reach from the beginning to the end of the session without holes: what lies between two intervals is an
interval without a text. Line ends stay in a text, a quotation mark is doubled.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from simulator.record.export.tiers import Span, Tier

_CONTROL: Final = {code: " " for code in range(32) if chr(code) not in "\t\n"}


def textgrid(tiers: Sequence[Tier], duration_s: float) -> str:
    """Return the text of the file. It reaches to the end of the session, or of what lies behind it."""
    end_s = max([duration_s, 0.001, *(_end(tier, span) for tier in tiers for span in tier.spans)])
    return "".join(f"{line}\n" for line in _lines(tiers, end_s))


def _lines(tiers: Sequence[Tier], end_s: float) -> Iterator[str]:
    yield 'File type = "ooTextFile"'
    yield 'Object class = "TextGrid"'
    yield ""
    yield "xmin = 0"
    yield f"xmax = {end_s:.6f}"
    yield "tiers? <exists>"
    yield f"size = {len(tiers)}"
    yield "item []:"
    for number, tier in enumerate(tiers, 1):
        yield f"    item [{number}]:"
        yield f'        class = "{"TextTier" if tier.points else "IntervalTier"}"'
        yield f"        name = {_quoted(tier.name)}"
        yield "        xmin = 0"
        yield f"        xmax = {end_s:.6f}"
        yield from _point_lines(tier) if tier.points else _interval_lines(tier, end_s)


def _point_lines(tier: Tier) -> Iterator[str]:
    points = _distinct(tier.spans)
    yield f"        points: size = {len(points)}"
    for number, (at_s, text) in enumerate(points, 1):
        yield f"        points [{number}]:"
        yield f"            number = {at_s:.6f}"
        yield f"            mark = {_quoted(text)}"


def _interval_lines(tier: Tier, end_s: float) -> Iterator[str]:
    intervals = _contiguous(tier, end_s)
    yield f"        intervals: size = {len(intervals)}"
    for number, span in enumerate(intervals, 1):
        yield f"        intervals [{number}]:"
        yield f"            xmin = {span.start_s:.6f}"
        yield f"            xmax = {span.end_s:.6f}"
        yield f"            text = {_quoted(span.text)}"


def _contiguous(tier: Tier, end_s: float) -> list[Span]:
    found: list[Span] = []
    at_s = 0.0
    for span in tier.spans:
        start_s = max(span.start_s, at_s)
        if start_s > at_s:
            found.append(Span(at_s, start_s, ""))
        at_s = max(_end(tier, span), start_s + 1e-6)
        found.append(Span(start_s, at_s, span.text))
    if at_s < end_s or not found:
        found.append(Span(at_s, end_s, ""))
    return found


def _distinct(spans: Iterable[Span]) -> list[tuple[float, str]]:
    """Return points at times of their own, as Praat wants them: those of one time are joined."""
    found: list[tuple[float, str]] = []
    for span in spans:
        if found and found[-1][0] == span.start_s:
            found[-1] = (span.start_s, f"{found[-1][1]}; {span.text}")
        else:
            found.append((span.start_s, span.text))
    return found


def _end(tier: Tier, span: Span) -> float:
    return span.start_s if tier.points else max(span.end_s, span.start_s + 0.001)


def _quoted(text: str) -> str:
    clean = text.replace("\r\n", "\n").translate(_CONTROL)
    return '"' + clean.replace('"', '""') + '"'

"""The tiers of a session as a drawing (SVG) for the page: a row a tier, time from left to right."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from simulator.record.export.texts import one_line
from simulator.record.export.tiers import Tier

_PIXELS_PER_S: Final = 20.0
_WIDEST: Final = 60_000
_NARROWEST: Final = 800
_ROW: Final = 22
_NAMES: Final = 220
_TOP: Final = 18
_LONGEST_TITLE: Final = 200


def timeline(tiers: Sequence[Tier], duration_s: float) -> str:
    """Return the drawing, and before it the names of its rows, to stay where they are while it is scrolled.

    Each interval tells its text when it is pointed at, and its time in `data-t`.
    """
    end_s = max([duration_s, 1.0, *(span.end_s for tier in tiers for span in tier.spans)])
    width = min(max(end_s * _PIXELS_PER_S, _NARROWEST), _WIDEST)
    names = "".join(
        f"<text x='2' y='{_TOP + _ROW * row + 15}'>{escape(tier.name)}</text>" for row, tier in enumerate(tiers)
    )
    rows = f"<svg xmlns='http://www.w3.org/2000/svg' width='{_NAMES}' height='{_TOP + _ROW * len(tiers)}'>{names}</svg>"
    return f"{rows}<div class='drawing'>{''.join(_elements(tiers, end_s, width))}</div>"


def _elements(tiers: Sequence[Tier], end_s: float, width: float) -> Iterator[str]:
    scale, height = width / end_s, _TOP + _ROW * len(tiers)
    yield f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height}' role='img'>"
    step_s = next((each for each in (1, 5, 10, 30, 60, 300, 600) if each * scale >= 50), end_s / 50)
    for number in range(min(int(end_s / step_s) + 1, 1 + _WIDEST // 50)):
        at_s = number * step_s
        yield (
            f"<line class='grid' x1='{at_s * scale:.1f}' x2='{at_s * scale:.1f}' y1='0' y2='{height}'/>"
            f"<text x='{at_s * scale + 2:.1f}' y='12'>{at_s // 60:.0f}:{at_s % 60:02.0f}</text>"
        )
    for row, tier in enumerate(tiers):
        top = _TOP + _ROW * row
        for span in tier.spans:
            wide = 3.0 if tier.points else max((span.end_s - span.start_s) * scale, 1.0)
            title = one_line(span.text)[:_LONGEST_TITLE]
            yield (
                f"<rect class='{tier.speaker}' x='{span.start_s * scale:.2f}' y='{top + 3}' width='{wide:.2f}' "
                f"height='16' rx='2' data-t='{span.start_s:.3f}'><title>{escape(title)}</title></rect>"
            )
    yield f"<line class='cursor' x1='0' x2='0' y1='0' y2='{height}' data-scale='{scale:.6f}'/></svg>"

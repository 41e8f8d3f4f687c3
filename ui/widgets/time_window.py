"""Which part of the session's time a timeline shows: following, freezing, zooming and scrolling, without Qt.

The window is `span_ns` wide and `width_px` pixels. Its left edge lies on a grid of whole pixels, so that a column of
a waveform covers the same samples in every frame and the picture scrolls without shimmering.

Following: the present stays at a fixed place near the right edge. Frozen: the present of the picture stands still
while the session goes on; scrolling and zooming still work up to that moment. Any move of the user ends following,
and following ends freezing.
"""

from dataclasses import dataclass
from typing import Final

from simulator.units import NS_PER_MS, NS_PER_S

SHORTEST_NS: Final = 100 * NS_PER_MS
STEPS_NS: Final = tuple(
    round(seconds * NS_PER_S) for seconds in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600)
)
"""Widths that the zoom keys step through."""
DEFAULT_NS: Final = 10 * NS_PER_S
_FIT_AT_MOST_NS: Final = 60 * NS_PER_S
_PRESENT_AT: Final = 0.96
"""Where the present lies while following, as a part of the width: what comes next has a little room."""
_TICK_STEPS_NS: Final = tuple(
    round(seconds * NS_PER_S)
    for seconds in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200)
)


@dataclass(slots=True)
class TimeWindow:
    """The state of the view. All times are nanoseconds on the record's clock."""

    width_px: int = 1000
    span_ns: int = DEFAULT_NS
    following: bool = True
    now_ns: int = 0
    """The present of the session."""
    frozen_at_ns: int | None = None
    _left_ns: int = 0

    @property
    def frozen(self) -> bool:
        """Whether the picture stands still."""
        return self.frozen_at_ns is not None

    @property
    def present_ns(self) -> int:
        """The last moment that is drawn: the present, or where it was frozen."""
        return self.now_ns if self.frozen_at_ns is None else self.frozen_at_ns

    @property
    def ns_per_px(self) -> float:
        """Time of one pixel."""
        return self.span_ns / max(1, self.width_px)

    @property
    def left_px(self) -> int:
        """Number of the leftmost column, counted from the session's start."""
        left_ns = self._following_left() if self.following else self._left_ns
        return round(left_ns / self.ns_per_px)

    @property
    def left_ns(self) -> int:
        """Time at the left edge."""
        return round(self.left_px * self.ns_per_px)

    @property
    def right_ns(self) -> int:
        """Time at the right edge."""
        return round((self.left_px + self.width_px) * self.ns_per_px)

    @property
    def furthest_ns(self) -> int:
        """The furthest that the left edge can be scrolled to."""
        return max(0, self._following_left())

    @property
    def at_present(self) -> bool:
        """Whether the view cannot be scrolled further."""
        return self.following or self._left_ns >= self.furthest_ns

    def x(self, t_ns: int) -> float:
        """Return the horizontal place of a time in pixels, unclipped."""
        return t_ns / self.ns_per_px - self.left_px

    def t_ns(self, x: float) -> int:
        """Return the time at a horizontal place."""
        return round((self.left_px + x) * self.ns_per_px)

    def follow(self) -> None:
        """Go to the present and stay with it."""
        self.frozen_at_ns = None
        self.following = True

    def stay(self) -> None:
        """Stop following where the view is now."""
        if self.following:
            self._left_ns = self.left_ns
            self.following = False

    def freeze(self) -> None:
        """Let the picture stand still where it is."""
        self.stay()
        self.frozen_at_ns = self.now_ns

    def scroll_to(self, left_ns: int) -> None:
        """Put the left edge at `left_ns`, kept between the session's start and its present."""
        furthest = self.furthest_ns
        self._left_ns = min(max(0, left_ns), furthest)
        self.following = False

    def scroll_by(self, pixels: float) -> None:
        """Move the view by a number of pixels: positive towards the present."""
        self.scroll_to(self.left_ns + round(pixels * self.ns_per_px))

    def show(self, t_ns: int) -> None:
        """Bring a time into view: nothing changes where it is visible with some room, else it comes to the middle."""
        room = self.span_ns // 40
        if not self.left_ns + room <= t_ns <= self.right_ns - room:
            self.scroll_to(t_ns - self.span_ns // 2)

    def zoom(self, factor: float, at_x: float | None = None) -> None:
        """Make the window `factor` times as wide; the time at `at_x` stays (None: the middle, or the present)."""
        self.zoom_to(round(self.span_ns * factor), at_x)

    def zoom_to(self, span_ns: int, at_x: float | None = None) -> None:
        """Make the window `span_ns` wide, between 100 ms and the whole session (at least an hour)."""
        x = self.width_px / 2 if at_x is None else at_x
        anchor_ns = self.t_ns(x)
        longest = max(STEPS_NS[-1], self.now_ns)
        self.span_ns = min(max(SHORTEST_NS, span_ns), longest)
        if not self.following:
            self.scroll_to(anchor_ns - round(x * self.ns_per_px))

    def fit(self, length_ns: int) -> None:
        """Show a session of this length from its beginning: all of it, or its first minute."""
        fitting = (step for step in STEPS_NS if max(NS_PER_S, length_ns) <= step <= _FIT_AT_MOST_NS)
        self.zoom_to(next(fitting, _FIT_AT_MOST_NS))
        self.scroll_to(0)

    def step_in(self) -> None:
        """Zoom to the next narrower of `STEPS_NS`."""
        self.zoom_to(max((step for step in STEPS_NS if step < self.span_ns), default=SHORTEST_NS))

    def step_out(self) -> None:
        """Zoom to the next wider of `STEPS_NS`."""
        self.zoom_to(min((step for step in STEPS_NS if step > self.span_ns), default=max(STEPS_NS[-1], self.now_ns)))

    def ticks(self, least_px: float) -> list[tuple[int, float]]:
        """Return (time, x) of the ruler's labelled ticks, at least `least_px` apart."""
        step = self.tick_step_ns(least_px)
        first = -(-max(0, self.left_ns) // step)
        last = self.right_ns // step
        return [(number * step, self.x(number * step)) for number in range(first, last + 1)]

    def tick_step_ns(self, least_px: float) -> int:
        """Return the distance of labelled ticks."""
        least_ns = least_px * self.ns_per_px
        return next((step for step in _TICK_STEPS_NS if step >= least_ns), _TICK_STEPS_NS[-1])

    def _following_left(self) -> int:
        """Left edge that puts the present in its place; a young session begins at the left."""
        return max(0, self.present_ns - round(self.span_ns * _PRESENT_AT))


def clock_text(t_ns: int, step_ns: int = NS_PER_MS) -> str:
    """Return a time of the session as ``mm:ss`` or ``h:mm:ss``, with the decimals that `step_ns` needs."""
    whole_ms = t_ns // NS_PER_MS
    seconds, milliseconds = divmod(whole_ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes:02d}:{seconds:02d}"
    if step_ns % NS_PER_S == 0:
        return text
    if step_ns % (100 * NS_PER_MS) == 0:
        return f"{text}.{milliseconds // 100}"
    if step_ns % (10 * NS_PER_MS) == 0:
        return f"{text}.{milliseconds // 10:02d}"
    return f"{text}.{milliseconds:03d}"


def span_text(span_ns: int) -> str:
    """Return a duration for people: ``500 ms``, ``10 s``, ``2.5 min``, ``1 h``."""
    if span_ns < NS_PER_S:
        return f"{span_ns / NS_PER_MS:.0f} ms"
    for unit, size in (("h", 3600 * NS_PER_S), ("min", 60 * NS_PER_S)):
        if span_ns >= 2 * size or span_ns == size:
            return f"{span_ns / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{span_ns / NS_PER_S:.1f}".removesuffix(".0") + " s"

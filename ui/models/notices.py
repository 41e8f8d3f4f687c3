"""Which sentences the user should read now. No Qt here.

A notice is about the live session or about one saved record, and is shown while that is on screen, and wherever it was
told. It ends when it is dismissed, when its record leaves the screen, or when the next session begins; none takes the
place of another that was not read.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

LIVE: Final = ""
"""The live session on screen; a record is named by its path."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence, what it is about, and perhaps what can be done about it."""

    sentence: str
    about: str | None = LIVE
    """LIVE, the path of a record, or None: shown until it is dismissed."""
    quiet: bool = False
    """Nothing is wrong."""
    warning: bool = False
    """Something is lacking, and all else goes on."""
    deed: str = ""
    """The words on the button; none where they are empty."""
    do: Callable[[], None] | None = field(default=None, compare=False)
    other: str = ""
    """What else can be done, as `deed`."""
    do_other: Callable[[], None] | None = field(default=None, compare=False)


class Notices:
    """What was told and not dismissed, in order; and what this computer lacks, which ranks below."""

    def __init__(self) -> None:
        self._told: list[tuple[Notice, str]] = []
        """Each with what was on screen when it was told."""
        self._on_screen = LIVE
        self._lacks: tuple[str, ...] = ()
        self._dismissed: tuple[str, ...] = ()
        self._hints = False

    @property
    def shown(self) -> list[Notice]:
        """What is to be read, most urgent first: what failed, what can be done about something, what is lacking, and
        what is good to know."""
        place = self._on_screen
        here = [
            notice
            for notice, told_at in reversed(self._told)
            if told_at == place or notice.about is None or notice.about == place
        ]
        errors = [notice for notice in here if not notice.quiet]
        quiet = [notice for notice in here if notice.quiet]
        lack = self._lack
        if lack is None:
            return errors + quiet
        if lack.quiet:
            return [*errors, *quiet, lack]
        # What can be done now is in sight: a lack may last for hours, and is read again after it.
        doable = [notice for notice in quiet if notice.deed or notice.other]
        return [*errors, *doable, lack, *(notice for notice in quiet if notice not in doable)]

    def tell(self, notice: Notice) -> None:
        """Add a notice; the same one told again is read again."""
        self._told = [each for each in self._told if each[0] != notice]
        self._told.append((notice, self._on_screen))

    def show_lacks(self, lacks: Sequence[str], *, hints: bool) -> bool:
        """Take over what the computer lacks, as `hints` while no session suffers from it; return whether it is new."""
        new = tuple(lacks) != self._lacks
        if new:
            self._lacks, self._dismissed = tuple(lacks), ()
        changed = new or hints is not self._hints
        self._hints = hints
        return changed

    def dismiss(self) -> None:
        """The first of those shown was read."""
        first = next(iter(self.shown), None)
        if first is not None and first == self._lack:
            self._dismissed = self._lacks
        else:
            self.end(first)

    def end(self, notice: Notice | None) -> None:
        """A notice says nothing any more."""
        self._told = [each for each in self._told if each[0] != notice]

    def put_on_screen(self, record: str) -> None:
        """Another record is shown, or LIVE; what was about the one before goes with it."""
        if record != self._on_screen:
            before, self._on_screen = self._on_screen, record
            self._told = [each for each in self._told if before == LIVE or each[0].about != before]

    def begin_session(self) -> None:
        """A new session is asked for: what was about the one before is history."""
        self._told = [each for each in self._told if each[0].about != LIVE]

    @property
    def _lack(self) -> Notice | None:
        if not self._lacks or self._lacks == self._dismissed:
            return None
        return Notice(" ".join(self._lacks), None, quiet=self._hints, warning=True)

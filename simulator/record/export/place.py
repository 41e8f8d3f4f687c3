"""Where an export goes: a name that is free, kept from other exports by a lock that ends with its process.

The lock is on an empty hidden file beside what is written. A killed export leaves that file, and perhaps a part of what
it wrote: the next one takes both away.
"""

import contextlib
import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from simulator.record import lock
from simulator.record.atomic import part_of


@contextlib.contextmanager
def reserved(folder: Path, name: str, endings: Sequence[str], leftovers: Sequence[str]) -> Iterator[Path]:
    """Yield the path to which endings are added: `name`, or one with a number, in a folder that is there.

    No file begins with it and one of `endings`, and no other export has it as long as this lasts. `leftovers` are the
    endings of what any export of this name may have left in part. Raises OSError.
    """
    for number in itertools.count(1):
        stem = name if number == 1 else f"{name}-{number}"
        target, keeper = folder / stem, folder / f".{stem}.exporting"
        if _is_taken(target, endings) and not keeper.exists():
            continue
        with contextlib.ExitStack() as held:
            if not _keeps(keeper, held):
                continue
            for ending in leftovers:
                part_of(folder / f"{stem}.{ending}").unlink(missing_ok=True)
            try:
                if not _is_taken(target, endings):  # looked at again, as another export may have ended meanwhile
                    yield target
                    return
            finally:
                _release(keeper, held)


def _is_taken(target: Path, endings: Sequence[str]) -> bool:
    begins = tuple(f"{target.name}.{ending}".lower() for ending in endings)
    return any(path.name.lower().startswith(begins) for path in target.parent.iterdir())


def _keeps(keeper: Path, held: contextlib.ExitStack) -> bool:
    """Make the file and lock it; False where another export has it, or took it away meanwhile."""
    keeper.touch()
    try:
        return held.enter_context(lock.holding(keeper))
    except FileNotFoundError:
        return False


def _release(keeper: Path, held: contextlib.ExitStack) -> None:
    """Take the file away, before anybody else can have its lock where the system lets an open file go."""
    if sys.platform == "win32":
        held.close()
    with contextlib.suppress(OSError):  # it is in nobody's way
        keeper.unlink()

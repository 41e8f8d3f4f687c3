"""Runs the benchmarks that are named, or all usual ones; prints each figure; exit code 1 where one is missed."""

import argparse
import importlib
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from bench.figures import Figure, table

Benchmark = Callable[[], Iterable[Figure]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks and return 0 where all goals were met, 1 where one was missed or could not be measured."""
    folder = Path(__file__).parent
    known = discover(folder)
    usual = [name for name in known if not is_only_when_named(folder / f"{name}.py")]
    parser = argparse.ArgumentParser(prog="dev.py bench", description="Measure what the program promises.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}; default: {', '.join(usual)}")
    names = parser.parse_args(arguments).names
    unknown = [name for name in names if name not in known]
    if unknown:
        parser.error(f"There is no benchmark called {', '.join(unknown)}; there are: {', '.join(known)}.")
    figures: list[Figure] = []
    broken: list[str] = []
    for name in names or usual:
        print(f"== {name}", file=sys.stderr, flush=True)
        try:
            figures += importlib.import_module(f"bench.{name}").run()
        except Exception:
            traceback.print_exc()
            broken.append(name)
    print(table(figures))
    for name in broken:
        print(f"{name} could not be measured: see above.")
    return 0 if figures and not broken and all(figure.is_met for figure in figures) else 1


def discover(folder: Path) -> list[str]:
    """Return the names of the benchmarks in a folder, in order: the files that define `run`."""
    return sorted(path.stem for path in folder.glob("[a-z]*.py") if "\ndef run(" in path.read_text(encoding="utf-8"))


def is_only_when_named(path: Path) -> bool:
    """Return whether a benchmark takes too long to be one of the usual ones."""
    return "\nONLY_WHEN_NAMED" in path.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

"""Imports run one way: the source is read and compared with the one table of who may know whom."""

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).resolve().parent.parent
EVERYTHING: Final = frozenset({"simulator"})

# A room, and the rooms and files it may import. A name covers what lies below it. Anything may import itself.
LAYERS: Final[dict[str, frozenset[str]]] = {
    "ui": frozenset(
        {
            "simulator.participant.messages",
            "simulator.record",
            "simulator.study",
            "simulator.profile",
            "simulator.audio.impairments",
            "simulator.audio.peaks",
            "simulator.audio.recordings",
            "simulator.engines",
            "simulator.cli",
            "simulator.interrupts",
        }
    ),
    "simulator.cli": EVERYTHING,
    "simulator.participant": frozenset(
        {
            "simulator.session",
            "simulator.protocol",
            "simulator.study",
            "simulator.record",
            "simulator.audio",
            "simulator.profile",
            "simulator.engines",
            "simulator.sockets",
            "simulator.speech",
        }
    ),
    "simulator.study": frozenset({"simulator.profile"}),
    "simulator.session": frozenset({"simulator.protocol", "simulator.profile"}),
    "simulator.record": frozenset({"simulator.profile", "simulator.engines.children"}),
    "simulator.protocol": frozenset({"simulator.profile"}),
    "simulator.conformance": frozenset(
        {"simulator.record", "simulator.audio", "simulator.profile", "simulator.sockets"}
    ),
    "simulator.engines": frozenset({"simulator.profile"}),
    "simulator.audio": frozenset(),
    "simulator.profile": frozenset(),
    "simulator.engine": frozenset({"simulator.speech"}),
    "simulator.speech": frozenset(),
    "simulator.__main__": frozenset({"simulator.cli", "simulator.interrupts"}),
    "simulator.interrupts": frozenset(),
    "simulator.sockets": frozenset({"simulator.errors"}),
    "simulator.resources": frozenset({"simulator.errors"}),
    "simulator.units": frozenset(),
    "simulator.errors": frozenset(),
}
SHARED: Final = frozenset({"simulator.units", "simulator.errors", "simulator.resources", "simulator.__version__"})
WITHOUT_SHARED: Final = frozenset(
    {"simulator.engine", "simulator.speech", "simulator.units", "simulator.errors", "simulator.resources"}
)

# What no module below `simulator` may load: a window is never needed to hold or judge a session.
QT: Final = frozenset({"PySide6", "shiboken6", "qasync", "pyqtgraph", "PyQt5", "PyQt6"})
# Packages whose distribution has another name.
DISTRIBUTIONS: Final = {
    "PySide6": "PySide6-Essentials",
    "shiboken6": "PySide6-Essentials",
    "hibari": "hibari-tts",
    "yaml": "PyYAML",
}
# Rooms that neither open files, sockets or devices nor know the time.
PURE: Final = ("simulator.session", "simulator.protocol", "simulator.profile")
IO: Final = frozenset(
    {"socket", "asyncio", "websockets", "subprocess", "threading", "sounddevice", "soundfile", "time", "http", "urllib"}
)


def modules() -> Iterator[tuple[str, Path]]:
    """Give the dotted name and the file of every module of the product."""
    for package in ("simulator", "ui"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports(module: str, path: Path) -> set[str]:
    """Return the dotted names that the module imports anywhere in its source, also inside functions and `if` blocks."""
    return imports_of(path.read_text(encoding="utf-8"), module, is_package=path.name == "__init__.py")


def imports_of(source: str, module: str, *, is_package: bool) -> set[str]:
    """Return the dotted names that a source imports, `import_module("name")` too.

    `from a import b` counts as `a.b`, which may be a module.
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = module.split(".")
                parents = parts[: len(parts) - node.level + is_package]
                base = ".".join([*parents, base] if base else parents)
            found.update(f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            found.update(str(name.value) for name in node.args[:1] if isinstance(name, ast.Constant))
    return found


def covers(room: str, name: str) -> bool:
    """Return whether `name` is `room` or lies in it."""
    return name == room or name.startswith(room + ".")


def room_of(module: str) -> str | None:
    """Return the row of the table to which a module belongs: the longest that covers it."""
    rooms = [room for room in LAYERS if covers(room, module)]
    return max(rooms, key=len, default=None)


def forbidden(module: str, imported: set[str]) -> list[str]:
    """Return those of the imported names that the table does not allow the module."""
    room = room_of(module)
    assert room is not None
    allowed = LAYERS[room] | {room} | (frozenset() if room in WITHOUT_SHARED else SHARED)
    ours = {name for name in imported if covers("simulator", name) or covers("ui", name)}
    return sorted(name for name in ours if not any(covers(one, name) for one in allowed))


def third_parties() -> set[str]:
    """Return the distributions whose packages the product imports."""
    used = {name.partition(".")[0] for module, path in MODULES.items() for name in imports(module, path)}
    return {
        canonicalize_name(DISTRIBUTIONS.get(name, name))
        for name in used - sys.stdlib_module_names - {"simulator", "ui"}
    }


def declared() -> set[str]:
    """Return the distributions that pyproject.toml declares, with the extras that the product itself can use."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    requirements = [*project["dependencies"], *extras["ears"], *extras["echo"], *extras["voices"]]
    return {canonicalize_name(Requirement(text).name) for text in requirements}


MODULES: Final = dict(modules())
THIRD_PARTIES: Final = third_parties()
DECLARED: Final = declared()


@pytest.mark.parametrize("module", [name for name in MODULES if name != "simulator"])
def test_a_module_imports_only_what_its_room_may(module: str) -> None:
    assert room_of(module) is not None, f"{module} stands in no room of the table in {Path(__file__).name}"
    assert forbidden(module, imports(module, MODULES[module])) == []


def test_the_package_itself_imports_nothing_of_ours() -> None:
    assert {name for name in imports("simulator", MODULES["simulator"]) if covers("simulator", name)} == set()


@pytest.mark.parametrize("module", [name for name in MODULES if covers("simulator", name)])
def test_no_module_of_the_simulator_loads_qt(module: str) -> None:
    assert {name.partition(".")[0] for name in imports(module, MODULES[module])} & QT == set()


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith(PURE)])
def test_a_pure_room_does_no_input_or_output(module: str) -> None:
    assert {name.partition(".")[0] for name in imports(module, MODULES[module])} & IO == set()


def test_each_row_of_the_table_names_only_rows_or_files_in_them() -> None:
    named = {name for allowed in LAYERS.values() for name in allowed} - EVERYTHING
    assert {name for name in named if room_of(name) is None} == set()


def test_architecture_md_shows_this_table() -> None:
    shown: dict[str, frozenset[str]] = {}
    for line in (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        if len(cells) == 3 and cells[0].endswith("/`"):
            room = cells[0].strip("`/").replace("/", ".")
            names = [] if cells[2] == "nothing" else cells[2].split(", ")
            shown[room] = (
                EVERYTHING if cells[2] == "everything in simulator" else frozenset(map("simulator.{}".format, names))
            )
    assert shown == {room: allowed for room, allowed in LAYERS.items() if (ROOT / room.replace(".", "/")).is_dir()}


@pytest.mark.parametrize(
    ("module", "source", "expected"),
    [
        ("simulator.engine.server", "from simulator.errors import OwnFault", ["simulator.errors.OwnFault"]),
        ("simulator.engine.server", "from simulator.audio import pcm", ["simulator.audio.pcm"]),
        ("simulator.engine.server", "import simulator.engine.voice", []),
        ("simulator.session.turns", "from simulator.record.entries import Entry", ["simulator.record.entries.Entry"]),
        ("simulator.session.turns", "from ..protocol import codec\nfrom . import actions", []),
        ("simulator.session.turns", "from .. import audio", ["simulator.audio"]),
        ("simulator.audio.peaks", "def f():\n    import simulator.profile", ["simulator.profile"]),
        ("ui.main", "from simulator.participant.session_host import Host", ["simulator.participant.session_host.Host"]),
        ("ui.main", "from simulator.participant import messages", []),
        ("simulator.record.reader", "import ui.main", ["ui.main"]),
        ("simulator.record.reader", "importlib.import_module('simulator.session')", ["simulator.session"]),
    ],
)
def test_the_wall_sees_an_import_that_is_not_allowed(module: str, source: str, expected: list[str]) -> None:
    assert forbidden(module, imports_of(source, module, is_package=False)) == expected


def test_third_parties_are_declared_as_dependencies() -> None:
    assert THIRD_PARTIES <= DECLARED


def test_each_dependency_is_used() -> None:
    assert DECLARED <= THIRD_PARTIES

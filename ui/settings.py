"""What the window remembers between starts: geometry, splitters, the last engine and voice. Never a key."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QMainWindow, QSplitter

from simulator.engines.profiles import may_hold_key


@dataclass(frozen=True, slots=True)
class WindowLayout:
    """The sizes of a window and of its splitters, as Qt saves them."""

    geometry: QByteArray
    splitters: dict[str, QByteArray]


def layout_of(window: QMainWindow, splitters: dict[str, QSplitter]) -> WindowLayout:
    """Return the sizes that they have at present."""
    return WindowLayout(window.saveGeometry(), {name: splitter.saveState() for name, splitter in splitters.items()})


class WindowSettings:
    """A settings file beside the file of engines."""

    def __init__(self, folder: Path) -> None:
        self._settings = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)

    def text(self, name: str, default: str = "") -> str:
        """Return a remembered text."""
        return str(self._settings.value(name, default))

    def set_text(self, name: str, value: str) -> None:
        """Remember a text."""
        self._settings.setValue(name, value)

    def remember_engine(self, engine: str) -> None:
        """Remember which engine was chosen, by its name or address; none where the address may hold a key."""
        self.set_text("engine", "" if may_hold_key(engine) else engine)

    def restore(self, window: QMainWindow, splitters: dict[str, QSplitter]) -> None:
        """Give the window and its splitters the sizes that they had."""
        geometry = self._settings.value("geometry")
        if isinstance(geometry, QByteArray):
            window.restoreGeometry(geometry)
        for name, splitter in splitters.items():
            state = self._settings.value(f"splitters/{name}")
            if isinstance(state, QByteArray):
                splitter.restoreState(state)

    def save(self, layout: WindowLayout) -> None:
        """Remember the sizes of the window and its splitters."""
        self._settings.setValue("geometry", layout.geometry)
        for name, state in layout.splitters.items():
            self._settings.setValue(f"splitters/{name}", state)
        self._settings.sync()

"""Which specification is followed: the program's own, or the platform's file that the user loads, and that is kept."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from simulator.errors import SimulatorError
from simulator.participant.messages import ConnectionState
from simulator.profile.agent_spec import OWN, AgentSpec, differences, read_agent_spec
from simulator.profile.differences import Difference
from ui.actions import Deed
from ui.background import Background
from ui.dialogs.specification import SpecificationDialog
from ui.models.wording_line import wording_line
from ui.panels.agent import AgentPanel
from ui.session_feed import SessionFeed
from ui.settings import WindowSettings
from ui.theme import Theme

_SETTING = "specification"
Read = tuple[AgentSpec, list[Difference]]


class SpecificationDesk(QObject):
    """Reads the file, shows how it differs, and says in the agent's panel which wording is in force."""

    changed = Signal(object)
    """The AgentSpec that is followed from now on."""
    failed = Signal(str)

    def __init__(
        self, window: QWidget, theme: Theme, feed: SessionFeed, settings: WindowSettings, agent: AgentPanel
    ) -> None:
        super().__init__(window)
        self._window, self._theme, self._feed, self._settings, self._agent = window, theme, feed, settings, agent
        self._background = Background(self)
        self.spec = OWN
        self.path: str | None = None
        """The file that sessions and checks follow; None: the program's own wording."""
        self._differences: list[Difference] = []
        self._in_force: dict[str, object] | None = None
        """What the record of the running session says that it follows."""
        agent.wording_requested.connect(self.show)
        feed.entries_added.connect(self._take_entries)
        feed.status_changed.connect(lambda _status: self._show_line())
        self._show_line()

    def deeds(self) -> list[Deed | None]:
        """Return the entries of the menu."""
        return [
            Deed("Load agent-&spec.json…", "", self.ask),
            Deed("What the specification &differs in…", "", self.show),
            Deed("Use the program's own &wording", "", self.use_own),
        ]

    def restore(self) -> None:
        """Follow the file that was followed before."""
        path = self._settings.text(_SETTING)
        if path:
            self.path = path  # who connects before it was read follows it too
            self._read(path, again=True)

    def ask(self) -> None:
        """Let the user choose a file."""
        start = self.path or self._settings.text(_SETTING)
        dialog = QFileDialog(
            self._window, "The platform's specification", str(Path(start).parent) if start else "", "JSON (*.json)"
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.load)
        dialog.open()

    def load(self, path: str) -> None:
        """Follow a file from the next connection on, and show how it differs."""
        self._read(path, again=False)

    def use_own(self) -> None:
        """Follow the program's own statement from the next connection on."""
        self._settings.set_text(_SETTING, "")
        self._follow(None, OWN, [])

    def show(self) -> None:
        """Show how the file differs; without one, ask for it."""
        if self.path is None:
            self.ask()
            return
        dialog = SpecificationDialog(self._theme, Path(self.path), self.spec, self._differences, self._window)
        dialog.own_requested.connect(self.use_own)
        dialog.other_requested.connect(self.ask)
        dialog.open()

    def _read(self, path: str, *, again: bool) -> None:
        def read(found: Read | None, error: Exception | None) -> None:
            if found is not None:
                self._settings.set_text(_SETTING, path)
                self._follow(path, *found)
                if not again:
                    self.show()
            elif isinstance(error, SimulatorError):
                rest = "" if not again else " The program's own wording is used: load the file anew, or choose it."
                if again:
                    self._follow(None, OWN, [])
                self.failed.emit(f"{error}{rest}")
            elif error is not None:
                raise error

        self._background.run(partial(_read_whole, path), read)

    def _follow(self, path: str | None, spec: AgentSpec, found: list[Difference]) -> None:
        self.path, self.spec, self._differences = path, spec, found
        self._show_line()
        self.changed.emit(spec)

    def _take_entries(self, first: int, last: int) -> None:
        for entry in self._feed.view.entries[first:last]:
            if entry.type == "record.started":
                told = entry.event.get("specification")
                self._in_force = told if isinstance(told, dict) else None
                if self.path is not None and self._in_force is not None:
                    self._read_again_where_changed(str(self._in_force.get("sha256")))
                self._show_line()

    def _read_again_where_changed(self, sha256: str) -> None:
        if self.path is not None and self.spec.sha256 not in (None, sha256):
            self.failed.emit(f"{self.path} has changed since it was loaded: the session follows it as it is now.")
            self._read(self.path, again=True)

    def _show_line(self) -> None:
        connected = self._feed.status.connection is not ConnectionState.IDLE
        in_force = self._in_force if connected else None
        self._agent.show_wording(*wording_line(self.spec, self.path, len(self._differences), in_force))


def _read_whole(path: str) -> Read:
    spec = read_agent_spec(path)
    return spec, differences(spec)

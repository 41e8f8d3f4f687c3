"""The sessions of a project in the window: read in the background, shown in a table, two of them compared."""

import json
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QProgressDialog, QWidget

from simulator.errors import SimulatorError
from simulator.participant.messages import ConnectionState, Status
from simulator.record.session_comparison import Comparison, compare
from simulator.record.sessions import read_sessions, records_folder
from simulator.resources import exists
from ui.actions import Deed, Submenu
from ui.background import Background
from ui.dialogs.session_comparison import SessionComparisonDialog
from ui.dialogs.session_table import SessionTableDialog
from ui.models.session_rows import SessionRow, row_of
from ui.session_feed import SessionFeed
from ui.sessions_desk import SessionsDesk
from ui.settings import WindowSettings
from ui.theme import Theme

_FOLDER: Final = "sessions_folder"
_FOLDERS: Final = "sessions_folders"
_MOST_FOLDERS: Final = 8
_TELL_EVERY_S: Final = 0.15
_SHOWN_AFTER_MS: Final = 400


class _GivenUp(Exception):
    """Nobody waits for what is being read."""


class SessionTableDesk(QObject):
    """Opens the table of sessions and comparisons. `window` is the parent of its dialogs."""

    failed = Signal(str)
    replay_requested = Signal(Path)
    """The session in this folder is to be played against an engine."""
    _came = Signal(int, object, int, int)

    def __init__(
        self, window: QWidget, theme: Theme, feed: SessionFeed, sessions: SessionsDesk, settings: WindowSettings
    ) -> None:
        super().__init__(window)
        self._window, self._theme, self._sessions, self._settings = window, theme, sessions, settings
        self._background = Background(self)
        self._number = 0
        self._comparing = 0
        self._progress: QProgressDialog | None = None
        self.dialog: SessionTableDialog | None = None
        self._in_session = False
        self._came.connect(self._take)
        feed.status_changed.connect(self._status_changed)
        sessions.failed.connect(self._tell)
        sessions.told.connect(lambda notice: self._tell(notice.sentence, quiet=True))
        sessions.deleted.connect(self._deleted)

    def deeds(self) -> list[Deed | Submenu | None]:
        """Return what can be done, for the menu."""
        return [Deed("Sessions, and compare t&wo…", "Shift+F3", self.open)]

    @property
    def folder(self) -> str:
        """The folder whose sessions are shown; empty: the user's records."""
        return self._settings.text(_FOLDER)

    def open(self) -> None:
        """Show the table, and look for new sessions."""
        if self.dialog is None:
            self.dialog = self._make_dialog()
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()
        self.read()

    def read(self) -> None:
        """Read the sessions of the folder; what was found before is in a cache."""
        if self.dialog is None:
            return
        self._number += 1
        number, folder = self._number, Path(self.folder) if self.folder else None
        self.dialog.tell("")
        self.dialog.begin()

        def ended(folders: list[Path] | None, error: Exception | None) -> None:
            if number != self._number or self.dialog is None:
                return
            if error is not None and not isinstance(error, SimulatorError):
                raise error
            self.dialog.end(folders if error is None else None, "" if error is None else str(error))

        self._background.run(partial(self._work, number, folder), ended)

    def cancel(self) -> None:
        """Read no further; what was read stays."""
        self._number += 1
        if self.dialog is not None:
            self.dialog.end(None)
            self.dialog.tell("Reading was stopped: not all sessions are listed. Read again (F5) goes on from there.")

    def choose_folder(self, folder: str) -> None:
        """Show the sessions of another folder (empty: the user's records), now and the next time."""
        if folder:
            known = list(dict.fromkeys([folder, *self._known_folders()]))[:_MOST_FOLDERS]
            self._settings.set_text(_FOLDERS, json.dumps(known))
        self._settings.set_text(_FOLDER, folder)
        if self.dialog is not None:
            self.dialog.show_folders(self._offered(), folder)
            self.dialog.clear()
            self.read()

    def compare(self, first: Path, second: Path) -> None:
        """Put two sessions beside each other, each given by its folder or .jsonl file; read in the background."""
        self._give_up()
        number = self._comparing
        self._progress = QProgressDialog("Reading both sessions…", "Cancel", 0, 0, self._parent())
        self._progress.setWindowTitle("Compare sessions")
        self._progress.setMinimumDuration(_SHOWN_AFTER_MS)
        self._progress.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._progress.canceled.connect(self._give_up)

        def compared(comparison: Comparison | None, error: Exception | None) -> None:
            if number != self._comparing:
                return
            self._give_up()
            if comparison is not None:
                SessionComparisonDialog(comparison, self._theme, self._window).show()
            elif isinstance(error, SimulatorError):
                self._tell(str(error))
                self.failed.emit(str(error))
            elif error is not None:
                raise error

        self._background.run(partial(compare, first, second, partial(self._check, number)), compared)

    def stop_and_wait(self) -> None:
        """End what goes on: the window closes."""
        self._number += 1
        self._give_up()

    def _make_dialog(self) -> SessionTableDialog:
        dialog = SessionTableDialog(self._theme, self._window)
        dialog.show_folders(self._offered(), self.folder)
        dialog.folder_chosen.connect(self.choose_folder)
        dialog.another_folder_requested.connect(self._ask_folder)
        dialog.read_requested.connect(self.read)
        dialog.cancel_requested.connect(self.cancel)
        dialog.open_requested.connect(self._leave_for(self._sessions.open))
        dialog.compare_requested.connect(self.compare)
        dialog.replay_requested.connect(self._leave_for(self.replay_requested.emit))
        dialog.export_requested.connect(self._sessions.exports.choose)
        dialog.folder_requested.connect(self._sessions.show_folder_of)
        dialog.delete_requested.connect(self._sessions.ask_delete_of)
        return dialog

    def _leave_for(self, do: Callable[[Path], None]) -> Callable[[Path], None]:
        """Return what does something with a session in the main window, which the table must not cover."""

        def leave(folder: Path) -> None:
            if self.dialog is not None:
                self.dialog.hide()
            self._window.activateWindow()
            do(folder)

        return leave

    def _work(self, number: int, folder: Path | None) -> list[Path]:
        """Read, in a thread; returns the folders of all sessions."""
        rows: list[SessionRow] = []
        folders: list[Path] = []
        told_s = time.monotonic()
        done = of = 0
        with closing(read_sessions(folder)) as found:
            for done, of, session in found:
                rows.append(row_of(session))
                folders.append(session.folder)
                if number != self._number:
                    return []
                if time.monotonic() - told_s > _TELL_EVERY_S:
                    self._came.emit(number, rows, done, of)
                    rows, told_s = [], time.monotonic()
        self._came.emit(number, rows, done, of)
        return folders

    @Slot(int, object, int, int)
    def _take(self, number: int, rows: list[SessionRow], done: int, of: int) -> None:
        if number == self._number and self.dialog is not None:
            self.dialog.take(rows, done, of)

    def _check(self, number: int) -> None:
        if number != self._comparing:
            raise _GivenUp

    def _give_up(self) -> None:
        """Wait for no comparison any more."""
        self._comparing += 1
        progress, self._progress = self._progress, None
        if progress is not None:
            progress.canceled.disconnect(self._give_up)
            progress.close()
            progress.deleteLater()

    def _status_changed(self, status: Status) -> None:
        """List a session that has just ended, where the table is in sight."""
        was_in_session, self._in_session = self._in_session, status.connection is not ConnectionState.IDLE
        if was_in_session and not self._in_session and self.dialog is not None and self.dialog.isVisible():
            self.read()

    @property
    def in_front(self) -> bool:
        """Whether the user looks at the table: then it tells what came of a deed, and not the main window."""
        return self.dialog is not None and self.dialog.isVisible() and not self._window.isActiveWindow()

    def _tell(self, sentence: str, *, quiet: bool = False) -> None:
        if self.dialog is not None and self.in_front:
            self.dialog.tell(sentence, quiet=quiet)

    def _deleted(self, folder: Path) -> None:
        if self.dialog is not None:
            self.dialog.forget(folder)

    def _parent(self) -> QWidget:
        return self.dialog if self.dialog is not None and self.dialog.isVisible() else self._window

    def _known_folders(self) -> list[str]:
        try:
            folders = json.loads(self._settings.text(_FOLDERS, "[]"))
        except ValueError:
            folders = []
        return [each for each in folders if isinstance(each, str) and exists(Path(each))]

    def _offered(self) -> list[tuple[str, str]]:
        others = list(dict.fromkeys([*([self.folder] if self.folder else []), *self._known_folders()]))
        return [("", f"Your records: {records_folder()}"), *((each, each) for each in others)]

    def _ask_folder(self) -> None:
        assert self.dialog is not None
        self.dialog.show_folders(self._offered(), self.folder)
        dialog = QFileDialog(self.dialog, "The folder in which sessions lie", self.folder or str(records_folder()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.choose_folder)
        dialog.open()

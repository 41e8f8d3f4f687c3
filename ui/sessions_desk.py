"""Saved sessions in the window: opened, listened to, exported, shown in their folder, deleted."""

import gc
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox, QPushButton, QWidget

from simulator.errors import SimulatorError
from simulator.participant.messages import ConnectionState, Status
from simulator.record.folder import SESSION, delete_session, is_session, size_bytes
from simulator.record.integrity import alteration
from simulator.resources import data_folder, is_file
from simulator.units import ns_to_samples, samples_to_ns
from ui.actions import Deed, Submenu
from ui.background import Background
from ui.export_desk import ExportDesk
from ui.models.devices import Output
from ui.models.notices import Notice
from ui.panels.notices import RecordBanner
from ui.panels.timeline import TimelinePanel
from ui.record_desk import RecordDesk
from ui.record_view import RecordView
from ui.saved_record import SavedSound, open_view
from ui.session_feed import SessionFeed
from ui.session_sound import SessionSound
from ui.settings import WindowSettings
from ui.talk_key import TAKES_SPACE
from ui.unfinished import Unfinished

_MOST_RECENT: Final = 12
_MOST_NAMED: Final = 5
_EMPTY: Final = "This record is empty: there is nothing to play or to export."
_REMEMBERED: Final = "recent_sessions"


class SessionsDesk(QObject):
    """Opens saved sessions in the place of the live one. `window` is the parent of its dialogs."""

    failed = Signal(str)
    told = Signal(object)
    """A Notice that is good to know."""
    deleted = Signal(Path)
    """The session in this folder is gone, but perhaps for what was not its own."""

    def __init__(
        self,
        window: QWidget,
        feed: SessionFeed,
        record: RecordDesk,
        banner: RecordBanner,
        timeline: TimelinePanel,
        settings: WindowSettings,
        output: Callable[[], Output],
    ) -> None:
        """`output` is asked for the loudspeaker that is chosen when something is to be played."""
        super().__init__(window)
        self._window, self._feed, self._record, self._settings = window, feed, record, settings
        self._banner = banner
        self._background = Background(self)
        self._sound = SavedSound(self)
        self._sound.came.connect(timeline.canvas.take_sound)
        self._sound.ended.connect(self._tell_lack)
        self._wanted = 0
        self._held: Path | None = None
        """The folder of the session that goes on."""
        self._timeline, self._output = timeline, output
        self.player = SessionSound(self)
        self.player.moved.connect(self._show_place)
        self.player.playing_changed.connect(self._show_playing)
        self.player.failed.connect(self.failed)
        self.player.unheard.connect(lambda words: self.told.emit(Notice(words, self._record.name, warning=True)))
        timeline.canvas.play_requested.connect(self.play_or_stop)
        timeline.canvas.time_chosen.connect(self._time_chosen)
        self.unfinished = Unfinished(banner, self)
        self.unfinished.failed.connect(self.failed)
        self.play_button = QPushButton()
        self.play_button.setToolTip("Play both voices from the cursor: click into the timeline, then Space or F7")
        self.play_button.clicked.connect(self.play_or_stop)
        banner.add(self.play_button)
        self._show_playing(False)
        self.exports = ExportDesk(
            window, banner, settings, lambda: self.shown_path, self._why_not_exported, self.show_folder_of
        )
        self.exports.failed.connect(self.failed)
        self.folder_button = QPushButton("Show the folder")
        self.folder_button.setToolTip("Where the files of this session lie")
        self.folder_button.clicked.connect(self.show_folder)
        banner.add(self.folder_button)
        record.live_shown.connect(self._live_shown)
        feed.status_changed.connect(self._share_space)
        feed.status_changed.connect(self._tell_where_it_lies)

    def deeds(self) -> list[Deed | Submenu | None]:
        """Return what can be done with sessions, for the menu."""
        return [
            Deed("&Open a saved session…", "F3", self.ask_open),
            Submenu("Recent sess&ions", self.offer_recent),
            Deed("P&lay from the cursor, or stop", "F7", self.play_or_stop),
            *self.exports.deeds(),
            Deed("Show the &folder of the session", "", self.show_folder),
            Deed("&Delete the session…", "", self.ask_delete),
        ]

    @property
    def recent(self) -> list[Path]:
        """The folders or files opened last, then the newest sessions that were recorded; all of them are there."""
        try:
            names = json.loads(self._settings.text(_REMEMBERED, "[]"))
        except ValueError:
            names = []
        opened = [Path(name) for name in names if isinstance(name, str) and is_file(name)]
        records = data_folder() / "records"
        try:
            folders = sorted(records.iterdir(), reverse=True)
        except OSError:  # nothing was recorded yet
            folders = []
        recorded = [each / SESSION for each in folders[: 2 * _MOST_RECENT] if is_session(each)]
        return list(dict.fromkeys([*opened, *recorded]))[:_MOST_RECENT]

    @property
    def shown_path(self) -> Path | None:
        """The .jsonl file of the record on screen: a saved one, or that of the live session."""
        path = self._record.shown.path
        if path is None and self._record.shown is self._feed.view and self._feed.status.record_path:
            return Path(self._feed.status.record_path)
        return path

    @property
    def reads_sound(self) -> bool:
        """Whether the waveforms of the session on screen are still being read."""
        return self._sound.reading

    def ask_open(self) -> None:
        """Let the user choose a session: by its folder, which opens as soon as it is entered, or by its events."""
        title = "Open a saved session: enter its folder, or choose a .jsonl file"
        dialog = QFileDialog(self._window, title, str(data_folder() / "records"))
        dialog.setNameFilter("Sessions (*.jsonl)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.open(Path(name)))

        def entered(name: str) -> None:
            if is_session(Path(name)):
                dialog.close()
                self.open(Path(name))

        dialog.directoryEntered.connect(entered)
        dialog.open()

    def offer_recent(self, menu: QMenu) -> None:
        """Fill a menu with the sessions opened or recorded last."""
        menu.clear()
        for path in self.recent:
            words = path.parent.name if path.name == SESSION else f"{path.name}   {path.parent}"
            menu.addAction(words.replace("&", "&&")).triggered.connect(partial(self._open_offered, path))
        if menu.isEmpty():
            menu.addAction("None yet").setEnabled(False)

    def open(self, path: Path) -> None:
        """Read a session, given by its folder or .jsonl file, in the background, and show it."""
        self._wanted += 1
        number = self._wanted

        def read(view: RecordView | None, error: Exception | None) -> None:
            if number != self._wanted:
                return
            if view is not None:
                self._show(view)
            elif isinstance(error, SimulatorError):
                self.failed.emit(str(error))
            elif error is not None:
                raise error

        self._background.run(partial(open_view, path), read)

    def play_or_stop(self) -> None:
        """Play both voices of the session on screen from the cursor on, or fall silent."""
        if self.player.playing:
            self.player.stop()
            return
        path = self.shown_path
        if path is None or self._is_written(path):
            self.failed.emit("A session can be played once it has ended: disconnect (F5), or open a saved one (F3).")
            return
        if not self._record.shown.entries:
            self.failed.emit(_EMPTY)
            return
        cursor_ns = self._timeline.canvas.cursor_ns
        if cursor_ns is None or cursor_ns >= self._record.shown.now_ns:
            cursor_ns = max(0, self._timeline.window_ns[0])
            self._timeline.canvas.select(cursor_ns)
        self._play_from(cursor_ns)

    def show_folder(self) -> None:
        """Show the files of the session on screen in the system's file manager; without one, where sessions lie."""
        path = self.shown_path
        self.show_folder_of(path.parent if path is not None else data_folder() / "records")

    def show_folder_of(self, folder: Path) -> None:
        """Show a folder in the system's file manager. Whether one opens is not known: where the files lie is told."""
        if folder.is_dir():
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
            self.told.emit(
                Notice(
                    f"The files lie in {folder}; the file manager was asked to show them.",
                    quiet=True,
                    about=self._record.name,
                )
            )
        else:
            self.failed.emit(f"The folder {folder} is not there any more.")

    def ask_delete(self) -> None:
        """Delete the session on screen for good, once the user agreed."""
        path = self.shown_path
        if path is None or not is_session(path.parent):
            self.failed.emit("Open a saved session first: only a session's folder can be deleted.")
            return
        self.ask_delete_of([path.parent])

    def ask_delete_of(self, folders: Sequence[Path]) -> None:
        """Delete the sessions in these folders for good, once the user agreed."""
        if any(self._is_written(folder / SESSION) for folder in folders):
            self.failed.emit("This session still goes on: disconnect (F5), then delete it.")
            return
        megabytes = sum(map(size_bytes, folders)) / 1_000_000
        what = f"the session “{folders[0].name}”" if len(folders) == 1 else f"{len(folders)} sessions"
        places = [str(folder) for folder in folders[:_MOST_NAMED]]
        if len(folders) > len(places):
            places.append(f"… and {len(folders) - len(places)} more")
        box = QMessageBox(QApplication.activeWindow() or self._window)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle("Delete the session" if len(folders) == 1 else "Delete sessions")
        box.setText(f"Delete {what} for good?")
        told = "\n".join(places)
        box.setInformativeText(f"Events, voices, answers and study: {megabytes:,.1f} MB in\n{told}")
        delete = box.addButton("Delete", QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        delete.clicked.connect(lambda: self.delete(*folders))
        box.open()

    def delete(self, folder: Path, *further: Path) -> None:
        """Delete sessions for good, one after the other, without asking."""
        if self.shown_path is not None and self.shown_path.parent == folder:
            self._sound.stop()
            self.player.stop()

        def deleted(left: list[Path] | None, error: Exception | None) -> None:
            if further:
                self.delete(*further)
            if isinstance(error, SimulatorError):
                self.failed.emit(str(error))
                return
            if error is not None:
                raise error
            path = self.shown_path
            if path is not None and path.parent == folder and self._record.shown is not self._feed.view:
                self._record.show_live()
            self.deleted.emit(folder)
            if left:
                self.failed.emit(f"The session was deleted; what is not its own stayed in {folder}.")

        self._background.run(partial(delete_session, folder), deleted)

    def stop_and_wait(self) -> None:
        """End what goes on: the window closes."""
        self._wanted += 1
        self.unfinished.stop()
        self.exports.stop_and_wait()
        self._sound.stop()
        self.player.stop()

    def _is_written(self, path: Path) -> bool:
        """Whether the live session writes into this record at present."""
        status = self._feed.status
        live = status.connection is not ConnectionState.IDLE and status.record_path is not None
        return live and Path(status.record_path or "").resolve() == path.resolve()

    def _why_not_exported(self) -> str:
        return "" if self._record.shown.entries else _EMPTY

    def _play_from(self, t_ns: int) -> None:
        path = self.shown_path
        if path is not None:
            self.player.play(path, ns_to_samples(t_ns), self._output())

    def _time_chosen(self, t_ns: int) -> None:
        if self.player.playing:
            self._play_from(t_ns)

    def _show_place(self, sample: int) -> None:
        self._timeline.move_cursor(samples_to_ns(sample))

    def _show_playing(self, playing: bool) -> None:
        self.play_button.setText("■ Stop  F7" if playing else "▶ Play  F7")

    def _share_space(self) -> None:
        """In the timeline of a saved session Space plays; while a session is connected it always talks."""
        saved = self._record.shown is not self._feed.view
        idle = self._feed.status.connection is ConnectionState.IDLE
        self._timeline.canvas.setProperty(TAKES_SPACE, saved and idle)

    def _tell_where_it_lies(self, status: Status) -> None:
        """Tell where a session was kept, once it ended."""
        if status.connection is ConnectionState.CONNECTED and status.record_path:
            self._held = Path(status.record_path).parent
        elif status.connection is ConnectionState.IDLE and self._held is not None:
            folder, self._held = self._held, None
            if folder.is_dir():
                show = partial(self.show_folder_of, folder)
                self.told.emit(Notice(f"The session is kept in {folder}", quiet=True, deed="Show", do=show))

    def _open_offered(self, path: Path) -> None:
        self.open(path)

    def _show(self, view: RecordView) -> None:
        assert view.path is not None
        self._remember(view.path)
        self._record.show_view(view)
        self._banner.text.setToolTip(str(view.path.parent))
        if view.lacks:
            self.failed.emit(" ".join(view.lacks))
        self.play_button.setEnabled(bool(view.entries))
        self._sound.read(view)
        self._look_for_changes(view)
        self.unfinished.watch(view.path.parent)
        # To look for garbage among what so many entries consist of would stop a frame now and then for 100 ms.
        gc.unfreeze()
        gc.freeze()

    def _remember(self, path: Path) -> None:
        names = list(dict.fromkeys([str(path), *map(str, self.recent)]))
        self._settings.set_text(_REMEMBERED, json.dumps(names[:_MOST_RECENT]))

    def _look_for_changes(self, view: RecordView) -> None:
        """Hold each file against the manifest, which takes a second where a session is long, until another is shown."""
        assert view.path is not None
        number = self._wanted

        def looked(sentence: str | None, error: Exception | None) -> None:
            if isinstance(error, SimulatorError):  # it was deleted meanwhile
                return
            if error is not None:
                raise error
            if number == self._wanted:
                self._tell_lack(sentence or "")

        self._background.run(partial(alteration, view.path, lambda: number == self._wanted), looked)

    def _tell_lack(self, sentence: str) -> None:
        """Tell what is found to be wrong with the session on screen once it is there."""
        view = self._record.shown
        if sentence and sentence not in view.lacks:
            view.lacks = [*view.lacks, sentence]
            self.failed.emit(sentence)

    def _live_shown(self, live: bool) -> None:
        self._wanted += 1
        self._sound.stop()
        self.player.stop()
        self.unfinished.watch(None)
        self.exports.look()
        self._share_space()
        if live:
            self._banner.text.setToolTip("")

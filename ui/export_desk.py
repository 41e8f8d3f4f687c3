"""Export in the window: one click writes the session on screen as the last one was, and the dialog chooses."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from ui.actions import Deed
from ui.child_answer import ChildAnswer
from ui.child_process import python_command
from ui.dialogs.export import ExportDialog
from ui.export_choice import ExportChoice
from ui.models.exports import listed, outcome
from ui.models.notices import Notice
from ui.models.plain import line
from ui.models.replay import name_of
from ui.panels.notices import RecordBanner
from ui.settings import WindowSettings

EXPORT = "E&xport the session"
"""The entry of the menu that asks nothing."""
_NOTHING = "Open a saved session (F3) or connect first: there is nothing to export yet."
_CHOOSE = "Choose the forms and the folder, or a copy for a bug report (Ctrl+Shift+X)"


class ExportDesk(QObject):
    """Writes one session at a time, in a process of its own; what comes of it is told in notices.

    `shown` is asked for the record on screen, `lack` for the sentence that says why it cannot be exported (or nothing),
    `show_folder` shows where files were written to. `command` replaces the program in tests.
    """

    told = Signal(object)
    """A Notice."""
    over = Signal(object)
    """A Notice that holds no longer."""
    failed = Signal(str)
    """Why the record on screen cannot be exported."""

    def __init__(
        self,
        window: QWidget,
        banner: RecordBanner,
        settings: WindowSettings,
        shown: Callable[[], Path | None],
        lack: Callable[[], str],
        show_folder: Callable[[Path], None],
        *,
        command: Sequence[str] | None = None,
    ) -> None:
        super().__init__(window)
        self._window, self._settings, self._choice = window, settings, ExportChoice(settings)
        self._shown, self._lack, self._show_folder = shown, lack, show_folder
        self._child = ChildAnswer([*(command or python_command("simulator")), "export"], self)
        self._child.answered.connect(self._done)
        self._record, self._folder = Path(), Path()
        self._going_on: Notice | None = None
        self.button = QPushButton("Export")
        self.button.clicked.connect(self.export_shown)
        self.choose_button = QPushButton("▾")
        self.choose_button.setAccessibleName("Export as…")
        self.choose_button.setToolTip(f"Export as…: {_CHOOSE[0].lower()}{_CHOOSE[1:]}")
        self.choose_button.clicked.connect(self.ask)
        for button in (self.button, self.choose_button):
            banner.add(button)

    def deeds(self) -> list[Deed]:
        """Return what can be done, for the menu."""
        return [Deed(EXPORT, "", self.export_shown), Deed("Export &as…", "Ctrl+Shift+X", self.ask)]

    @property
    def tip(self) -> str:
        """What one click writes, and where to."""
        record, forms = self._shown(), self._choice.forms
        if record is None:
            return _NOTHING
        if not forms:
            return _CHOOSE
        return f"Write {listed(forms)} to {self._choice.folder_of(name_of(record))}. Nothing is overwritten."

    def look(self) -> None:
        """Another record is on screen, or something else was chosen."""
        possible = self._shown() is not None and not self._lack()
        for button in (self.button, self.choose_button):
            button.setEnabled(possible)
        self.button.setToolTip(self.tip)

    def export_shown(self) -> None:
        """Write the session on screen in the forms that were chosen last, and ask nothing."""
        record = self._possible()
        if record is None:
            return
        forms = self._choice.forms
        if not forms:
            self.choose(record)
            return
        if self._child.waiting:
            sentence = f"“{line(name_of(self._record))}” is still being exported: this one can follow it."
            self.told.emit(Notice(sentence, None, quiet=True))
            return
        self._record, self._folder = record, self._choice.folder_of(name_of(record))
        sentence = f"Exporting “{line(name_of(record))}” to {self._folder} …"
        self._going_on = Notice(sentence, None, quiet=True, deed="Cancel", do=self.cancel)
        self.told.emit(self._going_on)
        self._child.ask(str(record), f"--to={','.join(forms)}", f"--out={self._folder}", "--json")

    def ask(self) -> None:
        """Let the user choose in which forms the session on screen is written, and where to."""
        record = self._possible()
        if record is not None:
            self.choose(record)

    def choose(self, record: Path) -> None:
        """The same for any session, given by its folder or .jsonl file."""
        dialog = ExportDialog(record, self._settings, QApplication.activeWindow() or self._window)
        dialog.finished.connect(self.look)
        dialog.open()

    def cancel(self) -> None:
        """End the export that goes on; it leaves no half file."""
        if self._child.waiting:
            self._child.stop_and_wait()
            written = f" What was whole by then stays in {self._folder}" if self._folder.is_dir() else ""
            self._tell(f"The export was cancelled.{written}")

    def stop_and_wait(self) -> None:
        """End what goes on: the window closes."""
        self._child.stop_and_wait()

    def _possible(self) -> Path | None:
        """Return the record on screen, or tell why it cannot be exported."""
        record = self._shown()
        lack = _NOTHING if record is None else self._lack()
        if lack:
            self.failed.emit(lack)
            return None
        return record

    def _done(self, output: bytes, code: int, said: str) -> None:
        exported = outcome(output, code, said)
        if isinstance(exported, str):
            self._tell(exported, failed=True)
        else:
            sentence = ". ".join(filter(None, (exported.sentence(self._folder), " ".join(exported.notes))))
            self._tell(sentence, lacks=bool(exported.notes))

    def _tell(self, sentence: str, *, failed: bool = False, lacks: bool = False) -> None:
        """Say what came of an export, in the place of the notice that it goes on."""
        if self._going_on is not None:
            self.over.emit(self._going_on)
            self._going_on = None
        written = self._folder.is_dir() and not failed
        self.told.emit(
            Notice(
                sentence,
                str(self._record),
                quiet=not (failed or lacks),
                warning=lacks,
                deed="Show" if written else "",
                do=partial(self._show_folder, self._folder) if written else None,
                other="Choose…",
                do_other=partial(self.choose, self._record),
            )
        )

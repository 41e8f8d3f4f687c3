"""Studies as files: opened, saved, remembered; nothing unsaved is lost without a question."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QInputDialog, QMessageBox, QWidget

from simulator.errors import SimulatorError
from simulator.profile.components import RATING_PAUSE_COMPONENTS
from simulator.resources import fixtures_dir, is_file
from simulator.study.hyperstudy import roles_of
from simulator.study.hyperstudy_roles import Role, likely_agents
from simulator.study.loading import Loaded, load_study
from simulator.study.steps import Study
from simulator.study.study_writing import write_study
from simulator.study.yaml_nodes import has_comments
from ui.background import Background
from ui.models.deck import UNTITLED, Deck
from ui.models.plain import tip
from ui.settings import WindowSettings

_MOST_RECENT: Final = 10
_FILTER: Final = "Studies (*.yaml *.yml *.json);;All files (*)"
_NO_STEPS: Final = "The study has no steps yet: add one, then save it."


class StudyFiles(QObject):
    """Reads and writes the deck's file in the background, and asks before something unsaved is replaced."""

    opened = Signal(Loaded, object)
    """A study was read, from this path; None for a sample or an import, which are saved elsewhere."""
    saved = Signal(str)
    """The study was written: what to tell of it."""
    failed = Signal(str)

    def __init__(self, window: QWidget, deck: Deck, settings: WindowSettings) -> None:
        super().__init__(window)
        self._window, self._deck, self._settings = window, deck, settings
        self._background = Background(self)
        self._wanted = 0

    @property
    def recent(self) -> list[Path]:
        """The files opened or saved last, the newest first, as far as they are still there."""
        try:
            names = json.loads(self._settings.text("recent_studies", "[]"))
        except ValueError:
            return []
        return [Path(name) for name in names if isinstance(name, str) and is_file(name)]

    @property
    def samples(self) -> tuple[list[Path], list[Path]]:
        """The studies that come with the program: whole ones, and those of a component each."""
        paths = sorted((fixtures_dir() / "studies").glob("*.yaml"), key=lambda path: path.stem)
        single = [path for path in paths if path.stem.startswith(RATING_PAUSE_COMPONENTS)]
        return [path for path in paths if path not in single], single

    def ask_open(self) -> None:
        """Let the user choose a study file."""
        self.guard(self._ask_open)

    def ask_file(self, path: Path) -> None:
        """Open this file, unless the user keeps what is unsaved."""
        self.guard(partial(self.open, path))

    def open(self, path: Path, *, role: str | None = None, quietly: bool = False) -> None:
        """Read a study; `quietly` tells of no failure, for a file that was only remembered.

        `role` is the one that the agent plays in an experiment; without it the user is asked where there are several.
        """
        self._wanted += 1
        wanted = self._wanted

        def read(found: Loaded | tuple[Role, ...] | None, error: Exception | None) -> None:
            if wanted != self._wanted:
                return
            if isinstance(found, Loaded):
                self._opened(found, path)
            elif found is not None:
                self._ask_role(found, path)
            elif not isinstance(error, SimulatorError):
                raise error or AssertionError
            elif not quietly:
                self.failed.emit(str(error))

        self._background.run(partial(_read, path.resolve(), role), read)

    def _opened(self, loaded: Loaded, path: Path) -> None:
        sample = path.is_relative_to(fixtures_dir())
        if not sample:
            self.remember(path)
        # A sample stays as it is, and what was imported has no file of its own yet.
        self.opened.emit(loaded, None if sample or path.suffix.lower() == ".json" else path)

    def _ask_role(self, roles: tuple[Role, ...], path: Path) -> None:
        words = {(role.name if role.name == role.id else f"{role.name}  ({role.id})"): role.id for role in roles}
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle("Import an experiment")
        dialog.setLabelText(tip(f"Which role of {path.name} does the agent play?"))
        dialog.setOption(QInputDialog.InputDialogOption.UseListViewForComboBoxItems)
        dialog.setComboBoxItems(list(words))
        dialog.setTextValue(next(iter(words)))
        dialog.textValueSelected.connect(lambda chosen: self.open(path, role=words[chosen]))
        self._show(dialog)

    def save(self, then: Callable[[], None] | None = None) -> None:
        """Write the deck to its file, or ask for one; `then` follows once it is written."""
        if not self._deck.rows:
            self.failed.emit(_NO_STEPS)
        elif self._deck.path is None:
            self.save_as(then)
        else:
            path = self._deck.path

            def looked(commented: bool | None, error: Exception | None) -> None:
                if error is not None:
                    raise error
                if commented:
                    self._ask_about_comments(path, then)
                else:
                    self._write(path, then)

            self._background.run(partial(has_comments, path), looked)

    def _ask_about_comments(self, path: Path, then: Callable[[], None] | None) -> None:
        """Once they are overwritten, or the study has another file, nobody is asked again."""
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(f"{path.name} has comments, which are not kept.")
        box.setInformativeText("The program writes the study anew, without what stands behind “#”.")
        elsewhere = box.addButton("Save as another file…", QMessageBox.ButtonRole.AcceptRole)
        overwrite = box.addButton("Overwrite", QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(elsewhere)
        elsewhere.clicked.connect(lambda: self.save_as(then))
        overwrite.clicked.connect(lambda: self._write(path, then))
        self._show(box)

    def save_as(self, then: Callable[[], None] | None = None) -> None:
        """Ask where the study is written."""
        if not self._deck.rows:
            self.failed.emit(_NO_STEPS)
            return
        before = self._deck.path
        name = f"{before.stem if before else _file_name(self._deck.head.name)}.yaml"
        folder = before.parent if before else Path(self._settings.text("study_folder") or Path.home())
        dialog = QFileDialog(self._window, "Save the study", str(folder / name), "Studies (*.yaml)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("yaml")
        dialog.fileSelected.connect(lambda chosen: self._save_under(Path(chosen), then))
        self._show(dialog)

    def guard(self, then: Callable[[], None]) -> None:
        """Do something that replaces the study: at once, or after the user saved or gave up what is unsaved."""
        if not self._deck.unsaved:
            then()
            return
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(f"Save the changes to “{self._deck.head.name}”?")
        box.setInformativeText("They are lost otherwise.")
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)

        def answered(button: int) -> None:
            if button == buttons.Save.value:
                self.save(then)
            elif button == buttons.Discard.value:
                then()

        box.finished.connect(answered)
        self._show(box)

    def remember(self, path: Path) -> None:
        """Put a file in front of the recent ones."""
        names = [str(path), *(str(each) for each in self.recent if each != path)]
        self._settings.set_text("recent_studies", json.dumps(names[:_MOST_RECENT]))
        self._settings.set_text("study_folder", str(path.parent))

    def _ask_open(self) -> None:
        dialog = QFileDialog(self._window, "Open a study", self._settings.text("study_folder"), _FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.open(Path(name)))
        self._show(dialog)

    def _save_under(self, path: Path, then: Callable[[], None] | None) -> None:
        """Write to a chosen file, by whose name a study is called that has none yet."""
        if self._deck.head.name == UNTITLED:
            self._deck.set_head(name=path.stem.replace("_", " ").strip().capitalize() or UNTITLED)
        self._write(path, then)

    def _write(self, path: Path, then: Callable[[], None] | None) -> None:
        asked = self._deck.study

        def written(study: Study | None, error: Exception | None) -> None:
            if study is not None:
                self._deck.mark_saved(asked, study, path)
                self.remember(path)
                copied = "" if study == asked else f"; the files that it names were copied to “{path.stem} files”"
                self.saved.emit(f"Saved as {path.name}{copied}.")
                if then is not None:
                    then()
            elif isinstance(error, SimulatorError):
                self.failed.emit(str(error))
            else:
                raise error or AssertionError

        self._background.run(partial(write_study, asked, path), written)

    def _show(self, dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()


def _read(path: Path, role: str | None) -> Loaded | tuple[Role, ...]:
    """Return the study, or the roles that there are to choose from. Runs in a thread."""
    if role is None and len(roles := likely_agents(roles_of(path))) > 1:
        return roles
    return load_study(path, role)


def sample_name(path: Path) -> str:
    """Return the name of a study that comes with the program, without reading all of it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("name:")), "")
    return named.strip("\"'") or path.stem


def _file_name(name: str) -> str:
    """Return a study's name as that of a file."""
    kept = "".join(sign if sign.isalnum() or sign in "-_ " else " " for sign in name)
    return "_".join(kept.lower().split())[:60] or "study"

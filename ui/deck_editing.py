"""The steps of the deck arranged and filled in by hand: forms, keys, and what is dragged onto the list."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from simulator.errors import SimulatorError
from simulator.profile.wording import OWN_WORDING
from simulator.study.steps import Step
from ui.background import Background
from ui.dialogs.step import StepDialog
from ui.dialogs.study_settings import StudySettingsDialog
from ui.models.deck import Deck
from ui.models.images import check_images, image_screens, with_images
from ui.models.step_kind import StepKind
from ui.models.step_kinds import default_action
from ui.panels.deck import DeckPanel
from ui.theme import Theme


class DeckEditing(QObject):
    """Changes the deck and has the panel show it. `window` is the parent of its dialogs."""

    failed = Signal(str)
    turn_detection_changed = Signal(object)
    """The study wants another turn detection: its wire object, or None."""

    def __init__(self, window: QWidget, theme: Theme, deck: Deck, panel: DeckPanel) -> None:
        super().__init__(window)
        self._window, self._theme = window, theme
        self._deck, self._panel, self._view = deck, panel, panel.view
        self.wording = OWN_WORDING
        """Whose words questions are put in, in the forms of steps."""
        self._background = Background(self)
        panel.edit_requested.connect(self.edit)
        panel.add_requested.connect(self.add)
        self._view.rows.moved.connect(lambda places, before: self._select(deck.move(places, before)))
        self._view.rows.files_dropped.connect(self._take_images)

    def add(self, kind: StepKind) -> None:
        """Let the user fill in a new step; it goes behind the selected one."""
        dialog = StepDialog(self._theme, Step(default_action(kind)), "Add a step", self._window, self.wording)
        dialog.done_with.connect(lambda step: self._select(self._deck.insert(self._behind(), [step])))
        dialog.open()

    def edit(self) -> None:
        """Open the selected step in a form."""
        place = self._view.place
        if place is None:
            return
        row = self._deck.rows[place]

        def done(step: Step) -> None:
            now = self._deck.place(row.key)
            if now is not None and step != row.step:
                self._select(self._deck.edit(now, step))

        dialog = StepDialog(self._theme, row.step, "Edit the step", self._window, self.wording)
        dialog.done_with.connect(done)
        dialog.open()

    def edit_settings(self) -> None:
        """Open what holds for the whole study in a form."""

        def done(changes: dict[str, Any]) -> None:
            if changes["turn_detection"] != self._deck.head.turn_detection:
                self.turn_detection_changed.emit(changes["turn_detection"])
            self._deck.set_head(**changes)
            self._panel.show_name()

        dialog = StudySettingsDialog(self._theme, self._deck.head, self._window)
        dialog.done_with.connect(done)
        dialog.open()

    def duplicate(self) -> None:
        """Put a copy of the selected steps behind them."""
        self._select(self._deck.duplicate(self._view.places))

    def delete(self) -> None:
        """Take the selected steps out."""
        self._select(self._deck.delete(self._view.places))

    def move_up(self) -> None:
        """Move the selected steps one up."""
        self._select(self._deck.shift(self._view.places, -1))

    def move_down(self) -> None:
        """Move the selected steps one down."""
        self._select(self._deck.shift(self._view.places, 1))

    def undo(self) -> None:
        """Take back the last change of the steps."""
        self._select(self._deck.undo() or None)

    def redo(self) -> None:
        """Change the steps again as before undo."""
        self._select(self._deck.redo() or None)

    def _take_images(self, paths: Sequence[Path], place: int, on_row: bool) -> None:
        """Attach files to the screen that they were dropped on, or add a screen for each."""
        key = self._deck.rows[place].key if on_row else None

        def checked(images: list[Path] | None, error: Exception | None) -> None:
            if images is None:
                if not isinstance(error, SimulatorError):
                    raise error or AssertionError
                self.failed.emit(str(error))
                return
            now = self._deck.place(key) if key is not None else None
            if now is not None:
                self._select(self._deck.edit(now, with_images(self._deck.rows[now].step, images)))
            else:
                self._select(self._deck.insert(min(place, len(self._deck.rows)), image_screens(images)))

        self._background.run(partial(check_images, paths), checked)

    def _behind(self) -> int:
        places = self._view.places
        return places[-1] + 1 if places else len(self._deck.rows)

    def _select(self, keys: list[int] | None) -> None:
        self._panel.refresh(keys)

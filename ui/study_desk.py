"""What is done with the study: its file, its steps, and pushing them into the session by hand or by time."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QMenu, QWidget

from simulator.errors import SimulatorError
from simulator.participant.messages import (
    AnyCommand,
    Ask,
    ConnectionState,
    KeepOwnAnswer,
    PlayStudy,
    Push,
    Status,
    StopStudy,
    VoiceKind,
)
from simulator.profile.context_items import revealed
from simulator.profile.tools import tool_for
from simulator.record.entries import Entry
from simulator.study.loading import Loaded
from simulator.study.needs import needed_tools
from simulator.study.steps import AskQuestion, EnterPart, Step, Study
from ui.commands import SessionCommands
from ui.deck_editing import DeckEditing
from ui.dialogs.import_notes import ImportNotesDialog
from ui.models.deck import UNTITLED, Deck
from ui.models.deck_commands import commands_of
from ui.models.notices import Notice
from ui.models.plain import line
from ui.models.session_diff import in_words
from ui.panels.agent import AgentPanel
from ui.panels.connection import ConnectionPanel
from ui.panels.deck import NOT_CONNECTED
from ui.panels.study import StudyPanel
from ui.session_feed import SessionFeed
from ui.settings import WindowSettings
from ui.study_files import StudyFiles, sample_name
from ui.theme import Theme


class StudyDesk(QObject):
    """Joins the deck and its panel to files, session, agent and engine. `window` is the parent of its dialogs."""

    failed = Signal(str)
    told = Signal(object)
    """A Notice that is good to know."""

    def __init__(
        self,
        window: QWidget,
        theme: Theme,
        deck: Deck,
        panel: StudyPanel,
        feed: SessionFeed,
        commands: SessionCommands,
        agent: AgentPanel,
        connection: ConnectionPanel,
        settings: WindowSettings,
    ) -> None:
        super().__init__(window)
        self._window, self._theme = window, theme
        self._deck, self._panel, self._view = deck, panel.deck, panel.deck.view
        self._pushes, self._preview = panel.pushes, panel.preview
        self._feed, self._commands, self._agent, self._connection = feed, commands, agent, connection
        self._settings = settings
        self.files = StudyFiles(window, deck, settings)
        self._restored: Path | None = None
        """The study that is opened as the window begins: what was typed before lies in the settings."""
        self._played: tuple[int, ...] = ()
        """Keys of the rows that are played by time, in order."""
        self._playing: Study | None = None
        self._accepted: str | None = None
        self._asked: list[AskQuestion | Ask] = []
        """Questions pushed by hand of which the agent was not told yet."""
        self._filling = self._quietly = self._to_front = False
        self._preview_soon = QTimer(self)
        self._preview_soon.setSingleShot(True)
        self._preview_soon.timeout.connect(self._show_preview)
        self.editing = DeckEditing(window, theme, deck, panel.deck)
        self.editing.failed.connect(self.failed)
        self.editing.turn_detection_changed.connect(connection.offer_turn_detection)
        self.files.opened.connect(self._take_study)
        self.files.saved.connect(self._show_saved)
        self.files.failed.connect(self.failed)
        feed.status_changed.connect(self._show_status)
        feed.view_started.connect(lambda _view: self._begin_session())
        feed.entries_added.connect(self._take_entries)
        panel.pushes.push_requested.connect(self._push_quickly)
        panel.preview.answered.connect(self._keep_answer)
        panel.preview.reveal_requested.connect(self._reveal)
        shown = self._panel
        shown.push_requested.connect(self.push_selected)
        shown.next_requested.connect(self.push_next)
        shown.play_requested.connect(self.play_or_stop)
        shown.open_requested.connect(self.files.ask_open)
        shown.selected.connect(self._preview_selected)
        samples = QMenu(shown)
        samples.aboutToShow.connect(partial(self.offer_samples, samples))
        shown.samples_button.setMenu(samples)
        agent.editor.textChanged.connect(self._take_instructions)
        agent.voice_picker.currentTextChanged.connect(self._take_voice)

    @property
    def study(self) -> Study:
        """The study as it is arranged now."""
        return self._deck.study

    @property
    def tools(self) -> list[str] | None:
        """The tools that a session for this study declares; None, all of them, where there is no study."""
        try:
            return list(needed_tools(self._deck.study)) if self._deck.rows else None
        except SimulatorError:
            return None

    def restore(self) -> None:
        """Open the study that was open last, if it is still there; without one, take the instructions used last."""
        self._agent.editor.setPlainText(self._settings.text("instructions"))
        recent = self.files.recent if self._settings.text("study_open") else []
        if recent:
            self._restored = recent[0]
            self.files.open(recent[0], quietly=True)

    def close(self) -> None:
        """Remember whether a file is open, and the instructions where none is."""
        self._settings.set_text("study_open", "yes" if self._deck.path else "")
        if self._deck.path is None:
            self._settings.set_text("instructions", self._agent.instructions)

    def new(self) -> None:
        """Begin with an empty study."""
        self.files.guard(partial(self._take, Study(UNTITLED, ()), None))

    def push_selected(self) -> None:
        """Push the selected steps, in order."""
        if not self._view.places:
            self._panel.say("Select a step first.")
        else:
            self._push(self._view.places)

    def push_next(self) -> None:
        """Push the step behind the one that was pushed last, and select it."""
        place = self._deck.next_place
        if place is None:
            self._panel.say("All steps were pushed." if self._deck.rows else "The study has no steps.")
            return
        self._push([place])
        self._select_quietly(place)

    def play_or_stop(self) -> None:
        """Play the study by time from the selected step, or stop it."""
        if not self._connected():
            return
        if self._feed.status.study is not None:
            self._commands.send(StopStudy(id=0), self._said)
            return
        first = self._view.place
        if first is None:
            self._panel.say("The study has no steps.")
            return
        self._select_quietly(first)
        self._playing = self.study
        self._played = tuple(row.key for row in self._deck.rows)
        speaks = self._connection.voice.kind is not VoiceKind.MICROPHONE
        self._commands.send(PlayStudy(id=0, study=self._playing, first_step=first, speaks=speaks), self._said)

    def offer_samples(self, menu: QMenu) -> None:
        """Fill a menu with the studies that come with the program."""
        menu.clear()
        whole, single = self.files.samples
        for path in whole:
            self._offer(menu, sample_name(path), path)
        menu.addSection("One component each")
        for path in single:
            self._offer(menu, sample_name(path), path)

    def offer_recent(self, menu: QMenu) -> None:
        """Fill a menu with the files opened last."""
        menu.clear()
        for path in self.files.recent:
            self._offer(menu, f"{path.name}   {path.parent}", path)
        if menu.isEmpty():
            menu.addAction("None yet").setEnabled(False)

    def _offer(self, menu: QMenu, words: str, path: Path) -> None:
        action = menu.addAction(words.replace("&", "&&"))
        action.triggered.connect(lambda _checked=False: self.files.ask_file(path))

    def _take_study(self, loaded: Loaded, path: Path | None) -> None:
        self._take(loaded.study, path)
        if loaded.notes:
            ImportNotesDialog(loaded.study.name, loaded.notes, self._window).open()

    def _take(self, study: Study, path: Path | None) -> None:
        self._filling = True
        self._guard_instructions(study, path)
        self._deck.load(study, path)
        self._agent.editor.setPlainText(study.instructions)
        self._agent.voice_picker.setCurrentText(study.voice)
        self._connection.offer_turn_detection(study.turn_detection)
        self._filling = False
        self._show_part()
        self._panel.refresh([])
        self._preview_selected()
        self._view.setFocus()

    def _guard_instructions(self, study: Study, path: Path | None) -> None:
        """Offer to take back what was typed without a study, before a study's instructions take its place."""
        typed = self._agent.instructions
        restoring, self._restored = path is not None and path == self._restored, None
        if self._deck.rows or self._deck.path is not None or restoring:
            return  # they are the open study's: the user was asked whether it is to be saved
        if typed.strip() and typed != study.instructions:
            take_back = partial(self._agent.editor.setPlainText, typed)
            words = f"The instructions of “{line(study.name)}” took the place of yours."
            self.told.emit(Notice(words, None, quiet=True, deed="Take yours back", do=take_back))

    def _show_saved(self, words: str) -> None:
        self._panel.refresh()
        self._panel.say(words)

    def _take_instructions(self) -> None:
        if not self._filling:
            self._deck.set_head(instructions=self._agent.instructions)
            self._panel.show_name()
            self._show_part()

    def _show_part(self) -> None:
        """Tell the panel of the agent which part's guidance is in force beside the instructions of the editor."""
        accepted = self._feed.status.instructions_accepted
        parts = (row.step.action for row in self._deck.rows if isinstance(row.step.action, EnterPart))
        in_force = (part.name for part in parts if self._deck.head.instructions_in(part) == accepted)
        self._agent.show_part("" if accepted is None else next(in_force, ""))

    def _take_voice(self) -> None:
        if not self._filling:
            self._deck.set_head(voice=self._agent.voice)
            self._panel.show_name()

    def _push(self, places: Sequence[int]) -> None:
        if not self._connected():
            return
        for place in places:
            row = self._deck.rows[place]
            commands = commands_of(row.step, self._deck.study)
            self._deck.sent(row.key)
            for command in commands:
                if isinstance(row.step.action, AskQuestion) and isinstance(command, Ask):
                    self._asked.append(row.step.action)
                self._commands.send(command, partial(self._settled, row.key, row.step, command is commands[0]))
            if not commands:
                self._settled(row.key, row.step, True, None)
        self._panel.show_marks()

    def _settled(self, key: int, step: Step, first: bool, error: str | None) -> None:
        """A command of a step took effect or was refused; what the step shows comes with its first one."""
        if first or error is not None:
            self._deck.settled(key, error)
            self._panel.show_marks()
        if error is not None:
            self._panel.say(error, "error")
        if first:
            self._show_outcome(step.action, error)

    def _push_quickly(self, command: AnyCommand) -> None:
        """Push what a form made, and show it once it took effect."""

        def settled(error: str | None) -> None:
            self._pushes.show_sent(error)
            self._show_outcome(command, error)

        if isinstance(command, Ask):
            self._asked.append(command)
        self._commands.send(command, settled)

    def _show_outcome(self, action: object, error: str | None) -> None:
        """Show what took effect; a question has been on the screen since the agent was told of it."""
        place = next((place for place, each in enumerate(self._asked) if each is action), None)
        if place is not None:
            del self._asked[place]
        elif isinstance(action, AskQuestion | Ask):
            return
        if error is None:
            self._preview.show_pushed(action)

    def _show_asked(self, entry: Entry) -> None:
        """The agent was told of a question: it is on the screen now, long before it is answered."""
        context = entry.event.get("context")
        if not self._asked or not isinstance(context, dict) or context.get("event") != "question":
            return
        first = self._asked[0]
        if tool_for(first.component, first.config) == context.get("tool"):
            del self._asked[0]
            self._preview.show_pushed(first)

    def _keep_answer(self, component: str, config: dict[str, Any], value: object) -> None:
        """Keep what the participant answered by hand in the record."""
        self._commands.send(KeepOwnAnswer(id=0, component=component, config=config, value=value), self._said)

    def _reveal(self, answer: object) -> None:
        """Tell the agent the answer that was given by hand."""
        self._push_quickly(Push(id=0, context=revealed(*self._participant(), answer)))

    def _select_quietly(self, place: int) -> None:
        """Select a step that is pushed at once: what was on the screen stays in front until then."""
        self._quietly = True
        self._view.select([place])
        self._quietly = False

    def _preview_selected(self) -> None:
        """Have the preview follow, once what goes on now is done: a push must not wait for it."""
        self._to_front = self._view.hasFocus() and not self._quietly
        self._preview_soon.start()

    def _show_preview(self) -> None:
        rows, place = self._deck.rows, self._view.place
        if place is None or place >= len(rows):
            self._preview.show_step(None)
        else:
            before = [row.step for row in rows[:place]]
            self._preview.show_step(rows[place].step, before, to_front=self._to_front)

    def _take_entries(self, first: int, last: int) -> None:
        entries = self._feed.view.entries[first:last]
        self._preview.take(entries, self._playing)
        for entry in entries:
            if entry.type == "push":
                self._show_asked(entry)
        marked = [self._mark_played(entry) for entry in entries if entry.type in ("study.step", "study.refused")]
        answers = [entry.event for entry in entries if entry.type == "answer" and entry.event.get("accepted")]
        for answer in answers:
            self._deck.answered(str(answer.get("question")), in_words(answer.get("value")))
        if answers:
            self._panel.show_marks()
        if any(marked):
            self._panel.show_marks()
            following = self._deck.next_place
            self._view.show_place(len(self._deck.rows) - 1 if following is None else following)

    def _mark_played(self, entry: Entry) -> bool:
        """Mark a step that a study which is played began, or that was refused."""
        place = entry.event.get("step")
        if not isinstance(place, int) or not 0 <= place < len(self._played):
            return False
        key = self._played[place]
        if entry.type == "study.step":
            self._deck.sent(key)
        self._deck.settled(key, str(entry.event.get("sentence")) if entry.type == "study.refused" else None)
        return True

    def _said(self, error: str | None) -> None:
        self._panel.say(error or "", "error" if error else "text_muted")

    def _connected(self) -> bool:
        connected = self._feed.status.connection is ConnectionState.CONNECTED
        if not connected:
            self._panel.say(NOT_CONNECTED, "error")
        return connected

    def _show_status(self, status: Status) -> None:
        plays = status.study is not None
        if plays is not self._deck.plays:
            self._deck.plays = plays
            self._panel.show_marks()
        if status.instructions_accepted != self._accepted:
            self._accepted = status.instructions_accepted
            self._show_part()
        self._panel.show_status(status)
        self._pushes.show_status(status)
        self._preview.show_status(status)

    def _begin_session(self) -> None:
        self._deck.forget_marks()
        self._played, self._playing = (), None
        self._asked.clear()
        self._preview.clear_pushed()
        self._panel.show_marks()

    def _participant(self) -> tuple[str, str]:
        """Return name and role of the participant: the first of those whom the study tells the agent of."""
        for row in self._deck.rows:
            context = getattr(row.step.action, "context", {})
            if context.get("event") == "participants" and context.get("others"):
                first = context["others"][0]
                return str(first.get("name", "")), str(first.get("role", ""))
        return "Alex", "A"

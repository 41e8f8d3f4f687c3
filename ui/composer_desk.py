"""What becomes of what is composed: responses and events sent, and events of the log sent again."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from simulator.errors import SimulatorError
from simulator.participant.messages import ConnectionState, CreateResponse, SendEvent, Status
from simulator.record.entries import Entry
from ui.background import Background
from ui.models.conversation_items import ConversationItem, conversation_items
from ui.models.send_again import event_of
from ui.panels.composer import ComposerPanel
from ui.panels.log import LogPanel
from ui.session_feed import SessionFeed


class ComposerDesk(QObject):
    """Joins the composer and the log to the live session."""

    edit_opened = Signal()
    """An event of the log stands in the editor."""
    failed = Signal(str)

    def __init__(self, window: QWidget, feed: SessionFeed, composer: ComposerPanel, log: LogPanel) -> None:
        super().__init__(window)
        self._window, self._feed, self._composer = window, feed, composer
        self._background = Background(self)
        composer.set_items(self._items)
        composer.command_requested.connect(self._send)
        self._log = log
        log.menu.edit_requested.connect(self._edit)
        log.menu.send_again_requested.connect(self._send_again)
        log.menu.refused.connect(self.failed)
        feed.status_changed.connect(self._show_status)
        self._show_status(feed.status)

    def _show_status(self, status: Status) -> None:
        self._composer.show_status(status)
        self._log.menu.show_connected(status.connection is ConnectionState.CONNECTED)

    def _items(self) -> list[ConversationItem]:
        return conversation_items(self._feed.view.entries.without_audio())

    def _send(self, command: CreateResponse | SendEvent) -> None:
        page = self._composer.reply if isinstance(command, CreateResponse) else self._composer.raw
        self._feed.send(command, page.show_sent)

    def _edit(self, entry: Entry) -> None:
        def read(events: list[dict[str, Any]]) -> None:
            self._composer.edit_raw(events[0])
            self.edit_opened.emit()

        self._read([entry], read)

    def _send_again(self, entries: list[Entry]) -> None:
        if self._feed.status.connection is not ConnectionState.CONNECTED:
            self.failed.emit("Connect first (F5): there is no engine to send it to.")
            return
        if self._log.view is not self._feed.view:
            self._ask(entries)
            return
        self._send_now(entries)

    def _ask(self, entries: list[Entry]) -> None:
        """Let the user know where events of a saved record would go, before they do."""
        what = f"“{entries[0].type}”" if len(entries) == 1 else f"{len(entries)} events"
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Send again")
        box.setText(f"Send {what} to the live session ({self._feed.status.engine})?")
        box.setInformativeText(f"The record on screen ({self._log.view.title}) stays as it is.")
        send = box.addButton("Send", QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        send.clicked.connect(partial(self._send_now, entries))
        box.open()

    def _send_now(self, entries: list[Entry]) -> None:
        def read(events: list[dict[str, Any]]) -> None:
            for event in events:
                self._feed.send(SendEvent(id=0, event=event), self._tell)

        self._read(entries, read)

    def _read(self, entries: list[Entry], then: Callable[[list[dict[str, Any]]], None]) -> None:
        """Make the events whole in the background: their audio lies in a file."""
        live = self._feed.status.record_path
        path = self._log.view.path or (Path(live) if live else None)

        def done(events: list[dict[str, Any]] | None, error: Exception | None) -> None:
            if events is not None:
                then(events)
            elif isinstance(error, SimulatorError):
                self.failed.emit(str(error))
            elif error is not None:
                raise error

        self._background.run(partial(_events, entries, path), done)

    def _tell(self, error: str | None) -> None:
        if error is not None:
            self.failed.emit(error)


def _events(entries: list[Entry], record: Path | None) -> list[dict[str, Any]]:
    return [event_of(entry, record) for entry in entries]

"""What can be done with selected rows of the log: copy, edit and send again, send again as they stand."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QTableView

from simulator.record.entries import Direction, Entry
from ui.models.send_again import why_not

EDIT_KEY = "Ctrl+E"
SEND_AGAIN_KEY = "Ctrl+Shift+E"
MOST_SENT_AGAIN = 200


class LogMenu(QObject):
    """The context menu of the log's table, and the keys of its entries."""

    edit_requested = Signal(object)
    """An Entry is to be put into the editor of events."""
    send_again_requested = Signal(object)
    """A list of entries is to be sent as they stand."""
    refused = Signal(str)
    """Why not, in one sentence."""

    def __init__(self, table: QTableView, selected: Callable[[], list[Entry]], copy: Callable[[], None]) -> None:
        super().__init__(table)
        self._table = table
        self._selected = selected
        self.copy_action = QAction("Copy as JSON", self)
        self.copy_action.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        self.copy_action.triggered.connect(copy)
        self.edit_action = QAction("Edit and send again…", self)
        self.edit_action.setShortcut(QKeySequence(EDIT_KEY))
        self.edit_action.triggered.connect(self.edit)
        self.send_action = QAction("Send again", self)
        self.send_action.setShortcut(QKeySequence(SEND_AGAIN_KEY))
        self.send_action.triggered.connect(self.send_again)
        self._of_record = self._connected = False
        for action in (self.copy_action, self.edit_action, self.send_action):
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.setAutoRepeat(False)
            table.addAction(action)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._open)

    def show_record(self, of_record: bool) -> None:
        """The rows are those of a saved record: what is sent again goes to the live session, and not there."""
        self._of_record = of_record
        self.edit_action.setText("Edit a copy in Compose…" if of_record else "Edit and send again…")
        self.send_action.setText("Send again to the live session…" if of_record else "Send again")

    def show_connected(self, connected: bool) -> None:
        """Whether there is a live session to send to."""
        self._connected = connected

    def edit(self) -> None:
        """Put the selected event into the editor, or say why not."""
        entries = self._selected()
        reason = why_not(entries[0]) if len(entries) == 1 else "Select one event to edit it."
        if reason is None:
            self.edit_requested.emit(entries[0])
        else:
            self.refused.emit(reason)

    def send_again(self) -> None:
        """Send the selected events once more, in order, or say why not."""
        entries = self._selected()
        sent = [entry for entry in entries if entry.direction is Direction.SENT] or entries[:1]
        if not sent:
            self.refused.emit("Select an event that was sent.")
            return
        if len(sent) > MOST_SENT_AGAIN:
            self.refused.emit(f"These are {len(sent):,} events: at most {MOST_SENT_AGAIN} are sent again at a time.")
            return
        reason = next((reason for reason in map(why_not, sent) if reason is not None), None)
        if reason is None:
            self.send_again_requested.emit(sent)
        else:
            self.refused.emit(reason)

    def _open(self, place: QPoint) -> None:
        entries = self._selected()
        menu = QMenu(self._table)
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        reason = why_not(entries[0]) if len(entries) == 1 else None
        some_sent = any(entry.direction is Direction.SENT for entry in entries)
        unsendable = reason
        if unsendable is None and self._of_record and not self._connected:
            unsendable = "Connect first (F5): this is a saved record, and nothing can be sent to it."
        for action, why, enabled in (
            (self.copy_action, None, bool(entries)),
            (self.edit_action, reason, len(entries) == 1 and reason is None),
            (self.send_action, unsendable, some_sent and unsendable is None),
        ):
            # Entries of their own: the actions stay enabled, so that their keys can say why not.
            shown = menu.addAction(
                f"{action.text()}\t{action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)}"
            )
            shown.setEnabled(enabled)
            shown.setToolTip("" if enabled else why or "Only what was sent can be sent again.")
            shown.triggered.connect(action.trigger)
        menu.popup(self._table.viewport().mapToGlobal(place))

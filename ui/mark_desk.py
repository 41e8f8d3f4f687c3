"""The marker key: marks the moment at which it is pressed, and takes a note about it for as long as one is typed."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QMainWindow, QPushButton, QWidget

from simulator.participant.messages import AnyCommand, ConnectionState, Mark, NoteMark, Status
from ui.actions import Deed
from ui.session_feed import SessionFeed
from ui.theme import SPACE_PX

_LONGEST_NOTE = 2_000
_NOT_CONNECTED = "Marks are set while a session goes on, and none goes on now: a record that has ended takes no more."


class MarkBar(QFrame):
    """A line for the note, shown from the mark until the note is kept or left out; nothing waits for it."""

    noted = Signal(str)
    """The note about the last mark; never empty."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.label = QLabel()
        self.label.setProperty("role", "muted")
        self.note = QLineEdit()
        self.note.setAccessibleName("Note about the mark")
        self.note.setMaxLength(_LONGEST_NOTE)
        self.label.setBuddy(self.note)
        self.keep_button = QPushButton("Keep  ⏎")
        self.keep_button.clicked.connect(self.keep)
        self.close_button = QPushButton("✕")
        self.close_button.setProperty("role", "quiet")
        self.close_button.setAccessibleName("Leave the mark without a note")
        self.close_button.setToolTip("Leave the mark without a note.")
        self.close_button.clicked.connect(self.shut)
        row = QHBoxLayout(self)
        row.setContentsMargins(3 * SPACE_PX, SPACE_PX, 2 * SPACE_PX, SPACE_PX)
        row.setSpacing(2 * SPACE_PX)
        row.addWidget(self.label)
        row.addWidget(self.note, 1)
        row.addWidget(self.keep_button)
        row.addWidget(self.close_button)
        self.hide()

    def show_where(self, *, elsewhere: bool) -> None:
        """Say which session was marked, where another record is on screen."""
        self.label.setText("Marked in the session that goes on. Note" if elsewhere else "Marked. Note")

    def open_line(self) -> None:
        """Show an empty line and put the cursor into it."""
        self.note.clear()
        self.show()
        self.note.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keep(self) -> None:
        """Tell the note that was typed, if any, and hide."""
        note = self.note.text().strip()
        if note:
            self.noted.emit(note)
        self.shut()

    def shut(self) -> None:
        """Hide; the mark stays."""
        self.note.clear()
        self.hide()
        self.window().setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep the note with Enter; Escape goes on to the window."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.keep()
        else:
            super().keyPressEvent(event)


class MarkDesk(QObject):
    """Owns the line; knows the participant process by its feed."""

    failed = Signal(str)

    def __init__(self, window: QMainWindow, feed: SessionFeed) -> None:
        super().__init__(window)
        self._feed = feed
        self.bar = MarkBar()
        self.bar.noted.connect(lambda note: self._send(NoteMark(id=0, note=note)))
        self.show_record(live=True)
        feed.status_changed.connect(self._show)

    def deeds(self) -> list[Deed]:
        """Return the key for the menu."""
        return [Deed("Mar&k this moment", "X", self.mark)]

    def show_record(self, live: bool) -> None:
        """The live session is on screen, or another record, which takes no marks."""
        self.bar.show_where(elsewhere=not live)

    def mark(self) -> None:
        """Mark at once, then take a note. What was typed about the mark before is kept first."""
        if self._feed.status.connection is not ConnectionState.CONNECTED:
            self.failed.emit(_NOT_CONNECTED)
            return
        if not self.bar.isHidden():
            self.bar.keep()
        self._send(Mark(id=0))
        self.bar.open_line()

    def _send(self, command: AnyCommand) -> None:
        self._feed.send(command, self._settled)

    def _settled(self, error: str | None) -> None:
        if error is not None:
            self.failed.emit(error)

    def _show(self, status: Status) -> None:
        if status.connection is not ConnectionState.CONNECTED and not self.bar.isHidden():
            self.bar.shut()

"""A line that lets the participant say something: a typed text or the voice chosen, at once or on a cue; and the strip
that tells that the voice is impaired."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QWidget

from simulator.participant.messages import (
    AnyCommand,
    CancelCue,
    ConnectionState,
    Cue,
    SetTalk,
    Speak,
    Status,
    VoiceKind,
)
from ui.models.plain import tip
from ui.panels.notices import WarningBanner
from ui.panels.pickers import Picker
from ui.theme import SPACE_PX, Theme
from ui.widgets.elided_label import ElidedLabel

_MOMENTS = (
    ("at once", "now"),
    ("after the reply begins", "reply_begins"),
    ("after the reply ends", "reply_ends"),
    ("after my turn is taken", "turn"),
)
_DELAYED = "from now"


class SayBar(QFrame):
    """Hidden until it is opened; shown, whether opened or not, while something is said by itself on a cue."""

    command_requested = Signal(object)
    """Speak, SetTalk, Cue or CancelCue."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self._theme = theme
        self._status = Status()
        self._opened = False
        self.text = QLineEdit()
        self.text.setAccessibleName("What the participant says")
        self.moment = Picker("When it is said", 160)
        for words, after in _MOMENTS:
            self.moment.addItem(words, after)
        self.seconds = QDoubleSpinBox()
        self.seconds.setAccessibleName("Seconds after that")
        self.seconds.setRange(0, 3600)
        self.seconds.setDecimals(1)
        self.seconds.setSuffix(" s")
        self.repeat = QCheckBox("each time")
        self.repeat.setToolTip("After every reply or turn, and not only the next one. A folder is said once.")
        self.say_button = QPushButton()
        self.say_button.clicked.connect(self.say)
        self.cue = ElidedLabel()
        self.cue.setAccessibleName("What is said on a cue")
        self.cancel_button = QPushButton("Cancel the cue")
        self.cancel_button.clicked.connect(lambda: self.command_requested.emit(CancelCue(id=0)))
        self.close_button = QPushButton("✕")
        self.close_button.setProperty("role", "quiet")
        self.close_button.setAccessibleName("Close the line")
        self.close_button.setToolTip("Close this line. T opens it.")
        self.close_button.clicked.connect(self.shut)
        self._lay_out()
        self.moment.currentIndexChanged.connect(self._show)
        self.text.textChanged.connect(self._show)
        self.seconds.valueChanged.connect(self._show)
        theme.changed.connect(self._show)
        self._show()

    def open_line(self) -> None:
        """Show the line and put the cursor into it."""
        self._opened = True
        self._show()
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def shut(self) -> None:
        """Hide the line; while a cue waits, what it is stays."""
        self._opened = False
        self._show()
        self.window().setFocus()

    def show_status(self, status: Status) -> None:
        """Follow the session, the voice and the cue."""
        self._status = status
        self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Say it with Enter from any field of the line; Escape goes on to the window."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.say()
        else:
            super().keyPressEvent(event)

    def say(self) -> None:
        """Ask for what the line says; a text that was taken is cleared by `settle`."""
        if self.say_button.isEnabled():
            self.command_requested.emit(self._command())
            self.text.clear()

    def give_back(self, text: str) -> None:
        """Put a text that could not be said into the line again, where nothing else was typed."""
        if not self.text.text():
            self.text.setText(text)

    def _command(self) -> AnyCommand:
        text, after, seconds = self.text.text().strip(), self.moment.currentData(), self.seconds.value()
        if after == "now" and not seconds:
            return Speak(id=0, text=text) if text else SetTalk(id=0, down=True)
        return Cue(id=0, after=after, seconds=seconds, text=text, repeat=after != "now" and self.repeat.isChecked())

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(3 * SPACE_PX, SPACE_PX, 2 * SPACE_PX, SPACE_PX)
        row.setSpacing(2 * SPACE_PX)
        self._label = QLabel("Say")
        self._label.setProperty("role", "muted")
        self._label.setBuddy(self.text)
        self._delay = QLabel("Delay")
        self._delay.setProperty("role", "muted")
        self._delay.setBuddy(self.seconds)
        self._line = (self._label, self.text, self._delay, self.seconds, self.moment, self.repeat, self.say_button)
        for widget in self._line:
            row.addWidget(widget, 2 if widget is self.text else 0)
        row.addWidget(self.cue, 3)
        row.addWidget(self.cancel_button)
        row.addWidget(self.close_button)

    def _show(self) -> None:
        status, cue = self._status, self._status.cue
        for widget in self._line:
            widget.setVisible(self._opened)
        at_once = self.moment.currentData() == "now"
        self.moment.setItemText(0, _DELAYED if self.seconds.value() else _MOMENTS[0][0])
        self.repeat.setVisible(self._opened and not at_once)
        waits = not at_once or bool(self.seconds.value())
        own = status.voice is VoiceKind.RECORDING
        self.text.setPlaceholderText(
            f"Type what the participant says; empty: {status.voice_name}" if own else "Type what the participant says"
        )
        connected = status.connection is ConnectionState.CONNECTED
        something = bool(self.text.text().strip()) or own
        self.say_button.setText("Set the cue  ⏎" if waits else "Say  ⏎")
        self.say_button.setEnabled(connected and something)
        self.say_button.setToolTip(
            "Connect first (F5)." if not connected else "" if something else "Type something, or choose a recording."
        )
        self.cue.setText(f"Cue: {cue}" if cue else "")
        self.cue.setToolTip(tip(cue or ""))
        self.cue.setStyleSheet(f"color: {self._theme.colours.accent}; font-weight: 600;")
        self.cue.setVisible(bool(cue))
        self.cancel_button.setVisible(bool(cue))
        self.close_button.setVisible(self._opened)
        self.setVisible(self._opened or bool(cue))


class ImpairmentsBanner(WarningBanner):
    """Says, as long as it holds, that the participant's voice does not reach the engine as it is."""

    change_requested = Signal()
    end_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.change_button = QPushButton("Change…")
        self.end_button = QPushButton("End")
        self.end_button.setToolTip("Do nothing to the voice any more.")
        super().__init__(theme, ElidedLabel(), [self.change_button, self.end_button], parent)
        self.change_button.clicked.connect(self.change_requested)
        self.end_button.clicked.connect(self.end_requested)

    def show_status(self, status: Status) -> None:
        """Show what is done to the voice; nothing hides the strip."""
        impairments = status.impairments
        if impairments is not None:
            count = status.clipped_samples
            clips = f" · {count} sample{'s' * (count != 1)} clipped" if count else ""
            words = f"{impairments.words}{clips}"
            self.text.setText(f"⚠  The participant's voice is impaired on purpose   {words}")
            self.text.setToolTip(tip(words))
        self.setVisible(impairments is not None)

"""The buttons of the top bar that say by colour and word what is heard: talking, and listening on or off."""

from PySide6.QtWidgets import QPushButton, QWidget

from simulator.participant.messages import ConnectionState, Status, VoiceKind
from ui.models.plain import tip
from ui.theme import Theme


class ListeningButton(QPushButton):
    """Filled while the engine hears the participant, dashed while nothing is sent to it; to be read from afar."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._status = Status()
        self.setCheckable(True)
        self.setObjectName("listening")
        self.setAccessibleName("Listening")
        self.setMinimumWidth(156)
        theme.changed.connect(self._recolour)

    def show_status(self, status: Status) -> None:
        """Show whether listening is on, and whether there is a session to which that matters."""
        self._status = status
        self.setChecked(status.listening)
        self.setText("LISTENING ON" if status.listening else "LISTENING OFF")
        self.setToolTip(
            "The engine hears the participant. L switches it off."
            if status.listening
            else "Nothing is sent to the engine. L switches it on again."
        )
        self._recolour()

    def _recolour(self) -> None:
        colours = self._theme.colours
        ink = colours.listening_on if self._status.listening else colours.listening_off
        if self._status.connection is not ConnectionState.CONNECTED:
            ink = colours.text_muted
            style = f"color: {ink}; background: transparent; border: 1px dashed {colours.line_strong};"
        elif self._status.listening:
            style = f"color: {colours.panel}; background: {ink}; border: 2px solid {ink};"
        else:
            style = f"color: {ink}; background: transparent; border: 2px dashed {ink};"
        self.setStyleSheet(f"QPushButton {{ {style} font-weight: 700; font-size: 13pt; }}")


class TalkButton(QPushButton):
    """Lets a microphone through while it is held, or opens and closes it; starts and stops a recording."""

    def show_talk(self, status: Status, kind: VoiceKind, *, toggles: bool) -> None:
        """Show what it would do with a voice of this kind; `toggles`: it opens and closes a microphone."""
        self.setEnabled(kind is not VoiceKind.SILENCE)
        if kind is VoiceKind.RECORDING:
            self.setText("Stop  Space" if status.talking else "Talk  Space")
            what = f"Say {status.voice_place}" if status.voice_place else "Play the recording to the engine"
            self.setToolTip(tip(f"{what}; again to stop it. Key: Space."))
        elif kind is VoiceKind.MICROPHONE:
            self.setText("Talking" if status.talking else "Talk  Space")
            self.setToolTip(
                "The button or Space opens the microphone, and closes it again."
                if toggles
                else "Hold the button or Space while you speak."
            )
        else:
            self.setText("Talk  Space")
            self.setToolTip("Choose a microphone or a recording as the voice first.")
        set_role(self, "primary" if status.talking else "")


def set_role(widget: QWidget, role: str) -> None:
    """Give a widget that is on screen another role of the style sheet."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)

"""What is wrong with the microphone's sound: strips with the sentences, and a sign beside the level meter."""

from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter, QWidget

from simulator.participant.messages import Status, VoiceKind
from ui.panels.notices import Look, SentenceStrip, WarningBanner
from ui.theme import Theme
from ui.widgets.elided_label import ElidedLabel

_SIGN: Final = "⚠"
_WORDS: Final = {
    "exact_zeros": "no sound",
    "too_quiet": "too quiet",
    "clipping": "clipped",
    "hum": "noise",
    "echo": "echo",
}


class SoundStrip(SentenceStrip):
    """The sentences of the warnings, a line each. One that was dismissed comes back when it ended and began again."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._sentences: dict[str, str] = {}
        self._dismissed: set[str] = set()
        self.text.setAccessibleName("What is wrong with the microphone's sound")
        self._show()

    def show_status(self, status: Status) -> None:
        """Show the warnings of this status that were not dismissed."""
        sentences = {str(warning.code): warning.sentence for warning in status.sound}
        if sentences != self._sentences:
            self._sentences = sentences
            self._dismissed &= set(sentences)
            self._show()

    def dismiss(self) -> None:
        """Hide what is shown."""
        self._dismissed |= set(self._sentences)
        self._show()

    def bring_back(self) -> None:
        """Show what was dismissed and still holds."""
        self._dismissed.clear()
        self._show()

    def _show(self) -> None:
        shown = [sentence for code, sentence in self._sentences.items() if code not in self._dismissed]
        self._show_lines("\n".join(f"⚠  {sentence}" for sentence in shown), self._theme.colours.warning)


class HalfDuplexBanner(WarningBanner):
    """Says, as long as half-duplex holds for a microphone, that nobody can interrupt the agent."""

    end_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.end_button = QPushButton("Switch off  Shift+M")
        text = ElidedLabel(
            "⚠  Half-duplex: the microphone is silent while the agent is heard, so barge-in is impossible."
        )
        super().__init__(theme, text, [self.end_button], parent)
        self.end_button.clicked.connect(self.end_requested)

    def show_status(self, status: Status) -> None:
        """Show it where a microphone is the voice: other voices are not kept back."""
        self.setVisible(status.half_duplex and status.voice is VoiceKind.MICROPHONE)

    def _look(self) -> Look:
        return super()._look()._replace(below=self._theme.colours.line)


class SoundSign(QPushButton):
    """A few words beside the level meter while something is wrong; a click shows the sentences again."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setProperty("role", "quiet")
        self.setAccessibleName("Trouble with the microphone's sound")
        theme.changed.connect(self._recolour)
        self._recolour()
        self.hide()

    def show_status(self, status: Status) -> None:
        """Name the warnings of this status."""
        words = [_WORDS[warning.code] for warning in status.sound]
        # The row is full: the first in words, the others counted.
        self.setText(f"{_SIGN} {words[0]}{f' +{len(words) - 1}' * (len(words) > 1)}" if words else "")
        self.setToolTip("\n".join(warning.sentence for warning in status.sound))
        self.setVisible(bool(words))

    def minimumSizeHint(self) -> QSize:
        """Room for the sign alone: the words give way, the strip and the tip have them whole."""
        hint = super().minimumSizeHint()
        return QSize(hint.width() - self._advance(self.text()) + self._advance(f"{_SIGN}…"), hint.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw as many of the words as fit."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        room_px = self.width() - (super().minimumSizeHint().width() - self._advance(self.text()))
        option.text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room_px)
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        painter.end()

    def _advance(self, text: str) -> int:
        return self.fontMetrics().horizontalAdvance(text)

    def _recolour(self) -> None:
        self.setStyleSheet(f"color: {self._theme.colours.warning}; font-weight: 600;")

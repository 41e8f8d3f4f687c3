"""A little screen: what a participant has before him, drawn from a `Screen`, with a question that can be answered.

Only what changed is built anew, so that a chat line that comes in does not take away an answer half given.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from simulator.profile.answers import prompt_of
from ui.models.plain import line
from ui.models.preview import HEARD, NOT_HEARD, PLACEHOLDERS, Question, Screen
from ui.theme import SPACE_PX, Theme
from ui.widgets.components.making import answer_widget
from ui.widgets.components.placeholder import Placeholder
from ui.widgets.components.plain_text import PlainLine, PlainText
from ui.widgets.components.showimage import ShowImage
from ui.widgets.components.textchat import TextChat
from ui.widgets.components.timer_label import TimerLabel

if TYPE_CHECKING:
    from ui.widgets.components.answer import AnswerWidget

NOTHING_YET = "Nothing is on the screen yet."
_VIDEO_CHAT = "videochat"


class ParticipantScreen(QFrame):
    """The frame with its header, its scrolling content, who is heard, and the pause over all of it."""

    question_changed = Signal()
    """Another question, or none, is there now."""
    value_changed = Signal()
    """The question's value changed."""

    def __init__(self, theme: Theme, now_s: Callable[[], float]) -> None:
        super().__init__()
        self.setObjectName("participantScreen")
        self.setAccessibleName("What the participant sees")
        self._theme = theme
        self.screen_shown = Screen()
        self._follows_chat = False
        self.answering: AnswerWidget | None = None
        """The widget of the question that is shown; None where there is none, or where it cannot be shown."""
        self.kind = PlainLine(theme, bold=True)
        self.part = PlainLine(theme, role="text_muted")
        self.timer = TimerLabel(now_s)
        self.heard = PlainLine(theme)
        self.caption = _Section(lambda text: PlainText(theme, text, role="study"))
        self.rating_pause = _Section(lambda text: PlainText(theme, text, role="text_muted", scale=0.9))
        self.message = _Section(lambda text: _Notice(theme, "Experimenter", text))
        self.focus = _Section(self._make_focus)
        self.asked = _Section(self._make_question)
        self.value = PlainText(theme, role="text_muted", scale=0.9)
        self.revealed = _Section(lambda revealed: _Notice(theme, f"{line(revealed[0], 80)} answered", revealed[1]))
        self.chat = _Section(lambda lines: TextChat(theme, lines))
        self.others = _Section(lambda others: PlainText(theme, others, role="text_muted", scale=0.9))
        self.area = QScrollArea()
        self._lay_out()
        self.pause = _Pause(theme, self.area)
        self.area.installEventFilter(self)
        self.area.verticalScrollBar().rangeChanged.connect(self._follow_chat)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow_focus)
        theme.changed.connect(self._recolour)
        self._recolour()
        self.show_screen(Screen())

    @property
    def question(self) -> Question | None:
        """The question that is shown."""
        return self.screen_shown.question

    @property
    def stops(self) -> list[QWidget]:
        """Where Tab stops in the question, in order."""
        inside = self.answering.findChildren(QWidget) if self.answering is not None else []
        return [each for each in inside if each.focusPolicy() & Qt.FocusPolicy.TabFocus]

    def show_screen(self, screen: Screen, caption: str = "", *, runs: bool = False) -> None:
        """Draw a screen. `caption`: what happens without being seen; `runs`: whether its timer counts."""
        told = screen.chat != self.screen_shown.chat
        self.screen_shown = screen
        self.kind.set_text(screen.kind)
        self.rating_pause.show_key(_pause_of(screen.question))
        self.part.set_text(screen.part)
        self.part.setVisible(bool(screen.part))
        self.timer.show_timer(screen.timer, runs=runs)
        self.caption.show_key(caption)
        self.message.show_key(screen.message)
        another = self.focus.show_key(_focus_key(screen, caption))
        if screen.question is None:
            self.answering = None
        if self.asked.show_key(screen.question):
            another = True
            self.question_changed.emit()
        self.revealed.show_key(screen.revealed)
        self.chat.show_key(screen.chat)
        self.others.show_key(
            "With " + ", ".join(line(each, 80) for each in screen.others[:20]) if screen.others else ""
        )
        self.heard.setVisible(screen.video_chat is not None)
        heard = (HEARD, "listening_on") if screen.video_chat else (NOT_HEARD, "listening_off")
        self.heard.set_text(*heard)
        self.pause.show_waiting(screen.waiting_for)
        if another:
            self.area.verticalScrollBar().setValue(0)
        # A new line of the chat is scrolled to, unless somebody answers a question meanwhile.
        self._follows_chat = told and screen.question is None

    def show_value(self, text: str) -> None:
        """Say below the question what the answer is as it would be sent; nothing where it is empty."""
        self.value.set_text(text)
        self.value.setVisible(bool(text))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the pause cover what scrolls."""
        if watched is self.area and event.type() == QEvent.Type.Resize:
            self.pause.resize(self.area.size())
        return False

    def _follow_chat(self, _lowest: int, highest: int) -> None:
        if self._follows_chat:
            self.area.verticalScrollBar().setValue(highest)

    def _follow_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Arrow keys move the focus from option to option, and out of sight."""
        if now is not None and self.area.isAncestorOf(now):
            self.area.ensureWidgetVisible(now)

    def _make_focus(self, key: tuple[object, ...]) -> QWidget:
        """Build the component that is only looked at."""
        screen = self.screen_shown
        column = _column()
        if screen.component in PLACEHOLDERS:
            column.add(Placeholder(self._theme, PLACEHOLDERS[screen.component]))
        elif screen.component == _VIDEO_CHAT:
            column.add(Placeholder(self._theme, "The participants see and hear each other here."))
        elif key == _NOTHING:
            column.add(Placeholder(self._theme, NOTHING_YET))
        if screen.images or screen.image_lines:
            column.add(ShowImage(self._theme, screen.images, screen.image_lines))
        if screen.text and not _is_asked(screen):
            column.add(PlainText(self._theme, screen.text))
        return column

    def _make_question(self, question: Question) -> QWidget:
        column = _column()
        made = answer_widget(self._theme, question)
        if isinstance(made, str):
            self.answering = None
            column.add(PlainText(self._theme, made, role="error"))
            return column
        self.answering = made
        made.changed.connect(self.value_changed)
        column.add(PlainText(self._theme, prompt_of(question.config), scale=1.1, bold=True))
        column.add(made)
        return column

    def _lay_out(self) -> None:
        bar = QWidget()
        bar.setObjectName("participantHead")
        head = QHBoxLayout(bar)
        head.setContentsMargins(3 * SPACE_PX, SPACE_PX, 2 * SPACE_PX, SPACE_PX)
        head.setSpacing(2 * SPACE_PX)
        head.addWidget(self.kind)
        head.addWidget(self.part, 1)
        head.addStretch(0)
        head.addWidget(self.timer)
        content = QWidget()
        content.setObjectName("participantContent")
        column = QVBoxLayout(content)
        column.setContentsMargins(3 * SPACE_PX, 2 * SPACE_PX, 3 * SPACE_PX, 2 * SPACE_PX)
        column.setSpacing(2 * SPACE_PX)
        first = (self.caption, self.message, self.focus, self.rating_pause, self.asked)
        for section in (*first, self.value, self.revealed, self.chat, self.others):
            column.addWidget(section)
        column.addStretch(1)
        self.area.setWidget(content)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(1, 1, 1, 1)
        rows.setSpacing(0)
        rows.addWidget(bar)
        rows.addWidget(self.area, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(3 * SPACE_PX, 0, 3 * SPACE_PX, SPACE_PX)
        foot.addWidget(self.heard)
        rows.addLayout(foot)

    def _recolour(self) -> None:
        c = self._theme.colours
        self.setStyleSheet(
            f"#participantScreen {{ background: {c.panel}; border: 1px solid {c.line_strong}; border-radius: 8px; }}"
            f"#participantHead {{ border-bottom: 1px solid {c.line}; background: {c.raised};"
            " border-top-left-radius: 7px; border-top-right-radius: 7px; }"
            "#participantContent, QScrollArea { background: transparent; }"
        )


_NOTHING = ("",)


def _focus_key(screen: Screen, caption: str) -> tuple[object, ...] | None:
    """Return what the component that is only looked at depends on; None where there is none to be shown.

    A rating pause covers it, and a text chat needs no frame once somebody wrote.
    """
    if screen.question is not None and screen.question.in_rating_pause:
        return None
    if screen.component == "textchat" and screen.chat and not screen.text:
        return None
    if not screen.component:
        return None if caption or screen.question is not None or screen.chat or screen.message else _NOTHING
    text = "" if _is_asked(screen) else screen.text
    if not (text or screen.images or screen.image_lines or screen.component in (*PLACEHOLDERS, _VIDEO_CHAT)):
        return None
    return (screen.component, text, screen.images, screen.image_lines)


def _is_asked(screen: Screen) -> bool:
    """Return whether the screen's text is the question's own."""
    return screen.question is not None and prompt_of(screen.question.config).strip() == screen.text.strip()


def _pause_of(question: Question | None) -> str:
    if question is None or not question.in_rating_pause:
        return ""
    return "Rating pause: the video stands still." if question.during_video else "Rating pause."


class _Column(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(2 * SPACE_PX)

    def add(self, widget: QWidget) -> None:
        self._rows.addWidget(widget)


def _column() -> _Column:
    return _Column()


class _Section(QWidget):
    """A place in the column that holds the widget of its key, and no room without one."""

    def __init__(self, make: Callable[..., QWidget]) -> None:
        super().__init__()
        self._make = make
        self._key: object = None
        self._made: QWidget | None = None
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self.hide()

    def show_key(self, key: object) -> bool:
        """Show what is made of a key, nothing for an empty one; returns whether that is another than before."""
        if key == self._key:
            return False
        self._key = key
        if self._made is not None:
            self._rows.removeWidget(self._made)
            self._made.hide()
            self._made.deleteLater()
        self._made = self._make(key) if key else None
        if self._made is not None:
            self._rows.addWidget(self._made)
        self.setVisible(self._made is not None)
        return True


class _Notice(QFrame):
    """Words that came from somebody, under the name of who said them."""

    def __init__(self, theme: Theme, who: str, words: str) -> None:
        super().__init__()
        self._theme = theme
        column = QVBoxLayout(self)
        column.setContentsMargins(3 * SPACE_PX, SPACE_PX, 2 * SPACE_PX, SPACE_PX)
        column.setSpacing(0)
        column.addWidget(PlainText(theme, who, role="study", scale=0.9, bold=True))
        column.addWidget(PlainText(theme, words))
        theme.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a bar at the left."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.colour("raised"))
        painter.fillRect(0, 0, 3, self.height(), self._theme.colour("study"))
        painter.end()


class _Pause(QWidget):
    """Covers the screen while the study waits for somebody."""

    def __init__(self, theme: Theme, covered: QWidget) -> None:
        super().__init__(covered)
        self._theme = theme
        centre = Qt.AlignmentFlag.AlignHCenter
        self.words = PlainText(theme, role="text_muted", alignment=centre)
        column = QVBoxLayout(self)
        margin = 4 * SPACE_PX
        column.setContentsMargins(margin, margin, margin, margin)
        column.addStretch(1)
        column.addWidget(PlainText(theme, "Paused", scale=1.3, bold=True, alignment=centre))
        column.addWidget(self.words)
        column.addStretch(1)
        theme.changed.connect(self.update)
        self.hide()

    def show_waiting(self, waiting_for: tuple[str, ...] | None) -> None:
        """Say who is waited for; None ends the pause."""
        if waiting_for is not None:
            names = ", ".join(line(each, 80) for each in waiting_for[:20])
            self.words.set_text(f"Waiting for {names}" if names else "The study waits.")
            self.raise_()
        self.setVisible(waiting_for is not None)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Let what lies below shine through a little."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.colour("panel", 0.93))
        painter.end()

"""What the presenter view adds to the timeline: a headline to be read from afar, and the checks in two tables."""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from simulator.participant.messages import ConnectionState, Status
from ui.checks_feed import ChecksFeed
from ui.models.entry_text import long_clock
from ui.models.plain import line
from ui.models.speaking import Speaking
from ui.panels.check_table import CheckTable
from ui.panels.checks import summary_of
from ui.panels.connection import CONNECTION_WORDS
from ui.theme import SPACE_PX, Theme, ui_font
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.time_window import clock_text

_LAMP_SCALE: Final = 1.3
"""How much larger than the other words of the headline the lamps are written."""
_LINE_SHARE: Final = 0.85
"""Whole sentences are written smaller than the words of the headline."""
_PARTS: Final = 2
"""The matrix is so many tables beside each other: a screen is wide, and half as many rows are twice as high."""
_LEAST_SCALE: Final = 0.8


class Lamp(QLabel):
    """A word in a frame of constant width: filled while something holds, else an outline."""

    def __init__(self, theme: Theme, name: str, role: str, texts: tuple[str, ...], hollow_role: str = "") -> None:
        """`texts` are all that it will ever say: it is as wide as the widest. `role` is that of its colour, filled, and
        of its outline where `hollow_role` names no other."""
        super().__init__(texts[0])
        self._theme, self._role, self._hollow_role, self._texts = theme, role, hollow_role or role, texts
        self._shown = (texts[0], False, False)
        self.setObjectName(name)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._dress)
        self._dress()

    def show_text(self, text: str, *, lit: bool, hollow: bool = False) -> None:
        """Say `text`: filled where `lit`, in an outline of its colour where `hollow`, else muted."""
        if (text, lit, hollow) != self._shown:
            self._shown = (text, lit, hollow)
            self._dress()

    def set_font(self, font: QFont) -> None:
        """Write in this font."""
        self.setFont(font)
        self._dress()

    def _dress(self) -> None:
        colours = self._theme.colours
        text, lit, hollow = self._shown
        ink = str(getattr(colours, self._role if lit else self._hollow_role))
        frame_px = max(2, self.font().pixelSize() // 9)
        if lit:
            style = f"color: {colours.panel}; background: {ink}; border: {frame_px}px solid {ink};"
        elif hollow:
            style = f"color: {ink}; background: transparent; border: {frame_px}px dashed {ink};"
        else:
            style = f"color: {colours.text_muted}; background: transparent; border: {frame_px}px solid {colours.line};"
        metrics = QFontMetrics(self.font())
        room = metrics.averageCharWidth()
        self.setText(text)
        self.setStyleSheet(f"QLabel {{ {style} border-radius: {frame_px * 2}px; padding: 0 {room}px; }}")
        widest = max(metrics.horizontalAdvance(each) for each in self._texts)
        self.setFixedSize(widest + 2 * room + 2 * frame_px, round(metrics.height() * 1.15) + 2 * frame_px)


class PresenterBar(QFrame):
    """Who speaks and whether it is heard; connection and engine; the last problem."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._role = "text_muted"
        self._size_pt = ui_font().pointSizeF()
        self.setProperty("role", "bar")
        # What is enlarged for a screen must not keep the window from becoming small again.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("What happens, in large type")
        self.participant = Lamp(theme, "participant", "participant", _PARTICIPANT)
        self.agent = Lamp(theme, "agent", "agent", _AGENT)
        self.listening = Lamp(theme, "listening", "listening_on", _LISTENING, "listening_off")
        self.clock = QLabel()
        self.state = QLabel()
        self.engine = ElidedLabel()
        self.count = QLabel()
        self.count.setAccessibleName("Problems")
        self.checks = QLabel()
        self.problem = ElidedLabel()
        self.problem.hide()
        self._upper, self._lower, self._rows = QHBoxLayout(), QHBoxLayout(), QVBoxLayout(self)
        for widget in (self.participant, self.agent, self.listening):
            self._upper.addWidget(widget)
        self._upper.addStretch(1)
        self._upper.addWidget(self.clock)
        self._lower.addWidget(self.state)
        self._lower.addWidget(self.engine, 1)
        self._lower.addWidget(self.count)
        self._lower.addWidget(self.checks)
        self._rows.addLayout(self._upper)
        self._rows.addLayout(self._lower)
        self._rows.addWidget(self.problem)
        theme.changed.connect(self._recolour)
        self.set_scale(1.0)

    def set_scale(self, scale: float) -> None:
        """Write so many times as large as usual."""
        self._size_pt = ui_font(scale).pointSizeF()
        figure = ui_font(scale * _LAMP_SCALE)
        figure.setBold(True)
        # In pixels: the frames of the lamps are measured by it.
        figure.setPixelSize(QFontMetrics(figure).height() * 4 // 5)
        for lamp in (self.participant, self.agent, self.listening):
            lamp.set_font(figure)
        self.clock.setFont(figure)
        self._recolour()
        space = round(SPACE_PX * scale)
        for row in (self._upper, self._lower):
            row.setSpacing(3 * space)
        self._rows.setSpacing(space)
        self._rows.setContentsMargins(3 * space, 2 * space, 3 * space, space)

    def show_speaking(self, speaking: Speaking | None, *, muted: bool = False) -> None:
        """Show who speaks; None: there is no conversation."""
        found = speaking or Speaking()
        speaks = found.participant or found.heard
        self.participant.show_text(
            _PARTICIPANT[2] if muted else _PARTICIPANT[speaks], lit=found.heard, hollow=muted or found.participant
        )
        self.agent.show_text(
            _AGENT[1] if found.agent else _AGENT[2] if found.replying else _AGENT[0],
            lit=found.agent,
            hollow=found.replying,
        )
        on = found.listening
        self.listening.show_text(_LISTENING[not on], lit=speaking is not None and on, hollow=not on)

    def show_live(self, status: Status, engine: str, now_ns: int, note: str) -> None:
        """Name the connection and its engine, or the one that would be connected; `note`: why the picture stands."""
        words, self._role = CONNECTION_WORDS[status.connection]
        idle = status.connection is ConnectionState.IDLE
        model = f"  {line(status.model)}" if status.model and status.model != status.engine and not idle else ""
        self._show_words(words, f"{line(engine if idle else status.engine)}{model}", note)
        since_ns = status.connected_since_ns
        connected = status.connection is ConnectionState.CONNECTED and since_ns is not None
        _set(self.clock, long_clock(now_ns - (since_ns or 0)) if connected else "")

    def show_saved(self, cursor_ns: int, *, playing: bool) -> None:
        """Say that a saved record is on screen, and which moment of it."""
        self._role = "accent" if playing else "text_muted"
        self._show_words("▶ playing" if playing else "■ saved record", "" if playing else "F7 plays", "")
        _set(self.clock, clock_text(cursor_ns, 100_000_000))

    def show_checks(self, text: str) -> None:
        """Say how the checks stand."""
        _set(self.checks, f"checks  {text}" if text else "")

    def show_problem(self, text: str, count: int) -> None:
        """Show what went wrong last, and how often something did; an empty text hides the line."""
        _set(self.count, f"⚠ {count}" if count else "")
        _set(self.problem, f"✕  {text}" if text else "")
        self.problem.setVisible(bool(text))

    def _show_words(self, words: str, engine: str, note: str) -> None:
        _set(self.state, words)
        _set(self.engine, f"{engine}  ·  {note}" if note else engine)
        self._recolour()

    def _recolour(self) -> None:
        colours = self._theme.colours
        for label, role, share, weight in (
            (self.state, self._role, 1.0, 700),
            (self.engine, "text", 1.0, 400),
            (self.count, "error", 1.0, 700),
            (self.checks, "text", 1.0, 700),
            (self.problem, "error", _LINE_SHARE, 700),
        ):
            size_pt = self._size_pt * share
            sheet = f"color: {getattr(colours, role)}; font-size: {size_pt:.1f}pt; font-weight: {weight};"
            if label.styleSheet() != sheet:
                label.setStyleSheet(sheet)


_PARTICIPANT: Final = ("PARTICIPANT", "PARTICIPANT SPEAKS", "PARTICIPANT MUTED")
_AGENT: Final = ("AGENT", "AGENT SPEAKS", "AGENT REPLIES")
_LISTENING: Final = ("LISTENING ON", "LISTENING OFF")


class PresenterChecks(QFrame):
    """The matrix of checks, its upper half beside its lower one, as large as the place lets it be."""

    record_requested = Signal(object)

    def __init__(self, theme: Theme, feed: ChecksFeed, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._feed = feed
        self.tables = [CheckTable(theme, feed, (number, _PARTS)) for number in range(_PARTS)]
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_PX)
        for table in self.tables:
            table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
            table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            table.record_requested.connect(self.record_requested)
            row.addWidget(table, 1)
        feed.changed.connect(self.refresh)
        theme.changed.connect(self.refresh)

    @property
    def summary(self) -> str:
        """How many checks stand how."""
        return "   ".join(sign for sign, _ in summary_of(self._feed.model))

    def refresh(self) -> None:
        """Show the present state of the cells."""
        if not self.isVisible():
            return
        rows = [table.rowCount() for table in self.tables]
        for table in self.tables:
            table.refresh()
        if rows != [table.rowCount() for table in self.tables]:
            self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what came while hidden."""
        super().showEvent(event)
        self.refresh()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Be as large as the place lets it be."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        width = (self.width() - (_PARTS - 1) * SPACE_PX) // _PARTS
        scale = max(_LEAST_SCALE, min(table.scale_for(width, self.height()) for table in self.tables))
        row_px = self.height() // (1 + max(1, *(table.rowCount() for table in self.tables)))
        for table in self.tables:
            table.set_scale(scale, row_px)


def _set(label: QLabel, text: str) -> None:
    """Set a label's text only where it changed: it would be laid out again each time."""
    if label.text() != text:
        label.setText(text)

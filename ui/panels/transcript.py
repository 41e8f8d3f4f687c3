"""The transcript: one paragraph a turn, with what was heard and what was only generated told apart.

Of a reply that was cut the engine gives one text and one length of audio, and nothing about which word was said when.
So the place where hearing ended is an estimate by the share of the audio, and is marked as one: ≈.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QFont, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QLabel, QStackedLayout, QTextBrowser, QVBoxLayout, QWidget

from simulator.record.measures import Measures, Turn
from simulator.units import NS_PER_S
from ui.theme import Theme, ui_font
from ui.widgets.time_window import clock_text

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

NAMES: Final = {
    "participant": "Participant",
    "agent": "Agent",
    "typed": "Typed",
    "agent typed": "Agent typed",
    "study": "Study",
    "mark": "Mark",
}
ROLES: Final = {
    "participant": "participant",
    "agent": "agent",
    "typed": "participant",
    "agent typed": "agent",
    "study": "study",
    "mark": "warning",
}
_EMPTY: Final = "Nothing was said yet.\nConnect (F5) and talk (Space): each turn appears here, with its time."
_RECOGNISED: Final = (
    "Recognised on this computer by {} from what was sent to the engine, which may have understood something else"
)
_EMPTY_RECORD: Final = "This record holds no speech in words."


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One turn in words: `said` was heard (or spoken), `unsaid` was generated only, `note` says how much."""

    who: str
    t_ns: int
    seq: int
    said: str
    pending: str
    """Generated text of which it is not known yet whether it will be heard."""
    unsaid: str
    note: str
    recognised: str = ""
    """How this program understood the participant, where it is not what `said` shows."""
    recogniser: str = ""
    """The model by which `said` was recognised here; empty where it was not."""


def paragraph(turn: Turn, speech_s: float | None) -> Paragraph:
    """Return how a turn is shown. `speech_s` is the length of the participant's speech, where it is known."""
    said, pending, unsaid, note = turn.text, "", "", ""
    if turn.who == "participant":
        return _participant(turn, speech_s)
    if turn.who == "agent":
        generated_s = (turn.generated_ms or 0.0) / 1000
        if turn.heard_ms is None:
            said, pending = "", turn.text or "(voice)"
            note = f"generated {generated_s:.1f} s"
        elif turn.generated_ms is not None and turn.heard_ms < turn.generated_ms - 1:
            said = turn.heard_text or ""
            unsaid = turn.text[len(said) :].strip() or ("" if turn.text else "(voice)")
            note = f"heard {turn.heard_ms / 1000:.1f} of {generated_s:.1f} s"
        else:
            said = turn.text or "(voice)"
            note = f"heard {turn.heard_ms / 1000:.1f} s"
    elif turn.who == "mark" and not turn.text:
        note = "no note"
    return Paragraph(turn.who, turn.t_ns, turn.seq, said, pending, unsaid, note)


def _participant(turn: Turn, speech_s: float | None) -> Paragraph:
    """Return a turn of the participant: in the engine's words, else in ours and marked so, else without any."""
    shown = Paragraph(turn.who, turn.t_ns, turn.seq, turn.text, "", "", "")
    if turn.text:
        return replace(shown, recognised=turn.recognised or "")
    if turn.recognised:
        return replace(shown, said=turn.recognised, note="recognised here", recogniser=turn.recogniser or "a model")
    said = "(speech)" if speech_s is None else f"(speech, {speech_s:.1f} s)"
    return replace(shown, said=said, note="no words recognised here" if turn.recognised == "" else "")


def write_words(cursor: QTextCursor, item: Paragraph, form: Callable[[str], QTextCharFormat]) -> None:
    """Write the words of a turn: what was never heard is struck out and says so. `form`: the look of a role."""
    said = form("text")
    if item.recogniser:
        said.setFontItalic(True)
        said.setToolTip(_RECOGNISED.format(item.recogniser))
    elif item.recognised:
        said.setToolTip(f"Transcribed by the engine. Recognised here: “{item.recognised}”")
    cursor.insertText(item.said, said)
    if item.pending:
        cursor.insertText(item.pending, form("text_muted"))
    if item.unsaid:
        unsaid = form("never_heard")
        unsaid.setFontStrikeOut(True)
        estimate = form("never_heard")
        estimate.setToolTip("Where hearing ended is estimated from the share of the audio that was heard")
        cursor.insertText(" ≈ " if item.said else "", estimate)
        cursor.insertText(item.unsaid, unsaid)
        cursor.insertText(" (not\u00a0heard)", form("never_heard"))


class TranscriptPanel(QWidget):
    """Shows the turns of one record. Keeps to the end of the live one, only while the end is in sight."""

    mark_clicked = Signal(int)
    """The time of a turn was chosen: the `seq` of its entry in the log."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._measures = Measures()
        self._revision = -1
        self._shown: list[tuple[Paragraph, int]] = []
        self._at_end, self._ended = True, False
        self._view = QTextBrowser()
        self._view.setOpenLinks(False)
        self._view.setFont(ui_font(1.05))
        self._view.document().setUndoRedoEnabled(False)
        self._view.document().setDocumentMargin(10)
        self._view.setAccessibleName("Transcript")
        self._view.anchorClicked.connect(self._anchor_clicked)
        self._view.setStyleSheet("QTextBrowser { border: none; }")
        # Lines are laid out after they were written, and again when the width changes: only then is the end known.
        bar = self._view.verticalScrollBar()
        bar.rangeChanged.connect(self._keep_to_the_end)
        bar.valueChanged.connect(self._note_place)
        self._empty = QLabel(_EMPTY)
        self._empty.setProperty("role", "muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint = QLabel()
        self._hint.setProperty("role", "muted")
        self._hint.setWordWrap(True)
        self._hint.setContentsMargins(10, 4, 10, 4)
        self._hint.hide()
        self._stack = QStackedLayout()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._stack, 1)
        layout.addWidget(self._hint)
        theme.changed.connect(self._redress)

    @property
    def text(self) -> str:
        """What is shown, as plain text."""
        return self._view.toPlainText()

    def set_source(self, measures: Measures, *, ended: bool = False) -> None:
        """Show the turns of another record; one that `ended` grows no more, and is shown from its beginning."""
        self._ended = ended
        self._empty.setText(_EMPTY_RECORD if ended else _EMPTY)
        self._measures = measures
        self._redress()

    def set_hint(self, hint: str) -> None:
        """Say below the turns why words are missing or late; nothing where it is empty."""
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))

    def refresh(self) -> None:
        """Show the turns that are new or changed; does nothing while hidden or when nothing changed."""
        if not self.isVisible() or self._revision == self._measures.revision:
            return
        self._revision = self._measures.revision
        lengths = {
            span.item_id: (span.stopped_ns - span.started_ns) / NS_PER_S
            for span in self._measures.speech_spans
            if span.stopped_ns is not None
        }
        paragraphs = [paragraph(turn, lengths.get(turn.item_id)) for turn in self._measures.turns]
        same = 0
        while same < min(len(paragraphs), len(self._shown)) and self._shown[same][0] == paragraphs[same]:
            same += 1
        self._stack.setCurrentIndex(1 if paragraphs else 0)
        if same < len(paragraphs) or same < len(self._shown):
            self._replace_from(same, paragraphs[same:])

    def showEvent(self, event: "QShowEvent") -> None:
        """Catch up with what came while hidden."""
        super().showEvent(event)
        self.refresh()

    def _replace_from(self, first: int, paragraphs: list[Paragraph]) -> None:
        cursor = QTextCursor(self._view.document())
        cursor.beginEditBlock()
        if first < len(self._shown):
            cursor.setPosition(self._shown[first][1])
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
            del self._shown[first:]
        cursor.movePosition(QTextCursor.MoveOperation.End)
        for item in paragraphs:
            self._shown.append((item, cursor.position()))
            self._write(cursor, item)
        cursor.endEditBlock()

    def _keep_to_the_end(self, _low: int, high: int) -> None:
        if self._at_end and not self._ended:
            self._view.verticalScrollBar().setValue(high)

    def _note_place(self, value: int) -> None:
        self._at_end = value >= self._view.verticalScrollBar().maximum() - 4

    def _write(self, cursor: QTextCursor, item: Paragraph) -> None:
        head = QTextBlockFormat()
        head.setTopMargin(0 if cursor.position() == 0 else 9)
        if cursor.position() == 0:
            cursor.setBlockFormat(head)
        else:
            cursor.insertBlock(head)
        who = self._format(ROLES[item.who])
        who.setFontWeight(QFont.Weight.DemiBold)
        cursor.insertText(NAMES[item.who], who)
        cursor.insertText("   ", self._format("text_muted"))
        time = self._format("text_muted")
        time.setAnchor(True)
        time.setAnchorHref(f"#{item.seq}")
        time.setToolTip("Show in the log and the timeline")
        cursor.insertText(clock_text(item.t_ns), time)
        if item.note:
            note = self._format("text_muted")
            if item.recogniser:
                note.setToolTip(_RECOGNISED.format(item.recogniser))
            cursor.insertText(f"   {item.note}", note)
        body = QTextBlockFormat()
        body.setTopMargin(1)
        cursor.insertBlock(body)
        write_words(cursor, item, self._format)

    def _format(self, role: str) -> QTextCharFormat:
        form = QTextCharFormat()
        form.setForeground(self._theme.colour(role))
        return form

    def _anchor_clicked(self, url: QUrl) -> None:
        self.mark_clicked.emit(int(url.fragment()))

    def _redress(self) -> None:
        """Write everything again."""
        self._shown.clear()
        self._view.clear()
        self._revision = -1
        self.refresh()

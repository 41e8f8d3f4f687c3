"""What the table's row of a session has no place for: its answers and its instructions, below the table."""

from collections.abc import Mapping, Sequence
from typing import Final

from PySide6.QtGui import QFont, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QTextBrowser, QWidget

from simulator.record.session_facts import Answer
from ui.models.plain import block, line
from ui.models.session_diff import in_words
from ui.models.session_rows import REPLAY_SIGN, SessionRow, letter
from ui.theme import SPACE_PX, Theme
from ui.widgets.version_chip import version_role

_MOST_ANSWERS: Final = 500


class SessionDetails(QWidget):
    """Two columns: answers, instructions."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.answers, self.instructions = QTextBrowser(), QTextBrowser()
        columns = QHBoxLayout(self)
        columns.setContentsMargins(0, SPACE_PX, 0, 0)
        columns.setSpacing(2 * SPACE_PX)
        for view, name in ((self.answers, "Answers"), (self.instructions, "Instructions")):
            view.setAccessibleName(name)
            view.setOpenLinks(False)
            view.document().setUndoRedoEnabled(False)
            columns.addWidget(view, 1)

    def show_rows(self, rows: Sequence[SessionRow], versions: Mapping[str, int]) -> None:
        """Show one session; of several only how many they are, and whether their instructions are the same."""
        self.answers.clear()
        self.instructions.clear()
        if len(rows) == 1:
            self._show_answers(rows[0])
            self._show_instructions(rows[0], versions)
        elif rows:
            self._show_several(rows, versions)

    def _show_answers(self, row: SessionRow) -> None:
        cursor, facts = self.answers.textCursor(), row.session.facts
        self._head(cursor, line(row.session.name), "text")
        if facts.replay:
            self._line(cursor, f"{REPLAY_SIGN} {line(facts.replay)}", "")
        if facts.faults:
            faults = line(", ".join(facts.faults), 400)
            self._line(cursor, "", f"⚠ The engine broke rules on purpose: {faults}", "warning")
        for note in facts.notes:
            self._line(cursor, "", f"⚠ {line(note, 400)}", "warning")
        self._head(cursor, f"{len(facts.answers)} answers" if facts.answers else "No answers")
        for answer in facts.answers[:_MOST_ANSWERS]:
            self._answer(cursor, answer)
        if len(facts.answers) > _MOST_ANSWERS:
            self._line(cursor, f"… and {len(facts.answers) - _MOST_ANSWERS} more", "")
        self.answers.moveCursor(QTextCursor.MoveOperation.Start)

    def _answer(self, cursor: QTextCursor, answer: Answer) -> None:
        where = f"{line(answer.part)}: " if answer.part else ""
        self._line(cursor, f"{where}{line(answer.question or answer.component)}  ", line(in_words(answer.value)))

    def _show_instructions(self, row: SessionRow, versions: Mapping[str, int]) -> None:
        cursor = self.instructions.textCursor()
        if not row.hashes:
            self._head(cursor, "No instructions")
        for digest, text in zip(row.hashes, row.session.facts.instructions, strict=True):
            version = versions.get(digest, 0)
            self._head(cursor, f"Version {letter(version)}", version_role(version))
            cursor.insertBlock()
            cursor.insertText(block(text), self._form("text"))
            cursor.insertBlock()
        self.instructions.moveCursor(QTextCursor.MoveOperation.Start)

    def _show_several(self, rows: Sequence[SessionRow], versions: Mapping[str, int]) -> None:
        more = ": Compare (C) puts them beside each other." if len(rows) == 2 else "."
        self._head(self.answers.textCursor(), f"{len(rows)} sessions selected{more}")
        used = sorted({versions[each] for row in rows for each in row.hashes if each in versions})
        cursor = self.instructions.textCursor()
        self._head(cursor, f"{len(used)} versions of instructions" if len(used) != 1 else "The same instructions")
        cursor.insertText("   ")
        for version in used:
            cursor.insertText(f"{letter(version)}  ", self._form(version_role(version), bold=True))

    def _head(self, cursor: QTextCursor, text: str, role: str = "text_muted") -> None:
        if cursor.position():
            above = QTextBlockFormat()
            above.setTopMargin(2 * SPACE_PX)
            cursor.insertBlock(above)
        cursor.insertText(text, self._form(role, bold=True))

    def _line(self, cursor: QTextCursor, muted: str, text: str, role: str = "text") -> None:
        if cursor.position():
            cursor.insertBlock(QTextBlockFormat())
        cursor.insertText(muted, self._form("text_muted"))
        cursor.insertText(text, self._form(role))

    def _form(self, role: str, *, bold: bool = False) -> QTextCharFormat:
        form = QTextCharFormat()
        form.setForeground(self._theme.colour(role))
        form.setFontWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        return form

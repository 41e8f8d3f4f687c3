"""Two sessions beside each other as a page: who they are, then instructions, settings, answers, latencies, transcript.

Colours never tell alone: what differs has a sign (−, +, ≠), what was never heard is struck out and says so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLength,
    QTextTable,
    QTextTableFormat,
)

from simulator.record.measures import Turn
from simulator.record.measures.titles import title
from simulator.record.session_comparison import AnswerPair, Comparison, Side, latencies_in_order
from simulator.record.sessions import Answer, sha256
from ui.colours import Colours
from ui.models.plain import block, line
from ui.models.session_diff import in_words
from ui.models.session_rows import HASH_DIGITS, NOTHING, REPLAY_SIGN, length
from ui.models.text_difference import Kind, Line, difference
from ui.panels.transcript import NAMES, ROLES, paragraph, write_words
from ui.theme import SPACE_PX, mono_font, ui_font
from ui.widgets.time_window import clock_text

SIDES: Final = ("A", "B")
_DIFFERS: Final = "≠ "
_EQUAL: Final = "= "
_LONGEST_VALUE: Final = 2_000
_LONGEST_INSTRUCTIONS: Final = 500_000
_TINT: Final = 0.13
_STRONG_TINT: Final = 0.36


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page: its anchor, its name, and how much differs in it, in a word or two."""

    anchor: str
    name: str
    verdict: str


def sections(compared: Comparison) -> list[Section]:
    """Return the parts of the page in their order."""
    different = sum(differs(pair) for pair in compared.answers)
    turns = [sum(row[side] is not None for row in compared.transcript) for side in (0, 1)]
    return [
        Section("instructions", "Instructions", "differ" if _instructions_differ(compared) else "same"),
        Section("settings", "Settings", f"{len(compared.settings)} differ" if compared.settings else "same"),
        Section("answers", "Answers", f"{different} of {len(compared.answers)} differ" if different else "same"),
        Section("latencies", "Latencies", ""),
        Section("transcript", "Transcript", f"{turns[0]} and {turns[1]} turns"),
    ]


def differs(pair: AnswerPair) -> bool:
    """Whether one question was answered differently, or in one session only."""
    return pair.first is None or pair.second is None or pair.first.value != pair.second.value


def write_page(document: QTextDocument, compared: Comparison, colours: Colours) -> None:
    """Write a comparison into an empty document."""
    document.setUndoRedoEnabled(False)
    document.setDefaultFont(ui_font())
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    page = _Page(cursor, colours)
    page.write_sides((compared.first, compared.second))
    writers = (page.instructions, page.settings, page.answers, page.latencies, page.transcript)
    for section, write in zip(sections(compared), writers, strict=True):
        page.head(section)
        write(compared)
    cursor.endEditBlock()


def _instructions_differ(compared: Comparison) -> bool:
    return compared.first.facts.instructions != compared.second.facts.instructions


class _Page:
    """Writes at a cursor, from the top to the bottom."""

    def __init__(self, cursor: QTextCursor, colours: Colours) -> None:
        self._cursor, self._colours = cursor, colours

    def write_sides(self, sides: Sequence[Side]) -> None:
        """Say which two sessions these are."""
        table = self._table(1, (50, 50))
        for column, (sign, side) in enumerate(zip(SIDES, sides, strict=True)):
            cell = table.cellAt(0, column).firstCursorPosition()
            facts = side.facts
            cell.insertText(f"{sign}   ", self.form("accent", bold=True, scale=1.25))
            cell.insertText(line(side.name), self.form("text", bold=True, scale=1.25))
            started = facts.started_at.astimezone().strftime("%Y-%m-%d %H:%M") if facts.started_at else "no date"
            engine = " · ".join(
                dict.fromkeys(line(name, 60) for name in (facts.engine_and_faults, facts.model) if name)
            )
            lines = [f"{started}   {length(facts.duration_s)}   {engine or 'no engine is named'}"]
            hashes = [sha256(text)[:HASH_DIGITS] for text in facts.instructions]
            lines.append(f"Instructions {' → '.join(hashes)}" if hashes else "No instructions")
            if facts.study:
                lines.append(f"Study {line(facts.study)}")
            if facts.replay:
                lines.append(f"{REPLAY_SIGN} {line(facts.replay)}")
            for each in lines:
                cell.insertBlock(QTextBlockFormat())
                cell.insertText(each, self.form("text_muted"))
            for note in facts.notes:
                cell.insertBlock(QTextBlockFormat())
                cell.insertText(f"⚠ {line(note, 400)}", self.form("warning"))

    def head(self, section: Section) -> None:
        """Begin a section."""
        self._block(above_px=6 * SPACE_PX)
        form = self.form("text", bold=True, scale=1.15)
        form.setAnchor(True)
        form.setAnchorNames([section.anchor])
        self._cursor.insertText(section.name, form)
        if section.verdict:
            self._cursor.insertText(f"   {section.verdict}", self.form("text_muted"))
        self._block(above_px=SPACE_PX)

    def instructions(self, compared: Comparison) -> None:
        """Write the difference of the nth text of the one and the nth of the other."""
        if not _instructions_differ(compared):
            said = "Both had the same instructions." if compared.first.facts.instructions else "Neither had any."
            self._say(said)
            return
        texts = zip_longest(compared.first.facts.instructions, compared.second.facts.instructions)
        for number, (one, other) in enumerate(texts):
            if number:
                self._block(above_px=2 * SPACE_PX)
                self._say(f"Changed on the way, {number}")
                self._block()
            if one == other:
                self._say("The same text.")
            elif one is None or other is None:
                self._say(f"Only {SIDES[one is None]} had such a text.")
                self._block()
            if one != other:
                self._difference(one or "", other or "")

    def settings(self, compared: Comparison) -> None:
        """Write the settings that differ."""
        if not compared.settings:
            self._say("Both were asked for, and taken, with the same settings.")
            return
        table = self._table(len(compared.settings) + 1, (34, 33, 33))
        self._row(table, 0, ("Setting", *SIDES), "text_muted")
        for row, each in enumerate(compared.settings, start=1):
            values = (_value(each.first), _value(each.second))
            self._row(table, row, (_DIFFERS + line(each.path), *values), "text")

    def answers(self, compared: Comparison) -> None:
        """Write the answers; those that differ first catch the eye."""
        if not compared.answers:
            self._say("Nothing was answered in either.")
            return
        table = self._table(len(compared.answers) + 1, (40, 30, 30))
        self._row(table, 0, ("Question", *SIDES), "text_muted")
        for row, pair in enumerate(compared.answers, start=1):
            different = differs(pair)
            where = [line(each) for each in (pair.part, pair.component) if each]
            where += [f"number {pair.number}"] if pair.number > 1 else []
            cell = table.cellAt(row, 0).firstCursorPosition()
            mark = self.form("warning" if different else "text_muted", bold=True)
            cell.insertText(_DIFFERS if different else _EQUAL, mark)
            cell.insertText(line(pair.question or pair.component), self.form("text", bold=different))
            cell.insertText(f"   {', '.join(where)}", self.form("text_muted"))
            for column, answer in enumerate((pair.first, pair.second), start=1):
                self._cell(table, row, column, _answer(answer), "text" if answer else "text_muted", bold=different)
            if different:
                self._tint(table, row, "warning")

    def latencies(self, compared: Comparison) -> None:
        """Write n, median and 95th percentile of each, and by how much the medians differ."""
        pairs = latencies_in_order(compared)
        table = self._table(len(pairs) + 3, (23, 8, 12, 12, 8, 12, 12, 13))
        heads = ("", "A", "", "", "B", "", "", "B − A")
        self._row(table, 0, heads, "text_muted", right_from=1)
        self._row(table, 1, ("in ms", *("n", "median", "p95") * 2, "median"), "text_muted", right_from=1)
        for row, pair in enumerate(pairs, start=2):
            (first, second), (first95, second95) = pair.medians_ms, pair.p95s_ms
            figures = [str(len(pair.first_ms)), _ms(first), _ms(first95)]
            figures += [str(len(pair.second_ms)), _ms(second), _ms(second95)]
            change = NOTHING if pair.difference_ms is None else _signed(round(pair.difference_ms))
            self._row(table, row, (title(pair.name), *figures, change), "text", right_from=1)
        one, other = compared.barge_ins
        cells = ("Barge-ins", str(one), "", "", str(other), "", "", _signed(other - one))
        self._row(table, len(pairs) + 2, cells, "text", right_from=1)

    def transcript(self, compared: Comparison) -> None:
        """Write the turns in two columns; what the participant said in both stands in one row."""
        if not compared.transcript:
            self._say("Nothing was said in either.")
            return
        table = self._table(len(compared.transcript), (50, 50))
        for row, turns in enumerate(compared.transcript):
            for column, turn in enumerate(turns):
                if turn is not None:
                    self._turn(table.cellAt(row, column).firstCursorPosition(), turn)

    def form(self, role: str, *, bold: bool = False, scale: float = 1.0) -> QTextCharFormat:
        """Return the look of a role."""
        form = QTextCharFormat()
        form.setForeground(QColor(getattr(self._colours, role)))
        if bold:
            form.setFontWeight(QFont.Weight.DemiBold)
        if scale != 1.0:
            form.setFontPointSize(ui_font(scale).pointSizeF())
        return form

    def _turn(self, cell: QTextCursor, turn: Turn) -> None:
        item = paragraph(turn, None)
        cell.insertText(NAMES[item.who], self.form(ROLES[item.who], bold=True))
        cell.insertText(f"   {clock_text(item.t_ns)}   {item.note}".rstrip(), self.form("text_muted"))
        cell.insertBlock(QTextBlockFormat())
        write_words(cell, item, self.form)

    def _difference(self, one: str, other: str) -> None:
        lines = difference(block(one, _LONGEST_INSTRUCTIONS), block(other, _LONGEST_INSTRUCTIONS))
        if lines:
            self._lines(lines)
        else:
            self._say("They differ in nothing that can be shown.")

    def _lines(self, lines: Iterable[Line]) -> None:
        """Write a difference: a sign and a tint a line, stronger and underlined where its words differ."""
        for number, each in enumerate(lines):
            role = {Kind.FIRST: "failed", Kind.SECOND: "passed"}.get(each.kind, "text_muted")
            layout = QTextBlockFormat()
            layout.setLeftMargin(5 * SPACE_PX)
            layout.setTextIndent(-5 * SPACE_PX)
            tinted = each.kind in (Kind.FIRST, Kind.SECOND)
            if tinted:
                layout.setBackground(self._faint(role, _TINT))
            if number:
                self._cursor.insertBlock(layout)
            else:
                self._cursor.setBlockFormat(layout)
            sign = self.form(role, bold=True)
            sign.setFontFamilies(mono_font().families())
            self._cursor.insertText(f"{each.kind.value}  ", sign)
            for text, emphasised in each.pieces:
                form = self.form("text" if tinted or each.kind is Kind.BOTH else "text_muted")
                if emphasised:
                    form.setBackground(self._faint(role, _STRONG_TINT))
                    form.setFontUnderline(True)
                self._cursor.insertText(text, form)

    def _table(self, rows: int, widths: Sequence[int]) -> QTextTable:
        layout = QTextTableFormat()
        layout.setBorder(0)
        layout.setCellPadding(SPACE_PX)
        layout.setCellSpacing(0)
        layout.setWidth(QTextLength(QTextLength.Type.PercentageLength, 99))
        lengths = [QTextLength(QTextLength.Type.PercentageLength, width) for width in widths]
        layout.setColumnWidthConstraints(lengths)
        table = self._cursor.insertTable(rows, len(widths), layout)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        return table

    def _row(self, table: QTextTable, row: int, texts: Sequence[str], role: str, right_from: int | None = None) -> None:
        for column, text in enumerate(texts):
            to_the_right = right_from is not None and column >= right_from
            self._cell(table, row, column, text, role, to_the_right=to_the_right)

    def _cell(
        self,
        table: QTextTable,
        row: int,
        column: int,
        text: str,
        role: str,
        *,
        bold: bool = False,
        to_the_right: bool = False,
    ) -> None:
        cell = table.cellAt(row, column).firstCursorPosition()
        if to_the_right:
            layout = QTextBlockFormat()
            layout.setAlignment(Qt.AlignmentFlag.AlignRight)
            cell.setBlockFormat(layout)
        cell.insertText(text, self.form(role, bold=bold))

    def _tint(self, table: QTextTable, row: int, role: str) -> None:
        for column in range(table.columns()):
            cell = table.cellAt(row, column)
            form = cell.format()
            form.setBackground(self._faint(role, _TINT))
            cell.setFormat(form)

    def _say(self, sentence: str) -> None:
        self._cursor.insertText(sentence, self.form("text_muted"))

    def _block(self, above_px: int = 0) -> None:
        layout = QTextBlockFormat()
        layout.setTopMargin(above_px)
        self._cursor.insertBlock(layout, QTextCharFormat())

    def _faint(self, role: str, alpha: float) -> QColor:
        """Return a colour mixed into the page's own: pages that are saved know no transparency."""
        ink, paper = QColor(getattr(self._colours, role)), QColor(self._colours.sunken)
        pairs = ((ink.red(), paper.red()), (ink.green(), paper.green()), (ink.blue(), paper.blue()))
        return QColor(*(round(alpha * one + (1 - alpha) * other) for one, other in pairs))


def _answer(answer: Answer | None) -> str:
    return "not answered" if answer is None else _value(answer.value)


def _value(value: Any) -> str:
    return NOTHING if value is None else line(in_words(value), _LONGEST_VALUE)


def _signed(difference: int) -> str:
    return f"{difference:+,}".replace("-", "−") if difference else "0"


def _ms(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.0f}"

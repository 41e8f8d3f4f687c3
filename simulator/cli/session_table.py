"""Sessions and their comparison as text for a terminal. Pure but for asking how wide it is."""

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from itertools import compress, zip_longest
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from simulator.record.measures import Turn
    from simulator.record.session_comparison import Comparison, Side
    from simulator.record.sessions import Answer, Session

_HASH_DIGITS: Final = 8
_WIDEST: Final = 32
_COLUMNS: Final = (
    *("started", "min:s", "engine", "model", "study", "instructions", "answers", "turns", "created ms"),
    *("first audio ms", "transfer ms", "barge-ins", "broken rules", "MB", "state", "replay of", "name"),
)
_RIGHT: Final = frozenset(
    {
        *("min:s", "answers", "turns", "created ms", "first audio ms", "transfer ms", "barge-ins", "broken rules"),
        "MB",
    }
)
_LATENCY_COLUMNS: Final = ("", "A: n", "median", "p95", "B: n", "median", "p95", "B − A")
_LOST: Final = "⟦"
_NOTHING: Final = "–"
_RULE: Final = " │ "


def table(sessions: Sequence["Session"]) -> list[str]:
    """Return sessions in lines under a heading. A column that would be empty is left out."""
    cells = [_cells(session) for session in sessions]
    filled = [any(column) for column in zip(*cells, strict=True)] if cells else [True] * len(_COLUMNS)
    columns = tuple(compress(_COLUMNS, filled))
    rows = [columns, *(tuple(compress(row, filled)) for row in cells)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if name in _RIGHT else cell.ljust(width)
            for name, cell, width in zip(columns, row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def comparison_text(compared: "Comparison", width: int | None = None) -> list[str]:
    """Return a comparison in lines, `width` characters wide (None: the terminal's)."""
    width = max(width or shutil.get_terminal_size((120, 40)).columns, 60)
    lines = [f"{sign}: {_heading(side)}" for sign, side in (("A", compared.first), ("B", compared.second))]
    for heading, content in (
        ("Instructions", map(_printable, compared.instructions)),
        ("Settings that differ", _settings(compared)),
        ("Answers", _answers(compared)),
        ("Latencies in ms: n, median, p95; B − A: of the medians", _latencies(compared)),
        ("Transcript", _transcript(compared, width)),
    ):
        lines += ["", heading, *(list(content) or ["  the same" if heading == "Instructions" else "  none"])]
    return lines


def _cells(session: "Session") -> tuple[str, ...]:
    facts = session.facts
    digest, changes = session.instructions_sha256, len(facts.instructions) - 1
    return (
        facts.started_at.astimezone().strftime("%Y-%m-%d %H:%M") if facts.started_at else _NOTHING,
        f"{facts.duration_s // 60:.0f}:{int(facts.duration_s % 60):02}",
        _short(facts.engine_and_faults),
        _short(facts.model),
        _short(facts.study),
        _NOTHING if digest is None else digest[:_HASH_DIGITS] + (f" +{changes}" if changes else ""),
        str(len(facts.answers)),
        f"{facts.participant_turns}+{facts.agent_turns}",
        _ms(facts.median_ms("response_start")),
        _ms(facts.median_ms("first_audio")),
        _ms(facts.transfer_ms),
        str(facts.barge_ins),
        str(facts.violations),
        f"{session.size_bytes / 1_000_000:.1f}",
        session.state + (", damaged" if facts.notes else ""),
        one_line((facts.replay or "").removeprefix("replay of ")),
        one_line(session.name),
    )


def _heading(side: "Side") -> str:
    replay = f"   ({side.facts.replay})" if side.facts.replay else ""
    return one_line(f"{side.name}{replay}")


def _settings(compared: "Comparison") -> Iterator[str]:
    """Yield what differs; the tools that one session lacks by their names, in one place."""
    tools: dict[str, tuple[list[str], list[str]]] = {}
    rows: list[tuple[str, str, str]] = []
    for each in compared.settings:
        stem, dot, tool = each.path.rpartition(".")
        if dot and stem.endswith(".tools") and (each.first is None) != (each.second is None):
            tools.setdefault(stem, ([], []))[each.first is None].append(tool)
        else:
            rows.append((each.path, _value(each.first), _value(each.second)))
    for stem, sides in tools.items():
        first, second = (f"{', '.join(names)} (only here)" if names else _NOTHING for names in sides)
        rows.append((stem, first, second))
    for path, first, second in rows:
        yield f"  {one_line(path)}"
        yield f"    A  {one_line(first)}"
        yield f"    B  {one_line(second)}"


def _answers(compared: "Comparison") -> Iterator[str]:
    for each in compared.answers:
        where = f", {each.part}" if each.part else ""
        again = f", number {each.number}" if each.number > 1 else ""
        same = each.first is not None and each.second is not None and each.first.value == each.second.value
        yield f"{'  ' if same else '* '}{one_line(f'“{each.question}” ({each.component}{where}{again})')}"
        yield f"    A  {_answer(each.first)}"
        yield f"    B  {_answer(each.second)}"


def _latencies(compared: "Comparison") -> Iterator[str]:
    from simulator.record.measures.titles import title
    from simulator.record.session_comparison import latencies_in_order

    rows: list[tuple[str, ...]] = [_LATENCY_COLUMNS]
    for each in latencies_in_order(compared):
        (first, second), (first95, second95) = each.medians_ms, each.p95s_ms
        sides = (len(each.first_ms), _ms(first), _ms(first95), len(each.second_ms), _ms(second), _ms(second95))
        rows.append((title(each.name), *map(str, sides), _signed(each.difference_ms)))
    first_count, second_count = compared.barge_ins
    rows.append(("Barge-ins", str(first_count), "", "", str(second_count), "", "", _signed(second_count - first_count)))
    width = max(len(name) for name, *_ in rows)
    for name, *cells in rows:
        yield f"  {name:{width}}{''.join(f'{cell:>8}' for cell in cells)}".rstrip()


def _signed(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:+.0f}"


def _transcript(compared: "Comparison", width: int) -> Iterator[str]:
    column = (width - len(_RULE)) // 2
    for row in compared.transcript:
        left, right = (_wrapped(turn, column) for turn in row)
        for one, other in zip_longest(left, right, fillvalue=""):
            yield f"{one:{column}}{_RULE}{other}".rstrip()
    if any(_LOST in _heard_and_lost(turn) for row in compared.transcript for turn in row if turn is not None):
        yield "⟦…⟧ was never heard."


def _wrapped(turn: "Turn | None", width: int) -> list[str]:
    if turn is None:
        return []
    words = _heard_and_lost(turn) or turn.recognised or "(no words)"
    return textwrap.wrap(one_line(f"{turn.who}: {words}"), width, subsequent_indent="  ")


def _heard_and_lost(turn: "Turn") -> str:
    """Return the words of a turn; those that were never heard stand in double brackets."""
    if turn.heard_text is None or turn.heard_text == turn.text or not turn.text.startswith(turn.heard_text):
        return turn.text
    lost = turn.text[len(turn.heard_text) :].strip()
    return " ".join(filter(None, (turn.heard_text, f"{_LOST}{lost}⟧" if lost else "")))


def _answer(answer: "Answer | None") -> str:
    return _NOTHING if answer is None else _value(answer.value)


def _value(value: Any) -> str:
    if value is None:
        return _NOTHING
    return one_line(value if isinstance(value, str) else msgspec.json.encode(value).decode())


def _ms(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.0f}"


def _short(text: str | None) -> str:
    words = one_line(text or "") or _NOTHING
    return words if len(words) <= _WIDEST else f"{words[: _WIDEST - 1]}…"


def one_line(text: str) -> str:
    """Return a text in one line, without what a terminal would obey."""
    return " ".join(_printable(text).split())


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)

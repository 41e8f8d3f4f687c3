"""A report as one page that stands alone: to be read, printed, or attached to an e-mail.

No script, no font and no picture from elsewhere; the page forbids itself to load anything. Everything that an engine
said is escaped. The page's size is bounded, however long the records are.
"""

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

import msgspec

from simulator.conformance.check import Measurement, Verdict
from simulator.conformance.html_events import event_rows, linked, named_events
from simulator.conformance.html_style import STYLE
from simulator.conformance.plain_text import shortened, visible
from simulator.conformance.repeats import Repeats, by_cell
from simulator.conformance.report import Report, Result, record_path
from simulator.conformance.timeline import timeline_of
from simulator.conformance.timeline_svg import DEFINITIONS, svg
from simulator.errors import UnreadableFile
from simulator.record.entries import Entry
from simulator.record.reader import Record, read_record
from simulator.units import NS_PER_S

EVENTS_CHARACTERS: Final = 1_800_000
"""All rows of events of a page, shared by its runs: a mail server takes 5 MB."""
MOST_EVENTS_OF_A_RUN: Final = 120_000
MOST_PICTURES: Final = 30
"""Where more runs than this were made, those that passed and come later have no picture."""

SIGNS: Final = {Verdict.PASSED: "✓", Verdict.FAILED: "✕", Verdict.INCONCLUSIVE: "?"}

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def to_html(report: Report, folder: Path, records_dir: Path | None = None) -> bytes:
    """Return the page. Records are looked for where the report names them, from `folder`, or in `records_dir`.

    A run whose record is missing or damaged is shown without its picture or events, and says so.
    """
    title = f"{report.engine.name}: conformance {report.verdict.value}"
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(title)}</title><style>{STYLE}</style></head><body>{DEFINITIONS}<main>",
        *_head(report),
        *_matrix(report),
        *_spreads(report.repeats),
        *_runs(report, folder, records_dir),
        *_setup(report),
        "</main></body></html>\n",
    ]
    return "\n".join(parts).encode()


def _text(text: str) -> str:
    return escape(visible(text))


def _chip(verdict: Verdict, words: str = "") -> str:
    return f'<span class="verdict {verdict.value}">{SIGNS[verdict]} {words or verdict.value}</span>'


def _when(text: str) -> str:
    return _text(text.replace("T", " ").replace("+00:00", " UTC"))


def _head(report: Report) -> Iterator[str]:
    passed = sum(result.verdict is Verdict.PASSED for result in report.results)
    model = f' <span class="mode">{_text(report.engine.model)}</span>' if report.engine.model else ""
    yield '<p class="kind">Conformance report</p>'
    yield f"<h1>{_text(report.engine.name)}{model}</h1>"
    yield f'<div class="overall">{_chip(report.verdict)}<span>{passed} of {len(report.results)} runs passed</span>'
    for verdict in (Verdict.FAILED, Verdict.INCONCLUSIVE):
        count = sum(result.verdict is verdict for result in report.results)
        if count:
            yield f"<span>{count} {verdict.value}</span>"
    yield "</div>"
    yield (
        f'<p class="muted">Suite {report.suite_version} of specification {_text(report.spec_version)}, '
        f"{_when(report.started_at)} to {_when(report.finished_at)}</p>"
    )


def _name(check: str, mode: str | None) -> str:
    return _text(check) + (f' <span class="mode">{_text(mode)}</span>' if mode else "")


def _run_id(result: Result) -> str:
    parts = [result.check, result.turn_detection, f"run{result.repeat}" if result.repeat > 1 else None]
    return escape("-".join("".join(c if c.isalnum() or c in "_-" else "-" for c in part) for part in parts if part))


def _matrix(report: Report) -> Iterator[str]:
    cells = by_cell(report.results)
    modes = list(dict.fromkeys(mode for _, mode in cells if mode is not None))
    yield '<h2 class="part">Checks</h2><div class="card scroll"><table class="matrix"><thead><tr><th>Check</th>'
    yield "".join(f"<th>{_text(mode)}</th>" for mode in modes or ["once"]) + "</tr></thead><tbody>"
    for check in dict.fromkeys(check for check, _ in cells):
        found = {mode: runs for (each, mode), runs in cells.items() if each == check}
        clause = next(iter(found.values()))[0].clause
        yield f'<tr><th>{_text(check)}<span class="clause">{_text(clause)}</span></th>'
        if None in found:
            yield f'<td class="cell" colspan="{max(len(modes), 1)}">{_cell(found[None])}</td>'
        else:
            yield "".join(
                f'<td class="cell">{_cell(found[mode])}</td>' if mode in found else "<td></td>" for mode in modes
            )
        yield "</tr>"
    yield "</tbody></table></div>"


def _cell(runs: Sequence[Result]) -> str:
    verdicts = [run.verdict for run in runs]
    shown = next((each for each in (Verdict.FAILED, Verdict.INCONCLUSIVE) if each in verdicts), Verdict.PASSED)
    words = shown.value if len(runs) == 1 else f"{verdicts.count(Verdict.PASSED)} of {len(runs)} passed"
    first = next(run for run in runs if run.verdict is shown)
    return f'<a class="{shown.value}" href="#{_run_id(first)}">{SIGNS[shown]} {words}</a>'


def _spreads(repeats: Sequence[Repeats]) -> Iterator[str]:
    if all(each.runs == 1 for each in repeats):
        return
    yield '<h2 class="part">Spread over the repeats</h2><div class="card scroll"><table><thead><tr><th>Check</th>'
    yield '<th>Measurement</th><th class="number">Min</th><th class="number">Median</th><th class="number">Max</th>'
    yield '<th class="number">Limit</th><th class="number">Values</th></tr></thead><tbody>'
    for cell in repeats:
        name = _name(cell.check, cell.turn_detection)
        for n, each in enumerate(cell.spread):
            whole = f'<td rowspan="{len(cell.spread)}">{name}<br>{cell.passed} of {cell.runs} passed</td>'
            head = whole if n == 0 else ""
            numbers = [_number(value, each.unit) for value in (each.min, each.median, each.max)]
            numbers += [_number(each.threshold, each.unit), str(each.count)]
            yield f"<tr>{head}<td>{_text(each.name)}</td>"
            yield "".join(f'<td class="number">{number}</td>' for number in numbers) + "</tr>"
    yield "</tbody></table></div>"


def _number(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:g} {_text(unit)}".strip()


def _runs(report: Report, folder: Path, records_dir: Path | None) -> Iterator[str]:
    runs = [*report.results, *report.extras]
    room = min(EVENTS_CHARACTERS // max(len(runs), 1), MOST_EVENTS_OF_A_RUN)
    pictures = MOST_PICTURES
    for results, heading in ((report.results, "Runs"), (report.extras, "Beside the suite: not counted in the verdict")):
        if results:
            yield f'<h2 class="part">{heading}</h2>'
        for result in results:
            draws = pictures > 0 or result.verdict is not Verdict.PASSED
            pictures -= 1
            yield from _run(result, folder, records_dir, draws, room)


def _run(result: Result, folder: Path, records_dir: Path | None, draws: bool, room: int) -> Iterator[str]:
    run = _run_id(result)
    record, missing = _record(result, folder, records_dir)
    entries = {} if record is None else {entry.seq: entry for entry in record.entries}
    rows, shown, left_out = event_rows(entries.values(), run, named_events(result), room)
    facts = [f"run {result.repeat}"] if result.repeat > 1 else []
    facts += [f"{result.attempts} attempts"] if result.attempts > 1 else []
    facts += [f"{result.duration_ms / 1000:.1f} s"] if result.duration_ms else []
    yield f'<section class="card run" id="{run}"><header>{_chip(result.verdict)}'
    yield f'<h2>{_name(result.check, result.turn_detection)}</h2><span class="muted">{", ".join(facts)}</span></header>'
    yield f'<div class="against"><div><h3>Expected</h3>{_expected(result)}</div>'
    yield f"<div><h3>Actual</h3>{_actual(result, run, shown)}</div></div>"
    if record is not None and draws:
        yield _picture(result, record)
    if result.measurements:
        yield from _measurements(result.measurements, entries, run, shown)
    if missing:
        yield f'<p class="muted">{_text(missing)}</p>'
    elif rows:
        yield f'<details><summary>Events, {len(shown)} in full</summary><div class="scroll">'
        yield f'<table class="events"><tbody>{rows}</tbody></table></div>'
        more = f" {left_out} entries are left out to keep the page small." if left_out else ""
        yield f'<p class="muted">Appended audio is not listed.{more} The record has everything.</p></details>'
    yield "</section>"


def _record(result: Result, folder: Path, records_dir: Path | None) -> tuple[Record | None, str]:
    if result.record is None:
        return None, "There is no record: this run never began."
    try:
        return read_record(record_path(result.record, folder, records_dir)), ""
    except UnreadableFile:
        return None, f"The record {Path(result.record).name} is missing or cannot be read: no picture and no events."


def _expected(result: Result) -> str:
    """Return the clause, and what it asks for one by one: broken, kept where the check passed, else unsigned."""
    signs = {True: ("failed", "✕"), False: ("passed", "✓") if result.verdict is Verdict.PASSED else ("open", "·")}
    items = [(*signs[each.broken], each.demand) for each in result.clauses]
    listed = "".join(f'<li class="{kind}"><b>{sign}</b> {_text(demand)}</li>' for kind, sign, demand in items)
    return f"<p>{_text(result.clause)}</p>" + (f'<ul class="demands">{listed}</ul>' if listed else "")


def _actual(result: Result, run: str, shown: set[int]) -> str:
    items = [linked(reason, run, shown) for reason in result.reasons]
    items += [f"Worth knowing: {linked(warning, run, shown)}" for warning in result.warnings]
    if result.verdict is Verdict.PASSED:
        items.insert(0, "All of it was seen.")
    listed = "".join(f"<li>{item}</li>" for item in items)
    return f'<ul class="actual {result.verdict.value}">{listed}</ul>'


def _measurements(
    measurements: Sequence[Measurement], entries: dict[int, Entry], run: str, shown: set[int]
) -> Iterator[str]:
    yield '<h3>Measured</h3><div class="scroll"><table><thead><tr><th>What</th><th class="number">Value</th>'
    yield '<th class="number">Limit</th><th class="end">From</th><th class="end">To</th></tr></thead><tbody>'
    for each in measurements:
        ends = "".join(f'<td class="event">{_end(end, entries, run, shown)}</td>' for end in (each.start, each.end))
        yield f'<tr><td>{_text(each.name)}</td><td class="number">{_number(each.value, each.unit)}</td>'
        yield f'<td class="number limit">{_number(each.threshold, each.unit)}</td>{ends}</tr>'
    yield "</tbody></table></div>"


def _end(label: str | None, entries: dict[int, Entry], run: str, shown: set[int]) -> str:
    """Return an end of a measurement: the event's number, its kind and its time."""
    if label is None:
        return ""
    number = label.removeprefix("event ")
    entry = entries.get(int(number)) if number.isascii() and number.isdigit() else None
    if entry is None:
        return _text(label)
    kind = _text(shortened(entry.type, 80))
    return f"{linked(label, run, shown)}, {entry.t_ns / NS_PER_S:.3f} s<br>{kind}"


def _picture(result: Result, record: Record) -> str:
    try:
        timeline = timeline_of(record)
    except UnreadableFile:
        return '<p class="muted">The audio of the record cannot be read: no picture.</p>'
    if timeline is None or timeline.is_silent:
        return ""
    used = [
        ("var(--participant)", "participant", bool(timeline.participant.any())),
        ("var(--vad)", "speech that the engine heard", bool(timeline.speech)),
        ("var(--agent)", "agent, as played", bool(timeline.heard.any())),
        ("color-mix(in srgb, var(--agent) 42%, transparent)", "received, never heard", bool(timeline.unheard.any())),
        ("var(--response)", "response", bool(timeline.responses)),
    ]
    legend = "".join(
        f'<span><i style="background:{colour}"></i>{words}</span>' for colour, words, there in used if there
    )
    drawn = svg(timeline, f"Timeline of {result.check}")
    return f'<div class="scroll">{drawn}</div><div class="legend">{legend}</div>'


def _setup(report: Report) -> Iterator[str]:
    yield '<h2 class="part">How it was measured</h2><div class="card">'
    commit = f", commit {report.tool.commit}" if report.tool.commit else ""
    facts = [
        ("Address", report.engine.url),
        ("Headers", ", ".join(report.engine.headers) or "none"),
        ("Program", f"{report.tool.name} {report.tool.version}{commit}"),
        ("Computer", _listed(report.environment)),
        ("Limits", _listed(report.thresholds)),
        ("Specification", f"file, sha256 {report.spec_sha256}" if report.spec_sha256 else "this program's own words"),
        *((f"Reading of {name}", value) for name, value in report.readings.items()),
        *((f"Choice: {choice.name}", f"{choice.value}. {choice.reason}") for choice in report.choices),
        *((f"Recording {each.name}", f"sha256 {each.sha256}") for each in report.fixtures),
    ]
    yield '<dl class="facts">' + "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in facts)
    yield "</dl>"
    for name, session in (
        ("requested", report.engine.session_requested),
        ("accepted", report.engine.session_accepted),
    ):
        if session is not None:
            yield f"<details><summary>The session as {name}</summary><pre>{_json(session)}</pre></details>"
    hashes = [(each.record, each.record_sha256) for each in [*report.results, *report.extras] if each.record]
    if hashes:
        yield "<details><summary>Records and their hashes</summary><dl class='facts mono'>"
        yield "".join(f"<dt>{_text(Path(name).name)}</dt><dd>{_text(sha256 or '')}</dd>" for name, sha256 in hashes)
        yield "</dl></details>"
    yield "</div>"


def _listed(facts: dict[str, Any]) -> str:
    flat: list[str] = []
    for name, value in facts.items():
        flat.append(f"{name} ({_listed(value)})" if isinstance(value, dict) else f"{name} {value}")
    return ", ".join(flat)


def _json(value: Any) -> str:
    text = shortened(msgspec.json.format(msgspec.json.encode(value), indent=2).decode(), 40_000)
    return "\n".join(_text(line) for line in text.split("\n"))

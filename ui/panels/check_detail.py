"""Why a check's cell is what it is, in HTML: what the check demands, the reasons, and what was measured."""

from ui.models.checks_model import Cell, CellKey, Measurement, Spread, measurement_text, title_of
from ui.panels.check_cells import STATES
from ui.theme import Theme


def paragraph(text: str, colour: str) -> str:
    """Return a paragraph of plain text in a colour, as HTML."""
    return f'<p style="color:{colour}">{_escape(text)}</p>'


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def detail_html(theme: Theme, key: CellKey, cell: Cell, described: str) -> str:
    """Return why a cell is what it is, as HTML; `described` is what its check demands."""
    colours = theme.colours
    state = STATES.get(cell.state)
    colour = colours.of_state(state) if state is not None else colours.text_muted
    sign = f"{state.sign} " if state is not None else ""
    parts = [
        f'<h3 style="margin:0">{_escape(title_of(key))}</h3>',
        f'<p style="margin:2px 0 6px 0; color:{colour}"><b>{sign}{cell.word}</b></p>',
    ]
    if described:
        parts.append(_heading("What this check demands", theme) + f'<p style="margin-top:0">{_escape(described)}</p>')
    if cell.reasons or cell.warnings:
        parts.append(_heading("Why", theme))
    if cell.tally:
        parts.append(f"<p><b>{cell.tally}</b></p>")
    if cell.waiting_for:
        parts.append(paragraph(f"Waiting for {cell.waiting_for}.", colours.running))
    parts += [f'<p style="margin-top:0">{_escape(reason)}</p>' for reason in cell.reasons]
    parts += [f'<p style="color:{colours.warning}">⚠ {_escape(warning)}</p>' for warning in cell.warnings]
    if cell.spreads or cell.measurements:
        parts.append(_heading("Measured", theme))
        parts += map(_spread_html, cell.spreads) if cell.spreads else map(_measured_html, cell.measurements)
    if cell.clause and cell.clause != described:
        parts.append(paragraph(cell.clause, colours.text_muted))
    return "".join(parts)


def _heading(text: str, theme: Theme) -> str:
    return f'<p style="margin-bottom:0; color:{theme.colours.text_muted}"><b>{text}</b></p>'


def _measured_html(each: Measurement) -> str:
    """One figure below the other, not in columns: a column too narrow for a number would break it in the middle."""
    limit = "" if each.threshold is None else f", limit {_together(each.threshold, each.unit)}"
    ends = " → ".join(_unbroken(str(end)) for end in (each.start, each.end) if end is not None)
    return _figure(each.name, _together(each.value, each.unit), limit, ends)


def _spread_html(each: Spread) -> str:
    limit = "" if each.threshold is None else f", limit {_together(each.threshold, each.unit)}"
    least, most = _together(each.min, each.unit), _together(each.max, each.unit)
    return _figure(each.name, _together(each.median, each.unit), f" median{limit}", f"least {least}, most {most}")


def _figure(name: str, value: str, more: str, below: str) -> str:
    under = f"<br>{_escape(below)}" if below else ""
    return f'<p style="margin:0 0 6px 0">{_escape(name)}<br><b>{_escape(value)}</b>{_escape(more)}{under}</p>'


def _together(value: float | int | str | bool | None, unit: str) -> str:
    """Return a figure that is not broken from its unit."""
    text = measurement_text(value, unit)
    return text if isinstance(value, str) else _unbroken(text)


def _unbroken(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")

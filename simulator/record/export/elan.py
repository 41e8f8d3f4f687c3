"""An annotation document for ELAN (.eaf, format 3.0).

Every annotation is aligned with the time, in whole milliseconds. ELAN knows no points: they last as long as
the shortest annotation, one millisecond.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from xml.etree import ElementTree

from simulator.record.export.tiers import Span, Tier

_SCHEMA: Final = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
_TYPE: Final = "default-lt"
_WHEN_UNKNOWN: Final = "1970-01-01T00:00:00+00:00"
_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def annotation_document(tiers: Sequence[Tier], started_at: str | None, media: str | None) -> bytes:
    """Return the content of the file. `media` is the name of a WAV file beside it, None: without sound."""
    root = ElementTree.Element(
        "ANNOTATION_DOCUMENT",
        {
            "AUTHOR": "",
            "DATE": _date(started_at),
            "FORMAT": "3.0",
            "VERSION": "3.0",
            "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
            "xsi:noNamespaceSchemaLocation": _SCHEMA,
        },
    )
    header = ElementTree.SubElement(root, "HEADER", {"MEDIA_FILE": "", "TIME_UNITS": "milliseconds"})
    if media is not None:
        url = f"./{media}"
        media_fields = {"MEDIA_URL": url, "RELATIVE_MEDIA_URL": url, "MIME_TYPE": "audio/x-wav"}
        ElementTree.SubElement(header, "MEDIA_DESCRIPTOR", media_fields)
    spans = [(tier, [(*_extent(span), span.text) for span in _in_turn(tier)]) for tier in tiers]
    slots = _add_slots(root, sorted({ms for _, told in spans for start, end, _ in told for ms in (start, end)}))
    number = 0
    for tier, told in spans:
        fields = {"LINGUISTIC_TYPE_REF": _TYPE, "PARTICIPANT": tier.speaker, "TIER_ID": tier.name}
        element = ElementTree.SubElement(root, "TIER", fields)
        for start, end, text in told:
            number += 1
            _add_annotation(element, f"a{number}", slots[start], slots[end], text)
    ElementTree.SubElement(
        root,
        "LINGUISTIC_TYPE",
        {"GRAPHIC_REFERENCES": "false", "LINGUISTIC_TYPE_ID": _TYPE, "TIME_ALIGNABLE": "true"},
    )
    ElementTree.indent(root)
    content: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _add_slots(root: ElementTree.Element, times_ms: list[int]) -> dict[int, str]:
    order = ElementTree.SubElement(root, "TIME_ORDER")
    slots: dict[int, str] = {}
    for number, ms in enumerate(times_ms, 1):
        slots[ms] = f"ts{number}"
        ElementTree.SubElement(order, "TIME_SLOT", {"TIME_SLOT_ID": slots[ms], "TIME_VALUE": str(ms)})
    return slots


def _add_annotation(tier: ElementTree.Element, name: str, start: str, end: str, text: str) -> None:
    annotation = ElementTree.SubElement(tier, "ANNOTATION")
    fields = {"ANNOTATION_ID": name, "TIME_SLOT_REF1": start, "TIME_SLOT_REF2": end}
    aligned = ElementTree.SubElement(annotation, "ALIGNABLE_ANNOTATION", fields)
    ElementTree.SubElement(aligned, "ANNOTATION_VALUE").text = _NOT_XML.sub(" ", text)


def _in_turn(tier: Tier) -> list[Span]:
    """Return the spans; points of one millisecond are joined, as annotations of a tier may not overlap."""
    if not tier.points:
        return list(tier.spans)
    found: list[Span] = []
    for span in tier.spans:
        if found and found[-1].start_ms == span.start_ms:
            found[-1] = Span(found[-1].start_s, found[-1].end_s, f"{found[-1].text}; {span.text}")
        else:
            found.append(span)
    return found


def _extent(span: Span) -> tuple[int, int]:
    return span.start_ms, span.end_ms


def _date(started_at: str | None) -> str:
    """Return a date and time with its zone, as the schema wants it."""
    try:
        when = datetime.fromisoformat(started_at or _WHEN_UNKNOWN)
    except ValueError:
        return _WHEN_UNKNOWN
    return when.isoformat() if when.tzinfo else f"{when.isoformat()}+00:00"

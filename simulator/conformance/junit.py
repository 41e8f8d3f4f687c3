"""A report as JUnit XML, which build servers read.

A failed run is a ``failure``. An inconclusive one is an ``error``, never ``skipped``: servers show skipped tests green,
and inconclusive never counts as passed. Extras are left out, as they are out of the verdict.
"""

from collections.abc import Sequence
from xml.etree import ElementTree

from simulator.conformance.check import Verdict
from simulator.conformance.plain_text import visible
from simulator.conformance.report import Report, Result

_KINDS = {Verdict.FAILED: "failure", Verdict.INCONCLUSIVE: "error"}


def to_junit(report: Report) -> bytes:
    """Return the document: one test suite, and one test case a run."""
    name = f"{report.engine.name} {report.engine.model}".strip()
    counts = _counts(report.results)
    suites = ElementTree.Element("testsuites", {"name": "participant-simulator", **counts})
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        {"name": visible(name) or "engine", **counts, "timestamp": visible(report.started_at.partition("+")[0])},
    )
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in _facts(report).items():
        ElementTree.SubElement(properties, "property", {"name": key, "value": visible(value)})
    for result in report.results:
        _add_case(suite, result)
    ElementTree.indent(suites)
    document: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _counts(results: Sequence[Result]) -> dict[str, str]:
    verdicts = [result.verdict for result in results]
    return {
        "tests": str(len(results)),
        "failures": str(verdicts.count(Verdict.FAILED)),
        "errors": str(verdicts.count(Verdict.INCONCLUSIVE)),
        "skipped": "0",
        "time": f"{sum(result.duration_ms for result in results) / 1000:.3f}",
    }


def _facts(report: Report) -> dict[str, str]:
    return {
        "specVersion": report.spec_version,
        "suiteVersion": str(report.suite_version),
        "toolVersion": report.tool.version,
        "toolCommit": report.tool.commit or "",
        "verdict": report.verdict.value,
    }


def _add_case(suite: ElementTree.Element, result: Result) -> None:
    name = result.check if result.turn_detection is None else f"{result.check} ({result.turn_detection})"
    name += f" run {result.repeat}" if result.repeat > 1 else ""
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {
            "classname": visible(f"conformance.{result.check}"),
            "name": visible(name),
            "time": f"{result.duration_ms / 1000:.3f}",
        },
    )
    if (kind := _KINDS.get(result.verdict)) is not None:
        reasons = [visible(reason) for reason in result.reasons] or ["No reason was given."]
        outcome = ElementTree.SubElement(case, kind, {"message": reasons[0], "type": result.verdict.value})
        outcome.text = "\n".join([visible(result.clause), *reasons])
    told = [f"warning: {visible(warning)}" for warning in result.warnings]
    told += [
        f"{visible(each.name)}: {each.value:g} {visible(each.unit)}".rstrip()
        + (f" (limit {each.threshold:g})" if each.threshold is not None else "")
        for each in result.measurements
    ]
    if told:
        ElementTree.SubElement(case, "system-out").text = "\n".join(told)

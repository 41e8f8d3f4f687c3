"""`reports`: what the stored reports say about each engine, and where they lie."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.cli.check_outputs import reports_folder
from simulator.cli.exits import Exit
from simulator.cli.output import result, result_json, say
from simulator.cli.parser import Commands
from simulator.engines.profiles import EngineProfile, load_profiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.conformance.store import Settings, Status, Stored


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "reports",
        help="list the engines' conformance and the stored reports",
        description="Lists of each engine and model whether it passed and when, and the reports in your data folder.",
    )
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Print what is known of the engines. Raises UnreadableFile where the file of engines cannot be read."""
    from simulator.conformance.store import STALE_AFTER_DAYS, stored

    reports, problems = stored(reports_folder())
    statuses = _statuses(reports)
    for problem in problems:
        say(problem)
    if arguments.json:
        listed = [_entry(each) for each in reports]
        result_json({"staleAfterDays": STALE_AFTER_DAYS, "engines": statuses, "reports": listed, "problems": problems})
        return Exit.DONE
    for status in statuses:
        _print(status)
    return Exit.DONE


def _statuses(reports: "Sequence[Stored]") -> "list[Status]":
    """Return the status of each engine and model: the known engines first, then what else has a report."""
    from simulator.conformance.store import covered, status

    profiles = {profile.name: profile for profile in load_profiles()}
    wanted = dict.fromkeys([*((each.name, each.model) for each in profiles.values()), *covered(reports)])
    return [status(reports, engine, model, settings=_settings(profiles.get(engine))) for engine, model in wanted]


def _settings(profile: EngineProfile | None) -> "Settings | None":
    from simulator.conformance.store import Settings

    if profile is None:
        return None
    return Settings(profile.url or None, frozenset(profile.headers))


def _entry(stored: "Stored") -> dict[str, Any]:
    from simulator.conformance.store import PAGE, counts, is_whole

    report, page = stored.report, stored.path.with_name(PAGE)
    passed, runs = counts(report)
    return {
        "engine": report.engine.name,
        "model": report.engine.model,
        "suiteVersion": report.suite_version,
        "startedAt": report.started_at,
        "finishedAt": report.finished_at,
        "verdict": report.verdict,
        "passed": passed,
        "runs": runs,
        "whole": is_whole(report),
        "report": str(stored.path),
        "page": str(page) if page.is_file() else None,
    }


def _print(status: "Status") -> None:
    name = f"{status.engine} {status.model}".strip()
    when = f"  {status.finished_at}, {status.passed} of {status.runs} passed" if status.finished_at else ""
    result(f"{status.state.value:<13} {name:<32}{when}".rstrip())
    for why in status.why:
        result(f"{'':<13} {why}")
    for path in (status.report, status.page):
        if path is not None:
            result(f"{'':<13} {Path(path)}")

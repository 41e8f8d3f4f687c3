"""What runs without a window tell of what a computer lacks."""

from simulator.engines.profiles import resolve
from simulator.participant.hosted_run import HostedRun
from simulator.participant.messages import ConnectionState, Status
from simulator.participant.study_run import RunOutcome

SILENT = "There is no loudspeaker."
DEAF = "Words are not recognised."


def _run(said: list[str], told: set[str]) -> tuple[HostedRun, RunOutcome]:
    outcome = RunOutcome()
    return HostedRun(resolve("ws://h/v1"), outcome, said.append, lambda entries: None, told=told), outcome


def _status(*lacks: str, recognition_lack: str | None = None) -> Status:
    return Status(connection=ConnectionState.CONNECTED, lacks=list(lacks), recognition_lack=recognition_lack)


def test_what_is_lacking_is_told_once_in_several_runs_and_kept_in_each() -> None:
    said: list[str] = []
    told: set[str] = set()
    for _ in range(2):
        run, outcome = _run(said, told)
        run._fed(_status(SILENT, recognition_lack=DEAF))
        run._fed(_status(SILENT, recognition_lack=DEAF))
        assert outcome.problems == [SILENT]
    assert sorted(said) == [SILENT, DEAF]


def test_what_goes_and_comes_again_is_told_again() -> None:
    said: list[str] = []
    run, outcome = _run(said, {SILENT})
    for lacks in ((SILENT,), (), (SILENT,)):
        run._fed(_status(*lacks))
    assert said == [SILENT]
    assert outcome.problems == [SILENT, SILENT]

"""A window on fake processes, driven by keys and clicks, and a way to wait for what follows."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from simulator.participant.messages import ConnectionState, Status
from simulator.profile.facts import TURN_DETECTIONS
from ui.checks_feed import ChecksFeed
from ui.devices_feed import DevicesFeed
from ui.faults_feed import FaultsFeed
from ui.main_window import MainWindow
from ui.participant_host import ParticipantHost
from ui.reports_feed import ReportsFeed
from ui.session_feed import SessionFeed
from ui.theme import Theme

HERE = Path(__file__).parent
MODES = [str(mode["type"]) for mode in TURN_DETECTIONS]
DEVICES = [
    {"name": "Built-in mic", "max_input_channels": 2, "max_output_channels": 0},
    {"name": "Speakers", "max_input_channels": 0, "max_output_channels": 2},
]


def wait_until(condition: Callable[[], object], timeout_s: float = 20.0) -> None:
    """Run Qt's events until the condition holds; fails the test where it does not in time."""
    loop = QEventLoop()
    look = QTimer()
    look.timeout.connect(lambda: loop.quit() if condition() else None)
    look.start(5)
    QTimer.singleShot(int(timeout_s * 1000), loop, loop.quit)
    if not condition():
        loop.exec()
    look.stop()
    assert condition(), "what the test waits for did not happen"


def script(name: str, *arguments: str) -> list[str]:
    """Return the command that runs one of the fakes."""
    return [sys.executable, str(HERE / name), *arguments]


class WindowRig:
    """A window whose participant, checks and devices are fakes; `host` takes the place of the participant's."""

    def __init__(
        self,
        theme: Theme,
        folder: Path,
        devices: list[dict[str, Any]] | None = None,
        host: ParticipantHost | None = None,
    ) -> None:
        self.log = folder / "commands.jsonl"
        self.log.touch()
        self.feed = SessionFeed(host or ParticipantHost(script("fake_participant.py")))
        self.checks = ChecksFeed(MODES, folder / "checks", script("fake_check.py"))
        listing = [sys.executable, "-c", f"print({json.dumps(devices or [])!r})"]
        self.reports = ReportsFeed(script("fake_reports.py"))
        self.faults = FaultsFeed(script("fake_faults.py"))
        self.window = MainWindow(
            self.feed,
            theme,
            checks=self.checks,
            devices=DevicesFeed(listing),
            reports=self.reports,
            faults=self.faults,
        )
        self.heard: list[Status] = []
        self.feed.status_changed.connect(self.heard.append)
        self.window.resize(1280, 800)

    def start(self) -> None:
        """Show the window, active, and wait for the first status of the participant."""
        self.window.show()
        QTest.qWaitForWindowActive(self.window)
        self.window.start()
        wait_until(lambda: self.heard)

    def connect_session(self) -> None:
        """Press the connect button and wait until the session stands."""
        self.click(self.window.connection.connect_button)
        wait_until(lambda: self.feed.status.connection is ConnectionState.CONNECTED)

    def click(self, button: QAbstractButton) -> None:
        """Click a button, as far as a user could."""
        assert button.isEnabled(), f"{button.text()} is disabled: {button.toolTip()}"
        button.click()

    def commands(self, kind: str) -> list[dict[str, Any]]:
        """Return the commands of a kind that the participant got, in order."""
        lines = map(json.loads, self.log.read_text().splitlines())
        return [line for line in lines if line["command"] == kind]

    def wait_for_command(self, kind: str, count: int = 1) -> dict[str, Any]:
        """Wait until the participant got `count` commands of a kind; returns the last."""
        wait_until(lambda: len(self.commands(kind)) >= count)
        return self.commands(kind)[-1]

    def close(self) -> None:
        """Close the window and wait until its processes are gone."""
        ended: list[bool] = []
        self.window.ended.connect(lambda: ended.append(True))
        self.window.close()
        wait_until(lambda: ended)
        QCoreApplication.processEvents()

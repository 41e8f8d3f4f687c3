"""One application for all tests of the window, and a theme in each scheme."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from tests.ui.window_rig import WindowRig
from ui.theme import Scheme, Theme


@pytest.fixture(scope="session")
def application() -> QApplication:
    """The application; Qt allows one a process."""
    found = QApplication.instance()
    return found if isinstance(found, QApplication) else QApplication(["participant-simulator"])


@pytest.fixture
def theme(application: QApplication) -> Iterator[Theme]:
    """A light theme; windows that a test leaves are gone before the next one."""
    theme = Theme(application)
    theme.choose(Scheme.LIGHT)
    yield theme
    for widget in application.topLevelWidgets():
        widget.close()
        widget.deleteLater()
    theme.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(autouse=True)
def _folders_of_our_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The user's engines, settings and records are none of a test's business."""
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "commands.jsonl"))


@pytest.fixture
def rig(theme: Theme, tmp_path: Path) -> Iterator[WindowRig]:
    """A window on fakes, started; its processes end with the test."""
    rig = WindowRig(theme, tmp_path)
    rig.start()
    yield rig
    rig.close()

"""One application for all tests of the window, and a theme in each scheme."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

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

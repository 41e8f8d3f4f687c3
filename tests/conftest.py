"""Settings of the whole test run, the rig's fixtures, and two rules: an unexpected Qt message and an exception in a Qt
slot fail the test in which they happen."""

import os
import re
import sys
import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

import hypothesis
import pytest

from tests.rig.display import Display, x_display
from tests.rig.errors import RigUnavailable
from tests.rig.sound import SoundServer, sound_server

if TYPE_CHECKING:
    from PySide6.QtCore import QMessageLogContext, QtMsgType

IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")

# No window appears while testing; a test of a real window starts a process with `x_display.env`.
os.environ["QT_QPA_PLATFORM"] = "offscreen"

hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if IN_CI else "here")

# Qt says these on machines without a desktop or a full set of fonts; neither is about our windows.
_HARMLESS_QT_MESSAGES = re.compile(
    r"This plugin does not support |propagateSizeHints|QFontDatabase: Cannot find font dir"
)


def _unavailable(reason: RigUnavailable) -> None:
    """Skip with the reason; in CI on Linux, where the rig is installed, that is a failure."""
    if IN_CI and sys.platform.startswith("linux"):
        pytest.fail(f"must not be skipped here: {reason}", pytrace=False)
    pytest.skip(str(reason))


@pytest.fixture(scope="session")
def pulse_server() -> Iterator[SoundServer | RigUnavailable]:
    """The sound server, started when the first test wants it, or why there is none. Tests use `sound_server`."""
    try:
        with sound_server() as server:
            yield server
    except RigUnavailable as reason:
        yield reason


@pytest.fixture(scope="session")
def x_server() -> Iterator[Display | RigUnavailable]:
    """The X server, started when the first test wants it, or why there is none. Tests use `x_display`."""
    try:
        with x_display() as display:
            yield display
    except RigUnavailable as reason:
        yield reason


@pytest.fixture(name="sound_server")
def _sound_server(pulse_server: SoundServer | RigUnavailable) -> SoundServer:
    """Environment and devices of a real sound server without hardware."""
    if isinstance(pulse_server, RigUnavailable):
        _unavailable(pulse_server)
    assert isinstance(pulse_server, SoundServer)
    return pulse_server


@pytest.fixture(name="x_display")
def _x_display(x_server: Display | RigUnavailable) -> Display:
    """A real X server of 1920×1080."""
    if isinstance(x_server, RigUnavailable):
        _unavailable(x_server)
    assert isinstance(x_server, Display)
    return x_server


@pytest.fixture(autouse=True)
def _qt_is_quiet(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test during which Qt warned, or an exception left a slot, unless `qt_warnings` expects the message."""
    if "PySide6.QtCore" not in sys.modules:
        yield
        return
    from PySide6.QtCore import QtMsgType, qInstallMessageHandler

    complaints: list[str] = []
    expected = [re.compile(mark.args[0]) for mark in request.node.iter_markers("qt_warnings")]

    def on_message(kind: "QtMsgType", context: "QMessageLogContext", message: str) -> None:
        serious = kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg)
        if serious and not any(pattern.search(message) for pattern in (_HARMLESS_QT_MESSAGES, *expected)):
            complaints.append(f"Qt: {message}")

    def on_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        complaints.append("".join(traceback.format_exception(kind, error, trace)))

    previous_handler = qInstallMessageHandler(on_message)
    previous_hook, sys.excepthook = sys.excepthook, on_exception
    yield
    sys.excepthook = previous_hook
    qInstallMessageHandler(previous_handler)
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)

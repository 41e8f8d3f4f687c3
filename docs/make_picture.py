"""Make docs/window.png again: the window in a real session with the embedded engine.

    python docs/make_picture.py

It needs Xvfb and PulseAudio, as the tests do: the window has a screen of its own, 1280×800, and a loudspeaker of its
own. A recorded participant asks for a story; the agent is told that a minute is left, and is interrupted; then
listening goes off. The suite is run before, so that the picker shows that the engine passed.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PICTURE: Final = ROOT / "docs" / "window.png"
MOST_BYTES: Final = 250_000
_PATIENCE_S: Final = 90


def main() -> int:
    """Run the session on a screen and a sound server of its own."""
    sys.path.insert(0, str(ROOT))
    from tests.rig.display import x_display
    from tests.rig.sound import sound_server

    with x_display() as display, sound_server() as sound, tempfile.TemporaryDirectory() as folder:
        folders = {f"PARTICIPANT_SIMULATOR_{kind}": str(Path(folder) / kind.lower()) for kind in ("DATA", "CONFIG")}
        command = [sys.executable, "-c", "import sys; sys.path.insert(0, 'docs'); import make_picture as m; m.take()"]
        environment = os.environ | sound.env | display.env | folders
        subprocess.run(command, cwd=ROOT, env=environment, timeout=300, check=True)
    sys.stdout.write(f"{PICTURE}: {PICTURE.stat().st_size} bytes\n")
    return 0 if PICTURE.stat().st_size <= MOST_BYTES else 1


def take() -> None:
    """Hold the session and take the picture, in a process that has a screen."""
    sys.path.insert(0, str(ROOT))
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from simulator.participant.messages import ConnectionState, Push, VoiceKind
    from simulator.profile import context_items
    from ui.main_window import MainWindow
    from ui.models.voices import Voice
    from ui.participant_host import ParticipantHost
    from ui.session_feed import SessionFeed
    from ui.theme import Scheme, Theme

    application = QApplication(["participant-simulator"])
    theme = Theme(application)
    theme.choose(Scheme.LIGHT)
    window = MainWindow(SessionFeed(ParticipantHost()), theme)
    window.resize(1280, 800)
    window.show()
    window.start()
    feed, commands = window.feed, window.commands

    def seen(kind: str) -> bool:
        return any(entry.type == kind for entry in feed.view.entries)

    def say(recording: str) -> None:
        window.choices.choose_voice(Voice(VoiceKind.RECORDING, recording))
        _wait(lambda: recording in feed.status.voice_name)
        commands.press_talk()

    _wait(lambda: window.checks_feed.model.checks and feed.status.output_name)
    window.checks_feed.run("embedded", window.checks_feed.model.all_keys(), jobs=8)
    _wait(lambda: not window.checks_feed.running)
    window.study_desk.files.open(ROOT / "fixtures" / "studies" / "first_meeting.yaml")
    _wait(lambda: window.agent.editor.toPlainText())
    QTest.keyClick(window.timeline.canvas, Qt.Key.Key_Minus)
    window.toggle_connection()
    _wait(lambda: feed.status.connection is ConnectionState.CONNECTED)
    say("tell_me_a_long_story")
    _wait(lambda: feed.status.agent_heard)
    QTest.qWait(2_000)
    commands.send(Push(id=0, context=context_items.timer(60)), lambda error: None)
    QTest.qWait(1_500)
    say("interruption")
    _wait(lambda: seen("barge_in"))
    QTest.qWait(1_500)
    commands.set_listening(False)
    QTest.qWait(3_500)
    image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    if not image.save(str(PICTURE), quality=0):
        raise OSError(f"{PICTURE} cannot be written")
    window.ended.connect(application.quit, Qt.ConnectionType.QueuedConnection)
    window.close()
    application.exec()


def _wait(condition: Callable[[], object]) -> None:
    from PySide6.QtTest import QTest

    for _ in range(_PATIENCE_S * 50):
        if condition():
            return
        QTest.qWait(20)
    raise TimeoutError("what the picture shows did not happen")


if __name__ == "__main__":
    sys.exit(main())

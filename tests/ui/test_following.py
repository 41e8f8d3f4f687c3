"""Log and transcript follow the live session, whatever takes room above; a saved one is shown from its beginning."""

from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTextBrowser

from tests.ui.synthetic import SyntheticSession
from ui.panels.log import LogPanel
from ui.panels.transcript import TranscriptPanel
from ui.record_view import RecordView
from ui.theme import Theme


def _settle() -> None:
    for _ in range(3):
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QApplication.processEvents()


def _shown(panel: LogPanel | TranscriptPanel, height: int = 400) -> None:
    panel.resize(700, height)
    panel.show()
    QTest.qWaitForWindowExposed(panel)
    _settle()


def test_the_log_stays_at_its_end_when_its_room_gets_smaller(theme: Theme) -> None:
    session, view = SyntheticSession(cycles=3), RecordView()
    half = len(session.entries) // 2
    view.add(session.entries[:half])
    panel = LogPanel(theme, view)
    _shown(panel)
    bar = panel.table.verticalScrollBar()
    panel.resize(700, 320)
    _settle()
    assert bar.value() == bar.maximum() > 0
    view.add(session.entries[half:])
    panel.take_new()
    _settle()
    assert bar.value() == bar.maximum()


def test_the_log_stays_where_the_user_scrolled_to(theme: Theme) -> None:
    session, view = SyntheticSession(cycles=3), RecordView()
    half = len(session.entries) // 2
    view.add(session.entries[:half])
    panel = LogPanel(theme, view)
    _shown(panel)
    bar = panel.table.verticalScrollBar()
    bar.setValue(2)
    panel.resize(700, 320)
    view.add(session.entries[half:])
    panel.take_new()
    _settle()
    assert bar.value() == 2


def test_a_saved_record_begins_in_log_and_transcript(theme: Theme) -> None:
    saved = RecordView("yesterday", Path("session.jsonl"))
    saved.add(SyntheticSession(cycles=12).entries)
    log, transcript = LogPanel(theme, RecordView()), TranscriptPanel(theme)
    log.set_view(saved)
    transcript.set_source(saved.measures, ended=True)
    bars = [log.table.verticalScrollBar(), transcript.findChild(QTextBrowser).verticalScrollBar()]  # type: ignore[union-attr]
    for panel in (log, transcript):
        _shown(panel)
        panel.resize(700, 250)
    _settle()
    assert [bar.value() for bar in bars] == [0, 0]
    assert all(bar.maximum() > 0 for bar in bars)

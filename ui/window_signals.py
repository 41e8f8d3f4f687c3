"""Which signal of the window's panels and desks goes to which slot."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ui.menus import TABS
from ui.study_drop import StudyDrop

if TYPE_CHECKING:
    from ui.main_window import MainWindow


def connect_desks(window: MainWindow) -> None:
    """Connect the feed and the desks: what failed is told, and what one asks another does."""
    feed = window.feed
    feed.status_changed.connect(window.show_status)
    feed.level_changed.connect(window.show_level)
    feed.failed.connect(window.tell)
    feed.session_asked.connect(window.notices.begin_session)
    # One child after the other: what the first frame does not need must not compete with it.
    window.devices_feed.listed.connect(window.reports_feed.refresh)
    window.desk.failed.connect(window.tell)
    window.desk.record_opened.connect(window.record.show_view)
    window.desk.reports_counted.connect(window.menus.count_reports)
    window.choices.failed.connect(window.tell)
    window.study_desk.failed.connect(window.tell)
    window.study_desk.told.connect(window.notices.tell)
    StudyDrop(window).dropped.connect(window.study_desk.files.ask_file)
    window.recognition.failed.connect(window.tell)
    window.record.live_shown.connect(lambda _live: window.notices.put_on_screen(window.record.name))
    window.sessions.failed.connect(window.tell_of_record)
    window.sessions.told.connect(window.tell_quietly)
    window.sessions.exports.told.connect(window.notices.tell)
    window.sessions.exports.over.connect(window.notices.end)
    window.replaying.failed.connect(window.tell)
    window.replaying.engines_changed.connect(lambda: window.choices.load_engines(window.connection.engine))
    window.replaying.compared.connect(window.session_table.compare)
    window.session_table.replay_requested.connect(window.replaying.ask)
    window.session_table.failed.connect(window.tell_of_record)
    for desk in (window.composing, window.calls, window.specification, window.voice_desk, window.sound, window.volume):
        desk.failed.connect(window.tell)
    window.marking.failed.connect(window.tell)
    window.record.live_shown.connect(window.marking.show_record)
    window.specification.changed.connect(window.follow)
    window.composing.edit_opened.connect(partial(window.tabs.setCurrentWidget, window.composer))


def connect_panels(window: MainWindow) -> None:
    """Connect the panels to the commands, and to the tabs that they lead to."""
    commands, panel = window.commands, window.connection
    panel.connect_requested.connect(window.toggle_connection)
    panel.disconnect_requested.connect(window.toggle_connection)
    panel.mic_open_requested.connect(commands.open_microphone)
    panel.mute_requested.connect(commands.set_muted)
    panel.listening_requested.connect(commands.set_listening)
    panel.say_requested.connect(window.voice_desk.bar.open_line)
    panel.stop_reply_requested.connect(commands.stop_reply)
    panel.problems_requested.connect(window.show_problems)
    panel.report_requested.connect(partial(window.tabs.setCurrentWidget, window.checks))
    window.misbehaviour.change_requested.connect(window.desk.ask_faults)
    commands.failed.connect(window.tell)
    commands.applied.connect(window.agent.show_applied)
    window.agent.instructions_applied.connect(commands.set_instructions)
    window.checks.summary_changed.connect(partial(window.tabs.setTabText, TABS.index("Checks")))

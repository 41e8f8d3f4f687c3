"""What the user should read: one bar, nothing unread is lost, and a notice goes with what it is about."""

from pathlib import Path

from PySide6.QtWidgets import QPushButton

from simulator.participant.messages import ConnectionState
from tests.ui.test_sessions_desk import open_session, save_session
from tests.ui.window_rig import WindowRig, wait_until
from ui.models.notices import LIVE, Notice, Notices
from ui.panels.notice_bar import NoticeBar
from ui.theme import Theme


def _sentences(notices: Notices | NoticeBar) -> list[str]:
    return [notice.sentence for notice in notices.shown]


def test_what_failed_comes_first_and_what_is_good_to_know_last() -> None:
    notices = Notices()
    notices.show_lacks(["No loudspeaker."], hints=False)
    for notice in (Notice("Refused."), Notice("Kept.", quiet=True), Notice("Unreachable.")):
        notices.tell(notice)
    assert _sentences(notices) == ["Unreachable.", "Refused.", "No loudspeaker.", "Kept."]
    notices.show_lacks(["No loudspeaker."], hints=True)
    assert _sentences(notices) == ["Unreachable.", "Refused.", "Kept.", "No loudspeaker."]
    for left in (3, 2, 1, 0):
        notices.dismiss()
        assert len(notices.shown) == left
    notices.show_lacks(["No loudspeaker."], hints=False)
    assert notices.shown == []  # it was read


def test_what_can_be_done_now_is_not_hidden_by_what_is_lacking_all_the_time() -> None:
    notices = Notices()
    notices.show_lacks(["No loudspeaker."], hints=False)
    for notice in (
        Notice("Kept.", quiet=True),
        Notice("Exporting …", None, quiet=True, deed="Cancel"),
        Notice("Cancelled.", quiet=True, other="Choose…"),
    ):
        notices.tell(notice)
    assert _sentences(notices) == ["Cancelled.", "Exporting …", "No loudspeaker.", "Kept."]


def test_the_same_sentence_is_told_once() -> None:
    notices = Notices()
    for sentence in ("Refused.", "Unreachable.", "Refused."):
        notices.tell(Notice(sentence))
    assert _sentences(notices) == ["Refused.", "Unreachable."]


def test_a_notice_about_a_record_goes_with_it() -> None:
    notices = Notices()
    notices.put_on_screen("/a")
    notices.tell(Notice("a is damaged.", "/a"))
    notices.put_on_screen("/b")
    assert notices.shown == []
    notices.put_on_screen("/a")
    assert notices.shown == []


def test_an_error_of_the_live_session_is_seen_over_a_record_and_again_beside_the_session() -> None:
    notices = Notices()
    notices.put_on_screen("/a")
    notices.tell(Notice("The engine has gone."))
    assert _sentences(notices) == ["The engine has gone."]
    notices.put_on_screen("/b")
    assert notices.shown == []
    notices.put_on_screen(LIVE)
    assert _sentences(notices) == ["The engine has gone."]
    notices.begin_session()
    assert notices.shown == []


def test_a_notice_about_neither_stays_until_it_is_read() -> None:
    notices = Notices()
    notices.tell(Notice("Yours were replaced.", None, quiet=True))
    notices.put_on_screen("/a")
    notices.begin_session()
    assert _sentences(notices) == ["Yours were replaced."]
    notices.dismiss()
    assert notices.shown == []


def test_the_bar_shows_one_and_counts_the_others(theme: Theme) -> None:
    bar, done = NoticeBar(theme), list[str]()
    assert bar.isHidden()
    bar.tell(Notice("Kept in a folder.", quiet=True, deed="Show", do=lambda: done.append("shown")))
    assert (bar.text.text(), bar.count.isHidden(), bar.deed_button.text()) == ("Kept in a folder.", True, "Show")
    bar.tell("Refused.")
    assert (bar.text.text(), bar.count.text(), bar.deed_button.isHidden()) == ("✕  Refused.", "1 of 2", True)
    bar.dismiss()
    bar.deed_button.click()
    assert done == ["shown"]
    assert bar.isHidden()


def test_an_old_error_stays_with_its_session_and_ends_with_the_next(rig: WindowRig, tmp_path: Path) -> None:
    window, bar = rig.window, rig.window.notices
    window.connection.set_engines(["embedded"], "ws://unreachable")
    rig.click(window.connection.connect_button)
    wait_until(lambda: "did not answer" in bar.text.text())
    open_session(rig, save_session(tmp_path / "pilot"))
    assert bar.isHidden()
    rig.click(window.banner.back_button)
    assert "did not answer" in bar.text.text()
    window.connection.set_engines(["embedded"], "embedded")
    rig.connect_session()
    assert not any("did not answer" in sentence for sentence in _sentences(bar))


def test_a_session_that_ended_says_where_it_is_kept_and_shows_it(rig: WindowRig, tmp_path: Path) -> None:
    rig.connect_session()
    folder = Path(rig.feed.status.record_path or "").parent
    folder.mkdir(parents=True, exist_ok=True)
    rig.click(rig.window.connection.connect_button)
    wait_until(lambda: rig.feed.status.connection is ConnectionState.IDLE)
    bar = rig.window.notices
    wait_until(lambda: bar.text.text() == f"The session is kept in {folder}")
    assert isinstance(bar.deed_button, QPushButton)
    assert bar.deed_button.text() == "Show"
    rig.connect_session()
    assert bar.isHidden()

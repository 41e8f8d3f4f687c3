"""The transcript: who said what, and what of a reply was heard."""

from typing import Any

from PySide6.QtWidgets import QApplication, QLabel, QTextBrowser

from simulator.record.entries import Direction, Entry
from simulator.record.measures import Measures, Turn
from simulator.units import NS_PER_MS
from tests.ui.synthetic import SyntheticSession
from ui.panels.transcript import TranscriptPanel, paragraph
from ui.theme import Scheme, Theme


def _agent(text: str, **more: Any) -> Turn:
    return Turn("agent", "item_2", text, 0, 4, **more)


def test_speech_without_a_transcription_has_its_length() -> None:
    turn = Turn("participant", "item_1", "", 0, 1)
    assert paragraph(turn, 2.34).said == "(speech, 2.3 s)"
    assert paragraph(turn, None).said == "(speech)"


def test_a_cut_reply_is_split_where_hearing_ended() -> None:
    shown = paragraph(_agent("Well, coffee then.", heard_text="Well,", heard_ms=1000.0, generated_ms=2000.0), None)
    assert (shown.said, shown.unsaid, shown.note) == ("Well,", "coffee then.", "heard 1.0 of 2.0 s")


def test_a_reply_of_which_nothing_was_heard_is_all_unsaid() -> None:
    shown = paragraph(_agent("Well.", heard_text="", heard_ms=0.0, generated_ms=700.0), None)
    assert (shown.said, shown.unsaid, shown.note) == ("", "Well.", "heard 0.0 of 0.7 s")


def test_a_reply_heard_to_its_end_is_said_whole() -> None:
    shown = paragraph(_agent("Well.", heard_text="Well.", heard_ms=700.0, generated_ms=700.0), None)
    assert (shown.said, shown.unsaid, shown.pending) == ("Well.", "", "")


def test_a_reply_in_progress_is_neither_heard_nor_unheard_yet() -> None:
    shown = paragraph(_agent("Well, I", generated_ms=400.0), None)
    assert (shown.said, shown.pending, shown.unsaid, shown.note) == ("", "Well, I", "", "generated 0.4 s")


def test_a_mark_has_its_note_or_says_that_there_is_none() -> None:
    with_note, without = (paragraph(Turn("mark", "mark 4", words, 0, 4), None) for words in ("she laughs", ""))
    assert (with_note.said, with_note.note) == ("she laughs", "")
    assert (without.said, without.note) == ("", "no note")


def _fed(measures: Measures, seq: int, kind: str, direction: Direction = Direction.RECEIVED, **event: Any) -> None:
    measures.feed(Entry(seq, seq * 100 * NS_PER_MS, direction, kind, event))


def test_the_panel_grows_and_changes_in_place(theme: Theme) -> None:
    measures = Measures()
    panel = TranscriptPanel(theme)
    panel.set_source(measures)
    panel.show()
    _fed(measures, 1, "input_audio_buffer.speech_started", item_id="item_1")
    _fed(measures, 2, "response.output_audio_transcript.delta", item_id="item_2", delta="Well, ")
    panel.refresh()
    assert panel.text.splitlines() == [
        "Participant   00:00.100",
        "(speech)",
        "Agent   00:00.200   generated 0.0 s",
        "Well, ",
    ]
    _fed(measures, 3, "response.output_audio_transcript.delta", item_id="item_2", delta="coffee.")
    _fed(measures, 4, "conversation.item.input_audio_transcription.completed", item_id="item_1", transcript="Tea?")
    panel.refresh()
    assert panel.text.splitlines() == [
        "Participant   00:00.100",
        "Tea?",
        "Agent   00:00.200   generated 0.0 s",
        "Well, coffee.",
    ]


def _spoken(measures: Measures, count: int) -> None:
    first = len(measures.turns) + 1
    for number in range(first, first + count):
        item = f"item_{number}"
        _fed(measures, number, "response.output_audio_transcript.delta", item_id=item, delta=f"Sentence {number}.")


def test_the_end_is_in_sight_from_the_first_look_on_until_somebody_reads_above(theme: Theme) -> None:
    measures = Measures()
    panel = TranscriptPanel(theme)
    panel.resize(400, 200)
    panel.set_source(measures)
    _spoken(measures, 30)
    panel.show()
    QApplication.processEvents()
    bar = panel.findChild(QTextBrowser).verticalScrollBar()  # type: ignore[union-attr]
    assert bar.value() == bar.maximum() > 0
    _spoken(measures, 1)
    panel.refresh()
    QApplication.processEvents()
    assert bar.value() == bar.maximum()
    bar.setValue(7)
    _spoken(measures, 1)
    panel.refresh()
    QApplication.processEvents()
    assert bar.value() == 7


def test_words_recognised_here_are_marked_so(theme: Theme) -> None:
    measures = Measures()
    panel = TranscriptPanel(theme)
    panel.set_source(measures)
    panel.show()
    _fed(measures, 1, "input_audio_buffer.speech_started", item_id="item_1")
    _fed(measures, 2, "recognised", Direction.NOTED, item_id="item_1", text="Coffee, please.", model="tiny.en")
    panel.refresh()
    assert panel.text.splitlines() == ["Participant   00:00.100   recognised here", "Coffee, please."]
    view = panel.findChild(QTextBrowser)
    assert view is not None
    cursor = view.textCursor()
    cursor.movePosition(cursor.MoveOperation.End)
    assert "by tiny.en" in cursor.charFormat().toolTip()


def test_the_engine_s_own_transcript_is_shown_and_ours_kept_beside_it() -> None:
    turn = Turn("participant", "item_1", "Tea, please.", 0, 1, recognised="Tee, please.", recogniser="tiny.en")
    shown = paragraph(turn, 1.0)
    assert (shown.said, shown.note, shown.recognised) == ("Tea, please.", "", "Tee, please.")


def test_speech_without_a_word_keeps_its_length() -> None:
    shown = paragraph(Turn("participant", "item_1", "", 0, 1, recognised="", recogniser="tiny.en"), 0.4)
    assert (shown.said, shown.note) == ("(speech, 0.4 s)", "no words recognised here")


def test_a_hint_stands_below_the_turns_while_there_is_one(theme: Theme) -> None:
    panel = TranscriptPanel(theme)
    panel.show()
    panel.set_hint("The participant's words are not recognised here.")
    assert [label.text() for label in panel.findChildren(QLabel) if label.isVisible()][-1].endswith("recognised here.")
    panel.set_hint("")
    assert len([label for label in panel.findChildren(QLabel) if label.isVisible()]) == 1


def test_a_push_appears_between_the_turns(theme: Theme) -> None:
    measures = Measures()
    panel = TranscriptPanel(theme)
    panel.set_source(measures)
    panel.show()
    _fed(measures, 1, "push", Direction.NOTED, context={"event": "timer", "secondsLeft": 30})
    panel.refresh()
    assert panel.text.splitlines() == ["Study   00:00.100", "timer: 30 s left"]


def test_a_chat_line_of_the_agent_is_told_from_what_it_said(theme: Theme) -> None:
    measures = Measures()
    panel = TranscriptPanel(theme)
    panel.set_source(measures)
    _fed(measures, 1, "chat.sent", Direction.NOTED, message="brb", call_id="call_1")
    panel.show()
    panel.refresh()
    assert panel.text.splitlines()[:2] == ["Agent typed   00:00.100", "brb"]


def test_it_keeps_to_the_end_only_while_the_end_is_in_sight(theme: Theme, application: QApplication) -> None:
    measures = Measures()
    panel = TranscriptPanel(theme)
    panel.resize(400, 200)
    panel.set_source(measures)
    panel.show()
    session = SyntheticSession(6)
    half = len(session.entries) // 2
    for entry in session.entries[:half]:
        measures.feed(entry)
    panel.refresh()
    view = panel.findChild(QTextBrowser)
    assert view is not None
    bar = view.verticalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == bar.maximum()
    bar.setValue(40)
    for entry in session.entries[half:]:
        measures.feed(entry)
    panel.refresh()
    assert bar.value() == 40


def test_the_time_of_a_turn_leads_to_its_entry(theme: Theme) -> None:
    measures = Measures()
    panel = TranscriptPanel(theme)
    panel.set_source(measures)
    panel.show()
    _fed(measures, 17, "input_audio_buffer.speech_started", item_id="item_1")
    panel.refresh()
    chosen: list[int] = []
    panel.mark_clicked.connect(chosen.append)
    view = panel.findChild(QTextBrowser)
    assert view is not None
    cursor = view.textCursor()
    cursor.setPosition(view.toPlainText().index("00:01.700") + 2)
    assert cursor.charFormat().anchorHref() == "#17"
    view.anchorClicked.emit(cursor.charFormat().anchorHref())
    assert chosen == [17]


def test_another_scheme_keeps_the_text(theme: Theme) -> None:
    measures = Measures()
    panel = TranscriptPanel(theme)
    panel.set_source(measures)
    panel.show()
    _fed(measures, 1, "input_audio_buffer.speech_started", item_id="item_1")
    panel.refresh()
    before = panel.text
    theme.choose(Scheme.DARK)
    assert panel.text == before != ""

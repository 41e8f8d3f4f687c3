"""The preview draws what the participant sees, and gives the answer that the schema wants."""

import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, Qt, QThreadPool
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from simulator.errors import UnreadableFile
from simulator.participant.messages import ConnectionState, Push, Status
from simulator.profile import context_items
from simulator.record.entries import Direction, Entry
from simulator.study.steps import AskQuestion, EnterPart, PushContext, Say, Step, Study
from tests.ui.test_components import NASTY
from tests.ui.window_rig import wait_until
from ui.panels.preview import PreviewPanel
from ui.theme import Scheme, Theme
from ui.widgets.components.image_file import DRAWN_PX, LARGEST_FILE_BYTES, read_image
from ui.widgets.components.plain_text import PlainText
from ui.widgets.components.showimage import ShowImage

COFFEE_OR_TEA = AskQuestion("multiplechoice", {"question": "Coffee or tea?", "choices": ["Coffee", "Tea"]})


class Clock:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Preview:
    """A panel in a session, and what it told."""

    def __init__(self, theme: Theme) -> None:
        self.clock = Clock()
        self.panel = PreviewPanel(theme, now_s=self.clock)
        self.panel.show_status(Status(connection=ConnectionState.CONNECTED))
        self.panel.resize(300, 420)
        self.panel.show()
        self.answers: list[tuple[object, ...]] = []
        self.revealed: list[object] = []
        self.panel.answered.connect(lambda *answer: self.answers.append(answer))
        self.panel.reveal_requested.connect(self.revealed.append)

    @property
    def answering(self) -> Any:
        """The widget of the question in front."""
        return self.panel.current.answering


@pytest.fixture
def preview(theme: Theme) -> Preview:
    return Preview(theme)


def screen(text: str, component: str = "showtext", **more: Any) -> PushContext:
    return PushContext(context_items.screen(component, text), **more)


def texts(widget: QWidget) -> list[str]:
    """The plain texts that are seen in a widget; what was added to it is shown by a posted event."""
    QCoreApplication.sendPostedEvents()
    return [each.text for each in widget.findChildren(PlainText) if each.isVisibleTo(widget)]


def note(kind: str, **event: Any) -> Entry:
    return Entry(seq=1, t_ns=0, direction=Direction.NOTED, type=kind, event=event)


def test_an_answer_is_given_and_then_revealed(preview: Preview) -> None:
    panel = preview.panel
    panel.show_step(Step(COFFEE_OR_TEA))
    assert not panel.answer_button.isEnabled()
    assert panel.answer_button.toolTip() == "The answer is not complete yet."
    preview.answering.buttons[1].click()
    assert panel.selected.value.text == 'Value: "Tea"'
    assert not panel.reveal_button.isEnabled()
    panel.answer_button.click()
    assert panel.answer_button.text() == "✓ Answered"
    panel.reveal_button.click()
    assert preview.answers == [("multiplechoice", COFFEE_OR_TEA.config, "Tea")]
    assert preview.revealed == ["Tea"]


def test_enter_answers_once_and_goes_no_further(theme: Theme) -> None:
    around = QWidget()
    preview = Preview(theme)
    preview.panel.setParent(around)
    around.show()
    passed_on: list[object] = []
    around.keyPressEvent = passed_on.append  # type: ignore[method-assign]
    preview.panel.show_step(Step(COFFEE_OR_TEA))
    QTest.keyClick(preview.answering.buttons[0], Qt.Key.Key_Return)
    preview.answering.buttons[0].click()
    QTest.keyClick(preview.answering.buttons[0], Qt.Key.Key_Return)
    QTest.keyClick(preview.answering.buttons[0], Qt.Key.Key_Return)
    assert [answer[2] for answer in preview.answers] == ["Coffee"]
    assert passed_on == []


def test_in_a_text_enter_breaks_the_line_and_with_ctrl_it_answers(preview: Preview) -> None:
    preview.panel.show_step(Step(AskQuestion("textinput", {"question": "Describe."})))
    editor = preview.answering.editor
    QTest.keyClicks(editor, "He is")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QTest.keyClicks(editor, "kind.")
    QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert [answer[2] for answer in preview.answers] == ["He is\nkind."]


def test_enter_on_the_reveal_button_reveals(preview: Preview) -> None:
    preview.panel.show_step(Step(COFFEE_OR_TEA))
    preview.answering.buttons[0].click()
    preview.panel.answer()
    QTest.qWaitForWindowActive(preview.panel)
    preview.panel.reveal_button.setFocus()
    QTest.keyClick(preview.panel.reveal_button, Qt.Key.Key_Return)
    assert preview.revealed == ["Coffee"]


def test_a_changed_mind_is_another_answer(preview: Preview) -> None:
    preview.panel.show_step(Step(COFFEE_OR_TEA))
    for button in preview.answering.buttons:
        button.click()
        preview.panel.answer()
    assert [answer[2] for answer in preview.answers] == ["Coffee", "Tea"]


def test_an_answer_needs_a_session(preview: Preview) -> None:
    preview.panel.show_step(Step(COFFEE_OR_TEA))
    preview.answering.buttons[0].click()
    preview.panel.show_status(Status())
    preview.panel.answer()
    assert preview.answers == []
    assert "Connect first" in preview.panel.answer_button.toolTip()


def test_nobody_answers_while_the_study_is_paused(preview: Preview) -> None:
    panel = preview.panel
    panel.show_pushed(COFFEE_OR_TEA)
    preview.answering.buttons[0].click()
    panel.show_pushed(PushContext(context_items.paused(["Alex (A)", "Sam"])))
    assert panel.on_screen.pause.isVisible()
    assert "Waiting for Alex (A), Sam" in texts(panel.on_screen)
    panel.answer()
    panel.show_pushed(PushContext(context_items.resumed()))
    assert not panel.on_screen.pause.isVisible()
    panel.answer()
    assert len(preview.answers) == 1


def test_what_comes_beside_a_question_takes_no_half_given_answer_away(preview: Preview) -> None:
    preview.panel.show_pushed(AskQuestion("textinput", {"question": "Describe."}))
    preview.answering.editor.setPlainText("He is")
    preview.panel.show_pushed(PushContext(context_items.typed("Alex", "hello?")))
    preview.panel.take([note("chat.sent", message="hi", call_id="c")])
    preview.panel.show_pushed(PushContext(context_items.timer(30)))
    assert preview.answering.value == "He is"
    assert {"hello?", "hi", "Agent"} <= set(texts(preview.panel.on_screen))


def test_the_newest_chat_line_is_in_sight_unless_a_question_is_answered(preview: Preview) -> None:
    bar = preview.panel.on_screen.area.verticalScrollBar()
    for place in range(40):
        preview.panel.show_pushed(PushContext(context_items.typed("Alex", f"line {place}")))
    wait_until(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    preview.panel.show_pushed(COFFEE_OR_TEA)
    preview.panel.show_pushed(PushContext(context_items.typed("Alex", "one more")))
    wait_until(lambda: "one more" in texts(preview.panel.on_screen))
    assert bar.value() == 0


def test_tab_leads_through_the_question_to_the_answer(preview: Preview) -> None:
    panel = preview.panel
    QTest.qWaitForWindowActive(panel)
    panel.show_pushed(AskQuestion("vasrating", {"question": "How warm?"}))
    panel.show_pushed(AskQuestion("ranking", {"question": "Rank.", "options": ["Reading", "Hiking"]}))
    assert "Rank." in texts(panel.on_screen)
    ranking = preview.answering
    panel.on_screen_button.setFocus()
    reached: list[QWidget | None] = []
    for _ in range(4):
        QTest.keyClick(QApplication.focusWidget() or panel, Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    assert reached == [ranking.items, ranking.up, ranking.down, panel.answer_button]


def test_a_screen_that_goes_before_its_images_came_takes_them_along(preview: Preview, tmp_path: Path) -> None:
    files = (picture(tmp_path / "a.png", 3000, 3000),)
    for text in ("One", "Two", "Three"):
        preview.panel.show_pushed(screen(text, "showimage", images=files))
    preview.panel.show_pushed(screen("Done"))
    wait_until(lambda: QThreadPool.globalInstance().activeThreadCount() == 0)
    assert texts(preview.panel.on_screen) == ["Done"]


def test_arrow_keys_keep_the_option_in_sight(preview: Preview) -> None:
    many = AskQuestion("multiplechoice", {"question": "Which?", "choices": [f"Option {place}" for place in range(200)]})
    preview.panel.show_pushed(many)
    QTest.qWaitForWindowActive(preview.panel)
    buttons = preview.answering.buttons
    buttons[0].setFocus()
    buttons[0].click()
    for button in buttons[:30]:
        QTest.keyClick(button, Qt.Key.Key_Down)
    assert preview.answering.value == "Option 30"
    area = preview.panel.on_screen.area
    assert area.viewport().rect().contains(buttons[30].mapTo(area.viewport(), buttons[30].rect().center()))


def test_the_next_question_begins_unanswered(preview: Preview) -> None:
    preview.panel.show_pushed(COFFEE_OR_TEA)
    preview.answering.buttons[0].click()
    preview.panel.answer()
    preview.panel.show_pushed(AskQuestion("textinput", {"question": "Why?"}))
    assert not preview.panel.reveal_button.isEnabled()
    preview.panel.show_pushed(COFFEE_OR_TEA)
    assert preview.answering.value is None


def test_the_selected_step_stands_on_the_steps_above_it_and_leaves_what_is_on_screen(preview: Preview) -> None:
    panel = preview.panel
    panel.show_pushed(screen("Now"))
    panel.show_step(Step(PushContext(context_items.timer(65))), [Step(EnterPart("Talk")), Step(screen("Later"))])
    assert (panel.current, panel.selected.part.text) == (panel.selected, "Talk")
    assert texts(panel.selected) == ["Later"]
    assert panel.selected.timer.text() == "1:05 left"
    assert texts(panel.on_screen) == ["Now"]
    panel.on_screen_button.click()
    assert panel.current is panel.on_screen


def test_the_first_step_of_a_study_stands_on_nothing_whatever_was_pushed_before(preview: Preview) -> None:
    preview.panel.show_pushed(COFFEE_OR_TEA)
    preview.panel.show_step(Step(PushContext(context_items.experimenter_message("Welcome"))))
    assert preview.panel.selected.question is None
    assert preview.panel.on_screen.question is not None


def test_a_deck_that_moves_on_by_itself_leaves_the_screen_in_front(preview: Preview) -> None:
    preview.panel.show_pushed(screen("Now"))
    preview.panel.show_step(Step(screen("Next")), to_front=False)
    assert preview.panel.current is preview.panel.on_screen


def test_a_step_that_is_not_seen_says_what_happens(preview: Preview) -> None:
    preview.panel.show_step(Step(Say(recording="coffee_or_tea")), [Step(screen("Talk."))])
    assert texts(preview.panel.selected) == ["The participant says: “coffee_or_tea”", "Talk."]


def test_the_timer_counts_on_the_screen_and_stands_in_the_selected_step(preview: Preview) -> None:
    timer = PushContext(context_items.timer(30))
    preview.panel.show_pushed(timer)
    preview.panel.show_step(Step(timer))
    preview.clock.now_s += 12.5
    preview.panel.on_screen.timer.draw()
    preview.panel.selected.timer.draw()
    assert (preview.panel.on_screen.timer.text(), preview.panel.selected.timer.text()) == ("0:18 left", "0:30 left")


def test_whether_the_participant_is_heard_stands_below_the_screen(preview: Preview) -> None:
    panel = preview.panel
    panel.show_pushed(screen("Talk.", "videochat", video_chat=True))
    assert panel.on_screen.heard.text == "Video chat: participant heard"
    panel.take([note("listening.off", in_speech=False)])
    assert panel.on_screen.heard.text == "Video chat hidden: not heard"


def test_a_study_that_is_played_is_followed_step_by_step(preview: Preview) -> None:
    study = Study("s", (Step(screen("One")), Step(COFFEE_OR_TEA)))
    for step in (0, 1, 7):
        preview.panel.take([note("study.step", step=step)], study)
    assert preview.panel.on_screen.question is not None
    preview.panel.clear_pushed()
    assert texts(preview.panel.on_screen) == ["Nothing is on the screen yet."]


def test_a_question_that_cannot_be_shown_says_why_and_asks_for_no_answer(preview: Preview) -> None:
    preview.panel.show_step(Step(AskQuestion("multiplechoice", {"question": "Which?"})))
    assert any("no choices" in text for text in texts(preview.panel.selected))
    assert not preview.panel.footer.isVisibleTo(preview.panel)


@pytest.mark.parametrize("component", ["showvideo", "videochat", "waiting", "code", "gazeoverlay"])
def test_what_only_the_platform_shows_is_named(preview: Preview, component: str) -> None:
    preview.panel.show_pushed(screen("", component))
    assert len("".join(texts(preview.panel.on_screen))) > 10


@pytest.mark.parametrize("scheme", list(Scheme))
@pytest.mark.parametrize("width", [220, 420])
@pytest.mark.parametrize("text", NASTY)
def test_texts_of_any_kind_are_drawn_as_they_stand(
    theme: Theme, preview: Preview, text: str, width: int, scheme: Scheme
) -> None:
    theme.choose(scheme)
    panel = preview.panel
    panel.resize(width, 380)
    for action in (
        EnterPart(text),
        screen(text, text[:30]),
        PushContext(context_items.typed(text, text)),
        PushContext(context_items.experimenter_message(text)),
        PushContext(context_items.revealed(text, text, [text])),
        PushContext(context_items.participants([{"name": text, "role": text}])),
        AskQuestion("ranking", {"question": text, "options": [text, "b"], "lowLabel": text, "highLabel": text}),
    ):
        panel.show_pushed(action)
        panel.grab()
    assert text in texts(panel.on_screen)
    assert panel.width() == width
    labels = panel.findChildren(QLabel)
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in labels if "<" in label.text())
    assert all("<" not in each.toolTip() for each in panel.findChildren(QWidget))


def picture(path: Path, width: int, height: int) -> str:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    assert image.save(str(path))
    return str(path)


def test_images_are_read_in_the_background_and_scaled_to_their_place(preview: Preview, tmp_path: Path) -> None:
    files = [picture(tmp_path / "wide.jpg", 3 * DRAWN_PX, 300), picture(tmp_path / "face.png", 90, 120)]
    lines = [context_items.attached_image("Wide"), context_items.attached_image("Face 3")]
    context = context_items.screen("showimage", "Look.", lines)
    preview.panel.show_pushed(Push(id=1, context=context, images=[*files, str(tmp_path / "gone.png")]))
    shown = preview.panel.on_screen.findChild(ShowImage)
    assert shown is not None
    assert shown.boxes[0].sentence == "Loading…"
    wait_until(lambda: not any(box.sentence == "Loading…" for box in shown.boxes))
    wide, face, gone = shown.boxes
    assert wide.image is not None
    assert (wide.image.width(), wide.image.height()) == (DRAWN_PX, 100)
    assert face.image is not None
    assert face.accessibleName() == "Image: attached: the image (Face 3)"
    assert gone.sentence == "gone.png is not there."


def test_an_image_without_a_file_is_named(preview: Preview) -> None:
    context = context_items.screen("showimage", "Look.", [context_items.attached_image("Face 3")])
    preview.panel.show_pushed(PushContext(context))
    shown = preview.panel.on_screen.findChild(ShowImage)
    assert shown is not None
    assert [box.sentence for box in shown.boxes] == ["attached: the image (Face 3)"]


@pytest.mark.parametrize(
    ("name", "contents", "words"),
    [
        ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>", "neither a PNG nor a JPEG"),
        ("a.png", b"GIF89a" + bytes(40), "neither a PNG nor a JPEG"),
        ("a.png", b"", "neither a PNG nor a JPEG"),
    ],
)
def test_what_is_no_picture_is_refused(tmp_path: Path, name: str, contents: bytes, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(contents)
    with pytest.raises(UnreadableFile, match=words):
        read_image(str(path))


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "a.png").open("wb") as file:
        file.truncate(LARGEST_FILE_BYTES + 1)
    with pytest.raises(UnreadableFile, match="larger than 20 MB"):
        read_image(str(tmp_path / "a.png"))


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    width, height = 20_000, 10_000
    rows = zlib.compress(bytes(1 + width // 8) * height)
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)), (b"IDAT", rows), (b"IEND", b""))
    png = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    path = tmp_path / "large.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + png)
    with pytest.raises(UnreadableFile, match="20,000 × 10,000 pixels"):
        read_image(str(path))


@pytest.mark.qt_warnings("png|PNG")
def test_a_picture_that_breaks_off_says_so(tmp_path: Path) -> None:
    whole = Path(picture(tmp_path / "a.png", 300, 300)).read_bytes()
    (tmp_path / "a.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UnreadableFile, match="damaged"):
        read_image(str(tmp_path / "a.png"))


@pytest.mark.parametrize(
    "path", ["https://example.org/a.png", "file:///etc/a.png", "//server/share/a.png", "\\\\server\\share\\a.png"]
)
def test_nothing_is_fetched_from_the_network(path: str) -> None:
    with pytest.raises(UnreadableFile, match="network"):
        read_image(path)


def test_a_folder_and_an_impossible_name_are_no_images(tmp_path: Path) -> None:
    for path in (str(tmp_path), "a\x00b.png"):
        with pytest.raises(UnreadableFile):
            read_image(path)

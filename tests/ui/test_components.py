"""Each component is answered by hand with the value that its schema wants, whatever its texts hold."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from simulator.profile.answers import judge, value_schema
from simulator.profile.tools import ARGUMENT_OF, tool_for
from ui.models.preview import Question
from ui.theme import Theme
from ui.widgets.components.answer import AnswerWidget
from ui.widgets.components.likertscale import LikertScale
from ui.widgets.components.making import answer_widget
from ui.widgets.components.multiplechoice import MultipleChoice
from ui.widgets.components.ranking import Ranking
from ui.widgets.components.rapidrate import RapidRate
from ui.widgets.components.text_field import TextField
from ui.widgets.components.vasrating import SliderRow, VasRating

NASTY = (
    "<script>alert(1)</script>",
    "<img src='http://127.0.0.1:9/x.png'>",
    '<a href="file:///etc/passwd">link</a>',
    "&Tea && M",
    "\u202eevil\u202c",
    "\u200b\u2060zero",
    "مرحبا (A) 12",
    "a\nb\tc",
    "x" * 10_000,
    "{value}%s%n",
)
TEXTS = st.sampled_from(NASTY) | st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
NAMES = TEXTS.filter(str.strip)
OPTIONS = st.lists(NAMES, min_size=1, max_size=8, unique=True)
PROMPTS = st.fixed_dictionaries({"question": NAMES}) | st.fixed_dictionaries({"prompt": NAMES})


@st.composite
def questions(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    component = draw(
        st.sampled_from(
            ("multiplechoice", "likertscale", "vasrating", "ranking", "textinput", "rapidrate", "audiorecording")
        )
    )
    config: dict[str, Any] = dict(draw(PROMPTS))
    labels = {name: st.none() | TEXTS | st.integers() for name in ("minLabel", "maxLabel", "lowLabel", "highLabel")}
    config |= draw(st.fixed_dictionaries({}, optional=labels))
    config |= draw(st.fixed_dictionaries({}, optional={"required": st.booleans()}))
    if component in ("multiplechoice", "ranking"):
        key = draw(st.sampled_from(("choices", "options")))
        wrap = draw(st.sampled_from((None, "text", "label", "value")))
        texts = draw(OPTIONS)
        config[key] = [{wrap: text, "imageUrl": "http://127.0.0.1:9/"} if wrap else text for text in texts]
        config["allowMultiple"] = draw(st.booleans())
    elif component == "likertscale":
        config["scale"] = draw(st.integers(2, 11))
        config["labels"] = draw(st.none() | st.lists(TEXTS, max_size=11) | st.just(["a"] * config["scale"]))
    elif component == "vasrating":
        low = draw(st.integers(-1000, 1000) | st.floats(-1e6, 1e6))
        config |= {"minValue": low, "maxValue": low + draw(st.integers(1, 10**6) | st.floats(0.5, 1e6))}
        config |= draw(st.fixed_dictionaries({}, optional={"step": st.sampled_from((0, 0.1, 0.25))}))
    elif component == "rapidrate":
        config["dimensions"] = [{"label": text, "minLabel": text} for text in draw(OPTIONS)]
    return component, config


def give_an_answer(widget: AnswerWidget, data: st.DataObject) -> None:
    """Do what a hand may do, anything from nothing to all."""
    if isinstance(widget, MultipleChoice | LikertScale):
        for place in data.draw(st.lists(st.integers(0, len(widget.buttons) - 1), max_size=4)):
            widget.buttons[place].click()
    elif isinstance(widget, VasRating):
        move(widget.row, data)
    elif isinstance(widget, RapidRate):
        for row in widget.rows.values():
            move(row, data)
    elif isinstance(widget, Ranking):
        for place, by in data.draw(st.lists(st.tuples(st.integers(0, 7), st.sampled_from((-1, 1))), max_size=6)):
            widget.items.setCurrentRow(place)
            widget.items.move_selected(by)
    elif isinstance(widget, TextField):
        widget.editor.setPlainText(data.draw(st.just("") | TEXTS))


def move(row: SliderRow, data: st.DataObject) -> None:
    for key in data.draw(st.lists(st.sampled_from((Qt.Key.Key_Left, Qt.Key.Key_PageUp, Qt.Key.Key_End)), max_size=2)):
        QTest.keyClick(row.slider, key)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(questions(), st.data())
def test_a_value_by_hand_is_one_that_the_schema_and_the_judge_take(
    theme: Theme, question: tuple[str, dict[str, Any]], data: st.DataObject
) -> None:
    component, config = question
    widget = answer_widget(theme, Question(component, config, in_rating_pause=True))
    assert isinstance(widget, AnswerWidget), widget
    give_an_answer(widget, data)
    widget.resize(260, 400)
    widget.grab()
    value = widget.value
    widget.deleteLater()
    if value is None:
        return
    jsonschema.validate(value, value_schema(component, config))
    tool = tool_for(component, config)
    judged = judge(component, config, tool, json.dumps({ARGUMENT_OF[tool]: value}))
    assert (judged.value, judged.error) == (value, None)


def made(theme: Theme, component: str, **config: Any) -> Any:
    widget = answer_widget(theme, Question(component, {"question": "Which?"} | config, in_rating_pause=True))
    assert isinstance(widget, AnswerWidget), widget
    widget.resize(300, 300)
    widget.show()
    return widget


def test_options_as_objects_answer_with_their_text_and_fetch_no_image(theme: Theme) -> None:
    options = [{"label": "Coffee", "value": 1}, {"text": "Tea", "imageUrl": "http://127.0.0.1:9/tea.png"}]
    widget = made(theme, "multiplechoice", options=options)
    widget.buttons[1].click()
    assert widget.value == "Tea"
    assert widget.buttons[1].accessibleDescription() == "with an image on the platform"


def test_one_choice_takes_the_place_of_the_other_and_several_keep_the_lists_order(theme: Theme) -> None:
    one = made(theme, "multiplechoice", choices=["Red", "Green"])
    one.buttons[1].click()
    one.buttons[0].click()
    several = made(theme, "multiplechoice", choices=["Red", "Green", "Blue"], allowMultiple=True)
    several.buttons[2].click()
    several.buttons[0].click()
    assert (one.value, several.value) == ("Red", ["Red", "Blue"])


def test_nothing_chosen_is_no_answer_unless_the_config_allows_it(theme: Theme) -> None:
    needed = made(theme, "multiplechoice", choices=["Red"], allowMultiple=True)
    allowed = made(theme, "multiplechoice", choices=["Red"], allowMultiple=True, required=False)
    text = made(theme, "textinput")
    text.editor.setPlainText(" \u200b ")
    assert (needed.value, allowed.value, text.value) == (None, [], None)


def test_radio_buttons_are_ticked_by_space_and_left_by_arrows(theme: Theme) -> None:
    widget = made(theme, "multiplechoice", choices=["Red", "Green"])
    QTest.qWaitForWindowActive(widget)
    widget.buttons[0].setFocus()
    QTest.keyClick(widget.buttons[0], Qt.Key.Key_Space)
    assert widget.value == "Red"
    QTest.keyClick(widget.buttons[0], Qt.Key.Key_Down)
    assert widget.value == "Green"


@pytest.mark.parametrize(
    ("several", "role"), [(False, QAccessible.Role.RadioButton), (True, QAccessible.Role.CheckBox)]
)
def test_an_option_is_told_to_a_screen_reader(theme: Theme, several: bool, role: QAccessible.Role) -> None:
    widget = made(theme, "multiplechoice", choices=["<b>Tea</b>"], allowMultiple=several)
    told = QAccessible.queryAccessibleInterface(widget.buttons[0])
    assert (told.role(), told.text(QAccessible.Text.Name)) == (role, "<b>Tea</b>")


def test_an_ampersand_makes_no_shortcut(theme: Theme) -> None:
    widget = made(theme, "multiplechoice", choices=["&Tea"])
    assert widget.buttons[0].shortcut().isEmpty()
    assert widget.buttons[0].text() == ""


@pytest.mark.parametrize("points", range(2, 12))
def test_a_likert_scale_has_each_of_its_points_at_the_narrowest_width(theme: Theme, points: int) -> None:
    widget = made(theme, "likertscale", scale=points, minLabel="not at all", maxLabel="very much")
    widget.resize(220, 100)
    assert widget.minimumSizeHint().width() <= 220
    widget.buttons[-1].click()
    assert widget.value == points


def test_points_with_a_label_each_stand_below_each_other(theme: Theme) -> None:
    widget = made(theme, "likertscale", scale=3, labels=["no", "perhaps", "yes"])
    assert [each.accessibleName() for each in widget.buttons] == ["1 no", "2 perhaps", "3 yes"]
    widget.buttons[1].click()
    assert widget.value == 2


def test_a_slider_has_no_value_until_it_is_touched(theme: Theme) -> None:
    row = made(theme, "vasrating", minValue=0, maxValue=1, step=0.1)
    slider = row.row.slider
    assert (row.value, row.row.shown.text(), slider.accessibleDescription()) == (None, "–", "No value yet.")
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert (row.value, row.row.shown.text(), slider.accessibleDescription()) == (0.6, "0.6", "")


def test_a_click_at_an_end_takes_the_end(theme: Theme) -> None:
    row = made(theme, "vasrating", minValue=-5, maxValue=5)
    slider = row.row.slider
    QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(0, slider.height() // 2))
    assert row.value == -5
    QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(slider.width() - 1, slider.height() // 2))
    assert row.value == 5


def test_the_middle_may_be_the_answer(theme: Theme) -> None:
    row = made(theme, "vasrating")
    slider = row.row.slider
    QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=slider.rect().center())
    assert row.value == pytest.approx(50, abs=1)


def test_the_wheel_scrolls_and_answers_nothing(theme: Theme) -> None:
    row = made(theme, "vasrating")
    turned = QWheelEvent(
        QPointF(50, 10),
        QPointF(50, 10),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(row.row.slider, turned)
    assert row.value is None
    assert not turned.isAccepted()


def test_a_rapid_rating_is_complete_with_its_last_score(theme: Theme) -> None:
    widget = made(theme, "rapidrate", dimensions=[{"label": "Calm"}, "Happy"])
    QTest.keyClick(widget.rows["Calm"].slider, Qt.Key.Key_Home)
    assert widget.value is None
    QTest.keyClick(widget.rows["Happy"].slider, Qt.Key.Key_End)
    assert widget.value == {"Calm": 0, "Happy": 100}


def test_a_ranking_is_sorted_by_keys_and_by_buttons(theme: Theme) -> None:
    widget = made(theme, "ranking", options=["Reading", "Hiking", "Cooking"])
    heard: list[object] = []
    widget.changed.connect(lambda: heard.append(widget.value))
    assert widget.value == ["Reading", "Hiking", "Cooking"]
    QTest.keyClick(widget.items, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    widget.items.setCurrentRow(2)
    widget.up.click()
    assert heard == [["Hiking", "Reading", "Cooking"], ["Hiking", "Cooking", "Reading"]]


def test_the_ends_of_a_ranking_stay_where_they_are(theme: Theme) -> None:
    widget = made(theme, "ranking", options=["Reading", "Hiking"])
    widget.items.setCurrentRow(0)
    widget.items.move_selected(-1)
    widget.items.setCurrentRow(1)
    widget.items.move_selected(1)
    assert widget.value == ["Reading", "Hiking"]


def test_two_hundred_options_are_there_and_the_last_one_answers(theme: Theme) -> None:
    widget = made(theme, "multiplechoice", choices=[f"Option {place}" for place in range(200)])
    widget.buttons[199].click()
    assert widget.value == "Option 199"


def test_what_would_be_said_is_the_answer_of_a_recording(theme: Theme) -> None:
    widget = made(theme, "audiorecording", maxRecordingTime=30)
    widget.editor.setPlainText("It rained.")
    assert widget.value == "It rained."


def test_pasted_markup_stays_text(theme: Theme) -> None:
    widget = made(theme, "textinput")
    QApplication.clipboard().setText("<b>bold</b>")
    widget.editor.paste()
    assert widget.value == "<b>bold</b>"

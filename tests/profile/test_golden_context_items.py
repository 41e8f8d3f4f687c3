"""Each context item byte for byte, as golden/context_items.txt holds it: the expected texts were written by hand."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from simulator.profile import context_items as items
from simulator.profile.answers import question_text
from simulator.profile.context_items import attached_image, named_image
from simulator.profile.own_statement import CONTEXT_ITEMS
from simulator.profile.tools import tool_for

GOLDEN: Final = Path(__file__).parent / "golden" / "context_items.txt"
# A line separator stands in the file as it is, so only line feeds part its lines.
LINES: Final = GOLDEN.read_bytes().decode().split("\n")
TEXTS: Final = {name.removeprefix("# "): text for name, text in zip(LINES[:-1:2], LINES[1:-1:2], strict=True)}


def show(text: str, component: str = "showtext", images: tuple[str, ...] = ()) -> dict[str, Any]:
    return items.screen(component, text, images)


def ask(component: str, config: dict[str, Any], during_video: bool = False) -> dict[str, Any]:
    return items.question(tool_for(component, config), question_text(component, config), during_video)


def reveal(answer: Any) -> dict[str, Any]:
    return items.revealed("Alex", "A", answer)


ITEMS: Final[dict[str, dict[str, Any]]] = {
    "participants": items.participants([{"name": "Alex", "role": "A"}, {"name": "سارة", "role": "ب"}]),
    "screen": show("Say hello to each other."),
    "screen with line breaks, quotes and backslashes": show('Line one\nline "two"\r\n\tC:\\temp\\new / end'),
    "screen in Arabic": show("مرحبًا، عرّف بنفسك."),
    "screen in Japanese with an emoji": show("自己紹介をしてください 👩\u200d🔬"),
    "screen with a line separator": show("one\u2028two"),
    "screen with control characters": show("bell \a back \b feed \f nul \0 delete \x7f"),
    "screen with half a character": show("half \ud83d and \udc00"),
    "screen with markup": show('<script>alert("x")</script> & more'),
    "screen of another component": show("How old is this person?", "vasrating", (attached_image("Portrait 3"),)),
    "screen with two images": show("Compare them.", "showimage", (attached_image("a cat"), attached_image('a "dog"'))),
    "screen with an image attached before": show("Look again.", "showimage", (named_image("a cat"),)),
    "typed": items.typed("Alex", "anyone there?"),
    "typed in many scripts": items.typed("Zoë", "здравствуй 你好 שלום ¿qué? 🇫🇷"),
    "question multiplechoice": ask(
        "multiplechoice", {"question": "Which drink?", "choices": ["Coffee", 'Tea "Earl Grey"']}
    ),
    "question multiplechoice of several": ask(
        "multiplechoice",
        {"prompt": "Which colours?", "options": [{"text": "Red"}, {"label": "Green"}, "Blue"], "allowMultiple": True},
    ),
    "question likertscale": ask(
        "likertscale", {"question": "I had fun.", "scale": 5, "minLabel": "no", "maxLabel": "yes"}
    ),
    "question likertscale with labels": ask(
        "likertscale", {"prompt": "I had fun.", "scalePoints": 3, "labels": ["never", "sometimes", "always"]}
    ),
    "question vasrating": ask(
        "vasrating", {"question": "How warm was it?", "minValue": -10.5, "maxValue": 1_000_000.0, "step": 0.5}
    ),
    "question ranking": ask(
        "ranking", {"prompt": "Sort these.", "options": ["読書", "散歩"], "lowLabel": "worst", "highLabel": "best"}
    ),
    "question textinput": ask("textinput", {"question": "Why?"}),
    "question rapidrate": ask(
        "rapidrate",
        {
            "prompt": "How are you?",
            "dimensions": [{"label": "Calm", "minLabel": "not", "maxLabel": "very"}, {"label": "Happy"}],
        },
        True,
    ),
    "question audiorecording": ask("audiorecording", {"prompt": "Tell it again.", "maxRecordingTime": 30}, True),
    "timer": items.timer(45),
    "experimenter_message": items.experimenter_message("Two minutes are left."),
    "revealed number": reveal(70.0),
    "revealed fraction": reveal(70.5),
    "revealed text": reveal("Tea"),
    "revealed list": reveal(["Walking", "Reading"]),
    "revealed scores": reveal({"Happy": 100, "Calm": 0.0}),
    "paused": items.paused(["Alex (A)", "Kim (B)"]),
    "resumed": items.resumed(),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_context_item_is_sent_as_the_golden_file_has_it(name: str) -> None:
    assert items.context_text(ITEMS[name]).encode() == TEXTS[name].encode()


def test_the_golden_file_holds_every_item_here_and_every_event_of_the_specification() -> None:
    assert list(TEXTS) == list(ITEMS)
    assert {item["event"] for item in ITEMS.values()} == {item["event"] for item in CONTEXT_ITEMS.values()}


@pytest.mark.parametrize("name", TEXTS)
def test_the_keys_stand_in_the_specifications_order(name: str) -> None:
    item = json.loads(TEXTS[name].removeprefix("[context] "))
    shape = CONTEXT_ITEMS["screen with images" if "images" in item else item["event"]]
    assert list(item) == list(shape)


def test_no_item_breaks_a_line() -> None:
    assert not [text for text in TEXTS.values() if "\n" in text or "\r" in text]

"""The inspector: payloads are shortened on screen, and say by how much."""

import json

from ui.theme import Theme
from ui.widgets.json_view import JsonView, shortened


def test_base64_is_cut_and_its_length_named() -> None:
    audio = "AAAA" * 1000
    image = "data:image/png;base64," + "iVBO" * 500
    short = shortened({"delta": audio, "image_url": image, "type": "x"})
    assert short["delta"] == audio[:48] + "… (4,000 characters of base64)"
    assert short["image_url"].endswith("… (2,022 characters of base64)")
    assert short["type"] == "x"


def test_long_prose_and_long_arrays_are_cut_too() -> None:
    prose = "a word " * 1000
    short = shortened({"text": prose, "ids": list(range(500))})
    assert short["text"] == prose[:2000] + "… (7,000 characters)"
    assert short["ids"][199:] == [199, "… 300 more"]


def test_what_is_short_is_shown_as_it_is(theme: Theme) -> None:
    value = {"type": "response.done", "n": 1.5, "ok": True, "none": None, "list": [{"ä": "ü\n"}]}
    view = JsonView(theme)
    view.show_value(value, "#41")
    assert json.loads(view.text) == value
    assert "ä" in view.text
    view.show_value(None)
    assert view.text == ""

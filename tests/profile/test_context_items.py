"""Context items, letter by letter as the specification lists them."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.errors import UnreadableFile
from simulator.profile import context_items as items

TEN = [
    (
        items.participants([{"name": "Alex", "role": "A"}]),
        '{"event":"participants","others":[{"name":"Alex","role":"A"}]}',
    ),
    (items.screen("showtext", "Say hello."), '{"event":"screen","type":"showtext","text":"Say hello."}'),
    (
        items.screen("vasrating", "How old?", [items.attached_image("Face 3")]),
        '{"event":"screen","type":"vasrating","text":"How old?","images":["attached: the image (Face 3)"]}',
    ),
    (items.typed("Alex", "hello?"), '{"event":"typed","speaker":"Alex","said":"hello?"}'),
    (
        items.question("answer_scale", "Question: Warm?\nFrom 0 to 100."),
        '{"event":"question","tool":"answer_scale","question":"Question: Warm?\\nFrom 0 to 100.","duringVideo":false}',
    ),
    (items.timer(30), '{"event":"timer","secondsLeft":30}'),
    (items.experimenter_message("Be honest."), '{"event":"experimenter_message","text":"Be honest."}'),
    (items.revealed("Alex", "A", 70), '{"event":"revealed","name":"Alex","role":"A","answer":70}'),
    (items.paused(["Alex (A)"]), '{"event":"paused","waitingFor":["Alex (A)"]}'),
    (items.resumed(), '{"event":"resumed"}'),
]


@pytest.mark.parametrize(("item", "text"), TEN)
def test_each_of_the_ten_items(item: dict[str, Any], text: str) -> None:
    assert items.context_text(item) == f"[context] {text}"


def test_letters_stay_letters_and_quotes_are_escaped() -> None:
    text = items.context_text(items.typed("Zoë", 'say "こんにちは"\n'))
    assert text == '[context] {"event":"typed","speaker":"Zoë","said":"say \\"こんにちは\\"\\n"}'


@given(st.text(), st.text())
def test_what_was_typed_is_read_back(speaker: str, said: str) -> None:
    text = items.context_text(items.typed(speaker, said))
    assert json.loads(text.removeprefix("[context] ")) == {"event": "typed", "speaker": speaker, "said": said}
    assert "\n" not in text


def test_a_png_and_a_jpeg_become_data_urls_and_a_gif_does_not() -> None:
    png, jpeg = b"\x89PNG\r\n\x1a\nrest", b"\xff\xd8\xff\xe0rest"
    assert items.data_url(png) == "data:image/png;base64," + base64.b64encode(png).decode()
    assert items.data_url(jpeg) == "data:image/jpeg;base64," + base64.b64encode(jpeg).decode()
    with pytest.raises(UnreadableFile, match="neither"):
        items.data_url(b"GIF89a")


def test_a_number_that_json_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        items.context_text(items.revealed("A", "B", float("nan")))

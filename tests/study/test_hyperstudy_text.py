"""HTML of an experiment as plain text."""

import pytest

from simulator.study.hyperstudy_text import placeholders, plain_text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Plain & simple, a < b", "Plain & simple, a < b"),
        ("<h1>Task</h1><p>One <b>bold</b> word.</p><p>Two<br/>lines.</p>", "Task\n\nOne bold word.\n\nTwo\nlines."),
        ("<ul><li>one</li><li>two</li></ul>", "- one\n- two"),
        ("5 &lt; 6 &amp;&#33; caf&eacute;", "5 < 6 &! café"),
        ("a <b or c> d", "a d"),
        ("a <y or z> b", "a <y or z> b"),
        ("<P CLASS='x'>Loud</P>", "Loud"),
        ("before<!-- never seen -->after", "beforeafter"),
        ("before<script>alert('<p>')</script>after", "beforeafter"),
        ("<script>never closed", ""),
        ("one\r\ntwo\x07", "one\ntwo"),
        ("&lt;script&gt; stays text", "<script> stays text"),
    ],
)
def test_markup_becomes_lines_and_nothing_else_is_lost(markup: str, text: str) -> None:
    assert plain_text(markup)[0] == text


def test_what_stood_for_more_than_text_is_named() -> None:
    assert plain_text("<img src='x.png'><script>1</script><b>b</b>")[1] == {"img", "script"}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["<", "<a ", "<!--", "<p", "<script>", "&#", "</", "<a b=", "{", "<p>"])
def test_no_text_takes_minutes(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    assert len(plain_text(text)[0]) <= 50_000
    assert placeholders(text) == []


def test_variables_are_found() -> None:
    assert placeholders("Hello {name}, you have {score + 1} points. {}") == ["{name}", "{score + 1}"]

"""Texts of an experiment, which may hold HTML, as plain text: nothing of it is run, loaded or drawn.

Only tags that HTML has are taken for tags, so that “a <y or z> b” stays as it is written. The time is linear in the
length of the text, whatever it holds; `html.parser` takes minutes for some texts of 50,000 signs.
"""

import html
import re
from typing import Final

LONGEST_TEXT: Final = 50_000

_PARAGRAPHS: Final = frozenset(
    {"p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "blockquote", "hr", "section", "article"}
)
_LINES: Final = _PARAGRAPHS | {"li", "tr", "br"}
_INLINE: Final = frozenset(
    {"b", "strong", "i", "em", "u", "s", "strike", "span", "small", "sub", "sup", "font", "center", "code", "pre", "a"}
    | {"td", "th", "tbody", "thead"}
)
_HIDDEN: Final = frozenset({"script", "style"})
_OTHERS: Final = frozenset({"img", "video", "audio", "iframe", "object", "embed", "svg", "form", "input", "button"})
_TAGS: Final = _LINES | _INLINE | _HIDDEN | _OTHERS
_MARK: Final = re.compile(r"<!--|<(/?)([a-zA-Z][a-zA-Z0-9]*)(?:\s[^<>]*|/)?>")
_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BLANKS: Final = re.compile("[ \t]+")
_PLACEHOLDER: Final = re.compile(r"\{[^{}\n]{1,200}\}")


def plain_text(text: str) -> tuple[str, set[str]]:
    """Return a text without markup, and the tags of it that stood for more than text."""
    text = _CONTROLS.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
    if "<" not in text and "&" not in text:
        return text.strip(), set()
    pieces: list[str] = []
    left_out: set[str] = set()
    position = 0
    while (mark := _MARK.search(text, position)) is not None:
        pieces.append(html.unescape(text[position : mark.start()]))
        position = mark.end()
        tag = (mark[2] or "").lower()
        if not tag:
            position = _behind(text, "-->", position)
        elif tag not in _TAGS:
            pieces.append(mark[0])
        elif mark[1]:
            pieces.append("\n\n" if tag in _PARAGRAPHS else "")
        else:
            if tag in _HIDDEN | _OTHERS:
                left_out.add(tag)
            if tag in _HIDDEN:
                position = _behind(text, f"</{tag}", position)
                position = _behind(text, ">", position)
            pieces.append(_at_beginning(tag))
    pieces.append(html.unescape(text[position:]))
    return _tidy("".join(pieces)), left_out


def _behind(text: str, end: str, position: int) -> int:
    """Return the position behind the next `end`; that of the text's end where there is none, as browsers do."""
    found = re.compile(re.escape(end), re.IGNORECASE).search(text, position)
    return len(text) if found is None else found.end()


def _at_beginning(tag: str) -> str:
    if tag in _LINES:
        return "\n- " if tag == "li" else "\n"
    return " " if tag in ("td", "th") else ""


def _tidy(text: str) -> str:
    """Return a text with one blank between words, and one empty line between paragraphs at most."""
    lines = [_BLANKS.sub(" ", line).strip() for line in text.split("\n")]
    return re.sub("\n{3,}", "\n\n", "\n".join(lines)).strip()


def placeholders(text: str) -> list[str]:
    """Return the variables that a text names, as `{name}`, which the platform would fill in."""
    return _PLACEHOLDER.findall(text) if "{" in text else []

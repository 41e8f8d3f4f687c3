"""Texts of an experiment, which may hold HTML, as plain text: nothing of it is run, loaded or drawn."""

import re
from html.parser import HTMLParser
from typing import Final

LONGEST_TEXT: Final = 50_000

_LINES: Final = {"p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "tr", "table", "blockquote", "hr"}
_STYLES: Final = {"b", "strong", "i", "em", "u", "s", "strike", "span", "small", "sub", "sup", "font", "center", "code"}
_SHOWN: Final = {*_LINES, *_STYLES, "br", "td", "th", "tbody", "thead", "pre", "section", "article", "a"}
_HIDDEN: Final = {"script", "style"}
_OTHERS: Final = {
    "img",
    "video",
    "audio",
    "iframe",
    "object",
    "embed",
    "svg",
    "form",
    "input",
    "button",
    "link",
    "meta",
}
_TAGS: Final = {*_SHOWN, *_HIDDEN, *_OTHERS}
_PARAGRAPHS: Final = {"p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "blockquote", "hr"}
_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_PLACEHOLDER: Final = re.compile(r"\{[^{}\n]{1,200}\}")


class PlainText(HTMLParser):
    """The plain text of HTML. What is no known tag, as in “a <b or c> d”, stays as it is written."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[str] = []
        self._hidden = 0
        self.left_out: set[str] = set()
        """The tags that stand for more than text."""

    @property
    def text(self) -> str:
        """The text so far: a line a block, and one empty line between paragraphs at most."""
        lines = [" ".join(line.split()) for line in "".join(self._pieces).split("\n")]
        return re.sub("\n{3,}", "\n\n", "\n".join(lines)).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line where the tag does."""
        if tag not in _TAGS:
            self._add(self.get_starttag_text() or "")
            return
        if tag not in _SHOWN:
            self.left_out.add(tag)
        if tag in _HIDDEN:
            self._hidden += 1
        self._add("\n" if tag in {*_LINES, "br"} else " " if tag in ("td", "th") else "")
        self._add("- " if tag == "li" else "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take `<br/>` as `<br>`."""
        self.handle_starttag(tag, attrs)
        if tag in _HIDDEN:
            self._hidden -= 1

    def handle_endtag(self, tag: str) -> None:
        """End a line where the tag does."""
        if tag not in _TAGS:
            self._add(f"</{tag}>")
        elif tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        else:
            self._add("\n\n" if tag in _PARAGRAPHS else "")

    def handle_data(self, data: str) -> None:
        """Take a text; line breaks stay, as researchers write them in plain texts too."""
        self._add(data)

    def _add(self, piece: str) -> None:
        if not self._hidden:
            self._pieces.append(piece)


def plain_text(text: str) -> tuple[str, set[str]]:
    """Return a text without markup, and the tags of it that stood for more than text."""
    text = _CONTROLS.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
    if "<" not in text and "&" not in text:
        return text.strip(), set()
    parser = PlainText()
    parser.feed(text)
    parser.close()
    return parser.text, parser.left_out


def placeholders(text: str) -> list[str]:
    """Return the variables that a text names, as `{name}`, which the platform would fill in."""
    return _PLACEHOLDER.findall(text)

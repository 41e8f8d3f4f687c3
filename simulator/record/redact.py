"""Keeps keys out of everything that is written, logged or shown.

Two rules. What is known to be secret by its place (header values, the query and the user of an address) is replaced
without being looked at. What is known to be secret by its value (the key in use) is replaced wherever it turns up,
also in what the engine says, and where it says it piece by piece.
"""

import base64
import contextlib
import json
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit, urlunsplit

PLACEHOLDER = "•••"

SHORTEST_SECRET = 6
"""Shorter values are no keys, and replacing them everywhere would garble ids and words."""
_SCHEMES: Final = frozenset({"bearer", "basic", "token", "apikey", "api-key", "key"})
"""What stands in front of a key in a header."""
_MOST_TEXTS: Final = 64
"""So many texts come piece by piece at a time, at most."""


def redact_url(url: str) -> str:
    """Return `url` without its user, its fragment and the values of its query; their names stay."""
    try:
        parts = urlsplit(url)
        names = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
    except ValueError:
        return PLACEHOLDER
    _, at, host = parts.netloc.rpartition("@")
    if "=" in parts.query:
        query = "&".join(f"{name}={PLACEHOLDER}" for name in names)
    else:
        query = PLACEHOLDER if parts.query else ""
    return urlunsplit((parts.scheme, f"{PLACEHOLDER}@{host}" if at else host, parts.path, query, ""))


def redact_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the names of `headers`, each with a placeholder for its value."""
    return dict.fromkeys(headers, PLACEHOLDER)


class Redactor:
    """Replaces known secrets in text, in each form in which they may stand there (`_forms_of`)."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets for form in _forms_of(secret) if len(form) >= SHORTEST_SECRET}
        self.forms = sorted(forms, key=len, reverse=True)
        """What is replaced, the longest first."""

    def text(self, text: str) -> str:
        """Return `text` without the secrets."""
        for form in self.forms:
            text = text.replace(form, PLACEHOLDER)
        return text

    def start(self, text: str, characters: int) -> str:
        """Return the first `characters` of `text` at most, without the secrets: one at the cut is in front of none."""
        cut, before = characters, -1
        while cut != before:
            before = cut
            for form in self.forms:
                at = text.find(form, max(cut - len(form) + 1, 0), cut + len(form) - 1)
                cut = cut if at < 0 else at
        return self.text(text[:cut])

    def json(self, value: Any) -> Any:
        """Return a JSON value whose strings and names hold none of the secrets (itself where none are known)."""
        if not self.forms:
            return value
        match value:
            case str():
                return self.text(value)
            case dict():
                return {self.text(key): self.json(inner) for key, inner in value.items()}
            case list() | tuple():
                return [self.json(inner) for inner in value]
            case _:
                return value


class Pieces:
    """Redacts texts that come piece by piece: a secret is found where it lies across pieces, too.

    Pieces are passed on at once, so of a secret that nobody foresaw less than half is in the pieces before.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._forms = redactor.forms
        self._longest = max(map(len, self._forms), default=0)
        self._tails: dict[Hashable, tuple[str, bool]] = {}
        """Of each text the end so far, as it came, and whether its last character was hidden."""

    def next(self, text: Hashable, piece: str) -> str:
        """Return the next piece of a text without what of it belongs to a secret."""
        if not self._forms:
            return piece
        tail, hiding = self._tails.pop(text, ("", False))
        joined = tail + piece
        shown, at = [], len(tail)
        for start, end in self._hidden(joined):
            if end > at:
                goes_on = hiding and start <= len(tail)
                shown += [joined[at:start], "" if goes_on else PLACEHOLDER]
                at = end
        shown.append(joined[at:])
        self._tails[text] = joined[-self._longest :], at == len(joined) and (at > len(tail) or hiding)
        if len(self._tails) > _MOST_TEXTS:
            del self._tails[next(iter(self._tails))]
        return "".join(shown)

    def _hidden(self, joined: str) -> list[tuple[int, int]]:
        """Return what belongs to secrets, or is the half of one with which the text ends: apart and in order."""
        found: list[tuple[int, int]] = []
        for form in self._forms:
            at = joined.find(form)
            while at >= 0:
                found.append((at, at + len(form)))
                at = joined.find(form, at + 1)
            for length in range(len(form) - 1, max(SHORTEST_SECRET, (len(form) + 1) // 2) - 1, -1):
                if joined.endswith(form[:length]):
                    found.append((len(joined) - length, len(joined)))
                    break
        merged: list[tuple[int, int]] = []
        for start, end in sorted(found):
            if merged and start <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(end, merged[-1][1])
            else:
                merged.append((start, end))
        return merged


def _forms_of(secret: str) -> Iterator[str]:
    """Yield a secret as it may be repeated: without its scheme, quoted for an address, escaped for JSON, decoded."""
    for bare in _bare(secret.strip()):
        escaped = json.dumps(bare)[1:-1]
        yield from (bare, quote(bare, safe=""), quote_plus(bare), escaped, escaped.replace("/", "\\/"))


def _bare(value: str) -> Iterator[str]:
    scheme, _, credentials = value.partition(" ")
    credentials = credentials.strip()
    if scheme.lower() not in _SCHEMES or not credentials:
        yield value
        for each in value.split(";") if "=" in value else ():  # cookies
            yield each.partition("=")[2].strip().strip('"')
        return
    yield credentials
    if scheme.lower() == "basic":
        with contextlib.suppress(ValueError):
            user_and_password = base64.b64decode(credentials, validate=True).decode()
            yield user_and_password
            yield user_and_password.partition(":")[2]

"""Keeps keys out of everything that is written, logged or shown.

Two rules. What is known to be secret by its place (header values, the query and the user of an address) is replaced
without being looked at. What is known to be secret by its value (the key in use) is replaced wherever it turns up,
also in what the engine says.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit, urlunsplit

PLACEHOLDER = "•••"

SHORTEST_SECRET = 6
"""Shorter values are no keys, and replacing them everywhere would garble ids and words."""


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
    """Replaces known secrets in text, plain, quoted for an address or without the ``Bearer`` in front of them."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms: set[str] = set()
        for secret in secrets:
            bare = secret.strip()
            if bare.lower().startswith("bearer "):
                bare = bare[len("bearer ") :].strip()
            forms |= {bare, quote(bare, safe=""), quote_plus(bare)}
        usable = (form for form in forms if len(form) >= SHORTEST_SECRET)
        self._forms = sorted(usable, key=len, reverse=True)

    def text(self, text: str) -> str:
        """Return `text` without the secrets."""
        for form in self._forms:
            text = text.replace(form, PLACEHOLDER)
        return text

    def json(self, value: Any) -> Any:
        """Return a JSON value whose strings and names hold none of the secrets (itself where none are known)."""
        if not self._forms:
            return value
        match value:
            case str():
                return self.text(value)
            case dict():
                return {self.text(key): self.json(inner) for key, inner in value.items()}
            case list():
                return [self.json(inner) for inner in value]
            case _:
                return value

"""A language model as the mind of the embedded engine: where it is, and with which key.

It is any server with the chat completions of OpenAI's interface: a local Ollama, llama.cpp or vLLM, or one with a key.
"""

from urllib.parse import urlsplit

import msgspec

from simulator.errors import UsageError


class Think(msgspec.Struct, frozen=True):
    """Which model an engine of the user's thinks with; its key is looked up as that of any engine."""

    url: str
    """http or https, up to /v1."""
    model: str = ""
    """Its name; empty: the first that the server has."""


class Thinking(msgspec.Struct, frozen=True):
    """The same with its key, which is never written, logged or shown."""

    url: str
    model: str = ""
    key: str | None = None

    @property
    def name(self) -> str:
        """What it is called: by its name, else by its server."""
        return self.model or urlsplit(self.url).netloc


def check_think(think: Think) -> None:
    """Raise UsageError where the address cannot be that of a model's server."""
    try:
        parts = urlsplit(think.url)
        parts.port  # noqa: B018 - raises where the port is no number
    except ValueError as error:
        raise UsageError(f"The address of the model cannot be read ({error}): check it.") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UsageError(
            "The address of a model starts with http:// or https://, such as http://127.0.0.1:11434/v1: check it."
        )
    if parts.username or parts.query:
        raise UsageError("The address of a model has no user, password or query: its key goes into a variable.")

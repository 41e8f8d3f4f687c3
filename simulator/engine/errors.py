"""What the engine refuses, as the client sees it.

A `Refusal` becomes one `error` event; nothing has changed and the session goes on. `SetupError` ends the program before
a session exists: its text is one sentence for the person who started the engine.
"""

from __future__ import annotations

from typing import Any


class SetupError(Exception):
    """The engine cannot start; the text says what is missing and what to do."""


class Refusal(Exception):
    """A client event that cannot be carried out.

    Attributes:
        code: machine-readable name of the reason.
        message: one sentence for people.
        param: path of the field at fault, or None.
        kind: `type` of the wire error.
    """

    def __init__(
        self, code: str, message: str, param: str | None = None, *, kind: str = "invalid_request_error"
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.param = param
        self.kind = kind

    def event(self, client_event_id: str | None) -> dict[str, Any]:
        """The `error` event; it names the client event that caused it (HRP: error)."""
        return {
            "type": "error",
            "error": {
                "type": self.kind,
                "code": self.code,
                "message": self.message,
                "param": self.param,
                "event_id": client_event_id,
            },
        }


def unknown(param: str) -> Refusal:
    return Refusal("unknown_parameter", f"Unknown parameter: '{param}'.", param)


def missing(param: str) -> Refusal:
    return Refusal("missing_required_parameter", f"Missing required parameter: '{param}'.", param)


def wrong_type(param: str, expected: str, value: object) -> Refusal:
    return Refusal("invalid_type", f"Invalid type for '{param}': expected {expected}, got {_json_type(value)}.", param)


def invalid(param: str, expected: str, value: object) -> Refusal:
    return Refusal("invalid_value", f"Invalid value for '{param}': expected {expected}, got {_shown(value)}.", param)


def _json_type(value: object) -> str:
    names: list[tuple[type, str]] = [
        (type(None), "null"),
        (bool, "a boolean"),
        (int, "an integer"),
        (float, "a number"),
        (str, "a string"),
        (list, "an array"),
        (dict, "an object"),
    ]
    return next((name for kind, name in names if isinstance(value, kind)), type(value).__name__)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."

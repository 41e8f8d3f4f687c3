"""Long strings of an event kept aside while it is edited: megabytes of an image would stop the editor for seconds.

In their place stands a short text that names them; where it still stands when the event is sent, the string is back.
"""

from typing import Any, Final

LONGEST_SHOWN: Final = 4_000
"""Characters of a string that are edited as they are."""


def without_payloads(value: Any, before: int = 0) -> tuple[Any, dict[str, str]]:
    """Return a copy of a JSON value with short texts in the place of long strings, and the strings by these texts.

    The texts are numbered from `before` on: as many are in use already.
    """
    kept: dict[str, str] = {}

    def short(each: Any) -> Any:
        match each:
            case str() if len(each) > LONGEST_SHOWN:
                name = f"⟨kept {before + len(kept) + 1}: {each[:24]}… {len(each):,} characters⟩"
                kept[name] = each
                return name
            case dict():
                return {key: short(member) for key, member in each.items()}
            case list():
                return [short(member) for member in each]
            case _:
                return each

    return short(value), kept


def with_payloads(value: Any, kept: dict[str, str]) -> Any:
    """Return the value with the strings back in their places (itself where nothing was kept)."""
    if not kept:
        return value
    match value:
        case str():
            return kept.get(value, value)
        case dict():
            return {key: with_payloads(member, kept) for key, member in value.items()}
        case list():
            return [with_payloads(member, kept) for member in value]
        case _:
            return value

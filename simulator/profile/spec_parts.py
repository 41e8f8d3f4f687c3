"""Parts of a specification file that know where they stand, so that each complaint says what was expected where."""

from typing import TYPE_CHECKING, Any, Final

from simulator.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator


# Far beyond any specification, and so little that each example can be compared with each answer.
_MOST_ENTRIES: Final = 100
_LONGEST_TEXT: Final = 10_000


class Part:
    """A value of the file and its path, as ``voiceEngine.tools[3].name``. Readers raise UnreadableFile."""

    def __init__(self, value: Any, path: str, file: str) -> None:
        self.value = value
        self._path = path
        self._file = file

    def expected(self, what: str) -> UnreadableFile:
        """Return the error that says what should stand here instead."""
        place = f"at {self._path}" if self._path else "as a whole"
        return UnreadableFile(f"{self._file}: expected {what} {place}, found {_found(self.value)}.")

    def at(self, name: str) -> "Part":
        """Return the field of an object, with the value None where it is missing."""
        value = self.fields().get(name)
        return Part(value, f"{self._path}.{name}" if self._path else name, self._file)

    def fields(self) -> dict[str, Any]:
        """Return an object."""
        if not isinstance(self.value, dict):
            raise self.expected("an object")
        return self.value

    def items(self) -> "Iterator[Part]":
        """Yield the parts of a list, which has at least one and not too many."""
        if not isinstance(self.value, list) or not self.value:
            raise self.expected("a list with at least one entry")
        if len(self.value) > _MOST_ENTRIES:
            raise self.expected(f"a list of at most {_MOST_ENTRIES} entries")
        for index, value in enumerate(self.value):
            yield Part(value, f"{self._path}[{index}]", self._file)

    def text(self) -> str:
        """Return a text that is neither empty nor too long."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.expected("a text")
        if len(self.value) > _LONGEST_TEXT:
            raise self.expected(f"a text of at most {_LONGEST_TEXT} characters")
        return self.value

    def whole(self, smallest: int, largest: int) -> int:
        """Return a whole number within its bounds."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int) or not smallest <= value <= largest:
            raise self.expected(f"a whole number from {smallest} to {largest}")
        return value


def _found(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, bool):
        return str(value).lower()
    return f"“{value if len(str(value)) <= 60 else str(value)[:60] + '…'}”"

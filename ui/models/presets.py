"""Presets of responses: a readable file in the user's configuration folder, each preset a name and a ``response``.

A file that is damaged is told of and never written over: it is set aside first. A key never gets into it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from simulator.errors import StorageFault, UnreadableFile, UsageError

FILE_NAME: Final = "responses.json"
LONGEST_NAME: Final = 80
_FORMAT: Final = "participant-simulator/responses"
_FORMAT_VERSION: Final = 1
_LARGEST_BYTES: Final = 16 * 2**20
_SECRET_NAME = re.compile(
    r"(proxy-)?authorization|(x-)?(api|access)[-_]?(key|token)|password|(client_)?secret|cookie", re.I
)
_SECRET_VALUE = re.compile(r"\s*(Bearer\s+\S{6,}|sk-[\w-]{16,})", re.I)


class Preset(msgspec.Struct, frozen=True):
    """A response under a name."""

    name: str
    response: dict[str, Any]


class _File(msgspec.Struct):
    format: str
    formatVersion: int  # noqa: N815 - the field's name in the file
    presets: list[Any] = []


class Presets:
    """The presets of a file, by name. `complaint` says in a sentence what of it could not be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.complaint = ""
        self._presets: dict[str, Preset] = {}
        self._damaged = False
        self.read()

    @property
    def names(self) -> list[str]:
        """The names in alphabetical order."""
        return sorted(self._presets, key=str.casefold)

    def response(self, name: str) -> dict[str, Any]:
        """Return what a preset holds. Raises KeyError."""
        return self._presets[name].response

    def read(self) -> None:
        """Read the file anew; what can be read of a damaged one is there, and `complaint` tells of the rest."""
        self._presets, self.complaint, self._damaged = {}, "", False
        try:
            content = self._content()
        except FileNotFoundError:
            return
        except (UnreadableFile, OSError) as error:
            self._damaged = not isinstance(error, OSError)
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self.complaint = f"The presets in {self.path} cannot be read: {reason}"
            return
        lost = 0
        for each in content.presets:
            try:
                preset = msgspec.convert(each, Preset)
            except msgspec.ValidationError:
                lost += 1
            else:
                self._presets[preset.name] = preset
        if lost:
            self._damaged = True
            self.complaint = f"{lost} of the presets in {self.path} cannot be read: the file is kept when you save."

    def save(self, name: str, response: dict[str, Any]) -> None:
        """Keep a response under a name, in place of the one that has it. Raises UsageError, StorageFault."""
        name = _checked(name)
        secret = next(_secrets(response, ""), None)
        if secret is not None:
            raise UsageError(
                f"This response holds a key at {secret}, which must not get into a file: take it out first."
            )
        self._write({**self._presets, name: Preset(name, response)})

    def rename(self, name: str, new: str) -> None:
        """Give a preset another name. Raises UsageError, StorageFault."""
        new = _checked(new)
        if new == name:
            return
        if new in self._presets:
            raise UsageError(f"There is a preset called “{new}” already: choose another name.")
        kept = {each: preset for each, preset in self._presets.items() if each != name}
        self._write({**kept, new: Preset(new, self._presets[name].response)})

    def delete(self, name: str) -> None:
        """Remove a preset. Raises StorageFault."""
        self._write({each: preset for each, preset in self._presets.items() if each != name})

    def _content(self) -> _File:
        if self.path.stat().st_size > _LARGEST_BYTES:
            raise UnreadableFile("it is too large for a file of presets.")
        try:
            content = msgspec.json.decode(self.path.read_bytes(), type=_File)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise UnreadableFile(f"it is not as expected ({error}).") from error
        if content.format != _FORMAT or content.formatVersion > _FORMAT_VERSION:
            raise UnreadableFile("it was written by another program or a newer version of this one.")
        return content

    def _write(self, presets: dict[str, Preset]) -> None:
        ordered = [presets[name] for name in sorted(presets, key=str.casefold)]
        content = msgspec.json.encode(_File(format=_FORMAT, formatVersion=_FORMAT_VERSION, presets=list(ordered)))
        unfinished = self.path.with_suffix(".unfinished")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self._damaged:
                self.path.replace(self.path.with_suffix(".damaged.json"))
                self._damaged = False
            unfinished.write_bytes(msgspec.json.format(content, indent=2) + b"\n")
            unfinished.replace(self.path)
        except OSError as error:
            raise StorageFault(f"The file of presets {self.path} cannot be written: {error.strerror}.") from error
        self._presets = presets
        self.complaint = ""


def _checked(name: str) -> str:
    name = name.strip()
    if not name or not name.isprintable() or len(name) > LONGEST_NAME:
        raise UsageError(f"A preset needs a name of one line and at most {LONGEST_NAME} characters: type one.")
    return name


def _secrets(value: Any, path: str) -> Iterator[str]:
    """Yield the places of what is a key by its name or by its looks."""
    if isinstance(value, dict):
        for name, member in value.items():
            place = f"{path}.{name}" if path else str(name)
            if isinstance(member, str) and member.strip() and _SECRET_NAME.fullmatch(name):
                yield place
            else:
                yield from _secrets(member, place)
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from _secrets(member, f"{path}[{number}]")
    elif isinstance(value, str) and _SECRET_VALUE.match(value):
        yield path

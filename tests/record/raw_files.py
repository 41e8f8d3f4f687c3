"""Files on disks in trouble, to be given to a writer."""

from threading import Event

from simulator.record.writer import RawFile


class PassedOn:
    """A file that passes everything on to another."""

    def __init__(self, file: RawFile) -> None:
        self._file = file

    def write(self, data: bytes, /) -> int | None:
        return self._file.write(data)

    def seek(self, position: int, whence: int = 0, /) -> int:
        return self._file.seek(position, whence)

    def truncate(self, size: int | None = None, /) -> int:
        return self._file.truncate(size)

    def fileno(self) -> int:
        return self._file.fileno()

    def close(self) -> None:
        self._file.close()


class Stalled(PassedOn):
    """A file on a disk that takes nothing until it `moves` again; `waited_for` is set once somebody waits for it."""

    def __init__(self, file: RawFile, moves: Event, waited_for: Event | None = None) -> None:
        super().__init__(file)
        self._moves, self._waited_for = moves, waited_for or Event()

    def write(self, data: bytes, /) -> int | None:
        self._waited_for.set()
        assert self._moves.wait(60)
        return super().write(data)

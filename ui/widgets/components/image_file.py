"""Reading an image file for drawing: in a thread, within limits, from this computer only."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader

from simulator.errors import UnreadableFile

LARGEST_FILE_BYTES: Final = 20_000_000
LARGEST_PIXELS: Final = 50_000_000
"""Qt unpacks no more than 256 MB, at 4 bytes a pixel."""
DRAWN_PX: Final = 1_200
"""Longest side of what is kept for drawing."""
_FORMATS: Final = (b"png", b"jpeg")


def read_image(path: str) -> QImage:
    """Return a PNG or JPEG file as an image of at most `DRAWN_PX` a side. Raises UnreadableFile with a sentence."""
    name = Path(path).name
    contents = _contents(path, name)
    data = QByteArray(contents)
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    if not reader.canRead() or bytes(reader.format().data()) not in _FORMATS:
        raise UnreadableFile(f"{name} is neither a PNG nor a JPEG image.")
    size = reader.size()
    if size.width() * size.height() > LARGEST_PIXELS:
        raise UnreadableFile(f"{name} has {size.width():,} × {size.height():,} pixels: too many to be drawn here.")
    if max(size.width(), size.height()) > DRAWN_PX:
        reader.setScaledSize(size.scaled(QSize(DRAWN_PX, DRAWN_PX), Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    if image.isNull():
        raise UnreadableFile(f"{name} is damaged: it begins as an image and cannot be read to its end.")
    return image


def _contents(path: str, name: str) -> bytes:
    if "://" in path or path.startswith(("//", "\\\\")):
        raise UnreadableFile(f"{name} lies on the network, from where nothing is fetched.")
    try:
        file = Path(path)
        if not file.is_file():
            raise UnreadableFile(f"{name} is not there.")
        with file.open("rb") as opened:
            contents = opened.read(LARGEST_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UnreadableFile(f"{name} cannot be read.", details=str(error)) from error
    if len(contents) > LARGEST_FILE_BYTES:
        raise UnreadableFile(f"{name} is larger than {LARGEST_FILE_BYTES // 1_000_000} MB.")
    return contents

"""Images as files: those that can be attached, told from those that cannot, and screens that show them. No Qt here."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from simulator.errors import SimulatorError, UnreadableFile
from simulator.profile.context_items import attached_image, data_url, screen
from simulator.study.steps import PushContext, Step


def check_images(paths: Iterable[Path]) -> list[Path]:
    """Return the paths, resolved. Raises UnreadableFile for the first that is no PNG or JPEG file."""
    checked = []
    for path in paths:
        try:
            with path.open("rb") as file:
                data_url(file.read(16))
        except OSError as error:
            raise UnreadableFile(f"{path.name} cannot be read: {error.strerror}.") from error
        except SimulatorError as error:
            raise UnreadableFile(f"{path.name} is neither a PNG nor a JPEG file: convert it first.") from error
        checked.append(path.resolve())
    return checked


def with_images(step: Step, paths: Iterable[Path]) -> Step:
    """Return a screen with these images attached too."""
    action = step.action
    assert isinstance(action, PushContext)
    more = list(paths)
    lines = [*action.context.get("images", ()), *(attached_image(_shows(path)) for path in more)]
    context = {**action.context, "images": lines}
    images = (*action.images, *map(str, more))
    return msgspec.structs.replace(step, action=msgspec.structs.replace(action, context=context, images=images))


def image_screens(paths: Iterable[Path]) -> list[Step]:
    """Return a screen for each image."""
    return [Step(PushContext(screen("showimage", "", [attached_image(_shows(path))]), (str(path),))) for path in paths]


def _shows(path: Path) -> str:
    return path.stem.replace("_", " ")

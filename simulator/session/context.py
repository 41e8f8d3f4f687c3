"""Context items on their way to the engine: their text, and the images that they attach (voiceEngine.clientEvents).

An image is attached once a session. Where a screen shows it again, its line in the item's `images` says so: it names
the image without calling it attached.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from simulator.errors import UsageError
from simulator.profile import context_items
from simulator.protocol import client_events as client
from simulator.protocol.codec import MOST_NESTED, is_shallow
from simulator.session.actions import Action, Note
from simulator.session.composed import LARGEST_EVENT_BYTES
from simulator.session.outbox import Outbox


class ContextItems:
    """Makes the context items of one session, and knows which images it attached."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._attached: set[bytes] = set()

    def item(
        self, context: Mapping[str, Any], images: Sequence[bytes] = (), asked: Mapping[str, Any] | None = None
    ) -> list[Action]:
        """Return the actions that send an item with PNG or JPEG files, those attached before left out.

        `asked` says in the record how a question was asked, and whose words it is in.
        Raises UsageError with the reason why it cannot be sent; then nothing counts as attached.
        """
        if not is_shallow(context):
            raise UsageError(f"A context item may be nested {MOST_NESTED} levels deep, not deeper.")
        digests = [hashlib.sha256(each).digest() for each in images]
        urls: dict[bytes, str] = {}
        again: set[int] = set()
        for at, (digest, image) in enumerate(zip(digests, images, strict=True)):
            if digest in self._attached or digest in urls:
                again.add(at)
            else:
                urls[digest] = context_items.data_url(image)
        said = _named_again(context, again, len(images))
        try:
            text = context_items.context_text(said)
        except (ValueError, TypeError) as error:
            raise UsageError(f"This cannot be said in JSON: {error}.") from error
        size_bytes = sum(len(each) for each in urls.values())
        if size_bytes > LARGEST_EVENT_BYTES - len(text.encode()):
            size, most = f"{size_bytes / (1 << 20):.1f} MiB", f"{LARGEST_EVENT_BYTES >> 20} MiB"
            raise UsageError(
                f"The images of this push make {size}, and an engine takes {most} at most: use smaller ones."
            )
        self._attached |= set(urls)
        content: list[client.InputText | client.InputImage] = [client.InputText(text)]
        content += [client.InputImage(each) for each in urls.values()]
        send = self._outbox.send(client.ConversationItemCreate(item=client.MessageItem(content=content)))
        return [send, Note("push", {"context": dict(said), "images": len(urls), **(asked or {})})]


def _named_again(context: Mapping[str, Any], again: set[int], images: int) -> Mapping[str, Any]:
    """Return the item in which the lines of the images shown again do not call them attached.

    Only where it has one line for each image: else nobody could say which line is whose.
    """
    lines = context.get("images")
    if not again or not isinstance(lines, list) or len(lines) != images:
        return context
    named = [
        line.removeprefix(context_items.ATTACHED) if at in again and isinstance(line, str) else line
        for at, line in enumerate(lines)
    ]
    return {**context, "images": named}

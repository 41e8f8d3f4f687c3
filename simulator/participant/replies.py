"""When a reply of the agent began, and when it was over for the participant: a fact about the loudspeaker.

Pure. A reply begins with its first sound. It is over when the engine is done with it and everything that came of it
was heard to its end, or when it was cut. One that fails without a sound is over without having begun.
"""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

ReplyStatus = Literal["heard", "cut", "failed"]

_WITHOUT_END: Final = ("failed", "incomplete")


class ReplyBegan(NamedTuple):
    """The first sound of a response arrived."""

    response_id: str


class ReplyOver(NamedTuple):
    """A response that had begun is over for the participant."""

    response_id: str
    end: ReplyStatus
    at_ns: int
    """When its last sound was audible; the present time for one without."""


class _Reply:
    __slots__ = ("done", "failed", "heard_ns", "items")

    def __init__(self) -> None:
        self.items: set[str] = set()
        self.heard_ns = 0
        self.done = False
        self.failed = False


class ReplyWatch:
    """Follows the replies of one session."""

    def __init__(self) -> None:
        self._replies: dict[str, _Reply] = {}
        self._begun: set[str] = set()

    def sound(self, response_id: str, item_id: str) -> list[ReplyBegan]:
        """Audio of an item was queued."""
        began = response_id not in self._replies
        self._begun.add(response_id)
        self._replies.setdefault(response_id, _Reply()).items.add(item_id)
        return [ReplyBegan(response_id)] if began else []

    def done(self, response_id: str, status: str | None, now_ns: int, *, may_sound: bool) -> list[ReplyOver]:
        """The engine is done with a response; a cancelled one is over when it is cut, or heard as far as it came.

        One that `may_sound` and failed without a sound has failed at once: nothing more comes of it.
        """
        reply = self._replies.get(response_id)
        if reply is None:
            in_vain = may_sound and status in _WITHOUT_END and response_id not in self._begun
            return [ReplyOver(response_id, "failed", now_ns)] if in_vain else []
        reply.done, reply.failed = True, status == "failed"
        return self._over_if_heard(response_id)

    def heard(self, item_id: str, at_ns: int) -> list[ReplyOver]:
        """An item was heard to its end, at this time."""
        for response_id, reply in self._replies.items():
            if item_id in reply.items:
                reply.items.discard(item_id)
                reply.heard_ns = max(reply.heard_ns, at_ns)
                return self._over_if_heard(response_id)
        return []

    def cut(self, item_ids: Iterable[str], at_ns: int) -> list[ReplyOver]:
        """Items were cut, and audible no more from this time on."""
        gone = set(item_ids)
        cut = [response_id for response_id, reply in self._replies.items() if reply.items & gone]
        for response_id in cut:
            del self._replies[response_id]
        return [ReplyOver(response_id, "cut", at_ns) for response_id in cut]

    def _over_if_heard(self, response_id: str) -> list[ReplyOver]:
        reply = self._replies[response_id]
        if not reply.done or reply.items:
            return []
        del self._replies[response_id]
        return [ReplyOver(response_id, "failed" if reply.failed else "heard", reply.heard_ns)]

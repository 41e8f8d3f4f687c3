"""The responses that were asked for: by somebody, or by the program itself."""

from collections import deque
from typing import Any, Final

from simulator.record.entries import Entry
from simulator.record.fields import dicts_at, text, value_at

_SPOKEN: Final = {"output_modalities": ["audio"]}
"""What is asked for after calls in a spoken response, and by the operator, too."""
_ALREADY_ACTIVE: Final = "conversation_already_has_active_response"


class Requests:
    """Tells the responses that the program asks for by itself from those that somebody asked for."""

    def __init__(self) -> None:
        self._sent: deque[tuple[str | None, dict[str, Any]]] = deque(maxlen=16)
        self._silent_sent = False
        self._silent: set[str] = set()
        """Responses in progress that were asked for without audio, or say that they are."""
        self._again: list[dict[str, Any]] = []
        """What the engine refused because it was talking already, and is sent again."""
        self._called: dict[str, set[str]] = {}
        """The calls of each response in progress."""
        self._calls: dict[str, str] = {}
        """The response of each call of a spoken response that waits for its answer."""
        self._follow_ups = 0

    def sent(self, response: dict[str, Any], event_id: str | None, questions: set[str]) -> bool:
        """Take a request, and return whether the program made it by itself."""
        self._sent.append((event_id, response))
        again = response in self._again
        if again:
            self._again.remove(response)
        if silent_answer(response) in questions:
            self._silent_sent = True
            return True
        if again:
            return True
        if self._follow_ups and response == _SPOKEN:
            self._follow_ups -= 1
            return True
        return False

    def refused(self, entry: Entry) -> None:
        """The engine reports an error: a request is sent again where it refused it as a response was in progress."""
        event_id = text(entry, "error", "event_id")
        if text(entry, "error", "code") == _ALREADY_ACTIVE:
            self._again += [each for sent_id, each in self._sent if event_id is not None and sent_id == event_id]

    def created(self, entry: Entry) -> None:
        """A response began."""
        modalities = value_at(entry, "response", "output_modalities")
        silent = modalities == ["text"] if isinstance(modalities, list) else self._silent_sent
        if silent:
            self._silent_sent = False
            self._silent.add(text(entry, "response", "id") or "")

    def called(self, entry: Entry) -> None:
        """A call came; it is answered when its response is done."""
        if (call_id := text(entry, "call_id")) is not None:
            self._called.setdefault(text(entry, "response_id") or "", set()).add(call_id)

    def ended(self, entry: Entry) -> None:
        """A response ended: the calls of a spoken one are followed by a reply once they are all answered."""
        response_id = text(entry, "response", "id") or ""
        silent = response_id in self._silent
        self._silent.discard(response_id)
        calls = self._called.pop(response_id, set())
        if silent or text(entry, "response", "status") in ("cancelled", "failed"):
            return
        for item in dicts_at(entry, "response", "output"):
            call_id = item.get("call_id")
            if item.get("type") == "function_call" and isinstance(call_id, str):
                calls.add(call_id)
        self._calls |= dict.fromkeys(calls, response_id)

    def call_answered(self, call_id: str | None) -> None:
        """A call got its output."""
        response_id = self._calls.pop(call_id, None) if call_id is not None else None
        if response_id is not None and response_id not in self._calls.values():
            self._follow_ups += 1

    def not_followed_up(self) -> None:
        """The agent called tools without end, and no further reply is asked for."""
        self._follow_ups = max(0, self._follow_ups - 1)


def silent_answer(response: dict[str, Any]) -> str | None:
    """Return the tool by which a request wants a silent answer, as the program asks for that to a question."""
    match response:
        case {"output_modalities": ["text"], "tool_choice": {"type": "function", "name": str(tool)}}:
            return tool if len(response) == 2 else None
    return None

"""One response on the wire: its events in their order, from response.created to response.done.

The order of a spoken message: response.output_item.added, conversation.item.added, response.content_part.added, deltas
of audio and transcript in step, response.output_audio.done, response.output_audio_transcript.done,
response.content_part.done, response.output_item.done, conversation.item.done. A response that is cut ends what is open
in the same order, and response.done always comes last: `finish` may be called at any moment and after it the response
says nothing more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.engine import pcm, usage
from simulator.engine.conversation import Conversation, Item, new_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.engine.request import ResponseRequest

_ARGUMENTS_DELTA_CHARACTERS = 24


class Response:
    """Writes the events of one response and its items.

    Attributes:
        ended: response.done was written.
        spoke: some audio was written.
        status: how it ended, or in_progress.
    """

    def __init__(
        self, request: ResponseRequest, conversation: Conversation, emit: Callable[[dict[str, Any]], None]
    ) -> None:
        self.id = new_id("resp")
        self.request = request
        self.ended = False
        self.spoke = False
        self.status = "in_progress"
        self._conversation = conversation
        self._emit = emit
        self._output: list[Item] = []
        self._open: Item | None = None
        self._characters = 0
        self._samples = 0

    def start(self) -> None:
        self._emit({"type": "response.created", "response": self._shown("in_progress", None, None)})

    @property
    def audio_ms(self) -> float:
        """Length of its speech so far."""
        return self._samples / pcm.SAMPLES_PER_MS

    def may_say(self, *, samples: int = 0, characters: int = 0) -> bool:
        """Whether so much more audio and text stay within max_output_tokens."""
        limit = self.request.max_output_tokens
        text = usage.text_tokens(self._characters + characters)
        return isinstance(limit, str) or text + usage.audio_tokens(self._samples + samples) <= limit

    # ---- message items

    def begin_message(self) -> None:
        wire = {"id": new_id("item"), "object": "realtime.item", "type": "message", "status": "in_progress"}
        self._begin(Item({**wire, "role": "assistant", "content": []}))
        item = self._opened()
        if self.request.speaks:
            item.audio[0] = bytearray()
            part = {"type": "audio", "transcript": ""}
        else:
            part = {"type": "text", "text": ""}
        self._emit({"type": "response.content_part.added", **self._where(), "content_index": 0, "part": part})
        kind, name = ("output_audio", "transcript") if self.request.speaks else ("output_text", "text")
        item.wire["content"].append({"type": kind, name: ""})

    def audio(self, audio: bytes) -> None:
        """A piece of speech, whole samples."""
        item = self._opened()
        item.audio[0] += audio
        item.audio_samples += pcm.samples_in(audio)
        self._samples += pcm.samples_in(audio)
        self.spoke = True
        self._delta("response.output_audio.delta", pcm.encoded(audio))

    def words(self, text: str) -> None:
        """A piece of the transcript, or of the text of a silent response."""
        part = self._opened().wire["content"][0]
        name = "transcript" if self.request.speaks else "text"
        # A truncation that came meanwhile has taken the transcript away.
        part[name] = (part[name] or "") + text
        self._characters += len(text)
        kind = "output_audio_transcript" if self.request.speaks else "output_text"
        self._delta(f"response.{kind}.delta", text)

    def end_message(self, status: str = "completed") -> None:
        item = self._opened()
        text = item.wire["content"][0].get("transcript" if self.request.speaks else "text") or ""
        place = {**self._where(), "content_index": 0}
        if self.request.speaks:
            self._emit({"type": "response.output_audio.done", **place})
            self._emit({"type": "response.output_audio_transcript.done", **place, "transcript": text})
            part = {"type": "audio", "transcript": text}
        else:
            self._emit({"type": "response.output_text.done", **place, "text": text})
            part = {"type": "text", "text": text}
        self._emit({"type": "response.content_part.done", **place, "part": part})
        self._end(status)

    # ---- function calls

    def call(self, name: str, arguments: str) -> None:
        """A whole function call; `arguments` is a JSON object as text."""
        call_id = new_id("call")
        wire = {"id": new_id("item"), "object": "realtime.item", "type": "function_call", "status": "in_progress"}
        self._begin(Item({**wire, "call_id": call_id, "name": name, "arguments": ""}))
        self._characters += len(arguments)
        place = {**self._where(), "call_id": call_id}
        for start in range(0, len(arguments), _ARGUMENTS_DELTA_CHARACTERS):
            delta = arguments[start : start + _ARGUMENTS_DELTA_CHARACTERS]
            self._emit({"type": "response.function_call_arguments.delta", **place, "delta": delta})
        done = {"name": name, "arguments": arguments}
        self._emit({"type": "response.function_call_arguments.done", **place, **done})
        self._opened().wire["arguments"] = arguments
        self._end("completed")

    # ---- the end

    def finish(self, status: str, reason: str | None = None, error: dict[str, Any] | None = None) -> None:
        """Ends what is open and the response. Calling it again does nothing.

        Args:
            status: completed, cancelled, incomplete or failed.
            reason: turn_detected or client_cancelled; max_output_tokens.
            error: type, code and message of a failed response.
        """
        if self.ended:
            return
        if self._open is not None:
            self.end_message("completed" if status == "completed" else "incomplete")
        self.ended = True
        self.status = status
        details: dict[str, Any] | None = None
        if status != "completed":
            details = {"type": status, **({"reason": reason} if reason else {}), **({"error": error} if error else {})}
        request = self.request
        counted = usage.usage(request.instructions, request.tools, request.items, self._characters, self._samples)
        self._emit({"type": "response.done", "response": self._shown(status, details, counted)})

    def _begin(self, item: Item) -> None:
        self._open = item
        self._output.append(item)
        self._emit({"type": "response.output_item.added", **self._outer(), "item": item.shown()})
        if self.request.in_conversation:
            previous = self._conversation.append(item)
            self._emit({"type": "conversation.item.added", "previous_item_id": previous, "item": item.shown()})

    def _end(self, status: str) -> None:
        item = self._opened()
        item.wire["status"] = status
        self._emit({"type": "response.output_item.done", **self._outer(), "item": item.shown()})
        self._open = None
        if self.request.in_conversation and self._conversation.find(item.id) is not None:
            previous = self._conversation.before(item.id)
            self._emit({"type": "conversation.item.done", "previous_item_id": previous, "item": item.shown()})

    def _delta(self, kind: str, delta: str) -> None:
        self._emit({"type": kind, **self._where(), "content_index": 0, "delta": delta})

    def _opened(self) -> Item:
        assert self._open is not None, "no item is open"
        return self._open

    def _outer(self) -> dict[str, Any]:
        return {"response_id": self.id, "output_index": len(self._output) - 1}

    def _where(self) -> dict[str, Any]:
        return {**self._outer(), "item_id": self._opened().id}

    def _shown(self, status: str, details: dict[str, Any] | None, counted: dict[str, Any] | None) -> dict[str, Any]:
        request = self.request
        return {
            "object": "realtime.response",
            "id": self.id,
            "status": status,
            "status_details": details,
            "output": [item.shown() for item in self._output],
            "conversation_id": self._conversation.id if request.in_conversation else None,
            "output_modalities": ["audio" if request.speaks else "text"],
            "max_output_tokens": request.max_output_tokens,
            "audio": {"output": {"format": dict(pcm.FORMAT), "voice": request.voice}},
            "usage": counted,
            "metadata": request.metadata,
        }

"""What a session understands of the participant: the words of each turn, told to the client where it asked for them.

The words become the `transcript` of the turn's item. With transcription on, settled words leave as `delta` events while
the turn is spoken, the rest and `completed` once it is committed; where words cannot be recognised, `failed` says why.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Any

from simulator.engine import pcm
from simulator.engine.transcript import Transcript
from simulator.speech.models import EarsMissingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from simulator.engine.conversation import Item
    from simulator.engine.ears import Ears
    from simulator.engine.end_of_turn import Words
    from simulator.engine.input_audio import TurnHeard

_LOG = logging.getLogger(__name__)

_KIND = "conversation.item.input_audio_transcription"
_PATIENCE_S = 3.0  # a reply that waits longer for words is worse than one without them


class Hearing:
    """One session's. All of it on the event loop."""

    def __init__(self, ears: Ears, put: Callable[[dict[str, Any]], None], is_wanted: Callable[[], bool]) -> None:
        """Has heard nothing yet.

        Args:
            ears: shared with other sessions.
            put: sends an event to the client.
            is_wanted: whether the client wants transcripts at present.
        """
        self._ears = ears
        self._put = put
        self._is_wanted = is_wanted
        self._turn: tuple[str, Transcript] | None = None
        self._sent: dict[str, int] = {}  # characters that left as deltas, by item
        self._coming: dict[str, asyncio.Task[None]] = {}

    def heard(self, turn: TurnHeard) -> None:
        """The turn in progress has come so far. What is not a pause is left out while others are heard."""
        if turn.pausing or not self._ears.are_busy:
            transcript = self._transcript(turn.item_id)
            transcript.hear(turn.audio, pausing=turn.pausing, asks_ending=turn.is_asked)

    async def words(self, item_id: str) -> Words | None:
        """The words of the turn in progress; None where there are none to be had in time."""
        try:
            return await asyncio.wait_for(self._transcript(item_id).now(), _PATIENCE_S)
        except (EarsMissingError, TimeoutError):
            return None
        except Exception:  # the voice then decides alone; the turn's end will report it
            _LOG.exception("the words so far could not be recognised")
            return None

    def committed(self, item: Item, speech_bytes: int) -> None:
        """A turn became an item; its words come when they are known.

        Args:
            speech_bytes: where the speech in its audio ends.
        """
        transcript = self._transcript(item.id)
        self._turn = None
        work = self._complete(item, transcript, speech_bytes, wanted=self._is_wanted())
        self._expect(item, work)

    def created(self, item: Item) -> None:
        """An item of the client's: audio without a transcript gets one, which is not announced."""
        for index, audio in item.audio.items():
            part = item.wire["content"][index]
            if part["type"] == "input_audio" and not part["transcript"] and item.id not in self._coming:
                self._expect(item, self._fill(item, index, bytes(audio)))

    def dropped(self) -> None:
        """The turn in progress will not be committed."""
        if self._turn is not None:
            item_id, transcript = self._turn
            transcript.drop()
            self._sent.pop(item_id, None)
            self._turn = None

    async def known(self, items: Iterable[Item]) -> None:
        """Waits until the words of these items are known, but not for ever."""
        coming = [self._coming[item.id] for item in items if item.id in self._coming]
        if coming:
            await asyncio.wait(coming, timeout=_PATIENCE_S)

    async def close(self) -> None:
        """Ends what is still under way."""
        self.dropped()
        tasks = list(self._coming.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _transcript(self, item_id: str) -> Transcript:
        if self._turn is None or self._turn[0] != item_id:
            self.dropped()
            self._turn = item_id, Transcript(self._ears, lambda: self._tell(item_id))
        return self._turn[1]

    def _tell(self, item_id: str) -> None:
        if self._is_wanted() and self._turn is not None and self._turn[0] == item_id:
            self._send_rest(item_id, self._turn[1].settled)

    def _send_rest(self, item_id: str, text: str) -> None:
        delta = text[self._sent.get(item_id, 0) :]
        if delta:
            self._sent[item_id] = len(text)
            self._put({"type": f"{_KIND}.delta", "item_id": item_id, "content_index": 0, "delta": delta})

    def _expect(self, item: Item, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._coming[item.id] = task
        task.add_done_callback(lambda _task: self._coming.pop(item.id, None))

    async def _complete(self, item: Item, transcript: Transcript, speech_bytes: int, *, wanted: bool) -> None:
        audio = bytes(item.audio.get(0, b""))
        try:
            text = "" if item.silent else await transcript.finished(audio, speech_bytes)
        except EarsMissingError as error:
            problem = failed(item.id, "recogniser_unavailable", str(error))
        except Exception as error:
            _LOG.exception("a turn could not be transcribed")
            problem = failed(item.id, "recogniser_failed", f"The turn could not be transcribed: {error}")
        else:
            item.wire["content"][0]["transcript"] = text
            if wanted:
                self._send_rest(item.id, text)
                self._put(
                    {
                        "type": f"{_KIND}.completed",
                        "item_id": item.id,
                        "content_index": 0,
                        "transcript": text,
                        "usage": {"type": "duration", "seconds": pcm.ms_in(audio) / 1000},
                    }
                )
            return
        finally:
            self._sent.pop(item.id, None)
        if wanted:
            self._put(problem)

    async def _fill(self, item: Item, index: int, audio: bytes) -> None:
        transcript = Transcript(self._ears, lambda: None)
        with contextlib.suppress(EarsMissingError):  # said once, when the recogniser could not be loaded
            item.wire["content"][index]["transcript"] = await transcript.finished(audio, len(audio))


def failed(item_id: str, code: str, message: str) -> dict[str, Any]:
    """The event that says why an item gets no transcript."""
    error = {"type": "transcription_error", "code": code, "message": message, "param": None}
    return {"type": f"{_KIND}.failed", "item_id": item_id, "content_index": 0, "error": error}

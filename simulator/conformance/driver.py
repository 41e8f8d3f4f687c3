"""Takes the participant's place against an engine, in real time, and judges nothing.

Audio leaves in chunks of 20 ms at absolute deadlines, silence between utterances included, never ahead of time. The
driver keeps the audio clock (samples appended so far) and a simulated loudspeaker. It waits for what a clause names, at
most for the event timeout, and not at all once a response has failed or the connection has ended; whatever it saw is in
the record, and the judge decides from there.
"""

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from simulator.audio.audio_files import load_recording
from simulator.audio.recordings import Role, SpeechRecording
from simulator.conformance.evidence import STREAM_STARTED, STREAM_STOPPED, UTTERANCE, Playback
from simulator.conformance.wire import Wire
from simulator.profile.agent_spec import OWN, AgentSpec
from simulator.profile.facts import AUDIO_FORMAT, DEFAULT_VOICE
from simulator.record.entries import Direction, Entry, Track
from simulator.record.fields import text
from simulator.record.log import RecordLog
from simulator.units import BLOCK_MS, BLOCK_SAMPLES, ms_to_samples, whole_ms

INSTRUCTIONS: Final = (
    "You take part in a study and talk with another participant over the line. Speak English, be friendly, and keep "
    "to one or two sentences unless you are asked for more."
)
LONG_REPLY: Final = (
    "Please tell me a very long story about a small town by the sea. Take at least two minutes and do not stop early.",
    "Please tell me the longest story you can, at least ten minutes, about a small town by the sea and its people.",
    "Please count aloud from one to five hundred, one number after the other, and do not stop before five hundred.",
)
"""What is asked for at each attempt."""

_MARGIN_S: Final = 0.05
"""Waits end this much after the limit that a judge holds them against."""

Match = Callable[[Entry], bool]


class DriveEnded(Exception):
    """The drive cannot go on. The text says why; what was seen is in the record."""


def received(kind: str, **fields: Any) -> Match:
    """Return a predicate for an event from the engine, with these values in its top-level fields."""

    def match(entry: Entry) -> bool:
        return (
            entry.direction is Direction.RECEIVED
            and entry.type == kind
            and all(entry.event.get(name) == value for name, value in fields.items())
        )

    return match


def refused(entry: Entry, request: Entry) -> bool:
    """Whether an entry is the error that names the event we sent."""
    return received("error")(entry) and text(entry, "error", "event_id") == text(request, "event_id")


def of_response(kind: str, response_id: str) -> Match:
    """Return a predicate for response.created or response.done of one response."""
    return lambda entry: received(kind)(entry) and text(entry, "response", "id") == response_id


@dataclass(frozen=True, slots=True)
class Spoken:
    """An utterance that has begun: where its file, its speech and its end lie on the audio clock."""

    name: str
    first_sample: int
    onset_sample: int
    offset_sample: int
    end_sample: int


class Driver:
    """Drives one check over one connection."""

    def __init__(
        self,
        wire: Wire,
        log: RecordLog,
        entries: Sequence[Entry],
        *,
        turn_detection: Mapping[str, Any],
        cast: Callable[[Role], SpeechRecording],
        attempt: int = 1,
        specification: AgentSpec = OWN,
        on_waiting: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.wire = wire
        self.entries = entries
        """The record so far: a list that grows."""
        self.turn_detection = dict(turn_detection)
        """The whole wire object of the mode under test."""
        self.attempt = attempt
        """1, and more where an earlier attempt did not meet a precondition."""
        self.specification = specification
        """Whose tools are declared, whose words questions have, and whose limits waits keep."""
        self.limits = specification.thresholds
        self.playback = Playback()
        self._log = log
        self._cast = cast
        self._on_waiting = on_waiting
        self._fed = 0
        self._speech: list[tuple[SpeechRecording, NDArray[np.int16]]] = []
        self._saying: NDArray[np.int16] = np.zeros(0, np.int16)
        self._spoken: list[Spoken] = []
        self._streaming: asyncio.Task[None] | None = None

    @property
    def event_timeout_ms(self) -> float:
        """How long an event may take that no tighter limit names."""
        return self.limits.event_timeout_ms

    @property
    def appended_samples(self) -> int:
        """The audio clock: samples appended so far."""
        return self._log.position(Track.PARTICIPANT)

    # The session.

    async def open_session(self, *, tools: Sequence[Mapping[str, Any]] = (), instructions: str = INSTRUCTIONS) -> Entry:
        """Send the profile's whole session.update and return the session.updated that answers it."""
        await self.see(received("session.created"), what="session.created")
        update = await self.wire.send(
            {
                "type": "session.update",
                "session": {
                    "type": "realtime",
                    "output_modalities": ["audio"],
                    "instructions": instructions,
                    "tools": list(tools),
                    "tool_choice": "auto",
                    "audio": {
                        "input": self._audio_input(self.turn_detection),
                        "output": {"format": dict(AUDIO_FORMAT), "voice": DEFAULT_VOICE, "speed": 1},
                    },
                },
            }
        )
        return await self._acknowledged(update)

    async def set_turn_detection(self, turn_detection: Mapping[str, Any] | None) -> Entry:
        """Switch turn detection to a whole object, or off (None), and return the session.updated that answers it."""
        audio = {"input": self._audio_input(turn_detection)}
        update = await self.wire.send({"type": "session.update", "session": {"type": "realtime", "audio": audio}})
        return await self._acknowledged(update)

    async def set_instructions(self, instructions: str) -> Entry:
        """Change the instructions and nothing else, and return the session.updated that answers it."""
        session = {"type": "realtime", "instructions": instructions}
        return await self._acknowledged(await self.wire.send({"type": "session.update", "session": session}))

    async def create_item(self, item: Mapping[str, Any]) -> Entry:
        """Send an item for the conversation."""
        return await self.wire.send({"type": "conversation.item.create", "item": dict(item)})

    async def tell(self, words: str) -> Entry:
        """Send a text item of the user."""
        content = [{"type": "input_text", "text": words}]
        return await self.create_item({"type": "message", "role": "user", "content": content})

    async def ask_for_reply(self, response: Mapping[str, Any]) -> tuple[str, Entry]:
        """Send response.create and return the id of the response that it makes, with its response.created."""
        request = await self.wire.send({"type": "response.create", "response": dict(response)})
        created = await self.wait_for(received("response.created"), what="response.created", since=request)
        return text(created, "response", "id") or "", created

    async def ask_for_long_reply(self) -> tuple[str, Entry]:
        """Ask in words for a long spoken reply, longer at each attempt, and return it once it has begun to sound."""
        await self.tell(LONG_REPLY[min(self.attempt, len(LONG_REPLY)) - 1])
        response_id, created = await self.ask_for_reply({"output_modalities": ["audio"]})
        delta = received("response.output_audio.delta", response_id=response_id)
        await self.wait_for(delta, what="the first audio of the reply", since=created)
        return response_id, created

    async def _acknowledged(self, update: Entry) -> Entry:
        """Return the answer to an update: session.updated, or the error that names it ends the drive."""
        updated = received("session.updated")
        entry = await self.wait_for(
            lambda entry: updated(entry) or refused(entry, update), what="session.updated", since=update
        )
        if entry.type == "error":
            raise DriveEnded("The session.update was refused.")
        return entry

    @staticmethod
    def _audio_input(turn_detection: Mapping[str, Any] | None) -> dict[str, Any]:
        return {
            "format": dict(AUDIO_FORMAT),
            "transcription": None,
            "turn_detection": None if turn_detection is None else dict(turn_detection),
        }

    # Waiting.

    async def wait_for(
        self,
        match: Match,
        *,
        what: str,
        since: Entry | None = None,
        timeout_ms: float | None = None,
    ) -> Entry:
        """Return the first entry that matches, after `since` if given. Raises DriveEnded where it does not come."""
        found = await self.see(match, what=what, since=since, timeout_ms=timeout_ms)
        if found is None:
            raise DriveEnded(f"No {what} came.")
        return found

    async def see(
        self,
        match: Match,
        *,
        what: str,
        since: Entry | None = None,
        timeout_ms: float | None = None,
    ) -> Entry | None:
        """Return the first entry that matches, or None at the time limit. Raises DriveEnded where nothing can come."""
        limit_ms = self.event_timeout_ms if timeout_ms is None else timeout_ms
        deadline = time.monotonic() + limit_ms / 1000 + _MARGIN_S
        self._on_waiting(what)
        at = 0 if since is None else since.seq + 1
        while True:
            while at < len(self.entries):
                entry = self.entries[at]
                at += 1
                if match(entry):
                    return entry
                if received("response.done")(entry) and text(entry, "response", "status") == "failed":
                    raise DriveEnded(f"A response failed while waiting for {what}.")
            if self.wire.closed:
                raise DriveEnded(f"The connection ended while waiting for {what}.")
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                return None
            await self.wire.news(left_s)

    async def until_done(self, created: Entry) -> Entry:
        """Return the response.done of a response that was created; the limit begins anew with each of its events."""
        response_id = text(created, "response", "id") or ""
        done = of_response("response.done", response_id)
        last = created
        while True:

            def goes_on(entry: Entry) -> bool:
                return done(entry) or (
                    entry.direction is Direction.RECEIVED and text(entry, "response_id") == response_id
                )

            last = await self.wait_for(goes_on, what="response.done", since=last)
            if done(last):
                return last

    async def watch(self, duration_ms: float, what: str) -> None:
        """Let time pass, while the stream goes on, to see what does not come."""
        await self.see(lambda _: False, what=what, since=self.entries[-1], timeout_ms=duration_ms)

    async def until_played(self, response_id: str, played_ms: float) -> None:
        """Wait until so much of a response was played by the simulated loudspeaker, or the response is over."""
        deadline = time.monotonic() + self.event_timeout_ms / 1000
        done = of_response("response.done", response_id)
        at = 0
        self._on_waiting(f"{played_ms / 1000:g} s of the reply to be played")
        while self._played_ms(response_id) < played_ms:
            if any(done(entry) for entry in self.entries[at:]) or self.wire.closed or time.monotonic() > deadline:
                return
            at = len(self.entries)
            await asyncio.sleep(BLOCK_MS / 1000)

    def heard(self, response_id: str, at: Entry) -> tuple[str, int] | None:
        """Return the item of a response that was playing at an entry, and where in it to truncate, in whole ms.

        The ms end in 7: a value that an engine rounds, to however fine a grid, must not come back unchanged by chance.
        """
        self._feed_playback()
        heard = self.playback.heard(response_id, at.t_ns)
        if heard is None:
            return None
        samples = min(heard.played_samples, heard.received_samples)
        heard_ms = whole_ms(samples)
        return heard.item_id, max(heard_ms - (heard_ms - 7) % 10, 0)

    def _played_ms(self, response_id: str) -> float:
        self._feed_playback()
        return self.playback.played_ms(response_id, time.monotonic_ns() - self._log.started_ns)

    def _feed_playback(self) -> None:
        for entry in self.entries[self._fed :]:
            self.playback.feed(entry)
        self._fed = len(self.entries)

    # Speech.

    def start_stream(self) -> None:
        """Begin to append audio in real time: silence, until `say`."""
        self._streaming = asyncio.create_task(self._stream())

    async def stop_stream(self) -> None:
        """Append nothing more from here on; speech that was not sent yet is dropped."""
        if self._streaming is not None:
            self._streaming.cancel()
            await asyncio.wait([self._streaming])
            if not self._streaming.cancelled():
                self._streaming.result()
            self._streaming = None
            self._speech.clear()
            self._saying = np.zeros(0, np.int16)
            self.note(STREAM_STOPPED)

    async def silence(self, at_least_ms: int, at_most_ms: int) -> None:
        """Let a stretch of silence pass whose length nobody can know beforehand."""
        await self.watch(random.randint(at_least_ms, at_most_ms), "a stretch of silence")

    async def say(self, role: Role) -> Spoken:
        """Speak the recording that this run has for a role, and return once its first chunk was sent."""
        begun = len(self._spoken)
        found = self._cast(role)
        self._speech.append((found, _samples(found)))
        while len(self._spoken) == begun:
            self._check_stream()
            await asyncio.sleep(BLOCK_MS / 2000)
        return self._spoken[-1]

    async def until_sent(self, sample: int) -> None:
        """Wait until a sample of the audio clock was sent."""
        while self.appended_samples <= sample:
            self._check_stream()
            await asyncio.sleep(BLOCK_MS / 2000)

    def note(self, kind: str, **fields: Any) -> Entry:
        """Write a note into the record."""
        return self._log.noted(kind, fields, time.monotonic_ns())

    def _check_stream(self) -> None:
        if self.wire.closed:
            raise DriveEnded("The connection ended while speaking.")
        if self._streaming is None:
            raise RuntimeError("nothing can be said while no audio is appended")
        if self._streaming.done():
            self._streaming.result()

    async def _stream(self) -> None:
        began = time.monotonic()
        self.note(STREAM_STARTED, first_sample=self.appended_samples)
        chunk = 0
        while not self.wire.closed:
            await asyncio.sleep(max(began + chunk * BLOCK_MS / 1000 - time.monotonic(), 0))
            await self.wire.append(self._next_chunk())
            chunk += 1

    def _next_chunk(self) -> NDArray[np.int16]:
        if not self._saying.size and self._speech:
            found, self._saying = self._speech.pop(0)
            self._begin(found, self._saying.size)
        chunk, self._saying = self._saying[:BLOCK_SAMPLES], self._saying[BLOCK_SAMPLES:]
        return np.pad(chunk, (0, BLOCK_SAMPLES - chunk.size))

    def _begin(self, found: SpeechRecording, samples: int) -> None:
        first = self.appended_samples
        spoken = Spoken(
            found.name,
            first,
            first + ms_to_samples(found.onset_ms),
            first + ms_to_samples(found.offset_ms),
            first + samples,
        )
        self.note(
            UTTERANCE,
            name=found.name,
            role=found.role,
            voice=found.voice,
            sha256=found.sha256,
            first_sample=first,
            onset_sample=spoken.onset_sample,
            offset_sample=spoken.offset_sample,
            resumed_samples=[first + ms_to_samples(pause.to_ms) for pause in found.pauses],
        )
        self._spoken.append(spoken)


@lru_cache
def _samples(found: SpeechRecording) -> NDArray[np.int16]:
    return load_recording(found.path)

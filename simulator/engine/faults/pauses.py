"""Faults of turn detection that is switched off and on again."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from simulator.engine import pcm
from simulator.engine.behaviour import Behaviour, Event, Said
from simulator.engine.configuration import SERVER_VAD
from simulator.engine.conversation import new_id
from simulator.engine.faults.fault import PAUSING, changed, fault, switches_detection, without

if TYPE_CHECKING:
    from collections.abc import Iterable

_SPOKEN = ("listening_pause",)
_SILENT = ("listening_pause_silent",)
_STARTED = "input_audio_buffer.speech_started"
_COMMITTED = "input_audio_buffer.committed"
_LEFT_APPENDS = 150  # of 20 ms: 3 s


class _Listening(Behaviour):
    """Knows whether turn detection is on, was off before, and whether somebody speaks."""

    def __init__(self) -> None:
        self.on = True
        self.was_off = False
        self.in_speech = False

    def hears(self, event: Event) -> Iterable[Event]:
        switched = switches_detection(event)
        if switched is None or switched == self.on:
            return self.heard(event)
        self.on = switched
        self.was_off |= not switched
        return self.switched(event)

    def says(self, event: Event) -> Iterable[Said]:
        if event["type"] == _STARTED:
            self.in_speech = True
        elif event["type"] in ("input_audio_buffer.speech_stopped", _COMMITTED):
            self.in_speech = False
        return self.said(event)

    def heard(self, event: Event) -> Iterable[Event]:
        """Any other client event."""
        return (event,)

    def switched(self, event: Event) -> Iterable[Event]:
        """The update that switched to `on`."""
        return (event,)

    def said(self, event: Event) -> Iterable[Said]:
        """Any server event."""
        return (Said(event),)


@fault("turn detection off", PAUSING)
class OffIgnored(_Listening):
    """An update that switches turn detection off is acknowledged and changes nothing, as its answer shows."""

    def switched(self, event: Event) -> Iterable[Event]:
        return (event if self.on else without(event, "session.audio.input.turn_detection"),)


@fault("timed from switching on", PAUSING)
class ModeEchoedNotUsed(Behaviour):
    """Whatever turn detection is asked for is shown, and server_vad with its defaults is always in force."""

    def turn_detection(self, _shown: Event | None) -> Event | None:
        return dict(SERVER_VAD)


@fault("update answered", PAUSING)
class SwitchUnanswered(_Listening):
    """An update that switches turn detection off is carried out and not answered."""

    def said(self, event: Event) -> Iterable[Said]:
        return () if event["type"] == "session.updated" and not self.on else (Said(event),)


@fault("committed", _SPOKEN)
class CommitUnanswered(_Listening):
    """A commit with turn detection off is not answered."""

    def said(self, event: Event) -> Iterable[Said]:
        return () if event["type"] == _COMMITTED and not self.on else (Said(event),)


@fault("commit accepted", _SPOKEN)
class OffDropsTheTurn(_Listening):
    """Switching turn detection off drops what was said, so that there is nothing to commit."""

    def switched(self, event: Event) -> Iterable[Event]:
        return (event,) if self.on else ({"type": "input_audio_buffer.clear"}, event)


@fault("one commit", _SPOKEN)
class CommittedTwice(_Listening):
    """A commit with turn detection off brings two committed."""

    def said(self, event: Event) -> Iterable[Said]:
        yield Said(event)
        if event["type"] == _COMMITTED and not self.on:
            yield Said(event, 50)


@fault("turn keeps its item", _SPOKEN)
class CommitUnderNewItem(_Listening):
    """A commit with turn detection off makes another item than speech_started named."""

    def said(self, event: Event) -> Iterable[Said]:
        renamed = event["type"] == _COMMITTED and not self.on
        return (Said(changed(event, "item_id", new_id("item")) if renamed else event),)


@fault("no reply in the pause", _SPOKEN)
class RepliesToCommit(_Listening):
    """A commit with turn detection off starts a reply."""

    def heard(self, event: Event) -> Iterable[Event]:
        yield event
        if event["type"] == "input_audio_buffer.commit" and not self.on:
            yield {"type": "response.create"}


@fault("quiet pause", _SILENT)
class RepliesToSwitchingOff(_Listening):
    """Switching turn detection off while nobody speaks starts a reply."""

    def switched(self, event: Event) -> Iterable[Event]:
        yield event
        if not self.on and not self.in_speech:
            yield {"type": "response.create"}


@fault("quiet pause", _SILENT)
class SilenceCommitted(_Listening):
    """Switching turn detection off while nobody speaks commits the silence."""

    def switched(self, event: Event) -> Iterable[Event]:
        yield event
        if not self.on and not self.in_speech:
            yield {"type": "input_audio_buffer.commit"}


@fault("timed from switching on", PAUSING)
class ClockNotRestarted(_Listening):
    """audio_start_ms goes on from before the pause when turn detection is switched on again."""

    def __init__(self) -> None:
        super().__init__()
        self._appended_bytes = 0
        self._before_ms = 0

    def heard(self, event: Event) -> Iterable[Event]:
        if event["type"] == "input_audio_buffer.append":
            self._appended_bytes += len(pcm.decoded(event["audio"], "audio"))
        return (event,)

    def switched(self, event: Event) -> Iterable[Event]:
        self._before_ms = self._appended_bytes // pcm.BYTES_PER_MS
        return (event,)

    def said(self, event: Event) -> Iterable[Said]:
        started = event["type"] == _STARTED
        return (
            Said(changed(event, "audio_start_ms", event["audio_start_ms"] + self._before_ms) if started else event),
        )


@fault("audio_start_ms in place", PAUSING)
class OldAudioLeft(_Listening):
    """The last 3 s of audio from before the pause are still in the buffer when turn detection is switched on again."""

    def __init__(self) -> None:
        super().__init__()
        self._left: deque[Event] = deque(maxlen=_LEFT_APPENDS)

    def heard(self, event: Event) -> Iterable[Event]:
        if event["type"] == "input_audio_buffer.append":
            self._left.append(event)
        return (event,)

    def switched(self, event: Event) -> Iterable[Event]:
        yield event
        if self.on:
            yield from self._left


@fault("new turn", _SPOKEN)
class GoesOnWithOldItem(_Listening):
    """The speech after the pause gets the item_id of the turn before it."""

    def __init__(self) -> None:
        super().__init__()
        self._item_id = ""

    def said(self, event: Event) -> Iterable[Said]:
        if event["type"] == _STARTED and self.was_off and self._item_id:
            return (Said(changed(event, "item_id", self._item_id)),)
        if event["type"] == _STARTED:
            self._item_id = event["item_id"]
        return (Said(event),)


@fault("speech noticed", PAUSING)
class DeafAfterPause(_Listening):
    """Turn detection that was off is shown as on again, and stays off."""

    def turn_detection(self, shown: Event | None) -> Event | None:
        return None if self.was_off else shown

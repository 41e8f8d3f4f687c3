"""Which audio of the agent is played, and what is cut, dropped and truncated when it is interrupted.

On speech_started the engine ends its response by itself; over WebSocket the client stops its own playback, at once,
and truncates what was not heard. Audio of a cut response that comes later is dropped. A new response plays.
"""

from collections.abc import Iterable

from simulator.protocol.client_events import ConversationItemTruncate
from simulator.protocol.server_events import OutputAudioDelta
from simulator.session.actions import Action, CutCause, CutPlayback, EndItem, Note, Play
from simulator.session.outbox import Outbox
from simulator.session.playback import ItemHeard, PlaybackLedger, PlaybackReport
from simulator.session.responses import Responses
from simulator.units import BYTES_PER_SAMPLE


class AgentVoice:
    """The agent's audio between the socket and the loudspeaker."""

    def __init__(self, outbox: Outbox, responses: Responses) -> None:
        self._outbox = outbox
        self._responses = responses
        self._ledger = PlaybackLedger()
        self._cause: CutCause = "speech_started"

    def delta(self, event: OutputAudioDelta) -> list[Action]:
        """Audio of an item came: play it, or drop it and note that.

        Audio of a silent answer, and of an item whose end was announced, breaks the profile and is not played.
        """
        if self._responses.is_silent(event.response_id):
            return []
        if not self._responses.is_wanted(event.response_id):
            return self._late(event)
        if self._ledger.is_complete(event.item_id, event.response_id) or not event.delta:
            return []
        self._ledger.received(event.item_id, event.response_id, len(event.delta))
        return [Play(event.item_id, event.response_id, event.delta)]

    def audio_done(self, item_id: str) -> list[Action]:
        """No more audio of this item comes."""
        return [] if self._ledger.complete(item_id) is None else [EndItem(item_id)]

    def response_done(self, response_id: str) -> list[Action]:
        """A response ended: so did those of its items whose end was not announced."""
        return [each for item_id in self._ledger.incomplete_of(response_id) for each in self.audio_done(item_id)]

    def interrupt(
        self, cause: CutCause, seq: int | None = None, received_ns: int | None = None, ending: Iterable[str] = ()
    ) -> list[Action]:
        """Cut what is queued or being heard, if anything; play nothing more of it, nor of the responses `ending`."""
        self._responses.drop(self._ledger.open_responses | set(ending))
        if not self._ledger.anything_open:
            return []
        self._cause = cause
        return [CutPlayback(cause, seq, received_ns)]

    def cut_result(self, heard: Iterable[ItemHeard], cut_ns: int) -> list[Action]:
        """The playback was cut: note it, and truncate what was not heard."""
        notes, truncations = self._ledger.cut(heard, cut_ns, self._cause)
        if self._cause == "closed":
            return [*notes]
        return [*(self._truncate(each.item_id, each.audio_end_ms) for each in truncations), *notes]

    def report(self, report: PlaybackReport) -> list[Action]:
        """Take what the loudspeaker reports."""
        return [*self._ledger.report(report)]

    def _late(self, event: OutputAudioDelta) -> list[Action]:
        """Drop audio of a cut response. An item that only begins now was received and is never heard."""
        samples = len(event.delta) // BYTES_PER_SAMPLE
        fields = {"response_id": event.response_id, "item_id": event.item_id, "samples": samples}
        actions: list[Action] = [Note("audio.dropped", fields)]
        if samples and self._ledger.first_sight(event.item_id):
            actions.insert(0, self._truncate(event.item_id, 0))
        return actions

    def _truncate(self, item_id: str, audio_end_ms: int) -> Action:
        return self._outbox.send(ConversationItemTruncate(item_id=item_id, audio_end_ms=audio_end_ms))

"""Listening: whether the participant can be heard. One state, one owner.

Switching off takes effect on our side at once: nothing is appended from that moment. Turn detection null is sent and
answered; only then is what was said in an unfinished turn committed, so that the commit cannot create a reply.
Switching on takes effect with the answer: what is appended before it would fall on either side of the moment from
which HRP counts audio_start_ms. A change of mind meanwhile waits for the answer under way, and the last wish wins.

Pausing the study is a context item and never comes here (voiceEngine.clientEvents, third and fourth example).
"""

import enum
from typing import Any

from simulator.protocol.client_events import InputAudioBufferCommit
from simulator.session.actions import Action, Note, Settled
from simulator.session.outbox import Outbox
from simulator.session.settings import SettingsInForce, only_turn_detection
from simulator.session.turns import Turns


class ListeningState(enum.StrEnum):
    """What is appended and what the engine was asked."""

    UNCONFIGURED = "unconfigured"
    """The first update was not sent."""
    SWITCHING_ON = "switching_on"
    """Nothing is appended; the update with turn detection is not answered."""
    ON = "on"
    """Everything is appended."""
    SWITCHING_OFF = "switching_off"
    """Nothing is appended; the update with turn detection null is not answered."""
    OFF = "off"
    """Nothing is appended."""


class Listening:
    """The owner of the listening state."""

    def __init__(
        self, wanted: bool, mode: dict[str, Any], outbox: Outbox, settings: SettingsInForce, turns: Turns
    ) -> None:
        self.state = ListeningState.UNCONFIGURED
        self.wanted = wanted
        self._mode = mode
        self._outbox = outbox
        self._settings = settings
        self._turns = turns
        self._waiting: list[tuple[bool, int]] = []
        self._noted_off = False

    @property
    def appending(self) -> bool:
        """Whether audio is appended now."""
        return self.state is ListeningState.ON

    @property
    def turn_detection(self) -> dict[str, Any]:
        """The whole wire object used while listening is on."""
        return self._mode

    def first_update_sent(self) -> list[Action]:
        """The session's first update was sent, with turn detection as wanted."""
        self.state = ListeningState.SWITCHING_ON if self.wanted else ListeningState.SWITCHING_OFF
        return [] if self.wanted else self._note_off()

    def wish(self, on: bool, now_ns: int, token: int | None) -> list[Action]:
        """Listening is wanted on or off."""
        self.wanted = on
        if token is not None:
            self._waiting.append((on, token))
        if self.state is ListeningState.ON and not on:
            return [*self._note_off(), *self._switch(False, now_ns)]
        if self.state is ListeningState.OFF and on:
            return self._switch(True, now_ns)
        return self._settle()

    def answered(self, now_ns: int, error: str | None) -> list[Action]:
        """The engine answered the update under way: `error` None, or the sentence why it did not take it.

        A refused switch leaves nothing appended: the participant was told that nobody listens.
        """
        actions: list[Action] = []
        switched_on = self.state is ListeningState.SWITCHING_ON
        if self.state is ListeningState.SWITCHING_OFF:
            self.state = ListeningState.OFF
            if self._turns.release():
                actions.append(self._outbox.send(InputAudioBufferCommit()))
        elif switched_on:
            actions += self._switched_on(now_ns, error)
        actions += self._settle(error, refused=switched_on)
        if self.state is ListeningState.OFF and self.wanted:
            actions += self._switch(True, now_ns)
        return actions

    def abandon(self, error: str) -> list[Action]:
        """The connection ended: no wish comes true any more."""
        self.state = ListeningState.OFF
        self.wanted = False
        waiting, self._waiting = self._waiting, []
        return [Settled(token, error) for _, token in waiting]

    def _switched_on(self, now_ns: int, error: str | None) -> list[Action]:
        if error is not None:
            self.state = ListeningState.OFF
            self.wanted = False
            return self._note_off()
        if not self.wanted:
            return self._switch(False, now_ns)
        self.state = ListeningState.ON
        was_off, self._noted_off = self._noted_off, False
        return [Note("listening.on", {})] if was_off else []

    def _note_off(self) -> list[Action]:
        """Note that nothing is appended from here, unless that was noted already."""
        if self._noted_off:
            return []
        self._noted_off = True
        return [Note("listening.off", {"in_speech": self._turns.in_speech})]

    def _switch(self, on: bool, now_ns: int) -> list[Action]:
        self.state = ListeningState.SWITCHING_ON if on else ListeningState.SWITCHING_OFF
        if not on:
            self._turns.hold()
        mode = self._mode if on else None
        return [self._settings.send(only_turn_detection(mode), "turn_detection", now_ns)]

    def _settle(self, error: str | None = None, refused: bool | None = None) -> list[Action]:
        """Settle the wishes that came true, were refused (`error`: wishes for `refused`), or were taken back before."""
        settled: list[Action] = []
        kept: list[tuple[bool, int]] = []
        for on, token in self._waiting:
            if error is not None and on is refused:
                settled.append(Settled(token, error))
            elif self.state is (ListeningState.ON if on else ListeningState.OFF):
                settled.append(Settled(token))
            elif on is not self.wanted and self.state in (ListeningState.ON, ListeningState.OFF):
                settled.append(Settled(token, "Listening was switched back before this took effect."))
            else:
                kept.append((on, token))
        self._waiting = kept
        return settled

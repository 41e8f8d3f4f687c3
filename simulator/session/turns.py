"""The participant's turn as the engine hears it: speech_started, speech_stopped, committed.

An engine commits a turn right after speech_stopped. While listening is being switched off that order is what tells
apart a turn that the engine still finished by itself from one that waits for our commit: then only `committed` ends it.
"""


class Turns:
    """Whether the engine hears speech now, and whether that turn is still to be committed."""

    def __init__(self) -> None:
        self._speaking = False
        self._item_id: str | None = None
        self._held = False

    @property
    def in_speech(self) -> bool:
        """Whether a turn was started and not ended yet."""
        return self._speaking

    def speech_started(self, item_id: str | None) -> None:
        """The engine hears speech; `item_id` None where it does not say of which item."""
        self._speaking = True
        self._item_id = item_id

    def speech_stopped(self) -> None:
        """The engine hears the end: its own commit follows, unless the turn is held."""
        if not self._held:
            self._speaking = False

    def committed(self, item_id: str | None) -> None:
        """The turn is committed; a commit of another, earlier item leaves it open."""
        if None in (item_id, self._item_id) or item_id == self._item_id:
            self._speaking = False

    def hold(self) -> None:
        """From now on only a commit ends the turn: turn detection is being switched off."""
        self._held = True

    def release(self) -> bool:
        """End the hold; return whether a turn is left that waits for our commit. It is ended hereby."""
        waiting = self._speaking
        self._held = self._speaking = False
        return waiting

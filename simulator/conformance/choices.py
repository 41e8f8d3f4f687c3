"""What the specification leaves open, and how this suite decides it: one named setting each, printed in the report."""

from typing import Final

import msgspec


class Choice(msgspec.Struct, frozen=True):
    """One decision and its reason."""

    name: str
    value: str
    reason: str


AUDIO_START_AFTER_REENABLE: Final = Choice(
    "zero of audio_start_ms after turn detection was switched on again",
    "re-enable",
    "The specification says that the next speech is timed from the moment at which turn detection was switched back "
    "on. The other readings are measured and reported, but do not pass.",
)
GRADED_TRUNCATION: Final = Choice(
    "graded truncation",
    "equal",
    "conversation.item.truncated must name the item and the very audio_end_ms of the request.",
)
RESPONSE_START: Final = Choice(
    "start of maxResponseStartMs",
    "committed",
    "Ending the turn is the engine's decision, and its answer counts from there. The time from the end of speech is "
    "measured too.",
)

CHOICES: Final = (AUDIO_START_AFTER_REENABLE, GRADED_TRUNCATION, RESPONSE_START)

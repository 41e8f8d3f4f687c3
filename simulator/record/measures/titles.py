"""What the measured intervals are called wherever a person reads them: docs/measures.md defines them by these names."""

from typing import Final

TITLES: Final = {
    "response_start": "Response created",
    "first_audio": "First audio",
    "onset_delay": "Onset delay",
    "barge_in_stop": "Barge-in stop",
}
"""By the names that they have in JSON and tables, in the order in which they are shown."""
TIPS: Final = {
    "response_start": "From reading speech_stopped to reading response.created: how soon the engine began to work. "
    "It is no response latency, which lasts until the agent is heard (`measures`).",
    "first_audio": "From reading committed to reading the first audio of the reply.",
    "onset_delay": "From sending the audio in which a recording begins to speak to reading speech_started.",
    "barge_in_stop": "From reading speech_started to the last sound that was handed to the loudspeaker. What the "
    "device held then was heard after that: the timeline says at the barge-in when the output was silent.",
}
"""Both end points of each."""
TRANSFER: Final = "Transfer to agent"
"""The floor transfer offset to the agent, by the events."""
TRANSFER_TIP: Final = (
    "Floor transfer offset: from the participant's last sound to the agent's first, by the events; below 0 where the "
    "agent began before."
)


def title(name: str) -> str:
    """Return what an interval is called; one that nobody named is called as it stands."""
    return TITLES.get(name, name)

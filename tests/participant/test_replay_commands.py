"""What a recorded participant did, as the operator's commands."""

import pytest

from simulator.participant.replay_commands import carried_over
from simulator.record.replay.deeds import Instruct


@pytest.mark.parametrize(
    ("recorded", "own", "sent", "expected"),
    [
        ("Old.", "New.", Instruct("Old.\n\nTalk of tea.", "Tea"), "New.\n\nTalk of tea."),
        ("Old.", "New.", Instruct("Old.", "Home"), "New."),
        ("Old.", "", Instruct("Old.\n\nTalk of tea.", "Tea"), "Talk of tea."),
        ("", "New.", Instruct("Talk of tea.", "Tea"), "New.\n\nTalk of tea."),
        ("", "New.", Instruct("Be kind."), "Be kind."),
        ("Old.", "New.", Instruct("Older."), "Older."),
        ("Old.", "New.", Instruct(None, "Tea"), None),
        ("Old.", "Old.", Instruct("Old.\n\nTalk of tea.", "Tea"), "Old.\n\nTalk of tea."),
    ],
)
def test_the_guidance_of_parts_stands_below_the_instructions_of_the_new_session(
    recorded: str, own: str, sent: Instruct, expected: str | None
) -> None:
    assert carried_over(sent, recorded, own) == Instruct(expected, sent.part)

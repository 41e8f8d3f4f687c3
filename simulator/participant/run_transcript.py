"""The conversation of a run in words, for its result: each turn as the window's transcript shows it."""

from collections.abc import Iterable
from typing import Any

from simulator.record.measures import Turn
from simulator.units import NS_PER_S


def run_transcript(turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """Return the turns in order, those of speech and of the text chat; what the study did is left out.

    `text` is what the engine transcribed or generated, or, with `recognisedBy`, what this program understood; it is
    empty for speech without words. Of the agent's speech, `heard` is what the participant heard of it (of a reply that
    was cut, estimated by the share of the audio), and `heardS` how long. `atS`: seconds from the start of the record.
    """
    return [_row(turn) for turn in turns if turn.who not in ("study", "mark")]


def _row(turn: Turn) -> dict[str, Any]:
    row: dict[str, Any] = {"who": turn.who, "text": turn.text, "atS": round(turn.t_ns / NS_PER_S, 3)}
    match turn.who:
        case "participant" if not turn.text and turn.recognised:
            row |= {"text": turn.recognised, "recognisedBy": turn.recogniser}
        case "agent" if turn.heard_ms is not None:
            heard = turn.text if turn.heard_text is None else turn.heard_text
            row |= {"heard": heard, "heardS": round(turn.heard_ms / 1000, 3)}
    return row

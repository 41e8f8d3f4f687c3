"""The palette of the window by meaning, light and dark, and the states that have a shape, a colour and a word.

Colours carry meanings, never names of hues: a widget asks for `colours.participant`, not for blue. The hues come from
Okabe and Ito's set, which stays apart for colour-blind people; each state has a shape and a word as well, because a
colour alone is no message. Every colour in `TEXT_ROLES` has a contrast of at least 4.5:1 against every background in
`BACKGROUND_ROLES`; `*_fill` colours are for areas, at least 3:1 against the panel.
"""

import enum
from dataclasses import dataclass
from typing import Final


class State(enum.StrEnum):
    """States that the whole window shows by the same shape, colour and word."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    RUNNING = "running"
    WAITING = "waiting"
    QUEUED = "queued"
    WARNING = "warning"
    ERROR = "error"

    @property
    def sign(self) -> str:
        """One character with the shape of the state, for text that cannot hold an icon."""
        return _SIGNS[self]


_SIGNS: Final = {
    State.PASSED: "✓",
    State.FAILED: "✕",
    State.INCONCLUSIVE: "?",
    State.RUNNING: "●",
    State.WAITING: "◐",
    State.QUEUED: "○",
    State.WARNING: "⚠",
    State.ERROR: "✕",
}


@dataclass(frozen=True, slots=True)
class Colours:
    """The palette of one scheme, by meaning, as ``#rrggbb``."""

    window: str
    """Behind everything."""
    panel: str
    """Surface of a panel."""
    raised: str
    """Buttons, headers, the selected tab."""
    sunken: str
    """Fields, lists and the timeline's lanes."""
    hover: str
    selection: str
    """Background of a selected row."""
    line: str
    """Between surfaces."""
    line_strong: str
    """Frames of fields and buttons: 3:1 is not needed where the surface differs too."""

    text: str
    text_muted: str
    accent: str
    """Focus, links, the selected tab's mark."""
    primary_fill: str
    primary_text: str

    participant: str
    participant_fill: str
    heard_speech: str
    """What the engine says it heard."""
    heard_speech_fill: str
    agent: str
    agent_fill: str
    never_heard: str
    """Agent audio that was received and never reached the loudspeaker: outline only."""
    response: str
    response_fill: str
    study: str
    listening_off: str
    """Ink of the hatched band and its text."""
    listening_on: str
    recording: str

    passed: str
    failed: str
    inconclusive: str
    running: str
    queued: str
    warning: str
    error: str

    def of_state(self, state: State) -> str:
        """Return the colour of a state."""
        if state is State.WAITING:
            return self.running
        return str(getattr(self, state.value))


TEXT_ROLES: Final = (
    "text",
    "text_muted",
    "accent",
    "participant",
    "heard_speech",
    "agent",
    "never_heard",
    "response",
    "study",
    "listening_off",
    "listening_on",
    "recording",
    "passed",
    "failed",
    "inconclusive",
    "running",
    "queued",
    "warning",
    "error",
)
BACKGROUND_ROLES: Final = ("window", "panel", "raised", "sunken", "hover", "selection")

LIGHT: Final = Colours(
    window="#eceff3",
    panel="#ffffff",
    raised="#f3f5f8",
    sunken="#f8f9fb",
    hover="#e6eaf0",
    selection="#d9e8f6",
    line="#d5dae1",
    line_strong="#b4bcc7",
    text="#171c22",
    text_muted="#4c5663",
    accent="#005a8f",
    primary_fill="#00619a",
    primary_text="#ffffff",
    participant="#005a8f",
    participant_fill="#1580bf",
    heard_speech="#006069",
    heard_speech_fill="#2a99a3",
    agent="#7d4a00",
    agent_fill="#c47a00",
    never_heard="#75501f",
    response="#4c5663",
    response_fill="#79838f",
    study="#8a2f68",
    listening_off="#5a5160",
    listening_on="#00644a",
    recording="#a83200",
    passed="#00644a",
    failed="#a83200",
    inconclusive="#6a5600",
    running="#005a8f",
    queued="#4c5663",
    warning="#6a5600",
    error="#a83200",
)

DARK: Final = Colours(
    window="#101317",
    panel="#181c21",
    raised="#22272e",
    sunken="#13161a",
    hover="#2a3038",
    selection="#1f3a52",
    line="#2b313a",
    line_strong="#47505c",
    text="#e7eaee",
    text_muted="#a7b0bc",
    accent="#6cc0f0",
    primary_fill="#1d76b0",
    primary_text="#ffffff",
    participant="#6cc0f0",
    participant_fill="#56b4e9",
    heard_speech="#5fd0cb",
    heard_speech_fill="#35a9a5",
    agent="#f2b340",
    agent_fill="#e69f00",
    never_heard="#d6b077",
    response="#b3bcc8",
    response_fill="#717c8a",
    study="#e39bc4",
    listening_off="#b9aec2",
    listening_on="#3fcf9f",
    recording="#ff8a5c",
    passed="#3fcf9f",
    failed="#ff8a5c",
    inconclusive="#e8dc5a",
    running="#6cc0f0",
    queued="#a7b0bc",
    warning="#e8dc5a",
    error="#ff8a5c",
)


def contrast(first: str, second: str) -> float:
    """Return the WCAG contrast ratio of two ``#rrggbb`` colours, 1 to 21."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2, 0 to 1."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue

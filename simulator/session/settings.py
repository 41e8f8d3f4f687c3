"""What a session starts with."""

from typing import Any

import msgspec

from simulator.profile import facts
from simulator.profile.tools import TOOLS


class SessionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of the first session.update (voiceEngine.clientEvents, first example)."""

    instructions: str = ""
    voice: str = facts.DEFAULT_VOICE
    speed: float = 1
    turn_detection: dict[str, Any] = msgspec.field(default_factory=lambda: facts.turn_detection("server_vad"))
    """The whole wire object, used while listening is on."""
    listening: bool = True
    """Whether the session starts by listening; if not, its first turn detection is null."""
    tools: list[dict[str, Any]] = msgspec.field(default_factory=lambda: list(TOOLS))

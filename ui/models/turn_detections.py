"""What a turn detection is called where one is picked."""

from typing import Any


def title_of(wire: dict[str, Any]) -> str:
    """Return the type of a wire object, and how patient it is: ``server_vad 500 ms``."""
    detail = f"{wire['silence_duration_ms']} ms" if "silence_duration_ms" in wire else wire.get("eagerness", "")
    return f"{wire.get('type', '')} {detail}".strip()

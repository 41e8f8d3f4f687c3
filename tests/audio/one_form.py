"""A sound card that takes one rate and one number of channels, which no sound server is: everything else is refused as
PortAudio refuses it, and what is left opens for good.

`python -m tests.audio.one_form RATE CHANNELS COMMAND…` is the program with such a card.
"""

import sys
from typing import Any

from simulator.cli import main

INVALID_RATE, INVALID_CHANNELS = -9997, -9998


def refuse_all_but(rate_hz: int, channels: int) -> None:
    """Make this process's PortAudio take nothing else from now on."""
    import sounddevice

    for name in ("InputStream", "OutputStream"):
        opened = getattr(sounddevice, name)
        opened = getattr(opened, "behind", opened)

        class Card(opened):  # type: ignore[misc, valid-type]
            behind = opened

            def __init__(self, **form: Any) -> None:
                if form["samplerate"] != rate_hz:
                    raise sounddevice.PortAudioError("Invalid sample rate", INVALID_RATE)
                if form["channels"] != channels:
                    raise sounddevice.PortAudioError("Invalid number of channels", INVALID_CHANNELS)
                super().__init__(**form)

        setattr(sounddevice, name, Card)


if __name__ == "__main__":
    refuse_all_but(int(sys.argv[1]), int(sys.argv[2]))
    sys.exit(main(sys.argv[3:]))

"""image_context: an image in a context item is accepted and seen.

A square filled with red, #FF0000, is attached to a screen's context item, whose words name no colour. Asked silently
which colour fills it, the engine must answer with the whole word red and no other colour.
"""

import re
import struct
import zlib
from typing import Final

from simulator.conformance.check import Check, Clause, Findings
from simulator.conformance.clauses import accepted, acknowledged
from simulator.conformance.driver import Driver
from simulator.conformance.silent import SILENT_ANSWER, Question, ask, judge_silent_answer
from simulator.profile import context_items

IMAGE_ACCEPTED: Final = Clause("image accepted", "The item with the image is not refused.")
COLOUR_SEEN: Final = Clause("colour seen", "The answer names the colour of the image.")
NO_OTHER_COLOUR: Final = Clause("no other colour", "The answer names no other colour.")

SIDE_PIXELS: Final = 128
COLOUR: Final = "red"
RGB: Final = (255, 0, 0)
OTHER_COLOURS: Final = frozenset(
    (
        *(
            "black",
            "blue",
            "brown",
            "crimson",
            "cyan",
            "gray",
            "green",
            "grey",
            "indigo",
            "magenta",
            "maroon",
            "orange",
        ),
        *("pink", "purple", "scarlet", "teal", "turquoise", "violet", "white", "yellow"),
    )
)
QUESTION: Final = Question(
    "textinput", {"question": "Which colour fills the image that is on the screen? Answer with one word in English."}
)


async def drive(driver: Driver) -> None:
    """Show the image and ask for its colour."""
    await driver.open_session(tools=driver.specification.tools)
    driver.start_stream()
    shown = context_items.screen("showimage", "Look at this image.", [context_items.attached_image("a filled square")])
    await driver.create_item(
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": context_items.context_text(shown)},
                {"type": "input_image", "image_url": context_items.data_url(filled_png(RGB))},
            ],
        }
    )
    await ask(driver, QUESTION)


def judge(findings: Findings) -> None:
    """The image was taken, and its colour named."""
    acknowledged(findings)
    item = findings.evidence.sent("conversation.item.create")
    if item is not None:
        accepted(findings, IMAGE_ACCEPTED, item, "the image")
    answer = judge_silent_answer(findings, QUESTION)
    words = set(re.findall(r"[a-z]+", answer.casefold())) if isinstance(answer, str) else set()
    others = sorted(words & OTHER_COLOURS)
    if COLOUR not in words:
        findings.fail(COLOUR_SEEN, f"Asked for the colour of a red image, the engine answered {answer!r}.")
    elif others:
        named = ", ".join(others)
        reason = f"Asked for the colour of a red image, the engine named {named} too: {answer!r}."
        findings.fail(NO_OTHER_COLOUR, reason)


def filled_png(rgb: tuple[int, int, int], side: int = SIDE_PIXELS) -> bytes:
    """Return a PNG file of one colour."""
    rows = (b"\0" + bytes(rgb) * side) * side
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    )
    parts = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


CHECK = Check(
    id="image_context",
    clause="An image in a context item is accepted and seen: asked silently for its colour, the engine says red.",
    per_turn_detection=False,
    clauses=(IMAGE_ACCEPTED, *SILENT_ANSWER, COLOUR_SEEN, NO_OTHER_COLOUR),
    drive=drive,
    judge=judge,
)

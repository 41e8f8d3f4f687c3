"""Results on standard output, progress and errors on standard error."""

import json
import sys
from typing import Any

import msgspec

from simulator.errors import StorageFault


def say(sentence: str) -> None:
    """Print a sentence for the user to standard error."""
    print(sentence, file=sys.stderr, flush=True)


def say_json(value: Any) -> None:
    """Print one line of JSON to standard error, as progress that a program reads."""
    say(msgspec.json.encode(value).decode())


def result(text: str) -> None:
    """Print a result to standard output. Raises StorageFault where it cannot be kept there, as on a full disk."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise StorageFault(f"The result cannot be written to standard output: {error.strerror}.") from error


def result_json(value: Any) -> None:
    """Print a result as JSON that a person can read too."""
    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except UnicodeEncodeError:
        # A path of bytes that are no UTF-8. Python writes them as escapes.
        text = json.dumps(msgspec.to_builtins(value), indent=2)
    result(text)

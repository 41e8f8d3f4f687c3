"""Keys of engines: from an environment variable, else from the system keyring.

A key is returned to the process that opens the connection and goes nowhere else: it is not printed, logged, put into
an exception or given to another process on a command line. The keyring library is loaded when it is first needed.
"""

import enum
import os
from typing import Final

from simulator.errors import EnvironmentFault

KEYRING_SERVICE: Final = "participant-simulator"


class KeySource(enum.StrEnum):
    """Where a key was found."""

    ENVIRONMENT = "environment"
    KEYRING = "keyring"


def find_key(engine: str, variable: str) -> str | None:
    """Return the engine's key, or None. A system without a keyring is one in which nothing is stored."""
    if variable and (value := os.environ.get(variable, "").strip()):
        return value
    return _stored(engine)


def key_source(engine: str, variable: str) -> KeySource | None:
    """Return where the engine's key would come from, without giving it."""
    if variable and os.environ.get(variable, "").strip():
        return KeySource.ENVIRONMENT
    return KeySource.KEYRING if _stored(engine) else None


def store_key(engine: str, key: str) -> None:
    """Put the key into the system keyring. Raises EnvironmentFault where there is none that can store it."""
    import keyring
    import keyring.errors

    try:
        keyring.set_password(KEYRING_SERVICE, engine, key.strip())
    except keyring.errors.KeyringError as error:
        raise EnvironmentFault(
            "This system has no keyring that can store the key: put it into an environment variable instead.",
            type(error).__name__,
        ) from None


def forget_key(engine: str) -> None:
    """Remove the engine's key from the system keyring, if one is there."""
    if _stored(engine) is None:
        return
    import keyring
    import keyring.errors

    try:
        keyring.delete_password(KEYRING_SERVICE, engine)
    except keyring.errors.KeyringError as error:
        raise EnvironmentFault(
            "The system's keyring would not remove the key: remove it with the keyring's own program.",
            type(error).__name__,
        ) from None


def _stored(engine: str) -> str | None:
    import keyring
    import keyring.errors

    try:
        return keyring.get_password(KEYRING_SERVICE, engine) or None
    except keyring.errors.KeyringError:
        # No backend, locked, or denied: the same as nothing stored, and KeyMissing then says what to do.
        return None

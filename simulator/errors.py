"""What can go wrong, told apart by whose fault it is.

    SimulatorError
    ├── UsageError            the user asked for something that cannot be done (exit code 3)
    │   ├── UnreadableFile        a study, recording, record or report that cannot be read
    │   │   ├── UnreadableRecording   an audio file that cannot be read
    │   │   └── UnsupportedVersion    a specification file of a version that this program does not know
    │   └── UnknownName           an engine, check, fixture or device of that name does not exist
    ├── EnvironmentFault      this computer or the network lacks something (exit code 3)
    │   ├── AudioUnavailable      PortAudio is missing, or there is no device
    │   ├── DeviceUnavailable     one device is missing, busy or refuses the format
    │   ├── EngineUnreachable     no connection could be made
    │   └── StorageFault          the disk is full, or the folder is gone
    ├── EngineFault           the engine refused, or did not do what the profile says
    │   ├── KeyRefused            401 or 403 at the handshake
    │   ├── KeyMissing            the engine needs a key and none was found
    │   └── ConnectionClosed      the engine closed, with its code; or the connection was lost without one
    └── OwnFault              the program itself failed: a bug, or its clock ran late

The text of an error is one sentence for the user that says what happened and what to do. Details go to the log.
"""


class SimulatorError(Exception):
    """One sentence for the user in `str(error)`; `details` for the log."""

    def __init__(self, sentence: str, details: str = "") -> None:
        super().__init__(sentence)
        self.details = details


class UsageError(SimulatorError):
    """The user asked for something that cannot be done."""


class UnreadableFile(UsageError):
    """A file that does not exist or cannot be read as what it should be."""


class UnreadableRecording(UnreadableFile):
    """An audio file that does not exist or that libsndfile cannot read."""


class UnsupportedVersion(UnreadableFile):
    """A specification file of a version that this program does not know."""


class UnknownName(UsageError):
    """A name that stands for nothing known here."""


class EnvironmentFault(SimulatorError):
    """This computer or the network lacks something."""


class AudioUnavailable(EnvironmentFault):
    """PortAudio is missing, or there is no audio device at all."""


class DeviceUnavailable(EnvironmentFault):
    """One audio device is missing, busy or refuses the format."""


class EngineUnreachable(EnvironmentFault):
    """No connection to the engine could be made."""


class StorageFault(EnvironmentFault):
    """The disk is full, or the folder cannot be written."""


class EngineFault(SimulatorError):
    """The engine refused, or did not do what the profile says."""


class KeyRefused(EngineFault):
    """The engine refused the key at the handshake."""


class KeyMissing(EngineFault):
    """The engine needs a key, and none was found in the environment or the system keyring."""


class ConnectionClosed(EngineFault):
    """The connection ended: by the engine with `code`, or lost (`code` None)."""

    def __init__(self, sentence: str, code: int | None, details: str = "") -> None:
        super().__init__(sentence, details)
        self.code = code


class OwnFault(SimulatorError):
    """The program itself failed."""

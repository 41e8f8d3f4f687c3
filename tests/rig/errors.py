"""Why a part of the rig cannot run."""


class RigUnavailable(Exception):
    """This machine cannot run a part of the rig; the text says what is missing."""

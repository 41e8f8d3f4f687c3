"""Exit codes: what a command's end means to a script."""

import enum


class Exit(enum.IntEnum):
    """See `--help`: these four mean the same for every command."""

    DONE = 0
    FAILED = 1
    UNDECIDED = 2
    """None failed, but something could not be judged, was left unanswered, or was interrupted."""
    WRONG_USE = 3
    """Wrong use or set-up: the user has something to do first."""


EPILOG = """\
exit codes:
  0  done, all passed
  1  a check failed
  2  none failed, but something could not be judged: an interrupted run, a question left unanswered,
     a reply that never came, a record that is missing or changed
  3  wrong use or set-up: a file that does not exist, an engine that cannot be reached, a refused key,
     a device that will not open; one sentence says what to do
"""

"""A server process that lives as long as a block, and no longer than the process that started it."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO


@contextmanager
def running(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, output: IO[str] | int, pass_fds: Sequence[int] = ()
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a server; at the end of the block it is asked to stop, and after five seconds made to.

    A test run that is killed cannot ask: then the kernel does (Linux; the block belongs on the main thread).
    """
    tied = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
    process = subprocess.Popen(
        [*tied, *command], env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output, pass_fds=pass_fds
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

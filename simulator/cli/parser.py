"""The argument parser: wrong use ends with exit code 3 and one sentence, and every command explains itself."""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from simulator.cli.exits import EPILOG
from simulator.engines.profiles import EngineTarget, parse_header, parse_header_env, resolve
from simulator.errors import UsageError

Execute = Callable[[argparse.Namespace], int]
Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


class Parser(argparse.ArgumentParser):
    """Raises UsageError instead of ending the process."""

    def __init__(self, **more: Any) -> None:
        more.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(epilog=EPILOG, allow_abbrev=False, **more)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}: see `{self.prog} --help`.")


def add_engine_options(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the options that say which engine, and with what."""
    group = parser.add_argument_group("engine")
    group.add_argument(
        "--engine",
        "--url",
        dest="engine",
        metavar="ENGINE",
        required=required,
        help="the name of an engine (embedded, openai, your own) or an address that starts with ws:// or wss://",
    )
    group.add_argument("--model", metavar="NAME", help="the model to ask for")
    group.add_argument(
        "--api-key-env", metavar="VAR", help="the environment variable with the key; a key is never an argument"
    )
    group.add_argument(
        "--header", metavar="'NAME: VALUE'", action="append", default=[], help="a header to send (may be repeated)"
    )
    group.add_argument(
        "--header-env",
        metavar="NAME=VAR",
        action="append",
        default=[],
        help="a header whose value is in an environment variable (may be repeated)",
    )


def engine_target(arguments: argparse.Namespace) -> EngineTarget:
    """Return the engine that the options name. Raises UsageError, UnknownName, KeyMissing."""
    return resolve(
        arguments.engine,
        arguments.model,
        arguments.api_key_env,
        dict(parse_header(text) for text in arguments.header),
        dict(parse_header_env(text) for text in arguments.header_env),
    )


def at_least_one(text: str) -> int:
    """Read a count."""
    try:
        count = int(text)
    except ValueError:
        count = 0
    if count < 1:
        raise argparse.ArgumentTypeError(f"“{text}” is not a count: give 1 or more")
    return count

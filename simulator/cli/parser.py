"""The argument parser: wrong use ends with exit code 3 and one sentence, and every command explains itself."""

import argparse
import os
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from simulator.cli.exits import EPILOG
from simulator.engines.profiles import EngineTarget, parse_header, parse_header_env, resolve
from simulator.engines.thinking import Thinking
from simulator.errors import KeyMissing, UsageError
from simulator.profile.agent_spec import OWN, AgentSpec, read_agent_spec

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
    group.add_argument(
        "--think",
        metavar="URL",
        help="with the embedded engine: the language model that decides what it says, at the address of an "
        "OpenAI-compatible server, for instance http://127.0.0.1:11434/v1",
    )
    group.add_argument("--think-model", metavar="NAME", help="its name (default: the first that the server has)")
    group.add_argument("--think-key-env", metavar="VAR", help="the environment variable that holds that server's key")


def add_spec_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the platform's specification file."""
    parser.add_argument(
        "--spec",
        metavar="FILE",
        help="the platform's agent-spec.json (0.2.x): its tools, limits, turn detections and words of questions are "
        "used in place of the program's own; see `spec FILE` for what differs",
    )


def specification(arguments: argparse.Namespace) -> AgentSpec:
    """Return the specification that `--spec` names, or the program's own. Raises UnreadableFile."""
    return OWN if arguments.spec is None else read_agent_spec(arguments.spec)


def engine_target(arguments: argparse.Namespace) -> EngineTarget:
    """Return the engine that the options name. Raises UsageError, UnknownName, KeyMissing."""
    return resolve(
        arguments.engine,
        arguments.model,
        arguments.api_key_env,
        dict(parse_header(text) for text in arguments.header),
        dict(parse_header_env(text) for text in arguments.header_env),
        _thinking(arguments),
    )


def _thinking(arguments: argparse.Namespace) -> Thinking | None:
    """Return the language model that the options name. Raises UsageError, KeyMissing."""
    if arguments.think is None:
        if arguments.think_model is not None or arguments.think_key_env is not None:
            raise UsageError("--think-model and --think-key-env need --think with the address of a model's server.")
        return None
    key = None
    if arguments.think_key_env is not None:
        key = os.environ.get(arguments.think_key_env, "").strip()
        if not key:
            raise KeyMissing(
                f"The environment variable {arguments.think_key_env} is not set: put the model's key into it."
            )
    return Thinking(arguments.think, arguments.think_model or "", key)


def at_least_one(text: str) -> int:
    """Read a count."""
    try:
        count = int(text)
    except ValueError:
        count = 0
    if count < 1:
        raise argparse.ArgumentTypeError(f"“{text}” is not a count: give 1 or more")
    return count

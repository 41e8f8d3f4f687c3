"""The engine as a program: arguments, the line that says it is ready, and an end in order."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.engine import action_log, faults
from simulator.engine.ending import Ending
from simulator.engine.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from simulator.engine.chat import Endpoint
    from simulator.engine.mind import Mind
    from simulator.engine.server import ServerSettings

_HIGHEST_PORT = 65_535
_SWITCH_INTERVAL_S = 0.0005

DESCRIPTION = "Run the embedded engine until it is interrupted; its address is printed as one line of JSON."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command `engine`."""
    parser.add_argument(
        "--host", type=_host, default="127.0.0.1", help="address to listen on (default: this machine only)"
    )
    parser.add_argument("--port", type=_port, default=0, help="port to listen on (default: a free one)")
    parser.add_argument(
        "--rate", type=_rate, default=3.0, metavar="X", help="send speech X times faster than real time (default: 3)"
    )
    parser.add_argument(
        "--require-key-env", metavar="VAR", help="refuse clients that do not show the key in this environment variable"
    )
    parser.add_argument(
        "--fault",
        dest="faults",
        metavar="NAME",
        action="append",
        default=[],
        help="break one rule of the interface, or be odd in a way that is allowed (may be repeated)",
    )
    parser.add_argument(
        "--list-faults",
        action="store_true",
        help="list the faults and oddities, and the checks that each is for; then end",
    )
    parser.add_argument("--json", action="store_true", help="with --list-faults: as JSON")
    parser.add_argument(
        "--log-actions", metavar="FILE", help="write what the engine hears and says, and when, to a file"
    )
    parser.add_argument(
        "--think",
        metavar="URL",
        help="let a language model decide what to say: the address of an OpenAI-compatible server, "
        "for instance http://127.0.0.1:11434/v1",
    )
    parser.add_argument("--think-model", metavar="NAME", help="its name (default: the first that the server has)")
    parser.add_argument("--think-key-env", metavar="VAR", help="the environment variable that holds that server's key")
    ears = parser.add_mutually_exclusive_group()
    ears.add_argument(
        "--recogniser",
        metavar="MODEL",
        help="recognise words with another Whisper model in the format of CTranslate2: its folder, or the name of one "
        "that Hugging Face's cache holds, such as small; nothing is downloaded (default: tiny.en of the extra `ears`)",
    )
    ears.add_argument(
        "--no-ears", action="store_true", help="do not recognise words: hear only that somebody speaks (saves memory)"
    )
    # For programs that start the engine as their child: it must not outlive them.
    parser.add_argument("--until-stdin-closes", action="store_true", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Runs the engine; returns the exit code: 0 after an interruption, 3 when it cannot start."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="engine: %(message)s")
    if args.list_faults:
        sys.stdout.write(faults.as_json() if args.json else faults.as_text())
        return 0
    ending = Ending()
    ending.on_signals()
    if args.until_stdin_closes:
        ending.when_stdin_closes()
    try:
        with contextlib.ExitStack() as files:
            thinks_at = _model_endpoint(args)
            settings = _settings(args, files, thinks_at)
            asyncio.run(_serve(settings, ending, thinks_at))
    except SetupError as error:
        sys.stderr.write(f"{error}\n")
        return 3
    return 0


def main() -> int:
    """Entry of `python -m simulator.engine`."""
    parser = argparse.ArgumentParser(prog="simulator.engine", description=DESCRIPTION)
    add_arguments(parser)
    return run(parser.parse_args())


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > _HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"the port must lie between 0 and {_HIGHEST_PORT}")
    return int(text)


def _host(text: str) -> str:
    # Without a name the engine would be open to the whole network.
    if not text.strip():
        raise argparse.ArgumentTypeError("the address is empty: leave it out for this machine only")
    return text


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not rate >= 0.1:
        raise argparse.ArgumentTypeError("the rate must be 0.1 or more ('inf' sends at once)")
    return rate


def _settings(args: argparse.Namespace, files: contextlib.ExitStack, thinks_at: Endpoint | None) -> ServerSettings:
    from simulator.engine.server import ServerSettings

    chosen = faults.chosen(args.faults)
    key = _from_environment(args.require_key_env, "the key that clients must show", "--require-key-env")
    log = None
    if args.log_actions is not None:
        try:
            log = files.enter_context(action_log.opened(Path(args.log_actions)))
        except OSError as error:
            raise SetupError(
                f"The file {args.log_actions} cannot be written ({error.strerror}); choose another for --log-actions."
            ) from error
    return ServerSettings(
        host=args.host,
        port=args.port,
        key=key,
        delivery_rate=args.rate,
        behaviour=lambda _model: faults.behaviour(chosen),
        action_log=log,
        recognises_words=not args.no_ears,
        recogniser=args.recogniser,
        mind=_mind(thinks_at),
    )


def _model_endpoint(args: argparse.Namespace) -> Endpoint | None:
    """Where the model is that decides what to say; None for the script."""
    if args.think is None:
        for option in ("think_model", "think_key_env"):
            if getattr(args, option) is not None:
                raise SetupError(f"--{option.replace('_', '-')} needs --think with the address of a model's server.")
        return None
    from simulator.engine.chat import endpoint

    key = _from_environment(args.think_key_env, "the key for the model's server", "--think-key-env")
    return endpoint(args.think, args.think_model, key)


def _mind(thinks_at: Endpoint | None) -> Callable[[], Mind]:
    """What makes the mind that the options ask for."""
    if thinks_at is None:
        from simulator.engine.script_mind import ScriptMind

        return ScriptMind
    from simulator.engine.chat import Chat
    from simulator.engine.model_mind import ModelMind

    return lambda: ModelMind(Chat(thinks_at))


def _from_environment(name: str | None, what: str, option: str) -> str | None:
    """The value of an environment variable; None where none was named."""
    if name is None:
        return None
    value = os.environ.get(name)
    if not value:
        raise SetupError(
            f"The environment variable {name} is empty or not set; put {what} into it, or leave {option} out."
        )
    return value


async def _serve(settings: ServerSettings, ending: Ending, thinks_at: Endpoint | None) -> None:
    from simulator.engine.server import serve

    # Voice and ears compute on threads, partly in Python: the loop must get its turn before they have had 5 ms.
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    stop = asyncio.Event()
    ending.begins_to_serve(asyncio.get_running_loop(), stop.set)
    async with _looking_for(thinks_at):
        await serve(settings, _announce, stop)


@contextlib.asynccontextmanager
async def _looking_for(thinks_at: Endpoint | None) -> AsyncIterator[None]:
    """Meanwhile warn where no model is there; the engine starts all the same, for the model may come later."""
    looking = None if thinks_at is None else asyncio.create_task(_warn_of_absence(thinks_at))
    try:
        yield
    finally:
        if looking is not None:
            looking.cancel()
            await asyncio.wait([looking])


async def _warn_of_absence(thinks_at: Endpoint) -> None:
    from simulator.engine.chat import absence_of

    absence = await absence_of(thinks_at)
    if absence is not None:
        logging.getLogger(__name__).warning("%s Until it is, responses fail.", absence)


def _announce(url: str) -> None:
    # Whoever started it may be gone already; the end of its input will say so.
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(json.dumps({"url": url}) + "\n")
        sys.stdout.flush()

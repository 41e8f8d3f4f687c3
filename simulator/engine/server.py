"""The engine's socket: who may connect, and one session for each connection.

Loopback unless told otherwise. A browser page may not connect (any Origin header is refused), since a page of anybody's
could reach a loopback port; a key is asked for when one was set.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, TextIO
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import Server, ServerConnection
from websockets.asyncio.server import serve as serve_websockets
from websockets.exceptions import ConnectionClosed

from simulator.engine import configuration
from simulator.engine.action_log import ActionLog
from simulator.engine.activity import SpeechActivity
from simulator.engine.behaviour import Behaviour
from simulator.engine.conversation import new_id
from simulator.engine.ears import NOT_INSTALLED, Ears
from simulator.engine.errors import Refusal, SetupError
from simulator.engine.outbox import Outbox
from simulator.engine.script_mind import ScriptMind
from simulator.engine.session import Session
from simulator.engine.speech_model import SpeechModel
from simulator.engine.voice import Voice
from simulator.speech.models import is_installed
from simulator.speech.whisper import Whisper

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from websockets.http11 import Request, Response
    from websockets.typing import Subprotocol

    from simulator.engine.mind import Mind

_LOG = logging.getLogger(__name__)

PATH = "/v1/realtime"
# An append of 15 MiB is a third longer as base64, and there is JSON around it.
_MAX_MESSAGE_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How the engine runs.

    Attributes:
        host, port: where to listen; port 0 takes a free one.
        key: the bearer key that clients must show, or None.
        delivery_rate: how many times faster than real time the agent's audio is sent.
        session_seconds: a session's length (HRP: 60 minutes).
        behaviour: makes the behaviour of a session that asks for this model; by default, all by the rules.
        recognises_words: whether words are recognised, where that is installed.
        recogniser: another model than the one of the extra, as models.find_model takes it; then it has to load.
        mind: makes the mind of all sessions; the script by default.
        action_log: where every session writes what it does, or None.
    """

    host: str = "127.0.0.1"
    port: int = 0
    key: str | None = None
    delivery_rate: float = 3.0
    session_seconds: float = 3600.0
    behaviour: Callable[[str], Behaviour] = lambda _model: Behaviour()
    action_log: TextIO | None = None
    recognises_words: bool = True
    recogniser: str | None = None
    mind: Callable[[], Mind] = ScriptMind


async def serve(settings: ServerSettings, ready: Callable[[str], None], stop: asyncio.Event) -> None:
    """Runs the engine until `stop` is set; then closes every session (1001) and returns.

    Args:
        ready: called once with the address to connect to.

    Raises:
        SetupError: the port cannot be opened, the recogniser that was asked for does not load, or a part of the engine
            is missing on this machine.
    """
    async with contextlib.AsyncExitStack() as parts:
        voice = Voice()
        parts.callback(voice.close)
        ears = _ears(settings.recogniser) if settings.recognises_words else None
        if ears is not None:
            parts.callback(ears.close)
        speaking = asyncio.create_task(voice.warm_up())
        model = await asyncio.to_thread(SpeechModel)  # fails here rather than at the first connection
        # Loading takes all the processor there is: it is done before anybody counts on the engine's time.
        await speaking
        if ears is not None:
            await ears.ready()
            if ears.lack is not None:
                if settings.recogniser is not None:
                    raise SetupError(ears.lack)
                _LOG.warning("%s", ears.lack)
        mind = settings.mind()
        parts.push_async_callback(mind.close)
        server = await _listening(settings, _Engine(settings, voice, model, ears, mind))
        try:
            port = server.sockets[0].getsockname()[1]
            host = f"[{settings.host}]" if ":" in settings.host else settings.host
            ready(f"ws://{host}:{port}{PATH}")
            await stop.wait()
        finally:
            server.close()
            await server.wait_closed()


async def _listening(settings: ServerSettings, engine: _Engine) -> Server:
    try:
        return await serve_websockets(
            engine.connected,
            settings.host,
            settings.port,
            process_request=engine.admit,
            select_subprotocol=_select_subprotocol,
            compression=None,
            max_size=_MAX_MESSAGE_BYTES,
            close_timeout=1,
            logger=_socket_log(),
        )
    except OSError as error:
        where = f"{settings.host}:{settings.port}"
        raise SetupError(f"The engine cannot listen on {where} ({error.strerror}); choose another --port.") from error


def _ears(model: str | None) -> Ears | None:
    """What recognises words, loading in the background; None, and a line in the log, where it is not installed."""
    if model is None and not is_installed():
        _LOG.warning("%s", NOT_INSTALLED)
        return None
    ears = Ears(lambda: Whisper(model))
    ears.warm_up()
    return ears


def _socket_log() -> logging.Logger:
    """The library's log without the clients that hang up before they have said what they want."""
    log = logging.getLogger("simulator.engine.socket")
    log.addFilter(_is_our_affair)
    return log


def _is_our_affair(record: logging.LogRecord) -> bool:
    return record.msg != "opening handshake failed"


def _select_subprotocol(_connection: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """`realtime` where it is offered; a client that offers nothing is as welcome."""
    return next((name for name in offered if name == "realtime"), None)


class _Engine:
    """What all connections share."""

    def __init__(
        self, settings: ServerSettings, voice: Voice, model: SpeechModel, ears: Ears | None, mind: Mind
    ) -> None:
        self._settings = settings
        self._voice = voice
        self._model = model
        self._ears = ears
        self._mind = mind

    def admit(self, connection: ServerConnection, request: Request) -> Response | None:
        """Refuses a handshake with a status and one sentence, or lets it pass with None."""
        if request.headers.get("Origin") is not None:
            return connection.respond(HTTPStatus.FORBIDDEN, "Connections from web pages are refused.\n")
        if urlsplit(request.path).path.rstrip("/") != PATH:
            return connection.respond(HTTPStatus.NOT_FOUND, f"The realtime interface is at {PATH}.\n")
        if self._settings.key is not None:
            expected = f"Bearer {self._settings.key}".encode()
            shown = request.headers.get_all("Authorization")
            if len(shown) != 1 or not hmac.compare_digest(shown[0].encode(), expected):
                return connection.respond(HTTPStatus.UNAUTHORIZED, "The key is missing or wrong.\n")
        return None

    async def connected(self, connection: ServerConnection) -> None:
        """One session, from session.created to the end of the connection."""
        settings = self._session_settings(connection)
        behaviour = self._settings.behaviour(settings["model"])
        log = ActionLog(settings["id"], self._settings.action_log)
        outbox = Outbox(connection, behaviour, log)
        sending = asyncio.create_task(outbox.run())
        rate = self._settings.delivery_rate
        activity = SpeechActivity(self._model)
        session = Session(settings, outbox, activity, self._voice, rate, behaviour, log, self._ears, self._mind)
        try:
            async with asyncio.timeout(self._settings.session_seconds) as limit:
                with contextlib.suppress(ConnectionClosed):
                    await session.run(connection)
        except TimeoutError:
            if not limit.expired():
                raise
            await self._expire(connection, outbox)
        finally:
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConnectionClosed):
                await sending

    def _session_settings(self, connection: ServerConnection) -> configuration.Settings:
        assert connection.request is not None
        query = parse_qs(urlsplit(connection.request.path).query)
        model = query.get("model", [configuration.DEFAULT_MODEL])[0]
        expires_at = int(time.time() + self._settings.session_seconds)
        return configuration.defaults(new_id("sess"), model, expires_at)

    async def _expire(self, connection: ServerConnection, outbox: Outbox) -> None:
        minutes = self._settings.session_seconds / 60
        message = f"Your session hit the maximum duration of {minutes:g} minutes."
        outbox.put(Refusal("session_expired", message).event(None))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(outbox.flush(), 2)
        await connection.close(1001, "session_expired")

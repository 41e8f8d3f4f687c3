"""Opens WebSockets to engines, and says what it means when one will not open.

The live session and the conformance suite read the interface independently of each other; how a connection is made is
no part of it, and is the same for both. What the `websockets` library raises on the way does not leave this file.
"""

import ssl
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    InvalidHandshake,
    InvalidProxy,
    InvalidStatus,
    InvalidURI,
    NegotiationError,
    ProxyError,
)
from websockets.typing import Subprotocol

from simulator import __version__
from simulator.errors import EngineFault, EngineUnreachable, KeyRefused, SimulatorError

MAX_FRAME_BYTES: Final = 64 * 1024 * 1024
_OPEN_WITHIN_S: Final = 10.0
_QUEUED_FRAMES: Final = 1024
"""Frames read ahead before the library stops reading the socket, which would make arrival times lie."""


async def open_websocket(
    url: str, headers: Mapping[str, str], subprotocols: Sequence[str] = (), *, close_within_s: float
) -> ClientConnection:
    """Connect to an engine. Cancelling it leaves nothing open.

    Raises EngineUnreachable, KeyRefused, or EngineFault for any other refusal; their text holds no header and no query.
    """
    host = urlsplit(url).hostname or ""
    try:
        return await connect(
            url,
            additional_headers=dict(headers),
            user_agent_header=f"participant-simulator/{__version__}",
            subprotocols=[Subprotocol(name) for name in subprotocols] or None,
            compression=None,
            proxy=None if is_loopback(host) else True,
            max_size=MAX_FRAME_BYTES,
            max_queue=_QUEUED_FRAMES,
            open_timeout=_OPEN_WITHIN_S,
            close_timeout=close_within_s,
        )
    except (OSError, TimeoutError, InvalidHandshake, InvalidURI, UnicodeError) as error:
        raise _refusal(error, url) from error


def is_loopback(host: str) -> bool:
    """Whether a host is this computer: proxies are not asked for it."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _port(url: str) -> int | None:
    """Return the port that is connected to; None where the address has none that could be."""
    parts = urlsplit(url)
    try:
        return parts.port or {"ws": 80, "wss": 443}.get(parts.scheme)
    except ValueError:
        return None


def _refusal(error: Exception, url: str) -> SimulatorError:
    """Return what a failed attempt to connect means to the user. Details never hold headers."""
    host = urlsplit(url).hostname or ""
    match error:
        case InvalidStatus():
            return _refused_status(error.response.status_code, host, has_path=urlsplit(url).path not in ("", "/"))
        case InvalidURI() | UnicodeError():  # UnicodeError: a host that cannot be written as a domain name
            return EngineUnreachable("The address of the engine cannot be used: check it.")
        case InvalidProxy() | ProxyError():
            return EngineUnreachable(f"The proxy between here and {host} refused: check the proxy settings.")
        case NegotiationError():
            return EngineFault(f"{host} does not speak the interface's WebSocket protocol: check the address.")
        case InvalidHandshake():
            return EngineFault(
                f"{host} answered, but not as a WebSocket: check the address and its path.", type(error).__name__
            )
        case ssl.SSLCertVerificationError():
            return EngineUnreachable(
                f"The certificate of {host} is not trusted: check the address and this computer's clock.",
                error.verify_message,
            )
        case ssl.SSLError():
            return EngineUnreachable(
                f"No encrypted connection to {host} could be made: check whether the address starts with ws:// or wss://.",
                error.reason or "",
            )
        case TimeoutError():
            return EngineUnreachable(f"{host} did not answer within {_OPEN_WITHIN_S:.0f} s: check address and network.")
        case ConnectionRefusedError():
            return EngineUnreachable(
                f"Nothing listens at {host}, port {_port(url)}: start the engine, or check the address and its port."
            )
        case _:
            return EngineUnreachable(
                f"The engine at {host} cannot be reached: check the address and the network.",
                f"{type(error).__name__}: {error}",
            )


def _refused_status(status: int, host: str, *, has_path: bool) -> SimulatorError:
    match status:
        case 401:
            return KeyRefused(f"{host} refused the key (401): check that it is the right one and still valid.")
        case 403:
            return KeyRefused(f"{host} does not allow this key to connect (403): check its rights, and the model.")
        case 404 if not has_path:
            return EngineFault(
                f"{host} knows no engine at this address (404): it has no path; "
                "a realtime address usually ends in /v1/realtime."
            )
        case 404:
            return EngineFault(f"{host} knows no engine at this address (404): check the path and the model.")
        case 429:
            return EngineFault(f"{host} takes no more connections at present (429): wait, or check the account.")
        case _ if status >= 500:
            return EngineFault(f"{host} failed while the connection was made ({status}): try again later.")
        case _:
            return EngineFault(f"{host} refused the connection with status {status}: check the address.")

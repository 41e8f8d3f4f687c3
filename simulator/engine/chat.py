"""Chat completions, as any OpenAI-compatible server streams them: one request, and the pieces of its answer.

Whatever goes wrong (nobody there, no answer in time, a refusal, a stream that is none) is one MindError whose sentence
says what happened and where; the key is never in it.
"""

from __future__ import annotations

import ipaddress
import json
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx2

from simulator.engine.errors import SetupError
from simulator.engine.mind import MindError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

_COMPLETIONS = "/chat/completions"
_CONNECT_S = 5.0
_MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is.

    Attributes:
        base: address up to /v1.
        model: its name, or None for the first that the server has.
        key: the bearer key, or None.
        patience_s: the longest silence of the server.
    """

    base: str
    model: str | None = None
    key: str | None = None
    patience_s: float = 60.0


def endpoint(url: str, model: str | None, key: str | None) -> Endpoint:
    """The endpoint at an address that may end before /v1, after it, or with /chat/completions.

    Raises:
        SetupError: it is no http address.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SetupError(f"--think needs an http or https address such as http://127.0.0.1:11434/v1, not “{url}”.")
    if parts.username or parts.query:
        raise SetupError("--think takes an address without user, password or query; a key goes into --think-key-env.")
    path = parts.path.rstrip("/").removesuffix(_COMPLETIONS) or "/v1"
    return Endpoint(f"{parts.scheme}://{parts.netloc}{path}", model, key)


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of an answer.

    Attributes:
        text: words, as they come.
        calls: parts of tool calls: {index, id, function {name, arguments}}.
        ending: stop, tool_calls, length or content_filter with the last piece.
    """

    text: str = ""
    calls: tuple[dict[str, Any], ...] = ()
    ending: str | None = None


class Chat:
    """Asks one endpoint. All of it on the event loop."""

    def __init__(self, to: Endpoint) -> None:
        self._to = to
        self._model = to.model
        self._client = httpx2.AsyncClient(
            headers={} if to.key is None else {"Authorization": f"Bearer {to.key}"},
            timeout=httpx2.Timeout(to.patience_s, connect=_CONNECT_S),
            trust_env=not _is_this_machine(to.base),  # a proxy does not lead back to this machine
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def absence(self) -> str | None:
        """A sentence where nobody is there who could answer; None where somebody is, whatever they answer."""
        try:
            await self._client.get(f"{self._to.base}/models")
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            return str(self._failure(error))
        except httpx2.HTTPError:
            return None
        return None

    async def answer(self, body: dict[str, Any]) -> AsyncGenerator[Piece, None]:
        """The pieces of the answer to a request, as they come; closing it ends the request.

        Args:
            body: of the request, without model and stream.

        Raises:
            MindError: there is none, or it broke off.
        """
        try:
            whole = {"model": await self._name(), "stream": True, **body}
            async with self._client.stream("POST", f"{self._to.base}{_COMPLETIONS}", json=whole) as response:
                await self._require_success(response)
                async with aclosing(self._pieces(response)) as pieces:
                    async for piece in pieces:
                        yield piece
        except httpx2.HTTPError as error:
            raise self._failure(error) from error

    async def _name(self) -> str:
        """The model's name: the one that was given, or the first that the server has."""
        if self._model is None:
            response = await self._client.get(f"{self._to.base}/models")
            await self._require_success(response)
            try:
                self._model = str(response.json()["data"][0]["id"])
            except (ValueError, LookupError, TypeError) as error:
                raise MindError(
                    "model_unknown", f"The server at {self._to.base} names no model; choose one with --think-model."
                ) from error
        return self._model

    async def _pieces(self, response: httpx2.Response) -> AsyncGenerator[Piece, None]:
        ended = False
        async for line in response.aiter_lines():
            name, _, data = line.partition(":")
            if name != "data":
                continue
            if data.strip() == "[DONE]":
                return
            piece = self._piece(data)
            ended = ended or piece.ending is not None
            yield piece
        if not ended:
            raise MindError("model_broke_off", f"The model at {self._to.base} broke off in the middle of its answer.")

    def _piece(self, data: str) -> Piece:
        try:
            chunk = json.loads(data)
            if chunk.get("error"):
                raise MindError("model_failed", f"The model at {self._to.base} failed: {self._told(data.encode())}")
            if not chunk["choices"]:  # the usage comes in a chunk without any
                return Piece()
            choice = chunk["choices"][0]
            delta = choice.get("delta") or {}
            text, calls = delta.get("content") or "", tuple(delta.get("tool_calls") or ())
            if not isinstance(text, str) or not all(isinstance(call, dict) for call in calls):
                raise TypeError(data)
            return Piece(text, calls, choice.get("finish_reason"))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            message = f"The server at {self._to.base} sent something that is no piece of a chat completion."
            raise MindError("model_unintelligible", message) from error

    async def _require_success(self, response: httpx2.Response) -> None:
        if response.is_success:
            return
        told = self._told(await response.aread())
        code = "model_refused" if response.is_client_error else "model_failed"
        raise MindError(code, f"The server at {self._to.base} answered {response.status_code}: {told}")

    def _told(self, body: bytes) -> str:
        """What the server says of its error, short and without the key."""
        text = body.decode(errors="replace").strip()
        try:
            error = json.loads(text)["error"]
            text = str(error["message"] if isinstance(error, dict) else error)
        except (ValueError, LookupError, TypeError):
            pass
        if self._to.key:
            text = text.replace(self._to.key, "•••")
        text = " ".join(text.split()) or "nothing more"
        return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"

    def _failure(self, error: httpx2.HTTPError) -> MindError:
        where = self._to.base
        if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
            return MindError("model_unreachable", f"The model at {where} cannot be reached; is its server running?")
        if isinstance(error, httpx2.TimeoutException):
            seconds = f"{self._to.patience_s:g}"
            return MindError("model_timeout", f"The model at {where} said nothing for {seconds} seconds.")
        return MindError("model_broke_off", f"The connection to the model at {where} broke: {error}")


def _is_this_machine(base: str) -> bool:
    host = urlsplit(base).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def absence_of(to: Endpoint) -> str | None:
    """A sentence where no server is there who could answer; None where somebody is, whatever they answer."""
    chat = Chat(to)
    try:
        return await chat.absence()
    finally:
        await chat.close()

"""Checks conversation items that clients send. Pure."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from simulator.engine import fields, pcm
from simulator.engine.errors import Refusal, invalid, missing

_CONTENT_OF_ROLE = {
    "user": ("input_text", "input_audio", "input_image"),
    "system": ("input_text",),
    "assistant": ("output_text", "output_audio"),
}
_TEXT_FIELD = {"input_text": "text", "output_text": "text", "output_audio": "transcript"}
_IMAGES = {"data:image/png;base64": b"\x89PNG\r\n\x1a\n", "data:image/jpeg;base64": b"\xff\xd8\xff"}


def checked_item(given: object, param: str) -> tuple[dict[str, Any], dict[int, bytearray]]:
    """The item as it will be shown, and its audio by content index. It has an id only where the client chose one.

    Raises:
        Refusal: a field is missing or wrong.
    """
    if given is None:
        raise missing(param)
    item = fields.an_object(given, param)
    wire: dict[str, Any] = {"object": "realtime.item", "status": "completed"}
    if item.get("id") is not None:
        wire["id"] = fields.a_name(item["id"], f"{param}.id")
    kind = fields.one_of(item.get("type"), f"{param}.type", ("message", "function_call", "function_call_output"))
    wire["type"] = kind
    if kind == "message":
        return _message(item, wire, param)
    for name in ("call_id", "name", "arguments") if kind == "function_call" else ("call_id", "output"):
        if item.get(name) is None:
            raise missing(f"{param}.{name}")
        wire[name] = fields.a_text(item[name], f"{param}.{name}")
    return wire, {}


def _message(item: dict[str, Any], wire: dict[str, Any], param: str) -> tuple[dict[str, Any], dict[int, bytearray]]:
    wire["role"] = fields.one_of(item.get("role"), f"{param}.role", _CONTENT_OF_ROLE)
    if item.get("content") is None:
        raise missing(f"{param}.content")
    wire["content"] = []
    audio: dict[int, bytearray] = {}
    for index, part in enumerate(fields.a_list(item["content"], f"{param}.content")):
        path = f"{param}.content[{index}]"
        given = fields.an_object(part, path)
        kind = fields.one_of(given.get("type"), f"{path}.type", _CONTENT_OF_ROLE[wire["role"]])
        wire["content"].append(_part(kind, given, path))
        if kind in ("input_audio", "output_audio") and given.get("audio") is not None:
            audio[index] = _audio(given["audio"], f"{path}.audio")
    return wire, audio


def _part(kind: str, given: dict[str, Any], path: str) -> dict[str, Any]:
    if kind == "input_image":
        return {"type": kind, "image_url": _image(given.get("image_url"), f"{path}.image_url")}
    if kind == "input_audio":
        if given.get("audio") is None:
            raise missing(f"{path}.audio")
        return {"type": kind, "transcript": given.get("transcript")}
    name = _TEXT_FIELD[kind]
    if given.get(name) is None and kind != "output_audio":
        raise missing(f"{path}.{name}")
    return {"type": kind, name: fields.a_text(given.get(name) or "", f"{path}.{name}")}


def _audio(value: object, param: str) -> bytearray:
    audio = pcm.decoded(fields.a_text(value, param), param)
    if len(audio) % pcm.SAMPLE_BYTES:
        raise invalid(param, "whole 16-bit samples", f"{len(audio)} bytes")
    return bytearray(audio)


def _image(value: object, param: str) -> str:
    """A data URL with a PNG or JPEG image in it."""
    if value is None:
        raise missing(param)
    url = fields.a_text(value, param)
    head, _, body = url.partition(",")
    magic = _IMAGES.get(head)
    if magic is None:
        raise invalid(param, "a data URL with a PNG or JPEG image", url)
    try:
        image = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refusal("invalid_value", f"Invalid '{param}': the image is not base64.", param) from error
    if not image.startswith(magic):
        raise invalid(param, f"an image of the kind that its URL names ({head[5:-7]})", url)
    return url

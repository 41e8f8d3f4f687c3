"""A language model as the mind: what it is asked, how its answer is said, and what happens when it fails."""

import asyncio
import base64
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from simulator.engine.chat import Chat, Endpoint, endpoint
from simulator.engine.configuration import defaults
from simulator.engine.conversation import Conversation, spoken_item
from simulator.engine.errors import SetupError
from simulator.engine.mind import MindError
from simulator.engine.model_mind import ModelMind, Sentences, messages, request_body
from simulator.engine.request import response_request
from tests.engine.chat_server import ChatServer, Exchange, calling, chat_server, saying
from tests.engine.client import Client, connected
from tests.engine.conftest import running_engine

PNG = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(64)).decode()
SCALE = {
    "type": "function",
    "name": "answer_scale",
    "description": "Rate on the scale.",
    "parameters": {"type": "object", "properties": {"value": {"type": "number"}}, "required": ["value"]},
}
NOTHING_SAID = response_request(None, defaults("sess_1", "m", 0), Conversation())
CHAT = {"type": "function", "name": "send_chat", "parameters": {"type": "object", "properties": {}}}


@dataclass(frozen=True)
class Thinker:
    """An engine, and the port at which it looks for its model."""

    url: str
    port: int


@pytest.fixture(scope="module")
def thinker() -> Iterator[Thinker]:
    """An engine as the command line starts it. Nobody is at its model's port but while a test uses `server`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("MODEL_KEY", "sesame")
        think = ["--think", f"http://127.0.0.1:{port}/v1", "--think-model", "a-model", "--think-key-env", "MODEL_KEY"]
        with running_engine("--rate", "15", "--no-ears", *think) as url:
            yield Thinker(url, port)


@pytest.fixture
async def server(thinker: Thinker) -> AsyncIterator[ChatServer]:
    """The model of the engine under test."""
    async with chat_server(thinker.port) as server:
        yield server


@pytest.fixture
async def client(thinker: Thinker) -> AsyncIterator[Client]:
    async with connected(thinker.url) as client:
        yield client


# What the model is asked.


async def test_model_is_given_instructions_items_images_and_tools(server: ChatServer, client: Client) -> None:
    server.answers = [saying("Fine.")]
    await client.update(instructions="You are Robin.", tools=[SCALE])
    await client.text('[context] {"event":"screen","type":"showtext","text":"A picture."}')
    look = [{"type": "input_text", "text": "Look."}, {"type": "input_image", "image_url": PNG}]
    await client.item({"type": "message", "role": "user", "content": look})
    await client.response(max_output_tokens=500)
    [asked] = server.asked
    assert asked.line == "POST /v1/chat/completions HTTP/1.1"
    assert asked.headers["authorization"] == "Bearer sesame"
    function = {name: SCALE[name] for name in ("name", "description", "parameters")}
    assert asked.body == {
        "model": "a-model",
        "stream": True,
        "messages": [
            {"role": "system", "content": "You are Robin."},
            {"role": "user", "content": '[context] {"event":"screen","type":"showtext","text":"A picture."}'},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Look."},
                    {"type": "image_url", "image_url": {"url": PNG}},
                ],
            },
        ],
        "tools": [{"type": "function", "function": function}],
        "tool_choice": "auto",
        "max_tokens": 500,
    }


def test_forced_tool_is_the_only_one_and_is_named() -> None:
    fields = {"tools": [SCALE, CHAT], "tool_choice": {"type": "function", "name": "send_chat"}}
    body = request_body(response_request(fields, defaults("sess_1", "m", 0), Conversation()))
    assert [tool["function"]["name"] for tool in body["tools"]] == ["send_chat"]
    assert body["tool_choice"] == {"type": "function", "function": {"name": "send_chat"}}


def test_no_tools_are_offered_where_none_may_be_called() -> None:
    fields = {"tools": [SCALE], "tool_choice": "none"}
    body = request_body(response_request(fields, defaults("sess_1", "m", 0), Conversation()))
    assert "tools" not in body
    assert "tool_choice" not in body


def test_a_call_is_followed_by_its_output_wherever_that_stands() -> None:
    conversation = Conversation()
    for item in (
        {"type": "function_call", "call_id": "call_1", "name": "answer_scale", "arguments": '{"value":3}'},
        {"type": "function_call", "call_id": "call_2", "name": "send_chat", "arguments": "{}"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Well?"}]},
        {"type": "function_call_output", "call_id": "call_1", "output": '{"accepted":true}'},
    ):
        conversation.create({"item": item})
    told = messages("", conversation.items)
    assert [message["role"] for message in told] == ["assistant", "tool", "assistant", "tool", "user"]
    assert told[0]["tool_calls"][0]["id"] == told[1]["tool_call_id"] == "call_1"
    assert told[1]["content"] == '{"accepted":true}'
    assert told[3]["content"] == '{"error":"no answer came"}'


def test_speech_is_given_by_its_words_or_by_its_length() -> None:
    conversation = Conversation()
    understood = spoken_item("item_1", bytes(48_000))
    understood.wire["content"][0]["transcript"] = "I like tea."
    for item in (understood, spoken_item("item_2", bytes(120_000)), spoken_item("item_3", b"", silent=True)):
        conversation.append(item)
    assert [message["content"] for message in messages("", conversation.items)] == [
        "I like tea.",
        "(Something was said, 2.5 seconds long, but the words were not understood.)",
        "(Nobody spoke.)",
    ]


async def test_model_without_a_name_is_the_first_that_the_server_has(server: ChatServer) -> None:
    async def models(exchange: Exchange) -> None:
        await exchange.json({"data": [{"id": "llama"}, {"id": "qwen"}]})

    server.answers = [models, saying("One."), saying("Two.")]
    mind = ModelMind(Chat(Endpoint(server.url)))
    for _ in range(2):
        assert [step async for step in mind.think(NOTHING_SAID)] != []
    await mind.close()
    assert [asked.line.split()[1] for asked in server.asked] == ["/v1/models"] + 2 * ["/v1/chat/completions"]
    assert [asked.body["model"] for asked in server.asked[1:]] == ["llama", "llama"]


# How its answer is said.


async def test_a_sentence_is_spoken_while_the_next_is_still_being_thought_of(
    server: ChatServer, client: Client
) -> None:
    heard = asyncio.Event()

    async def answer(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.words("The first ", "sentence is here. And")
        await heard.wait()
        await exchange.words(" this is", " the second.")
        await exchange.end()

    server.answers = [answer]
    await client.send({"type": "response.create"})
    await client.until("response.output_audio.delta")
    heard.set()
    done = (await client.until("response.done"))["response"]
    assert done["status"] == "completed"
    [item] = done["output"]
    assert item["content"][0]["transcript"] == "The first sentence is here. And this is the second."
    assert len(client.audio_of(item["id"])) > 2 * 48_000


async def test_written_answer_keeps_its_lines(server: ChatServer, client: Client) -> None:
    server.answers = [saying("Two things:\n", "- Tea\n- Milk")]
    response = await client.response(output_modalities=["text"])
    assert response["output"][0]["content"][0]["text"] == "Two things:\n- Tea\n- Milk"


async def test_forced_tool_is_called_silently_whatever_else_the_model_says(server: ChatServer, client: Client) -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.words("I will answer. ")
        await exchange.call_part(0, name="answer_scale")
        await exchange.call_part(0, arguments='{"va')
        await exchange.call_part(0, arguments='lue": 4}')
        await exchange.call_part(1, name="answer_scale", arguments='{"value": 5}')
        await exchange.end("tool_calls")

    server.answers = [answer]
    await client.update(tools=[SCALE])
    response = await client.response(
        output_modalities=["text"], tool_choice={"type": "function", "name": "answer_scale"}
    )
    [call] = response["output"]
    assert (call["type"], call["name"], json.loads(call["arguments"])) == (
        "function_call",
        "answer_scale",
        {"value": 4},
    )


async def test_spoken_preamble_then_call_then_follow_up(server: ChatServer, client: Client) -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.words("Let me write that.")
        await exchange.call_part(0, name="send_chat", arguments="{}")
        await exchange.end("tool_calls")

    server.answers = [answer, saying("It is written.")]
    await client.update(tools=[CHAT])
    first = await client.response()
    assert [item["type"] for item in first["output"]] == ["message", "function_call"]
    call_id = first["output"][1]["call_id"]
    await client.item({"type": "function_call_output", "call_id": call_id, "output": '{"accepted":true}'})
    second = await client.response()
    assert [item["type"] for item in second["output"]] == ["message"]
    assert [message["role"] for message in server.asked[1].body["messages"]] == [
        "system",
        "assistant",
        "assistant",
        "tool",
    ]


@pytest.mark.parametrize(("ending", "reason"), [("length", "max_output_tokens"), ("content_filter", "content_filter")])
async def test_cut_answer_is_incomplete(server: ChatServer, ending: str, reason: str, client: Client) -> None:
    server.answers = [saying("I would say that", reason=ending)]
    response = await client.response()
    assert response["status"] == "incomplete"
    assert response["status_details"] == {"type": "incomplete", "reason": reason}
    assert response["output"][0]["content"][0]["transcript"] == "I would say that"


async def test_cancelling_hangs_up_on_the_model(server: ChatServer, client: Client) -> None:
    hung_up = asyncio.Event()

    async def answer(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.words("One. ", "Two. ", "And so it goes on ")
        await exchange.hung_up()
        hung_up.set()

    server.answers = [answer, saying("Yes.")]
    await client.send({"type": "response.create"})
    await client.until("response.output_audio.delta")
    await client.send({"type": "response.cancel"})
    assert (await client.until("response.done"))["response"]["status"] == "cancelled"
    await asyncio.wait_for(hung_up.wait(), 10)
    assert (await client.response())["status"] == "completed"


@pytest.mark.parametrize(
    ("pieces", "sentences", "rest"),
    [
        (["Hello the", "re. How", " are you?"], ["Hello there."], " How are you?"),
        (["It is 3.", "5 metres. Good."], ["It is 3.5 metres."], " Good."),
        (["Dr. Smith and Mr. J. Brown came. ", "Yes"], ["Dr. Smith and Mr. J. Brown came."], " Yes"),
        (["“Really?” ", "she said. “No!”"], ["“Really?”", " she said."], " “No!”"),
        (["<thi", "nk>Hm. Well. </th", "ink>\n\nI see. So"], ["I see."], " So"),
        (["<think>For ever."], [], ""),
        (["\n", "Yes… perhaps"], ["Yes…"], " perhaps"),
        ([" "], [], ""),
    ],
)
def test_words_are_cut_into_sentences(pieces: list[str], sentences: list[str], rest: str) -> None:
    cutter = Sentences()
    assert [sentence for piece in pieces for sentence in cutter.take(piece)] == sentences
    assert cutter.rest() == rest


# What happens when it fails.


async def _refuses(exchange: Exchange) -> None:
    await exchange.json({"error": {"message": "No model 'a-model' for key sesame"}}, "404 Not Found")


async def _breaks_off(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.words("This is said. This is")


async def _fails_later(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.data({"error": {"message": "out of memory"}})


async def _is_no_chat(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.data({"choices": "none"})


async def _says_nothing(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.hung_up()


@pytest.mark.parametrize(
    ("answer", "code", "sentence"),
    [
        (_refuses, "model_refused", "answered 404: No model 'a-model' for key •••"),
        (_breaks_off, "model_broke_off", "broke off in the middle"),
        (_fails_later, "model_failed", "out of memory"),
        (_is_no_chat, "model_unintelligible", "no piece of a chat completion"),
        (saying(), "model_silent", "was empty"),
        (calling("answer_scale", '{"value"'), "arguments_unreadable", "no JSON object"),
        (calling("answer_scale", "[1]"), "arguments_unreadable", "no JSON object"),
        (calling("open_door", "{}"), "tool_unknown", "“open_door”"),
    ],
)
async def test_what_goes_wrong_is_said_in_the_failed_response(
    server: ChatServer, answer: Any, code: str, sentence: str, client: Client
) -> None:
    server.answers = [answer, saying("I am back.")]
    await client.update(tools=[SCALE])
    response = await client.response()
    assert response["status"] == "failed"
    error = response["status_details"]["error"]
    assert (error["type"], error["code"]) == ("server_error", code)
    assert sentence in error["message"]
    assert "sesame" not in json.dumps(client.events)
    assert (await client.response())["status"] == "completed"


async def test_what_was_said_before_the_model_broke_off_stays_said(server: ChatServer, client: Client) -> None:
    server.answers = [_breaks_off]
    response = await client.response()
    [item] = response["output"]
    assert (item["status"], item["content"][0]["transcript"]) == ("incomplete", "This is said.")


async def test_forced_tool_that_is_not_called_fails(server: ChatServer, client: Client) -> None:
    server.answers = [saying("I would rather talk.")]
    await client.update(tools=[SCALE])
    response = await client.response(tool_choice={"type": "function", "name": "answer_scale"})
    assert response["status_details"]["error"]["code"] == "tool_not_called"
    assert response["output"] == []


async def test_nobody_there(thinker: Thinker, client: Client) -> None:
    response = await client.response()
    error = response["status_details"]["error"]
    assert error["code"] == "model_unreachable"
    where = f"http://127.0.0.1:{thinker.port}/v1"
    assert error["message"] == f"The model at {where} cannot be reached; is its server running?"


async def test_silence_of_the_server_has_an_end(server: ChatServer) -> None:
    server.answers = [_says_nothing]
    mind = ModelMind(Chat(Endpoint(server.url, "a-model", patience_s=0.3)))
    with pytest.raises(MindError) as failed:
        async for _ in mind.think(NOTHING_SAID):
            pass
    await mind.close()
    assert (failed.value.code, failed.value.message) == (
        "model_timeout",
        f"The model at {server.url} said nothing for 0.3 seconds.",
    )


# The options of the command.


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:11434/v1/", "http://localhost:11434/v1"),
        ("https://host/api/chat/completions", "https://host/api"),
    ],
)
def test_address_may_end_where_it_likes(url: str, base: str) -> None:
    assert endpoint(url, "m", None).base == base


@pytest.mark.parametrize(
    "url", ["localhost:11434", "ws://host/v1", "http://", "http://me:secret@host/v1", "http://h?k=1"]
)
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(SetupError):
        endpoint(url, None, None)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--think-model", "llama"], "--think-model needs --think"),
        (["--think", "here"], "--think needs an http or https address"),
        (["--think", "http://host", "--think-key-env", "A_KEY_NOT_SET"], "A_KEY_NOT_SET is empty or not set"),
    ],
)
def test_wrong_options_are_one_sentence(arguments: list[str], sentence: str) -> None:
    command = [sys.executable, "-P", "-m", "simulator.engine", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert result.returncode == 3
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1

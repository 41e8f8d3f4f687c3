"""The realtime runner of `openai-agents`, unchanged: a spoken turn, a tool call, an interruption."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from agents import function_tool, set_tracing_disabled
from agents.realtime import RealtimeAgent, RealtimeRunner, RealtimeSession

from tests.engine.client import CHUNK_SAMPLES
from tests.engine.speech import Samples, sentence, spliced

QUESTION = "Would you rather have coffee or tea in the morning?"


class Runner:
    """A session of the stock runner. `events` holds all that it reported."""

    def __init__(self, session: RealtimeSession) -> None:
        self._session = session
        self.events: list[Any] = []

    async def until(self, fits: Callable[[Any], bool]) -> Any:
        """Receives up to the first event that fits; an error among them fails the test."""
        async with asyncio.timeout(20):
            async for event in self._session:
                self.events.append(event)
                assert event.type != "error", event
                if fits(event):
                    return event
        raise AssertionError("the session is over")

    async def until_turn_ended(self) -> None:
        await self.until(lambda event: _raw(event) == "turn_ended")

    async def say(self, samples: Samples) -> None:
        for start in range(0, len(samples), CHUNK_SAMPLES):
            await self._session.send_audio(samples[start : start + CHUNK_SAMPLES].astype("<i2").tobytes())

    async def write(self, text: str) -> None:
        await self._session.send_message(text)

    def types(self) -> set[str]:
        return {event.type for event in self.events}

    def audio_bytes(self) -> int:
        return sum(len(event.audio.data) for event in self.events if event.type == "audio")


def _raw(event: Any) -> str | None:
    """The kind of a model's event that the runner passes on."""
    return str(event.data.type) if event.type == "raw_model_event" else None


@function_tool
def report_weather(city: str) -> str:
    """Report today's weather in a city."""
    return f"It is sunny in {city}."


@pytest.fixture
async def runner(engine_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Runner]:
    async with _running(engine_url, monkeypatch) as runner:
        yield runner


@asynccontextmanager
async def _running(url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Runner]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    set_tracing_disabled(True)
    agent: RealtimeAgent[Any] = RealtimeAgent(
        name="Robin", instructions="Talk in a friendly way.", tools=[report_weather]
    )
    stock = RealtimeRunner(agent)
    config: Any = {"url": url, "api_key": "no-key-needed"}
    async with await stock.run(model_config=config) as session:
        yield Runner(session)


async def test_spoken_turn_is_answered_aloud(runner: Runner) -> None:
    await runner.say(spliced(700, sentence(QUESTION), 1200))
    await runner.until(lambda event: event.type == "audio_end")
    await runner.until_turn_ended()
    assert runner.audio_bytes() > 24_000
    added = [event.item for event in runner.events if event.type == "history_added"]
    assert {item.role for item in added} == {"user", "assistant"}


async def test_tool_is_called_and_its_output_answered(runner: Runner) -> None:
    await runner.write("Please call report_weather for Lisbon.")
    called = await runner.until(lambda event: event.type == "tool_end")
    assert (called.tool.name, called.output) == ("report_weather", "It is sunny in Lisbon.")
    # One response called; the next one, which the runner asks for by itself, talks.
    await runner.until(lambda event: event.type == "audio_end")
    assert runner.audio_bytes() > 24_000


async def test_speech_interrupts_a_long_reply(runner: Runner) -> None:
    await runner.write("Please tell me a long story.")
    await runner.until(lambda event: event.type == "audio")
    await runner.say(spliced(sentence("Wait a moment please, I would like to say something."), 1200))
    await runner.until(lambda event: event.type == "audio_interrupted")
    # The runner has cut what was heard; the engine takes that without an error and answers the interruption.
    await runner.until_turn_ended()
    heard = runner.audio_bytes()
    await runner.until(lambda event: event.type == "audio_end")
    assert runner.audio_bytes() > heard

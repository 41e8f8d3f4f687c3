"""The voice speaks in a process of its own, and outlives that process."""

import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from simulator.engine import voice as voice_module
from simulator.engine.voice import Voice, VoiceError


@pytest.fixture
def voice() -> Iterator[Voice]:
    voice = Voice()
    yield voice
    voice.close()


def speakers() -> list[psutil.Process]:
    return [each for each in psutil.Process().children() if "simulator.engine.speaker" in each.cmdline()]


async def test_it_speaks_sentence_by_sentence(voice: Voice) -> None:
    assert await voice.sentences("Hello you. How are you?") == ["Hello you.", "How are you?"]
    audio = await voice.spoken("Hello you.", 1.0)
    assert len(audio) % 2 == 0
    assert 24_000 < len(audio) < 96_000, "about a second"
    assert len(await voice.spoken("Hello you.", 0.5)) > 1.5 * len(audio)
    assert await voice.spoken("", 1.0) == b""


async def test_where_its_process_has_died_the_next_sentence_is_spoken_by_another(voice: Voice) -> None:
    await voice.warm_up()
    (process,) = speakers()
    process.kill()
    process.wait()
    assert await voice.spoken("Hello you.", 1.0)
    assert [each.pid for each in speakers()] != [process.pid]


async def test_where_its_process_dies_in_mid_sentence_that_sentence_fails(
    voice: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(voice_module, "_COMMAND", (sys.executable, "-c", "input()"))
    with pytest.raises(VoiceError, match="has ended"):
        await voice.spoken("Hello you.", 1.0)


async def test_its_end_leaves_no_process(voice: Voice) -> None:
    await voice.warm_up()
    (process,) = speakers()
    voice.close()
    assert not process.is_running()
    with pytest.raises(RuntimeError):
        await voice.spoken("Hello you.", 1.0)


def test_the_speaker_ends_with_the_engine_also_while_it_loads() -> None:
    # A text to be split makes it load its model first, which takes seconds.
    command = [sys.executable, "-P", "-m", "simulator.engine.speaker"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as speaker:
        output, _ = speaker.communicate(b'{"text": "Hello.", "speed": null}\n', timeout=20)
        assert (speaker.returncode, output) == (0, b"")

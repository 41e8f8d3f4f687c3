"""Words over a real socket: what was said is recognised, told to the client, and answered."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from simulator.engine.script import STORIES
from simulator.speech.models import find_model, is_installed
from simulator.speech.whisper import last_sentence, text_of, without_repeats
from tests.engine.client import Client, connected
from tests.engine.conftest import running_engine
from tests.engine.speech import recording, sentence, silence, spliced

needs_ears = pytest.mark.skipif(not is_installed(), reason="the extra `ears` is not installed")

KIND = "conversation.item.input_audio_transcription"
QUESTION = "Would you rather have coffee or tea in the morning?"
ON = {"input": {"transcription": {"model": "any-model-name"}}}


def words(text: str) -> str:
    """The text in small letters, without marks."""
    return "".join(letter for letter in text.lower() if letter.isalnum() or letter == " ").strip()


@needs_ears
async def test_what_was_said_is_told_word_for_word(client: Client) -> None:
    await client.update(audio=ON)
    await client.say(spliced(600, sentence(QUESTION), 900))
    completed = await client.until(f"{KIND}.completed")
    assert words(completed["transcript"]) == words(QUESTION)
    assert completed["item_id"] == client.of("input_audio_buffer.committed")[0]["item_id"]
    deltas = [event for event in client.of(f"{KIND}.delta") if event["item_id"] == completed["item_id"]]
    assert "".join(event["delta"] for event in deltas) == completed["transcript"]
    got = await client.answer(
        {"type": "conversation.item.retrieve", "item_id": completed["item_id"]}, "conversation.item.retrieved"
    )
    assert got["item"]["content"][0]["transcript"] == completed["transcript"]


@needs_ears
async def test_words_come_while_the_participant_still_speaks(client: Client) -> None:
    await client.update(audio=ON)
    await client.turn_detection({"type": "server_vad", "silence_duration_ms": 3000})
    parts = ["I went to the market on Saturday.", "I bought bread and apples there.", "Then I came home by train."]
    for part in parts:
        await client.say(spliced(400, sentence(part), 400))
        await client.settled()
    await client.until(f"{KIND}.delta")
    assert not client.of("input_audio_buffer.speech_stopped")
    await client.say(silence(3500))
    completed = await client.until(f"{KIND}.completed")
    assert words(completed["transcript"]) == words(" ".join(parts))
    deltas = [event["delta"] for event in client.of(f"{KIND}.delta")]
    assert "".join(deltas) == completed["transcript"]


@needs_ears
async def test_a_person_is_understood_in_one_long_turn(client: Client) -> None:
    await client.update(audio=ON)
    await client.turn_detection({"type": "server_vad", "silence_duration_ms": 2000, "create_response": False})
    await client.say(spliced(600, recording("jfk.flac"), 300, recording("jfk.flac"), 2500))
    completed = await client.until(f"{KIND}.completed")
    said = "and so my fellow americans ask not what your country can do for you ask what you can do for your country"
    assert words(completed["transcript"]).split() == (said + " " + said).split()


@needs_ears
async def test_nothing_is_recognised_in_silence(client: Client) -> None:
    await client.update(audio={"input": {"transcription": {"model": "any"}, "turn_detection": None}})
    await client.say(silence(2000))
    await client.send({"type": "input_audio_buffer.commit"})
    completed = await client.until(f"{KIND}.completed")
    assert completed["transcript"] == ""
    assert client.of(f"{KIND}.delta") == []


@needs_ears
async def test_without_transcription_the_words_stay_in_the_engine(client: Client) -> None:
    await client.say(spliced(600, sentence(QUESTION), 900))
    await client.until("response.done")
    await client.settled()
    assert not [event for event in client.events if event["type"].startswith(KIND)]


@needs_ears
async def test_a_long_story_is_told_when_it_is_asked_for_aloud(client: Client) -> None:
    await client.say(spliced(600, sentence("Please tell me a very long story."), 900))
    done = (await client.until("response.done"))["response"]
    assert done["output"][0]["content"][0]["transcript"] in STORIES


@needs_ears
@pytest.mark.parametrize(
    ("first", "second", "turns"),
    [
        ("My favourite food is", "probably pasta with tomatoes.", 1),
        ("The reason I chose this answer is because", "it felt right to me.", 1),
        ("I like the blue one.", "How are you doing today?", 2),
    ],
)
async def test_an_unfinished_sentence_waits_and_a_finished_one_does_not(
    client: Client, first: str, second: str, turns: int
) -> None:
    await client.turn_detection({"type": "semantic_vad", "eagerness": "auto", "create_response": False})
    await client.say(spliced(500, sentence(first), 1500, sentence(second), 5000))
    await client.settled()
    assert len(client.of("input_audio_buffer.speech_stopped")) == turns


@needs_ears
@pytest.mark.parametrize(("eagerness", "most_ms"), [("high", 2000), ("medium", 4000), ("low", 8000)])
async def test_eagerness_bounds_the_wait_for_the_rest(client: Client, eagerness: str, most_ms: int) -> None:
    speech = sentence("My favourite food is")
    await client.turn_detection({"type": "semantic_vad", "eagerness": eagerness, "create_response": False})
    await client.say(spliced(500, speech, most_ms + 1000))
    stopped = await client.until("input_audio_buffer.speech_stopped")
    waited_ms = stopped["audio_end_ms"] - 500 - len(speech) / 24
    assert most_ms - 60 <= waited_ms <= most_ms + 150


@pytest.fixture(scope="module")
def deaf_url() -> Iterator[str]:
    """An engine that recognises no words."""
    with running_engine("--rate", "15", "--no-ears") as url:
        yield url


async def test_an_engine_without_ears_says_so_and_answers_all_the_same(deaf_url: str) -> None:
    async with connected(deaf_url) as client:
        await client.update(audio=ON)
        await client.say(spliced(600, sentence(QUESTION), 900))
        failed = await client.until(f"{KIND}.failed")
        assert failed["item_id"] == client.of("input_audio_buffer.committed")[0]["item_id"]
        assert failed["error"]["code"] == "recogniser_unavailable"
        assert "pip install 'participant-simulator[ears]'" in failed["error"]["message"]
        assert (await client.until("response.done"))["response"]["status"] == "completed"


@needs_ears
async def test_another_model_recognises_by_its_folder() -> None:
    with running_engine("--rate", "15", "--recogniser", str(find_model().folder)) as url:
        async with connected(url) as client:
            await client.update(audio=ON)
            await client.say(spliced(600, sentence(QUESTION), 900))
            assert words((await client.until(f"{KIND}.completed"))["transcript"]) == words(QUESTION)


def test_a_model_that_is_not_there_ends_the_engine_with_a_sentence() -> None:
    command = [sys.executable, "-P", "-m", "simulator.engine", "--recogniser", "no-such-model"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "There is no Whisper model “no-such-model” on this computer" in ended.stderr


def test_tokens_are_bytes_in_printable_letters() -> None:
    assert text_of(["ĠWould", "Ġyou", "?"]) == " Would you?"
    assert text_of(["ĠcafÃ", "©"]) == " café"


@pytest.mark.parametrize(
    ("tokens", "kept"),
    [
        ("a b c", "a b c"),
        ("no no", "no no"),
        ("okay okay okay okay", "okay"),
        ("well that is that is that is", "well that is"),
        ("1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1", "1 2 3 4 5 6 7 8 9"),
    ],
)
def test_an_end_that_goes_round_in_circles_is_cut(tokens: str, kept: str) -> None:
    assert without_repeats(tokens.split()) == kept.split()


@pytest.mark.parametrize(
    ("tokens", "words_of_it"),
    [
        (["ĠYes", ".", "ĠI", "Ġdo", "."], ["ĠI", "Ġdo"]),
        (["ĠWell", ",", "Ġmaybe", "..."], ["ĠWell", ",", "Ġmaybe"]),
        (["Ġ...", "."], []),
    ],
)
def test_last_sentence_is_found_without_its_marks(tokens: list[str], words_of_it: list[str]) -> None:
    assert last_sentence(tokens) == words_of_it

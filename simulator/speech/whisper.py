"""Speech to words on the CPU: Whisper by ctranslate2, tiny.en out of a package or a model that the user has.

Whisper was trained on 30 s of audio at a time; here the window is as long as the speech and 3 s of silence, 8 s at
least (with less silence it says short words again and again; with all 30 s it takes four times as long). One clip of
up to 7 s costs tiny.en about 0.1 s of one core. A model of many languages is asked first which one it hears.

The same model tells whether somebody has finished, as its decoder learnt English with its marks:

- Given faint noise to listen to, it hears nothing and goes by the words alone. How likely it sets a full stop next
  tells whether they are a whole sentence. (Asked about the clip itself it is no good at this: silence is an end to it.)
- Given the clip, a dash is what it sets where speech breaks off, likelier by far than after a sentence, although a full
  stop may still be the likeliest; and what comes next is more open to it there.
"""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.speech.mel import SAMPLE_RATE_HZ, log_mel, mel_filters
from simulator.speech.memory import give_back_freed
from simulator.speech.models import INSTALL, EarsMissingError, check_own, find_model, vocabulary_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

LONGEST_S = 25.0  # of one clip: with the silence after it, within the 30 s of the model

_SILENCE_AFTER_S = 3.0
_SHORTEST_WINDOW_S = 8.0
_TOKENS_PER_S = 7  # nobody speaks faster: more is the model going round in circles
_SPARE_TOKENS = 10
_NO_SPEECH = 0.6  # the model's own rule: probably no speech, and a text that it does not believe in
_UNLIKELY = -1.0
_AUDIBLE = 10 ** (-50 / 20)
_LONG_STRETCH = 8
_LONGEST_SENTENCE = 32  # tokens
_NOISE = 0.003
_TIDY_EVERY = 4  # clips


@dataclass(frozen=True, slots=True)
class Ending:
    """What speaks for and against an end after the words of a clip; see engine.end_of_turn.

    Attributes:
        closes: how likely a sentence ends there, by the words alone, 0 to 1.
        breaks_off: how likely a dash follows, by the words and the sound, 0 to 1.
        openness: of what follows, by the words and the sound: the entropy in nats.
    """

    closes: float
    breaks_off: float
    openness: float


@dataclass(frozen=True, slots=True)
class Recognised:
    """What was said in a clip.

    Attributes:
        text: the words with their marks, without spaces around them; empty where nobody spoke.
        tokens: the same as the model spells it, to be given back as `known`.
        ending: None where that was not asked for, or there are no words.
    """

    text: str = ""
    tokens: tuple[str, ...] = ()
    ending: Ending | None = None


class Whisper:
    """The loaded model. One thread at a time."""

    def __init__(self, model: str | None = None) -> None:
        """Loads it (tiny.en: about 0.3 s).

        Args:
            model: a folder or a name as `models.find_model` takes it; None for the model of the extra.

        Raises:
            EarsMissingError: it is not installed, does not load here, or is not the model that it should be.
        """
        try:
            ctranslate2: Any = importlib.import_module("ctranslate2")
        except (ImportError, OSError) as error:
            raise EarsMissingError(f"Speech cannot be recognised here ({error}). {INSTALL}") from error
        found = find_model(model)
        if found.is_own:
            check_own(found.folder)
        self.name = found.name
        self._storage = ctranslate2.StorageView
        try:
            # One thread: more would be done sooner, but threads that wait for each other burn the processor.
            self._model = ctranslate2.models.Whisper(
                str(found.folder), device="cpu", compute_type="int8", intra_threads=1
            )
            self._read_vocabulary(found.folder)
        except (RuntimeError, OSError, ValueError, LookupError) as error:
            raise EarsMissingError(f"The recogniser's model “{found.name}” does not load here: {error}.") from error
        self._language: list[int] = []
        self._recognised = 0
        self._filters = mel_filters(self._model.n_mels)
        noise = np.random.default_rng(0).normal(0, _NOISE, round(_SHORTEST_WINDOW_S * SAMPLE_RATE_HZ))
        self._nothing = self._encoded(noise.astype(np.float32))

    def _read_vocabulary(self, folder: Path) -> None:
        file = vocabulary_file(folder)
        text = file.read_text("utf-8")
        vocabulary = json.loads(text) if file.suffix == ".json" else text.split("\n")
        self._ids = {token: index for index, token in enumerate(vocabulary)}
        self._start = self._ids["<|startoftranscript|>"]
        self._task = [self._ids["<|transcribe|>"]] if self._model.is_multilingual else []
        self._plain = self._ids["<|notimestamps|>"]
        self._closing = [self._ids[token] for token in self._ids if _is_closing(token)]
        self._dashes = [self._ids[token] for token in self._ids if _is_dash(token)]

    @property
    def _prompt(self) -> list[int]:
        return [self._start, *self._language, *self._task, self._plain]

    def recognise(
        self, samples: NDArray[np.float32], known: Sequence[str] = (), *, asks_ending: bool = False
    ) -> Recognised:
        """The words of a clip at 16 kHz, LONGEST_S at most.

        Args:
            samples: -1 to 1.
            known: tokens with which the result must begin.
            asks_ending: whether `ending` is wanted, which costs about as much again (each word is a step).
        """
        if len(samples) == 0 or np.abs(samples).max() < _AUDIBLE:
            return Recognised()
        try:
            return self._heard(samples, known, asks_ending=asks_ending)
        finally:
            self._recognised += 1
            if self._recognised % _TIDY_EVERY == 0:
                give_back_freed()

    def _heard(self, samples: NDArray[np.float32], known: Sequence[str], *, asks_ending: bool) -> Recognised:
        seconds = len(samples) / SAMPLE_RATE_HZ
        heard = self._encoded(_window(samples))
        if self._model.is_multilingual:
            ((likeliest, *_),) = self._model.detect_language(heard)
            self._language = [self._ids[likeliest[0]]]
        prompt = [*self._prompt, *(self._ids[token] for token in known)]
        (result,) = self._model.generate(
            heard,
            [prompt],
            beam_size=1,
            # ctranslate2 halves it, as half of the model's length is kept for a prompt.
            max_length=2 * (round(seconds * _TOKENS_PER_S) + _SPARE_TOKENS + len(known)),
            return_scores=True,
            return_no_speech_prob=True,
        )
        if not known and result.no_speech_prob > _NO_SPEECH and result.scores[0] < _UNLIKELY:
            return Recognised()
        tokens = without_repeats([token for token in result.sequences[0] if not token.startswith("<|")], len(known))
        ending = self._ending(heard, tokens) if asks_ending else None
        return Recognised(text_of(tokens).strip(), tuple(tokens), ending)

    def _encoded(self, samples: NDArray[np.float32]) -> Any:
        return self._model.encode(self._storage.from_array(log_mel(samples, self._filters)[np.newaxis]))

    def _ending(self, heard: Any, tokens: Sequence[str]) -> Ending | None:
        words = without_marks(tokens)
        if not words:
            return None
        sentence = last_sentence(words)[-_LONGEST_SENTENCE:]
        capital = "Ġ" + sentence[0].removeprefix("Ġ").capitalize()
        if capital in self._ids:  # as sentences begin; some voices are heard in small letters throughout
            sentence[0] = capital
        by_words = self._next(self._nothing, sentence)
        by_sound = self._next(heard, words)
        return Ending(
            closes=float(by_words[self._closing].sum()),
            breaks_off=float(by_sound[self._dashes].sum()),
            openness=float(-(by_sound * np.log(by_sound + 1e-12)).sum()),
        )

    def _next(self, heard: Any, words: Sequence[str]) -> NDArray[np.float64]:
        """How likely each token comes after these words."""
        (result,) = self._model.generate(
            heard,
            [[*self._prompt, *(self._ids[token] for token in words)]],
            beam_size=1,
            max_length=2 * (len(words) + 1),
            return_logits_vocab=True,
            suppress_blank=False,
            suppress_tokens=[],
        )
        # One row for each word of the prompt, then the one for what follows.
        logits = np.asarray(result.logits[0][len(words)], np.float64)
        likely = np.exp(logits - logits.max())
        return np.asarray(likely / likely.sum(), np.float64)


def _window(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    seconds = max(len(samples) / SAMPLE_RATE_HZ + _SILENCE_AFTER_S, _SHORTEST_WINDOW_S)
    window = np.zeros(round(seconds * 50) * 320, np.float32)
    window[: len(samples)] = samples
    return window


def text_of(tokens: Sequence[str]) -> str:
    """The text that these tokens spell. They are bytes, each written as a printable letter (byte-level BPE)."""
    return bytes(_BYTES[letter] for token in tokens for letter in token).decode("utf-8", "replace")


def without_marks(tokens: Sequence[str]) -> list[str]:
    """The tokens without the marks at their end."""
    words = list(tokens)
    while words and not any(letter.isalnum() for letter in text_of(words[-1:])):
        words.pop()
    return words


def last_sentence(tokens: Sequence[str]) -> list[str]:
    """The tokens of the last sentence, without the marks at its end."""
    words = without_marks(tokens)
    ends = [index for index, token in enumerate(words) if _is_closing(token)]
    return words[ends[-1] + 1 :] if ends else words


def _is_closing(token: str) -> bool:
    """Whether the token is a mark that ends a sentence, perhaps with a quotation mark."""
    mark = token.removeprefix("Ġ")
    return bool(mark) and set(mark) <= set(".?!\"'") and bool(set(mark) & set(".?!")) and ".." not in mark


def _is_dash(token: str) -> bool:
    """Whether the token is a dash, as transcripts have it where somebody breaks off."""
    return not token.startswith("<|") and text_of([token]).strip() in ("-", "--", "–", "—")


def without_repeats(tokens: list[str], fixed: int = 0) -> list[str]:
    """The tokens without an end that goes round in circles.

    Short stretches must come three times in a row (people do say "no, no"), one of eight tokens and more twice.

    Args:
        fixed: as many tokens from the start on are kept in any case.
    """
    for length in range(1, len(tokens) // 2 + 1):
        again = 0  # tokens at the end that are what was said `length` tokens before
        while again < len(tokens) - length and tokens[-1 - again] == tokens[-1 - again - length]:
            again += 1
        if again >= (2 * length if length < _LONG_STRETCH else _LONG_STRETCH):
            return tokens[: max(fixed, len(tokens) - again)]
    return tokens


def _byte_letters() -> dict[str, int]:
    """Which byte each letter of a token stands for: printable ones for themselves, the rest from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}


_BYTES = _byte_letters()

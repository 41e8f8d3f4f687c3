"""`run` and `check` give the embedded engine a language model by options, and say what is wrong with them."""

import socket
from pathlib import Path

import pytest

from simulator.cli import main
from simulator.cli.parser import Parser, add_engine_options, engine_target
from simulator.engines.profiles import EngineTarget
from simulator.engines.thinking import Thinking
from simulator.errors import KeyMissing, UsageError


def target(*options: str) -> EngineTarget:
    parser = Parser()
    add_engine_options(parser)
    return engine_target(parser.parse_args(options))


def test_a_model_with_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-planted")
    found = target(
        "--engine", "embedded", "--think", "https://host/v1", "--think-model", "m", "--think-key-env", "MODEL_KEY"
    )
    assert found.thinking == Thinking("https://host/v1", "m", "sk-planted")
    assert found.secrets == ["sk-planted"]
    assert found.name == "embedded with m"


@pytest.mark.parametrize(
    ("options", "kind", "sentence"),
    [
        (["--engine", "embedded", "--think-model", "m"], UsageError, "need --think with the address"),
        (["--engine", "ws://h/v1", "--think", "http://h/v1"], UsageError, "Only the embedded engine"),
        (["--engine", "embedded", "--think", "h:11434"], UsageError, "starts with http:// or https://"),
        (
            ["--engine", "embedded", "--think", "http://h/v1", "--think-key-env", "NOT_SET_ANYWHERE"],
            KeyMissing,
            "not set",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence(options: list[str], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        target(*options)


def test_a_run_whose_model_is_not_there_ends_with_one_sentence_before_anything_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # bound, and nobody listens: refused, and no one else gets the port
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        options = ["--engine", "embedded", "--think", address, "--record", str(tmp_path / "records")]
        assert main(["run", "textinput", *options]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert address.removesuffix("/v1") in said.err
    assert not (tmp_path / "records").exists()

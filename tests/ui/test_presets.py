"""Presets of responses: a readable file that outlives damage and never holds a key."""

import json
from pathlib import Path

import pytest

from simulator.errors import StorageFault, UsageError
from ui.models.presets import LONGEST_NAME, Presets

SPEAK = {"output_modalities": ["audio"]}
SILENT = {"output_modalities": ["text"], "metadata": {"trial": "é 12"}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "responses.json"


def test_presets_are_kept_renamed_and_deleted(path: Path) -> None:
    presets = Presets(path)
    presets.save("warm up", SPEAK)
    presets.save("Silent", SILENT)
    presets.save(" silent 2 ", SILENT)
    presets.rename("silent 2", "another")
    presets.delete("warm up")
    again = Presets(path)
    assert again.names == ["another", "Silent"]
    assert again.response("another") == SILENT
    assert again.complaint == ""


def test_the_file_can_be_read_by_a_person(path: Path) -> None:
    Presets(path).save("warm up", SILENT)
    text = path.read_text(encoding="utf-8")
    assert '"name": "warm up"' in text
    assert "é 12" in text
    assert json.loads(text)["format"] == "participant-simulator/responses"


def test_saving_over_a_preset_replaces_it(path: Path) -> None:
    presets = Presets(path)
    presets.save("one", SPEAK)
    presets.save("one", SILENT)
    assert Presets(path).response("one") == SILENT


@pytest.mark.parametrize("name", ["", "   ", "a\nb", "x" * (LONGEST_NAME + 1)])
def test_a_name_that_is_none_is_refused(path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="name"):
        Presets(path).save(name, SPEAK)
    assert not path.exists()


def test_a_name_that_is_taken_is_not_given_twice(path: Path) -> None:
    presets = Presets(path)
    presets.save("one", SPEAK)
    presets.save("two", SILENT)
    with pytest.raises(UsageError, match="already"):
        presets.rename("one", "two")
    assert Presets(path).response("two") == SILENT


@pytest.mark.parametrize(
    ("response", "place"),
    [
        ({"tools": [{"type": "mcp", "authorization": "abcdef"}]}, "tools[0].authorization"),
        ({"tools": [{"type": "mcp", "headers": {"X-Api-Key": "abcdef"}}]}, "tools[0].headers.X-Api-Key"),
        ({"metadata": {"note": "Bearer abcdefgh"}}, "metadata.note"),
        ({"instructions": "sk-abcdefghijklmnop1234"}, "instructions"),
    ],
)
def test_a_key_never_gets_into_the_file(path: Path, response: dict[str, object], place: str) -> None:
    presets = Presets(path)
    presets.save("kept", SPEAK)
    with pytest.raises(UsageError) as refused:
        presets.save("with a key", response)
    assert place in str(refused.value)
    assert Presets(path).names == ["kept"]


def test_names_that_only_sound_like_keys_are_kept(path: Path) -> None:
    response = {"max_output_tokens": 12, "metadata": {"token_count": "3", "keyword": "secretary"}}
    Presets(path).save("counted", response)
    assert Presets(path).response("counted") == response


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"format": "x", "formatVersion": 1}', b"\xff\xfe", b"[" * 9999]
)
def test_a_damaged_file_is_told_of_and_set_aside_when_something_is_saved(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    presets = Presets(path)
    assert presets.names == []
    assert str(path) in presets.complaint
    presets.save("new", SPEAK)
    assert path.with_suffix(".damaged.json").read_bytes() == content
    assert Presets(path).names == ["new"]
    assert Presets(path).complaint == ""


def test_what_can_be_read_of_a_damaged_file_is_there(path: Path) -> None:
    presets = Presets(path)
    presets.save("good", SPEAK)
    content = json.loads(path.read_bytes())
    content["presets"] += [{"name": 7}, "nothing", {"name": "no response"}]
    path.write_text(json.dumps(content))
    again = Presets(path)
    assert again.names == ["good"]
    assert "3 of the presets" in again.complaint


def test_a_folder_that_cannot_be_written_is_a_sentence(path: Path) -> None:
    path.parent.write_bytes(b"a file where the folder should be")
    with pytest.raises(StorageFault, match="cannot be written"):
        Presets(path).save("one", SPEAK)

"""Instructions as recorded or others: typed, taken over, or read from a file; nothing typed is gone for good."""

from pathlib import Path

import pytest

from ui.theme import Theme
from ui.widgets.instructions_choice import InstructionsChoice


@pytest.fixture
def choice(theme: Theme) -> InstructionsChoice:
    choice = InstructionsChoice(theme)
    choice.show_texts("Be brief.", "Be verbose.")
    choice.these.setChecked(True)
    return choice


def test_a_file_is_read_and_what_was_typed_comes_back_by_undo(choice: InstructionsChoice, tmp_path: Path) -> None:
    path = tmp_path / "pirate.txt"
    path.write_bytes("\ufeffSpeak like\r\na pirate.".encode())
    choice.take_file(path)
    assert choice.text == choice.typed == "Speak like\na pirate."
    choice.editor.undo()
    assert choice.text == "Be verbose."
    assert choice.typed is None


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"\xff\xfe\x00", "no text in UTF-8"), (b"a" * 1_000_001, "longer than a megabyte"), (None, "cannot be read")],
)
def test_a_file_that_is_no_text_is_told_and_changes_nothing(
    choice: InstructionsChoice, tmp_path: Path, content: bytes | None, says: str
) -> None:
    path = tmp_path / "it.bin"
    if content is not None:
        path.write_bytes(content)
    choice.take_file(path)
    assert says in choice.message.text()
    assert choice.text == "Be verbose."


def test_recorded_and_own_text_are_a_click_away(choice: InstructionsChoice) -> None:
    choice.recorded_button.click()
    assert choice.text == "Be brief."
    choice.own_button.click()
    assert choice.text == "Be verbose."
    choice.as_recorded.setChecked(True)
    assert choice.text == "Be brief."


def test_the_own_text_is_not_offered_where_it_is_the_recorded_one(theme: Theme) -> None:
    choice = InstructionsChoice(theme)
    choice.show_texts("Be brief.", "Be brief.")
    assert not choice.own_button.isEnabled()

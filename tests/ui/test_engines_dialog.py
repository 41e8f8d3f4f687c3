"""The user's own engines: edited in a dialog, kept in a file that never holds a key."""

import json
from collections.abc import Iterator
from pathlib import Path

import keyring
import keyring.backend
import keyring.errors
import pytest

from simulator.engines.profiles import FromEnvironment, engines_file, load_profiles, resolve
from simulator.engines.thinking import Thinking
from tests.ui.window_rig import WindowRig, wait_until
from ui.dialogs.address import AddressDialog
from ui.dialogs.engines import EnginesDialog
from ui.theme import Theme

KEY = "sk-planted-0123456789"


class MemoryKeyring(keyring.backend.KeyringBackend):
    """A keyring that lives as long as a test."""

    priority = 1.0
    keys: dict[tuple[str, str], str]

    def get_password(self, service: str, username: str) -> str | None:
        return self.keys.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.keys[(service, username)] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.keys.pop((service, username), None) is None:
            raise keyring.errors.PasswordDeleteError("none")


@pytest.fixture
def store() -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    memory = MemoryKeyring()  # type: ignore[no-untyped-call]
    memory.keys = {}
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


@pytest.fixture
def dialog(theme: Theme, store: MemoryKeyring) -> EnginesDialog:
    dialog = EnginesDialog(theme, "embedded")
    dialog.open()
    return dialog


def fill_in(dialog: EnginesDialog, name: str, url: str, headers: str = "", key_env: str = "") -> None:
    dialog.new_button.click()
    dialog.name_field.setText(name)
    dialog.url_field.setText(url)
    dialog.headers_field.setPlainText(headers)
    dialog.key_env_field.setText(key_env)
    dialog.save_button.click()


def test_a_saved_engine_is_in_the_file_and_chosen(dialog: EnginesDialog) -> None:
    saved: list[str] = []
    dialog.engines_changed.connect(saved.append)
    fill_in(dialog, "lab", "wss://lab.example/v1/realtime", "X-Room: 7\napi-key: $LAB_KEY", "LAB_TOKEN")
    assert saved == ["lab"]
    assert dialog.message.text() == "“lab” saved."
    profile = next(profile for profile in load_profiles() if profile.name == "lab")
    assert profile.headers == {"X-Room": "7", "api-key": FromEnvironment("LAB_KEY")}
    assert (profile.url, profile.key_env, profile.needs_key) == ("wss://lab.example/v1/realtime", "LAB_TOKEN", True)


@pytest.mark.parametrize(
    ("name", "url", "headers", "sentence"),
    [
        ("lab", "https://lab.example", "", "starts with ws:// or wss://"),
        ("lab", "wss://", "", "The address is missing"),
        ("embedded", "wss://lab.example", "", "is built in"),
        ("lab", "wss://lab.example", "no colon", "written as 'Name: value'"),
        ("lab", "wss://lab.example", "api-key: secret", "carries a key"),
    ],
)
def test_what_cannot_be_saved_gets_one_sentence_and_changes_nothing(
    dialog: EnginesDialog, name: str, url: str, headers: str, sentence: str
) -> None:
    fill_in(dialog, name, url, headers)
    assert sentence in dialog.message.text()
    assert not engines_file().exists()
    assert dialog.name_field.text() == name


def test_a_key_goes_to_the_keyring_and_is_never_shown(
    dialog: EnginesDialog, store: MemoryKeyring, tmp_path: Path
) -> None:
    fill_in(dialog, "lab", "wss://lab.example/v1")
    dialog.key_field.setText(KEY)
    dialog.store_button.click()
    assert dialog.key_field.text() == ""
    wait_until(lambda: dialog.key_state.text() == "✓ The key is in the system's keyring.")
    assert store.keys == {("participant-simulator", "lab"): KEY}
    assert resolve("lab").headers == {"Authorization": f"Bearer {KEY}"}
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or KEY not in path.read_text(errors="replace")
    dialog.forget_button.click()
    wait_until(lambda: dialog.key_state.text() == "No key stored.")
    assert store.keys == {}
    assert resolve("lab").headers == {}


def test_the_embedded_engine_cannot_be_changed(dialog: EnginesDialog) -> None:
    assert not dialog.url_field.isEnabled()
    assert not dialog.save_button.isEnabled()
    assert not dialog.key_field.isEnabled()
    assert "started when it is needed" in dialog.message.text()
    # It is of neither kind that an engine of one's own may be.
    assert (dialog.kind_picker.currentText(), dialog.url_field.text()) == ("", "")


def test_the_embedded_engine_gets_a_language_model(dialog: EnginesDialog, store: MemoryKeyring) -> None:
    dialog.new_button.click()
    dialog.kind_picker.setCurrentText("The embedded engine with a language model")
    assert dialog.url_field.text() == "http://"
    assert "Ollama" in dialog.message.text()
    assert not dialog.headers_field.isEnabled()
    dialog.name_field.setText("llama")
    dialog.save_button.click()
    assert "The address of the model is missing" in dialog.message.text()
    dialog.url_field.setText("http://127.0.0.1:11434/v1")
    dialog.model_field.setText("llama3.2")
    dialog.save_button.click()
    assert dialog.message.text() == "“llama” saved."
    dialog.key_field.setText(KEY)
    dialog.store_button.click()
    wait_until(lambda: dialog.key_state.text() == "✓ The key is in the system's keyring.")
    assert resolve("llama").thinking == Thinking("http://127.0.0.1:11434/v1", "llama3.2", KEY)
    # Shown again as it was saved, and changed back to an address.
    dialog.list.setCurrentRow(0)
    dialog.list.setCurrentRow(2)
    assert (dialog.url_field.text(), dialog.model_field.text()) == ("http://127.0.0.1:11434/v1", "llama3.2")
    dialog.kind_picker.setCurrentIndex(0)
    dialog.save_button.click()
    assert "starts with ws:// or wss://" in dialog.message.text()
    dialog.url_field.setText("wss://lab.example/v1")
    dialog.save_button.click()
    assert resolve("llama").url == "wss://lab.example/v1?model=llama3.2"


def test_renaming_moves_an_engine_and_removing_deletes_it(dialog: EnginesDialog) -> None:
    fill_in(dialog, "lab", "wss://lab.example/v1")
    dialog.name_field.setText("laboratory")
    dialog.save_button.click()
    assert [profile.name for profile in load_profiles()] == ["embedded", "openai", "laboratory"]
    dialog.delete_button.click()
    assert [profile.name for profile in load_profiles()] == ["embedded", "openai"]
    assert json.loads(engines_file().read_text())["engines"] == []


def test_an_engine_saved_in_the_dialog_is_the_one_to_connect_to(rig: WindowRig, store: MemoryKeyring) -> None:
    rig.window.choices.edit_engines()
    dialog = rig.window.findChild(EnginesDialog)
    assert isinstance(dialog, EnginesDialog)
    fill_in(dialog, "lab", "wss://lab.example/v1")
    dialog.close()
    assert rig.window.connection.engine == "lab"
    rig.connect_session()
    assert rig.commands("connect")[-1]["engine"] == "lab"


def test_a_key_in_an_address_that_was_typed_gets_into_no_file(rig: WindowRig, tmp_path: Path) -> None:
    for address in ("wss://lab.example/v1?model=m", f"wss://lab.example/v1?token={KEY}"):
        rig.window.choices.ask_address()
        (dialog,) = (each for each in rig.window.findChildren(AddressDialog) if each.isVisible())
        dialog.field.setText(address)
        dialog.accept()
        assert rig.window.connection.engine == address
        assert rig.window.settings.text("engine") == ("" if KEY in address else address)
    rig.connect_session()
    assert rig.commands("connect")[-1]["engine"].endswith(KEY)
    rig.window.close()
    files = [path for path in (tmp_path / "config").rglob("*") if path.is_file()]
    assert "window.ini" in {path.name for path in files}
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_an_address_is_checked_before_it_is_taken(theme: Theme) -> None:
    dialog = AddressDialog()
    taken: list[str] = []
    dialog.address_given.connect(taken.append)
    for wrong in ("lab.example", "http://lab.example", "ws://"):
        dialog.field.setText(wrong)
        dialog.accept()
        assert "ws:// or wss://" in dialog.message.text()
    assert taken == []
    dialog.field.setText("ws://127.0.0.1:8000/v1")
    dialog.accept()
    assert taken == ["ws://127.0.0.1:8000/v1"]

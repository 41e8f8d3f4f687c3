"""Engine profiles: names, addresses, headers and keys, and that no key gets into the file."""

import json
from collections.abc import Iterator
from pathlib import Path

import keyring
import keyring.backend
import keyring.backends.fail
import keyring.errors
import pytest

from simulator.engines import keys
from simulator.engines.profiles import (
    EngineProfile,
    FromEnvironment,
    delete_profile,
    engines_file,
    load_profiles,
    may_hold_key,
    parse_header,
    parse_header_env,
    resolve,
    save_profile,
)
from simulator.engines.thinking import Think, Thinking
from simulator.errors import EnvironmentFault, KeyMissing, UnknownName, UnreadableFile, UsageError

KEY = "sk-planted-0123456789abcdef"


class MemoryKeyring(keyring.backend.KeyringBackend):
    """A keyring that lasts as long as the test."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.stored: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.stored.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.stored[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.stored[service, username]


@pytest.fixture(autouse=True)
def _nothing_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_CONFIG", str(tmp_path / "config"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.backends.fail.Keyring())  # type: ignore[no-untyped-call]
    yield
    keyring.set_keyring(before)


def test_the_built_in_engines_come_first() -> None:
    save_profile(EngineProfile(name="aardvark", url="wss://engine.example/v1/realtime"))
    assert [profile.name for profile in load_profiles()] == ["embedded", "openai", "aardvark"]


def test_the_embedded_engine_has_its_address_once_it_runs() -> None:
    target = resolve("embedded")
    assert target.is_embedded
    at = target.at("ws://127.0.0.1:4000/v1/realtime")
    assert not at.is_embedded
    assert at.url == "ws://127.0.0.1:4000/v1/realtime"


def test_openai_takes_its_key_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    target = resolve("openai")
    assert target.url == "wss://api.openai.com/v1/realtime?model=gpt-realtime-2.1"
    assert target.headers == {"Authorization": f"Bearer {KEY}"}
    assert KEY in target.secrets


def test_openai_takes_its_key_from_the_keyring_else() -> None:
    keyring.set_keyring(MemoryKeyring())
    keys.store_key("openai", KEY)
    assert keys.key_source("openai", "OPENAI_API_KEY") is keys.KeySource.KEYRING
    assert resolve("openai").headers == {"Authorization": f"Bearer {KEY}"}
    keys.forget_key("openai")
    assert keys.key_source("openai", "OPENAI_API_KEY") is None


def test_a_missing_key_says_where_to_put_it() -> None:
    with pytest.raises(KeyMissing) as error:
        resolve("openai")
    assert str(error.value) == (
        "The engine “openai” needs a key and none was found: put it into the environment variable OPENAI_API_KEY or "
        "store it in the system keyring (service participant-simulator, user openai)."
    )


def test_a_system_without_a_keyring_says_what_to_do_instead() -> None:
    with pytest.raises(EnvironmentFault) as error:
        keys.store_key("openai", KEY)
    assert str(error.value) == (
        "This system has no keyring that can store the key: put it into an environment variable instead."
    )
    assert KEY not in repr(error.value) + error.value.details


def test_the_model_of_the_command_replaces_the_one_of_the_address() -> None:
    target = resolve("wss://engine.example/v1/realtime?model=old&region=eu", "new one")
    assert target.url == "wss://engine.example/v1/realtime?region=eu&model=new+one"
    assert target.model == "new one"
    assert resolve("wss://engine.example/v1/realtime?model=old").model == "old"


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("wss://Engine.example/v1/realtime", "engine.example"),
        ("ws://127.0.0.1:8765/v1/realtime", "127.0.0.1:8765"),
        ("ws://[::1]:8766/", "[::1]:8766"),
    ],
)
def test_an_engine_given_by_its_address_is_called_by_host_and_port(address: str, name: str) -> None:
    assert resolve(address).name == name


def test_values_of_headers_and_queries_are_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_KEY", KEY)
    target = resolve(
        "wss://engine.example/v1/realtime?code=hunter2",
        headers={"X-Tenant": "tenant-1"},
        header_env={"api-key": "AZURE_KEY"},
    )
    assert target.headers == {"X-Tenant": "tenant-1", "api-key": KEY}
    assert set(target.secrets) == {"hunter2", "tenant-1", KEY}


def test_an_address_with_a_key_variable_sends_it_as_bearer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    target = resolve("ws://127.0.0.1:8080/v1/realtime", api_key_env="MY_KEY")
    assert target.headers == {"Authorization": f"Bearer {KEY}"}


@pytest.mark.parametrize("damage", ["\n", "\x1b", "é"])
@pytest.mark.parametrize("variables", [{"api_key_env": "MY_KEY"}, {"header_env": {"api-key": "MY_KEY"}}])
def test_a_damaged_key_is_named_before_it_is_sent_and_not_shown(
    damage: str, variables: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", f"sk-first{damage}second")
    with pytest.raises(UsageError, match="holds characters") as error:
        resolve("ws://127.0.0.1:8080/", **variables)  # type: ignore[arg-type]
    assert "first" not in str(error.value)
    assert "second" not in str(error.value)


def test_a_damaged_key_of_the_users_engine_is_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    headers: dict[str, str | FromEnvironment] = {"api-key": FromEnvironment("MY_KEY")}
    save_profile(EngineProfile(name="mine", url="wss://e.example/", headers=headers))
    monkeypatch.setenv("MY_KEY", "sk-first\nsecond")
    with pytest.raises(UsageError, match="header api-key holds characters"):
        resolve("mine")


@pytest.mark.parametrize("variables", [{"api_key_env": "NOT_SET"}, {"header_env": {"api-key": "NOT_SET"}}])
def test_a_variable_that_is_not_set_is_named(variables: dict[str, object]) -> None:
    with pytest.raises(KeyMissing, match="NOT_SET"):
        resolve("ws://127.0.0.1:8080/", **variables)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("https://engine.example/v1", "starts with ws:// or wss://"),
        ("ws:///v1", "names a host"),
        ("ws://engine.example:port/", "cannot be read"),
        ("ws://user:secret@engine.example/", "holds a password"),
    ],
)
def test_a_bad_address_is_refused_without_repeating_it(address: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as error:
        resolve(address)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("engine", "holds"),
    [
        ("openai", False),
        ("ws://127.0.0.1:8765/v1/realtime", False),
        ("wss://e.example/v1/realtime?model=m", False),
        (f"wss://e.example/v1?model=m&t={KEY}", True),
        (f"wss://e.example/v1?{KEY}", True),
        (f"wss://e.example/v1#{KEY}", True),
        (f"wss://me:{KEY}@e.example/v1", True),
        (f"wss://[{KEY}", True),
    ],
)
def test_an_address_with_anything_in_it_that_may_be_a_key_is_not_to_be_written(engine: str, holds: bool) -> None:
    assert may_hold_key(engine) == holds


def test_the_beta_header_is_never_sent() -> None:
    with pytest.raises(UsageError, match="OpenAI-Beta"):
        resolve("ws://127.0.0.1:1/", headers={"openai-beta": "realtime=v1"})


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="use one of embedded, openai, or an address"):
        resolve("opnai")


def test_the_users_engine_is_kept_without_keys_and_resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = EngineProfile(
        name="lab",
        url="wss://lab.example/v1/realtime",
        model="m-1",
        headers={"api-key": FromEnvironment("LAB_KEY"), "X-Region": "eu"},
    )
    save_profile(profile)
    assert json.loads(engines_file().read_text())["engines"] == [
        {
            "name": "lab",
            "url": "wss://lab.example/v1/realtime",
            "model": "m-1",
            "headers": {"api-key": {"env": "LAB_KEY"}, "X-Region": "eu"},
            "key_env": "",
            "needs_key": False,
            "builtin": False,
            "think": None,
        }
    ]
    monkeypatch.setenv("LAB_KEY", KEY)
    assert resolve("lab").headers == {"api-key": KEY, "X-Region": "eu"}
    assert KEY not in engines_file().read_text()
    save_profile(EngineProfile(name="lab", url="wss://lab2.example/"))
    assert resolve("lab").url == "wss://lab2.example/"
    delete_profile("lab")
    with pytest.raises(UnknownName):
        delete_profile("lab")


@pytest.mark.parametrize(
    "profile",
    [
        EngineProfile(name="mine", url="wss://e.example/", headers={"Authorization": f"Bearer {KEY}"}),
        EngineProfile(name="mine", url="wss://e.example/", headers={"X-Api-Key": KEY}),
        EngineProfile(name="mine", url=f"wss://e.example/?api-key={KEY}"),
        EngineProfile(name="mine", url="wss://e.example/", key_env=KEY),
        EngineProfile(name="mine", url="wss://e.example/", headers={"api-key": FromEnvironment(KEY)}),
        EngineProfile(name="openai", url="wss://e.example/"),
        EngineProfile(name=" ", url="wss://e.example/"),
        EngineProfile(name="mine", url="http://e.example/"),
    ],
)
def test_a_key_or_a_bad_profile_does_not_get_into_the_file(profile: EngineProfile) -> None:
    with pytest.raises(UsageError) as error:
        save_profile(profile)
    assert KEY not in str(error.value)
    assert not engines_file().exists()


def test_a_damaged_file_is_named_and_kept() -> None:
    engines_file().parent.mkdir(parents=True)
    engines_file().write_text("{ half a file")
    with pytest.raises(UnreadableFile, match=r"engines\.json is not as expected"):
        load_profiles()
    with pytest.raises(UnreadableFile):
        save_profile(EngineProfile(name="mine", url="wss://e.example/"))
    assert engines_file().read_text() == "{ half a file"


def test_headers_of_the_command_line() -> None:
    assert parse_header("X-Region: eu: west") == ("X-Region", "eu: west")
    assert parse_header_env("api-key=AZURE_KEY") == ("api-key", "AZURE_KEY")
    with pytest.raises(UsageError) as error:
        parse_header(KEY)
    with pytest.raises(UsageError) as in_variable:
        parse_header_env(f"api-key={KEY}")
    assert KEY not in str(in_variable.value)
    assert KEY not in str(error.value)
    assert "'Name: value'" in str(error.value)


def test_the_embedded_engine_can_have_a_language_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    think = Think("http://127.0.0.1:11434/v1", "llama3.2")
    save_profile(EngineProfile(name="llama", key_env="MODEL_KEY", needs_key=True, think=think))
    assert KEY not in engines_file().read_text()
    target = resolve("llama")
    assert target.is_embedded
    assert (target.name, target.headers, target.secrets) == ("llama", {}, [KEY])
    assert target.thinking == Thinking("http://127.0.0.1:11434/v1", "llama3.2", KEY)
    monkeypatch.delenv("MODEL_KEY")
    with pytest.raises(KeyMissing, match="The engine “llama” needs a key"):
        resolve("llama")


def test_a_model_given_by_the_command_names_the_engine_too() -> None:
    target = resolve("embedded", thinking=Thinking("http://127.0.0.1:8080/v1"))
    assert (target.name, target.thinking) == ("embedded with 127.0.0.1:8080", Thinking("http://127.0.0.1:8080/v1"))
    assert resolve("embedded", thinking=Thinking("http://localhost/v1", "qwen3")).name == "embedded with qwen3"


def test_only_the_embedded_engine_thinks_with_a_model() -> None:
    with pytest.raises(UsageError, match="Only the embedded engine can be given a model"):
        resolve("ws://127.0.0.1:1/v1/realtime", thinking=Thinking("http://127.0.0.1:8080/v1"))


@pytest.mark.parametrize(
    "url",
    ["", "ws://127.0.0.1/v1", "http://", "http://me:secret@host/v1", "http://host/v1?key=secret", "http://host:x/"],
)
def test_an_address_that_no_model_has_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match=r"The address of (a|the) model"):
        save_profile(EngineProfile(name="llama", think=Think(url)))
    with pytest.raises(UsageError, match=r"The address of (a|the) model"):
        resolve("embedded", thinking=Thinking(url))

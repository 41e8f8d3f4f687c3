"""Engine profiles: the names that stand for an engine, and what is needed to connect to it.

Two are built in. `embedded` is the engine that comes with the program and is started for the length of a command or
a live session; `openai` is the engine that the HyperStudy platform itself uses. The user's own lie in `engines.json` in
the platform's configuration folder. That file never holds a key: a header that carries one is given by the name of an
environment variable, and bearer keys come from the environment or the system keyring (see `keys`).
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec
import platformdirs

from simulator.engines.keys import find_key
from simulator.engines.thinking import Think, Thinking, check_think
from simulator.errors import KeyMissing, StorageFault, UnknownName, UnreadableFile, UsageError
from simulator.profile.facts import DEFAULT_MODEL, DEFAULT_URL
from simulator.resources import APPLICATION

EMBEDDED: Final = "embedded"

_FORMAT: Final = "participant-simulator/engines"
_FORMAT_VERSION: Final = 1
_SECRET_NAME = re.compile(r"auth|key|token|secret|cookie|password|signature|^sig$|credential", re.IGNORECASE)
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class FromEnvironment(msgspec.Struct, frozen=True):
    """A header value that is read from an environment variable when the engine is connected to."""

    env: str


class EngineProfile(msgspec.Struct, frozen=True):
    """What a name stands for. `url` is empty for the embedded engine, whose address is known once it runs.

    Where it thinks with a language model (`think`), the key is that model's.
    """

    name: str
    url: str = ""
    model: str = ""
    headers: dict[str, str | FromEnvironment] = {}
    key_env: str = ""
    """Environment variable with the bearer key; the system keyring is asked where it is empty or not set."""
    needs_key: bool = False
    builtin: bool = False
    think: Think | None = None


class EngineTarget(msgspec.Struct, frozen=True):
    """A resolved engine. `headers` and `secrets` hold keys: neither is ever written, logged or shown."""

    name: str
    url: str
    """With the model as its query; empty for the embedded engine."""
    model: str
    headers: dict[str, str]
    secrets: list[str]
    thinking: Thinking | None = None
    """The language model that the embedded engine thinks with; None: its script."""

    @property
    def is_embedded(self) -> bool:
        """Whether the engine has to be started first."""
        return not self.url

    def at(self, url: str) -> "EngineTarget":
        """Return the same target at the address where the embedded engine listens."""
        return msgspec.structs.replace(self, url=_with_model(url, self.model))


class _EnginesFile(msgspec.Struct):
    format: str
    formatVersion: int  # noqa: N815 - the field's name in the file
    engines: list[EngineProfile] = []


BUILTIN: Final = (
    EngineProfile(name=EMBEDDED, url="", builtin=True),
    EngineProfile(
        name="openai", url=DEFAULT_URL, model=DEFAULT_MODEL, key_env="OPENAI_API_KEY", needs_key=True, builtin=True
    ),
)


def config_folder() -> Path:
    """Return the folder with the user's settings; PARTICIPANT_SIMULATOR_CONFIG overrides the platform's."""
    override = os.environ.get("PARTICIPANT_SIMULATOR_CONFIG")
    return Path(override) if override else platformdirs.user_config_path(APPLICATION, appauthor=False)


def engines_file() -> Path:
    """Return the path of the file with the user's own engines, which may not exist."""
    return config_folder() / "engines.json"


def load_profiles() -> list[EngineProfile]:
    """Return the built-in engines, then the user's own by name. Raises UnreadableFile."""
    own = sorted(_load_own(), key=lambda profile: profile.name.casefold())
    return [*BUILTIN, *own]


def save_profile(profile: EngineProfile) -> None:
    """Add the profile to the user's own, or replace the one of that name.

    Raises UsageError for a bad name, address or header, and where a key would get into the file; StorageFault.
    """
    _check_profile(profile)
    kept = [known for known in _load_own() if known.name != profile.name]
    _write_own([*kept, msgspec.structs.replace(profile, builtin=False)])


def delete_profile(name: str) -> None:
    """Remove one of the user's own engines. Raises UnknownName, StorageFault."""
    own = _load_own()
    kept = [profile for profile in own if profile.name != name]
    if len(kept) == len(own):
        raise UnknownName(f"There is no engine of your own called “{name}”: nothing was removed.")
    _write_own(kept)


def resolve(
    name_or_url: str,
    model: str | None = None,
    api_key_env: str | None = None,
    headers: Mapping[str, str] | None = None,
    header_env: Mapping[str, str] | None = None,
    thinking: Thinking | None = None,
) -> EngineTarget:
    """Return where to connect and with what, with keys looked up; `thinking` is a mind for the embedded engine.

    Raises UnknownName, UsageError for a bad address, header or key, KeyMissing where a key is needed and none is found.
    """
    profile = _find(name_or_url)
    model = model or profile.model or ""
    sent = _headers_of(profile)
    sent.update(headers or {})
    sent.update({header: _from_environment(header, variable) for header, variable in (header_env or {}).items()})
    for header, value in sent.items():
        _check_header(header, value)
    key = _key(profile, api_key_env)
    if thinking is not None or profile.think is not None:
        return _thinking_target(profile, thinking, model, key, sent)
    if key is not None:
        if not _can_be_sent(key):
            raise UsageError(f"The key of the engine “{profile.name}” holds characters that no key has: copy it anew.")
        sent["Authorization"] = f"Bearer {key}"
    elif profile.needs_key and not any(_carries_key(header) for header in sent):
        raise KeyMissing(_key_missing_sentence(profile))
    url = _with_model(profile.url, model) if profile.url else ""
    return EngineTarget(
        name=profile.name, url=url, model=model or _model_in(url), headers=sent, secrets=_secrets(url, sent, key)
    )


def _thinking_target(
    profile: EngineProfile, thinking: Thinking | None, model: str, key: str | None, sent: dict[str, str]
) -> EngineTarget:
    """Return the embedded engine with a language model: the profile's, or another in its place."""
    if profile.url:
        raise UsageError("Only the embedded engine can be given a model to think with: choose it.")
    name = profile.name
    if thinking is not None:
        name = f"{name} with {thinking.name}"  # a report must say whose answers they were
    else:
        assert profile.think is not None
        if key is None and profile.needs_key:
            raise KeyMissing(_key_missing_sentence(profile))
        thinking = Thinking(profile.think.url, profile.think.model, key)
    check_think(Think(thinking.url))
    if thinking.key is not None and not _can_be_sent(thinking.key):
        raise UsageError("The key of the model holds characters that no key has: copy it anew.")
    secrets = _secrets("", sent, thinking.key)
    return EngineTarget(name=name, url="", model=model, headers=sent, secrets=secrets, thinking=thinking)


def parse_header(text: str) -> tuple[str, str]:
    """Read ``Name: value``. Raises UsageError."""
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise UsageError("A header is written as 'Name: value', and one of yours is not: write it that way.")
    return name.strip(), value.strip()


def parse_header_env(text: str) -> tuple[str, str]:
    """Read ``Name=VARIABLE``. Raises UsageError."""
    name, sign, variable = text.partition("=")
    if not sign or not name.strip() or not _VARIABLE_NAME.fullmatch(variable.strip()):
        raise UsageError(
            "A header from the environment is written as 'Name=VARIABLE', with the name of an environment variable: "
            "write it that way, and keep the key itself in the variable."
        )
    return name.strip(), variable.strip()


def is_address(text: str) -> bool:
    """Return whether the text is an address rather than the name of an engine."""
    return "://" in text


def may_hold_key(name_or_url: str) -> bool:
    """Whether this is an address with more in it than where the engine is, and its model: it may not be written."""
    try:
        parts = urlsplit(name_or_url if is_address(name_or_url) else "")
    except ValueError:
        return True
    queries = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    return "@" in parts.netloc or bool(parts.fragment) or bool(parts.query and queries != {"model"})


def name_of_address(url: str) -> str:
    """Return what an engine without a name is called: its host, and its port where the address has one."""
    return urlsplit(url).netloc.rpartition("@")[2].rstrip(":").lower() or "engine"


def _find(name_or_url: str) -> EngineProfile:
    if is_address(name_or_url):
        _check_address(name_or_url)
        return EngineProfile(name=name_of_address(name_or_url), url=name_or_url)
    profiles = load_profiles()
    for profile in profiles:
        if profile.name == name_or_url:
            return profile
    known = ", ".join(profile.name for profile in profiles)
    raise UnknownName(
        f"There is no engine called “{name_or_url}”: use one of {known}, or an address that starts with ws:// or wss://."
    )


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises where the port is no number
    except ValueError as error:
        raise UsageError(f"The address of the engine cannot be read ({error}): check it.") from error
    if parts.scheme not in {"ws", "wss"} or not parts.hostname:
        raise UsageError("The address of an engine starts with ws:// or wss:// and names a host: check it.")
    if parts.username or parts.password:
        raise UsageError(
            "The address of the engine holds a password: send it as a header from the environment instead."
        )


def _check_header(name: str, value: str) -> None:
    if not _HEADER_NAME.fullmatch(name):
        raise UsageError(f"“{name}” cannot be the name of a header: use letters, digits and hyphens.")
    if name.casefold() == "openai-beta":
        raise UsageError("The header OpenAI-Beta asks for the old interface, which the profile excludes: leave it out.")
    if not _can_be_sent(value):
        raise UsageError(f"The value of the header {name} holds characters that cannot be sent: check it.")


def _can_be_sent(value: str) -> bool:
    return value.isprintable() and value.isascii()


def _check_profile(profile: EngineProfile) -> None:
    if any(profile.name == builtin.name for builtin in BUILTIN):
        raise UsageError(f"“{profile.name}” is built in: choose another name for your own engine.")
    if not profile.name.strip() or is_address(profile.name) or not profile.name.isprintable():
        raise UsageError("An engine needs a name of its own that is not an address: choose one.")
    if profile.think is not None:
        check_think(profile.think)
    else:
        _check_address(profile.url)
    if any(_carries_key(name) for name, _ in parse_qsl(urlsplit(profile.url).query)):
        raise UsageError(
            "The address holds a key, which must not get into the file of engines: "
            "send it as a header from the environment."
        )
    if profile.key_env and not _VARIABLE_NAME.fullmatch(profile.key_env):
        raise UsageError("The key is given by the name of an environment variable, never by itself: give the name.")
    for name, value in profile.headers.items():
        if isinstance(value, FromEnvironment):
            if not _VARIABLE_NAME.fullmatch(value.env):
                raise UsageError(f"The header {name} needs the name of an environment variable: give one.")
            _check_header(name, "")
        elif _carries_key(name):
            raise UsageError(
                f"The header {name} carries a key, which must not get into the file of engines: "
                "give the name of an environment variable instead."
            )
        else:
            _check_header(name, value)


def _carries_key(name: str) -> bool:
    return _SECRET_NAME.search(name) is not None


def _headers_of(profile: EngineProfile) -> dict[str, str]:
    sent: dict[str, str] = {}
    for header, value in profile.headers.items():
        sent[header] = _from_environment(header, value.env) if isinstance(value, FromEnvironment) else value
        _check_header(header, sent[header])
    return sent


def _from_environment(header: str, variable: str) -> str:
    value = os.environ.get(variable, "").strip()
    if not value:
        raise KeyMissing(
            f"The header {header} is read from the environment variable {variable}, which is not set: set it."
        )
    return value


def _key(profile: EngineProfile, api_key_env: str | None) -> str | None:
    if api_key_env:
        value = os.environ.get(api_key_env, "").strip()
        if not value:
            raise KeyMissing(f"The environment variable {api_key_env} is not set: put the engine's key into it.")
        return value
    if not profile.needs_key and not profile.key_env:
        return None
    return find_key(profile.name, profile.key_env)


def _key_missing_sentence(profile: EngineProfile) -> str:
    variable = f"put it into the environment variable {profile.key_env} or " if profile.key_env else ""
    return (
        f"The engine “{profile.name}” needs a key and none was found: {variable}store it in the system keyring "
        f"(service {APPLICATION}, user {profile.name})."
    )


def _with_model(url: str, model: str) -> str:
    if not model:
        return url
    parts = urlsplit(url)
    query = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name != "model"]
    return urlunsplit(parts._replace(query=urlencode([*query, ("model", model)])))


def _model_in(url: str) -> str:
    return dict(parse_qsl(urlsplit(url).query)).get("model", "")


def _secrets(url: str, headers: Mapping[str, str], key: str | None) -> list[str]:
    values = [value for name, value in parse_qsl(urlsplit(url).query) if name != "model"]
    values += headers.values()
    if key:
        values.append(key)
    return sorted({value for value in values if value}, key=len, reverse=True)


def _load_own() -> Sequence[EngineProfile]:
    path = engines_file()
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UnreadableFile(f"The file of engines {path} cannot be read: {error.strerror}.") from error
    try:
        content = msgspec.json.decode(text, type=_EnginesFile)
    except msgspec.MsgspecError as error:
        raise UnreadableFile(f"The file of engines {path} is not as expected ({error}): mend or delete it.") from error
    if content.format != _FORMAT or content.formatVersion > _FORMAT_VERSION:
        raise UnreadableFile(
            f"The file of engines {path} was written by another program or a newer version of this one."
        )
    return content.engines


def _write_own(profiles: Sequence[EngineProfile]) -> None:
    path = engines_file()
    content = msgspec.json.encode(_EnginesFile(format=_FORMAT, formatVersion=_FORMAT_VERSION, engines=list(profiles)))
    unfinished = path.with_suffix(".unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(msgspec.json.format(content, indent=2) + b"\n")
        unfinished.replace(path)
    except OSError as error:
        raise StorageFault(f"The file of engines {path} cannot be written: {error.strerror}.") from error

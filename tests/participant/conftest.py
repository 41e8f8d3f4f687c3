"""A folder for records, and an environment in which nothing of the user's is read or written."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """The folder in which sessions make theirs."""
    return tmp_path / "records"

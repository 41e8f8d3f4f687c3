"""A session whose process is killed opens here and in other programs; `bench kills` does it a hundred times."""

import pytest

from bench import kills


def test_sessions_killed_at_random_moments_open_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is also finished and read again; what is read anywhere is compared sample by sample."""
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_KILLS", "4")
    monkeypatch.setattr(kills, "LONGEST_S", 1.5)
    figures = {figure.name: figure for figure in kills.run()}
    assert {
        f"lost by a kill: {track}, {reader}"
        for track in ("participant", "agent", "heard")
        for reader in ("here", "wave", "soundfile")
    } <= set(figures)
    assert [name for name, figure in figures.items() if not figure.is_met] == []

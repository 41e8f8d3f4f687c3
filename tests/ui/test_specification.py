"""A specification file in the window: loaded, compared, remembered, missed when it is gone, and followed."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from simulator.participant.messages import ConnectionState, Entries
from simulator.profile.agent_spec import OWN, differences, read_agent_spec
from simulator.record.entries import Direction, Entry
from tests.profile.spec_file import spec_document, write_spec
from tests.ui.window_rig import WindowRig, wait_until
from ui.dialogs.specification import SpecificationDialog
from ui.models.wording_line import wording_line
from ui.theme import Theme


def another_spec() -> dict[str, Any]:
    """A file with one threshold of its own, and a server_vad of 700 ms."""
    document = spec_document()
    document["conformance"]["thresholds"]["maxOnsetDelayMs"] = 900
    document["conformance"]["turnDetections"][0]["silence_duration_ms"] = 700
    return document


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_spec(tmp_path / "agent-spec.json", another_spec())


def test_the_dialog_shows_each_difference_with_both_values(theme: Theme, path: Path) -> None:
    spec = read_agent_spec(path)
    found = differences(spec)
    dialog = SpecificationDialog(theme, path, spec, found)
    top = dialog.tree.topLevelItem(0)
    assert top is not None
    leaves = [leaf for leaf in map(top.child, range(top.childCount())) if leaf is not None]
    rows = [[leaf.text(column) for column in range(3)] for leaf in leaves]
    assert ["conformance.thresholds.maxOnsetDelayMs", "1000", "900"] in rows
    listed = sum(
        item.childCount()
        for item in map(dialog.tree.topLevelItem, range(dialog.tree.topLevelItemCount()))
        if item is not None
    )
    assert listed == len(found)
    dialog.tree.setCurrentItem(leaves[0])
    assert rows[0][0] in dialog.detail.toPlainText()


def test_a_file_that_says_what_is_known_says_so(theme: Theme, path: Path) -> None:
    dialog = SpecificationDialog(theme, path, OWN, [])
    assert dialog.summary.text().startswith("✓")


def test_the_line_says_whose_words_are_sent_and_from_when(path: Path) -> None:
    spec = read_agent_spec(path)
    own = {"version": "0.2.0", "source": "own", "sha256": None}
    assert wording_line(OWN, None, 0, None)[0] == "own words, 0.2.0"
    assert wording_line(OWN, None, 0, own)[0] == "own words, 0.2.0"
    line, more = wording_line(spec, str(path), 3, None)
    assert line == f"agent-spec.json, {spec.version}"
    assert str(spec.sha256) in more
    line, more = wording_line(spec, str(path), 3, own)
    assert line.startswith("next: ")
    assert "own wording" in more


def test_a_loaded_file_is_followed_by_session_composer_and_pickers(rig: WindowRig, path: Path) -> None:
    window = rig.window
    window.specification.load(str(path))
    wait_until(lambda: window.specification.spec.source == "file")
    assert window.agent.wording_button.text().startswith("agent-spec.json")
    picker = window.connection.turn_detection_picker
    assert picker.itemText(0) == "server_vad 700 ms"
    assert window.connection.turn_detection["silence_duration_ms"] == 700
    rig.connect_session()
    assert rig.commands("connect")[-1]["specification"] == str(path)
    assert window.desk.specification == str(path)
    assert window.settings.text("specification") == str(path)
    window.specification.use_own()
    assert window.specification.path is None
    assert picker.itemText(0) == "server_vad 500 ms"
    assert window.settings.text("specification") == ""


def test_a_file_that_is_no_specification_is_a_sentence_and_changes_nothing(rig: WindowRig, tmp_path: Path) -> None:
    bad = tmp_path / "other.json"
    bad.write_text('{"specVersion": "9.0"}')
    rig.window.specification.load(str(bad))
    wait_until(lambda: "9.0" in rig.window.notices.text.text())
    assert rig.window.specification.path is None
    assert rig.window.settings.text("specification") == ""


def test_a_remembered_file_is_followed_again_and_missed_when_it_is_gone(rig: WindowRig, path: Path) -> None:
    desk = rig.window.specification
    rig.window.settings.set_text("specification", str(path))
    desk.restore()
    assert desk.path == str(path), "who connects at once follows it too"
    wait_until(lambda: desk.spec.source == "file")
    path.unlink()
    desk.restore()
    wait_until(lambda: desk.path is None)
    assert "own wording is used" in rig.window.notices.text.text()
    assert desk.spec is OWN
    assert rig.window.settings.text("specification") == str(path), "it may come back: a drive, a cloud folder"


def test_a_file_that_changed_since_it_was_loaded_is_told_of(rig: WindowRig, path: Path) -> None:
    desk = rig.window.specification
    desk.load(str(path))
    wait_until(lambda: desk.spec.source == "file")
    write_spec(path, spec_document())
    changed = read_agent_spec(path)
    note = {"specification": {"version": changed.version, "source": "file", "sha256": changed.sha256}}
    started = Entry(0, 0, Direction.NOTED, "record.started", note)
    rig.feed.take([msgspec.structs.replace(rig.feed.status, connection=ConnectionState.CONNECTED)])
    rig.feed.take([Entries(entries=[started])])
    wait_until(lambda: desk.spec.sha256 == changed.sha256)
    assert "has changed" in rig.window.notices.text.text()
    assert rig.window.agent.wording_button.text() == f"agent-spec.json, {changed.version}"


def test_checks_follow_the_file_too(rig: WindowRig, path: Path, tmp_path: Path) -> None:
    rig.window.specification.load(str(path))
    wait_until(lambda: rig.window.desk.specification == str(path))
    wait_until(lambda: rig.checks.model.checks)
    rig.window.desk.run_all()
    asked = tmp_path / "checks" / "arguments.json"
    wait_until(asked.exists)
    wait_until(lambda: not rig.checks.running)
    arguments = json.loads(asked.read_text())
    assert arguments[arguments.index("--spec") + 1] == str(path)

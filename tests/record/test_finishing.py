"""A session's folder is finished: compressed without losing a sample, described, whole whenever it is broken off."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import numpy as np
import pytest
import soundfile

from simulator.cli import main
from simulator.engines.children import child_environment
from simulator.errors import StorageFault, UnreadableFile, UnreadableRecording, UsageError
from simulator.record import finishing, lock
from simulator.record import folder as folder_module
from simulator.record.entries import AudioSpan, Direction, Entry, Track
from simulator.record.export import export
from simulator.record.finishing import finish, is_finished
from simulator.record.folder import delete_session, files_of, is_running, size_bytes
from simulator.record.integrity import alteration
from simulator.record.manifest import changes, read_manifest
from simulator.record.reader import audio, audio_lack, read_record
from simulator.record.tracks import TrackFile
from simulator.record.wav import flac_path, header, track_path
from simulator.record.writer import RawFile, RecordWriter, open_new

AGENT = np.random.default_rng(2).integers(-9_000, 9_000, 70_001).astype(np.int16)
HEARD = np.stack((AGENT, AGENT[::-1]), axis=1)
STARTED = {"format": "participant-simulator/record", "format_version": 1, "started_at": "2026-12-01T03:00:00.000+00:00"}
HEADER = header(2, 0)
LINES = [
    Entry(0, 0, Direction.NOTED, "record.started", {**STARTED, "versions": {"python": "3.11.2"}, "engine": "embedded"}),
    Entry(1, 10, Direction.NOTED, "output.chosen", {"name": "Headphones", "sample_rate_hz": 48000}),
    Entry(2, 20, Direction.SENT, "session.update", {"session": {"voice": "marin"}}),
    Entry(3, 30, Direction.RECEIVED, "session.updated", {"session": {"voice": "cedar"}}),
    Entry(4, 40, Direction.NOTED, "answer", {"component": "likertscale", "value": 5, "accepted": True}),
    Entry(5, 50, Direction.NOTED, "violation", {"clause": "silent answer", "sentence": "It spoke."}),
    Entry(6, 60, Direction.RECEIVED, "response.done", problem="The response has no id."),
    Entry(7, 70, Direction.NOTED, "chat.sent", {"message": "Hello", "call_id": "call_1"}),
    Entry(8, 80, Direction.RECEIVED, "response.output_audio.delta", audio=AudioSpan(Track.AGENT, 0, 70_001, 140_002)),
    Entry(9, 2_500_000_000, Direction.NOTED, "record.ended", {"reason": "disconnected"}),
]


def write(folder: Path, lines: list[Entry] = LINES) -> Path:
    """Write a session of three seconds, as it lies there when its process ends."""
    writer = RecordWriter(folder / "session.jsonl", on_fault=lambda fault: pytest.fail(str(fault)))
    for entry in lines:
        writer.append(entry)
    writer.write_audio(Track.AGENT, AGENT)
    writer.write_audio(Track.HEARD, HEARD)
    writer.close()
    return folder


def is_whole(folder: Path) -> bool:
    """Whether every sample and every entry can be read, in whatever state the folder is."""
    record = read_record(folder)
    lacks = [audio_lack(record, track) for track in Track]
    same = np.array_equal(audio(folder, Track.AGENT), AGENT) and np.array_equal(audio(folder, Track.HEARD), HEARD)
    return same and record.entries == LINES and lacks == [None, None, None]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write(tmp_path / "2026-12-01 03.00.00 embedded")


def test_a_finished_session_has_the_same_samples_and_says_what_it_was(session: Path) -> None:
    assert not is_finished(session)
    manifest = finish(session)
    assert is_finished(session)
    assert is_whole(session)
    assert sorted(path.name for path in session.iterdir()) == [
        "answers.json",
        "checks.json",
        "manifest.json",
        "session.agent.flac",
        "session.heard.flac",
        "session.jsonl",
        "settings.json",
    ]
    # A program that knows nothing of this one reads the same.
    assert np.array_equal(soundfile.read(session / "session.heard.flac", dtype="int16")[0], HEARD)
    assert manifest == read_manifest(session)
    assert (manifest.entries, manifest.duration_s, manifest.ended, manifest.problems) == (10, 2.5, "disconnected", [])
    assert list(changes(session)) == []
    settings = json.loads((session / "settings.json").read_text())
    assert settings["requested"] == [{"seq": 2, "t_ns": 20, "session": {"voice": "marin"}}]
    assert settings["accepted"] == [{"seq": 3, "t_ns": 30, "session": {"voice": "cedar"}}]
    assert settings["devices"][0]["name"] == "Headphones"
    assert (settings["versions"], settings["engine"]) == ({"python": "3.11.2"}, "embedded")
    answers = json.loads((session / "answers.json").read_text())
    assert [(answer["seq"], answer["value"]) for answer in answers["answers"]] == [(4, 5)]
    assert answers["chat"] == [{"seq": 7, "t_ns": 70, "message": "Hello", "call_id": "call_1"}]
    told = json.loads((session / "checks.json").read_text())["told"]
    assert [(each["seq"], each["kind"], each["sentence"]) for each in told] == [
        (5, "violation", "It spoke."),
        (6, "frame", "The response has no id."),
    ]


def test_a_change_to_a_finished_session_shows(session: Path) -> None:
    finish(session)
    (session / "answers.json").write_text("{}")
    (session / "session.agent.flac").unlink()
    (session / "study.yaml").write_text("name: x\n")
    (session / "my notes.txt").write_text("of no session")
    told = ["answers.json was changed", "session.agent.flac is not there any more", "study.yaml is new"]
    assert [" ".join(each) for each in changes(session)] == told
    sentence = f"This session is not as it was when it was finished: {', '.join(told)}."
    assert alteration(session) == sentence
    assert alteration(session / "session.jsonl") == sentence


def test_one_letter_of_the_events_shows(session: Path) -> None:
    finish(session)
    assert alteration(session) is None
    events = session / "session.jsonl"
    events.write_bytes(events.read_bytes().replace(b'"value":5', b'"value":6'))
    assert alteration(session) == "This session is not as it was when it was finished: session.jsonl was changed."


def test_what_the_program_made_again_is_no_change(session: Path) -> None:
    finish(session)
    answers = session / "answers.json"
    content = answers.read_bytes()
    answers.write_bytes(b"{}")
    manifest = json.loads((session / "manifest.json").read_bytes())
    next(each for each in manifest["files"] if each["name"] == "answers.json")["sha256"] = "of an earlier version"
    (session / "manifest.json").write_text(json.dumps(manifest))
    assert alteration(session) == "This session is not as it was when it was finished: answers.json was changed."
    answers.write_bytes(content)
    (session / ".answers.json.part").write_bytes(content)
    assert alteration(session) is None
    finish(session)
    assert alteration(session) is None


def test_sound_that_came_later_is_not_taken_for_the_sessions_own(session: Path) -> None:
    finish(session)
    (session / "session.agent.wav").write_bytes(header(1, 2) + b"\0\0")
    assert is_finished(session)
    finishing.start(session)
    assert alteration(session) == "This session is not as it was when it was finished: session.agent.wav is new."


def test_nothing_is_said_to_be_changed_where_nobody_knows_how_it_was(session: Path, tmp_path: Path) -> None:
    assert alteration(session) is None
    finish(session)
    (session / "answers.json").write_text("{}")
    with lock.holding(session / "session.jsonl"):
        assert alteration(session) is None
    assert alteration(session, lambda: False) is None
    (tmp_path / "check.jsonl").write_bytes((session / "session.jsonl").read_bytes())
    assert alteration(tmp_path / "check.jsonl") is None


def test_a_manifest_that_is_none_is_told(session: Path) -> None:
    (session / "manifest.json").write_text("[]")
    assert alteration(session) == f"{session / 'manifest.json'} is no manifest of a session."


def test_many_changes_are_one_sentence_of_one_line(session: Path) -> None:
    (session / "study files").mkdir()
    for number in range(7):
        (session / "study files" / f"{number}{'x' * 90}.png").write_bytes(b"png")
    finish(session)
    manifest = (session / "manifest.json").read_text().replace("x" * 90, "a\\nb" + "x" * 90)
    (session / "manifest.json").write_text(manifest)
    told = alteration(session) or ""
    assert "study files/0a bxx" in told
    assert told.endswith("is not there any more, and so on: 10 more.")
    assert len(told) < 450


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
@pytest.mark.timeout(30)
def test_a_manifest_that_lies_and_a_pipe_in_the_folder_are_no_files_of_a_session(session: Path) -> None:
    (session / "study.yaml").write_text("name: x\n")
    (session / "study files").mkdir()
    os.mkfifo(session / "study files" / "pipe")
    finish(session)
    assert list(changes(session)) == []
    names = ["/dev/zero", "../other.txt", "study files/pipe", "gone.txt", "n\0l"]
    manifest = json.loads((session / "manifest.json").read_bytes())
    manifest["files"] = [{"name": name, "bytes": 0, "sha256": ""} for name in names]
    (session / "manifest.json").write_text(json.dumps(manifest))
    told = dict(changes(session))
    assert [told[name] for name in names[:4]] == [*["is no file of a session"] * 3, "is not there any more"]
    assert "cannot be read" in told[names[4]]
    assert delete_session(session) == [session / "study files"]


def test_a_manifest_of_a_later_format_is_refused_and_one_that_is_none_too(session: Path) -> None:
    with pytest.raises(UnreadableFile, match="cannot be read"):
        read_manifest(session)
    finish(session)
    path = session / "manifest.json"
    path.write_text(path.read_text().replace('"format_version": 1', '"format_version": 2'))
    with pytest.raises(UnreadableFile, match="format version 2"):
        read_manifest(session)
    path.write_text("[]")
    with pytest.raises(UnreadableFile, match="is no manifest"):
        read_manifest(session)


def test_what_a_crash_left_is_finished_and_said_to_be_cut_off(tmp_path: Path) -> None:
    session = write(tmp_path / "crashed", LINES[:-1])
    with (session / "session.jsonl").open("ab") as file:
        file.write(b'{"seq":9,"t_ns":')
    wav = track_path(session / "session.jsonl", Track.AGENT)
    # Its header is a second old, and its last sample half there.
    content = wav.read_bytes()
    wav.write_bytes(content[:4] + bytes(4) + content[8:40] + bytes(4) + content[44:] + b"\x01")
    (session / "session.participant.wav").write_bytes(b"RIFF")
    manifest = finish(session)
    assert manifest.ended is None
    assert manifest.problems[0].startswith("Line 10 (byte ")
    assert manifest.problems[1].startswith("The session did not come to its end")
    assert np.array_equal(audio(session, Track.AGENT), AGENT)
    assert is_finished(session)


def test_a_session_killed_in_its_first_line_is_finished_listed_as_broken_off_and_deleted(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = session / "session.jsonl"
    events.write_bytes(events.read_bytes()[:30])
    assert main(["sessions", str(session.parent), "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert listed["state"] == "broken off"
    manifest = finish(session)
    assert (manifest.entries, manifest.ended) == (0, None)
    assert manifest.problems[0].startswith("Line 1 (byte 0) was cut off in the middle")
    assert np.array_equal(audio(session, Track.AGENT), AGENT)
    assert is_finished(session)
    assert delete_session(session) == []
    assert not session.exists()


@pytest.mark.parametrize("written", [b"", HEADER[:20], HEADER, HEADER + b"\1", HEADER + b"\1\0\2"])
def test_a_kill_before_the_first_whole_sample_leaves_nothing_to_compress(session: Path, written: bytes) -> None:
    (session / "session.heard.wav").write_bytes(written)
    finish(session)
    assert is_finished(session)
    assert [path.name for path in session.glob("*heard*")] == []


def test_a_track_that_is_garbage_stays_as_it_is_and_is_told(session: Path) -> None:
    (session / "session.participant.wav").write_bytes(b"garbage" * 100)
    manifest = finish(session)
    assert [problem.rpartition("/")[2] for problem in manifest.problems] == [
        "session.participant.wav is not the audio of a record."
    ]
    assert (session / "session.participant.wav").read_bytes() == b"garbage" * 100
    assert is_finished(session)


def test_a_session_that_goes_on_is_neither_finished_nor_deleted(tmp_path: Path) -> None:
    audio_begun = Event()

    def open_file(path: Path) -> RawFile:
        if path.suffix == ".wav":
            audio_begun.set()
        return open_new(path)

    writer = RecordWriter(
        tmp_path / "session.jsonl", on_fault=lambda fault: pytest.fail(str(fault)), open_file=open_file
    )
    writer.append(LINES[0])
    writer.write_audio(Track.AGENT, AGENT)
    assert audio_begun.wait(30)
    assert is_running(tmp_path)
    with pytest.raises(UsageError, match="still goes on"):
        finish(tmp_path)
    with pytest.raises(UsageError, match="still goes on"):
        delete_session(tmp_path)
    writer.close()
    assert not is_running(tmp_path)
    assert (tmp_path / "session.agent.wav").exists()


def test_while_a_session_is_deleted_nobody_begins_to_finish_it(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused: list[str] = []
    remove = folder_module._remove

    def tried(path: Path) -> None:
        if session.exists():
            with pytest.raises((UsageError, StorageFault)) as caught:
                finish(session)
            refused.append(str(caught.value))
        remove(path)

    monkeypatch.setattr(folder_module, "_remove", tried)
    assert delete_session(session) == []
    assert not session.exists()
    assert len(refused) > 3
    assert "finished or deleted already" in refused[0]


@pytest.mark.skipif(sys.platform == "win32", reason="there, an open file is not deleted")
def test_who_waited_for_a_session_that_was_deleted_does_not_finish_it(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deleted_before(descriptor: int, patience_s: float = 0.2) -> bool:
        (session / "session.jsonl").unlink(missing_ok=True)
        return True

    monkeypatch.setattr(lock, "take", deleted_before)
    before = set(session.iterdir()) - {session / "session.jsonl"}
    with pytest.raises(UsageError, match="finished or deleted already"):
        finish(session)
    assert set(session.iterdir()) == before


def test_a_session_that_may_not_be_written_can_be_deleted(session: Path) -> None:
    finish(session)
    for path in session.iterdir():
        path.chmod(0o444)
    assert delete_session(session) == []
    assert not session.exists()


def test_a_full_disk_leaves_everything_as_it_was_and_it_can_be_tried_again(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("simulator.record.finishing._encode", full)
        with pytest.raises(StorageFault, match="No space left on device"):
            finish(session)
    assert sorted(path.name for path in session.iterdir()) == [
        "session.agent.wav",
        "session.heard.wav",
        "session.jsonl",
    ]
    finish(session)
    assert is_whole(session)


@pytest.mark.skipif(sys.platform == "win32", reason="there, a process has no limit for its files")
def test_a_disk_that_fills_up_in_the_middle_is_told_by_its_own_word(session: Path) -> None:
    before = {path: path.read_bytes() for path in session.iterdir()}
    limited = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000));"
        "from simulator.record.finishing import main; sys.exit(main(sys.argv[1:]))"
    )
    run = subprocess.run(
        [sys.executable, "-P", "-c", limited, str(session)],
        env=child_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 3
    assert f"The session in {session} cannot be finished (File too large); what was recorded is whole." in run.stderr
    assert {path: path.read_bytes() for path in session.iterdir()} == before


def test_a_flac_that_does_not_hold_the_samples_never_replaces_the_wav(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(samples: object, target: Path) -> None:
        soundfile.write(target, AGENT[:-1], 24_000, format="FLAC", subtype="PCM_16")

    monkeypatch.setattr("simulator.record.finishing._encode", wrong)
    with pytest.raises(StorageFault):
        finish(session)
    assert is_whole(session)
    assert (session / "session.agent.wav").exists()
    assert not flac_path(session / "session.jsonl", Track.AGENT).exists()


KILLED_AT = """
import os, signal, sys
from pathlib import Path
from simulator.record import atomic, finishing
left = int(sys.argv[2])
def count(event, arguments):
    global left
    if event in {"open", "os.rename", "os.remove"} and str(arguments[0]).startswith(sys.argv[1]):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(count)
finishing.finish(Path(sys.argv[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills itself the POSIX way")
@pytest.mark.parametrize("step", [2, 4, 6, 9, 13, 17])
def test_killed_at_any_step_it_leaves_all_and_goes_on_the_next_time(session: Path, step: int) -> None:
    run = subprocess.run(
        [sys.executable, "-P", "-c", KILLED_AT, str(session), str(step)],
        env=child_environment(),
        timeout=60,
        check=False,
    )
    assert run.returncode == -signal.SIGKILL
    assert not is_finished(session)
    assert is_whole(session)
    finish(session)
    assert is_whole(session)
    assert list(changes(session)) == []
    assert list(session.glob(".*")) == []
    assert list(session.glob("*.wav")) == []


def test_the_process_of_its_own_finishes_it_and_tells_why_it_cannot(session: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "simulator.record.finishing"]

    def run(folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, str(folder)], env=child_environment(), capture_output=True, text=True, timeout=60, check=False
        )

    assert (run(session).returncode, is_finished(session)) == (0, True)
    refused = run(tmp_path)
    assert refused.returncode == 3
    assert refused.stderr == f"{tmp_path} is no session's folder.\n"


def test_nothing_is_started_for_what_is_finished_or_no_session(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish(session)
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: pytest.fail("a process was started"))
    finishing.start(session)
    finishing.start(tmp_path)


def test_deleting_removes_the_session_and_leaves_what_is_not_of_it(session: Path) -> None:
    finish(session)
    (session / "study.yaml").write_text("name: x\n")
    (session / "study files").mkdir()
    (session / "study files" / "harbour.png").write_bytes(b"png")
    assert {path.name for path in files_of(session)} >= {"study.yaml", "harbour.png", "session.jsonl"}
    assert size_bytes(session) == sum(path.stat().st_size for path in session.rglob("*") if path.is_file())
    (session / "my notes.txt").write_text("keep me")
    assert delete_session(session) == [session / "my notes.txt"]
    assert sorted(session.iterdir()) == [session / "my notes.txt"]
    with pytest.raises(UsageError, match="is no session's folder"):
        delete_session(session)


def test_deleting_removes_what_a_kill_left_of_a_study_and_its_recordings(session: Path) -> None:
    (session / "study-2 files").mkdir()
    (session / "study-2 files" / "my voice.wav").write_bytes(b"voice")
    (session / ".study-2.yaml.k3x_q9").write_bytes(b"instructions")
    (session / ".session.agent.flac.part").write_bytes(b"voice")
    assert session / "study-2 files" / "my voice.wav" in files_of(session)
    assert delete_session(session) == []
    assert not session.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="not everybody may make links there")
def test_deleting_reaches_nothing_outside_and_no_file_with_a_name_of_ones_own(session: Path, tmp_path: Path) -> None:
    others = tmp_path / "my pictures"
    others.mkdir()
    (others / "a.png").write_bytes(b"mine")
    (session / "study files").symlink_to(others, target_is_directory=True)
    (session / "study.yaml").write_text("name: x\n")
    (session / "study notes.yaml").write_text("mine")
    assert delete_session(session) == [session / "study files", session / "study notes.yaml"]
    assert (others / "a.png").read_bytes() == b"mine"


def test_deleting_a_session_removes_its_folder(session: Path) -> None:
    assert delete_session(session) == []
    assert not session.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
def test_a_session_in_a_folder_whose_name_is_no_text_is_finished_listed_and_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 \xff")))
    finish(folder)
    assert is_whole(folder)
    assert list(folder.glob("*.wav")) == []
    done = export(folder, ["wav", "flac", "csv", "html"], folder)
    assert [path for path in done.files if not path.exists()] == []
    assert main(["sessions", str(tmp_path), "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["folder"] == str(folder)
    assert main(["measures", str(folder), "--json"]) == 0


def test_audio_that_is_deleted_while_it_is_read_is_told(session: Path) -> None:
    finish(session)
    with TrackFile(session, Track.HEARD) as track:
        flac_path(session / "session.jsonl", Track.HEARD).unlink()
        with pytest.raises(UnreadableRecording, match="cannot be read any more"):
            next(track.blocks())

"""The redacted copy: words, names and keys are planted everywhere, and every file is searched for them."""

import re
from pathlib import Path
from typing import Any

import pytest

from simulator.cli import main
from simulator.record.entries import Direction, Entry
from simulator.record.export import export
from simulator.record.export.redacted import Redaction
from simulator.record.measures import Measures
from simulator.record.reader import read_record
from tests.record.export_record import Sheet, conversation

PLANTED = "marzipan"
KEY = "sk-planted-9f8e7d6c5b4a"
SECRETS = (PLANTED, KEY)
TEXT = f"{PLANTED} {KEY}"


def planted() -> Sheet:
    """Return a conversation with the words wherever people's, the study's or the engine's words can stand."""
    sheet = conversation()
    sheet.entries[0].event.update(url=f"wss://{PLANTED}.example", engine=PLANTED, headers={PLANTED: KEY}, model=PLANTED)
    at = 6_100
    sheet.noted(at, "voice.chosen", kind="microphone", name=f"{PLANTED}'s headset", **{TEXT: TEXT})
    sheet.noted(at, "problem", code="storage", sentence=TEXT)
    sheet.noted(at, "push", context={"event": "screen", "text": TEXT, "images": [TEXT], PLANTED: 1})
    sheet.noted(at, "push", context={"event": PLANTED, "others": [{"name": PLANTED, "role": KEY}]})
    asked = {"component": "textinput", "config": {"question": TEXT, PLANTED: [KEY]}, "shown_on": PLANTED, "attempts": 3}
    sheet.noted(at, "push", context={"event": "question", "question": TEXT}, **asked)
    sheet.noted(at, "chat.sent", message=TEXT)
    sheet.noted(at, "mark", note=PLANTED)
    sheet.noted(at, "part", name=PLANTED)
    sheet.noted(at, "recognised", item_id="u1", text=PLANTED, model="tiny")
    sheet.noted(at, "instructions", instructions=TEXT)
    sheet.noted(at, "own_answer", component="textinput", config={"label": TEXT}, value=PLANTED)
    sheet.noted(at, "answer", component="rapidrate", question=TEXT, value={PLANTED: 3.5}, arguments=TEXT, error=PLANTED)
    sheet.noted(at, "call.held", call_id=KEY, name=PLANTED, arguments=TEXT)
    sheet.noted(at, "playback.cut", item_id=PLANTED, reason=PLANTED)
    sheet.sent(at, "session.update", session={"instructions": TEXT, "tools": [{"name": PLANTED, PLANTED: [PLANTED]}]})
    image = {"type": "input_image", "image_url": f"data:image/png;base64,{PLANTED}"}
    sheet.sent(at, "conversation.item.create", item={"role": "user", "content": [{"text": TEXT}, image]})
    sheet.received(at, PLANTED, None, **{PLANTED: {PLANTED: [PLANTED]}})
    sheet.received(at, "response.output_audio_transcript.delta", item_id=PLANTED, delta=PLANTED)
    sheet.received(at, "error", error={"code": PLANTED, "message": TEXT, "param": KEY})
    sheet.received(
        at, "response.done", response={"output": [{"content": [{"transcript": TEXT}]}], "metadata": {KEY: 1}}
    )
    spelled = [{"token": PLANTED, "logprob": -0.1, "bytes": list(PLANTED.encode())}]
    sheet.received(at, "conversation.item.input_audio_transcription.completed", item_id="u1", logprobs=spelled)
    sheet.received(at, "response.content_part.done", part={"type": "text", "logprobs": spelled, "x": spelled})
    sheet.noted(at, "problem", whose="engine", code=PLANTED, sentence=TEXT)
    bare = Entry(len(sheet.entries), at * 1_000_000, Direction.RECEIVED, "malformed", {}, raw_text=TEXT, problem=TEXT)
    sheet.entries.append(bare)
    return sheet


def test_no_file_of_a_redacted_copy_holds_a_planted_word_or_key(tmp_path: Path) -> None:
    record = planted().write(tmp_path / f"session of {PLANTED}")
    everything = ["csv", "audacity", "textgrid", "elan", "html"]
    done = export(record, everything, tmp_path / "out", redacted=True)
    assert {path.name for path in done.files} == {path.name for path in (tmp_path / "out").iterdir()}
    assert len(done.files) > 15
    for path in done.files:
        text = path.name.encode() + path.read_bytes()
        found = [secret for secret in SECRETS if secret.encode() in text.lower()]
        assert found == [], path.name
        spelled = [letters for letters in (b"109,97,114,122", b"109, 97, 114, 122") if letters in text]
        assert spelled == [], path.name


def test_what_happened_when_stays(tmp_path: Path) -> None:
    record = conversation().write(tmp_path / "s")
    (path,) = export(record, [], tmp_path / "out", redacted=True).files
    copy, original = read_record(path), read_record(record)
    assert copy.problems == []
    assert [(each.seq, each.t_ns, each.direction, each.type, each.audio) for each in copy.entries] == [
        (each.seq, each.t_ns, each.direction, each.type, each.audio) for each in original.entries
    ]
    assert not copy.keeps_audio

    def measured(entries: list[Entry]) -> Any:
        measures = Measures()
        for entry in entries:
            measures.feed(entry)
        spans = [(each.started_ns, each.stopped_ns) for each in measures.speech_spans]
        heard = [(each.started_ns, each.ended_ns, each.handed_samples, each.cut) for each in measures.heard]
        responses = [(each.created_ns, each.done_ns, each.status, each.reason) for each in measures.responses]
        return spans, heard, responses, measures.latencies, [each.event for each in measures.pushes]

    assert measured(copy.entries) == measured(original.entries)


def test_equal_texts_stay_equal_within_a_copy_and_say_nothing_between_copies() -> None:
    one, other = Redaction(), Redaction()
    assert one.mark("yes") == one.mark("yes") != one.mark("no!")
    assert one.mark("yes").startswith("[3 characters #")
    assert one.mark("yes") != other.mark("yes")


def test_words_of_the_interface_stay_where_they_are_none_of_a_person() -> None:
    detection = {"type": "server_vad", "threshold": 0.5, "eagerness": "low"}
    session = {"audio": {"input": {"turn_detection": detection}}, "instructions": "low"}
    entry = Entry(3, 7, Direction.SENT, "session.update", {"type": "session.update", "session": session})
    kept = Redaction().entry(entry).event["session"]
    assert kept["audio"] == session["audio"]
    assert kept["instructions"].startswith("[3 characters #")


def test_a_problem_keeps_the_name_that_this_program_gave_it() -> None:
    def code(whose: str, name: str) -> str:
        entry = Entry(1, 1, Direction.NOTED, "problem", {"whose": whose, "code": name})
        return str(Redaction().entry(entry).event["code"])

    assert code("engine", "response_failed") == "response_failed"
    assert code("environment", "device_lost") == "device_lost"
    assert code("engine", "jane_doe").startswith("[8 characters #")


def test_the_command_writes_the_copy_alone_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = conversation().write(tmp_path / "s")
    names = ("redacted-2026-12-01-10.00.00.jsonl", "redacted-2026-12-01-10.00.00-2.jsonl")
    for number, name in enumerate(names, 1):
        assert main(["export", str(record), "--redacted", "--out", str(tmp_path / "out")]) == 0
        assert capsys.readouterr().out == f"{tmp_path / 'out' / name}\n"
        assert len(list((tmp_path / "out").iterdir())) == number


def test_a_copy_is_called_by_the_time_of_its_session_and_never_by_a_name(tmp_path: Path) -> None:
    sheet = conversation()
    sheet.entries[0].event["started_at"] = PLANTED
    record = sheet.write(tmp_path / "2026-12-01 10.00.00 Jane")
    assert [path.name for path in export(record, [], tmp_path / "out", redacted=True).files] == ["redacted.jsonl"]


def test_the_words_of_a_cut_reply_have_whole_marks(tmp_path: Path) -> None:
    """ "One two" (7 characters) was heard, "three four." (11) was not: each has a mark of its own in every form."""
    record = conversation().write(tmp_path / "s")
    out = tmp_path / "out"
    export(record, ["csv", "audacity", "textgrid", "html"], out, redacted=True)
    name = "redacted-2026-12-01-10.00.00"
    mark = r"\[{} characters #[0-9a-f]{{10}}\]"
    heard, unheard = mark.format(7), mark.format(11)
    assert re.search(rf",{heard} {unheard},{heard},750.0,", (out / f"{name}.turns.csv").read_text())
    assert re.fullmatch(rf"2.8\d+\t3.55\d+\t{heard}\n", (out / f"{name}.labels.agent-heard.txt").read_text())
    assert re.fullmatch(rf"3.55\d+\t4.8\d+\t{unheard}\n", (out / f"{name}.labels.agent-not-heard.txt").read_text())
    assert re.search(rf'text = "{heard}"', (out / f"{name}.TextGrid").read_text())
    assert re.search(
        rf"{heard}<span class='lost' title='not heard'> {unheard}</span>", (out / f"{name}.html").read_text()
    )


def test_a_reply_heard_to_its_end_has_the_mark_of_its_transcript(tmp_path: Path) -> None:
    sheet = conversation()
    sheet.received(5_100, "response.output_audio_transcript.done", item_id="a2", transcript="Well.")
    done = export(sheet.write(tmp_path / "s"), ["csv"], tmp_path / "out", redacted=True)
    copy = read_record(done.files[0])
    told = next(entry for entry in copy.entries if entry.event.get("transcript", "").startswith("[5 "))
    turns = next(path for path in done.files if path.name.endswith("turns.csv")).read_text()
    assert told.event["transcript"] in turns

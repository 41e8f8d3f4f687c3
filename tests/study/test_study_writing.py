"""Writing study files: what was written is read again, looks as if written by hand, and never half replaces a file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.errors import StorageFault, UnreadableFile
from simulator.study.steps import (
    AskQuestion,
    ChangeInstructions,
    EnterPart,
    PushContext,
    RequestReply,
    Say,
    SetListening,
    Step,
    StepAction,
    Study,
    Wait,
    When,
)
from simulator.study.study_file import read_study
from simulator.study.study_writing import study_text, write_study

# Letters of any language, line breaks, what YAML takes for something else, and what begins its own signs.
TEXTS = st.one_of(
    st.sampled_from(
        [
            "yes",
            "No",
            "null",
            "~",
            "12:30",
            "2026-05-01",
            "1_000",
            "0x1f",
            "1e3",
            ".5",
            "- a",
            "a: b",
            "# no",
            "<<",
            "=",
        ]
    ),
    st.sampled_from(["  padded ", "two\nlines", "a\n\nb\n", "\n x", "“quoted” 'too' \"", "tab\there", "ä" * 200]),
    st.lists(st.sampled_from(["word", "Wörter", "[context]", "日本語", "#", "-", "x:", ""]), max_size=60).map(" ".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30),
).filter(lambda text: bool(text.strip()))
NUMBERS = st.integers(-5, 100) | st.floats(0, 1e6, allow_nan=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS | st.just(""),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
VIDEO_CHAT = st.sampled_from([None, True, False])
SECONDS = st.floats(0, 1_000).map(lambda seconds: round(seconds, 3))


@st.composite
def _contexts(draw: Callable[[Any], Any]) -> PushContext:
    text = draw(TEXTS)
    context: dict[str, Any] = draw(
        st.sampled_from(
            [
                {"event": "screen", "type": "showtext", "text": text},
                {"event": "screen", "text": text, "type": "showtext"},
                {"event": "screen", "type": text, "text": "", "images": []},
                {"event": "typed", "speaker": text, "said": "hello?"},
                {"event": "participants", "others": [{"name": text}, {"name": "A", "role": text}]},
                {"event": "participants", "others": [{"role": text, "name": "A"}]},
                {"event": "timer", "secondsLeft": 30},
                {"event": "timer", "secondsLeft": -1},
                {"event": "paused", "waitingFor": [text]},
                {"event": "resumed"},
                {"event": "resumed", "why": text},
                {"event": "experimenter_message", "text": text},
                {"event": "revealed", "name": text, "role": "A", "answer": draw(JSON)},
                {"event": "revealed", "name": text, "answer": draw(JSON)},
                {"event": text, text: draw(JSON)},
            ]
        )
    )
    return PushContext(context, asks_reply=draw(st.booleans()), video_chat=draw(VIDEO_CHAT))


QUESTIONS = st.builds(
    AskQuestion,
    component=st.just("textinput"),
    config=st.fixed_dictionaries({"question": TEXTS}, optional={"more": JSON}),
    during_video=st.booleans(),
    within_s=st.floats(1, 3_600).map(lambda seconds: round(seconds, 2)),
    shown_on=st.sampled_from(["screen", "rating pause"]),
    attempts=st.integers(1, 10),
    video_chat=VIDEO_CHAT,
    own_answer=st.none() | TEXTS,
)
ACTIONS: st.SearchStrategy[StepAction] = st.one_of(
    _contexts(),
    QUESTIONS,
    st.builds(Say, recording=st.sampled_from(["coffee_or_tea", "my voice 2"])),
    st.builds(Say, text=TEXTS, voice=st.none() | TEXTS),
    st.builds(SetListening, on=st.booleans()),
    st.builds(EnterPart, name=TEXTS, guidance=st.none() | TEXTS),
    st.builds(ChangeInstructions, TEXTS),
    st.builds(RequestReply, st.none() | TEXTS),
    st.builds(Wait, SECONDS),
)
STEPS = st.builds(Step, ACTIONS, when=st.sampled_from(When), at_s=SECONDS)
STUDIES = st.builds(
    Study,
    name=TEXTS,
    steps=st.lists(st.builds(Step, ACTIONS, when=st.sampled_from(When), at_s=SECONDS), min_size=1, max_size=4).map(
        tuple
    ),
    instructions=TEXTS | st.just(""),
    voice=TEXTS,
    turn_detection=st.none()
    | st.fixed_dictionaries({"type": st.just("server_vad")}, optional={"threshold": st.floats(0, 1)}),
    reply_within_s=st.floats(1, 300).map(lambda seconds: round(seconds, 2)),
    text_chat=VIDEO_CHAT,
)


def _without_lines(study: Study) -> Study:
    return msgspec.structs.replace(study, steps=tuple(msgspec.structs.replace(step, line=0) for step in study.steps))


@given(study=STUDIES)
@settings(max_examples=200, deadline=None)
def test_what_is_written_is_read_again(study: Study, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "written.yaml"
    assert write_study(study, path) == study
    read = _without_lines(read_study(path))
    assert read == study
    # The order of a context item's fields is the order on the wire.
    for step, again in zip(study.steps, read.steps, strict=True):
        if isinstance(step.action, PushContext) and isinstance(again.action, PushContext):
            assert list(step.action.context) == list(again.action.context)


def test_a_written_study_looks_as_if_written_by_hand(tmp_path: Path) -> None:
    study = Study(
        "Habits",
        (
            Step(PushContext({"event": "participants", "others": [{"name": "Alex", "role": "A"}]})),
            Step(EnterPart("The first", "Be brief.\nBe kind.")),
            Step(PushContext({"event": "screen", "type": "showtext", "text": "Yes"}, video_chat=False)),
            Step(
                AskQuestion("rapidrate", {"prompt": "Now", "dimensions": [{"label": "No"}]}, True, 30, "rating pause")
            ),
            Step(Say(text="Hello there."), when=When.AFTER_REPLY, at_s=5.0, after_s=0.5),
            Step(Wait(0.5)),
        ),
        text_chat=True,
    )
    assert study_text(study, tmp_path) == (
        "format: participant-simulator/study\n"
        "version: 1\n"
        "name: Habits\n"
        "text_chat: true\n"
        "steps:\n"
        "  - participants: [{name: Alex, role: A}]\n"
        "\n"
        "  - part:\n"
        "      name: The first\n"
        "      guidance: |-\n"
        "        Be brief.\n"
        "        Be kind.\n"
        "  - screen: {type: showtext, text: 'Yes', video_chat: false}\n"
        "  - rating_pause:\n"
        "      component: rapidrate\n"
        "      config:\n"
        "        prompt: Now\n"
        "        dimensions: [{label: 'No'}]\n"
        "  - when: after reply\n"
        "    at_s: 5\n"
        "    after_s: 0.5\n"
        "    say: {text: Hello there.}\n"
        "  - wait: 0.5\n"
    )


def test_files_are_named_relative_to_the_study_and_brought_along_from_elsewhere(tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    (here / "images").mkdir(parents=True)
    elsewhere.mkdir()
    (here / "images" / "a.png").write_bytes(b"one")
    (elsewhere / "a.png").write_bytes(b"two")
    (elsewhere / "voice.wav").write_bytes(b"three")
    screen = {"event": "screen", "type": "showimage", "text": "", "images": ["attached: the image (a)"] * 2}
    study = Study(
        "x",
        (
            Step(PushContext(screen, (str(here / "images" / "a.png"), str(elsewhere / "a.png")))),
            Step(Say(str(elsewhere / "voice.wav"))),
        ),
    )
    path = here / "study.yaml"
    written = write_study(study, path)
    text = path.read_text(encoding="utf-8")
    assert "file: images/a.png" in text
    assert "file: study files/a.png" in text
    assert "say: study files/voice.wav" in text
    assert _without_lines(read_study(path)) == written
    assert (here / "study files" / "a.png").read_bytes() == b"two"


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text("as it was")
    gone = Study("x", (Step(Say(str(tmp_path / "gone.wav"))), Step(Say(str(tmp_path.parent / "elsewhere.wav")))))
    with pytest.raises(UnreadableFile, match=r"elsewhere\.wav, which is not there"):
        write_study(gone, path)
    with pytest.raises(UnreadableFile, match="signs that are no text"):
        write_study(Study("\ud800", (Step(Wait(1)),)), path)
    assert path.read_text() == "as it was"
    (tmp_path / "in the way").write_text("")
    with pytest.raises(StorageFault, match="cannot be written"):
        write_study(Study("x", (Step(Wait(1)),)), tmp_path / "in the way" / "study.yaml")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in the way", "study.yaml"]

"""What a study needs of a session, and which file is read how."""

from pathlib import Path

import pytest

from simulator.errors import UnreadableFile
from simulator.study.loading import Loaded, load_study
from simulator.study.needs import needed_tools
from simulator.study.steps import AskQuestion, PushContext, Step, StepAction, Study, Wait

TYPED = PushContext({"event": "typed", "speaker": "Alex", "said": "hello?"})


def _study(*actions: StepAction, text_chat: bool | None = None) -> Study:
    return Study("x", tuple(map(Step, actions)), text_chat=text_chat)


def test_a_study_needs_the_tools_of_its_questions_in_the_specifications_order() -> None:
    choices = {"question": "Which?", "choices": ["A", "B"]}
    study = _study(
        AskQuestion("textinput", {"question": "Why?"}),
        AskQuestion("multiplechoice", {**choices, "allowMultiple": True}),
        AskQuestion("multiplechoice", choices),
        AskQuestion("likertscale", {"question": "How?"}),
        AskQuestion("vasrating", {"question": "How?"}),
    )
    assert needed_tools(study) == ("answer_choice", "answer_choices", "answer_scale", "answer_text")
    assert needed_tools(_study(Wait(1))) == ()


@pytest.mark.parametrize(
    ("typed", "text_chat", "needed"),
    [(True, None, True), (False, None, False), (True, False, False), (False, True, True)],
)
def test_send_chat_is_needed_where_there_is_a_text_chat(typed: bool, text_chat: bool | None, needed: bool) -> None:
    study = _study(TYPED if typed else Wait(1), text_chat=text_chat)
    assert needed_tools(study) == (("send_chat",) if needed else ())


def test_what_a_file_holds_decides_how_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "study.json"
    path.write_text('{"format": "participant-simulator/study", "version": 1, "name": "A", "steps": [{"wait": 1}]}')
    assert load_study(path) == Loaded(Study("A", (Step(Wait(1), line=1),)), [])
    path.write_text("format: participant-simulator/study\nversion: 1\nname: A\nsteps: [{wait: 1}]\n")
    assert load_study(path).study.steps == (Step(Wait(1), line=4),)
    path.write_text("neither")
    with pytest.raises(UnreadableFile, match="expected a study"):
        load_study(path)

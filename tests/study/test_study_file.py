"""Reading study files: what a researcher writes, and where a mistake is said to be."""

from pathlib import Path

import pytest
import yaml

from simulator.errors import UnreadableFile
from simulator.resources import fixtures_dir
from simulator.study import yaml_nodes
from simulator.study.steps import AskQuestion, EnterPart, PushContext, RequestReply, Say, SetListening, Step, Wait, When
from simulator.study.study_file import read_study

TEXTINPUT = "component: textinput, config: {question: Why}"
HEAD = "format: participant-simulator/study\nversion: 1\n"


def _file(folder: Path, body: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(HEAD + body, encoding="utf-8")
    return path


def test_a_study_is_read_step_by_step(tmp_path: Path) -> None:
    study = read_study(
        _file(
            tmp_path,
            "name: Habits\n"
            "instructions: Be kind.\n"
            "steps:\n"
            "  - participants: [{name: Alex, role: A}]\n"
            "  - say: coffee_or_tea\n"
            "  - when: after reply\n"
            "    at_s: 12.5\n"
            '    typed: {speaker: Alex, said: "hello?"}\n'
            "  - listening: off\n"
            "  - timer: 30\n"
            "  - question: {component: vasrating, config: {question: How warm, minValue: 0, maxValue: 100}}\n"
            "  - pause: [Alex (A)]\n"
            "  - resume:\n"
            "  - reply:\n"
            "  - wait: 0.5\n",
        )
    )
    assert (study.name, study.instructions, study.turn_detection) == ("Habits", "Be kind.", None)
    assert study.steps == (
        Step(PushContext({"event": "participants", "others": [{"name": "Alex", "role": "A"}]}), line=6),
        Step(Say("coffee_or_tea"), line=7),
        Step(
            PushContext({"event": "typed", "speaker": "Alex", "said": "hello?"}, asks_reply=True),
            line=10,
            when=When.AFTER_REPLY,
            at_s=12.5,
        ),
        Step(SetListening(on=False), line=11),
        Step(PushContext({"event": "timer", "secondsLeft": 30}), line=12),
        Step(AskQuestion("vasrating", {"question": "How warm", "minValue": 0, "maxValue": 100}), line=13),
        Step(PushContext({"event": "paused", "waitingFor": ["Alex (A)"]}), line=14),
        Step(PushContext({"event": "resumed"}), line=15),
        Step(RequestReply(None), line=16),
        Step(Wait(0.5), line=17),
    )


def test_images_lie_beside_the_study_and_are_described(tmp_path: Path) -> None:
    (tmp_path / "face.png").write_bytes(b"\x89PNG")
    study = read_study(
        _file(tmp_path, "steps:\n  - screen: {type: showimage, images: [{file: face.png, shows: a smiling face}]}\n")
    )
    (step,) = study.steps
    assert step.action == PushContext(
        {"event": "screen", "type": "showimage", "text": "", "images": ["attached: the image (a smiling face)"]},
        (str(tmp_path / "face.png"),),
    )


def test_a_recording_beside_the_study_goes_before_one_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "coffee_or_tea").write_bytes(b"")
    (step,) = read_study(_file(tmp_path, "steps:\n  - say: coffee_or_tea\n")).steps
    assert step.action == Say(str(tmp_path / "coffee_or_tea"))


def test_a_step_stands_on_the_line_that_names_it_where_its_value_begins_below(tmp_path: Path) -> None:
    question = "  - question:\n      component: textinput\n      config: {question: Why}\n"
    spoken = "  - when: after reply\n    say:\n      text: Hello\n"
    study = read_study(_file(tmp_path, f"steps:\n{question}{spoken}"))
    assert [step.line for step in study.steps] == [4, 8]


@pytest.mark.parametrize(
    ("body", "line", "expected"),
    [
        ("steps:\n  - sing: la\n", 4, "expected one of after_s, at_s, context, experimenter_message, instructions"),
        ("steps:\n  - {say: a, wait: 1}\n", 4, "expected one thing in a step, and here are say and wait"),
        ("steps:\n  - after_s: 3\n    wait: 1\n", 4, "expected seconds in a step that has “when: after reply”"),
        ("steps:\n  - at_s: 3\n", 4, "expected a step with exactly one of"),
        ("steps:\n  - wait: long\n", 4, "expected seconds to wait: 0 or more, at most 86400, found “long”"),
        ("steps:\n  - wait: -1\n", 4, "expected seconds to wait: 0 or more, at most 86400, found “-1”"),
        ("turn_detection: {type: foo}\nsteps: [{wait: 1}]\n", 3, "one of semantic_vad, server_vad, found “foo”"),
        ("turn_detection:\n  type: server_vad\n  eagerness: low\nsteps: [{wait: 1}]\n", 5, "expected one of create_"),
        ("turn_detection: {type: server_vad, threshold: 2}\nsteps: [{wait: 1}]\n", 3, "from 0 to 1, found “2”"),
        (
            "turn_detection:\n  type: server_vad\n  silence_duration_ms: 0.5\nsteps: [{wait: 1}]\n",
            5,
            "expected whole milliseconds from 0 to 60000, found “0.5”",
        ),
        (
            "turn_detection:\n  type: semantic_vad\n  eagerness: max\nsteps: [{wait: 1}]\n",
            5,
            "expected low, medium, high or auto, found “max”",
        ),
        (
            "turn_detection: {type: server_vad, create_response: 1}\nsteps: [{wait: 1}]\n",
            3,
            "expected true or false, found “1”",
        ),
        ("steps:\n  - listening: maybe\n", 4, "expected on or off, found “maybe”"),
        ("steps:\n  - wait: 1\n    when: later\n", 5, "expected now, after reply or during reply, found “later”"),
        ("steps: 5\n", 3, "expected the list of the study's steps, found “5”"),
        ("steps: []\n", 3, "expected at least one step"),
        ("steps:\n  - question: {component: rankin, config: {}}\n", 4, "found “rankin”. Is “ranking” meant?"),
        ("steps:\n  - qestion: {}\n", 4, "Is “question” meant?"),
        ("steps:\n  - question: {component: ranking, config: {question: Which}}\n", 4, "has no choices"),
        (
            "steps:\n  - question: {component: rapidrate, config: {}}\n",
            4,
            "in a rating pause only, not on a screen. Write rating_pause",
        ),
        ("steps:\n  - rating_pause: {component: rapidrate, config: {prompt: A}}\n", 4, "has no dimensions"),
        (
            "steps:\n  - question:\n      component: likertscale\n      config: {question: A}\n      own_answer: 8\n",
            7,
            "own answer does not fit the question: “value” must be a whole number from 1 to 7",
        ),
        (f"steps:\n  - question: {{{TEXTINPUT}, attempts: 11}}\n", 4, "a whole number from 1 to 10, found “11”"),
        ("steps:\n  - part: {guidance: Be kind.}\n", 4, "expected a part with its name"),
        ("steps:\n  - say: {voice: heart}\n", 4, "expected the text that is said"),
        (
            "steps:\n  - say: sub/voice.wav\n",
            4,
            "expected a recording that exists beside the study, or the name of one",
        ),
        ("steps:\n  - say: voice.wav\n", 4, "expected a recording that exists beside the study"),
        (
            "steps:\n  - context: {item: {text: Hello}}\n",
            4,
            "expected a context item with its item, which names its event",
        ),
        ("steps:\n  - revealed: {name: A, answer: .nan}\n", 4, "expected a plain value"),
        (f"steps:\n  - revealed: {{name: A, answer: {'9' * 5_000}}}\n", 4, "this number is larger than any"),
        ("steps:\n  - revealed: {name: A, answer: !!python/name:os.system x}\n", 4, "expected a plain value"),
        ("steps:\n  - screen: {images: [{file: none.png}]}\n", 4, "expected the path of an image that exists"),
        ("color: red\nsteps: [{wait: 1}]\n", 3, "expected one of format, instructions, name"),
        ("name: a\nname: b\nsteps: [{wait: 1}]\n", 4, "“name” stands twice here: keep one of them"),
        ("steps:\n  - say: [a\n", 5, "this is no YAML"),
        ("steps:\n\t- wait: 1\n", 4, "indent with blanks, not with tabs"),
        ("steps:\n  - typed: {speaker: Alex}\n", 4, "expected a typed message with its speaker and what was said"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_what_was_expected(
    body: str, line: int, expected: str, tmp_path: Path
) -> None:
    path = _file(tmp_path, body)
    with pytest.raises(UnreadableFile) as error:
        read_study(path)
    assert str(error.value).startswith(f"{path}, line {line}: ")
    assert expected in str(error.value)


def test_a_file_that_is_no_study_says_so(tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    for content, says in [
        (b"", "is empty: expected a study"),
        (b"a: 1\n", "expected one of format"),
        (b"version: 1\nsteps: []\n", "expected the lines “format: participant-simulator/study” and “version: 1”"),
        (b"format: participant-simulator/study\nversion: 2\nsteps: []\n", "a newer file needs a newer version"),
        (b"format: participant-simulator/study\nversion: true\nsteps: []\n", "line 2: expected 1 ("),
        (b"format: participant-simulator/study\nversion: 1.0\nsteps: []\n", "line 2: expected 1 ("),
        (b"\xff\xfe\x00\x01", "is not text in UTF-8"),
        (b"- 1\n", "expected a study, as a mapping, found a list"),
    ]:
        path.write_bytes(content)
        with pytest.raises(UnreadableFile) as error:
            read_study(path)
        assert says in str(error.value)
    with pytest.raises(UnreadableFile, match="No such file"):
        read_study(tmp_path / "missing.yaml")


def test_the_sample_study_is_the_first_and_short() -> None:
    first = min((fixtures_dir() / "studies").iterdir())
    study = read_study(first)
    assert study.speaks
    assert sum(step.action.seconds for step in study.steps if isinstance(step.action, Wait)) < 30
    events = [step.action.context["event"] for step in study.steps if isinstance(step.action, PushContext)]
    assert {"screen", "typed", "timer", "paused", "resumed"} <= set(events)
    assert any(step.when is When.DURING_REPLY for step in study.steps)
    assert {SetListening(on=False), SetListening(on=True)} <= {
        step.action for step in study.steps if isinstance(step.action, SetListening)
    }


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{a: " * 65 + "1" + "}" * 65,
        # Nine levels of ten aliases: a billion values.
        "a0: &a0 1\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)),
        "steps: &steps [*steps]\n",
    ],
    ids=["endless", "deep", "aliases", "an alias in itself"],
)
def test_what_has_no_end_is_refused_at_once(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableFile, match="is nested more than 64 levels deep or holds more than 200,000 values"):
        read_study(path)


@pytest.mark.parametrize(
    "step", ["say: {}", "screen: {{images: [{{file: {}}}]}}", "context: {{item: {{event: x}}, images: [{}]}}"]
)
@pytest.mark.parametrize("name", ["/etc/hostname", "../secret.png", "sub/../../secret.png", "link.png", "C:\\\\x.png"])
def test_nothing_in_a_study_reaches_out_of_its_folder(step: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"")
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    path = _file(folder, "steps:\n  - " + step.format(f'"{name}"') + "\n")
    with pytest.raises(UnreadableFile, match="lies outside of the study's folder: put the file beside the study"):
        read_study(path)


def test_files_are_found_whatever_the_folder_of_whoever_plays_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "voice.wav").write_bytes(b"")
    _file(tmp_path, "steps:\n  - say: voice.wav\n")
    monkeypatch.chdir(tmp_path)
    (step,) = read_study(Path("mine.yaml")).steps
    assert step.action == Say(str(tmp_path / "voice.wav"))


def test_both_readers_of_yaml_give_the_same_steps_and_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = sorted((fixtures_dir() / "studies").glob("*.yaml"))
    first = [read_study(path) for path in samples]
    other = yaml.CSafeLoader if yaml_nodes._LOADER is yaml.SafeLoader else yaml.SafeLoader
    monkeypatch.setattr(yaml_nodes, "_LOADER", other)
    assert [read_study(path) for path in samples] == first


def test_choices_stay_the_words_that_were_written(tmp_path: Path) -> None:
    choices = "choices: [Yes, No, 12:30, 2026-05-01, 7]"
    body = f"steps:\n  - question: {{component: multiplechoice, config: {{question: A, {choices}}}}}\n"
    (step,) = read_study(_file(tmp_path, body)).steps
    assert isinstance(step.action, AskQuestion)
    assert step.action.config["choices"] == ["Yes", "No", "12:30", "2026-05-01", 7]


def test_parts_pauses_chat_and_spoken_texts_are_read(tmp_path: Path) -> None:
    study = read_study(
        _file(
            tmp_path,
            "text_chat: no\n"
            "steps:\n"
            "  - part: Hello\n"
            "  - part: {name: Work, guidance: Be brief.}\n"
            "  - screen: {text: A, video_chat: off}\n"
            "  - rating_pause: {component: audiorecording, config: {prompt: Speak}, own_answer: I speak.}\n"
            f"  - question: {{{TEXTINPUT}, attempts: 1, video_chat: on}}\n"
            "  - say: {text: Good morning., voice: heart}\n"
            "  - context: {item: {event: new, of: [1]}, reply: yes}\n",
        )
    )
    assert study.text_chat is False
    assert [step.action for step in study.steps] == [
        EnterPart("Hello"),
        EnterPart("Work", "Be brief."),
        PushContext({"event": "screen", "type": "showtext", "text": "A"}, video_chat=False),
        AskQuestion("audiorecording", {"prompt": "Speak"}, True, 30.0, "rating pause", own_answer="I speak."),
        AskQuestion("textinput", {"question": "Why"}, attempts=1, video_chat=True),
        Say(text="Good morning.", voice="heart"),
        PushContext({"event": "new", "of": [1]}, asks_reply=True),
    ]


@pytest.mark.parametrize(
    ("text", "commented"),
    [
        ("# x\na: 1\n", True),
        ("a: 1 # y\n", True),
        ("a: | # y\n  x\n", True),
        ("a: |\n  x\n# y\n", True),
        ("a: 'x # y'\nb: c#d\n", False),
        ("a: |\n  x # y\n  # z\nb: 2\n", False),
        ("a: [1\n", False),
    ],
)
def test_comments_are_told_from_texts_with_the_same_sign(tmp_path: Path, text: str, commented: bool) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(text, encoding="utf-8")
    assert yaml_nodes.has_comments(path) is commented
    assert yaml_nodes.has_comments(tmp_path / "none.yaml") is False

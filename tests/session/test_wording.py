"""A session under the platform's specification file: whose words a question is in stands in the record."""

import json

from simulator.profile.agent_spec import parse_agent_spec
from simulator.session.settings import SessionSettings
from tests.profile.spec_file import spec_document
from tests.session.conversation import Conversation

VAS = {"question": "How tall?", "minValue": 0, "maxValue": 10}


def wordings(talk: Conversation) -> list[str]:
    talk.run(talk.session.ask("vasrating", VAS, False, talk.now_ns))
    question, *_ = talk.notes("push")
    words = [question["wording"], question["context"]["question"]]
    talk.run(talk.session.push({"event": "timer", "secondsLeft": 5}, [], False, talk.now_ns))
    assert "wording" not in talk.notes("push")[-1]
    return words


def test_a_question_in_the_files_words_is_told_from_one_in_ours() -> None:
    specification = parse_agent_spec(json.dumps(spec_document()).encode(), "spec.json")
    assert wordings(Conversation(SessionSettings(specification=specification))) == [
        "file",
        "Asked: How tall?\nSlide it anywhere from 0 to 10.\nSay a number, 0 at least, 10 at most.",
    ]
    assert wordings(Conversation()) == [
        "own",
        "Question: How tall?\nA visual analog scale from 0 to 10.\nAnswer with a number from 0 to 10.",
    ]

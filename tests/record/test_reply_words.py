"""The words of a reply, in every order in which an engine tells, corrects and forgets them."""

from itertools import permutations
from typing import Any

import pytest

from tests.record.test_measures import MS, Script

WORDS = "One two three four five six seven eight."
"""40 characters, told in two halves."""
FIRST, SECOND = "One two three four ", "five six seven eight."


class Reply(Script):
    """A reply r1 with the item a1, of which the first half was told."""

    def __init__(self) -> None:
        super().__init__()
        self.received(0, "response.created", response={"id": "r1"})
        self.told(FIRST)

    def told(self, piece: str, part: int = 0) -> None:
        kind = "response.output_audio_transcript.delta"
        self.received(10, kind, item_id="a1", response_id="r1", content_index=part, delta=piece)

    def final(self, words: str | None, part: int = 0) -> None:
        kind = "response.output_audio_transcript.done"
        self.received(20, kind, item_id="a1", response_id="r1", content_index=part, transcript=words)

    def part_done(self, words: str | None) -> None:
        part = {"type": "audio", "transcript": words}
        self.received(21, "response.content_part.done", item_id="a1", response_id="r1", content_index=0, part=part)

    def item(self, *words: str | None) -> dict[str, Any]:
        content = [{"type": "output_audio", "transcript": each} for each in words]
        return {"id": "a1", "type": "message", "role": "assistant", "content": content}

    def item_done(self, *words: str | None) -> None:
        self.received(22, "response.output_item.done", response_id="r1", item=self.item(*words))

    def done(self, status: str = "completed", *words: str | None) -> None:
        output = [self.item(*words)] if words else []
        self.received(23, "response.done", response={"id": "r1", "status": status, "output": output})

    def cut(self, handed: int = 24_000) -> None:
        self.noted(15, "playback.started", item_id="a1", handed_ns=0)
        self.noted(
            16, "playback.cut", item_id="a1", handed_samples=handed, received_samples=48_000, cut_ns=15 * MS, begun=True
        )

    def truncate(self) -> None:
        self.sent(17, "conversation.item.truncate", item_id="a1", content_index=0, audio_end_ms=1_000)
        self.received(18, "conversation.item.truncated", item_id="a1", content_index=0, audio_end_ms=1_000)

    def cancel(self) -> None:
        self.sent(17, "response.cancel")

    @property
    def text(self) -> str:
        return self.measures.turns[0].text

    @property
    def heard(self) -> str | None:
        return self.measures.turns[0].heard_text


@pytest.mark.parametrize("final", ["", None, " ", "four ", "five six", "Something else.", "One two"])
def test_what_was_told_before_a_cut_stays_whatever_the_engine_calls_its_final_text(final: str | None) -> None:
    """An engine forgets the words of what was truncated: its final text is empty, or the end of the reply alone."""
    for first, second, third in permutations((Reply.cut, Reply.truncate, Reply.cancel)):
        reply = Reply()
        for step in (first, second, third):
            step(reply)
        reply.final(final)
        reply.part_done(final)
        reply.item_done(final)
        reply.done("cancelled", final)
        assert reply.text == FIRST
        # Half of the 19 characters is 9, within "three": "One two" was heard.
        assert reply.heard == "One two"


def test_what_an_engine_goes_on_telling_after_the_cut_is_told_and_was_not_heard() -> None:
    """The fault not_interrupted: the words go on for a reply whose sound nobody hears, and the final text is the tail.

    1 of 2 s was heard: of 40 characters the first 20, in which "four" ends.
    """
    reply = Reply()
    reply.cut()
    reply.truncate()
    reply.told(SECOND)
    reply.final(SECOND)
    reply.item_done(SECOND)
    reply.done("completed", SECOND)
    assert reply.text == WORDS
    assert reply.heard == "One two three four"


@pytest.mark.parametrize(("handed", "heard"), [(24_000, "[4 characters #0123456789]"), (18_000, ""), (48_000, None)])
def test_the_marks_of_a_redacted_record_are_not_cut(handed: int, heard: str | None) -> None:
    """Two marks of 26 characters: with half of the audio one was heard, with less none."""
    script = Reply.__new__(Reply)
    Script.__init__(script)
    both = "[4 characters #0123456789][4 characters #abcdef0123]"
    script.told(both[:26])
    script.told(both[26:])
    script.cut(handed)
    assert script.text == both
    assert script.heard == (both if heard is None else heard)


def test_a_final_text_that_goes_on_behind_what_was_told_is_believed_after_a_cut_too() -> None:
    reply = Reply()
    reply.cut()
    reply.final(WORDS)
    assert reply.text == WORDS


@pytest.mark.parametrize("status", ["cancelled", "incomplete", "failed"])
@pytest.mark.parametrize("final", ["", "four ", "One two", "Something else."])
def test_an_interruption_by_the_engine_alone_takes_no_words_away(final: str, status: str) -> None:
    reply = Reply()
    reply.final(final)
    reply.item_done(final)
    reply.done(status)
    assert reply.text == FIRST


def test_the_final_text_of_a_whole_reply_corrects_its_pieces() -> None:
    reply = Reply()
    reply.final("1, 2, 3, 4.")
    assert reply.text == "1, 2, 3, 4."
    reply.done("completed")
    assert reply.text == "1, 2, 3, 4."


def test_a_whole_reply_may_have_been_told_twice() -> None:
    reply = Reply()
    reply.told(FIRST)
    reply.final(FIRST)
    reply.done("completed")
    assert reply.text == FIRST


def test_a_cut_behind_the_end_of_a_reply_changes_none_of_its_words() -> None:
    reply = Reply()
    reply.final("1, 2, 3, 4.")
    reply.done("completed")
    reply.cut()
    reply.truncate()
    reply.received(30, "conversation.item.done", item=reply.item(None))
    assert reply.text == "1, 2, 3, 4."
    # Half of 11 characters is 5, between "2," and "3,".
    assert reply.heard == "1, 2,"


def test_pieces_behind_a_final_text_are_told_as_well() -> None:
    reply = Reply()
    reply.final(FIRST)
    reply.told(SECOND)
    reply.done("completed")
    assert reply.text == WORDS


@pytest.mark.parametrize("teller", ["part", "item", "response"])
def test_a_final_text_that_only_the_part_the_item_or_the_response_tells(teller: str) -> None:
    reply = Reply()
    match teller:
        case "part":
            reply.part_done(WORDS)
        case "item":
            reply.item_done(WORDS)
        case _:
            reply.done("completed", WORDS)
    assert reply.text == WORDS


def test_an_item_of_which_nothing_else_was_told() -> None:
    script = Script()
    script.delta(1, "a1", 0, 2_400)
    item = {"id": "a1", "role": "assistant", "content": [{"type": "output_audio", "transcript": "Well."}]}
    script.received(2, "conversation.item.done", item=item)
    assert [turn.text for turn in script.measures.turns] == ["Well."]


def test_an_item_of_which_no_sound_came_is_no_turn_by_its_place_in_the_conversation() -> None:
    script = Script()
    item = {"id": "a1", "role": "assistant", "content": [{"type": "output_audio", "transcript": "Well."}]}
    script.received(2, "conversation.item.done", item=item)
    assert script.measures.turns == []


def test_each_part_of_an_item_has_a_text_of_its_own() -> None:
    reply = Reply()
    reply.told("nine ", part=1)
    reply.told("ten.", part=1)
    reply.final("Nine, ten.", part=1)
    assert reply.text == "One two three four Nine, ten."
    reply.final("One, two, three, four,", part=0)
    reply.item_done("One, two, three, four,", "Nine, ten.")
    reply.done("completed")
    assert reply.text == "One, two, three, four, Nine, ten."


def test_an_item_that_counts_its_parts_in_another_way_tells_nothing_twice() -> None:
    script = Reply.__new__(Reply)
    Script.__init__(script)
    script.told(WORDS, part=1)
    script.item_done(WORDS)
    script.done("completed", WORDS)
    assert script.text == WORDS

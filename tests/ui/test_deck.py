"""The deck without a window: arranging, undoing, marks, and whether something is unsaved."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from simulator.profile import context_items
from simulator.study.steps import AskQuestion, EnterPart, PushContext, Step, Study, Wait
from ui.models.deck import Deck, Mark


def message(text: str) -> Step:
    return Step(PushContext(context_items.experimenter_message(text)))


def deck_of(*names: str) -> Deck:
    deck = Deck()
    deck.load(Study("Letters", tuple(message(name) for name in names)), Path("letters.yaml"))
    return deck


def letters(deck: Deck) -> str:
    return "".join(
        str(step.action.context["text"]) for step in deck.study.steps if isinstance(step.action, PushContext)
    )


def keys(deck: Deck, *places: int) -> list[int]:
    return [deck.rows[place].key for place in places]


def unsaved(deck: Deck) -> bool:
    return deck.unsaved


def following(deck: Deck) -> int | None:
    return deck.next_place


def test_rows_move_before_the_row_that_they_are_dropped_on_and_stay_chosen() -> None:
    deck = deck_of(*"abcdef")
    chosen = keys(deck, 0, 2)
    assert deck.move([0, 2], 5) == chosen
    assert letters(deck) == "bdeacf"
    assert keys(deck, 3, 4) == chosen
    deck.move([4], 0)
    assert letters(deck) == "cbdeaf"
    deck.move([0], 6)
    assert letters(deck) == "bdeafc"


def test_rows_shift_by_one_and_stop_at_the_ends() -> None:
    deck = deck_of(*"abcd")
    deck.shift([2, 3], -1)
    assert letters(deck) == "acdb"
    deck.shift([1, 2], -1)
    deck.shift([0, 1], -1)
    assert letters(deck) == "cdab"
    deck.shift([0], 1)
    assert letters(deck) == "dcab"
    deck.shift([3], 1)
    assert letters(deck) == "dcab"


def test_a_copy_follows_what_was_copied_and_delete_goes_on_to_the_next_row() -> None:
    deck = deck_of(*"abc")
    assert deck.duplicate([0, 1]) == keys(deck, 2, 3)
    assert letters(deck) == "ababc"
    following = deck.rows[2].key
    assert deck.delete([0, 1]) == [following]
    assert letters(deck) == "abc"
    assert deck.delete([2]) == keys(deck, 1)
    assert deck.delete([0, 1]) == []
    assert deck.rows == ()


def test_undo_goes_back_one_change_at_a_time_and_redo_forth() -> None:
    deck = deck_of(*"abc")
    deck.delete([1])
    deck.edit(0, message("x"))
    deck.insert(1, [message("y")])
    assert letters(deck) == "xyc"
    assert (deck.undo(), letters(deck)) == ([], "xc")
    assert (deck.undo(), letters(deck)) == (keys(deck, 0), "ac")
    assert (deck.undo(), letters(deck)) == (keys(deck, 1), "abc")
    assert (deck.undo(), letters(deck)) == ([], "abc")
    deck.redo()
    deck.redo()
    assert letters(deck) == "xc"
    deck.delete([0])
    assert (deck.redo(), letters(deck)) == ([], "c")


def test_a_study_is_unsaved_once_it_differs_from_its_file_and_not_when_it_is_undone() -> None:
    deck = Deck()
    assert not unsaved(deck)
    deck.set_head(instructions="typed before any study")
    assert not unsaved(deck)
    deck.insert(0, [message("a")])
    assert unsaved(deck)
    deck.mark_saved(deck.study, deck.study, Path("a.yaml"))
    assert not unsaved(deck)
    deck.set_head(instructions="changed")
    assert unsaved(deck)
    deck.set_head(instructions="typed before any study")
    deck.duplicate([0])
    assert unsaved(deck)
    deck.undo()
    assert not unsaved(deck)


def test_what_is_changed_while_the_file_is_written_stays_unsaved() -> None:
    deck = deck_of(*"ab")
    deck.delete([0])
    asked = deck.study
    deck.insert(0, [message("c")])
    deck.mark_saved(asked, asked, Path("b.yaml"))
    assert deck.path == Path("b.yaml")
    assert unsaved(deck)


def test_files_that_were_copied_on_saving_are_named_where_they_lie_now() -> None:
    image = PushContext(context_items.screen("showimage", "", ["cat"]), ("/far/cat.png",))
    deck = Deck()
    deck.load(Study("Cats", ()), None)
    deck.insert(0, [Step(image)])
    asked = deck.study
    written = Study("Cats", (Step(PushContext(image.context, ("/study files/cat.png",))),))
    deck.mark_saved(asked, written, Path("cats.yaml"))
    assert deck.study.steps == written.steps
    assert not unsaved(deck)


def test_parts_have_no_number() -> None:
    deck = deck_of(*"ab")
    deck.insert(1, [Step(EnterPart("Talk"))])
    assert [deck.number(place) for place in range(3)] == ["1", "", "2"]
    deck.delete([0])
    assert [deck.number(place) for place in range(2)] == ["", "1"]


def test_marks_follow_their_step_and_the_next_is_the_one_behind_the_last_pushed() -> None:
    deck = deck_of(*"abc")
    a, b, _ = keys(deck, 0, 1, 2)
    assert following(deck) == 0
    deck.sent(a)
    assert (deck.mark(a), following(deck)) == (Mark.SENT, 1)
    deck.settled(a, None)
    deck.move([0], 3)
    assert (deck.mark(a), deck.place(a), following(deck)) == (Mark.PUSHED, 2, None)
    deck.sent(b)
    deck.settled(b, "The engine refused it.")
    assert (deck.mark(b), deck.refusals[b]) == (Mark.REFUSED, "The engine refused it.")
    assert following(deck) == 1
    deck.forget_marks()
    assert (deck.mark(a), deck.mark(b), following(deck)) == (Mark.NONE, Mark.NONE, 0)


def test_the_last_screen_or_question_is_what_is_on_the_screen() -> None:
    deck = Deck()
    screen = Step(PushContext(context_items.screen("showtext", "hello")))
    question = Step(AskQuestion("textinput", {"question": "Why?"}))
    deck.load(Study("Screens", (screen, message("m"), question, Step(Wait(1)))), None)
    first, note, asked, _ = (row.key for row in deck.rows)
    for key in (first, note):
        deck.sent(key)
        deck.settled(key, None)
    assert (deck.mark(first), deck.mark(note)) == (Mark.SHOWN, Mark.PUSHED)
    assert deck.shown == deck.rows[0]
    deck.sent(asked)
    deck.settled(asked, None)
    assert (deck.mark(first), deck.mark(asked)) == (Mark.PUSHED, Mark.SHOWN)


def test_an_answer_belongs_to_the_question_of_its_words_that_was_pushed_first_and_is_open() -> None:
    why = Step(AskQuestion("textinput", {"question": "Why?"}))
    how = Step(AskQuestion("audiorecording", {"prompt": "How?"}))
    deck = Deck()
    deck.load(Study("Asked", (why, how, why)), None)
    first, other, second = keys(deck, 0, 1, 2)
    for key in (second, other, first):
        deck.sent(key)
        deck.settled(key, None)
    deck.answered("How?", "so")
    deck.answered("Why?", "later row, pushed first")
    assert deck.answers == {other: "so", second: "later row, pushed first"}
    deck.answered("Why?", "because")
    deck.answered("Why?", "nobody asked a third time")
    assert deck.answers[first] == "because"
    deck.sent(first)
    assert first not in deck.answers


def test_an_edited_step_counts_as_not_pushed() -> None:
    deck = deck_of(*"ab")
    key = deck.rows[0].key
    deck.sent(key)
    deck.settled(key, None)
    deck.edit(0, message("new"))
    assert deck.mark(key) is Mark.NONE


@given(
    st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1), min_size=1))),
    st.integers(0, 8),
)
def test_moving_keeps_every_row_and_the_order_of_those_that_are_not_moved(
    chosen: tuple[int, set[int]], before: int
) -> None:
    count, places = chosen
    deck = deck_of(*"abcdefgh"[:count])
    moved = [deck.rows[place].key for place in sorted(places)]
    stayed = [row.key for place, row in enumerate(deck.rows) if place not in places]
    deck.move(places, min(before, count))
    after = [row.key for row in deck.rows]
    assert [key for key in after if key in stayed] == stayed
    assert [key for key in after if key in moved] == moved
    start = after.index(moved[0])
    assert after[start : start + len(moved)] == moved
    deck.undo()
    assert letters(deck) == "abcdefgh"[:count]

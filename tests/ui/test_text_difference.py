"""The difference of two texts, line by line and word by word."""

from hypothesis import given
from hypothesis import strategies as st

from ui.models.text_difference import Kind, Line, difference


def signed(first: str, second: str, *, whole: bool = False) -> list[str]:
    return [f"{line.kind.value}{line.text}" for line in difference(first, second, whole=whole)]


def test_equal_texts_have_no_difference() -> None:
    assert difference("Be brief.\nNever sing.", "Be brief.\nNever sing.") == []


def test_versions_of_a_line_stand_under_each_other_with_their_words_marked() -> None:
    first, second = "You are a guide.\nSpeak in short sentences.", "You are a guide.\nSpeak in long, warm sentences."
    assert difference(first, second) == [
        Line(Kind.BOTH, (("You are a guide.", False),)),
        Line(Kind.FIRST, (("Speak in ", False), ("short", True), (" ", False), ("sentences.", False))),
        Line(Kind.SECOND, (("Speak in ", False), ("long, warm", True), (" ", False), ("sentences.", False))),
    ]


def test_lines_with_little_in_common_are_taken_away_and_added() -> None:
    assert signed("Be brief.\nNever sing.\nEnd", "Ask what they had for breakfast.\nWave.\nEnd") == [
        "−Be brief.",
        "−Never sing.",
        "+Ask what they had for breakfast.",
        "+Wave.",
        " End",
    ]


def test_what_is_the_same_is_left_out_beyond_three_lines() -> None:
    same = "\n".join(str(number) for number in range(1, 11))
    assert signed(f"{same}\nold", f"{same}\nnew") == ["…7 lines are the same", " 8", " 9", " 10", "−old", "+new"]
    assert len(signed(f"{same}\nold", f"{same}\nnew", whole=True)) == 12


def test_a_text_against_nothing_is_added_whole() -> None:
    assert signed("", "a\nb") == ["+a", "+b"]


_lines = st.lists(st.text("ab ,", max_size=9), max_size=12)


@given(_lines, _lines)
def test_each_text_can_be_read_from_the_whole_difference(first: list[str], second: list[str]) -> None:
    one, other = "\n".join(first), "\n".join(second)
    lines = difference(one, other, whole=True)
    if one == other:
        assert lines == []
        return
    for text, kind in ((one, Kind.FIRST), (other, Kind.SECOND)):
        assert [line.text for line in lines if line.kind in (kind, Kind.BOTH)] == text.splitlines()

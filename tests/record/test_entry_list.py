"""Entries of hours: what comes out is what went in."""

from hypothesis import given
from hypothesis import strategies as st

from simulator.record.entries import AudioSpan, Direction, Entry, Track
from simulator.record.entry_list import EntryList

_EVENTS = st.sampled_from(
    [
        {"type": "input_audio_buffer.append", "audio": ""},
        {"event_id": "event_1", "type": "response.output_audio.delta", "item_id": "a", "delta": ""},
        {"event_id": "event_2", "type": "response.output_audio.delta", "item_id": "a", "delta": ""},
        {"type": "response.output_audio.delta", "item_id": "b", "delta": "", "event_id": None},
        {},
    ]
)
_SPANS = st.none() | st.builds(
    AudioSpan, st.sampled_from(Track), st.integers(0, 1 << 40), st.integers(0, 9_000), st.integers(0, 18_001)
)
_ENTRIES = st.lists(
    st.builds(
        Entry,
        st.just(0),
        st.integers(0, 1 << 50),
        st.sampled_from(Direction),
        st.sampled_from(["input_audio_buffer.append", "response.output_audio.delta", "tick"]),
        _EVENTS,
        st.integers(0, 1 << 33),
        _SPANS,
        st.none() | st.just("{"),
        st.none() | st.just("It is wrong."),
    ),
    max_size=12,
)


@given(_ENTRIES)
def test_it_gives_what_was_put_in_in_order(entries: list[Entry]) -> None:
    numbered = [Entry(3 * place, *entry.__reduce__()[1][1:]) for place, entry in enumerate(entries)]
    kept = EntryList(numbered)
    assert list(kept) == numbered
    assert len(kept) == len(numbered)
    assert [list(each.event) for each in kept] == [list(each.event) for each in numbered]
    assert kept[1:-1] == numbered[1:-1]
    assert kept[-2:] == numbered[-2:]
    assert [kept[place] for place in range(-len(numbered), 0)] == numbered
    assert [kept.position_of(3 * place) for place in range(len(numbered))] == list(range(len(numbered)))
    assert [each for each in kept.without_audio() if each.audio is None] == [
        each for each in numbered if each.audio is None
    ]
    for first in range(len(numbered) + 1):
        odd = [place for place in range(first, len(numbered)) if not kept.is_audio_only(place)]
        assert list(kept.without_audio(first)) == [numbered[place] for place in odd]
        assert all(each.audio is not None for each in numbered[first:] if each.seq // 3 not in odd)
    assert kept.position_of(1) is None
    assert kept.position_of(3 * len(numbered)) is None

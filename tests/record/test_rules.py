"""The rules over a session that goes on: what is found broken, by which name, and what is not."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.profile.facts import IGNORED_SERVER_EVENTS, REQUIRED_SERVER_FIELDS
from simulator.record.entries import AudioSpan, Direction, Entry, Track
from simulator.record.rules.live import LiveRules
from tests.record.session_sheet import SERVER_VAD, SessionSheet


@pytest.fixture
def sheet() -> SessionSheet:
    """A session with turn detection on, and half a second of audio."""
    return SessionSheet().detection(SERVER_VAD).append(500)


def reply(sheet: SessionSheet, response_id: str = "resp_1", item_id: str = "item_r") -> SessionSheet:
    """Let the engine begin a reply with a second of audio."""
    sheet.created(response_id)
    for _ in range(10):
        sheet.delta(response_id, item_id)
    return sheet


def silent(sheet: SessionSheet, response_id: str = "resp_1") -> SessionSheet:
    """Ask for a silent answer, and let it begin."""
    tool = {"type": "function", "name": "answer_choice"}
    sheet.sent("response.create", response={"output_modalities": ["text"], "tool_choice": tool})
    return sheet.created(response_id, ["text"])


def call(sheet: SessionSheet, call_id: str = "call_1", response_id: str = "resp_1", **more: Any) -> SessionSheet:
    """Let the engine tell of a call."""
    told = {"response_id": response_id, "call_id": call_id, "name": "answer_choice", "arguments": "{}"} | more
    return sheet.received("response.function_call_arguments.done", **told)


def test_a_whole_conversation_breaks_nothing(sheet: SessionSheet) -> None:
    sheet.speech("item_1", 200).append(1_500).turn("item_1").wait(300)
    reply(sheet).append(500)
    sheet.speech("item_2", 1_900).wait(40).done("resp_1", "cancelled")
    sheet.sent("conversation.item.truncate", item_id="item_r", audio_end_ms=700).wait(20)
    sheet.received("conversation.item.truncated", item_id="item_r", audio_end_ms=700)
    sheet.append(700).detection(None).sent("input_audio_buffer.commit").wait(30).committed("item_2").wait(2_000)
    sheet.detection(SERVER_VAD).append(2_000).speech("item_3", 1_200).append(300).turn("item_3").wait(600)
    reply(sheet, "resp_2", "item_s").spoken_end("resp_2", "item_s").wait(500)
    call(silent(sheet, "resp_3"), response_id="resp_3").done("resp_3").wait(20_000)
    assert sheet.found == []


@pytest.mark.parametrize(
    ("kind", "fields", "clauses"),
    [
        ("conversation.item.truncated", {"audio_end_ms": 5}, ["required fields"]),
        ("conversation.item.truncated", {"item_id": 7, "audio_end_ms": 5}, ["required fields"]),
        ("input_audio_buffer.speech_stopped", {"item_id": "i", "audio_end_ms": True}, ["required fields"]),
        ("response.created", {"response": {}}, ["required fields"]),
        ("session.created", {}, ["required fields"]),
        ("rate_limits.updated", {}, []),
        ("vendor.something", {}, []),
    ],
)
def test_required_fields(kind: str, fields: dict[str, Any], clauses: list[str]) -> None:
    assert SessionSheet().received(kind, **fields).clauses == clauses


@pytest.mark.parametrize(
    ("payload_bytes", "clauses"), [(96_000, []), (96_002, ["delta length"]), (4_801, ["whole samples"])]
)
def test_a_delta_is_at_most_two_seconds_of_whole_samples(payload_bytes: int, clauses: list[str]) -> None:
    assert SessionSheet().created().delta(payload_bytes=payload_bytes).clauses == clauses


def test_a_delta_that_is_not_base64() -> None:
    sheet = SessionSheet().created()
    sheet.received("response.output_audio.delta", response_id="resp_1", item_id="item_r", delta="")
    assert sheet.clauses == ["base64 audio"]


def test_a_frame_that_cannot_be_read() -> None:
    entry = Entry(0, 0, Direction.RECEIVED, "malformed", problem="The engine sent a frame that is not JSON: end.")
    (broken,) = LiveRules().feed(entry)
    assert broken == ("readable events", "The engine sent a frame that is not JSON: end", 0)


class TestEndsOfReplies:
    """Speech, or a cancel of ours, ends a reply in time, as cancelled, and nothing of it comes afterwards."""

    def test_in_the_last_moment(self, sheet: SessionSheet) -> None:
        reply(sheet).speech().wait(1_500).done(status="cancelled")
        assert sheet.found == []

    def test_too_late(self, sheet: SessionSheet) -> None:
        reply(sheet).speech().wait(1_501).done(status="cancelled")
        assert sheet.clauses == ["cancelled in time"]
        assert sheet.found[0].what == "input_audio_buffer.speech_started to response.done took 1501 ms, 1500 at most"

    def test_never_is_told_once(self, sheet: SessionSheet) -> None:
        reply(sheet).speech().wait(5_000).done(status="cancelled")
        assert sheet.clauses == ["cancelled in time"]

    def test_after_our_cancel(self, sheet: SessionSheet) -> None:
        reply(sheet).sent("response.cancel", response_id="resp_1").wait(1_600).done(status="cancelled")
        assert sheet.clauses == ["cancelled in time"]

    @pytest.mark.parametrize(("after_ms", "clauses"), [(250, []), (251, ["ends as cancelled"])])
    def test_a_reply_that_was_over_just_before(self, sheet: SessionSheet, after_ms: int, clauses: list[str]) -> None:
        reply(sheet).speech().wait(after_ms).spoken_end()
        assert sheet.clauses == clauses

    def test_a_silent_answer_is_not_interrupted_by_speech(self, sheet: SessionSheet) -> None:
        call(silent(sheet)).speech().wait(3_000).done()
        assert sheet.found == []

    def test_an_engine_that_is_not_to_be_interrupted(self) -> None:
        sheet = SessionSheet().detection(SERVER_VAD | {"interrupt_response": False})
        reply(sheet).speech().wait(3_000).spoken_end()
        assert sheet.found == []

    def test_audio_afterwards_is_told_once(self, sheet: SessionSheet) -> None:
        reply(sheet).speech().wait(10).done(status="cancelled").wait(300).delta().delta()
        assert sheet.clauses == ["no audio afterwards"]
        assert "300 ms after" in sheet.found[0].what

    def test_the_next_reply_is_no_audio_afterwards(self, sheet: SessionSheet) -> None:
        reply(sheet).speech().wait(10).done(status="cancelled")
        reply(sheet, "resp_2")
        assert sheet.found == []

    def test_a_response_that_stands_still(self, sheet: SessionSheet) -> None:
        reply(sheet).wait(15_000)
        assert sheet.found == []
        sheet.wait(100)
        assert sheet.clauses == ["response ends"]


def _without(name: str) -> Callable[[SessionSheet], SessionSheet]:
    """Return what ends a reply without the event of a kind."""

    def end(sheet: SessionSheet) -> SessionSheet:
        if name != "audio":
            sheet.received("response.output_audio.done", response_id="resp_1", item_id="item_r")
        words = " " if name == "words" else "Tea."
        event = {"response_id": "resp_1", "item_id": "item_r", "transcript": words}
        sheet.received("response.output_audio_transcript.done", **event)
        usage = {"total_tokens": 3, "input_tokens": 2.5 if name == "tokens" else 2.0, "output_tokens": 1}
        return sheet.done(usage=usage)

    return end


@pytest.mark.parametrize(
    ("name", "clauses"), [("nothing", []), ("audio", ["audio ended"]), ("words", ["transcript"]), ("tokens", ["usage"])]
)
def test_a_reply_is_complete(sheet: SessionSheet, name: str, clauses: list[str]) -> None:
    assert _without(name)(reply(sheet)).clauses == clauses


@pytest.mark.parametrize("status", ["incomplete", "failed"])
def test_a_reply_that_does_not_complete(sheet: SessionSheet, status: str) -> None:
    assert reply(sheet).done(status=status).clauses == ["answer completed"]


class TestSilentAnswers:
    """One call, no sound, and nothing after it."""

    def test_sound_is_told_once(self, sheet: SessionSheet) -> None:
        silent(sheet).delta().delta()
        assert sheet.clauses == ["no sound"]

    def test_an_audio_part(self, sheet: SessionSheet) -> None:
        output = [{"type": "message", "content": [{"type": "output_audio"}]}]
        assert call(silent(sheet)).done(output=output).clauses == ["no sound"]

    @pytest.mark.parametrize("count", [0, 2])
    def test_no_call_or_two(self, sheet: SessionSheet, count: int) -> None:
        silent(sheet)
        for number in range(count):
            call(sheet, f"call_{number}")
        assert sheet.done().clauses == ["one call"]

    def test_a_call_that_only_the_end_tells(self, sheet: SessionSheet) -> None:
        output = [{"type": "function_call", "call_id": "call_1", "name": "answer_choice"}]
        assert silent(sheet).done(output=output).clauses == ["call told"]

    def test_a_refused_answer(self, sheet: SessionSheet) -> None:
        call(silent(sheet)).done().noted("answer", call_id="call_1", accepted=False, error="“value” is missing.")
        assert sheet.clauses == ["call fits"]
        assert sheet.found[0].what == "The call does not answer the question: “value” is missing"

    def test_a_question_given_up_is_no_call(self, sheet: SessionSheet) -> None:
        assert sheet.noted("answer", call_id="", accepted=False, error="No answer came.").found == []

    def test_what_the_operator_decides_breaks_nothing_and_excuses_nothing(self, sheet: SessionSheet) -> None:
        call(silent(sheet)).done()
        decided = {"call_id": "call_1", "by": "operator"}
        sheet.noted("answer", accepted=False, error="Not today.", judged=None, **decided)
        assert sheet.clauses == []
        sheet.noted("answer", accepted=True, judged="“value” is missing.", **decided)
        assert sheet.clauses == ["call fits"]

    @pytest.mark.parametrize(("after_ms", "clauses"), [(1_500, ["answered once"]), (1_600, [])])
    def test_a_second_response(self, sheet: SessionSheet, after_ms: int, clauses: list[str]) -> None:
        call(silent(sheet)).done().wait(after_ms).created("resp_2")
        assert sheet.clauses == clauses

    def test_a_second_response_that_we_asked_for(self, sheet: SessionSheet) -> None:
        call(silent(sheet)).done().sent("response.create", response={"output_modalities": ["audio"]})
        assert sheet.created("resp_2", ["audio"]).found == []

    def test_a_reply_of_the_engines_own_is_not_the_answer(self, sheet: SessionSheet) -> None:
        """It was begun as our request was under way: its modalities tell it apart."""
        sheet.sent("response.create", response={"output_modalities": ["text"]})
        sheet.created("resp_0", ["audio"]).delta("resp_0")
        assert sheet.found == []


@pytest.mark.parametrize(
    ("arguments", "call_id", "clauses"),
    [("[]", "c", ["arguments are an object"]), ("{", "c", ["arguments are an object"]), ("{}", "", ["call_id"])],
)
def test_a_call_in_a_reply(sheet: SessionSheet, arguments: str, call_id: str, clauses: list[str]) -> None:
    assert call(sheet.created(), call_id, arguments=arguments).clauses == clauses


class TestTruncations:
    """Acknowledged in time, for the item and at the very place."""

    def truncate(self, sheet: SessionSheet) -> SessionSheet:
        return sheet.sent("conversation.item.truncate", "ours", item_id="item_r", audio_end_ms=700)

    @pytest.mark.parametrize(("after_ms", "clauses"), [(3_000, []), (3_001, ["truncation acknowledged"])])
    def test_in_time(self, sheet: SessionSheet, after_ms: int, clauses: list[str]) -> None:
        self.truncate(sheet).wait(after_ms)
        sheet.received("conversation.item.truncated", item_id="item_r", audio_end_ms=700)
        assert sheet.clauses == clauses

    def test_at_another_place(self, sheet: SessionSheet) -> None:
        self.truncate(sheet).received("conversation.item.truncated", item_id="item_r", audio_end_ms=500)
        assert sheet.clauses == ["truncated position"]

    def test_for_another_item(self, sheet: SessionSheet) -> None:
        self.truncate(sheet).received("conversation.item.truncated", item_id="item_x", audio_end_ms=700)
        assert sheet.wait(5_000).clauses == ["truncated item"]

    def test_a_refusal_is_benign(self, sheet: SessionSheet) -> None:
        self.truncate(sheet).received("error", error={"event_id": "ours", "message": "Too long."})
        assert sheet.wait(5_000).found == []


class TestPauses:
    """With turn detection off nothing comes of itself, and a commit keeps the turn."""

    @pytest.fixture
    def pause(self, sheet: SessionSheet) -> SessionSheet:
        """Switched off in mid-speech, and committed."""
        return sheet.speech("item_1", 200).append(1_000).detection(None).sent("input_audio_buffer.commit", "ours")

    def test_a_reply_to_the_commit(self, pause: SessionSheet) -> None:
        assert pause.committed("item_1").created().clauses == ["no reply in the pause"]

    def test_a_reply_that_we_asked_for(self, pause: SessionSheet) -> None:
        pause.committed("item_1").sent("response.create", response={"output_modalities": ["audio"]})
        assert pause.created("resp_1", ["audio"]).found == []

    def test_a_reply_to_a_turn_from_before(self, sheet: SessionSheet) -> None:
        sheet.speech("item_1", 200).append(400).turn("item_1").detection(None)
        assert "no reply in the pause" not in sheet.created().clauses

    def test_another_item(self, pause: SessionSheet) -> None:
        assert pause.committed("item_x").clauses == ["turn keeps its item"]

    def test_twice(self, pause: SessionSheet) -> None:
        assert pause.committed("item_1").committed("item_1").clauses == ["one commit"]

    def test_never(self, pause: SessionSheet) -> None:
        assert pause.wait(15_200).clauses == ["committed"]

    def test_refused(self, pause: SessionSheet) -> None:
        pause.received("error", error={"event_id": "ours", "message": "Buffer is empty."})
        assert pause.wait(16_000).clauses == ["commit accepted"]

    def test_a_quiet_pause(self, sheet: SessionSheet) -> None:
        sheet.detection(None).speech("item_9", 100).committed("item_9").created()
        assert sheet.clauses == ["quiet pause", "quiet pause", "quiet pause"]

    def test_the_next_speech_counts_from_switching_on(self, sheet: SessionSheet) -> None:
        sheet.append(5_000).detection(None).wait(1_000).detection(SERVER_VAD).append(1_000)
        assert sheet.speech("item_2", 2_000).found == []
        assert sheet.speech("item_3", 2_001).clauses == ["timed from switching on"]

    def test_the_next_speech_is_a_new_turn(self, pause: SessionSheet) -> None:
        pause.committed("item_1").detection(SERVER_VAD).append(1_000)
        assert pause.speech("item_1", 500).clauses == ["new turn"]


class TestTurns:
    """A turn becomes its item, and is answered."""

    def test_without_item(self, sheet: SessionSheet) -> None:
        sheet.speech("item_1", 200).received("input_audio_buffer.committed", item_id="item_1")
        assert sheet.wait(1_200).clauses == ["turn added"]

    def test_an_item_told_before_its_commit(self, sheet: SessionSheet) -> None:
        for kind in ("added", "done"):
            sheet.received(f"conversation.item.{kind}", item={"id": "item_1"})
        sheet.speech("item_1", 200).received("input_audio_buffer.committed", item_id="item_1")
        assert sheet.wait(1_200).found == []

    @pytest.mark.parametrize(("after_ms", "clauses"), [(5_000, []), (5_001, ["answer begins"])])
    def test_an_answer_begins_in_time(self, sheet: SessionSheet, after_ms: int, clauses: list[str]) -> None:
        sheet.speech("item_1", 200).turn("item_1").wait(after_ms).created().delta()
        assert sheet.clauses == clauses

    def test_no_answer(self, sheet: SessionSheet) -> None:
        assert sheet.speech("item_1", 200).turn("item_1").wait(8_000).clauses == ["answer begins"]

    def test_who_speaks_on_gets_no_answer(self, sheet: SessionSheet) -> None:
        assert sheet.speech("item_1", 200).turn("item_1").speech("item_2", 400).wait(8_000).found == []


class TestOnsets:
    """The onset of a recording is known: its speech is noticed in time, and nothing else is."""

    @pytest.fixture
    def spoken(self) -> SessionSheet:
        """A recording begins with the next sample; its speech begins 400 ms into it."""
        sheet = SessionSheet().detection(SERVER_VAD).noted("voice.chosen", kind="recording", name="tea").append(1_000)
        return sheet.noted("recording.started", name="tea", first_sample=24_000, samples=72_000, onset_ms=400)

    def test_in_time(self, spoken: SessionSheet) -> None:
        assert spoken.append(1_400).speech("item_1", 1_300).found == []

    def test_late(self, spoken: SessionSheet) -> None:
        spoken.append(1_440).speech("item_1", 1_300)
        assert spoken.clauses == ["onset in time"]
        assert spoken.found[0].what == "speech_started came 1020 ms after the onset of speech, 1000 at most"

    def test_never(self, spoken: SessionSheet) -> None:
        assert spoken.append(3_600).clauses == ["speech noticed"]

    @pytest.mark.parametrize("silenced", ["listening.off", "voice.muted"])
    def test_what_cannot_be_heard_is_not_missed(self, spoken: SessionSheet, silenced: str) -> None:
        spoken.append(600).noted(silenced, muted=True, in_speech=False)
        assert spoken.append(4_000).found == []

    def test_far_too_early_on_the_clock(self, spoken: SessionSheet) -> None:
        assert spoken.append(800).speech("item_1", 399).clauses == ["audio_start_ms in place"]

    def test_beyond_everything_that_was_said(self, spoken: SessionSheet) -> None:
        assert spoken.append(800).speech("item_1", 2_801).clauses == ["audio_start_ms in place"]

    def test_in_silence(self) -> None:
        sheet = SessionSheet().detection(SERVER_VAD).noted("voice.chosen", kind="silence").append(1_200)
        assert sheet.speech("item_1", 300).clauses == ["speech only"]

    def test_what_a_replay_says_may_begin_at_any_time(self) -> None:
        sheet = SessionSheet().detection(SERVER_VAD).noted("voice.chosen", kind="silence").noted("replay.started")
        assert sheet.append(1_200).speech("item_1", 300).found == []
        sheet.noted("recording.started", name="pilot, speech 1", first_sample=28_800, samples=9_600, onset_ms=20.0)
        assert sheet.append(3_600).noted("recording.ended", name="pilot, speech 1").found == []
        assert sheet.noted("replay.ended").append(1_200).speech("item_2", 5_000).clauses == ["speech only"]

    def test_with_a_microphone_nobody_knows(self) -> None:
        sheet = SessionSheet().detection(SERVER_VAD).noted("voice.chosen", kind="microphone").append(1_200)
        assert sheet.speech("item_1", 300).found == []


class TestSettings:
    """What was asked for is answered, and shown as it was asked for."""

    @pytest.mark.parametrize(
        ("shown", "clauses"),
        [
            (SERVER_VAD | {"threshold": 0.5}, []),
            (SERVER_VAD | {"create_response": False}, ["settings unchanged"]),
            (SERVER_VAD | {"type": "semantic_vad"}, ["settings unchanged"]),
            (None, ["settings unchanged"] * 3),
        ],
    )
    def test_turn_detection(self, shown: Any, clauses: list[str]) -> None:
        assert SessionSheet().detection(SERVER_VAD, shown).clauses == clauses

    def test_off(self) -> None:
        assert SessionSheet().detection(None, SERVER_VAD).clauses == ["turn detection off"]

    def test_formats(self) -> None:
        pcm = {"format": {"type": "audio/pcm", "rate": 24_000}}
        sheet = SessionSheet().sent("session.update", session={"audio": {"input": pcm, "output": pcm}})
        sheet.received(
            "session.updated", session={"audio": {"input": pcm, "output": {"format": {"type": "audio/pcm"}}}}
        )
        assert sheet.clauses == ["output format"]

    def test_unanswered(self) -> None:
        assert SessionSheet().sent("session.update", session={}).wait(30_000).clauses == ["update answered"]

    def test_refused(self) -> None:
        sheet = SessionSheet().sent("session.update", "ours", session={})
        assert sheet.received("error", error={"event_id": "ours", "message": "No."}).clauses == ["update answered"]

    def test_a_request_that_is_not_answered(self, sheet: SessionSheet) -> None:
        assert sheet.sent("response.create", response={}).wait(15_100).clauses == ["reply begins"]


def test_function_outputs_and_images_are_taken(sheet: SessionSheet) -> None:
    output = {"type": "function_call_output", "call_id": "call_1", "output": "{}"}
    sheet.sent("conversation.item.create", "ours_1", item=output).wait(15_100)
    sheet.sent("conversation.item.create", "ours_2", item=output)
    sheet.received("error", error={"event_id": "ours_2", "message": "No such call."})
    image = {"type": "message", "content": [{"type": "input_image", "image_url": ""}]}
    sheet.sent("conversation.item.create", "ours_3", item=image)
    sheet.received("error", error={"event_id": "ours_3", "message": "No images."})
    assert sheet.clauses == ["output added", "output accepted", "image accepted"]


KINDS = [*REQUIRED_SERVER_FIELDS, *sorted(IGNORED_SERVER_EVENTS)[:3], "session.update", "response.create", "answer"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 9_000) | st.floats(allow_nan=False) | st.sampled_from(["a", "b", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "item_id", "type", "status", "session", "audio"]), inner, max_size=4)
    ),
    max_leaves=8,
)
NAMES = sorted({name for names in REQUIRED_SERVER_FIELDS.values() for name in names} | {"event_id", "accepted"})
SPANS = st.none() | st.builds(AudioSpan, st.sampled_from(Track), *[st.integers(0, 90_000)] * 3)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(Direction),
            st.sampled_from(KINDS),
            st.dictionaries(st.sampled_from(NAMES), JSON, max_size=4),
            st.integers(0, 9_000),
            SPANS,
        ),
        max_size=30,
    )
)
def test_whatever_comes_the_rules_go_on(
    rows: list[tuple[Direction, str, dict[str, Any], int, AudioSpan | None]],
) -> None:
    rules, t_ns = LiveRules(), 0
    for seq, (direction, kind, event, after_ms, span) in enumerate(rows):
        t_ns += after_ms * 1_000_000
        found = rules.tick(t_ns) + rules.feed(Entry(seq, t_ns, direction, kind, event, audio=span))
        assert all(0 <= broken.seq <= seq for broken in found)

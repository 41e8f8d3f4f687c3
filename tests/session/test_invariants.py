"""What holds whatever anybody does: a participant, a study, an engine that keeps the order and one that does not."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from simulator.profile import facts
from simulator.session.actions import Action, CutPlayback, Play, Settled
from tests.session.conversation import SAMPLES_A_MS, Conversation, sent_in

RESPONSES = st.sampled_from(["resp_1", "resp_2", "resp_3"])


class LawfulEngine(RuleBasedStateMachine):
    """An engine that obeys HRP, with every interleaving of its events, commands, playback and time.

    The model knows what the engine knows: the updates that it has not answered, its own turn, its response.
    """

    def __init__(self) -> None:
        super().__init__()
        self.talk = Conversation(standing=False)
        self.checked = 0
        self.unanswered: list[dict[str, Any]] = []
        self.engine_listens = False
        self.turn: str | None = None
        self.turns = 0
        self.response: str | None = None
        self.responses = 0
        self.asked: list[dict[str, Any]] = []
        self.cancelled = False
        self.wanted = True
        self.may_append = False
        self.received_ms: dict[str, int] = {}
        self.response_of: dict[str, str] = {}
        self.cut_responses: set[str] = set()
        self.truncated: set[str] = set()
        self.beside: list[dict[str, Any]] = []
        self.called: list[str] = []
        self.answered: list[str] = []
        self.tokens = 0
        self.look()

    def look(self) -> list[dict[str, Any]]:
        """Judge what the session did since the last look, and take it into the engine's inbox."""
        new = self.talk.history[self.checked :]
        self.checked = len(self.talk.history)
        for action in new:
            if isinstance(action, CutPlayback):
                assert new[0] is action, "the cut comes first"
            if isinstance(action, Play):
                assert action.response_id not in self.cut_responses, "nothing of a cut response plays"
        sent = sent_in(new)
        for event in sent:
            self.judge(event)
        return sent

    def judge(self, event: dict[str, Any]) -> None:
        match event["type"]:
            case "input_audio_buffer.append":
                assert self.may_append, "appended while not listening"
            case "session.update":
                self.unanswered.append(event["session"])
            case "response.create" if event["response"].get("conversation") == "none":
                self.beside.append(event)
            case "response.create":
                assert not self.asked, "two requests at once"
                assert self.response is None, "requested while a response is in progress"
                self.asked.append(event)
            case "conversation.item.create" if event["item"]["type"] == "function_call_output":
                assert event["item"]["call_id"] in self.called
                assert event["item"]["call_id"] not in self.answered, "a call is answered once"
                self.answered.append(event["item"]["call_id"])
            case "response.cancel":
                assert event["response_id"] == self.response
                self.cancelled = True
            case "conversation.item.truncate":
                item = event["item_id"]
                assert item not in self.truncated, "truncated twice"
                self.truncated.add(item)
                assert event["audio_end_ms"] <= self.received_ms[item]

    def heard_ms(self) -> dict[str, int]:
        return {each.item_id: each.handed_samples // SAMPLES_A_MS for each in self.talk.loudspeaker.items}

    def interrupting(self, step: Any) -> None:
        """Do something that may cut; nothing that was open plays afterwards, and truncations are what was heard."""
        heard, open_items = self.heard_ms(), [each.item_id for each in self.talk.loudspeaker.items]
        step()
        if open_items:
            assert self.talk.cut
            self.cut_responses |= {self.response_of[each] for each in open_items}
        if self.response is not None:
            self.cut_responses.add(self.response)
        for item, end_ms in self.talk.truncated:
            assert end_ms <= heard[item]
        self.look()

    def token(self) -> int:
        self.tokens += 1
        return self.tokens

    @initialize()
    def connect(self) -> None:
        self.talk.run(self.talk.session.started(0))
        self.talk.engine("session.created", session={})
        self.look()

    # The engine

    @precondition(lambda self: self.unanswered)
    @rule(refuse=st.integers(0, 9).map(lambda n: n == 0))
    def answer_update(self, refuse: bool) -> None:
        session = self.unanswered.pop(0)
        switch = "audio" in session
        on = switch and session["audio"]["input"]["turn_detection"] is not None
        self.may_append = self.may_append or (on and self.wanted and not refuse)
        if switch and not refuse:
            self.engine_listens = on
        if refuse:
            event_id = [
                each["event_id"]
                for each in sent_in(self.talk.history)
                if each["type"] == "session.update" and each["session"] == session
            ][-1 - sum(each == session for each in self.unanswered)]
            self.talk.error("no", "invalid_value", event_id)
            if on:
                self.wanted = False
        else:
            self.talk.engine("session.updated", session={**session, "id": "sess_1"})
        commits = self.talk.sent_types.count("input_audio_buffer.commit")
        assert commits == (1 if switch and not on and self.turn is not None else 0)
        if commits:
            self.talk_committed()
        self.look()

    def talk_committed(self) -> None:
        self.look()
        item, self.turn = self.turn, None
        assert item is not None
        self.talk.committed(item)

    @precondition(lambda self: self.engine_listens and self.turn is None and self.may_append_ever())
    @rule()
    def hear_speech(self) -> None:
        self.turns += 1
        self.turn = f"user_{self.turns}"
        self.interrupting(lambda: self.talk.speech_started(f"user_{self.turns}"))
        if self.response is not None:
            self.end_response("cancelled")

    def may_append_ever(self) -> bool:
        return any(each["type"] == "input_audio_buffer.append" for each in sent_in(self.talk.history))

    @precondition(lambda self: self.engine_listens and self.turn is not None)
    @rule()
    def end_turn(self) -> None:
        item, self.turn = str(self.turn), None
        self.talk.speech_stopped(item)
        self.look()
        self.talk.committed(item)
        self.look()
        if self.response is None:
            self.begin_response(output_modalities=["audio"])

    def begin_response(self, **fields: Any) -> None:
        self.responses += 1
        self.response = f"resp_{self.responses}"
        self.talk.created(self.response, **fields)
        self.look()

    @precondition(lambda self: self.asked)
    @rule()
    def take_request(self) -> None:
        if self.response is not None:
            self.refuse_requests()
        else:
            request = self.asked.pop()
            self.begin_response(output_modalities=request["response"].get("output_modalities", ["audio"]))

    @precondition(lambda self: self.beside)
    @rule(refuse=st.booleans())
    def take_request_beside(self, refuse: bool) -> None:
        request = self.beside.pop(0)
        if refuse:
            self.talk.error("no", "invalid_value", request["event_id"])
        else:
            self.responses += 1
            name = f"beside_{self.responses}"
            self.talk.created(name, conversation_id=None)
            self.look()
            self.talk.done(name, conversation_id=None)
        self.look()

    def refuse_requests(self) -> None:
        while self.asked:
            event_id = self.asked.pop()["event_id"]
            self.talk.error("busy", "conversation_already_has_active_response", event_id)
            self.look()

    @precondition(lambda self: self.response is not None)
    @rule(milliseconds=st.integers(1, 2000), item=st.integers(0, 1))
    def speak(self, milliseconds: int, item: int) -> None:
        item_id = f"{self.response}_item_{item}"
        self.received_ms[item_id] = self.received_ms.get(item_id, 0) + milliseconds
        self.response_of[item_id] = str(self.response)
        self.talk.audio(milliseconds, item_id, str(self.response))
        self.look()

    @precondition(lambda self: self.response is not None)
    @rule(calls=st.lists(st.sampled_from(['{"value":5}', '{"value":500}', "{"]), max_size=2))
    def finish(self, calls: list[str]) -> None:
        wire = [
            {"call_id": f"{self.response}_call_{number}", "name": "answer_scale", "arguments": each}
            for number, each in enumerate(calls)
        ]
        self.end_response("cancelled" if self.cancelled else "completed", wire)

    def end_response(self, status: str, calls: list[dict[str, str]] | None = None) -> None:
        """End the response; requests that crossed its beginning are refused before that."""
        self.refuse_requests()
        response, self.response = str(self.response), None
        self.cancelled = False
        if status == "completed":
            self.called += [each["call_id"] for each in calls or []]
        self.talk.done(response, status, calls or [])
        self.look()

    @precondition(lambda self: self.cut_responses)
    @rule(data=st.data())
    def audio_too_late(self, data: st.DataObject) -> None:
        response = data.draw(st.sampled_from(sorted(self.cut_responses)))
        item_id = f"{response}_item_0"
        self.received_ms[item_id] = self.received_ms.get(item_id, 0) + 100
        self.talk.audio(100, item_id, response)
        assert self.talk.played == []
        self.look()

    # The participant, the study, the loudspeaker

    @rule()
    def capture(self) -> None:
        self.talk.speak()
        assert bool(self.talk.sent) == self.may_append
        self.look()

    @rule(on=st.booleans())
    def set_listening(self, on: bool) -> None:
        self.wanted = on
        self.may_append = self.may_append and on
        self.talk.run(self.talk.session.set_listening(on, self.talk.now_ns, token=self.token()))
        self.look()

    @rule()
    def stop_reply(self) -> None:
        step = lambda: self.talk.run(  # noqa: E731
            self.talk.session.stop_reply(self.talk.now_ns, token=self.token())
        )
        self.interrupting(step)

    @rule()
    def request_reply(self) -> None:
        self.talk.run(self.talk.session.request_reply(None, self.talk.now_ns, token=self.token()))
        self.look()

    @rule()
    def ask(self) -> None:
        config = {"question": "How warm?"}
        self.talk.run(self.talk.session.ask("vasrating", config, False, self.talk.now_ns, token=self.token()))
        self.look()

    @rule(shown=st.sampled_from([None, True, False]))
    def push(self, shown: bool | None) -> None:
        if shown is not None:
            self.wanted = shown
            self.may_append = self.may_append and shown
        context = {"event": "resumed"}
        self.talk.run(self.talk.session.push(context, [], False, 0, video_chat=shown, token=self.token()))
        self.look()

    @rule(response=st.sampled_from([{}, {"output_modalities": ["text"]}, {"conversation": "none"}]))
    def create_response(self, response: dict[str, Any]) -> None:
        self.talk.run(self.talk.session.create_response(response, self.talk.now_ns, token=self.token()))
        self.look()

    @rule(on=st.booleans())
    def take_calls_in_hand(self, on: bool) -> None:
        self.talk.run(self.talk.session.set_calls_in_hand(on, self.talk.now_ns, token=self.token()))
        self.look()

    @precondition(lambda self: self.talk.session.held_calls)
    @rule(how=st.sampled_from(["as judged", "accept", "refuse", "broken"]), data=st.data())
    def answer_call(self, how: Any, data: st.DataObject) -> None:
        held = data.draw(st.sampled_from([each.call.call_id for each in self.talk.session.held_calls]))
        self.talk.run(self.talk.session.answer_call(held, how, "Why.", self.talk.now_ns, token=self.token()))
        assert held in [each["call_id"] for each in self.talk.notes("call.answered")]
        self.look()

    @rule(milliseconds=st.integers(1, 3000))
    def hear(self, milliseconds: int) -> None:
        self.talk.hear(milliseconds)
        self.look()

    @rule()
    def instruct(self) -> None:
        text = f"Part {self.tokens}."
        self.talk.run(self.talk.session.set_instructions(text, self.talk.now_ns, token=self.token()))
        self.look()

    @rule()
    def tick(self) -> None:
        self.talk.pass_time(20)
        self.look()

    @invariant()
    def listening_is_what_the_model_says(self) -> None:
        assert self.talk.session.listening == self.may_append

    def come_to_an_end(self) -> None:
        """Let the engine deal with all that was asked of it, without ever calling a tool."""
        while self.unanswered or self.response or self.beside or self.asked:
            if self.unanswered:
                self.answer_update(refuse=False)
            elif self.response:
                self.end_response("cancelled" if self.cancelled else "completed")
            elif self.beside:
                self.take_request_beside(refuse=False)
            else:
                self.take_request()

    def teardown(self) -> None:
        self.talk.run(self.talk.session.set_calls_in_hand(False, self.talk.now_ns))
        self.look()
        assert sorted(self.answered) == sorted(self.called), "no call is left without an output"
        self.come_to_an_end()
        assert self.talk.session.question is None, "no question is left on the screen that nobody asks any more"
        assert self.talk.session.questions_waiting == 0
        self.talk.run(self.talk.session.closed(1000, "", self.talk.now_ns))
        settled = sorted(each.token for each in self.talk.history if isinstance(each, Settled))
        assert settled == list(range(1, self.tokens + 1)), "each command is settled exactly once"


TestLawfulEngine = LawfulEngine.TestCase
TestLawfulEngine.settings = settings(max_examples=150, stateful_step_count=50, deadline=None)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["item_1", "resp_1", "call_1", "completed", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "status", "output", "type", "error", "event_id", "code"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)
NAMES = (
    *("session", "response", "item", "error", "item_id", "response_id", "delta", "call_id", "name", "arguments"),
    *("transcript", "audio_start_ms", "audio_end_ms"),
)
fields = st.dictionaries(
    st.sampled_from(
        [
            "session",
            "response",
            "item",
            "error",
            "item_id",
            "response_id",
            "delta",
            "call_id",
            "name",
            "arguments",
            "transcript",
            "audio_start_ms",
            "audio_end_ms",
        ]
    ),
    json_values,
)
kinds = st.sampled_from([*facts.REQUIRED_SERVER_FIELDS, *facts.IGNORED_SERVER_EVENTS, "ping"])
lawful_events = st.sampled_from(
    [
        {"type": "session.created", "session": {}},
        {"type": "session.updated", "session": {}},
        {"type": "input_audio_buffer.speech_started", "audio_start_ms": 1, "item_id": "item_u"},
        {"type": "input_audio_buffer.committed", "item_id": "item_u"},
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_audio.delta", "response_id": "resp_1", "item_id": "item_1", "delta": "AAEC"},
        {"type": "response.output_audio.done", "response_id": "resp_1", "item_id": "item_1"},
        {"type": "response.done", "response": {"id": "resp_1", "status": "completed"}},
        {"type": "error", "error": {"event_id": "event_1", "message": "no"}},
        {"type": "error", "error": {"event_id": "event_3", "code": "conversation_already_has_active_response"}},
    ]
)
garbage = st.builds(lambda kind, rest: {**rest, "type": kind}, kinds, fields)
commands = st.sampled_from(
    [
        "on",
        "off",
        "stop",
        "reply",
        "ask",
        "push",
        "in hand",
        "answer",
        "raw",
        "create",
        "speak",
        "hear",
        "wait",
        "close",
    ]
)


@given(st.lists(st.one_of(garbage.map(json.dumps), lawful_events.map(json.dumps), commands), max_size=40))
@settings(max_examples=300)
def test_no_order_of_anything_raises_and_the_promises_hold(steps: list[str]) -> None:
    """An engine may send anything at any time: truncations stay within what came, and tokens settle once."""
    talk = Conversation(standing=False)
    session = talk.session
    tokens = 0
    for step in steps:
        tokens += 1
        now_ns = talk.now_ns
        match step:
            case "on" | "off":
                talk.run(session.set_listening(step == "on", now_ns, token=tokens))
            case "stop":
                talk.run(session.stop_reply(now_ns, token=tokens))
            case "reply":
                talk.run(session.request_reply("x", now_ns, token=tokens))
            case "ask":
                talk.run(session.ask("textinput", {"question": "Q"}, False, now_ns, token=tokens))
            case "push":
                talk.run(session.push({"event": "resumed"}, [], True, now_ns, token=tokens))
            case "in hand":
                talk.run(session.set_calls_in_hand(not session.calls_in_hand, now_ns, token=tokens))
            case "answer":
                talk.run(session.answer_call("call_1", "accept", "", now_ns, token=tokens))
            case "raw":
                talk.run(session.send_event({"type": "session.update", "session": 5}, now_ns, token=tokens))
            case "create":
                talk.run(session.create_response({"conversation": "none"}, now_ns, token=tokens))
            case "close":
                talk.run(session.closed(None, "", now_ns))
                tokens -= 1
            case _:
                tokens -= 1
                if step == "speak":
                    talk.speak()
                elif step == "hear":
                    talk.hear(1)
                elif step == "wait":
                    talk.pass_time(10_000)
                else:
                    talk.frame(step)
    talk.run(session.closed(None, "", talk.now_ns))
    settled = sorted(each.token for each in talk.history if isinstance(each, Settled))
    assert settled == list(range(1, tokens + 1))
    check_truncations(talk.history)


def check_truncations(history: list[Action]) -> None:
    received: dict[str, int] = {}
    for action in history:
        if isinstance(action, Play):
            received[action.item_id] = received.get(action.item_id, 0) + len(action.audio)
    for event in sent_in(history):
        if event["type"] == "conversation.item.truncate" and event["audio_end_ms"]:
            assert event["audio_end_ms"] * SAMPLES_A_MS * 2 <= received[event["item_id"]]

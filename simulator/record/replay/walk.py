"""What a record tells of its participant's deeds and of what he heard, collected from its entries in one pass.

Speech is found elsewhere, in the audio (`speeches`). What the program did by itself is no deed: an answer to a call and
the reply that it asks for after one, the silent answer to a question, a tool that is added for one, a request that the
engine refused and that was sent again.
"""

import base64
import binascii
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from simulator.profile.context_items import PREFIX
from simulator.record.entries import AudioSpan, Direction, Entry, clamped_ns
from simulator.record.fields import dicts_at, text, value_at, whole_number
from simulator.record.replay.deeds import (
    Ask,
    Deed,
    Instruct,
    Listen,
    OwnAnswer,
    Push,
    Request,
    SendRaw,
    Settings,
    StopReply,
)
from simulator.record.replay.requests import Requests, silent_answer
from simulator.record.studies import replayed_studies, study_name
from simulator.units import NS_PER_MS

if TYPE_CHECKING:
    from simulator.record.append_lines import Numbers

ONE_STOP_NS: Final = 100 * NS_PER_MS
"""The cuts and the cancel of one stop lie closer together."""
_ONE_PART_NS: Final = 50 * NS_PER_MS
"""The note of a part and the instructions that it brings lie closer together."""


@dataclass(frozen=True, slots=True)
class Done:
    """A deed, when it was done on the record's clock, and the entry that it was sent with."""

    deed: Deed
    at_ns: int
    seq: int
    audio: AudioSpan | None = None
    """Where the audio lies of an append that was composed by hand."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the agent's voice: when its first sample was audible, and when its last one was handed over."""

    response_id: str
    begun_ns: int
    latency_ns: int
    """From the handing over of a sample to its sound."""
    ended_ns: int | None = None
    """None: it still sounded when the record ended."""
    cut: bool = False


class Walk:
    """Takes the entries of one record, in order."""

    def __init__(self) -> None:
        self.done: list[Done] = []
        self.sent: list[tuple[Numbers, Numbers]] = []
        """When audio was sent, and which sample of it came first."""
        self.items: dict[str, Item] = {}
        """By item, of those of which a sample was heard."""
        self.listening_off: list[tuple[int, int | None]] = []
        self.recordings: list[tuple[int, int | None]] = []
        """When recordings were said, what a study says, and the speeches of a replay."""
        self.settings: Settings | None = None
        self.began_ns: int | None = None
        """When the engine had taken the first settings."""
        self.ended_ns: int | None = None
        self.last_ns = 0
        self.audio_kept = True
        self.redacted = False
        self.echo = False
        """Whether the loudspeaker was heard in the microphone."""
        self.studies: dict[str, None] = {}
        self.skipped = False
        """Whether blocks of the voice were left out on purpose."""
        self.lost_entries = 0
        self.lost_questions = 0
        self.lost_images = 0
        self.answered_ns: dict[int, int] = {}
        """When questions were answered or given up, and listening was on, by the `seq` of what was done."""
        self._asked: int | None = None
        """That of the last question."""
        self._sent: Entry | None = None
        self._recording: str | None = None
        """The one that began last: the end of one that it broke off is noted behind its beginning."""
        self._questions: set[str] = set()
        self._requests = Requests()

    def feed(self, entry: Entry) -> None:
        """Take the next entry."""
        self.last_ns = max(self.last_ns, clamped_ns(entry.t_ns))
        match entry.direction:
            case Direction.SENT:
                self._sent = entry
                self._take_sent(entry)
            case Direction.RECEIVED:
                self._take_received(entry)
            case Direction.NOTED:
                self._take_note(entry)

    # ---- sent

    def _take_sent(self, entry: Entry) -> None:
        match entry.type:
            case "conversation.item.create":
                if (push := self._pushed(entry)) is not None:
                    self._add(push, entry)
            case "session.update":
                self._updated(entry)
            case "response.create":
                response = entry.event.get("response")
                wanted = response if isinstance(response, dict) else {}
                self._find_question(silent_answer(wanted))
                if not self._requests.sent(wanted, text(entry, "event_id"), self._questions):
                    self._add(Request(wanted), entry)
            case "response.cancel":
                self._stopped(entry.t_ns, entry.seq)

    def _find_question(self, tool: str | None) -> None:
        """A silent answer is asked for by this tool: the last push was its question, where its note does not say so.

        Earlier versions noted a question as any other push.
        """
        last = self.done[-1].deed if self.done else None
        if tool is None or not isinstance(last, Push):
            return
        if (last.context.get("event"), last.context.get("tool")) == ("question", tool):
            self.done.pop()
            self._questions.add(tool)
            self._lose_question()

    def _lose_question(self) -> None:
        self.lost_questions += 1
        self._asked = None

    def _pushed(self, entry: Entry) -> Push | None:
        if value_at(entry, "item", "type") != "message":
            return None
        context, images = None, []
        for part in dicts_at(entry, "item", "content"):
            match part:
                case {"type": "input_text", "text": str(said)} if said.startswith(PREFIX):
                    context = _object(said.removeprefix(PREFIX))
                case {"type": "input_image", "image_url": url}:
                    images.append(_image(url))
        if context is None:
            return None
        self.lost_images += images.count(None)
        return Push(context, tuple(each for each in images if each is not None))

    def _updated(self, entry: Entry) -> None:
        session = entry.event.get("session")
        if not isinstance(session, dict):
            return
        heard = value_at(entry, "session", "audio", "input")
        switches = isinstance(heard, dict) and "turn_detection" in heard
        detection = heard["turn_detection"] if switches else None
        if self.settings is None:
            self.settings = _settings(entry)
            if switches and detection is None:
                self._add(Listen(on=False), entry)
            return
        if switches:
            self._add(Listen(on=detection is not None), entry)
        if isinstance(detection, dict) and self.settings.turn_detection is None:
            self.settings = _with_detection(self.settings, detection)
        if set(session) - {"type"} == {"instructions"} and isinstance(session["instructions"], str):
            self._instructed(session["instructions"], entry)

    def _instructed(self, instructions: str, entry: Entry) -> None:
        """Take new instructions, and the part that is entered by them: it is noted before they leave."""
        part: str | None = None
        for at in reversed(range(len(self.done))):
            match self.done[at]:
                case Done(at_ns=at_ns) if clamped_ns(entry.t_ns) - at_ns >= _ONE_PART_NS:
                    break
                case Done(Instruct(instructions=None) as entered):
                    part = entered.part
                    del self.done[at]
                    break
        self._add(Instruct(instructions, part), entry)

    def _stopped(self, at_ns: int, seq: int) -> None:
        last = next((each for each in reversed(self.done) if isinstance(each.deed, StopReply)), None)
        if last is None or abs(clamped_ns(at_ns) - last.at_ns) > ONE_STOP_NS:
            self.done.append(Done(StopReply(), clamped_ns(at_ns), seq))

    def _add(self, deed: Deed, entry: Entry) -> None:
        self.done.append(Done(deed, clamped_ns(entry.t_ns), entry.seq))

    # ---- received

    def _take_received(self, entry: Entry) -> None:
        match entry.type:
            case "session.updated" if self.began_ns is None:
                self.began_ns = clamped_ns(entry.t_ns)
            case "response.created":
                self._requests.created(entry)
            case "response.function_call_arguments.done":
                self._requests.called(entry)
            case "response.done":
                self._requests.ended(entry)
            case "error":
                self._requests.refused(entry)

    # ---- noted

    def _take_note(self, entry: Entry) -> None:
        match entry.type:
            case "record.started" if entry.seq == 0:
                self.audio_kept = entry.event.get("audio_kept") is not False
                self.redacted = entry.event.get("redacted") is True
            case "record.ended" | "connection.closed":
                self.ended_ns = clamped_ns(entry.t_ns) if self.ended_ns is None else self.ended_ns
            case "entry.lost":
                self.lost_entries += 1
            case "study.started":
                self.studies[study_name(entry)] = None
            case "replay.started":
                self.studies |= dict.fromkeys(replayed_studies(entry))
            case "push":
                self._push_noted(entry)
            case "raw":
                self._composed(entry)
            case "own_answer":
                component, config = text(entry, "component"), entry.event.get("config")
                if component is not None and isinstance(config, dict):
                    self._add(OwnAnswer(component, config, entry.event.get("value")), entry)
            case "answer" if self._asked is not None:
                self.answered_ns[self._asked] = clamped_ns(entry.t_ns)  # the last attempt counts
            case "part":
                self._add(Instruct(None, text(entry, "name") or ""), entry)
            case "call.answered":
                self._requests.call_answered(text(entry, "call_id"))
            case "problem" if text(entry, "code") == "tool_loop":
                self._requests.not_followed_up()
            case "sound.warning" if text(entry, "code") == "echo":
                self.echo = True
            case "impairments" if text(entry, "dropped") == "skipped":
                self.skipped |= entry.event.get("active") is True and bool(entry.event.get("drop_percent"))
            case kind if kind.startswith("playback."):
                self._take_playback(entry)
            case "listening.off":
                _open(self.listening_off, clamped_ns(entry.t_ns))
            case "listening.on":
                _close(self.listening_off, clamped_ns(entry.t_ns))
                self._answered_on(clamped_ns(entry.t_ns))
            case "recording.started":
                _close(self.recordings, clamped_ns(entry.t_ns))
                _open(self.recordings, clamped_ns(entry.t_ns))
                self._recording = text(entry, "name")
            case "recording.ended" if text(entry, "name") == self._recording:
                _close(self.recordings, clamped_ns(entry.t_ns))

    def _answered_on(self, at_ns: int) -> None:
        """Listening is on from here: the wish came true that was the last."""
        last = next((each for each in reversed(self.done) if isinstance(each.deed, Listen)), None)
        if last is not None and last.deed == Listen(on=True):
            self.answered_ns[last.seq] = at_ns

    def _push_noted(self, entry: Entry) -> None:
        """Take the note of a pushed item: that of a question says how it was asked."""
        if "wording" not in entry.event and "component" not in entry.event:
            return
        seq = whole_number(entry, "seq_sent")
        sent = self.done[-1] if self.done and self.done[-1].seq == seq else None
        if sent is not None:
            self.done.pop()
        if (tool := text(entry, "context", "tool")) is not None:
            self._questions.add(tool)
        question = _question(entry)
        if question is None:
            self._lose_question()
        else:
            self.done.append(Done(question, clamped_ns(entry.t_ns) if sent is None else sent.at_ns, entry.seq))
            self._asked = entry.seq

    def _composed(self, entry: Entry) -> None:
        """The entry before it was composed by hand, whatever deed it looks like."""
        sent = self._sent
        if sent is None or sent.seq != whole_number(entry, "seq"):
            return
        if self.done and self.done[-1].seq == sent.seq:
            self.done.pop()
        audio = sent.audio if sent.type == "input_audio_buffer.append" else None
        self.done.append(Done(SendRaw(sent.event), clamped_ns(sent.t_ns), sent.seq, audio))

    def _take_playback(self, entry: Entry) -> None:
        item_id = text(entry, "item_id")
        if item_id is None:
            return
        item = self.items.get(item_id)
        match entry.type:
            case "playback.started" if item is None:
                handed_ns = _noted_time(entry, "handed_ns")
                begun_ns = max(handed_ns, _noted_time(entry, "dac_ns", handed_ns))
                response_id = text(entry, "response_id") or item_id
                self.items[item_id] = Item(response_id, begun_ns, begun_ns - handed_ns)
            case "playback.ended" | "playback.cut" if item is not None and item.ended_ns is None:
                cut = entry.type == "playback.cut"
                ended_ns = _noted_time(entry, "cut_ns" if cut else "handed_ns")
                self.items[item_id] = replace(item, ended_ns=ended_ns, cut=cut)
        if entry.type == "playback.cut" and text(entry, "cause") == "stop_reply":
            self._stopped(_noted_time(entry, "cut_ns"), entry.seq)


def _question(entry: Entry) -> Ask | None:
    match entry.event:
        case {
            "component": str(component),
            "config": dict(config),
            "shown_on": str(shown_on),
            "attempts": int(attempts),
            "during_video": bool(during_video),
        }:
            return Ask(component, config, during_video, shown_on, attempts)
    return None


def _settings(entry: Entry) -> Settings:
    detection = value_at(entry, "session", "audio", "input", "turn_detection")
    tools = (each.get("name") for each in dicts_at(entry, "session", "tools"))
    return Settings(
        instructions=text(entry, "session", "instructions") or "",
        voice=text(entry, "session", "audio", "output", "voice") or Settings().voice,
        turn_detection=detection if isinstance(detection, dict) else None,
        tools=tuple(name for name in tools if isinstance(name, str)),
    )


def _with_detection(settings: Settings, detection: dict[str, Any]) -> Settings:
    return Settings(settings.instructions, settings.voice, detection, settings.tools)


def _object(said: str) -> dict[str, Any] | None:
    try:
        value = json.loads(said)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _image(url: Any) -> bytes | None:
    """Return the file in a data URL, None where there is none."""
    _, comma, data = url.partition(";base64,") if isinstance(url, str) else ("", "", "")
    try:
        return base64.b64decode(data, validate=True) if comma else None
    except (binascii.Error, ValueError):
        return None


def _open(spans: list[tuple[int, int | None]], at_ns: int) -> None:
    if not spans or spans[-1][1] is not None:
        spans.append((at_ns, None))


def _close(spans: list[tuple[int, int | None]], at_ns: int) -> None:
    if spans and spans[-1][1] is None:
        spans[-1] = (spans[-1][0], max(spans[-1][0], at_ns))


def _noted_time(entry: Entry, name: str, otherwise_ns: int | None = None) -> int:
    noted_ns = whole_number(entry, name)
    if noted_ns is not None:
        return clamped_ns(noted_ns)
    return clamped_ns(entry.t_ns) if otherwise_ns is None else otherwise_ns

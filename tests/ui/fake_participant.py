"""A test double of the participant process: speaks its messages over stdin and stdout, without sound, socket or disk.

Each command that comes is written to the file named by FAKE_LOG, as the window sent it. Words in the commands ask
for special behaviour: the engine "ws://unreachable" is refused, the instructions "refuse this" too, the message "die"
ends the process with code 7, "gap" leaves entries to the record's file, "close" ends the session as an engine does. A
replay by the clock is done at once, one by the replies waits.
"""

import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from simulator.audio.impairments import Impairments
from simulator.participant.messages import (
    AnyCommand,
    AnyFeed,
    Ask,
    CancelCue,
    ChooseVoice,
    Connect,
    ConnectionState,
    Cue,
    Disconnect,
    Entries,
    Gap,
    Impair,
    Mark,
    NoteMark,
    PlayStudy,
    Push,
    Quit,
    RecogniseWords,
    Replay,
    ReplayProgress,
    Reply,
    SetEchoCancelling,
    SetHalfDuplex,
    SetInstructions,
    SetListening,
    SetMuted,
    SetTalk,
    SetVolume,
    Speak,
    Status,
    StopReplay,
    StopReply,
    StopStudy,
    StudyProgress,
    VoiceKind,
    decode_command,
    encode_line,
)
from simulator.profile.context_items import question
from simulator.profile.tools import tool_for
from simulator.record.entries import Direction, Entry
from simulator.study.steps import Study
from simulator.units import NS_PER_MS


class FakeParticipant:
    """Answers every command, and keeps a record of made-up entries 10 ms apart."""

    def __init__(self) -> None:
        self.status = Status()
        self.seq = 0
        self.marked = 0
        self.folder = Path(os.environ["FAKE_LOG"]).parent

    def run(self) -> None:
        """Answer until the input ends."""
        self.say(self.status)
        with Path(os.environ["FAKE_LOG"]).open("ab", buffering=0) as log:
            for line in sys.stdin.buffer:
                log.write(line)
                command = decode_command(line)
                error = self.execute(command)
                if isinstance(command, Ask) and command.config.get("question") == "answer this never":
                    continue
                self.say(Reply(id=command.id, error=error))
                if isinstance(command, Quit):
                    return

    def execute(self, command: AnyCommand) -> str | None:
        """Pretend; returns why not."""
        match command:
            case Connect(engine="ws://unreachable"):
                return "The engine at ws://unreachable did not answer: check the address."
            case Connect():
                self.connect(command)
            case Disconnect():
                self.note("connection.closed", code=1000, by="us")
                self.change(connection=ConnectionState.IDLE, connected_since_ns=None, recording=False)
            case ChooseVoice(kind=kind):
                self.change(voice=kind)
            case SetTalk(down=down):
                recording = self.status.voice is VoiceKind.RECORDING
                if down or not recording:
                    self.change(talking=not self.status.talking if recording else down)
            case SetMuted(muted=muted):
                self.change(muted=muted)
            case Impair(impairments=Impairments(noise="brown")):
                return "There is no noise “brown”."
            case Impair(impairments=impairments):
                self.note("impairments", active=impairments is not None, **msgspec.to_builtins(impairments or {}))
                self.change(impairments=impairments)
            case Speak(text="refuse this"):
                return "Nothing in it can be pronounced."
            case Cue(seconds=seconds, after=after, text=text):
                self.change(cue=f"{seconds:g} s after {after}: {text}")
            case CancelCue():
                self.change(cue=None)
            case Mark(note=note):
                self.marked = self.seq
                self.note("mark", note=note)
            case NoteMark(note="refuse this"):
                return "No moment of this session was marked yet."
            case NoteMark(note=note):
                self.note("mark.note", mark=self.marked, note=note)
            case SetVolume(db=db):
                self.change(volume_db=db)
            case SetHalfDuplex(on=on):
                self.change(half_duplex=on)
            case SetEchoCancelling(on=on):
                self.change(echo_cancelling=on)
            case RecogniseWords(model="no-such-model"):
                return "There is no Whisper model “no-such-model” on this computer."
            case RecogniseWords(on=on):
                self.change(recognises=on, recognition_lack="Nothing recognises words here." if on else None)
            case SetListening(on=on):
                self.note("listening.on" if on else "listening.off")
                self.change(listening=on)
            case SetInstructions(instructions="refuse this"):
                return "The engine refused the instructions."
            case SetInstructions(instructions=text):
                self.change(instructions_accepted=text)
            case Push(context={"event": "experimenter_message", "text": "die"}):
                sys.stderr.write("it was asked to die\n")
                sys.stderr.flush()
                os._exit(7)
            case Push(context={"event": "experimenter_message", "text": "gap"}):
                self.leave_a_gap()
            case Push(context={"event": "experimenter_message", "text": "speak"}):
                self.change(response_active=True, agent_heard=True)
            case Push(context={"event": "experimenter_message", "text": "close"}):
                self.end_replay("session ended")
                self.note("connection.closed", code=1006, by="engine")
                self.change(connection=ConnectionState.IDLE, connected_since_ns=None, recording=False)
            case Push(context={"text": "refuse this"}):
                return "The engine refused the push."
            case Push(context=context):
                self.note("push", context=context, images=0)
            case Ask(component=component, config={"question": "answer this never"} as config):
                self.note("push", context=question(tool_for(component, config), "any"), images=0)
            case Ask(component=component, config=config):
                answer = {
                    "tool": "answer_choice",
                    "value": "Tea",
                    "accepted": True,
                    "asked_ns": 0,
                    "answered_ns": 42_000_000,
                }
                self.note("answer", component=component, question=config.get("question"), **answer)
            case PlayStudy(study=study, first_step=first):
                self.play(study, first)
            case StopStudy():
                self.change(study=None)
            case Replay(by="clock"):
                self.note("replay.started", of="pilot", by="clock", acts=2, lacks=[])
                self.end_replay("finished")
            case Replay(record=record, by=by):
                self.note("replay.started", of="pilot", by=by, acts=2, lacks=[])
                waits = "the reply to begin"
                self.change(replay=ReplayProgress(source=record, by=by, done=1, acts=2, waits_for=waits))
            case StopReplay():
                self.end_replay("stopped")
            case StopReply():
                self.change(response_active=False, agent_heard=False)
        return None

    def connect(self, command: Connect) -> None:
        """Begin a record and be connected."""
        self.seq = 0
        path = str(self.folder / "session.jsonl")
        self.change(connection=ConnectionState.CONNECTING, record_path=path, keeps_audio=command.keep_audio)
        detection = {"audio": {"input": {"turn_detection": command.turn_detection}}}
        self.note("record.started", format="participant-simulator/record", format_version=1)
        self.entry(Direction.RECEIVED, "session.created", session={"id": "sess_1"})
        self.entry(Direction.SENT, "session.update", session=detection)
        self.entry(Direction.RECEIVED, "session.updated", session=detection)
        self.change(
            connection=ConnectionState.CONNECTED,
            engine=command.engine,
            connected_since_ns=0,
            recording=True,
            instructions_accepted=command.instructions,
            session_requested={"output_modalities": ["audio"], "voice": command.voice},
            session_accepted={"output_modalities": ["audio"], "voice": "alloy", "speed": 1.0},
        )

    def play(self, study: Study, first: int) -> None:
        """Begin two steps of a study, the second of which is refused, and wait with the third."""
        waits = "the agent's reply"
        self.change(study=StudyProgress(step=first + 1, steps=len(study.steps), waits_for=waits))
        for index in range(first, min(first + 2, len(study.steps))):
            self.note("study.step", step=index, line=study.steps[index].line, what="push")
        if first + 1 < len(study.steps):
            self.note("study.refused", step=first + 1, line=0, sentence="The engine refused it.")

    def end_replay(self, end: str) -> None:
        """End a replay in which one reply was missed."""
        self.note("replay.ended", end=end, missed=1, refused=0)
        self.change(replay=None)

    def leave_a_gap(self) -> None:
        """Write three entries to the record's file only, say so, and send a fourth."""
        missing = [self.make(Direction.NOTED, "voice.muted", muted=bool(number % 2)) for number in range(3)]
        earlier = [Entry(seq, 0, Direction.NOTED, "talk") for seq in range(missing[0].seq)]
        lines = [msgspec.json.encode(entry) for entry in [*earlier, *missing]]
        (self.folder / "session.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        self.say(Gap(first=missing[0].seq, last=missing[-1].seq))
        self.note("after.the.gap")

    def change(self, **more: Any) -> None:
        """Change the status and tell it."""
        self.status = msgspec.structs.replace(self.status, **more)
        self.say(self.status)

    def note(self, kind: str, **fields: Any) -> None:
        """Send a note."""
        self.entry(Direction.NOTED, kind, **fields)

    def entry(self, direction: Direction, kind: str, **fields: Any) -> None:
        """Send an entry."""
        self.say(Entries(entries=[self.make(direction, kind, **fields)]))

    def make(self, direction: Direction, kind: str, **fields: Any) -> Entry:
        """Return the next entry."""
        event = fields if direction is Direction.NOTED else {"type": kind, **fields}
        entry = Entry(self.seq, self.seq * 10 * NS_PER_MS, direction, kind, event, 100)
        self.seq += 1
        return entry

    def say(self, message: AnyFeed) -> None:
        """Write a feed line."""
        sys.stdout.buffer.write(encode_line(message))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    FakeParticipant().run()

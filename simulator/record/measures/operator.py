"""What the operator and the study did: pushes, the text chat, marks, and when listening was off."""

from dataclasses import replace
from typing import Any, Literal

from simulator.record.entries import Direction, Entry
from simulator.record.fields import text, whole_number
from simulator.record.measures.ledger import Growing, Ledger, Steps
from simulator.record.measures.objects import Mark, Push, Turn


class Operator:
    """Keeps pushes, marks, and the times without listening."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.pushes: list[Push] = []
        self.listening_off: list[tuple[int, int | None]] = []
        self.marks: Growing[Mark] = Growing()

    def steps(self) -> Steps:
        """Return what is done with which entry."""
        return {
            (Direction.NOTED, "listening.off"): self._listening_off_began,
            (Direction.NOTED, "listening.on"): self._listening_off_ended,
            (Direction.NOTED, "push"): self._pushed,
            (Direction.NOTED, "chat.sent"): self._agent_typed,
            (Direction.NOTED, "mark"): self._marked,
            (Direction.NOTED, "mark.note"): self._mark_noted,
        }

    def close(self, entry: Entry) -> None:
        """End what is open: the connection ended."""
        self._listening_off_ended(entry)

    def _pushed(self, entry: Entry) -> None:
        context = entry.event.get("context")
        if not isinstance(context, dict):
            return
        seq = whole_number(entry, "seq_sent")
        name = context.get("event")
        push = Push(entry.t_ns, entry.seq if seq is None else seq, name if isinstance(name, str) else "", context)
        self.pushes.append(push)
        said = context.get("said")
        who: Literal["typed", "study"] = "typed" if push.event == "typed" else "study"
        words = said if who == "typed" and isinstance(said, str) else _summary(context)
        self._ledger.turns.add(f"push {entry.seq}", Turn(who, f"push {entry.seq}", words, entry.t_ns, entry.seq))
        self._ledger.revision += 1

    def _agent_typed(self, entry: Entry) -> None:
        message = text(entry, "message")
        if message is not None:
            key = f"chat {entry.seq}"
            self._ledger.turns.add(key, Turn("agent typed", key, message, entry.t_ns, entry.seq))
            self._ledger.revision += 1

    def _marked(self, entry: Entry) -> None:
        key, note = f"mark {entry.seq}", text(entry, "note") or ""
        self.marks.add(key, Mark(entry.t_ns, note, entry.seq))
        self._ledger.turns.add(key, Turn("mark", key, note, entry.t_ns, entry.seq))
        self._ledger.revision += 1

    def _mark_noted(self, entry: Entry) -> None:
        key, note = f"mark {whole_number(entry, 'mark')}", text(entry, "note")
        mark, turn = self.marks.get(key), self._ledger.turns.get(key)
        if mark is not None and turn is not None and note is not None:
            self.marks.put(key, replace(mark, note=note))
            self._ledger.turns.put(key, replace(turn, text=note))
            self._ledger.revision += 1

    def _listening_off_began(self, entry: Entry) -> None:
        if not self.listening_off or self.listening_off[-1][1] is not None:
            self.listening_off.append((entry.t_ns, None))
            self._ledger.revision += 1

    def _listening_off_ended(self, entry: Entry) -> None:
        if self.listening_off and self.listening_off[-1][1] is None:
            self.listening_off[-1] = (self.listening_off[-1][0], entry.t_ns)
            self._ledger.revision += 1


def _summary(context: dict[str, Any]) -> str:
    """Return a context item in a few words: its name, and the first text that a person would recognise it by."""
    name = str(context.get("event", ""))
    for field in ("text", "question", "secondsLeft", "said", "name"):
        if (value := context.get(field)) is not None:
            unit = " s left" if field == "secondsLeft" else ""
            told = f"{value}{unit}"
            return told if told.lower().startswith(f"{name}:") else f"{name}: {told}"
    return name

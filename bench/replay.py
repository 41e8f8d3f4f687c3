"""How exactly a recorded participant is replayed: a study is recorded with the embedded engine, and replayed to it.

The plan of the replay's own record is held against that of the record: how far each deed has come away from the moment
of the agent's replies that it is timed from, and how many samples of what was said, and sent, are others. Then once
more by the clock, where the times since the beginning are compared. The output is a PulseAudio null sink where there
is one, else the silent clock.
"""

import math
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import numpy as np

from bench.figures import Figure
from bench.live_participant import participant_environment
from bench.session_folder import session_folder
from simulator.engines.children import python_command
from simulator.record.entries import Track
from simulator.record.reader import audio, stream
from simulator.record.replay.deeds import Act, By, Plan, Say
from simulator.record.replay.plan import plan
from simulator.record.replay.voice import ParticipantVoice
from simulator.record.tracks import Samples
from simulator.units import NS_PER_MS, samples_to_ns

SPEECH_GOAL_MS: Final = 1.0
DEED_GOAL_MS: Final = 20.0
_LONGEST_S: Final = 300
_PIECE_SAMPLES: Final = 4_800
"""Of the beginning of a speech, by which it is found again."""
_STUDY: Final = """\
format: participant-simulator/study
version: 1
name: To be replayed
instructions: Be kind.
steps:
  - participants: [{name: Alex, role: A}]
  - wait: 0.5
  - say: pauses_slt
  - timer: 60
  - when: after reply
    say: tell_me_a_long_story
  - when: during reply
    say: interruption
  - when: during reply
    timer: 50
  - when: after reply
    say: pauses_pico_gb
  - when: after reply
    part: {name: Two, guidance: Be brief.}
  - listening: off
  - question: {component: likertscale, config: {question: Good?, scale: 7}}
  - wait: 1
  - listening: on
  - wait: 0.7
  - typed: {speaker: Alex, said: And you?}
  - when: during reply
    timer: 30
  - when: after reply
    wait: 0.4
  - say: coffee_or_tea
  - when: after reply
    timer: 1
"""


def run() -> Iterable[Figure]:
    """Measure, and return the figures."""
    with participant_environment() as environment, session_folder("recorded-") as recorded:
        study = Path(recorded).parent / f"{Path(recorded).name}.yaml"
        study.write_text(_STUDY, encoding="utf-8")
        try:
            _execute(environment, "run", str(study), "--record", recorded)
        finally:
            study.unlink()
        (source,) = Path(recorded).iterdir()
        for by in ("replies", "clock"):
            with session_folder("replayed-") as replayed:
                _execute(environment, "replay", str(source), "--by", by, "--record", replayed)
                (record,) = Path(replayed).iterdir()
                yield from _figures(plan(source), plan(record), by)


def _execute(environment: dict[str, str], *arguments: str) -> None:
    command = [*python_command("simulator", arguments[0]), *arguments[1:], "--engine", "embedded", "--json"]
    done = subprocess.run(
        command if arguments[0] == "replay" else command[:-1],
        env=environment,
        stdout=subprocess.DEVNULL,
        timeout=_LONGEST_S,
        check=False,
    )
    if done.returncode not in (0, 2):
        raise RuntimeError(f"{arguments[0]} ended with {done.returncode}")


def _figures(old: Plan, new: Plan, by: By) -> Iterator[Figure]:
    pairs = _pairs(old, new)
    offs = [_off_ms(*each, _said_later_ns(old, new, *each), _began_ns(new), by) for each in pairs]
    print(
        f"by the {by}: {len(pairs)} of {len(old.acts)} deeds, {old.exchanges} exchanges and then {new.exchanges}",
        file=sys.stderr,
    )
    for (act, _), off_ms in zip(pairs, offs, strict=True):
        print(f"  {off_ms:8.2f} ms  {act.after}  {str(act.deed)[:70]}", file=sys.stderr)
    by_kind: dict[bool, list[float]] = {True: [], False: []}
    for (act, _), off_ms in zip(pairs, offs, strict=True):
        by_kind[isinstance(act.deed, Say)].append(abs(off_ms))
    how = f"replay by the {by}"
    yield Figure(f"{how}: deeds left undone", 0, "", [len(old.acts) - len(pairs)])
    yield Figure(f"{how}: speech off its time", SPEECH_GOAL_MS, "ms", by_kind[True])
    yield Figure(f"{how}: other deed off its time", DEED_GOAL_MS, "ms", by_kind[False])
    yield Figure(f"{how}: samples of a speech that are others", 0, "", list(_others(old, new, pairs)))


def _pairs(old: Plan, new: Plan) -> list[tuple[Act, Act]]:
    """Return the deeds of both that are the same, in order: the nth of a kind is the nth of that kind."""
    left = list(new.acts)
    pairs = []
    for act in old.acts:
        same = next((each for each in left if type(each.deed) is type(act.deed)), None)
        if same is not None:
            left.remove(same)
            pairs.append((act, same))
    return pairs


def _off_ms(old: Act, new: Act, said_later_ns: float, began_ns: int, by: By) -> float:
    """Return how much later a deed was done than in the record; infinity where it has another moment."""
    if by == "clock":
        return (new.at_ns + said_later_ns - began_ns - old.at_ns) / NS_PER_MS
    if old.after != new.after:
        return math.inf
    since_ns = began_ns if new.after.moment == "beginning" else 0
    return (new.after_ns + said_later_ns - since_ns - old.after_ns) / NS_PER_MS


def _began_ns(new: Plan) -> int:
    """Return when the replay began, since the beginning of its session: what its first push was timed from."""
    entries = list(stream(new.source, []))
    stood_ns = next(entry.t_ns for entry in entries if entry.type == "session.updated")
    first = next(entry for entry in entries if entry.type == "replay.act" and "samples" not in entry.event)
    if first.event["after"] != "beginning":
        raise RuntimeError("The study does not begin with a push.")
    since_ms = float(first.event["after_ms"] + first.event["late_ms"])
    return first.t_ns - round(since_ms * NS_PER_MS) - stood_ns


def _said_later_ns(old: Plan, new: Plan, one: Act, two: Act) -> float:
    """Return how much later the samples of a speech lie than the plan of the new record has it, which counts frames.

    Infinity where they do not lie near there as they were.
    """
    if not (isinstance(one.deed, Say) and isinstance(two.deed, Say)):
        return 0
    with ParticipantVoice(old.source) as before, ParticipantVoice(new.source) as after:
        spoken = before.read(one.deed.first_sample, one.deed.samples)
        start = int(np.flatnonzero(spoken)[0])
        piece = spoken[start : start + _PIECE_SAMPLES]
        first = two.deed.first_sample - _PIECE_SAMPLES
        heard = after.read(first, start + 3 * _PIECE_SAMPLES)
    places = [int(at) for at in np.flatnonzero(heard == piece[0]) if np.array_equal(heard[at : at + len(piece)], piece)]
    if len(places) != 1:
        print(f"  the speech at sample {one.deed.first_sample} was found {len(places)} times", file=sys.stderr)
        return math.inf
    return samples_to_ns(first + places[0] - start - two.deed.first_sample)


def _others(old: Plan, new: Plan, pairs: Iterable[tuple[Act, Act]]) -> Iterator[int]:
    """Yield for each speech how many of its samples were sent otherwise, or not at all."""
    sent = audio(new.source, Track.PARTICIPANT)
    with ParticipantVoice(old.source) as voice:
        for act, _ in pairs:
            if isinstance(act.deed, Say):
                spoken = np.trim_zeros(voice.read(act.deed.first_sample, act.deed.samples))
                yield len(spoken) - _longest_start(sent, spoken)


def _longest_start(samples: Samples, piece: Samples) -> int:
    """Return how many samples of the beginning of a piece lie somewhere in `samples`, as they are."""
    longest = 0
    for at in np.flatnonzero(samples[: max(0, len(samples) - len(piece) + 1)] == piece[0]):
        differing = np.flatnonzero(samples[at : at + len(piece)] != piece)
        longest = max(longest, int(differing[0]) if len(differing) else len(piece))
    return longest

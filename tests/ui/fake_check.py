"""A test double of `simulator check`: two checks, progress on standard error, a report on standard output.

With the engine "slow" it waits until its input ends, then reports what it has, as the real one does.
"""

import json
import sys
from pathlib import Path
from typing import Any

CHECKS = [
    {"id": "handshake", "description": "The session is accepted.", "perTurnDetection": False},
    {"id": "barge_in", "description": "The engine stops when spoken to.", "perTurnDetection": True},
]


def say(**progress: Any) -> None:
    sys.stderr.write(json.dumps(progress) + "\n")
    sys.stderr.flush()


def finished(check: str, mode: str | None, verdict: str, records: Path) -> dict[str, Any]:
    name = f"{check}-{mode}.jsonl" if mode else f"{check}.jsonl"
    records.mkdir(parents=True, exist_ok=True)
    started = {"format": "participant-simulator/record", "format_version": 1}
    lines = [{"seq": 0, "t_ns": 0, "direction": "noted", "type": "record.started", "event": started}]
    lines += [
        {"seq": 1, "t_ns": 5_000_000, "direction": "received", "type": "error", "event": {"error": {"code": "odd"}}}
    ]
    (records / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = {
        "check": check,
        "turnDetection": mode,
        "verdict": verdict,
        "reasons": [] if verdict == "passed" else ["response.done came 1,900 ms after speech_started."],
        "record": name,
    }
    say(progress="finished", **result)
    measured = {
        "name": "cancel to done",
        "value": 1900.0,
        "unit": "ms",
        "threshold": 1500,
        "from": "event 41",
        "to": "event 57",
    }
    return result | {"measurements": [measured], "clause": "conformance.checks.barge_in", "warnings": []}


def main() -> int:
    arguments = sys.argv[1:]
    if "--list" in arguments:
        print(json.dumps({"checks": CHECKS}))
        return 0
    records = Path(arguments[arguments.index("--records") + 1])
    engine = arguments[arguments.index("--engine") + 1]
    (records.parent / "arguments.json").parent.mkdir(parents=True, exist_ok=True)
    (records.parent / "arguments.json").write_text(json.dumps(arguments))
    if engine == "unreachable":
        sys.stderr.write("The engine did not answer: check the address.\n")
        return 3
    say(progress="running", check="handshake", turnDetection=None)
    results = [finished("handshake", None, "passed", records)]
    say(progress="waiting", check="barge_in", turnDetection="server_vad", waitingFor="speech_started")
    if engine == "slow":
        say(progress="waiting", check="barge_in", turnDetection="semantic_vad", waitingFor="the end")
        sys.stdin.read()
    else:
        results.append(finished("barge_in", "server_vad", "failed", records))
        results.append(finished("barge_in", "semantic_vad", "inconclusive", records))
    print(json.dumps({"results": results}))
    return 1


if __name__ == "__main__":
    sys.exit(main())

"""Stands in for the process that tries devices: tells what it was asked, then a level for ever or the end at once."""

import json
import sys
import time

question = json.loads(sys.argv[1])


def say(**line: object) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if question["input"][0] == "Busy mic":
    say(error="The microphone “Busy mic” is in use by another program: close that program or choose another device.")
    sys.exit(3)
say(opened=json.dumps(question), rate_hz=24_000, channels=1)
if question["do"] == "level":
    say(state="listening")
    while True:
        say(level=[-20.0, -12.0])
        time.sleep(0.02)
if question["do"] == "round_trip":
    say(state="measuring")
    if question["output"][0] == "Speakers":
        say(round_trip="Round trip 130.0 ms.")
        say(state="done")
        sys.exit(0)
    say(error="No click came back: turn the loudspeaker up.")
    sys.exit(3)
say(state="playing")
say(state="done")

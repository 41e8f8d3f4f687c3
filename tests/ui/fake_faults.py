"""A test double of `simulator engine --list-faults --json`."""

import json

FAULTS = [
    {
        "name": "speech_started_late",
        "kind": "fault",
        "does": "speech_started leaves 1.4 s late.",
        "clause": "onset in time",
        "checks": ["engine_turn", "barge_in"],
        "modes": ["server_vad", "semantic_vad"],
    },
    {
        "name": "odd_bytes",
        "kind": "fault",
        "does": "A delta ends inside a sample.",
        "clause": "whole samples",
        "checks": ["cancel"],
        "modes": ["server_vad", "semantic_vad"],
    },
    {
        "name": "slow_line",
        "kind": "oddity",
        "does": "Every event takes 300 ms.",
        "clause": "",
        "checks": ["engine_turn"],
        "modes": ["semantic_vad"],
    },
]

if __name__ == "__main__":
    print(json.dumps(FAULTS))

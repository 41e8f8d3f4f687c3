"""The rules of the profile as far as a record shows them while it grows.

    event          what a single event of the engine can break; the conformance checks use it too
    conversation   what is known at a moment: settings in force, requests under way, responses
    settings, responses, turns, items, onsets
                   the rules that need to know what came before
    live           all of them over a session, entry by entry

Each rule has the name that the conformance checks give their demand.
"""

"""A recorded participant, to be played to another engine: what he said and did, each timed from the agent's replies.

`deeds` holds what a plan is made of; who plays it is `participant/replay_player`.
"""

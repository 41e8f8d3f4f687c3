"""Participant Simulator: takes the participant's place in a spoken conversation with a realtime engine."""

__version__ = "0.1.0"

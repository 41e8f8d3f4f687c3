"""The participant process: everything of a live session, and the only one that stamps its times."""

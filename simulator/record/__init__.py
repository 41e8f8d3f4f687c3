"""Records: append-only lists of what happened, with where the audio lies."""

"""Audio: PCM, peaks, playout (pure), and the device side (devices, streams, sources).

Everything inside is 24 kHz mono int16 unless a name says otherwise. PortAudio, libsndfile and soxr are loaded by
the functions that need them, so the pure modules work on a computer that has none of the three.
"""

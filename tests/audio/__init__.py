"""Tests of the audio parts."""

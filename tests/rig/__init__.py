"""What tests and benchmarks stand on: a sound server and an X server of their own."""

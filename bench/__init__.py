"""Measurements of what the program promises: `python3 dev.py bench [NAME ...]`.

Each file here that has a function `run` is a benchmark and bears its name; its figures are judged in `figures`.
"""

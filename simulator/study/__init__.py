"""Studies: what the participant sees, says and is asked, step by step. Pure but for reading the file."""

"""The conformance suite: every check drives an engine, leaves a record, and is judged from that record alone."""

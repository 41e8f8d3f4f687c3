"""Labels for Audacity: a file a tier, so that each is a label track of its own.

A line is a beginning, an end and a text, separated by tabs; times are seconds.
"""

from simulator.record.export.texts import one_line
from simulator.record.export.tiers import Tier


def labels(tier: Tier) -> str:
    """Return the text of a label file. A point has the same beginning and end."""
    return "".join(f"{span.start_s:.6f}\t{span.end_s:.6f}\t{one_line(span.text)}\n" for span in tier.spans)

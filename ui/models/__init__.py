"""Models without Qt where they can be: what the panels show, in words and numbers."""

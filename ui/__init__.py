"""The window: draws records and sends commands. It owns no socket and no sample on its way, and times nothing."""

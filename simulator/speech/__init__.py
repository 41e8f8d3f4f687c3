"""Words out of speech, on this computer: for the embedded engine, and for what the window shows of any participant."""

"""The components of the platform as a participant sees them: one file each, plain text everywhere."""

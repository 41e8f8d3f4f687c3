"""The engines a user can connect to: their profiles, their keys, and the embedded engine as a child process."""

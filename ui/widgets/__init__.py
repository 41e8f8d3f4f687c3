"""Widgets that draw by themselves: they know measures and peaks, and nothing of where these come from."""

"""The embedded engine: a small realtime speech engine that runs on this machine.

An independent reading of the HyperStudy Realtime Profile: it shares no code with the participant's side (own JSON, own
state), so that a misspelt field cannot be hidden by both sides sharing it.

How a spoken turn walks: server (socket) → session (dispatch) → input_audio (clock, buffer) → activity (is this speech?)
→ turn_detection (edges) → session (events, new response) → mind (what to say) → generation (voice, pacing) → response
(event order) → outbox (the one place where events leave).
"""

"""The participant's side of the conversation, without any input or output: what to send, play, cut and note."""

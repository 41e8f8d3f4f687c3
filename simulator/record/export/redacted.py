"""A copy of a record without voices, words and names, to go with a report of a bug: what happened when stays.

Only what is known to be harmless is kept: numbers, and words of the interface and of this program. Every other text,
also where it names a field, is replaced by its length and a mark. Equal texts have equal marks within one copy, so that
events can still be told to belong together; the mark is keyed with a secret that is thrown away, so that nobody finds
a short text by trying.
"""

import hashlib
import re
import secrets
from dataclasses import replace
from typing import Any, Final

import msgspec

from simulator.profile.agent_spec import OWN
from simulator.profile.components import RATING_PAUSE_COMPONENTS
from simulator.profile.facts import BETA_SERVER_EVENTS, CHECKS, IGNORED_SERVER_EVENTS, REQUIRED_SERVER_FIELDS
from simulator.profile.tools import ARGUMENT_OF
from simulator.record.entries import Direction, Entry
from simulator.record.measures import Turn


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EVENTS: Final = frozenset(
    {
        *REQUIRED_SERVER_FIELDS,
        *IGNORED_SERVER_EVENTS,
        *BETA_SERVER_EVENTS,
        *("session.update", "input_audio_buffer.append", "input_audio_buffer.commit", "input_audio_buffer.clear"),
        *("conversation.item.create", "conversation.item.truncate", "conversation.item.delete"),
        *("conversation.item.retrieve", "response.create", "response.cancel", "malformed"),
        *("conversation.item.deleted", "conversation.item.retrieved"),
    }
)
_FIELDS: Final = _words(
    """
    type event_id session item item_id response response_id call_id delta audio audio_start_ms audio_end_ms transcript
    arguments name error code message param content_index output_index previous_item_id object id status status_details
    reason usage total_tokens input_tokens output_tokens input_token_details output_token_details cached_tokens
    cached_tokens_details text_tokens audio_tokens image_tokens rate_limits limit remaining reset_seconds role content
    output output_modalities modalities conversation conversation_id input instructions tools tool_choice
    max_output_tokens max_response_output_tokens temperature voice speed format rate turn_detection threshold
    prefix_padding_ms silence_duration_ms idle_timeout_ms eagerness create_response interrupt_response transcription
    noise_reduction language prompt model metadata parameters properties description required enum items minimum
    maximum additionalProperties image_url detail text part logprobs expires_at include tracing truncation
    config value context event said question secondsLeft component labels options min max step minLabel maxLabel
    dimensions tool version python system packages source sha256 url engine
    """
) | frozenset(ARGUMENT_OF.values())
_WORDS: Final = _words(
    """
    server_vad semantic_vad near_field far_field audio text message function_call function_call_output user assistant
    system function auto none required low medium high completed cancelled incomplete failed in_progress turn_detected
    client_cancelled max_output_tokens content_filter realtime realtime.session realtime.item realtime.response
    audio/pcm audio/pcmu audio/pcma pcm16 input_audio input_text output_audio output_text input_image
    invalid_request_error server_error tokens requests disabled retention_ratio
    agent participant operator judge own file embedded openai simulated measured reported
    participant-simulator participant-simulator/record
    object string number integer array boolean inf
    """
) | {*OWN.tool_names, *RATING_PAUSE_COMPONENTS, *CHECKS}
_FREE: Final = _words(
    """
    arguments transcript delta text instructions message content_text said question prompt description config
    value context metadata wording labels options note words logprobs
    """
)
"""Below these fields people's and the agent's own words stand: there, no text is kept."""
_CONTEXT_EVENTS: Final = (
    *("participants", "screen", "typed", "question", "timer", "experimenter_message", "revealed", "paused", "resumed"),
)
"""What a context item is about, as its `event` says."""
_SPELLED: Final = frozenset({"logprobs", "bytes"})
"""Here words stand in numbers, letter by letter."""
_ENGINE_PROBLEMS: Final = _words(
    """
    error beta_interface setting_not_in_force response_failed response_refused response_not_created no_session_created
    update_refused update_unanswered question_unanswered cancel_unanswered tool_loop call_id_used_again
    connection_engine connection_lost
    """
)
"""What this program calls an engine's problems; all others are called as the engine did."""
_OWN_CODES: Final = frozenset({"code", "clause", "kind", "because", "by", "dac_source"})
_CODE: Final = re.compile(r"[a-z0-9_.]{1,40}")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,40}")
_DATE: Final = re.compile(r"[0-9T:.+\-Z ]{1,40}")


class Redaction:
    """Redacts the entries of one record; the marks are of this copy alone."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def entry(self, entry: Entry) -> Entry:
        """Return an entry without words."""
        noted = entry.direction is Direction.NOTED
        kind = entry.type if (noted and _CODE.fullmatch(entry.type)) or entry.type in _EVENTS else self.mark(entry.type)
        event = self._noted(entry) if noted else self._object(entry.event, free=False)
        return msgspec.structs.replace(
            entry,
            type=kind,
            event=event,
            raw_text=None if entry.raw_text is None else self.mark(entry.raw_text),
            problem=None if entry.problem is None else self.mark(entry.problem),
        )

    def mark(self, text: str) -> str:
        """Return what stands in a text's place."""
        digest = hashlib.blake2s(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=5).hexdigest()
        return f"[{len(text)} characters #{digest}]"

    def turns(self, redacted: list[Turn], originals: list[Turn]) -> None:
        """Put whole marks in the place of what was heard of a reply and of what was not.

        `redacted`: the turns that the redacted entries make, `originals` those of the same entries as they were. A mark
        that stands for a whole text cannot be cut where the reply was.
        """
        words = {turn.seq: turn for turn in originals if turn.who == "agent"}
        for place, turn in enumerate(redacted):
            if (original := words.get(turn.seq)) is None:
                continue
            heard = None if original.heard_text is None else self._mark_of(original.heard_text)
            rest = original.text.removeprefix(original.heard_text or "").strip()
            whole = heard is None or not rest
            text = self._mark_of(original.text) if whole else " ".join(filter(None, (heard, self.mark(rest))))
            redacted[place] = replace(turn, text=text, heard_text=heard)

    def _mark_of(self, text: str) -> str:
        return self.mark(text) if text else ""

    def _noted(self, entry: Entry) -> dict[str, Any]:
        """Redact a note: the names of its fields and its codes are this program's own."""
        event: dict[str, Any] = {}
        for name, value in entry.event.items():
            kept = name if _NAME.fullmatch(name) else self.mark(name)
            if isinstance(value, str) and name in _OWN_CODES and _CODE.fullmatch(value):
                engines = entry.event.get("whose") == "engine" and value not in _ENGINE_PROBLEMS
                event[kept] = self.mark(value) if engines else value
            else:
                event[kept] = self._value(value, free=name in _FREE)
        if entry.type == "record.started" and entry.seq == 0:
            event |= self._started(entry.event)
        return event

    def _started(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return what a report of a bug needs to know of where it happened."""
        told: dict[str, Any] = {"redacted": True, "audio_kept": False, "headers": {}}
        started_at = event.get("started_at")
        if isinstance(started_at, str) and _DATE.fullmatch(started_at):
            told["started_at"] = started_at
        told |= {name: event[name] for name in ("tool", "versions") if isinstance(event.get(name), dict)}
        if isinstance(faults := event.get("faults"), list):
            told["faults"] = [name for name in faults if isinstance(name, str) and _CODE.fullmatch(name)]
        return told

    def _object(self, value: dict[str, Any], *, free: bool) -> dict[str, Any]:
        redacted = {
            name if name in _FIELDS else self.mark(name): self._inner(name, inner, free=free)
            for name, inner in value.items()
        }
        if (event := value.get("event")) in _CONTEXT_EVENTS:
            redacted["event"] = event
        return redacted

    def _inner(self, name: str, value: Any, *, free: bool) -> Any:
        if name in _SPELLED and isinstance(value, list):
            return self.mark(msgspec.json.encode(value).decode())
        return self._value(value, free=free or name in _FREE)

    def _value(self, value: Any, *, free: bool) -> Any:
        match value:
            case str():
                known = value in _WORDS or value in _EVENTS
                return value if not value or (known and not free) else self.mark(value)
            case dict():
                return self._object(value, free=free)
            case list():
                return [self._value(each, free=free) for each in value]
            case _:
                return value

"""The state of the participant process as the window sees it, gathered from the parts that own it."""

from typing import NamedTuple

import msgspec

from simulator.engines.profiles import EngineTarget
from simulator.participant.live import LiveSession
from simulator.participant.messages import ConnectionState, SoundWarning, Status
from simulator.participant.performances import Performances
from simulator.participant.recorder import SessionRecorder
from simulator.participant.session_commands import calls_and_questions
from simulator.participant.sound import Sound
from simulator.participant.storage import Storage
from simulator.participant.words import Words
from simulator.record.redact import Redactor


class SessionOfNow(NamedTuple):
    """The session that there is, or the last one there was, or none yet."""

    state: ConnectionState
    target: EngineTarget | None
    faults: list[str]
    live: LiveSession | None
    """None while none is open."""
    recorder: SessionRecorder | None
    connected_since_ns: int | None
    listening_at_start: bool
    """Whether the next one begins with listening on."""
    problems: int
    redactor: Redactor


class StatusBoard:
    """Gathers the status from the parts that live as long as the process. Belongs to its loop."""

    def __init__(self, sound: Sound, words: Words, storage: Storage, performances: Performances) -> None:
        self._sound = sound
        self._words = words
        self._storage = storage
        self._performances = performances

    def status(self, now: SessionOfNow, *, agent_heard: bool) -> Status:
        """Return the state with the session of now."""
        sound, recorder, target = self._sound, now.recorder, now.target
        session = now.live.session if now.live is not None else None
        started_ns = recorder.started_ns if recorder is not None else None
        return Status(
            connection=now.state,
            engine=target.name if target is not None else "",
            model=target.model if target is not None else "",
            faults=now.faults,
            connected_since_ns=now.connected_since_ns,
            record_path=str(recorder.path) if recorder is not None else None,
            recording=recorder is not None and now.live is not None and recorder.healthy,
            keeps_audio=recorder is None or recorder.keeps_audio,
            listening=session.listening if session is not None else now.listening_at_start,
            muted=sound.voice.muted,
            volume_db=sound.loudspeaker.volume_db,
            half_duplex=sound.microphone_filter.half_duplex,
            echo_cancelling=sound.microphone_filter.echo_cancelling,
            sound=[
                SoundWarning(each.code, each.sentence, each.since_ns - started_ns if started_ns is not None else 0)
                for each in sound.microphone_filter.warnings
            ],
            talking=sound.voice.talking,
            voice=sound.voice.kind,
            voice_name=sound.voice.name,
            voice_place=sound.voice.place,
            output_name=sound.loudspeaker.name,
            agent_heard=agent_heard,
            response_active=session is not None and session.response_active,
            problems=now.problems,
            lacks=sound.lacks + ([self._storage.lack] if self._storage.lack is not None else []),
            instructions_accepted=session.instructions_accepted if session is not None else None,
            session_requested=session.session_requested if session is not None else None,
            session_accepted=session.session_accepted if session is not None else None,
            **(calls_and_questions(session, now.redactor) if session is not None else {}),
            study=self._performances.studies.progress,
            replay=self._performances.replays.progress,
            cue=self._performances.cues.words,
            impairments=sound.impairing.impairments,
            clipped_samples=sound.impairing.clipped_samples,
            recognises=self._words.on,
            recognition_lack=self._words.lack,
        )


def without_keys(status: Status, redactor: Redactor) -> Status:
    """Return the status without the keys in what was sent to the engine, which it may have repeated."""
    return msgspec.structs.replace(
        status,
        session_requested=redactor.json(status.session_requested),
        session_accepted=redactor.json(status.session_accepted),
        instructions_accepted=redactor.json(status.instructions_accepted),
    )

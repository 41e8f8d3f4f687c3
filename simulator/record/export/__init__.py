"""A record in the forms of other programs: sound, labels, annotations, tables, and a page to read and listen to.

`export` writes files; what is in them is made by pure functions of a `Story` (`tiers`), which is collected from the
entries in one pass. Files that are there already are never overwritten: the export takes a name with a number.
"""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

from simulator.errors import StorageFault, UnreadableFile, UnreadableRecording, UsageError
from simulator.record.atomic import part_of, put_in_place
from simulator.record.entries import Entry, Track
from simulator.record.export import tables
from simulator.record.export.audacity import labels
from simulator.record.export.elan import annotation_document
from simulator.record.export.page import LARGEST_INSIDE_BYTES, page, with_sound
from simulator.record.export.place import reserved
from simulator.record.export.redacted import Redaction
from simulator.record.export.sound import SUFFIXES, sound_path, write_heard, write_sound
from simulator.record.export.textgrid import textgrid
from simulator.record.export.tiers import Tier, tiers_of
from simulator.record.floor_report import FloorReport, compared
from simulator.record.floor_sources import UNWRITTEN_SAMPLES, Talk, Thresholds, talk_by_energy
from simulator.record.folder import SESSION, is_running, record_file
from simulator.record.integrity import alteration
from simulator.record.measures import Measures
from simulator.record.reader import stream
from simulator.record.story import Story, collect, started_at
from simulator.record.tracks import TrackFile
from simulator.units import NS_PER_S, SAMPLE_RATE_HZ, ns_to_samples

__all__ = ["FORMS", "Exported", "export"]

FORMS: Final = ("wav", "flac", "csv", "audacity", "textgrid", "elan", "html")
_SOUND: Final = frozenset({"wav", "flac"})
_TABLES: Final = ("events", "turns", "answers", "latencies", "measures")
_REDACTED: Final = "redacted"
_LONGEST_NAME: Final = 80
_NO_MEDIA: Final = "ELAN finds no sound beside the annotations: export wav with them."
_DATE_AND_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)", re.ASCII)
_NO_NAME: Final = re.compile(r"[^\w.\-]+")


@dataclass(frozen=True, slots=True)
class Exported:
    """The files of an export, and in sentences what the record lacks."""

    files: list[Path]
    notes: list[str]


def export(record: Path, forms: Sequence[str], folder: Path, *, redacted: bool = False) -> Exported:
    """Write `record` (a session's folder or a .jsonl file) to `folder` in these `FORMS`.

    With `redacted` all of it is made from a copy without voices and words (`redacted.Redaction`), which is written too.
    Raises UnreadableFile where there is no record, UsageError where the forms make no sense, StorageFault where
    the files cannot be written.
    """
    path = record_file(record)
    if not path.exists():
        raise UnreadableFile(f"There is no record {record}: give a session's folder, or a .jsonl file.")
    _check(forms, redacted=redacted)
    notes: list[str] = []
    redaction = Redaction() if redacted else None

    def entries(problems: list[str]) -> Iterator[Entry]:
        found = stream(path, problems)
        return map(redaction.entry, found) if redaction is not None else found

    story = collect(stream(path, notes)) if redaction is None else _redacted(stream(path, notes), redaction)
    if not story.entries:
        raise UnreadableFile(f"{path} is empty: it holds no record.")
    if path.name == SESSION and is_running(path.parent):
        notes.append("The session still goes on: this is what was recorded so far.")
    altered = alteration(path)
    if altered is not None and not redacted:
        notes.append(altered)
    with _target(folder, path, story, forms, redacted=redacted) as target:
        writing = _Writing(path, target, story, entries, notes, sound=not redacted)
        if redacted:
            writing.jsonl()
        for form in FORMS:
            if form in forms:
                writing.write(form)
    if not writing.files:
        raise UsageError(f"{path} holds no audio: there is nothing to export as {' or '.join(forms)}.")
    if altered is not None and redacted:  # for whoever exports it only: the files of a study have names
        notes.append(altered)
    return Exported(writing.files, notes)


def _redacted(entries: Iterable[Entry], redaction: Redaction) -> Story:
    """Return what the redacted entries tell."""
    story, originals = Story(), Measures()
    for entry in entries:
        story.feed(redaction.entry(entry))
        originals.feed(entry)
    redaction.turns(story.measures.turns, originals.turns)
    return story


class _Writing:
    """The files of one export."""

    def __init__(
        self,
        record: Path,
        target: Path,
        story: Story,
        entries: Callable[[list[str]], Iterator[Entry]],
        notes: list[str],
        *,
        sound: bool,
    ) -> None:
        self.files: list[Path] = []
        self._record, self._target, self._story, self._entries = record, target, story, entries
        self._notes = notes
        self._has_sound = sound

    @cached_property
    def _talk(self) -> Talk | str:
        """When both talked, by the energy of the audio, or why nobody can tell."""
        if not self._has_sound:
            return ""
        try:
            talk = talk_by_energy(self._record, self._story, Thresholds())
        except UnreadableRecording as error:
            return str(error)
        if talk.lack:
            self._note(talk.lack)
        return talk

    @cached_property
    def _tiers(self) -> list[Tier]:
        return tiers_of(self._story, self._talk if isinstance(self._talk, Talk) else None)

    def write(self, form: str) -> None:
        """Write one form."""
        match form:
            case "wav" | "flac":
                self._sound(form)
            case "csv":
                self._tables()
            case "audacity":
                for tier in self._tiers:
                    self._text(f"labels.{_NO_NAME.sub('-', tier.name).strip('-')}.txt", [labels(tier)])
            case "textgrid":
                self._text("TextGrid", [textgrid(self._tiers, self._duration_s())])
            case "elan":
                self._bytes("eaf", [annotation_document(self._tiers, started_at(self._story), self._media())])
            case "html":
                self._page()

    def jsonl(self) -> None:
        """Write the entries as a record."""
        self._bytes("jsonl", (msgspec.json.encode(entry) + b"\n" for entry in self._entries([])))

    def _sound(self, form: str) -> None:
        self.files += self._written(form, write_sound)
        if form not in {path.suffix[1:] for path in self.files}:
            kept = self._story.started.get("audio_kept") is not False
            self._note("The record holds no audio." if kept else "The audio was left out of this session on purpose.")
            return
        told = self._story.told_samples
        for track, samples in {Track.HEARD: ns_to_samples(self._story.last_ns), **told}.items():
            self._tell_missing(track, samples)

    def _tell_missing(self, which: Track, told_samples: int) -> None:
        """Say how much less a track holds than the events tell of; one that is not there was told of already."""
        with contextlib.suppress(UnreadableRecording), TrackFile(self._record, which) as track:
            missing = told_samples - track.frames
            if track.path is not None and missing > UNWRITTEN_SAMPLES:
                self._note(
                    f"{track.path.name} ends {missing / SAMPLE_RATE_HZ:.1f} s before the events do: it was cut off."
                )

    def _written(self, form: str, write: Callable[[Path, Path, str], tuple[list[Path], list[str]]]) -> list[Path]:
        """Write sound, and keep in mind what is wrong with it."""
        try:
            files, notes = write(self._record, self._target, form)
        except UnreadableRecording as error:
            files, notes = [], [str(error)]
        for note in notes:
            self._note(note)
        return files

    def _note(self, sentence: str) -> None:
        if sentence not in self._notes:
            self._notes.append(sentence)

    def _of_the_record(self) -> list[str]:
        """Return the notes that a reader of the page can use."""
        return [note for note in self._notes if note != _NO_MEDIA]

    def _tables(self) -> None:
        story = self._story
        self._text("events.csv", tables.table(tables.EVENT_COLUMNS, tables.event_rows(self._entries([]))))
        self._text("turns.csv", tables.table(tables.TURN_COLUMNS, tables.turn_rows(story)))
        self._text("answers.csv", tables.table(tables.ANSWER_COLUMNS, tables.answer_rows(story)))
        self._text("latencies.csv", tables.table(tables.LATENCY_COLUMNS, tables.latency_rows(story)))
        self._text("measures.csv", tables.table(tables.MEASURE_COLUMNS, tables.measure_rows(self._measured())))

    def _measured(self) -> FloorReport:
        """Return the measures of the floor, by the audio too where the record holds any that may be used."""
        talk = self._talk
        if isinstance(talk, str) and talk:
            self._note(talk)
        return compared(self._story, talk if isinstance(talk, Talk) else None, Thresholds(), [])

    def _page(self) -> None:
        """Write the page with its sound inside, or beside it where it is large."""
        sound = sound_path(self._target, SUFFIXES[0], "flac")
        made = self._has_sound and sound not in self.files
        if made:
            self.files += self._written("flac", write_heard)
        there = sound if sound in self.files else None
        inside = there is not None and there.stat().st_size <= LARGEST_INSIDE_BYTES
        head, tail = page(self._target.name, self._story, self._tiers, self._duration_s(), self._of_the_record())
        self._bytes("html", with_sound(head, tail, there, inside=inside))
        if there is not None and made and inside:
            there.unlink()
            self.files.remove(there)

    def _media(self) -> str | None:
        """Return the WAV file beside an annotation document."""
        sound = sound_path(self._target, SUFFIXES[0], "wav")
        if self._has_sound and sound.exists():
            return sound.name
        if self._has_sound and self._heard_frames():
            self._note(_NO_MEDIA)
        return None

    def _duration_s(self) -> float:
        frames = self._heard_frames() if self._has_sound else 0
        return max(self._story.last_ns / NS_PER_S, frames / SAMPLE_RATE_HZ)

    def _heard_frames(self) -> int:
        try:
            with TrackFile(self._record, Track.HEARD) as heard:
                return heard.frames
        except UnreadableRecording:
            return 0

    def _text(self, suffix: str, pieces: Iterable[str]) -> None:
        self._bytes(suffix, (piece.encode("utf-8", "replace") for piece in pieces))

    def _bytes(self, suffix: str, pieces: Iterable[bytes]) -> None:
        path = self._target.with_name(f"{self._target.name}.{suffix}")
        part = part_of(path)
        try:
            with part.open("wb") as file:
                file.writelines(pieces)
            put_in_place(path)
        except BaseException as error:
            with contextlib.suppress(OSError):  # what is raised says more
                part.unlink(missing_ok=True)
            if not isinstance(error, OSError):
                raise
            raise StorageFault(f"{path} cannot be written: {error.strerror or error}.", str(error)) from error
        self.files.append(path)


def _check(forms: Sequence[str], *, redacted: bool) -> None:
    unknown = [form for form in forms if form not in FORMS]
    if unknown:
        raise UsageError(f"“{unknown[0]}” is no form to export: choose of {', '.join(FORMS)}.")
    if redacted and _SOUND.intersection(forms):
        raise UsageError("A redacted copy holds no voices: leave wav and flac out, or --redacted.")
    if not forms and not redacted:
        raise UsageError(f"Say what to export: choose of {', '.join(FORMS)}.")


def _name(record: Path, folder: Path, story: Story, *, redacted: bool) -> str:
    """Return what the files are called: like the session's folder, or the record.

    In a redacted copy even that name may be somebody's: it is called by the session's date and time, which the copy
    tells anyway. Beside the record no file may pass for one of its own.
    """
    if redacted:
        began = _DATE_AND_TIME.match(started_at(story) or "")
        return "-".join(filter(None, (_REDACTED, began and f"{began[1]}-{began[2].replace(':', '.')}")))
    place = record.resolve().parent
    name = place.name if record.name == SESSION else record.stem
    name = _NO_NAME.sub("_", name)[:_LONGEST_NAME].strip("_.") or "session"
    return f"{name}-export" if folder.resolve() == place and name == record.stem else name


@contextlib.contextmanager
def _target(folder: Path, record: Path, story: Story, forms: Sequence[str], *, redacted: bool) -> Iterator[Path]:
    """Yield the path to which the files' endings are added: one that overwrites nothing, and that no other export has.

    Raises StorageFault.
    """
    name, endings = _name(record, folder, story, redacted=redacted), _endings(forms, redacted=redacted)
    leftovers = [*_endings(FORMS, redacted=False), *_endings((), redacted=True)]
    with contextlib.ExitStack() as kept:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            target = kept.enter_context(reserved(folder, name, endings, leftovers))
        except (OSError, ValueError) as error:  # ValueError: a path that no system has
            reason = getattr(error, "strerror", None) or error
            raise StorageFault(f"Nothing can be written to {folder}: {reason}.", str(error)) from error
        yield target


def _endings(forms: Sequence[str], *, redacted: bool) -> list[str]:
    sounds = {form for form in forms if form in _SOUND}
    if "html" in forms and not redacted:
        sounds.add("flac")
    endings = [f"{what}.{form}" for form in sounds for what in SUFFIXES]
    endings += [f"{what}.csv" for what in _TABLES if "csv" in forms]
    single = {"audacity": "labels.", "textgrid": "TextGrid", "elan": "eaf", "html": "html"}
    endings += [ending for form, ending in single.items() if form in forms]
    return [*endings, "jsonl"] if redacted else endings

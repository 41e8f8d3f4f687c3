"""`fixture`: recordings of the user's own, to speak with and to check with."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.exits import Exit
from simulator.cli.output import result, result_json
from simulator.cli.parser import Commands

if TYPE_CHECKING:
    from simulator.audio.recordings import SpeechRecording

_DESCRIPTION = """\
Adds recordings of your own to those that come with the program. Where the speech in them begins, ends and pauses is
found by its energy. Use one by its name: with --voice, in a study, or in the window.
"""
_ROLES = ("question", "long_story", "interruption", "monologue", "pauses", "one_word", "backchannel")


def add_command(commands: Commands) -> None:
    """Declare the command and what it can do."""
    parser = commands.add_parser("fixture", help="add recordings of your own", description=_DESCRIPTION)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    add = actions.add_parser("add", help="add a recording", description="Copies an audio file to your recordings.")
    add.add_argument("file", metavar="FILE", type=Path, help="a WAV, FLAC, OGG or MP3 file")
    add.add_argument("--name", default="", metavar="NAME", help="what to call it; without it, the file's name")
    add.add_argument("--words", default="", metavar="TEXT", help="what is said in it")
    add.add_argument("--role", choices=_ROLES, help="what it is for; the speech must fit")
    add.add_argument("--json", action="store_true", help="print its entry in the manifest as JSON")
    add.set_defaults(execute=_add)
    listed = actions.add_parser("list", help="list all recordings", description="Lists all recordings by their names.")
    listed.add_argument("--json", action="store_true", help="print the list as JSON")
    listed.set_defaults(execute=_list)
    remove = actions.add_parser("remove", help="remove one", description="Deletes a recording that you added.")
    remove.add_argument("name", metavar="NAME", help="its name")
    remove.set_defaults(execute=_remove)


def _add(arguments: argparse.Namespace) -> int:
    from simulator.audio.own_recordings import add_recording
    from simulator.audio.recordings import Role

    role = Role(arguments.role) if arguments.role else None
    added = add_recording(arguments.file, name=arguments.name, words=arguments.words, role=role)
    if arguments.json:
        result_json(added)
    else:
        result(f"Added {_line(added)}")
    return Exit.DONE


def _list(arguments: argparse.Namespace) -> int:
    from simulator.audio.recordings import recordings

    known = recordings()
    if arguments.json:
        result_json({"recordings": known})
    else:
        for each in known:
            result(_line(each))
    return Exit.DONE


def _remove(arguments: argparse.Namespace) -> int:
    from simulator.audio.own_recordings import remove_recording

    remove_recording(arguments.name)
    result(f"Removed {arguments.name}.")
    return Exit.DONE


def _line(entry: "SpeechRecording") -> str:
    about = [f"speech from {entry.onset_ms / 1000:.2f} to {entry.offset_ms / 1000:.2f} s"]
    about.append(f"longest pause {entry.longest_pause_ms} ms" if entry.pauses else "no pause")
    if entry.role is not None:
        about.append(entry.role)
    about.append(f"voice: {entry.voice}")
    return f"{entry.name}: {'; '.join(about)}"

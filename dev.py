"""The two commands of this project, for a machine that has only Python.

    python3 dev.py run                     install what is missing into .venv, open the window
    python3 dev.py run -- COMMAND ...      the same, and run a command of the program (run, check, engine, devices)
    python3 dev.py test [PYTEST OPTIONS]   install, then run everything: ruff, mypy, pytest
    python3 dev.py bench [NAME ...]        install, then measure; exit code 1 where a goal is missed

Standard library only. The file is written in the Python of 3.6, so that an old one can say what it lacks.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 11)
TOO_NEW = (3, 15)
PREFERRED = ("3.13", "3.12", "3.11", "3.14")

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "installed.json"
UNFINISHED = VENV / "installation-unfinished"
WINDOWS = os.name == "nt"
VENV_PYTHON = VENV / ("Scripts/python.exe" if WINDOWS else "bin/python")

# Debian and Ubuntu: each entry is one need, with the names it has had, the present one first.
RUN_PACKAGES = (
    # Sound
    "libportaudio2 libasound2-plugins "
    # Qt
    "libdbus-1-3 libegl1 libfontconfig1 libgl1 libglib2.0-0t64|libglib2.0-0 libx11-xcb1 libxcb-cursor0 libxcb-glx0 "
    "libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-render0 libxcb-shape0 "
    "libxcb-shm0 libxcb-sync1 libxcb-xfixes0 libxcb-xinerama0 libxcb-xkb1 libxkbcommon0 libxkbcommon-x11-0 "
    "fonts-dejavu-core"
)
TEST_PACKAGES = "pulseaudio pulseaudio-utils xvfb xdotool"


class Failure(Exception):
    """Nothing more can be done; the text is one sentence for the user."""


def main(arguments: "list[str]") -> "int":
    """Run one of the commands and return its exit code."""
    command, rest = (arguments[0] if arguments else "--help"), arguments[1:]
    if command not in ("run", "test", "bench"):
        print(__doc__)
        return 0 if command in ("-h", "--help") else 3
    use_a_suitable_python(arguments)
    for_tests = command != "run"
    install_system_packages(for_tests)
    make_venv()
    install("dev,ears,echo,voices" if for_tests else "ears,echo,voices")
    if command == "run":
        return replace_by([str(VENV_PYTHON), "-P", "-m", "ui", *(rest[1:] if rest[:1] == ["--"] else rest)])
    if command == "bench":
        return replace_by([str(VENV_PYTHON), "-P", "-m", "bench", *rest])
    return test(rest)


def test(pytest_options: "list[str]") -> "int":
    """Run the linters and the tests, all even when one fails; pytest's closing line is the last where all is well."""
    failed = []
    for name, command in (
        ("ruff check", ["ruff", "check", "."]),
        ("ruff format", ["ruff", "format", "--check", "."]),
        ("mypy", ["mypy"]),
        ("pytest", ["pytest", "-n", str(test_workers()), "--dist", "loadfile", *pytest_options]),
    ):
        say(name)
        if subprocess.call([str(VENV_PYTHON), "-P", "-m", *command], cwd=str(ROOT)) != 0:
            failed.append(name)
    if failed:
        print("FAILED: " + ", ".join(failed), flush=True)
    return 1 if failed else 0


def test_workers() -> "int":
    """Return how many files of tests run side by side: one a core, as many of them measure times."""
    return max(2, min(os.cpu_count() or 1, 6))


# Python itself


def use_a_suitable_python(arguments: "list[str]") -> "None":
    """Return when this Python is suitable; else go on in another one that is installed. Raises Failure."""
    if OLDEST <= sys.version_info[:2] < TOO_NEW:
        return
    for version in PREFERRED:
        command = ["py", "-" + version] if WINDOWS else ["python" + version]
        if shutil.which(command[0]) and version_of(command) == version:
            sys.exit(replace_by([*command, str(Path(__file__).resolve()), *arguments]))
    raise Failure(
        "This needs Python 3.11, 3.12, 3.13 or 3.14, and found only {}.{}: install one of them and try again.".format(
            *sys.version_info[:2]
        )
    )


def version_of(command: "list[str]") -> "str":
    """Return the version, as `3.12`, of a Python that can be started, or an empty text."""
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        return subprocess.check_output([*command, "-I", "-c", program], stderr=subprocess.DEVNULL).decode().strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def replace_by(command: "list[str]") -> "int":
    """Go on as another program, which then gets the signals itself; Windows cannot, and waits for its exit code."""
    sys.stdout.flush()
    if not WINDOWS:
        os.execvp(command[0], command)
    return subprocess.call(command)


# The virtual environment


def make_venv() -> "None":
    """Make `.venv`, again where it is broken, half-made or of another Python. Raises Failure."""
    if not UNFINISHED.exists() and is_whole_venv():
        return
    if importlib.util.find_spec("ensurepip") is None:
        raise Failure(
            "This Python lacks the module ensurepip, which makes virtual environments: install the package "
            "python{}.{}-venv (on other systems: a complete Python) and try again.".format(*sys.version_info[:2])
        )
    if VENV.exists():
        say("making .venv again")
        shutil.rmtree(str(VENV))
    else:
        say("making .venv")
    run([sys.executable, "-m", "venv", str(VENV)], "The virtual environment .venv could not be made")


def is_whole_venv() -> "bool":
    """Return whether `.venv` is an environment of this Python's version, with pip, which comes last in its making."""
    pip = "Lib/site-packages/pip/__main__.py" if WINDOWS else "lib/python*/site-packages/pip/__main__.py"
    same = version_of([str(VENV_PYTHON)]) == "{}.{}".format(*sys.version_info[:2])
    return same and (VENV / "pyvenv.cfg").exists() and any(VENV.glob(pip))


def install(extras: "str") -> "None":
    """Install the project, editable, with these extras (`a,b`), in the exact versions of `constraints.txt`.

    Raises Failure.
    """
    digest = hashlib.sha256(str(ROOT).encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    before = installed(digest.hexdigest())
    wanted = extras.split(",")
    if before.issuperset(wanted):
        return
    say("installing into .venv; the first time this takes some minutes")
    # An interrupted pip may leave packages that look whole: the mark makes the next call begin anew.
    UNFINISHED.touch()
    options = ["--disable-pip-version-check", "--no-input", "-c", "constraints.txt"]
    if not sys.stdout.isatty():
        options.append("--quiet")
    target = f".[{extras}]"
    code = subprocess.call([str(VENV_PYTHON), "-m", "pip", "install", *options, "-e", target], cwd=str(ROOT))
    UNFINISHED.unlink()
    if code != 0:
        raise Failure("pip could not install what the project needs: see its message above; is the network reachable?")
    STAMP.write_text(json.dumps({"digest": digest.hexdigest(), "extras": sorted(before.union(wanted))}))


def installed(digest: "str") -> "set[str]":
    """Return the extras that were installed from the present files, by what was written down then."""
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return set()
    return set(stamp["extras"]) if stamp.get("digest") == digest else set()


# System packages


def install_system_packages(for_tests: "bool") -> "None":
    """On Debian and Ubuntu, install what is missing where that is allowed, else name it in one line."""
    if shutil.which("dpkg-query") is None or shutil.which("apt-get") is None:
        return
    needs = RUN_PACKAGES.split() + (TEST_PACKAGES.split() if for_tests else [])
    if importlib.util.find_spec("ensurepip") is None:
        needs.append("python{}.{}-venv|python3-venv".format(*sys.version_info[:2]))
    missing = missing_packages(needs)
    if not missing:
        return
    rights = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if rights and (shutil.which("sudo") is None or subprocess.call([*rights, "true"], stderr=subprocess.DEVNULL) != 0):
        names = " ".join(known_name(need) for need in missing)
        print("Missing system packages; type: sudo apt-get install --no-install-recommends " + names, flush=True)
        return
    say("installing system packages")
    environment = ["env", "DEBIAN_FRONTEND=noninteractive"]
    apt = [*rights, *environment, "apt-get", "-q", "-o", "Dpkg::Use-Pty=0", "-o", "DPkg::Lock::Timeout=120"]
    if not all(is_known(need) for need in missing):
        run([*apt, "update"], "The list of system packages could not be fetched")
    command = [*apt, "install", "-y", "--no-install-recommends", *map(known_name, missing)]
    if subprocess.call(command, stdin=subprocess.DEVNULL) != 0:
        # The list may be older than the archive.
        run([*apt, "update"], "The list of system packages could not be fetched")
        run(command, "System packages could not be installed")
    importlib.invalidate_caches()


def missing_packages(needs: "list[str]") -> "list[str]":
    """Return those needs of which no name is installed."""
    names = [name for need in needs for name in need.split("|")]
    query = ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n", *names]
    # The exit code is 1 where a name is unknown, which is no fault.
    answer = subprocess.Popen(query, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).communicate()[0].decode()
    there = {line.split()[1] for line in answer.splitlines() if line.startswith("installed ")}
    return [need for need in needs if not there.intersection(need.split("|"))]


def candidates(need: "str") -> "list[str]":
    """Return those names of a need that can be installed from the package lists of this machine."""
    query = ["apt-cache", "-q", "policy", *need.split("|")]
    answer = subprocess.check_output(query, stderr=subprocess.DEVNULL, env=dict(os.environ, LC_ALL="C")).decode()
    names, name = [], ""
    for line in answer.splitlines():
        if not line.startswith(" "):
            name = line.rstrip(":")
        elif line.strip().startswith("Candidate:") and "(none)" not in line:
            names.append(name)
    return names


def is_known(need: "str") -> "bool":
    """Return whether the package lists know a package for this need."""
    return bool(candidates(need))


def known_name(need: "str") -> "str":
    """Return the name under which this system has the package, or its present name where no list knows it."""
    return (candidates(need) or need.split("|"))[0]


def run(command: "list[str]", sentence: "str") -> "None":
    """Run a command. Raises Failure with the sentence where it fails."""
    code = subprocess.call(command, stdin=subprocess.DEVNULL)
    if code != 0:
        raise Failure("{}: `{}` ended with exit code {}.".format(sentence, " ".join(command), code))


def say(step: "str") -> "None":
    """Tell what comes next, on standard error: results are on standard output."""
    print("== " + step, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        print(failure, file=sys.stderr)
        sys.exit(3)
    except KeyboardInterrupt:
        sys.exit(130)

"""What `pip install` of the project gives, in a fresh environment and away from the checkout."""

import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT: Final = Path(__file__).resolve().parent.parent
SCRIPTS: Final = "Scripts" if sys.platform == "win32" else "bin"


@dataclass(frozen=True, slots=True)
class Installed:
    """A fresh environment with the wheel in it; third parties are lent by the environment of the tests."""

    folder: Path

    def run(self, program: str, *arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
        """Run a program of the environment from another folder."""
        command = [str(self.folder / SCRIPTS / program), *arguments]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-P", "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
        timeout=100,
    )
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    return next(built.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder, with_pip=False)
    python = folder / SCRIPTS / "python"
    site = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
        timeout=30,
    ).stdout.strip()
    # A folder named in a .pth file is searched, but its own .pth files (the editable install of this checkout) are not.
    Path(site, "third_parties.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [sys.executable, "-P", "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    # The editable install of this checkout is seen through the .pth file as well: without --ignore-installed pip would
    # try to remove it.
    subprocess.run(
        [*pip, "install", "--quiet", "--no-deps", "--no-index", "--ignore-installed", str(wheel)],
        check=True,
        capture_output=True,
        timeout=60,
    )
    return Installed(folder)


def test_the_installed_command_prints_its_help_away_from_the_checkout(installed: Installed, tmp_path: Path) -> None:
    answer = installed.run("participant-simulator", "--help", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert "check" in answer.stdout


@pytest.mark.parametrize("module", ["ui", "simulator"])
def test_both_packages_can_be_run_as_modules(installed: Installed, tmp_path: Path, module: str) -> None:
    answer = installed.run("python", "-P", "-m", module, "--help", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert "check" in answer.stdout


def test_assets_and_fixtures_are_found_in_the_installed_copy(installed: Installed, tmp_path: Path) -> None:
    program = (
        "from simulator.resources import asset_path, fixtures_dir\n"
        "print(asset_path('icon.svg')); print(fixtures_dir())\n"
        "print(*sorted(p.relative_to(fixtures_dir()).as_posix() for p in fixtures_dir().rglob('*') if p.is_file()))\n"
    )
    answer = installed.run("python", "-P", "-c", program, cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    icon, folder, names = answer.stdout.splitlines()
    assert Path(icon).is_relative_to(installed.folder)
    assert Path(folder).is_relative_to(installed.folder)
    assert names.split() == _files_in("fixtures")


def test_a_folder_called_simulator_where_the_user_stands_is_not_run(installed: Installed, tmp_path: Path) -> None:
    for package in ("simulator", "ui"):
        (tmp_path / package).mkdir()
        for name in ("__init__.py", "__main__.py", "main.py", "cli.py"):
            (tmp_path / package / name).write_text("raise SystemExit('the folder of the user was run')\n")
    answer = installed.run("participant-simulator", "--help", cwd=tmp_path)
    assert (answer.returncode, answer.stderr) == (0, "")
    # This command asks a process of its own for the devices.
    answer = installed.run("participant-simulator", "devices", cwd=tmp_path)
    assert "the folder of the user was run" not in answer.stdout + answer.stderr


def test_the_wheel_adds_two_packages_and_nothing_beside_them(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"simulator", "ui", f"participant_simulator-{_project()['version']}.dist-info"}
    for folder in ("assets", "fixtures"):
        prefix = f"simulator/_data/{folder}/"
        assert sorted(name.removeprefix(prefix) for name in names if name.startswith(prefix)) == _files_in(folder)


def test_the_source_archive_holds_what_a_build_and_a_test_run_need(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "constraints.txt", "dev.py", "LICENSE", "README.md", "tests/conftest.py"} <= names
    assert {f"fixtures/{name}" for name in _files_in("fixtures")} <= names


def test_the_package_says_the_same_version_as_the_project() -> None:
    import simulator

    assert simulator.__version__ == _project()["version"] == version("participant-simulator")


def test_each_requirement_is_pinned_to_a_version_in_its_range() -> None:
    pins = _pins()
    project = _project()
    extras = project["optional-dependencies"]
    for text in [*project["dependencies"], *extras["ears"], *extras["echo"], *extras["dev"]]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(pins[_normal(requirement.name)]), text


def test_constraints_are_exact_versions_only() -> None:
    lines = [line for line in _constraint_lines() if not re.fullmatch(r"[\w.\-]+==[\w.]+(; .+)?", line)]
    assert lines == []


def _project() -> Any:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _constraint_lines() -> list[str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _pins() -> dict[str, Version]:
    pairs = [line.partition(";")[0].split("==") for line in _constraint_lines()]
    return {_normal(name): Version(pin.strip()) for name, pin in pairs}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _files_in(folder: str) -> list[str]:
    """Return the data files of a folder, relative to it; scripts that make them stay in the checkout."""
    root = ROOT / folder
    files = (path for path in root.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc"))
    return sorted(path.relative_to(root).as_posix() for path in files)

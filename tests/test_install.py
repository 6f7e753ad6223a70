"""perfkit's own folders are found however it was installed; no way of installing asks a network."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from places import ROOT

import perfkit
from perfkit.core import files
from perfkit.core.errors import MissingPartError

CHECKOUT = ROOT
FOLDERS = {
    "templates": "tr/report.typ",
    "notebooks": "sweep.ipynb",
    "data": "studies/this-host/study.yml",
}
STUBS = ("__init__", "awr", "genio", "ontap", "sas", "trend")
TYPED = ["py.typed", *(f"{name}.pyi" for name in STUBS)]
LOOK = (
    "import importlib.resources, perfkit; from perfkit.core.files import own_folder; "
    "print(perfkit.__file__); "
    f"print(*[own_folder(name) / file for name, file in {FOLDERS}.items()], sep='\\n'); "
    "shipped = importlib.resources.files('perfkit') / '_shipped'; "
    f"print([(shipped / name / file).is_file() for name, file in {FOLDERS}.items()])"
)


def call(*argv, cwd, **environment):
    done = subprocess.run(
        [str(word) for word in argv],
        cwd=cwd, env={**os.environ, **{k: str(v) for k, v in environment.items()}},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=CHECKOUT)
    [made] = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    call(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=CHECKOUT)
    [made] = folder.glob("*.tar.gz")
    return made


@pytest.fixture(scope="module")
def target(wheel, tmp_path_factory):
    """The wheel in a folder of its own, as for a machine without rights."""
    folder = tmp_path_factory.mktemp("target")
    install(sys.executable, "--target", folder, wheel, cwd=folder)
    return folder


def install(python, *how, cwd, **environment):
    quiet = ("-q", "--disable-pip-version-check", "--no-index", "--no-deps")
    call(python, "-m", "pip", "install", *quiet, *how, cwd=cwd, **environment)


def check_found(printed, folder):
    """Module and files are in the folder, and importlib.resources finds them, too."""
    *places, shipped = printed.splitlines()
    assert len(places) == 1 + len(FOLDERS)
    assert all(Path(place).is_relative_to(folder) for place in places), places
    assert all(Path(place).is_file() for place in places)
    assert shipped == str([True] * len(FOLDERS))


@pytest.mark.slow
def test_the_stubs_are_in_wheel_and_sdist(wheel, tmp_path):
    """The names are read from them, and editors and mypy take the types."""
    with zipfile.ZipFile(wheel) as file:
        assert {f"perfkit/{name}" for name in TYPED} <= set(file.namelist())
    call(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, cwd=CHECKOUT)
    [made] = tmp_path.glob("*.tar.gz")
    with tarfile.open(made) as file:
        assert {f"perfkit/{name}" for name in TYPED} <= {
            name.partition("/")[2] for name in file.getnames()
        }


@pytest.mark.slow
def test_the_names_of_an_installed_wheel_are_there(target, tmp_path):
    code = "import perfkit as pk; print(pk.__file__, pk.sas.jobs.__name__, len(pk.__all__))"
    place, name, count = call(sys.executable, "-c", code, cwd=tmp_path, PYTHONPATH=target).split()
    assert Path(place).is_relative_to(target)
    assert (name, int(count)) == ("jobs", len(perfkit.__all__))


@pytest.mark.slow
def test_the_names_are_read_from_the_wheel_itself(wheel, tmp_path):
    """Python imports from a zip file, too; there the stub is not a file of its own."""
    code = "import perfkit; print(perfkit.__file__, len(perfkit.__all__))"
    place, count = call(sys.executable, "-c", code, cwd=tmp_path, PYTHONPATH=wheel).split()
    assert place == f"{wheel}/perfkit/__init__.py"
    assert int(count) == len(perfkit.__all__)


@pytest.mark.slow
def test_a_target_install(target, tmp_path):
    check_found(call(sys.executable, "-c", LOOK, cwd=tmp_path, PYTHONPATH=target), target)


@pytest.mark.slow
def test_an_install_of_the_sdist(sdist, wheel, tmp_path):
    """pip builds a wheel of it: the same files as the wheel of the checkout, and they are found."""
    built, folder = tmp_path / "built", tmp_path / "target"
    call(sys.executable, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-index",
         "--no-deps", "--no-build-isolation", "-w", built, sdist, cwd=tmp_path)  # fmt: skip
    [made] = built.glob("*.whl")
    assert contents(made) == contents(wheel)
    install(sys.executable, "--target", folder, made, cwd=tmp_path)
    check_found(call(sys.executable, "-c", LOOK, cwd=tmp_path, PYTHONPATH=folder), folder)


@pytest.mark.slow
def test_the_sdist_has_what_a_packager_needs(sdist):
    """Tests with their samples, the lock and the licence; nothing that was measured here."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "Makefile", "requirements.lock"} <= names
    assert {"tests/test_install.py", "tests/data/old/0.1/study.yml"} <= names
    # data/runs, data/target and the state of schedules fill up as perfkit is used
    unwanted = ("reports/", "data/runs/", "data/target/", ".venv", ".perfkit-schedule")
    left = {name for name in names if name.startswith(unwanted)}
    assert left <= {"data/target/README.md"}


def contents(wheel):
    """The files of a wheel by name, with their checksums."""
    with zipfile.ZipFile(wheel) as archive:
        return {item.filename: item.CRC for item in archive.infolist()}


@pytest.mark.slow
def test_a_user_install(wheel, tmp_path):
    """In an environment that sees the user's packages; pip itself is taken from this one."""
    call(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", "venv",
         cwd=tmp_path)  # fmt: skip
    python = tmp_path / "venv/bin/python"
    # a folder on PYTHONPATH gives its packages, but not the checkout its .pth file names
    own = {"PYTHONPATH": sysconfig.get_path("purelib"), "PYTHONUSERBASE": tmp_path / "user"}
    install(python, "--user", wheel, cwd=tmp_path, **own)
    check_found(call(python, "-c", LOOK, cwd=tmp_path, **own), tmp_path / "user")


@pytest.mark.slow
def test_what_a_newcomer_needs_is_at_hand_after_an_install(target, tmp_path):
    """Tables, an example study, the notebooks and the proposals: without a checkout."""
    shutil.copy(ROOT / "tests/data/fio/randread_psync.json", tmp_path)

    def perfkit(*words):
        return call(sys.executable, "-m", "perfkit", *words, cwd=tmp_path, PYTHONPATH=target)

    assert "load_points: 2 rows" in perfkit("read", "randread_psync.json")
    assert "read: ready" in perfkit("doctor")
    assert "perfkit report this-host" in perfkit("study", "new", "--example", "this-host")
    assert perfkit("study", "check", "this-host") == "this-host/study.yml: good\n"
    assert "notebook: fio_results" in perfkit("study", "new", "randread_psync.json", "--stdout")
    code = "from perfkit.study.examples import copy_notebooks; from pathlib import Path; "
    code += "print(len(copy_notebooks(Path('mine'))))"
    copied = call(sys.executable, "-c", code, cwd=tmp_path, PYTHONPATH=target)
    assert int(copied) == len(list((ROOT / "notebooks").glob("*.ipynb")))


@pytest.mark.slow
def test_a_report_from_a_target_install(target, tmp_path):
    """The study comes from the package's own data, notebook and templates are installed ones."""
    study = target / "perfkit/_shipped/data/studies/sas-ef550/study.yml"
    told = call(
        sys.executable, "-m", "perfkit", "report", study, "-o", tmp_path / "out",
        cwd=tmp_path, PYTHONPATH=target,
    )  # fmt: skip
    made = [Path(line) for line in told.splitlines()]
    assert [path.name for path in made] == ["sas-ef550.pdf", "sas-ef550.html", "sas-ef550.ipynb"]
    assert made[0].read_bytes().startswith(b"%PDF")


def test_an_editable_install_uses_the_checkout():
    """No copy of the folders lies beside the packages, where it would go stale."""
    assert Path(perfkit.__file__).parent == CHECKOUT / "perfkit"
    for name, file in FOLDERS.items():
        assert files.own_folder(name) == CHECKOUT / name
        assert (files.own_folder(name) / file).is_file()
    assert not (Path(sysconfig.get_path("purelib")) / "perfkit").exists()


def test_a_folder_of_somebody_else_beside_the_package_is_not_taken(tmp_path, monkeypatch):
    """As in site-packages, where any package may have a folder "templates"."""
    (tmp_path / "perfkit").mkdir()
    (tmp_path / "templates").mkdir()
    monkeypatch.setattr(files, "__file__", str(tmp_path / "perfkit/core/files.py"))
    with pytest.raises(MissingPartError, match="'templates' is missing"):
        files.own_folder("templates")
    (tmp_path / "pyproject.toml").touch()
    assert files.own_folder("templates") == tmp_path / "templates"

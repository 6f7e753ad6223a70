"""What perfkit needs on a machine: each part, found or not, what it is for, and the cure."""

from __future__ import annotations

import enum
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata

PACKAGES = {
    "jupyterlab": "interactive work",
    "pandas": "frames for libraries that want pandas",
    "polars": "frames",
    "plotly": "charts",
    "papermill": "notebooks with parameters",
    "nbconvert": "notebooks to reports",
    "great-expectations": "acceptance suites",
    "typst": "typesetting",
    "choreographer": "drawing charts in Chrome",
    "psutil": "processes, and hosts without /proc",
    "font-source-sans-pro": "the typeface of text and charts",
}

FIO_CURE = (
    "Debian: apt-get install fio; Fedora: dnf install fio; macOS: brew install fio; or make parts"
)


class Use(enum.StrEnum):
    """What people do with perfkit; a part that one of them needs may be no concern of another."""

    ALL = "read"
    REPORT = "report"
    MEASURE = "measure"
    OTHER = "measure with elbencho"


@dataclass(frozen=True)
class Part:
    """One part: its name, what it does, its version (None: not found), the cure, who needs it."""

    name: str
    purpose: str
    version: str | None
    cure: str
    use: Use = Use.ALL

    @property
    def state(self) -> str:
        """Found, missing, or missing where not everybody needs it."""
        if self.version is not None:
            return "found"
        return "missing" if self.use is Use.ALL else "not here"


def uses(found: list[Part]) -> list[str]:
    """A line for each thing that people do with perfkit: ready, or what it lacks."""
    lines = []
    for use in Use:
        lacking = [p.name for p in found if p.use in {use, Use.ALL} and p.version is None]
        state = f"needs {' and '.join(lacking)}" if lacking else "ready"
        lines.append(f"{use}: {state}")
    return lines


def cures(found: list[Part]) -> list[str]:
    """How to get each part that is not there."""
    return [f"to get {part.name}: {part.cure}" for part in found if part.version is None]


def parts() -> list[Part]:
    """Look for every part; takes well under a second."""
    found = ".".join(str(part) for part in sys.version_info[:3])
    good = sys.version_info >= (3, 11)
    return [
        Part("Python", "everything", found if good else None, "Python 3.11 or newer"),
        *(_package(name, purpose) for name, purpose in PACKAGES.items()),
        Part("fio", "measuring", version_of("fio"), FIO_CURE, Use.MEASURE),
        _elbencho(),
        _chrome(),
        _kernel(),
        _folder("templates"),
        _folder("notebooks"),
    ]


def version_of(program: str) -> str | None:
    """What a program on PATH answers to ``--version``; None when it is not there or fails."""
    path = shutil.which(program)
    if path is None:
        return None
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return (done.stdout.strip() or done.stderr.strip()).splitlines()[0]


def _package(name: str, purpose: str) -> Part:
    try:
        version: str | None = metadata.version(name)
    except metadata.PackageNotFoundError:
        version = None
    return Part(name, purpose, version, "make setup, or pip install perfkit")


def _attempt(find: Callable[[], str]) -> str | None:
    """What a finder of ours answers, or None: here a missing part is an answer, not an error."""
    from perfkit.core.errors import PerfkitError

    try:
        return find()
    except PerfkitError:
        return None


def _elbencho() -> Part:
    from perfkit.measure.engines.engine import engine_of, find_tool

    elbencho = engine_of("elbencho")
    version = _attempt(lambda: find_tool(elbencho).version)
    return Part("elbencho", "measuring", version, elbencho.cure, Use.OTHER)


def _chrome() -> Part:
    from perfkit.reporting.write.charts import CHROME_CURE, find_chrome

    path = _attempt(lambda: str(find_chrome()))
    # a headless shell answers --version only after it has started in full: its name is enough
    return Part("Chrome or Chromium", "charts in reports", path, CHROME_CURE, Use.REPORT)


def _kernel() -> Part:
    from jupyter_client.kernelspec import KernelSpecManager

    spec = KernelSpecManager().find_kernel_specs().get("python3")
    return Part("Jupyter kernel python3", "running notebooks", spec and "found", "make setup")


def _folder(name: str) -> Part:
    from perfkit.core.files import own_folder

    found = _attempt(lambda: str(own_folder(name)))
    return Part(name, "perfkit's own files", found and "found", "reinstall perfkit")

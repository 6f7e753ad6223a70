"""Small readers of /proc and /sys below a root folder: null where there is nothing to read."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Optional

ROOT = Path("/")
_PATH = "/usr/sbin:/sbin:/usr/bin:/bin:/usr/local/sbin:/usr/local/bin"

Facts = Dict[str, Any]
Names = List[str]
Text = Optional[str]


def text(path: Path) -> Text:
    """The stripped text of a file; None where it is missing or empty."""
    try:
        return path.read_bytes().decode("utf-8", "replace").replace("\0", "").strip() or None
    except OSError:
        return None


def lines(path: Path) -> Names:
    """The lines of a file; none where there is no file."""
    return (text(path) or "").splitlines()


def number(path: Path) -> int | None:
    """A whole number of a file of /sys."""
    found = text(path)
    return int(found) if found and found.lstrip("-").isdecimal() else None


def scaled(path: Path, unit: int) -> int | None:
    """A whole number of a file of /sys, in units of ``unit``."""
    found = number(path)
    return None if found is None else found * unit


def flag(path: Path) -> bool | None:
    """A 0 or 1 of a file of /sys."""
    found = number(path)
    return None if found is None else bool(found)


def chosen(path: Path) -> Text:
    """The choice in brackets: ``always [madvise] never``; of one word, the word."""
    found = text(path)
    if found is None or "[" not in found:
        return found
    return found.partition("[")[2].partition("]")[0]


def entries(folder: Path) -> Names:
    """The names in a folder, sorted; none where there is no folder."""
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return []


def own(root: Path) -> bool:
    """Whether facts are read from this machine, so that its tools may be asked as well."""
    return root == ROOT


def answer(*argv: str, codes: tuple[int, ...] = (0,)) -> Text:
    """What a tool prints; None when it is not there, fails, or does not answer in 10 s."""
    environment = {**os.environ, "PATH": _PATH, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            list(argv),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            timeout=10,
            env=environment,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode in codes else None

"""How a path is shown to a user: a file unpacked from an archive as ``archive.tar.xz/member``."""

from __future__ import annotations

from pathlib import Path

UNPACKED: dict[Path, Path] = {}
"""The folders into which archives were unpacked, each with its archive; both absolute."""


def archive_of(path: Path) -> Path | None:
    """The archive from which a file or folder was unpacked; None for one that lies there itself."""
    return next((UNPACKED[place] for place in (path, *path.parents) if place in UNPACKED), None)


def user_path(path: Path) -> Path:
    """The path that its user knows."""
    for place in (path, *path.parents) if UNPACKED else ():
        if place in UNPACKED:
            return UNPACKED[place] / path.relative_to(place)
    return path


def path_in_message(path: Path | str) -> str:
    """The name of a place in a message: of a file in an archive, from the working directory.

    It is of one line, whatever the name.
    """
    known = user_path(Path(path))
    if known != Path(path):
        path = known.relative_to(Path.cwd()) if known.is_relative_to(Path.cwd()) else known
    return str(path).replace("\n", "\\n").replace("\r", "\\r")

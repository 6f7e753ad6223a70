"""Where perfkit's own folders are, and writing small files whole, even if the machine goes down."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perfkit.core.errors import MissingPartError, PerfkitError

Json = dict[str, Any]
"""A JSON object: names and values."""


def own_folder(name: str) -> Path:
    """A top-level folder of perfkit ("templates", "notebooks", "data").

    It is package data, or stands beside the package in a checkout.

    Raises MissingPartError when neither place has it.
    """
    package = Path(__file__).resolve().parents[1]
    shipped, beside = package / "_shipped" / name, package.parent / name
    if shipped.is_dir():
        return shipped
    # below site-packages a folder of this name is somebody else's
    if beside.is_dir() and (package.parent / "pyproject.toml").is_file():
        return beside
    raise MissingPartError(f"perfkit's own folder {name!r} is missing; install perfkit again")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file under a temporary name, sync it to disk, rename it.

    Raises OSError; nothing is left behind then.
    """
    fresh = path.with_name(f".{path.name}.tmp")
    try:
        with fresh.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
    sync(path.parent)


@contextlib.contextmanager
def problems_as(error: type[PerfkitError], path: Path) -> Iterator[None]:
    """Raise an OSError as an error of perfkit's that names the place."""
    try:
        yield
    except OSError as problem:
        raise error(f"{path}: {problem.strerror or problem}") from problem


def write_json(path: Path, record: Any) -> None:
    """``write_whole`` for a JSON record."""
    write_whole(path, json_text(record))


def json_text(record: Any) -> str:
    """A JSON record as it stands in files."""
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def sync(path: Path) -> None:
    """Sync a file's content, or a folder's entries, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""Where perfkit's own folders are: package data, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

from perfkit.core.errors import MissingPartError


def find(name: str) -> Path:
    """A top-level folder of perfkit ("templates", "notebooks", "data").

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

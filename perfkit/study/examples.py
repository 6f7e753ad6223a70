"""perfkit's own studies and notebooks, copied to where somebody works on them."""

from __future__ import annotations

import shutil
from pathlib import Path

from perfkit.core.errors import UsageError, check_name
from perfkit.core.files import own_folder

BESIDE = {"../../target": "target", "../../runs": "runs"}
"""What a study of the checkout names outside of its folder -> where a copy has it."""

_EDITOR = "# yaml-language-server:"
"""The line that leads an editor to the schema in a checkout."""


def names() -> list[str]:
    """The studies that come with perfkit."""
    return sorted(path.parent.name for path in _studies().glob("*/study.yml"))


def copy_study(name: str, out: Path | None = None) -> Path:
    """Copy a study that comes with perfkit; returns its new folder, by default ``./NAME``.

    A copy measures a folder ``target`` of its own and keeps its runs beside it.

    Raises UsageError for a name that is none, and where the folder is there already.
    """
    check_name("example", name, names(), UsageError)
    folder = out or Path(name)
    if folder.exists():
        raise UsageError(f"{folder} is there already; -o names another folder")
    shutil.copytree(_studies() / name, folder)
    for file in folder.glob("*.yml"):
        text = file.read_text(encoding="utf-8")
        file.write_text(_moved(text), encoding="utf-8")
        if "../../target" in text:
            (folder / "target").mkdir(exist_ok=True)
    return folder


def _moved(text: str) -> str:
    for there, here in BESIDE.items():
        text = text.replace(f": {there}\n", f": {here}\n")
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(_EDITOR))


def copy_notebooks(folder: Path) -> list[Path]:
    """Copy perfkit's notebooks into a folder, those that are not there yet; returns the copies."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [(path, folder / path.name) for path in own_folder("notebooks").glob("*.ipynb")]
    made = [(path, place) for path, place in sorted(wanted) if not place.exists()]
    for path, place in made:
        shutil.copyfile(path, place)
    return [place for _, place in made]


def _studies() -> Path:
    return own_folder("data") / "studies"

"""The folders of an entry's reports: whole, with a record of what it is, or not taken for one."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from perfkit.core.errors import RunError
from perfkit.core.files import sync, write_json
from perfkit.scheduling.files import sync_tree
from perfkit.scheduling.state import GOOD, Run

RECORD = "report.json"
FORMAT = 1
LATEST = "latest"
ASIDE = ".tmp-"
GOING = ".old-"
FAILED = ".failed"


@dataclass(frozen=True)
class Kept:
    """One folder below an entry's reports, with its record."""

    path: Path
    run: Run
    entry: str

    @property
    def good(self) -> bool:
        """Whether a whole report is in it."""
        return self.run.outcome in GOOD

    @property
    def notebook(self) -> Path:
        """Its executed notebook. RunError where somebody removed it."""
        found = self.file(".ipynb")
        if found is None:
            raise RunError(f"{self.path}: its notebook is gone")
        return found

    def file(self, ending: str) -> Path | None:
        """Its PDF, HTML or notebook; of a failing run the partial notebook."""
        return next(iter(sorted(self.path.glob(f"[!.]*{ending}"))), None)


def kept(reports: Path) -> list[Kept]:
    """The folders with a record, oldest slot first."""
    found = []
    with contextlib.suppress(OSError):
        for path in reports.iterdir():
            run = None if path.name.startswith(".") or path.is_symlink() else _record(path)
            if run is not None:
                found.append(Kept(path, run, reports.name))
    return sorted(found, key=lambda item: (item.run.slot, item.run.started, item.path.name))


def _record(folder: Path) -> Run | None:
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        return Run.of(record["run"]) if record["format"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def aside(reports: Path, date: str) -> Path:
    """A new folder to make a report in; leftovers of killed runs are removed."""
    reports.mkdir(parents=True, exist_ok=True)
    for left in (*reports.glob(f"{ASIDE}*"), *reports.glob(f"{GOING}*")):
        shutil.rmtree(left, ignore_errors=True)
    folder = reports / f"{ASIDE}{date}"
    folder.mkdir()
    return folder


def free_name(reports: Path, wanted: str) -> str:
    """The wanted name, or with the first number behind it that is free: nothing is overwritten."""
    name, number = wanted, 1
    while os.path.lexists(reports / name):
        number += 1
        name = f"{wanted}-{number}"
    return name


def place(folder: Path, run: Run) -> Path:
    """Write a folder's record and rename it: all is on disk before the name appears."""
    if run.folder is None:
        raise AssertionError("a run that is kept has a folder")
    write_json(folder / RECORD, {"format": FORMAT, "run": run.record()})
    sync_tree(folder)
    target = folder.parent / run.folder
    folder.rename(target)
    sync(target.parent)
    return target


def point_latest(reports: Path) -> None:
    """Point ``latest`` at the newest good report; without one it stays as it is."""
    good = [item for item in kept(reports) if item.good]
    if not good:
        return
    link, fresh = reports / LATEST, reports / f".{LATEST}.tmp"
    newest = good[-1].path.name
    if link.is_symlink() and os.readlink(link) == newest:  # noqa: PTH115 - the text is compared
        return
    if os.path.lexists(link) and not link.is_symlink():
        raise FileExistsError(f"{link} is not a symbolic link: cannot let it name the last report")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(newest)
    fresh.replace(link)

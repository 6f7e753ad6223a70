"""Reading again what a store keeps: with a newer reader, or for a file that is damaged."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from perfkit.storing.added import ADDED
from perfkit.storing.places import Place
from perfkit.storing.take import Plan, Read, Taken, take

if TYPE_CHECKING:
    from perfkit.storing.commits import Entry
    from perfkit.storing.layout import Layout
    from perfkit.storing.records import Record


def take_again(layout: Layout, entry: Entry, record: Record) -> Taken | Read:
    """Read a piece again from what the store keeps of it."""
    if record.kind == ADDED:
        return Taken(entry.name, "known", None, entry.piece, entry.record)
    if not record.raw:
        return Taken(entry.name, "failed", "the store does not keep its files", entry.piece)
    lost = [file.name for file in record.files if not layout.raw(file.sha256).is_file()]
    if lost:
        return Taken(entry.name, "failed", f"the store lost its file {lost[0]}", entry.piece)
    with tempfile.TemporaryDirectory(prefix="perfkit-store-") as folder:
        root = Path(folder) / "evidence"
        name = PurePosixPath(os.path.normpath(f"/{entry.name}")).relative_to("/")
        path = root / name
        base = path.parent if record.main else path
        for file in record.files:
            target = base / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(layout.raw(file.sha256), target)
        plan = Plan(True, record.kind, record.options)
        return take(layout, Place(str(path), str(root), entry.name), plan)

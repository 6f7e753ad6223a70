"""The stamp that lies in every folder of generated evidence, so that it cannot pass as measured."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfkit.errors import ParseError
from perfkit.evidence import Origin, sha256_file

STAMP = ".perfkit-sample.json"
FORMAT = "perfkit-sample-1"


@dataclass(frozen=True)
class Stamp:
    """Who wrote a folder, and the SHA-256 of every file in it by relative path."""

    sample: str
    version: int
    seed: int
    options: dict[str, Any]
    files: dict[str, str]

    @property
    def origin(self) -> Origin:
        """The origin of every file below it."""
        return Origin("generated", f"{self.sample}, seed {self.seed}")

    def same_order(self, other: Stamp) -> bool:
        """Whether both were asked for the same: sample, version, seed and options."""
        keys = ("sample", "version", "seed", "options")
        return all(getattr(self, key) == getattr(other, key) for key in keys)


def write(folder: Path, stamp: Stamp) -> None:
    """Put the stamp into the folder it describes."""
    record = {"format": FORMAT, **vars(stamp)}
    (folder / STAMP).write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")


def read(folder: Path) -> Stamp | None:
    """The folder's stamp, or None; ParseError for one that cannot be understood."""
    path = folder / STAMP
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as problem:
        raise ParseError(path, f"the stamp of generated evidence is damaged: {problem}") from None
    if not isinstance(record, dict) or record.pop("format", None) != FORMAT:
        raise ParseError(path, f"is no stamp of the form {FORMAT}")
    try:
        return Stamp(**record)
    except TypeError as problem:
        raise ParseError(path, f"the stamp of generated evidence is damaged: {problem}") from None


def origin_of(path: Path) -> Origin | None:
    """The origin of a file or folder that lies in a stamped folder; None where none is stamped.

    Raises ParseError where a generated file was changed, or is none of those that were generated:
    then it is neither generated evidence nor known to be anything else.
    """
    full = path.resolve()
    for folder in (full, *full.parents):
        stamp = read(folder) if folder.is_dir() else None
        if stamp is not None:
            _check(full, folder, stamp)
            return stamp.origin
    return None


def _check(path: Path, folder: Path, stamp: Stamp) -> None:
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    for file in files:
        name = file.relative_to(folder).as_posix()
        if name != STAMP and stamp.files.get(name) != sha256_file(file):
            raise ParseError(
                file,
                f"is not as {stamp.sample} generated it; measured evidence belongs elsewhere, and "
                f"generated evidence is made again by deleting the folder of {STAMP}",
            )

"""The stamp that lies in every folder of generated evidence, so that it cannot pass as measured."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path

from perfkit.core.errors import ParseError
from perfkit.core.evidence import Origin, sha256_file
from perfkit.core.files import Json
from perfkit.core.places import archive_of

STAMP = ".perfkit-sample.json"
FORMAT = "perfkit-sample-1"


@dataclass(frozen=True)
class Stamp:
    """Who wrote a folder, and the SHA-256 of every file in it by relative path."""

    sample: str
    version: int
    seed: int
    options: Json
    files: dict[str, str]

    @property
    def origin(self) -> Origin:
        """The origin of every file below it."""
        return Origin("generated", f"{self.sample}, seed {self.seed}")


def read(folder: Path) -> Stamp | None:
    """The folder's stamp, or None; ParseError for one that cannot be understood."""
    path = folder / STAMP
    try:
        there = path.stat()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise ParseError(path, f"the stamp of generated evidence is damaged: {problem}") from None
    return _read(path, (there.st_ino, there.st_size, there.st_mtime_ns))


@functools.lru_cache(maxsize=8)
def _read(path: Path, _as_it_lies: tuple[int, int, int]) -> Stamp:
    """The stamp in a file, kept while the file stays: it is asked for each of hundreds of files."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ParseError(path, f"the stamp of generated evidence is damaged: {problem}") from None
    if not isinstance(record, dict) or record.pop("format", None) != FORMAT:
        raise ParseError(path, f"is not a stamp of the form {FORMAT}")
    try:
        return Stamp(**record)
    except TypeError as problem:
        raise ParseError(path, f"the stamp of generated evidence is damaged: {problem}") from None


def origin_of(path: Path) -> Origin | None:
    """The origin of a file or folder that lies in a stamped folder, or in an archive there.

    None where no folder is stamped.

    Raises ParseError where a generated file was changed, or is none of those that were generated:
    then it is neither generated evidence nor known to be anything else.
    """
    full = path.resolve()
    for folder in (full, *full.parents):
        stamp = read(folder) if folder.is_dir() else None
        if stamp is not None:
            _check(full, folder, stamp)
            return stamp.origin
    archive = archive_of(full)
    return origin_of(archive) if archive else None


def _check(path: Path, folder: Path, stamp: Stamp) -> None:
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    for file in files:
        name = file.relative_to(folder).as_posix()
        if name != STAMP and stamp.files.get(name) != sha256_file(file):
            raise ParseError(
                file,
                f"is not as {stamp.sample} generated it ({STAMP}); measured evidence belongs "
                "elsewhere",
            )

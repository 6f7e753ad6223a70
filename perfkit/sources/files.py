"""What all readers share: a file's bytes and text, its rows as tables, and their labels."""

from __future__ import annotations

import functools
import gzip
import inspect
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar

import polars as pl

from perfkit.core import evidence as proof
from perfkit.core import schema
from perfkit.core.archives import opened
from perfkit.core.errors import ParseError, UsageError, did_you_mean
from perfkit.core.evidence import Evidence, Section
from perfkit.core.lineage import Reading
from perfkit.core.recorded_arguments import canonical_json
from perfkit.core.schema import Row
from perfkit.sources import sample_stamp
from perfkit.sources.separated import refuse_workbook

P = ParamSpec("P")
R = TypeVar("R", bound="Reading")

_SHOWN = 80
"""Characters of a name quoted in an error."""


def reader(function: Callable[P, R]) -> Callable[P, Reading]:
    """What every public ``read_*`` function is made with: its path comes first.

    A path may lead into an archive. What lies in a folder with a generator's stamp is generated
    evidence, and every table of the reading says so, however the file was read.
    """
    signature = inspect.signature(function)
    first = next(iter(signature.parameters))

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Reading:
        given = signature.bind(*args, **kwargs)
        place = given.arguments[first] = opened(given.arguments[first])
        try:
            found = function(*given.args, **given.kwargs)
        except UnicodeEncodeError as problem:
            # JSON can escape half of a surrogate pair, which no text of a table can hold
            half = ascii(problem.object)[:_SHOWN]
            raise ParseError(place, f"a lone half of a Unicode pair in {half}") from problem
        made = sample_stamp.origin_of(place)
        return found.of_origin(made) if made else found

    return call


GZIP = b"\x1f\x8b"
"""How gzip data begins."""


@dataclass(frozen=True)
class File:
    """A file of evidence that is being read.

    Attributes:
        path: As it was given, for errors.
        label: As records name it: relative to their root.
        data: Its bytes as they lie on the disk.
    """

    path: str
    label: str
    data: bytes

    @classmethod
    def of(cls, path: Path | str, root: Path | None) -> File:
        """The file at a path; ParseError where it cannot be read."""
        return cls(str(path), proof.label(Path(path), root), file_bytes(Path(path), str(path)))

    def text(self) -> str:
        """Its text, as ``text_of`` gives it."""
        return text_of(self.data, self.path)

    def evidence(self, kind: str, tool: str | None = None, **facts: Any) -> Evidence:
        """The record of it; ``facts`` are further fields of ``Evidence``."""
        return Evidence(kind, self.label, proof.sha256_bytes(self.data), tool, **facts)


def file_bytes(path: Path, label: str, most: int | None = None) -> bytes:
    """A file's bytes as they lie on the disk; ParseError where it cannot be read.

    With ``most``, of a longer file no more than one byte beyond it: enough to know that it is.
    """
    try:
        with path.open("rb") as file:
            return file.read(-1 if most is None else most + 1)
    except FileNotFoundError:
        raise ParseError(label, "there is no such file") from None
    except OSError as problem:
        raise ParseError(label, f"cannot be read: {problem.strerror}") from problem


_BYTE_ORDER = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def encoding_of(data: bytes) -> str:
    """The encoding that a byte order mark names (PowerShell writes UTF-16); without one UTF-8."""
    return next((name for mark, name in _BYTE_ORDER.items() if data.startswith(mark)), "utf-8")


def unpacked(data: bytes, label: str) -> bytes:
    """Bytes without their gzip packing, if they have one."""
    try:
        return gzip.decompress(data) if data.startswith(GZIP) else data
    except (OSError, EOFError, zlib.error) as problem:
        raise ParseError(label, f"gzip data is cut off or damaged: {problem}") from problem


def text_of(data: bytes, label: str) -> str:
    """The text of a file's bytes, unpacked if they are gzip, without its byte order mark.

    Raises ParseError if it is not UTF-8, nor UTF-16 with its mark.
    """
    plain = unpacked(data, label)
    encoding = encoding_of(plain)
    try:
        return plain.decode(encoding)
    except UnicodeDecodeError as problem:
        line = plain.count(b"\n", 0, problem.start) + 1
        name = encoding.removesuffix("-sig").upper()
        raise ParseError(label, f"not {name} text here", line) from problem


def table_text(data: bytes, label: str) -> str:
    """The text of a file that people edit, as ``text_of`` gives it; each line end is one character.

    Raises ParseError for a workbook, an empty file, and bytes that are not text, naming the line.
    """
    plain = unpacked(data, label)
    refuse_workbook(plain, label)
    text = text_of(plain, label)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ParseError(label, "not text: NUL characters in it", line)
    if not text or text.isspace():
        raise ParseError(label, "the file is empty")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def joined_lines(text: str, first: int = 1) -> Iterator[tuple[int, str]]:
    """The lines of a text with their numbers; one that ends in a backslash goes on in the next."""
    held, start = "", first
    for number, line in enumerate(text.split("\n"), first):
        if not held:
            start = number
        if line.rstrip().endswith("\\"):
            held += line.rstrip()[:-1] + " "
            continue
        yield start, held + line
        held = ""
    if held:
        yield start, held


def given(**options: Any) -> dict[str, Any]:
    """The options that a caller set, for the lineage."""
    return {name: value for name, value in options.items() if value is not None and value != {}}


def frame(rows: Sequence[Row], table: schema.Schema, path: Path | str) -> pl.DataFrame:
    """Rows as a frame of exactly the schema's columns; a key that a row lacks is null.

    Raises ValueError for a key of no column: its value would be lost in silence.
    """
    for row in rows:
        if not row.keys() <= table.keys():
            raise ValueError(f"no column for {sorted(row.keys() - table.keys())[0]!r} of a row")
    columns = [
        pl.Series(name, [_cell(row.get(name), item.dtype) for row in rows], dtype=item.dtype)
        for name, item in table.items()
    ]
    return schema.conform(pl.DataFrame(columns), table, path)


def _cell(value: Any, dtype: Any) -> Any:
    """A whole number as a float where the column is one: polars casts no cell by itself."""
    return float(value) if dtype == pl.Float64 and isinstance(value, int) else value


def hash_of(parts: Iterable[Evidence], label: str) -> str:
    """One hash over the files of a folder: their paths inside it, and their hashes."""
    listed = [[part.path.removeprefix(f"{label}/"), part.sha256] for part in parts]
    return proof.sha256_bytes(json.dumps(listed).encode())


def _once(parts: Sequence[Evidence]) -> Iterator[str]:
    """The warnings of the parts, each text once: with its file, or with how many files it is of."""
    of: dict[str, list[str]] = {}
    for part in parts:
        for text in dict.fromkeys(part.warnings):
            of.setdefault(text, []).append(part.path)
    for text, paths in of.items():
        some = f"{len(paths)} of {len(parts)} files, the first {paths[0]}"
        every = f"all {len(parts)} files" if len(paths) == len(parts) else some
        yield f"{paths[0] if len(paths) == 1 else every}: {text}"


def evidence_of_many(
    kind: str,
    parts: Sequence[Evidence],
    paths: Sequence[Path | str],
    root: Path | None,
    **facts: Any,
) -> Evidence:
    """The evidence of one reading of many files; ``facts`` are further fields of ``Evidence``.

    The record of every value holds the parts, by the hundred: without their warnings, which stand
    with the whole, and without their sections.
    """
    return Evidence(
        kind,
        path=proof.common_label(paths, root) if len(paths) > 1 else parts[0].path,
        sha256=proof.sha256_bytes(canonical_json([part.sha256 for part in parts]).encode()),
        warnings=tuple(_once(parts)),
        unverified=any(part.unverified for part in parts),
        parts=tuple(replace(part, sections=(), warnings=()) for part in parts),
        **facts,
    )


def sections_of(
    frames: Mapping[str, pl.DataFrame], otherwise: Literal["absent", "empty"] = "absent"
) -> tuple[Section, ...]:
    """What became of each table: found, with its rows, or ``otherwise`` (empty has 0 rows)."""
    none = 0 if otherwise == "empty" else None
    return tuple(
        Section(name, "found" if table.height else otherwise, table.height or none)
        for name, table in frames.items()
    )


def labelled(points: pl.DataFrame, labels: Mapping[str, Any] | None, label: str) -> pl.DataFrame:
    """Load points with the given keys (system, config, repeat ...) in every row.

    Raises UsageError for a label that is not a key of the common table.
    """
    for name in labels or {}:
        if name not in schema.KEYS or name == "direction":
            keys = [key for key in schema.KEYS if key != "direction"]
            raise UsageError(f"no label {name!r}; {did_you_mean(name, keys)}")
    columns = [
        pl.lit(value, dtype=schema.KEYS[name].dtype).alias(name)
        for name, value in (labels or {}).items()
    ]
    return schema.conform(points.with_columns(columns), schema.LOAD_POINTS, label)

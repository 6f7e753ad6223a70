"""What the readers of all sources share: the bytes of a file, its text, and labels for its rows."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit import schema
from perfkit.errors import ParseError, UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_GZIP = b"\x1f\x8b"


def file_bytes(path: Path, label: str) -> bytes:
    """A file's bytes as they lie on the disk; ParseError where it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ParseError(label, "there is no such file") from None
    except OSError as problem:
        raise ParseError(label, f"cannot be read: {problem.strerror}") from problem


def text_of(data: bytes, label: str) -> str:
    """The text of a file's bytes, unpacked if they are gzip; ParseError if it is not UTF-8."""
    try:
        plain = gzip.decompress(data) if data.startswith(_GZIP) else data
    except (OSError, EOFError, zlib.error) as problem:
        raise ParseError(label, f"gzip data is cut off or damaged: {problem}") from problem
    try:
        return plain.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = plain.count(b"\n", 0, problem.start) + 1
        raise ParseError(label, "not UTF-8 text here", line) from problem


def labelled(points: pl.DataFrame, labels: Mapping[str, Any] | None, label: str) -> pl.DataFrame:
    """Load points with the given keys (system, config, repeat ...) in every row.

    Raises UsageError for a label that is no key of the common table.
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

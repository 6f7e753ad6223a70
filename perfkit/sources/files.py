"""What the readers of all sources share: the bytes of a file, its text, and labels for its rows."""

from __future__ import annotations

import functools
import gzip
import inspect
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import polars as pl

from perfkit.core import schema
from perfkit.core.archives import opened
from perfkit.core.errors import ParseError, UsageError, did_you_mean
from perfkit.sources import sample_stamp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfkit.core.lineage import Reading

P = ParamSpec("P")
R = TypeVar("R", bound="Reading")


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
        found = function(*given.args, **given.kwargs)
        made = sample_stamp.origin_of(place)
        return found.of_origin(made) if made else found

    return call


_GZIP = b"\x1f\x8b"


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


def text_of(data: bytes, label: str) -> str:
    """The text of a file's bytes, unpacked if they are gzip, without its byte order mark.

    Raises ParseError if it is not UTF-8, nor UTF-16 with its mark.
    """
    try:
        plain = gzip.decompress(data) if data.startswith(_GZIP) else data
    except (OSError, EOFError, zlib.error) as problem:
        raise ParseError(label, f"gzip data is cut off or damaged: {problem}") from problem
    encoding = encoding_of(plain)
    try:
        return plain.decode(encoding)
    except UnicodeDecodeError as problem:
        line = plain.count(b"\n", 0, problem.start) + 1
        name = encoding.removesuffix("-sig").upper()
        raise ParseError(label, f"not {name} text here", line) from problem


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

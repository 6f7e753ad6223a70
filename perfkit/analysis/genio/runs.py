"""What rows of GenIO, RANREAD and other runs are called: by the labels in which they differ.

The runs of one file are one series; files that no label tells apart are called by their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from perfkit.core.keys import file_of, rows_by, short_names

if TYPE_CHECKING:
    from perfkit.core.schema import Row

NAMES = ("system", "config", "test", "host")

ALL = "all"
"""The series of runs that nothing tells apart."""


def run_names(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """The name of each row's series in parts: the labels that differ among all rows, else the host.

    A test's comment names a series only where nothing else tells the rows apart. The last part is
    the file's name, empty where the labels name one file.
    """
    differing = [key for key in NAMES if len({row.get(key) for row in rows}) > 1]
    used = [key for key in differing if key != "test"] or differing or ["host"]
    names = [tuple(str(row.get(key) or "") for key in used) for row in rows]
    files = [file_of(row) for row in rows]
    of_name: dict[tuple[str, ...], set[str | None]] = {}
    for name, file in zip(names, files, strict=True):
        of_name.setdefault(name, set()).add(file)
    known = list(dict.fromkeys(files))
    short = dict(zip(known, short_names(known), strict=True))
    return [
        (*name, "" if len(of_name[name]) == 1 else short[file])
        for name, file in zip(names, files, strict=True)
    ]


def run_labels(rows: Sequence[Row]) -> list[str]:
    """The name of each row's series: its parts, joined by commas."""
    return [", ".join(filter(None, name)) or ALL for name in run_names(rows)]


def by_label(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each series, in order."""
    pairs = zip(run_labels(rows), rows, strict=True)
    parts = rows_by(pairs, itemgetter(0))
    return {label: [row for _, row in part] for label, part in parts.items()}

"""Keys, not labels: which file a row is from, which rows are one series, what may not collide.

A source declares its row key and its series key (``sources.source.Source``). Labels are the names
that people give: equal labels form one series only if the series key agrees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import polars as pl

    from perfkit.core.schema import Row

R = TypeVar("R")
K = TypeVar("K", bound=Hashable)

FILE = ("source", "file")
"""The columns that name the file of a row: in a study, and where many files were read as one."""


def file_of(row: Mapping[str, Any]) -> str | None:
    """The file that a row is from; None where one file was read and its rows do not name it."""
    return next((row[name] for name in FILE if row.get(name) is not None), None)


_WITHIN = {"section": "section {}", "point": "point {}", "line": "line {}"}
"""The columns that say where in its file a row stands."""

Place = tuple[str, str]
"""The file of a row and where in it: "run.log", "line 12"; each may be empty."""


def place_of(row: Mapping[str, Any]) -> Place:
    """Where a row of a source stands; of one whose columns name two files, the file of both."""
    files = {row[name] for name in FILE if row.get(name) is not None}
    if len(files) > 1:
        return str(row["source"]), ""
    # what is asked of SAS logs calls the file so
    files = files or {row["log"]} if row.get("log") is not None else files
    within = [form.format(row[name]) for name, form in _WITHIN.items() if row.get(name) is not None]
    return str(files.pop()) if files else "", ", ".join(within)


def file_column(frame: pl.DataFrame) -> str | None:
    """The column that names the file of each row; None where there is none."""
    return next((name for name in FILE if name in frame.columns), None)


def rows_by(rows: Iterable[R], key: Callable[[R], K]) -> dict[K, list[R]]:
    """The rows of each key: keys and rows in the order in which they come."""
    found: dict[K, list[R]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def by_file(frame: pl.DataFrame) -> dict[str | None, list[Row]]:
    """The rows of each file, in order."""
    return rows_by(frame.rows(named=True), file_of)


def short_names(paths: Sequence[str | None]) -> list[str]:
    """Short names of files: the shortest ends of their paths that differ."""
    parts = [(path or "report").split("/") for path in paths]
    names = [own[-1] for own in parts]
    for length in range(2, max(map(len, parts), default=0) + 1):
        if len(set(names)) == len(names):
            break
        names = [
            "/".join(own[-length:]) if names.count(name) > 1 else name
            for own, name in zip(parts, names, strict=True)
        ]
    return names


def report_names(paths: Sequence[str | None]) -> list[str]:
    """Names for reports that no label tells apart: their files, without the endings."""
    names = short_names(paths)
    bare = [re.sub(r"(\.[A-Za-z]\w*)+$", "", name) or name for name in names]
    return bare if len(set(bare)) == len(set(names)) else names


def distinct(labels: Sequence[str]) -> list[str]:
    """The labels made distinct: equal ones get a number in brackets."""
    seen: dict[str, int] = {}
    made = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        made.append(f"{label} ({seen[label]})" if labels.count(label) > 1 else label)
    return made


def collision(rows: pl.DataFrame, key: Iterable[str]) -> Row | None:
    """The first row whose key another row has too; None where every row has its own.

    Columns of the key that the frame lacks are ignored.
    """
    names = [name for name in key if name in rows.columns]
    if rows.height <= 1:
        return None
    twice = rows.filter(rows.select(names).is_duplicated()) if names else rows
    return None if twice.is_empty() else twice.row(0, named=True)

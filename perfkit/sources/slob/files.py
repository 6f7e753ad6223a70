"""The small text files of SLOB: slob.conf, the output of awr_info.sh, and db_stats.out.

Forms after SLOB 2.5.3.1 (slob.conf, awr_info.sh, runit.sh), a print of 2013 kept with it, and the
folder of a real run. Its files may not be passed on, so no sample of it is in this repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from perfkit.core.errors import ParseError
from perfkit.core.schema import Row
from perfkit.core.units import DIGITS
from perfkit.sources.slob.schema import CENTI, INFO_COLUMNS

Rows = list[Row]

_ASSIGNMENT = re.compile(
    r"\s*(?:export\s+)?(?P<name>[A-Za-z_]\w*)=(?P<value>(?:\"(?:\\.|[^\"\\])*\"|'[^']*'|[^\s;\"'])*)"
    r"\s*(?:;.*|\s#.*|#.*)?$"
)
_NO_ASSIGNMENT = re.compile(r"\s*(?:#|$|export(?:\s+[A-Za-z_]\w*)+\s*(?:#.*)?$)")
"""Empty lines, comments, and the export of variables that were set before."""

_PIECES = re.compile(r"\"((?:\\.|[^\"\\])*)\"|'([^']*)'|([^\"']+)")
_SECRET_NAME = re.compile(r"PASS|PWD|SECRET|SQLNET|SERVICE|CONNECT|WALLET", re.I)
_SECRET_VALUE = re.compile(r"[/@]|\(\s*DESCRIPTION|PASSW", re.I)
_USER_NAME = re.compile(r"USER|SCHEMA_OWNER", re.I)

INFO_HEAD = "FILE|SESSIONS|ELAPSED|"
_NEW = ("FILE", "SESSIONS", *INFO_COLUMNS, "TOP WAIT")
_OLD = tuple(name for name in _NEW if name not in {"DB CPU", "DB Tm", "LIO"})
_LAYOUTS = {len(names): names for names in (_NEW, _OLD)}
_NUMBER = re.compile(rf"[+-]?({DIGITS}(\.\d*)?|\.\d+)([Ee][+-]?\d{{1,3}})?$")
LATENCIES = tuple(INFO_COLUMNS[name][0] for name in INFO_COLUMNS if name.endswith("_LAT"))


def conf_rows(text: str, path: str) -> Rows:
    """The assignments of a slob.conf, the last one of a name; passwords and connect strings null.

    Comments are left out whole: they may hold a password too. A line that is not an assignment is a
    ParseError which does not quote it.
    """
    rows: dict[str, Row] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if _NO_ASSIGNMENT.match(line):
            continue
        found = _ASSIGNMENT.match(line)
        if not found:
            raise ParseError(path, "not an assignment NAME=value", number)
        pieces = [
            re.sub(r"\\(.)", r"\1", double) if double else single or bare
            for double, single, bare in _PIECES.findall(found["value"])
        ]
        name, value = found["name"], "".join(pieces)
        secret = bool(value) and _is_secret(name, value)
        rows[name] = {"name": name, "value": None if secret else value, "redacted": secret}
    return list(rows.values())


def _is_secret(name: str, value: str) -> bool:
    if _SECRET_NAME.search(name) and not name.upper().endswith("_MAX"):
        return True
    # user/password@service can stand wherever a user can; a path elsewhere is not a secret
    return bool(_SECRET_VALUE.search(value)) and (bool(_USER_NAME.search(name)) or "@" in value)


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line that is not blank, with its number."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield number, [cell.strip() for cell in line.split("|")]


def info_rows(text: str, path: str, file: str) -> Rows:
    """The rows of awr_info.sh's output, in the layout of its head or, without one, by its length.

    An empty value is null: under mawk the script prints none for what it rounds. So is a latency of
    0, which the script prints for an event that the report does not have.
    """
    names: tuple[str, ...] | None = None
    rows: Rows = []
    for number, cells in _lines(text):
        if cells[-1] == "":
            cells.pop()
        if cells[0] == "FILE":
            _check_layout(cells, path, number)
            names = tuple(cells)
            continue
        names = names or _LAYOUTS.get(len(cells)) or _LAYOUTS.get(len(cells) + 1)
        # the trailing pipe follows the last column: an empty TOP WAIT leaves one cell fewer
        if names is None or len(cells) not in {len(names), len(names) - 1}:
            raise ParseError(path, f"{len(cells)} cells are not a row of awr_info.sh", number)
        row = dict(zip(names, cells, strict=False))
        sessions = row["SESSIONS"]
        values = {
            name: _value(row.get(printed, ""), factor, path, number)
            for printed, (name, factor, _, _) in INFO_COLUMNS.items()
        }
        values |= {name: None for name in LATENCIES if not values[name]}
        threads = int(sessions) if sessions.isdecimal() else None
        top = row.get("TOP WAIT") or None
        rows.append(
            {"file": file, "report": row["FILE"], "threads": threads, **values, "top_wait": top}
        )
    return rows


def _check_layout(cells: list[str], path: str, number: int) -> None:
    known = {"FILE", "SESSIONS", "TOP WAIT", *INFO_COLUMNS}
    for cell in cells:
        if cell not in known:
            raise ParseError(
                path, f"{cell!r} is not a column of awr_info.sh that perfkit knows", number
            )


def _value(cell: str, factor: Decimal, path: str, number: int) -> float | None:
    if not cell or cell.lower().lstrip("-") in {"nan", "inf"}:
        return None
    if not _NUMBER.match(cell):
        raise ParseError(path, f"{cell[:40]!r} is not a number", number)
    return float(Decimal(cell.replace(",", "")) * factor)


_STATS = ("elapsed_s", "cpu_s", "cpu_ratio")


def db_stats_rows(text: str, path: str, file: str) -> Rows:
    """The rows of db_stats.out: schema, elapsed and CPU time in hundredths of a second, percent."""
    rows: Rows = []
    for number, cells in _lines(text):
        if len(cells) == len(_STATS) + 2 and cells[-1] == "":
            cells.pop()
        if len(cells) != len(_STATS) + 1 or not cells[0]:
            raise ParseError(path, "not a row schema|time|cpu|percent|", number)
        values = {
            name: _value(cell, CENTI, path, number)
            for name, cell in zip(_STATS, cells[1:], strict=True)
        }
        rows.append({"file": file, "schema": cells[0], **values})
    return rows

"""elbencho's CSV results (``--csvfile``): one row a phase, told by the header's names.

Versions differ in their columns: each is read by its name, and what a version lacks is null.
Before 2.0-7 there is no label, version or command, and of a mixed phase one latency of its reads
and writes together. No field is quoted as CSV means it: elbencho replaces commas inside fields by
blanks. Values are whole numbers, cut off: 3.99 MiB/s stands as 3, so that bytes per second are
taken from the I/Os.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core.errors import ParseError
from perfkit.core.units import MIB, MS_PER_S
from perfkit.formats.elbencho_json import AGREE, Flow, Phase, directions_of
from perfkit.formats.elbencho_live import cells_of, check_header, whole_number

if TYPE_CHECKING:
    Whole = Callable[[str], int | None]

SIGN = "ISO date,"
"""How the header begins (the live file's begins with "ISO Date")."""

SAVED_ANEW = re.compile(r"\"?ISO date\"?\s*[,;\t]")
"""How it begins where a spreadsheet saved it: other separators, quotes around names."""

_NEEDED = ("operation", "IOPS [last]", "time ms [last]", "threads", "block size")
_ELSEWHERE = {
    "block size[B]": "block size", "file size[B]": "file size", "time ms[first]": "time ms [first]",
    "time ms[last]": "time ms [last]",
}  # fmt: skip

CONFIG = {
    "path type": "path_type",
    "paths": "paths",
    "hosts": "hosts",
    "threads": "threads",
    "file size": "file_size",
    "block size": "block_size",
    "direct IO": "direct_io",
    "random": "random_offsets",
    "IO depth": "io_depth",
    "label": "label",
    "version": "version",
    "command": "command",
}
"""The columns that say what was asked for, and their names in the JSON results."""

_OTHERS = frozenset(
    {"ISO date", "operation", "dirs", "files", "random aligned", "random amount", "shared paths",
     "truncate"}
)  # fmt: skip
_FIGURES = re.compile(
    r"(?:rwmix read )?(?:entries/s|entries|IOPS|MiB/s|MiB|CPU%) \[(?:first|last)\]$"
    r"|(?:rwmix read )?(?:Ent|IO) lat us \[(?:min|avg|max)\]$|time ms \[(?:first|last)\]$"
)
"""The columns of elbencho 1.4 to 3.1 beside those of ``CONFIG``."""


def strangers(text: str) -> list[str]:
    """Columns of any header in the file that perfkit does not know, and does not read."""
    heads = (line.split(",") for line in text.splitlines() if line.startswith(SIGN))
    names = dict.fromkeys(_ELSEWHERE.get(name, name) for head in heads for name in head)
    known = {*CONFIG, *_OTHERS}
    return [name for name in names if name and name not in known and not _FIGURES.match(name)]


def rows(text: str, path: Path | str) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row with its line; ParseError for a header or row that cannot be."""
    header: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(SIGN):
            header = [_ELSEWHERE.get(name, name) for name in line.split(",")]
            check_header(header, _NEEDED, path, number)
        elif not header:
            raise ParseError(path, "does not begin with the header of elbencho's CSV", number)
        elif line.strip():
            yield number, cells_of(line, header, path, number)


def phases(text: str, path: Path | str) -> list[Phase]:
    """Every phase of a file; ParseError naming the line for one that cannot be."""
    return [_phase(number, row, path) for number, row in rows(text, path)]


def _phase(number: int, row: Mapping[str, str], path: Path | str) -> Phase:
    operation = row["operation"]
    directions = directions_of(operation)
    if directions is None:
        raise ParseError(path, f"operation {operation!r} is unknown to perfkit", number)
    whole = partial(whole_number, row, path=path, line=number)
    last = whole("time ms [last]")
    if last is None:
        raise ParseError(path, "time ms [last] is empty", number)
    if len(directions) > 1 and "rwmix read IOPS [last]" not in row:
        raise ParseError(path, f"{operation} without the columns of its reads", number)
    prefixes = dict(zip(directions, ("", "rwmix read "), strict=False))
    for prefix in prefixes.values():
        problem = _contradiction(prefix, last, whole)
        if problem:
            raise ParseError(path, problem, number)
    # before 2.0-7 the latency of a mixed phase is that of its reads and writes together
    is_pooled = len(directions) > 1 and "rwmix read IO lat us [avg]" not in row
    flows = (_flow(name, prefix, whole, timed=not is_pooled) for name, prefix in prefixes.items())
    return Phase(
        operation=operation,
        line=number,
        started=row.get("ISO date", ""),
        config={ours: row[name] for name, ours in CONFIG.items() if row.get(name)},
        first_ms=whole("time ms [first]") or 0,
        last_ms=last,
        flows=tuple(flow for flow in flows if flow),
        cpu_percent=whole("CPU% [last]"),
        entries=whole("entries [last]"),
    )


def _contradiction(prefix: str, last_ms: int, whole: Whole) -> str | None:
    """What two cells of one direction say against each other; every value is cut off."""
    iops, mib, rate = (whole(f"{prefix}{name} [last]") for name in ("IOPS", "MiB", "MiB/s"))
    low, mean, high = (whole(f"{prefix}IO lat us [{name}]") for name in ("min", "avg", "max"))
    if low is not None and mean is not None and high is not None and not low <= mean <= high:
        return f"{prefix}IO lat us: a mean of {mean} is not between {low} and {high}"
    if mib is not None and rate is not None and last_ms:
        least, most = (m * MS_PER_S / t for m, t in ((mib, last_ms + 1), (mib + 1, last_ms)))
        if not least * (1 - AGREE) - 1 <= rate <= most * (1 + AGREE) + 1:
            return f"{prefix}MiB/s [last]: {rate} is not {mib} MiB in {last_ms} ms"
    block = whole("block size")
    if mib is None and iops is not None and _bytes_per_s(prefix, whole) is None:
        return f"{prefix}MiB [last]: without it nothing tells how many bytes were moved"
    if iops is not None and rate is not None and block and rate > (iops + 1) * block / MIB:
        return f"{prefix}MiB/s [last]: {iops} I/Os per second of {block} bytes cannot be {rate}"
    return None


def _flow(direction: str, prefix: str, whole: Whole, *, timed: bool) -> Flow | None:
    iops, mib = whole(f"{prefix}IOPS [last]"), whole(f"{prefix}MiB [last]")
    if iops is None:
        return None
    per_s = _bytes_per_s(prefix, whole)
    seconds = (whole("time ms [last]") or 0) / MS_PER_S
    low, mean, high = (
        whole(f"{prefix}IO lat us [{name}]") if timed else None for name in ("min", "avg", "max")
    )
    return Flow(
        direction=direction,
        ios=None,
        io_bytes=mib * MIB if mib is not None else round((per_s or 0) * seconds),
        iops=float(iops),
        bytes_per_s=per_s,
        lat_min_us=low,
        lat_mean_us=mean,
        lat_max_us=high,
    )


def _bytes_per_s(prefix: str, whole: Whole) -> float | None:
    """From the I/Os; null where the blocks are of another size than asked for (short files)."""
    iops, rate = whole(f"{prefix}IOPS [last]"), whole(f"{prefix}MiB/s [last]")
    block = whole("block size")
    if not block or iops is None or rate is None:
        return None
    is_whole = rate - 1 <= iops * block / MIB <= rate + 1 + block / MIB
    return float(iops * block) if is_whole else None

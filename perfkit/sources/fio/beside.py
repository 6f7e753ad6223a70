"""The results that lie beside fio's logs: which of them named a log, and which version wrote it.

A log says neither its unit of latency nor whose it is. The result does: it has fio's version, and
in its job options the prefix of the logs (``write_lat_log=PREFIX``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from perfkit.core.errors import ParseError
from perfkit.sources.files import file_bytes, text_of
from perfkit.sources.fio.latency import NS_PER_US, dialect_of

_VERSION = re.compile(r'"fio version"\s*:\s*"fio-(\d+)\.(\d+)')
_PREFIX = re.compile(r'"write_(?:bw|lat|iops|hist)_log"\s*:\s*"([^"]+)"')
_JOBS = re.compile(r'"numjobs"\s*:\s*"(\d+)"')

_LARGEST = 64 * 2**20
_HEAD = 64 * 1024
_OTHERS = frozenset({".log", ".fio", ".png", ".svg", ".pdf", ".yml", ".md", ".py", ".sh"})


@dataclass(frozen=True)
class Result:
    """What a log has from a result: ``ns`` is the unit of its latencies, in ns.

    ``jobs`` is the number of processes, None where the result does not state one for all.
    """

    path: Path
    prefixes: frozenset[str]
    ns: int
    jobs: int | None


@dataclass(frozen=True)
class Owner:
    """Whose a log is: each None where the results beside it leave it open."""

    result: Path | None
    ns: int | None
    jobs: int | None


def owner_of(log: Path, stem: str) -> Owner:
    """The owner of a log, by its place (the same folder) and its name without kind and job."""
    results = results_in(log.parent)
    named = [result for result in results if stem in result.prefixes]
    units = {result.ns for result in named or results}
    return Owner(
        named[0].path if len(named) == 1 else None,
        units.pop() if len(units) == 1 else None,
        named[0].jobs if len(named) == 1 else None,
    )


def results_in(folder: Path) -> tuple[Result, ...]:
    """The results in a folder, without those in folders below it."""
    files = sorted(path for path in folder.iterdir() if path.suffix not in _OTHERS)
    found = []
    for path in files:
        if not path.is_file():
            continue
        state = path.stat()
        result = _result(path, state.st_mtime_ns, state.st_size)
        if result is not None:
            found.append(result)
    return tuple(found)


@lru_cache(maxsize=4096)
def _result(path: Path, changed: int, size: int) -> Result | None:  # noqa: ARG001 - the key
    if size > _LARGEST:
        return None
    try:
        data = file_bytes(path, path.name)
        text = text_of(data, path.name)
    except ParseError:
        return None
    version = _VERSION.search(text, 0, _HEAD)
    if version is None:
        return None
    jobs = set(_JOBS.findall(text)) or {"1"}
    return Result(
        path,
        frozenset(Path(prefix).name for prefix in _PREFIX.findall(text)),
        NS_PER_US if dialect_of(int(version[1]), int(version[2])).in_us else 1,
        int(jobs.pop()) if len(jobs) == 1 else None,
    )

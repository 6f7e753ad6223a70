"""GenIO's runs: what rows of runs are called, and what the servers of one test did together.

Concurrent runs are matched and added up. The runs of one file are one series; files that no label
tells apart are called by their names.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any

import polars as pl

from perfkit.analysis.curves.series import groups, place, require_columns
from perfkit.core.errors import AnalysisError
from perfkit.core.keys import file_of, rows_by, short_names
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import ColumnTypes, Row
from perfkit.core.stats import over_all

BY_TIME, BY_RUN_AND_TIME, BY_RUN, BY_POSITION = "time", "run and time", "run", "position"

KEYS = ("system", "config", "workload")
SUMS = ("target_iops", "read_iops", "write_iops", "total_iops")
LARGEST = ("longest_write_cycle_s", "longest_wij_time_s")

CLUSTER_TOTALS: ColumnTypes = {
    **dict.fromkeys(KEYS, pl.String),
    "run": pl.Int64,
    "position": pl.Int64,
    "matched_by": pl.String,
    "hosts": pl.Int64,
    "hosts_expected": pl.Int64,
    "complete": pl.Boolean,
    "host_names": pl.String,
    "note": pl.String,
    "started_at": pl.Datetime("us"),
    "ended_at": pl.Datetime("us"),
    **dict.fromkeys(SUMS, pl.Float64),
    "target_origin": pl.String,
    "achieved_to_target_ratio": pl.Float64,
    **dict.fromkeys(LARGEST, pl.Float64),
    "effective_write_latency_s": pl.Float64,
    "effective_write_latency_worst_s": pl.Float64,
    "random_read_average_s": pl.Float64,
    "read_ratio": pl.Float64,
}
"""One row a run of the whole cluster; every number in it is computed, none is printed."""

_NEEDED = ("host", "run", "position", "started_at", "ended_at", *SUMS, *LARGEST)


@step(version=1, name="genio.cluster_totals")
def cluster_totals(runs: Measured) -> pl.DataFrame:
    """The concurrent runs of all servers, added up: one row a run of the cluster (CLUSTER_TOTALS).

    - Runs belong together by their number, and where times are printed they must overlap as well;
      without numbers in common by time, and with neither by their place in the file
      (``matched_by`` says which).
    - IOPS are sums over the servers; longest write cycle and WIJ time the largest; the random-read
      average is weighted by reads, sum(read_iops * average) / sum(read_iops), and the effective
      write latency by writes, with the largest beside it.
    - A value that one server lacks is null for the cluster. A run that is not there on every server
      has ``complete`` false and no numbers: a sum over fewer servers would look like the cluster.

    Args:
        runs: ``genio_runs`` of all servers of the test, each with its ``host``.

    Raises AnalysisError for servers that cannot be distinguished, a run that is there twice on one
    server, and runs that have nothing in common to be matched by.
    """
    require_columns(
        runs.frame, [*_NEEDED, "effective_write_latency_s", "random_read_average_s"], "genio_runs"
    )
    # a run without a host is of the server whose file it stands in
    names = [pl.col(name) for name in ("host", "source") if name in runs.frame.columns]
    named = runs.frame.with_columns(server=pl.coalesce(*names, pl.lit("")))
    rows = [
        row for key, part in groups(named, KEYS, ("server", "position")) for row in _test(key, part)
    ]
    return pl.DataFrame(rows, schema=CLUSTER_TOTALS, orient="row")


def _test(key: Row, rows: list[Row]) -> Iterator[Row]:
    """The rows of one system, configuration and workload."""
    servers = list(dict.fromkeys(row["server"] for row in rows))
    matched_by, matches = _match(rows, servers)
    for position, match in enumerate(matches, 1):
        runs = {row["run"] for row in match}
        there = {row["server"] for row in match}
        absent = ", ".join(name for name in servers if name not in there)
        yield {
            **dict.fromkeys(CLUSTER_TOTALS),
            **key,
            "run": runs.pop() if len(runs) == 1 else None,
            "matched_by": matched_by if len(match) > 1 else None,
            "started_at": _over(match, "started_at", min),
            "ended_at": _over(match, "ended_at", max),
            "position": position,
            "hosts": len(match),
            "hosts_expected": len(servers),
            "complete": len(match) == len(servers),
            "host_names": ", ".join(row["server"] for row in match if row["server"]) or None,
            **(
                _totals(match)
                if len(match) == len(servers)
                else {"note": f"no run of {absent} beside it: no total"}
            ),
        }


# ---- which runs belong together


def _match(rows: list[Row], servers: Sequence[str]) -> tuple[str, list[list[Row]]]:
    numbered = all(row["run"] is not None for row in rows)
    timed = all(row["started_at"] is not None for row in rows)
    if numbered:
        _check_once(rows)
    if len(servers) == 1:
        return BY_RUN if numbered else BY_POSITION, [[row] for row in rows]
    of = {name: [row for row in rows if row["server"] == name] for name in servers}
    numbers = [{row["run"] for row in part} for part in of.values()]
    shared = numbered and bool(set.intersection(*numbers))
    if timed and not shared:
        return BY_TIME, list(_by_time(of))
    if shared:
        together = [match for _, match in sorted(rows_by(rows, itemgetter("run")).items())]
        if not timed:
            return BY_RUN, together
        ends = _ends(of)
        return BY_RUN_AND_TIME, [part for match in together for part in _overlapping(match, ends)]
    if not numbered and len({len(part) for part in of.values()}) == 1:
        return BY_POSITION, [list(match) for match in zip(*of.values(), strict=True)]
    raise AnalysisError(
        f"genio_runs: the runs of {', '.join(servers)} have neither numbers nor times in common: "
        f"which ran together is not known"
    )


def _check_once(rows: list[Row]) -> None:
    seen = set()
    for row in rows:
        key = (row["server"], row["run"])
        if key in seen:
            where = place({**row, "host": row["server"] or None})
            raise AnalysisError(
                f"{where}: run {row['run']} is there twice; label the servers (host), or the tests"
            )
        seen.add(key)


Ends = dict[tuple[str, int], "dt.datetime"]


def _ends(of: dict[str, list[Row]]) -> Ends:
    """When each run ended: as printed, else when its server began the next one.

    The last run of a server is taken to be as long as the one before it.
    """
    ends: Ends = {}
    for name, part in of.items():
        rows = sorted(part, key=lambda row: row["started_at"])
        gaps = [b["started_at"] - a["started_at"] for a, b in pairwise(rows)]
        for i, row in enumerate(rows):
            gap = gaps[min(i, len(gaps) - 1)] if gaps else None
            end = row["ended_at"] or (row["started_at"] + gap if gap else row["started_at"])
            ends[name, row["position"]] = end
    return ends


def _share(one: Row, other: Row, ends: Ends) -> float:
    """The part of the shorter of two runs in which both ran, 0 to 1."""
    start = max(one["started_at"], other["started_at"])
    end_one = ends[one["server"], one["position"]]
    end_other = ends[other["server"], other["position"]]
    shorter: float = min(
        end_one - one["started_at"], end_other - other["started_at"]
    ).total_seconds()
    if shorter <= 0:
        return float(one["started_at"] == other["started_at"])
    together: float = (min(end_one, end_other) - start).total_seconds()
    return max(together, 0.0) / shorter


HALF = 0.5


def _overlapping(match: list[Row], ends: Ends) -> Iterator[list[Row]]:
    """The runs of one number, apart where they did not run at the same time."""
    left = list(match)
    while left:
        first = left[0]
        beside = [row for row in left if _share(first, row, ends) >= HALF or row is first]
        yield beside
        left = [row for row in left if not any(row is taken for taken in beside)]


def _by_time(of: dict[str, list[Row]]) -> Iterator[list[Row]]:
    """Each run of the first server with the run of each other that overlaps it most."""
    ends = _ends(of)
    first, *others = of
    taken: set[tuple[str, int]] = set()
    for row in of[first]:
        match = [row]
        for name in others:
            free = [one for one in of[name] if (name, one["position"]) not in taken]
            best = max(free, key=lambda one: _share(row, one, ends), default=None)
            if best is not None and _share(row, best, ends) >= HALF:
                match.append(best)
                taken.add((name, best["position"]))
        yield match
    for name in others:
        yield from ([row] for row in of[name] if (name, row["position"]) not in taken)


# ---- numbers


def _totals(match: list[Row]) -> Row:
    sums = {name: _over(match, name, math.fsum) for name in SUMS}
    origins = {row.get("target_origin") for row in match}
    total, goal, reads = sums["total_iops"], sums["target_iops"], sums["read_iops"]
    return {
        **sums,
        # one inferred target makes the sum inferred ("inferred" sorts before "printed")
        "target_origin": None if goal is None else min(map(str, origins)),
        "achieved_to_target_ratio": total / goal if total is not None and goal else None,
        **{name: _over(match, name, max) for name in LARGEST},
        "effective_write_latency_s": _weighted(match, "effective_write_latency_s", "write_iops"),
        "effective_write_latency_worst_s": _over(match, "effective_write_latency_s", max),
        "random_read_average_s": _weighted(match, "random_read_average_s", "read_iops"),
        "read_ratio": reads / total if reads is not None and total else None,
    }


def _over(rows: list[Row], name: str, function: Any) -> Any:
    """The function of the servers' values; null where one has none."""
    return over_all(function, [row[name] for row in rows])


def _weighted(rows: list[Row], name: str, weight: str) -> float | None:
    """The mean over the servers, each by its rate: sum(rate * mean) / sum(rate)."""
    if len(rows) == 1:
        only: float | None = rows[0][name]
        return only
    weights: float | None = _over(rows, weight, math.fsum)
    if not weights or any(row[name] is None for row in rows):
        return None
    total: float = math.fsum(row[weight] * row[name] for row in rows)
    return total / weights


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

"""SNIA's PTS as far as a user can do it: which of its parts the sweeps of a study kept.

A round of PTS is one pass over all its blocks and mixes. Sweeps that take turns do the same: a
repeat of each is a round.

Source: SNIA Solid State Storage Performance Test Specification (PTS) 2.0.2; of the IOPS test also
https://www.snia.org/forums/sssi/pts/iops. A purge needs a command of the device's, which perfkit
does not give: no result is called PTS.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.analysis.curves.series import CURVE_KEYS, check_physical, require_columns
from perfkit.core.answers import (
    MEASURED,
    Answer,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.errors import AnalysisError, did_you_mean
from perfkit.core.lineage import Measured, step
from perfkit.core.stats import STEADY_RANGE, STEADY_SLOPE, STEADY_WINDOW, steady_window
from perfkit.core.units import KIB, MIB, format_size

if TYPE_CHECKING:
    from perfkit.core.schema import Row


@dataclass(frozen=True)
class Test:
    """One test of PTS: its blocks and read percents, and the one of them by which it is steady.

    Of write saturation there is no steady state: it writes ``fills`` times the target.
    """

    name: str
    pattern: str
    blocks: tuple[int, ...]
    mixes: tuple[int, ...]
    tracked: tuple[int, int]
    metric: str
    one_in_flight: bool = False
    fills: float | None = None


_SMALL = (512, 4 * KIB, 8 * KIB)
TESTS = {
    "iops": Test(
        "IOPS", "random", (*_SMALL, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB, MIB),
        (100, 95, 65, 50, 35, 5, 0), (4 * KIB, 0), "iops",
    ),
    "throughput": Test("throughput", "sequential", (MIB,), (100, 0), (MIB, 0), "bw_bytes_per_s"),
    "latency": Test(
        "latency", "random", _SMALL, (100, 65, 0), (4 * KIB, 0), "lat_mean_s", one_in_flight=True
    ),
    "write-saturation": Test(
        "write saturation", "random", (4 * KIB,), (0,), (4 * KIB, 0), "iops", fills=4.0
    ),
}  # fmt: skip
"""The tests by the name that a study gives."""

FILLS = 2
"""The preconditioning that does not depend on the workload writes the capacity so often."""

ROUND_S = 60.0
"""A round is so long of each combination."""

HOURS = 6.0
"""Write saturation is so long, unless it wrote ``fills`` times the target before."""

PTS_PARTS, PTS_ROUNDS = register_questions(
    ("pts_parts", "1", "parts of a test of SNIA's PTS that were kept", "count of parts", "none",
     MEASURED),
    ("pts_rounds", "1", f"rounds until in {STEADY_WINDOW} of them the range is at most "
     f"{STEADY_RANGE:.0%} of the mean, and the best-fit line moves by at most "
     f"{STEADY_SLOPE:.0%}", "each round", "none",
     frozenset({("measured", "="), ("missing", "="), ("not_reached", "=")})),
)  # fmt: skip


@dataclass(frozen=True)
class _Run:
    """A run: what it was asked for, and the load points of its highest load by their rounds.

    ``whole_device``: it was agreed to overwrite a device, and all of its bytes are measured.
    """

    spec: dict[str, str | None]
    whole_device: bool
    rounds: list[Row]

    @property
    def cell(self) -> tuple[int, int]:
        return self.number("block_size"), self.number("read_percent")

    def number(self, field: str, default: int = 0) -> int:
        return int(float(self.spec.get(field) or default))


@step(version=1, name="pts.parts")
def pts_parts(points: Measured, spec: Measured, host: Measured, *, test: str) -> pl.DataFrame:
    """The parts of a test: a row each, with what PTS asks for, what was done, and whether it fits.

    Args:
        points: ``load_points`` of the runs, one of each block and mix, told apart by their labels.
        spec: Their ``spec``.
        host: Their ``host``: whether a device was measured.
        test: A name of ``TESTS``.

    Returns:
        ``part``, ``asked``, ``found`` and ``kept`` (null: the record does not tell).

    Raises AnalysisError for an unknown test, or a number that nothing can measure.
    """
    of, runs = _asked(test), _runs(points, spec, host)
    rows = [
        dict(zip(("part", "asked", "found", "kept"), row, strict=True)) for row in _parts(of, runs)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


@step(version=1, name="pts.tracked")
def pts_tracked(points: Measured, spec: Measured, host: Measured, *, test: str) -> pl.DataFrame:
    """The load points of the combination by which a test is steady, in order of their rounds."""
    rows = _tracked(_asked(test), _runs(points, spec, host))
    return pl.DataFrame(rows, schema=points.frame.schema)


@step(version=1, name="pts.answers")
def pts_answers(parts: Measured, tracked: Measured, *, test: str) -> pl.DataFrame:
    """How many parts of a test were kept, and after how many rounds it was steady: ANSWERS.

    ``pts_parts`` has as its reason those that were not kept. ``pts_rounds`` is of
    ``pts_tracked``; there is none of write saturation, which has no steady state.
    """
    of = _asked(test)
    subject = Subject(of.name, (("test", of.name),))
    rows = parts.frame.rows(named=True)
    kept = [row for row in rows if row["kept"]]
    not_kept = [row["part"] for row in rows if not row["kept"]]
    answers = [
        PTS_PARTS.answer("parts", subject, len(kept), n=len(rows), reason=", ".join(not_kept))
    ]
    if of.fills is None:
        answers.append(_rounds(subject, of, tracked.frame.rows(named=True)))
    return to_frame(answers)


def _asked(test: str) -> Test:
    if test not in TESTS:
        raise AnalysisError(f"no test {test!r} of PTS; {did_you_mean(test, list(TESTS))}")
    return TESTS[test]


def _rounds(subject: Subject, of: Test, rows: Sequence[Row]) -> Answer:
    check_physical(rows, (of.metric,))
    values = [row[of.metric] for row in rows]
    if len(values) < STEADY_WINDOW or None in values:
        why = f"{len(values)} rounds of it have a value, and the rule asks for {STEADY_WINDOW}"
        return PTS_ROUNDS.answer(of.metric, subject, None, why)
    ends = range(STEADY_WINDOW, len(values) + 1)
    windows = [window for end in ends if (window := steady_window(values[:end]))]
    if not windows:
        return PTS_ROUNDS.answer(of.metric, subject, None, "a round did no I/O")
    first = next((window for window in windows if window.attained), None)
    told = first or windows[-1]
    where = where_conditions(
        ("rounds", float(told.last), "1"),
        ("range_ratio", told.range_ratio, "ratio"),
        ("slope_ratio", told.slope_ratio, "ratio"),
        ("block_bytes", float(of.tracked[0]), "B"),
        ("read_ratio", of.tracked[1] / 100, "ratio"),
    )
    if first is None:
        return PTS_ROUNDS.answer(of.metric, subject, None, without="not_reached", conditions=where)
    return PTS_ROUNDS.answer(of.metric, subject, first.last, conditions=where, n=len(values))


def _runs(points: Measured, spec: Measured, host: Measured) -> list[_Run]:
    require_columns(points.frame, ("workload", "load", "repeat", "direction"), "load points")
    require_columns(spec.frame, ("field", "value"), "spec")
    labels = [name for name in ("source", *CURVE_KEYS[:2]) if name in spec.frame.columns]
    own = spec.frame.select(*labels).unique(maintain_order=True) if labels else pl.DataFrame([{}])
    total = points.frame.filter(pl.col("direction") == "total")
    found = []
    for key in own.rows(named=True):
        fields, facts, rounds = (
            _of(frame, key, labels).rows(named=True) for frame in (spec.frame, host.frame, total)
        )
        highest = max((row["load"] for row in rounds), default=None)
        asked = {row["field"]: row["value"] for row in fields}
        agreed = any(row["group"] == "consent" for row in facts)
        sizes = {
            row["value"]
            for row in facts
            if (row["group"], row["fact"]) == ("target", "device.size_bytes")
        }
        found.append(
            _Run(
                asked,
                agreed and "region.size" not in asked and sizes == {asked.get("file_size")},
                sorted(
                    (row for row in rounds if row["load"] == highest), key=lambda row: row["repeat"]
                ),
            )
        )
    return found


def _of(frame: pl.DataFrame, key: Row, labels: Sequence[str]) -> pl.DataFrame:
    known = [
        pl.col(name).eq_missing(pl.lit(key[name], pl.String))
        for name in labels
        if name in frame.columns
    ]
    return frame.filter(*known) if known else frame


def _tracked(of: Test, runs: Sequence[_Run]) -> list[Row]:
    return next((run.rounds for run in runs if run.cell == of.tracked), [])


def _parts(of: Test, runs: Sequence[_Run]) -> Iterator[tuple[str, str, str, bool | None]]:
    yield "purge", "the device is purged before the test", "nothing was purged", False
    whole = all(run.whole_device for run in runs)
    found = "a whole device" if whole else "a file, or a part of a device"
    yield "target", "a whole device", found, whole
    fills = min((run.number("fills", 1) for run in runs), default=0)
    filled = {run.number("fill_block", MIB) for run in runs}
    blocks = ", ".join(map(format_size, sorted(filled)))
    yield (
        "preconditioning",
        "the capacity is written twice, in sequence, by 128 KiB",
        f"the target was written {fills} times, in sequence, by {blocks}",
        whole and fills == FILLS and filled == {128 * KIB},
    )
    unique = all(
        "data.dedupe_percent" not in run.spec and "data.compress_percent" not in run.spec
        for run in runs
    )
    yield "data", "random data", "random data" if unique else "data that a device can save", unique
    asked = {(block, mix) for block in of.blocks for mix in of.mixes}
    there = asked & {run.cell for run in runs if run.spec.get("pattern") == of.pattern}
    blocks = ", ".join(map(format_size, of.blocks))
    yield (
        "combinations",
        f"{of.pattern} I/O of {blocks}; {', '.join(map(str, of.mixes))}% reads",
        f"{len(there)} of {len(asked)}",
        there == asked,
    )
    if of.one_in_flight:
        alone = all(row["in_flight"] == 1 for run in runs for row in run.rounds)
        yield "queue", "one I/O in flight", "one" if alone else "several, or not known", alone
    yield from _long_enough(of, runs)


def _long_enough(of: Test, runs: Sequence[_Run]) -> Iterator[tuple[str, str, str, bool | None]]:
    if of.fills is not None:
        rows = _tracked(of, runs)
        hours = math.fsum(row["runtime_s"] or 0.0 for row in rows) / 3600
        size = min((run.number("file_size") for run in runs), default=0)
        share = math.fsum(map(_bytes, rows)) / size if size else 0.0
        yield (
            "length",
            "6 hours, or four times the capacity written",
            f"{hours:.3g} hours, {share:.3g} times the target written",
            share >= of.fills or hours >= HOURS,
        )
        return
    rounds = min((len(run.rounds) for run in runs), default=0)
    shortest = min((float(run.spec.get("runtime_s") or 0) for run in runs), default=0.0)
    yield (
        "rounds",
        f"at least {STEADY_WINDOW} of one minute of each combination",
        f"{rounds} of {shortest:g} s",
        rounds >= STEADY_WINDOW and shortest >= ROUND_S,
    )


def _bytes(row: Row) -> float:
    parts: tuple[Any, ...] = (row["bw_bytes_per_s"], row["runtime_s"])
    return 0.0 if None in parts else float(parts[0] * parts[1])

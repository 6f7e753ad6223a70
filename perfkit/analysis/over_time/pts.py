"""SNIA's PTS as far as a user can do it: which of its parts the sweeps of a study kept.

A round of PTS is one pass over all its blocks and mixes. Sweeps that take turns do the same: a
repeat of each is a round.

Sources: SNIA's pages on the IOPS and the throughput test
(https://www.snia.org/forums/sssi/pts/iops and .../pts/tp); public implementations of PTS 2.0.x,
which quote its steps, for what is watched until the tests are steady, for the latency test and for
write saturation. The text of PTS itself was not at hand, and what is printed says so. A purge needs
a command of the device's, which perfkit does not give: no result is called PTS.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from perfkit.analysis.curves.series import CURVE_KEYS, check_physical, require_columns, rows_of
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
from perfkit.core.schema import Row
from perfkit.core.stats import (
    STEADY_RANGE,
    STEADY_SLOPE,
    STEADY_WINDOW,
    SteadyWindow,
    steady_window,
)
from perfkit.core.units import KIB, MIB, format_size


@dataclass(frozen=True)
class Test:
    """One test of PTS: its blocks and read percents, and those by which it is steady, all of them.

    Of write saturation there is no steady state: it writes ``fills`` times the target. ``without``
    is what PTS asks for and no sweep of perfkit's does: each part, and what it is.
    """

    name: str
    pattern: str
    blocks: tuple[int, ...]
    mixes: tuple[int, ...]
    tracked: tuple[tuple[int, int], ...]
    metric: str
    one_in_flight: bool = False
    fills: float | None = None
    without: tuple[tuple[str, str], ...] = ()


_HISTOGRAM = ("histogram", "20 minutes of random 4 KiB writes for a histogram of response times")
_SMALL = (512, 4 * KIB, 8 * KIB)
TESTS = {
    "iops": Test(
        "IOPS", "random", (*_SMALL, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB, MIB),
        (100, 95, 65, 50, 35, 5, 0), ((4 * KIB, 0), (64 * KIB, 65), (MIB, 100)), "iops",
    ),
    "throughput": Test(
        "throughput", "sequential", (MIB,), (100, 0), ((MIB, 0),), "bw_bytes_per_s",
        without=(("128 KiB", "PTS-E: the same of 128 KiB, from a purge of its own"),),
    ),
    "latency": Test(
        "latency", "random", _SMALL, (100, 65, 0), ((4 * KIB, 0),), "lat_mean_s",
        one_in_flight=True, without=(_HISTOGRAM,),
    ),
    "write-saturation": Test(
        "write saturation", "random", (4 * KIB,), (0,), ((4 * KIB, 0),), "iops", fills=4.0,
        without=(_HISTOGRAM,),
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
     f"{STEADY_SLOPE:.0%}, in each combination by which the test is judged",
     "each round", "none",
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


@step(version=2, name="pts.parts")
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


@step(version=2, name="pts.tracked")
def pts_tracked(points: Measured, spec: Measured, host: Measured, *, test: str) -> pl.DataFrame:
    """The load points of the combinations by which a test is steady, each in order of its rounds.

    ``block_bytes`` and ``read_percent`` say which combination it is.
    """
    rows = [
        {**row, "block_bytes": block, "read_percent": mix}
        for (block, mix), rounds in _tracked(_asked(test), _runs(points, spec, host)).items()
        for row in rounds
    ]
    cells = {"block_bytes": pl.Int64, "read_percent": pl.Int64}
    return pl.DataFrame(rows, schema={**points.frame.schema, **cells})


@step(version=2, name="pts.answers")
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
    values = {
        cell: [row[of.metric] for row in rows if (row["block_bytes"], row["read_percent"]) == cell]
        for cell in of.tracked
    }
    rounds = min(map(len, values.values()))
    for (block, mix), own in values.items():
        if len(own) < STEADY_WINDOW or None in own:
            why = (
                f"{len(own)} rounds of {format_size(block)} and {mix}% reads have a value, and the "
                f"rule asks for {STEADY_WINDOW}"
            )
            return PTS_ROUNDS.answer(of.metric, subject, None, why)
    ends = range(STEADY_WINDOW, rounds + 1)
    # of each end, the combination that is the furthest from steady
    worst = [found for end in ends if (found := _least_steady(values, end))]
    if not worst:
        return PTS_ROUNDS.answer(of.metric, subject, None, "a round did no I/O")
    first = next((pair for pair in worst if pair[1].attained), None)
    (block, mix), told = first or worst[-1]
    where = where_conditions(
        ("rounds", float(told.last), "1"),
        ("range_ratio", told.range_ratio, "ratio"),
        ("slope_ratio", told.slope_ratio, "ratio"),
        ("block_bytes", float(block), "B"),
        ("read_ratio", mix / 100, "ratio"),
        ("combinations", float(len(of.tracked)), "1"),
    )
    if first is None:
        return PTS_ROUNDS.answer(of.metric, subject, None, without="not_reached", conditions=where)
    return PTS_ROUNDS.answer(of.metric, subject, told.last, conditions=where, n=rounds)


def _least_steady(
    values: Mapping[tuple[int, int], Sequence[float]], end: int
) -> tuple[tuple[int, int], SteadyWindow] | None:
    """The combination that is the furthest from steady at the end of a round; None: no I/O."""
    windows = {cell: steady_window(own[:end]) for cell, own in values.items()}
    known = [(cell, window) for cell, window in windows.items() if window]
    if len(known) < len(windows):
        return None
    return max(
        known,
        key=lambda pair: max(
            pair[1].range_ratio / STEADY_RANGE, pair[1].slope_ratio / STEADY_SLOPE
        ),
    )


def _runs(points: Measured, spec: Measured, host: Measured) -> list[_Run]:
    require_columns(points.frame, ("workload", "load", "repeat", "direction"), "load points")
    require_columns(spec.frame, ("field", "value"), "spec")
    labels = [name for name in ("source", *CURVE_KEYS[:2]) if name in spec.frame.columns]
    own = spec.frame.select(*labels).unique(maintain_order=True) if labels else pl.DataFrame([{}])
    total = points.frame.filter(pl.col("direction") == "total")
    found = []
    for key in own.rows(named=True):
        fields, facts, rounds = (
            rows_of(frame, key).rows(named=True) for frame in (spec.frame, host.frame, total)
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


def _tracked(of: Test, runs: Sequence[_Run]) -> dict[tuple[int, int], list[Row]]:
    """The rounds of each combination by which a test is steady."""
    return {cell: next((run.rounds for run in runs if run.cell == cell), []) for cell in of.tracked}


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
    for part, what in of.without:
        yield part, what, "not measured", False


def _long_enough(of: Test, runs: Sequence[_Run]) -> Iterator[tuple[str, str, str, bool | None]]:
    if of.fills is not None:
        rows = _tracked(of, runs)[of.tracked[0]]
        hours = math.fsum(row["runtime_s"] or 0.0 for row in rows) / 3600
        size = min((run.number("file_size") for run in runs), default=0)
        rates = [(row["bw_bytes_per_s"], row["runtime_s"]) for row in rows]
        written = math.fsum(rate * time for rate, time in rates if None not in (rate, time))
        share = written / size if size else 0.0
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

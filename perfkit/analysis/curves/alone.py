"""Results that belong to no curve: each answers for itself, at a load that is not known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from perfkit.analysis.curves.metrics import unit_of
from perfkit.analysis.curves.series import SERIES, cautions_of, other_points, series_labels
from perfkit.core.answers import (
    MEASURED,
    Answer,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.errors import AbsentError
from perfkit.core.keys import file_of, short_names
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

[ALONE] = register_questions(
    ("result_iops", "1/s", "the IOPS of one result that belongs to no curve", "as measured", "none",
     MEASURED),
)  # fmt: skip

TOTAL = "total"
_BESIDE = ("lat_mean_s", "bw_bytes_per_s")


@step(version=1, name="points.alone")
def results_alone(points: Measured) -> pl.DataFrame:
    """The IOPS of each result of ``other_points``: answers to ``result_iops``, the highest first.

    ``conditions``: its mean latency and throughput, and its load where that is known and the same
    as another result's.

    Raises AbsentError where every result is a load point of a curve, or none has IOPS.
    """
    rows = [
        row
        for row in other_points(points).frame.rows(named=True)
        if row["direction"] == TOTAL and row["iops"] is not None
    ]
    if not rows:
        raise AbsentError("no result outside a curve has IOPS")
    rows.sort(key=lambda row: -row["iops"])
    return to_frame(map(_answer, rows, _labels(rows)))


def _labels(rows: Sequence[Row]) -> list[str]:
    """What each is called: as its curve would be, with its file where others are called so, too."""
    labels = series_labels(rows)
    many = Counter(labels)
    paths = sorted({path for path in map(file_of, rows) if path is not None})
    files = dict(zip(paths, short_names(paths), strict=True))
    return [
        ", ".join(filter(None, (label, files.get(file_of(row) or "") if many[label] > 1 else "")))
        for label, row in zip(labels, rows, strict=True)
    ]


def _answer(row: Row, label: str) -> Answer:
    load = ((row["load_kind"], row["load"], "1"),) if row["load_kind"] else ()
    beside = ((name, row[name], unit_of(name)) for name in _BESIDE)
    return ALONE.answer(
        "iops",
        Subject(label, tuple((name, row.get(name)) for name in SERIES)),
        row["iops"],
        n=1,
        conditions=where_conditions(*load, *beside),
        cautions=cautions_of([row]),
    )

"""The IOPS at which each thing of a recording ran, where nothing was measured at a load."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.curves.questions import unit_of
from perfkit.analysis.over_time.recorded import LABELS
from perfkit.core.answers import MEASURED, Subject, register_questions, to_frame, where_conditions
from perfkit.core.errors import AbsentError
from perfkit.core.keys import FILE, short_names
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perfkit.core.answers import Answer
    from perfkit.core.schema import Row

[LEVEL] = register_questions(
    ("recorded_level", "1/s", "the IOPS of a thing at a moment of a recording",
     "the median over its samples", "none", MEASURED),
)  # fmt: skip

BESIDE = {"bw_bytes_per_s": "bw_bytes_per_s", "lat_mean_s": "lat_mean_s", "latency_s": "lat_mean_s"}
"""What is told beside the IOPS, by its metric."""


@step(version=1, name="recorded.levels")
def recorded_levels(recordings: Sequence[Measured]) -> pl.DataFrame:
    """The IOPS of each thing in tables of ``recorded_lines``: answers to ``recorded_level``.

    ``conditions``: the lowest and the highest sample, how many have a value, and the medians of
    throughput and mean latency where they were recorded.

    Raises AbsentError where no recording has IOPS.
    """
    answers = [answer for lines in recordings for answer in _answers(lines.frame)]
    if not answers:
        raise AbsentError("no recording has IOPS")
    return to_frame(answers)


def _answers(lines: pl.DataFrame) -> Iterator[Answer]:
    labels = [name for name in LABELS if name in lines.columns]
    known = lines.filter(pl.col("value").is_not_null())
    files = _files_told_apart(known.filter(quantity="iops"), labels)
    for parts, own in known.group_by([*labels, "thing"], maintain_order=True):
        key = dict(zip([*labels, "thing"], parts, strict=True))
        values = {str(name): part["value"].to_list() for (name,), part in own.group_by("quantity")}
        iops = values.get("iops")
        if iops:
            named = [key[name] for name in key if name not in FILE]
            label = ", ".join(str(part) for part in (*named[:-1], files(key), named[-1]) if part)
            subject = Subject(label or "the recording", tuple(key.items()))
            yield LEVEL.answer(
                "iops",
                subject,
                median(iops),
                n=len(iops),
                conditions=where_conditions(
                    ("lowest", min(iops), "1/s"),
                    ("highest", max(iops), "1/s"),
                    ("samples", len(iops), "1"),
                    *(
                        (metric, median(values[name]), unit_of(metric))
                        for name, metric in BESIDE.items()
                        if name in values
                    ),
                ),
            )


def _files_told_apart(lines: pl.DataFrame, labels: Sequence[str]) -> Callable[[Row], str | None]:
    """What the file of a thing is called; None for all where their other labels tell them apart."""
    things = lines.select(*labels, "thing").unique(maintain_order=True)
    own = [name for name in things.columns if name not in FILE]
    if not things.select(own).is_duplicated().any():
        return lambda _: None
    column = max(
        (name for name in FILE if name in labels), key=lambda name: things[name].n_unique()
    )
    paths = things[column].drop_nulls().unique(maintain_order=True).to_list()
    names = dict(zip(paths, short_names(paths), strict=True))
    return lambda key: names.get(key[column])

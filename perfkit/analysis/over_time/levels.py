"""The IOPS at which each thing of a recording ran, where nothing was measured at a load."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.curves.questions import unit_of
from perfkit.analysis.over_time.recorded import LABELS
from perfkit.core.answers import Question, Subject, register, to_frame, where_conditions
from perfkit.core.errors import AbsentError
from perfkit.core.keys import FILE
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfkit.core.answers import Answer

LEVEL = register(
    Question(
        "recorded_level",
        "1/s",
        "the IOPS of a thing at a moment of a recording",
        "the median over its samples",
        "none",
        gives=frozenset({("measured", "=")}),
    )
)

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
    running = known.filter(quantity="iops")
    files = [name for name in FILE if name in labels and running[name].n_unique() > 1]
    for parts, own in known.group_by([*labels, "thing"], maintain_order=True):
        key = dict(zip([*labels, "thing"], parts, strict=True))
        values = {str(name): part["value"].to_list() for (name,), part in own.group_by("quantity")}
        iops = values.get("iops")
        if iops:
            named = [key[name] for name in key if name not in FILE or name in files]
            label = ", ".join(str(part) for part in named if part is not None)
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

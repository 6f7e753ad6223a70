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

BESIDE = {
    "iops": {
        "bw_bytes_per_s": "bw_bytes_per_s", "lat_mean_s": "lat_mean_s", "latency_s": "lat_mean_s",
    },
    "read_iops": {"read_bytes_per_s": "bw_bytes_per_s"},
    "write_iops": {"write_bytes_per_s": "bw_bytes_per_s"},
}  # fmt: skip
"""The rates of a thing, and what is told beside each, by its metric."""

_DIRECTIONS = {"read_iops": "read", "write_iops": "write"}
"""Of a device, reads and writes have a level each: their sum was not recorded."""


@step(version=1, name="recorded.levels")
def recorded_levels(recordings: Sequence[Measured]) -> pl.DataFrame:
    """The IOPS of each thing in tables of ``recorded_lines``: answers to ``recorded_level``.

    Where a tool counts reads and writes alone, as iostat does, those of each device that was used,
    the highest first.

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
    files = _files_told_apart(known.filter(pl.col("quantity").is_in([*BESIDE])), labels)
    found = []
    for parts, own in known.group_by([*labels, "thing"], maintain_order=True):
        key = dict(zip([*labels, "thing"], parts, strict=True))
        values = {str(name): part["value"].to_list() for (name,), part in own.group_by("quantity")}
        named = [key[name] for name in key if name not in FILE]
        label = [str(part) for part in (*named[:-1], files(key), named[-1]) if part]
        rates = ["iops"] if "iops" in values else [name for name in _DIRECTIONS if name in values]
        for rate in rates:
            direction = _DIRECTIONS.get(rate)
            told = ", ".join([*label, *([direction] if direction else [])])
            if direction and not any(values[rate]):
                continue  # it was not used
            more = {"rate": rate} if direction else {}
            subject = Subject(told or "the recording", tuple({**key, **more}.items()))
            found.append(_level(subject, values, rate))
    counts = "iops" in known["quantity"]
    yield from found if counts else sorted(found, key=lambda item: -item.got.value)


def _level(subject: Subject, values: dict[str, list[float]], rate: str) -> Answer:
    iops = values[rate]
    return LEVEL.answer(
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
                for name, metric in BESIDE[rate].items()
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

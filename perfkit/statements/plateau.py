"""The sentence of a plateau: how high, from which load on, and whether the host may hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis import plateau as found_by
from perfkit.analysis.series import Row, need, series_labels
from perfkit.errors import AnalysisError
from perfkit.lineage import Measured, step
from perfkit.sentences import Text
from perfkit.units import Format

if TYPE_CHECKING:
    from perfkit.values import Statement

_SHARE = Format("%", decimals=0)


@step(version=1, name="say.plateau")
def say_plateau(plateaus: Measured, *, value_id: str = "plateau") -> Statement:
    """Where each curve stops rising, from ``plateau``; a busy host is named as a possible cause."""
    need(plateaus.frame, ("found", "reason", "low_iops", "bound"), "plateaus")
    rows = plateaus.frame.rows(named=True)
    if not rows:
        raise AnalysisError("plateaus: no curve, so nothing to say")
    text = Text()
    said = [_one(text, label, row) for label, row in zip(series_labels(rows), rows, strict=True)]
    return text.done(value_id, said)


def _one(text: Text, label: str, row: Row) -> str:
    if not row["found"]:
        return f"{text(label)} shows no plateau: {text(row['reason'])}."
    low, high = text.value("iops", row["low_iops"]), text.value("iops", row["high_iops"])
    if row["first_load"] is None:
        return (
            f"A plateau between {low} and {high} is stated, without its points{_bound(text, row)}."
        )
    first, last = (text.load(row["load_kind"], row[key]) for key in ("first_load", "last_load"))
    grew = ""
    if row["first_lat_s"] is not None and row["last_lat_s"] is not None:
        lat = [text.value("lat_mean_s", row[key]) for key in ("first_lat_s", "last_lat_s")]
        grew = f", while the mean latency went from {lat[0]} to {lat[1]}"
    return (
        f"From {first} to {last}, {text(label)} stayed between {low} and {high}{grew}"
        f"{_bound(text, row)}."
    )


def _bound(text: Text, row: Row) -> str:
    if row["bound"] == found_by.MAY_BE_HOST:
        share = text(_SHARE.show(row["cpu_busy_ratio"]))
        return f"; the host was busy up to {share}, so it may be host-bound"
    if row["bound"] == found_by.UNKNOWN:
        return "; the host's CPU was not recorded, so what holds it is not known"
    return ""

"""Which latency percentiles are of: that of the mean, or completion latency alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from perfkit.core.schema import PERCENTILES

if TYPE_CHECKING:
    from perfkit.analysis.curves.series import Row

_NOTES = {
    frozenset({"clat"}): "Percentiles are of completion latency, which leaves out the time of "
    "submission; the mean is of both.",
    frozenset({"lat", "clat"}): "Percentiles are of the whole latency in some rows and of "
    "completion latency, without the time of submission, in others.",
}


def percentiles_note(rows: Iterable[Row]) -> str | None:
    """The words that must stand below percentiles which are not of the same latency as the mean."""
    shown = [row for row in rows if any(row.get(name) is not None for name in PERCENTILES)]
    kinds = frozenset(row["percentiles_of"] for row in shown if row.get("percentiles_of"))
    return _NOTES.get(kinds)

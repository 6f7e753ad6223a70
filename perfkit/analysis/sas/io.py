"""What SAS asks of storage: throughput per physical core, as criteria with their sources.

For ``load_points`` of ``read_iotest``, whose load point is one physical core. The scripts' megabyte
is 1024² bytes, and the sources speak of their output: the limits are in MiB/s.
"""

from __future__ import annotations

from perfkit.analysis.verdicts.criteria import Criterion

_COMMUNITY = (
    "Contemplating I/O for SAS, SAS Communities Library, version of 2018-05-09: 100 to 150 MB per "
    "second per CPU core; {end}"
)
_VIYA = (
    "SAS Viya documentation as cited in a survey of 2026 (90 to 120 MB/s per core; release not "
    "named, unverified); {end}"
)


def _both(limit: int, source: str, end: str, what: str) -> tuple[Criterion, ...]:
    return tuple(
        Criterion(
            name=f"{direction.capitalize()} throughput per physical core, {what}",
            metric="bw_bytes_per_s",
            comparison=">=",
            limit=f"{limit} MiB/s",
            statistic="worst",
            direction=direction,
            where={"load_kind": "physical core"},
            source=source.format(end=end),
        )
        for direction in ("read", "write")
    )


SAS_IO_CRITERIA: dict[str, tuple[Criterion, ...]] = {
    "community-minimum": _both(100, _COMMUNITY, "lower end", "SAS 9"),
    "community-upper": _both(150, _COMMUNITY, "upper end", "SAS 9"),
    "viya-minimum": _both(90, _VIYA, "lower end", "SAS Viya"),
    "viya-upper": _both(120, _VIYA, "upper end", "SAS Viya"),
}
"""Name -> a criterion for reads and one for writes. Rules of thumb, not guarantees."""

"""Runs of GenIO as frames: those that TR-4784 prints, and made ones that name only what matters."""

from __future__ import annotations

import polars as pl
from places import ROOT

from perfkit.core.lineage import Measured
from perfkit.core.schema import polars_schema
from perfkit.sources.genio.read import read_genio
from perfkit.sources.genio.schema import GENIO_RUNS

PRINTED = ROOT / "data/studies/tr-4784/printed"
TABLES = {
    "epic-rhel1": "table-7-epic-rhel1.csv",
    "epic-rhel2": "table-8-epic-rhel2.csv",
    "epic-rhel3": "table-9-epic-rhel3.csv",
}


def aqos_test() -> pl.DataFrame:
    """The thirty runs of Tables 7 to 9: two protected servers beside the bully epic-rhel3."""
    return pl.concat([
        read_genio(PRINTED / name).genio_runs.frame.with_columns(host=pl.lit(host))
        for host, name in TABLES.items()
    ])  # fmt: skip


def runs(rows: list[dict]) -> Measured:
    """genio_runs of rows; run numbers count from 1 by host unless given."""
    seen: dict[str, int] = {}
    made = []
    for row in rows:
        host = row.get("host", "a")
        seen[host] = seen.get(host, 0) + 1
        made.append({"host": host, "run": seen[host], "position": seen[host], **row})
    return Measured(pl.DataFrame(made, schema=polars_schema(GENIO_RUNS)))

"""All tables of a comparison, and the conditions its curves were measured under."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.analysis.compare.asked import changes_of
from perfkit.analysis.compare.conditions import OPTION_FIELDS, conditions
from perfkit.analysis.curves.metrics import load_number, workload_name
from perfkit.analysis.curves.series import SERIES, groups, require_columns
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Format, format_size
from perfkit.showing.tables.compare import table_comparison
from perfkit.showing.tables.sheet import Sheet

if TYPE_CHECKING:
    from perfkit.core.schema import Row
    from perfkit.core.values import Table

_KEYS = tuple(key for key in SERIES if key != "direction")
_BYTES = Format("B", decimals=0)
_SAID = {"hosts": "Hosts", "tool": "Tool", "engine": "Engine", "direct": "Direct I/O",
         "pattern": "Pattern", "rate_limit": "Rate limit",
         "active_set_bytes": "Active set", "preconditioning": "Preconditioning"}  # fmt: skip
_FIRST = {"workload": "Workload", "system": "System", "config": "Configuration",
          "loads": "Loads", "points": "Points", "repeats": "Repeats"}  # fmt: skip


def tables_comparison(comparison: Measured, *questions: str) -> list[Table]:
    """The tables of these questions, of those that the comparison was asked; none named: of all.

    Their ids are those of the statements with "-table" behind them.
    """
    known = dict.fromkeys(item.question for item in changes_of(comparison))
    return [
        table_comparison(comparison, question=question).renamed(
            f"{question.replace('_', '-')}-table"
        )
        for question in known
        if not questions or question in questions
    ]


@step(version=2, name="table.conditions")
def table_conditions(points: Measured, options: Measured | None = None) -> Table:
    """What each curve was measured under: loads, repeats, I/O sizes, mix, and settings where known.

    Args:
        points: ``load_points``: sizes and mix are measured from them.
        options: ``job_options`` of the same sources.

    Raises AnalysisError for no load points.
    """
    require_columns(
        points.frame, (*_KEYS, "load", "repeat", "direction", "iops", "bw_bytes_per_s"), "points"
    )
    rows = [_row(key, rows, options) for key, rows in groups(points.frame, _KEYS)]
    if not rows:
        raise AbsentError("load_points: no rows, so no conditions")
    sheet = Sheet(rows)
    for name, label in _FIRST.items():
        sheet.varying(name, label)
    sheet.add("read_block_size_bytes", "Mean read size (B)", _BYTES)
    sheet.add("write_block_size_bytes", "Mean write size (B)", _BYTES)
    sheet.add("read_ratio", "Reads (%)", Format("%", decimals=1))
    for name, label in _SAID.items():
        sheet.varying(name, label)
    return sheet.table("conditions", "Conditions of the curves, as measured.", None)


def _row(key: Row, rows: list[Row], options: Measured | None) -> Row:
    own = [] if options is None else _own(options.frame, key)
    found = conditions(rows, own).fields
    loads = sorted({row["load"] for row in rows if row["load"] is not None})
    repeats = len({row["repeat"] for row in rows})
    ends = [load_number(load).text for load in (loads[:1] + loads[-1:])]
    kind = f" {key['load_kind']}" if key["load_kind"] else ""
    return {
        **key, **dict.fromkeys(OPTION_FIELDS), **{name: said(name, found[name]) for name in found},
        "workload": workload_name(str(key["workload"])) if key["workload"] else None,
        "loads": (f"{' to '.join(dict.fromkeys(ends))}{kind}") if ends else None,
        # a report of a cluster names no load generators, and is not of one host for that
        "hosts": found["hosts"] if any(row.get("host") for row in rows) else None,
        "points": str(len(loads)), "repeats": str(repeats),
    }  # fmt: skip


def said(field: str, value: Any) -> Any:
    """A setting in words; sizes and shares that the table formats itself stay numbers."""
    if value is None or field.endswith("block_size_bytes") or field == "read_ratio":
        return value
    several = value if isinstance(value, tuple) else (value,)
    sizes = field == "active_set_bytes"
    return " and ".join(
        format_size(item) if sizes and isinstance(item, int) else str(item) for item in several
    )


def _own(options: pl.DataFrame, key: Row) -> list[dict[str, Any]]:
    named = [name for name in ("system", "config") if name in options.columns]
    same = [pl.col(name).eq_missing(pl.lit(key[name])) for name in named]
    return (options.filter(*same) if same else options).rows(named=True)

"""Criteria as a suite of Great Expectations: the declared gate for those who work with it.

The comparison is the criterion's own (``Criterion.holds``), so that both verdicts are one. Great
Expectations passes over a missing value; here each criterion is three expectations, and only all
three together are a pass: it selects a run, no value is missing, every value holds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.analysis.judge import rule_text
from perfkit.analysis.run_verdicts import (
    EACH_RUN,
    found_in_runs,
    run_name,
    server_labels,
)
from perfkit.errors import AnalysisError
from perfkit.lineage import Measured, canonical_json, step

if TYPE_CHECKING:
    import pandas as pd

    from perfkit.analysis.criteria import Criterion

RUN = "run"
SELECTS, KNOWN, HOLDS = "selects a run", "no value is missing", "every value holds"

EXPECTATIONS: dict[str, Any] = {
    "criterion": pl.String, "rule": pl.String, "expects": pl.String, "column": pl.String,
    "success": pl.Boolean, "runs": pl.Int64, "unexpected": pl.Int64,
    "unexpected_runs": pl.String, "outcome": pl.String, "source": pl.String,
    "result": pl.String,
}  # fmt: skip
"""One row an expectation, three a criterion. ``outcome`` is the criterion's, from all three;
``result`` is what Great Expectations returned, as JSON, without what differs from call to call."""


@step(version=1, name="verdict.expectations")
def check_expectations(runs: Measured, criteria: Sequence[Criterion]) -> pl.DataFrame:
    """Validate runs by Great Expectations against the suite of the criteria: EXPECTATIONS.

    Nothing leaves the process: an ephemeral context, no file, no network. The first call imports
    Great Expectations (seconds).

    Args:
        runs: A frame with one row a run, as ``judge_runs`` takes it.
        criteria: What is demanded; AnalysisError without any.
    """
    from perfkit.analysis.great_expectations import validate

    if not criteria:
        raise AnalysisError("no criterion was given, so there is nothing to expect")
    frame, columns = expectation_frame(runs.frame, criteria)
    results = validate(frame, [
        (criterion, column, selected)
        for criterion, (column, selected) in zip(criteria, columns, strict=True)
    ])  # fmt: skip
    rows = []
    for number, (criterion, (column, _)) in enumerate(zip(criteria, columns, strict=True)):
        rows += _rows(criterion, column, results[3 * number : 3 * number + 3])
    return pl.DataFrame(rows, schema=EXPECTATIONS, orient="row")


def expectation_frame(
    frame: pl.DataFrame, criteria: Sequence[Criterion]
) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """The runs as a pandas frame for the suite, and each criterion's two columns.

    ``run`` names the row; a column a metric and direction holds the value, NaN where there is none
    that can be judged; a column a criterion says whether it selects the run.
    """
    import pandas as pd

    rows, labels = frame.rows(named=True), server_labels(frame)
    names = [f"{label}, {run_name(row)}" for label, row in zip(labels, rows, strict=True)]
    made: dict[str, Any] = {RUN: pd.Series(names, dtype=str)}
    places: list[tuple[str, str]] = []
    for number, criterion in enumerate(criteria, 1):
        found = dict(found_in_runs(rows, criterion))
        values = [found[i].value if i in found else None for i in range(len(rows))]
        column = f"{criterion.metric} ({criterion.direction}, criterion {number})"
        selected = f"selected by criterion {number}"
        made[column] = pd.Series(values, dtype="float64")
        made[selected] = pd.Series([i in found for i in range(len(rows))], dtype=bool)
        places.append((column, selected))
    return pd.DataFrame(made), places


def _rows(criterion: Criterion, column: str, results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    selects, known, holds = results
    runs, failed = known["result"]["element_count"], holds["result"]["unexpected_count"]
    passed = all(item["success"] for item in results)
    outcome = "fail" if failed else "pass" if passed else "not judged"
    missing = known["result"]["unexpected_count"]
    counts = ((SELECTS, selects, int(not selects["success"])), (KNOWN, known, missing),
              (HOLDS, holds, failed))  # fmt: skip
    return [
        {
            "criterion": criterion.name, "rule": rule_text(criterion, over=EACH_RUN),
            "expects": expects, "column": column, "success": item["success"], "runs": runs,
            "unexpected": count, "unexpected_runs": _names(item), "outcome": outcome,
            "source": criterion.source, "result": canonical_json(item),
        }
        for expects, item, count in counts
    ]  # fmt: skip


def _names(item: dict[str, Any]) -> str | None:
    listed = item["result"].get("unexpected_index_list") or []
    return "; ".join(place[RUN] for place in listed) or None


@dataclass(frozen=True)
class ExpectationsJson:
    """What Great Expectations returned, as JSON: shown below a cell, the notebook keeps it."""

    document: dict[str, Any]

    @property
    def text(self) -> str:
        """The JSON text, with the same bytes for the same runs and criteria."""
        return json.dumps(self.document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    def write(self, path: Path | str) -> Path:
        """Write it to a file."""
        place = Path(path)
        place.write_text(self.text, encoding="utf-8")
        return place

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        # no plain text: it is kept for programs, and a report has the table of it
        return {"application/json": self.document, "text/plain": ""}


def expectations_json(checked: Measured) -> ExpectationsJson:
    """The results of ``check_expectations`` as one JSON document, with the outcome of each."""
    rows = checked.frame.rows(named=True)
    results = [
        {**{key: row[key] for key in ("criterion", "rule", "expects", "outcome", "source")},
         **json.loads(row["result"])}
        for row in rows
    ]  # fmt: skip
    return ExpectationsJson({
        "tool": "Great Expectations", "success": all(row["success"] for row in rows),
        "evidence": [item.sha256 for item in checked.lineage.evidence], "results": results,
    })  # fmt: skip

"""Criteria as a suite of Great Expectations: the declared gate for those who work with it.

The suite expects of the answers that the criteria judge, by the library's own comparison with the
exact limit, so that both verdicts are one. Great Expectations passes over a missing value; here
each criterion is three expectations, and only all three together are a pass: it selects something,
no value is missing, every value holds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.analysis.verdicts.criteria import Criterion, rule_text
from perfkit.analysis.verdicts.judge import outcome_of
from perfkit.analysis.verdicts.judged_values import Found, Judged
from perfkit.analysis.verdicts.run_verdicts import EACH_RUN, found_in_runs, run_name, server_labels
from perfkit.core.errors import AbsentError
from perfkit.core.files import Json
from perfkit.core.lineage import Measured, step
from perfkit.core.recorded_arguments import canonical_json
from perfkit.core.schema import ColumnTypes, Row

if TYPE_CHECKING:
    import pandas as pd

RUN = "run"
SELECTS, KNOWN, HOLDS = "selects a run", "no value is missing", "every value holds"

EXPECTATIONS: ColumnTypes = {
    "criterion": pl.String, "rule": pl.String, "expects": pl.String, "column": pl.String,
    "success": pl.Boolean, "runs": pl.Int64, "unexpected": pl.Int64,
    "unexpected_runs": pl.String, "outcome": pl.String, "source": pl.String,
    "result": pl.String,
}  # fmt: skip
"""One row an expectation, three a criterion. ``outcome`` is the criterion's, from all three;
``result`` is what Great Expectations returned, as JSON, without what differs from call to call."""


@step(version=2, name="verdict.expectations")
def check_expectations(
    data: Measured,
    criteria: Sequence[Criterion],
    *,
    histogram: Measured | None = None,
    cycles: Measured | None = None,
) -> pl.DataFrame:
    """Validate answers by Great Expectations against the suite of the criteria: EXPECTATIONS.

    Nothing leaves the process: an ephemeral context, no file, no network. The first call imports
    Great Expectations (seconds).

    Args:
        data: ``load_points``, judged as by ``judge`` (each curve over its repeats), or a frame with
            one row a run, judged as by ``judge_runs``.
        criteria: What is demanded; AnalysisError without any.
        histogram: Bins of completion latency of the load points.
        cycles: The drains of an epic-like workload.
    """
    from perfkit.analysis.verdicts.great_expectations import validate

    _some(criteria)
    frame, columns = expectation_frame(data.frame, criteria, histogram=histogram, cycles=cycles)
    results = validate(
        frame,
        [
            (criterion, column, selected)
            for criterion, (column, selected) in zip(criteria, columns, strict=True)
        ],
    )
    over = None if _curves(data.frame) else EACH_RUN
    rows = []
    for number, (criterion, (column, _)) in enumerate(zip(criteria, columns, strict=True)):
        rows += _rows(criterion, column, results[3 * number : 3 * number + 3], over)
    return pl.DataFrame(rows, schema=EXPECTATIONS, orient="row")


def expectation_suite(criteria: Sequence[Criterion], *, name: str = "criteria") -> ExpectationsJson:
    """The suite of the criteria as Great Expectations' own JSON, limits and all.

    It loads without perfkit (``ExpectationSuite(**json)``) and validates frames with the columns of
    ``expectation_frame``: of each criterion its values, and whether it selects the row.

    Raises AnalysisError without a criterion.
    """
    from perfkit.analysis.verdicts.great_expectations import suite_json

    _some(criteria)
    asked = [(item, *_columns(number, item)) for number, item in enumerate(criteria, 1)]
    return ExpectationsJson(suite_json(asked, name))


def _some(criteria: Sequence[Criterion]) -> None:
    if not criteria:
        raise AbsentError("no criterion was given, so there is nothing to expect")


def _curves(frame: pl.DataFrame) -> bool:
    """Whether these are load points, whose answers are those of curves."""
    return {"load", "direction"} <= set(frame.columns)


def _columns(number: int, criterion: Criterion) -> tuple[str, str]:
    """What a criterion's two columns are called: values, and whether it selects the row."""
    value = f"{criterion.metric} ({criterion.direction}, criterion {number})"
    return value, f"selected by criterion {number}"


def expectation_frame(
    frame: pl.DataFrame,
    criteria: Sequence[Criterion],
    *,
    histogram: Measured | None = None,
    cycles: Measured | None = None,
) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """What is judged as a pandas frame for the suite, and each criterion's two columns.

    ``run`` names the row: a run, or of load points what is judged of a curve. A column a metric and
    direction holds the value, NaN where there is none that can be judged; a column a criterion says
    whether it selects the row, which it does not where the subject is meant to fail.
    """
    import pandas as pd

    if _curves(frame):
        names, founds = _of_curves(Judged(Measured(frame), histogram, cycles), criteria)
    else:
        rows, labels = frame.rows(named=True), server_labels(frame)
        names = [f"{label}, {run_name(row)}" for label, row in zip(labels, rows, strict=True)]
        founds = [dict(found_in_runs(rows, criterion)) for criterion in criteria]
    made: dict[str, Any] = {RUN: pd.Series(names, dtype=str)}
    places = [_columns(number, criterion) for number, criterion in enumerate(criteria, 1)]
    for criterion, (column, selected), found in zip(criteria, places, founds, strict=True):
        known = [found.get(place) for place in range(len(names))]
        made[column] = pd.Series([_value(criterion, item) for item in known], dtype="float64")
        made[selected] = pd.Series(
            [
                item is not None and not criterion.expected_to_fail(dict(item.answer.subject.key))
                for item in known
            ],
            dtype=bool,
        )
    return pd.DataFrame(made), places


def _of_curves(
    data: Judged, criteria: Sequence[Criterion]
) -> tuple[list[str], list[dict[int | None, Found]]]:
    """A row for each thing that a criterion is applied to, in order of the criteria."""
    names: list[str] = []
    founds: list[dict[int | None, Found]] = []
    for criterion in criteria:
        found = data.found(criterion)
        founds.append({len(names) + place: item for place, item in enumerate(found)})
        names += [item.scope for item in found]
    return names, founds


def _value(criterion: Criterion, found: Found | None) -> float | None:
    """What is held against the limit; None where nothing can be judged."""
    if found is None or outcome_of(criterion, found)[0] == "not judged":
        return None
    return found.value


def _rows(criterion: Criterion, column: str, results: list[Json], over: str | None) -> list[Row]:
    selects, known, holds = results
    runs, failed = known["result"]["element_count"], holds["result"]["unexpected_count"]
    passed = all(item["success"] for item in results)
    outcome = "fail" if failed else "pass" if passed else "not judged"
    missing = known["result"]["unexpected_count"]
    counts = (
        (SELECTS, selects, int(not selects["success"])),
        (KNOWN, known, missing),
        (HOLDS, holds, failed),
    )
    return [
        {
            "criterion": criterion.name,
            "rule": rule_text(criterion, over=over),
            "expects": expects,
            "column": column,
            "success": item["success"],
            "runs": runs,
            "unexpected": count,
            "unexpected_runs": "; ".join(
                place[RUN] for place in item["result"].get("unexpected_index_list") or []
            )
            or None,
            "outcome": outcome,
            "source": criterion.source,
            "result": canonical_json(item),
        }
        for expects, item, count in counts
    ]


def by_criterion(rows: Sequence[Row]) -> list[Row]:
    """One row a criterion from EXPECTATIONS: what is missing and wrong, how many were met."""
    parts = [rows[start : start + _EACH] for start in range(0, len(rows), _EACH)]
    return [
        {
            **part[0],
            "missing": part[1]["unexpected"],
            "wrong": part[2]["unexpected"],
            "met": sum(row["success"] for row in part),
            "expectations": len(part),
            "wrong_runs": part[2]["unexpected_runs"],
        }
        for part in parts
    ]


_EACH = 3


@dataclass(frozen=True)
class ExpectationsJson:
    """What Great Expectations returned, as JSON: shown below a cell, the notebook keeps it."""

    document: Json

    @property
    def text(self) -> str:
        """The JSON text, with the same bytes for the same runs and criteria."""
        return json.dumps(self.document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    def write(self, path: Path | str) -> Path:
        """Write it to a file."""
        place = Path(path)
        place.write_text(self.text, encoding="utf-8")
        return place

    def _repr_mimebundle_(self, **_: Any) -> Json:
        # no plain text: it is kept for programs, and a report has the table of it
        return {"application/json": self.document, "text/plain": ""}


def expectations_json(checked: Measured) -> ExpectationsJson:
    """The results of ``check_expectations`` as one JSON document, with the outcome of each."""
    rows = checked.frame.rows(named=True)
    results = [
        {
            **{key: row[key] for key in ("criterion", "rule", "expects", "outcome", "source")},
            **json.loads(row["result"]),
        }
        for row in rows
    ]
    return ExpectationsJson(
        {
            "tool": "Great Expectations",
            "success": all(row["success"] for row in rows),
            "evidence": [item.sha256 for item in checked.lineage.evidence],
            "results": results,
        }
    )

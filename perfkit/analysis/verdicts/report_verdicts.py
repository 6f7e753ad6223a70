"""Criteria on AWR or Statspack reports: each report judged by itself, or as a point of a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perfkit.analysis.curves.series import require_columns
from perfkit.analysis.verdicts.criteria import Criterion, rule_text
from perfkit.analysis.verdicts.judge import judge, judgements_of, verdict_of
from perfkit.analysis.verdicts.judged_values import Found
from perfkit.analysis.verdicts.run_verdicts import found_in_runs
from perfkit.core.keys import file_of, report_names
from perfkit.core.lineage import Measured, measured, step
from perfkit.core.schema import Row
from perfkit.core.verdict import Verdict

EACH_REPORT = "each report"


def judge_reports(points: Measured, criteria: Sequence[Criterion]) -> Verdict:
    """Apply each criterion to each report that it selects, or to the curves that they make.

    Reports whose loads the study gives are load points: what a criterion asks of their curves is
    judged by ``judge``. Without loads each report is judged by its own value, exactly; a criterion
    that needs a load, or a statistic over repeats, is then not judged.

    Args:
        points: The reports' ``load_points``; with an event (``load_points_with_event``) their read
            latency is its mean wait.
        criteria: What is demanded.
    """
    points = measured(points, "load_points")
    require_columns(points.frame, ("direction", "load"), "load_points")
    if points.frame["load"].null_count() == 0:
        return judge(points, criteria)
    return _each(points, criteria)


@step(version=2, name="verdict.reports")
def _each(points: Measured, criteria: Sequence[Criterion]) -> Verdict:
    rows = points.frame.rows(named=True)
    files = list(dict.fromkeys(file_of(row) for row in rows))
    names = dict(zip(files, report_names(files), strict=True))
    judgements = []
    for criterion in criteria:
        every = [
            found if place is None else _of(rows[place], names, found)
            for place, found in found_in_runs(rows, criterion, what="report")
        ]
        judgements += judgements_of(criterion, every, rule_text(criterion, over=EACH_REPORT))
    return verdict_of(judgements)


def _of(row: Row, names: dict[str | None, str], found: Found) -> Found:
    """What was found, under the report's name, with the event that its latency is of."""
    name = names[file_of(row)]
    subject = replace(found.answer.subject, label=name)
    reason = found.reason
    if found.value is not None and found.answer.metric == "lat_mean_s" and row.get("latency_event"):
        reason = f"the mean wait of {row['latency_event']}"
    return replace(found, scope=name, answer=replace(found.answer, subject=subject), reason=reason)

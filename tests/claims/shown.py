"""What perfkit shows of load points: every table and chart, as the plain data that is printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
from claims import facts, told

import perfkit as pk
from perfkit.analysis.verdicts.judge import judgements
from perfkit.core.answers import from_frame
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.core.unanswered import Unanswered
from perfkit.showing.figures.compare_marks import MARKED, plot_compared_curves
from perfkit.showing.tables.sheet import Sheet

if TYPE_CHECKING:
    from claims.curves import Point
    from claims.reader import Known

CRITERIA = (
    pk.Criterion(name="rate", metric="iops", comparison=">=", limit="1000 IOPS", statistic="mean"),
    pk.Criterion(name="time", metric="lat_mean_s", comparison="<=", limit="1 ms",
                 statistic="every repeat"),
)  # fmt: skip
COLUMNS = {
    "bw": "bw_bytes_per_s", "cpu": "cpu_busy_ratio", "p50": "lat_p50_s", "p95": "lat_p95_s",
    "p99": "lat_p99_s", "p99.9": "lat_p999_s", "p99.99": "lat_p9999_s", "max": "lat_max_s",
}  # fmt: skip
"""The values of ``facts`` and the columns of the load points that carry them."""


@dataclass(frozen=True)
class Shown:
    """One table or chart: which, what it was asked, and its data; None where it was refused."""

    name: str
    question: str | None
    data: dict[str, Any] | None
    refusal: str = ""


@dataclass(frozen=True)
class Case:
    """Load points, the values asked at, and the answers that tables and charts are to show."""

    points: Sequence[Point]
    asked: Known
    measured: Measured
    curve: Measured
    compared: Measured | None
    answers: tuple[Measured, ...]

    def asked_at(self, question: str) -> float | None:
        """The value of a question."""
        given = facts.GIVEN[question][0]
        if question == "iops_at_cpu" or given is None:
            return None
        return {"lat": self.asked.limits, "iops": self.asked.rates, "load": self.asked.loads}[
            given
        ][0]

    def intervals(self) -> dict[str, tuple[float | None, float | None]]:
        """Question of the comparison -> the interval of its change."""
        if self.compared is None:
            return {}
        found = from_frame(self.compared.frame)
        return {a.question: (a.estimate.low, a.estimate.high) for a in found if a.estimate}

    def estimates(self, question: str) -> dict[str, float | None]:
        """What each curve is called -> the estimate of its answer."""
        found = [a for part in self.answers for a in from_frame(part.frame)]
        return {a.subject.label: a.estimate and a.estimate.value for a in found
                if a.question == question}  # fmt: skip


def case(points: Sequence[Point], asked: Known) -> Case:
    measured = load_points(points)
    two = len({p.system for p in points}) > 1
    answers = (pk.peak(measured), pk.iops_at_latency(measured, asked.limits[0]),
               pk.lowest_latency(measured), pk.knee(measured), pk.plateau(measured))  # fmt: skip
    return Case(points, asked, measured, pk.latency_curve(measured),
                told.compared_(measured, asked) if two else None, answers)  # fmt: skip


def load_points(points: Sequence[Point]) -> Measured:
    """Load points with all that they may carry: of all I/O, of reads and of writes."""
    usual = {**dict.fromkeys(LOAD_POINTS), "workload": "mix", "load_kind": "iodepth"}
    rows = []
    for p in points:
        values = facts.of_repeat(p)
        same = {"system": p.system, "load": p.load, "repeat": p.repeat, "in_flight": p.load,
                "percentiles_of": "lat"}  # fmt: skip
        more = {column: values[name] for name, column in COLUMNS.items()}
        rows.append({**usual, **same, **more, "direction": "total", "iops": p.iops,
                     "lat_mean_s": p.lat})  # fmt: skip
        for direction, share in (("read", facts.READS), ("write", 1 - facts.READS)):
            parts = {k: None if v is None else v * share for k, v in
                     (("iops", p.iops), ("bw_bytes_per_s", values["bw"]))}  # fmt: skip
            rows.append({**usual, **same, **parts, "direction": direction})
    return Measured(pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS)), told.TRACED)


def table_criteria(verdict: Any) -> Any:
    """The rows of a verdict, as a table that can be read as the others are."""
    sheet = Sheet(judgements(verdict).frame.rows(named=True))
    sheet.words(criterion="Criterion", scope="Where", rule="Rule", value_text="Value")
    sheet.words(outcome="Verdict", reason="Remark", source="Source")
    return sheet.table("criteria", "Criteria and verdicts.")


Make = Callable[[Case], Any]

TABLES: dict[str, Make] = {
    "table_load_points": lambda c: pk.table_load_points(c.curve),
    "table_points": lambda c: pk.table_load_points(c.measured),
    "table_percentiles": lambda c: pk.table_percentiles(c.curve),
    "table_conditions": lambda c: pk.table_conditions(c.measured),
    "table_scaling": lambda c: pk.table_scaling(pk.usl(c.curve)),
    "table_criteria": lambda c: table_criteria(pk.judge(c.measured, CRITERIA)),
}
"""Every table of load points and curves; those of comparisons are one a question."""

FIGURES: dict[str, Make] = {
    "plot_latency_curve": lambda c: pk.plot_latency_curve(
        c.curve, points=c.measured, answers=c.answers[1]
    ),
    "plot_latency_curve bands": lambda c: pk.plot_latency_curve(c.curve, bands=True),
    "plot_scaling": lambda c: pk.plot_scaling(c.curve),
    "plot_cpu": lambda c: pk.plot_cpu(c.curve),
    "plot_cpu_by_load": lambda c: pk.plot_cpu_by_load(c.curve),
    "plot_percentile_fan": lambda c: pk.plot_percentile_fan(c.curve),
    "plot_plateau": lambda c: pk.plot_plateau(c.curve, c.answers[4]),
}
"""Every chart of load points and curves."""

COMPARED = ("table_comparison", "tables_comparison", "plot_differences")


def tables(of: Case) -> list[Shown]:
    """Every table: the printed text of its cells, and the values behind them."""
    made = [_made(name, None, make, of) for name, make in TABLES.items()]
    if of.compared is not None:
        for table in pk.tables_comparison(of.compared):
            question = table.id.removesuffix("-table").replace("-", "_")
            made.append(Shown("table_comparison", question, table.content()))
    return made


def figures(of: Case) -> list[Shown]:
    """Every chart as the JSON that plotly draws."""
    made = [_made(name, None, make, of) for name, make in FIGURES.items()]
    compared = of.compared
    if compared is None:
        return made
    for question in facts.GIVEN:
        if question in {"iops_at_cpu", "lowest_latency"}:
            continue
        made.append(_made("plot_differences", question, lambda _, q=question: pk.plot_differences(
            compared, question=q), of))  # fmt: skip
        if question in MARKED:
            made.append(_made(
                "plot_compared_curves", question,
                lambda c, q=question: plot_compared_curves(
                    c.curve, compared, question=q, at=[c.asked_at(q) or 0.0], points=c.measured
                ), of,
            ))  # fmt: skip
    return made


def _made(name: str, question: str | None, make: Make, of: Case) -> Shown:
    try:
        value = make(of)
    except AnalysisError as refused:
        return Shown(name, question, None, str(refused))
    if isinstance(value, Unanswered):
        return Shown(name, question, None, value.reason)
    if name.startswith("table"):
        return Shown(name, question, value.content())
    return Shown(name, question, json.loads(value.plotly.to_json(validate=False)))

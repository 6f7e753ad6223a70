"""Criteria on AWR reports: without loads each report by itself, with loads as a curve."""

from __future__ import annotations

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.verdicts.criteria import Criterion
from perfkit.core.schema import LOAD_POINTS, polars_schema

READ = {"name": "Read", "metric": "lat_mean_s", "direction": "read", "comparison": "<",
        "limit": "2 ms"}  # fmt: skip
RATE = {"name": "Rate", "metric": "iops", "comparison": ">=", "limit": "100"}


def reports(*rows):
    schema = {**polars_schema(LOAD_POINTS), "source": pl.String, "latency_event": pl.String}
    return pl.DataFrame([{"direction": "total", **row} for row in rows], schema=schema)


def judged(rows, **criterion):
    verdict = pk.awr.judge_reports(reports(*rows), [Criterion.model_validate(criterion)])
    return [(item.scope, item.outcome, item.reason) for item in verdict.judgements]


def test_each_report_is_judged_by_itself_under_its_name():
    rows = [{"source": "x/a.html", "iops": 100.0}, {"source": "x/b.html", "iops": 99.0},
            {"source": "x/c.html"}]  # fmt: skip
    assert judged(rows, **RATE) == [
        ("a", "pass", None), ("b", "fail", None),
        ("c", "not judged", "IOPS is missing"),
    ]  # fmt: skip
    verdict = pk.awr.judge_reports(reports(*rows), [Criterion.model_validate(RATE)])
    assert verdict.judgements[0].rule == "IOPS ≥ 100, each report"
    assert [item.answer.subject.label for item in verdict.judgements] == [
        "a", "b", "c",
    ]  # fmt: skip
    assert verdict.outcome == "fail"


def test_a_read_latency_says_whose_wait_it_is():
    rows = [{"source": "a.html", "direction": "read", "lat_mean_s": 1e-3, "latency_event": "E"}]
    assert judged(rows, **READ) == [("a", "pass", "the mean wait of E")]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (
            {"statistic": "mean"},
            "asks for the mean over repeats, and reports are judged one by one",
        ),
        ({"at": "peak"}, "reports are judged at a load, not at the peak or a latency"),
        ({"at": 4}, "is asked for at 4.0, and a report has no load"),
        ({"within": {"lat_mean_s": "1 ms"}}, "reports are judged at a load, not within a latency"),
        ({"where": {"config": "B"}}, "no report matches"),
    ],
)
def test_what_reports_cannot_answer_is_not_judged(more, reason):
    ((_, outcome, told),) = judged([{"source": "a.html", "iops": 500.0}], **RATE, **more)
    assert (outcome, told) == ("not judged", reason)


def test_reports_with_loads_are_points_of_a_curve():
    """The mean over repeats and the peak can be asked for, as of any load points."""
    rows = [
        {"source": f"{load}-{n}.html", "workload": "w", "load_kind": "users", "load": load,
         "repeat": n, "iops": iops}
        for load, values in ((1.0, (80.0, 90.0)), (2.0, (110.0, 120.0))) for n, iops in
        enumerate(values, 1)
    ]  # fmt: skip
    at_peak = pk.awr.judge_reports(
        reports(*rows), [Criterion.model_validate({**RATE, "at": "peak"})]
    )
    (item,) = at_peak.judgements
    assert (item.outcome, item.value.text, item.rule) == (
        "pass", "115 IOPS", "IOPS ≥ 100, mean over repeats",
    )  # fmt: skip

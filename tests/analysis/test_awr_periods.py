"""Which reports form a trend: overlaps, spans, copies, clocks, restarts and far ones stay out."""

from __future__ import annotations

from datetime import datetime, timedelta

import polars as pl
import pytest

from perfkit.analysis.awr.periods.columns import LEFT_OUT, PERIODS
from perfkit.analysis.awr.periods.periods import periods
from perfkit.core.errors import AbsentError

START = datetime(2026, 3, 2, 8)  # noqa: DTZ001 - a report names no zone
LONG_AGO = START - timedelta(days=40)
HALF_HOUR = 1800.0

TYPES = {
    "file": pl.String, "scope": pl.String, "db_name": pl.String, "db_id": pl.Int64,
    "instance": pl.Int64, "startup_time": pl.Datetime("us"), "snap_begin_id": pl.Int64,
    "snap_end_id": pl.Int64, "begin_time": pl.Datetime("us"), "end_time": pl.Datetime("us"),
    "elapsed_s": pl.Float64, "form": pl.String, "format": pl.String, "db_time_s": pl.Float64,
}  # fmt: skip


def report(place: float, length: float = 1, *, name: str | None = None, **changed: object):
    """A report of the half hours ``place`` to ``place + length`` of one database."""
    begin = START + timedelta(seconds=place * HALF_HOUR)
    made = {
        "file": f"{name or f'awr_{place:g}_{length:g}'}.html", "scope": "single",
        "db_name": "SHOP", "db_id": 1, "instance": 1, "startup_time": LONG_AGO,
        "snap_begin_id": int(100 + place), "snap_end_id": int(100 + place + length),
        "begin_time": begin, "end_time": begin + timedelta(seconds=length * HALF_HOUR),
        "elapsed_s": length * HALF_HOUR, "form": "awr", "format": "html", "db_time_s": 900.0,
    }  # fmt: skip
    return made | changed


DAY = [report(place) for place in range(8)]


def found(*rows: dict, instances: pl.DataFrame | None = None) -> pl.DataFrame:
    made = periods(pl.DataFrame(list(rows), schema=TYPES, orient="row"), instances)
    assert dict(made.frame.schema) == dict(pl.DataFrame(schema=PERIODS).schema)
    return made.frame


def left_out(*rows: dict) -> dict[str, tuple[str, str | None]]:
    """Why each report that is left out is: its reason, and for which report."""
    frame = found(*rows).filter(~pl.col("in_trend"))
    assert set(frame["left_out"]) <= set(LEFT_OUT)
    return {row["report"]: (row["left_out"], row["left_out_for"]) for row in frame.rows(named=True)}


def test_reports_stand_in_the_order_of_their_snapshots_not_of_their_names():
    frame = found(*reversed([report(n, name=f"z{9 - n}") for n in range(4)]))
    assert frame["report"].to_list() == ["z9", "z8", "z7", "z6"]
    assert frame["in_trend"].all()
    assert frame["gap_before_s"].to_list() == [None, 0, 0, 0]
    assert frame["restart_before"].to_list() == [None, False, False, False]


LATER = timedelta(days=90)

TRAPS = {
    "another of the same half hour": (report(3, name="copy"), "same_period", "awr_3_1"),
    "the same as text, by a name before": (
        report(3, name="a_copy", format="text"), "same_period_text", "awr_3_1"),
    "the same, cut off": (
        report(3, name="a_cut", db_time_s=None), "same_period_less", "awr_3_1"),
    "one that spans the day": (report(0, 8), "spans_others", "awr_0_1"),
    "one that overlaps two": (report(2.5), "overlaps", "awr_2_1"),
    "one of a minute": (report(8, 1 / 30, name="short"), "other_length", None),
    "one of three hours": (report(8, 6), "other_length", None),
    "one of another month": (
        report(4, name="far", begin_time=START + LATER, end_time=START + LATER
               + timedelta(seconds=HALF_HOUR)), "apart", None),
    "no times": (report(8, name="bare", begin_time=None), "no_time", None),
    "no elapsed time": (report(8, name="bare", elapsed_s=None), "no_elapsed", None),
    "a restart within it": (
        report(8, startup_time=START + timedelta(seconds=8.5 * HALF_HOUR)), "contains_restart",
        None),
    "a clock set back within it": (
        report(8, end_time=START + timedelta(seconds=7.5 * HALF_HOUR)), "clock", None),
    "a clock set forward within it": (
        report(8, end_time=START + timedelta(seconds=11 * HALF_HOUR)), "clock", None),
    "the hour that a clock shows twice": (
        report(3, name="twice", snap_begin_id=900, snap_end_id=901), "clock", "awr_3_1"),
}  # fmt: skip


def test_where_no_length_is_usual_reports_of_unlike_lengths_stay():
    """Nine minutes to three and a half hours, as somebody made them; thirty days are too long."""
    made = [report(0, 1.2), report(2, 7), report(9, 0.9), report(10, 0.3)]
    assert found(*made)["in_trend"].all()
    assert left_out(*made, report(20, 1440, name="month")) == {"month": ("other_length", None)}


def test_of_fewer_than_asked_for_none_is_in_the_trend():
    frame = periods(pl.DataFrame(DAY[:2], schema=TYPES, orient="row"), least=3).frame
    assert frame["left_out"].to_list() == ["few", "few"]
    enough = periods(pl.DataFrame(DAY[:3], schema=TYPES, orient="row"), least=3).frame
    assert enough["in_trend"].all()


@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_among_half_hours_is_left_out_with_its_reason(trap: str):
    row, why, because = TRAPS[trap]
    (name,) = [row["file"].removesuffix(".html")]
    assert left_out(*DAY, row) == {name: (why, because)}


def test_each_trap_at_once_leaves_the_half_hours_in_the_trend():
    traps = {row["file"]: row for row, *_ in TRAPS.values()}
    frame = found(*DAY, *traps.values())
    kept = frame.filter("in_trend")["report"].to_list()
    assert [name for name in kept if name.startswith("awr_")] == [f"awr_{n}_1" for n in range(8)]
    assert frame.height == len(DAY) + len(traps)


def test_a_gap_and_a_restart_in_it_are_told_and_never_negative():
    start = START + timedelta(seconds=4.5 * HALF_HOUR)
    rows = [*DAY[:4], *(report(n, startup_time=start) for n in (6, 7, 8))]
    frame = found(*rows)
    assert frame["in_trend"].all()
    assert frame["gap_before_s"].to_list() == [None, 0, 0, 0, 3600, 0, 0]
    assert frame["restart_before"].to_list() == [None, False, False, False, True, False, False]


def test_a_night_without_reports_is_a_gap_and_no_other_time():
    rows = [report(n) for n in (*range(16), *range(48, 64))]
    assert found(*rows)["gap_before_s"].drop_nulls().max() == 32 * HALF_HOUR


def test_other_databases_instances_and_forms_have_histories_of_their_own():
    frame = found(
        *DAY[:2],
        report(0, name="two", instance=2),
        report(0, name="rac", scope="rac", instance=None),
        report(0, name="pdb", scope="pdb"),
        report(0, name="hr", db_name="HR", db_id=7),
        report(0, name="clone", db_id=5),
    )
    assert frame["in_trend"].all()
    assert dict(frame.select("report", "history").rows()) == {
        "hr": "HR",
        "awr_0_1": "SHOP, id 1, instance 1",
        "awr_1_1": "SHOP, id 1, instance 1",
        "two": "SHOP, id 1, instance 2",
        "pdb": "SHOP, id 1, pluggable database, instance 1",
        "rac": "SHOP, id 1, cluster",
        "clone": "SHOP, id 5, instance 1",
    }


def test_a_cluster_s_restart_stands_with_its_instances():
    rac = [report(n, scope="rac", instance=None, startup_time=None) for n in range(6)]
    inside = START + timedelta(seconds=2.5 * HALF_HOUR)
    instances = pl.DataFrame(
        [{"file": row["file"], "startup_time": inside if n >= 2 else LONG_AGO}
         for n, row in enumerate(rac)], schema={"file": pl.String,
                                                "startup_time": pl.Datetime("us")})  # fmt: skip
    frame = found(*rac, instances=instances)
    assert frame.filter(~pl.col("in_trend")).select("report", "left_out").rows() == [
        ("awr_2_1", "contains_restart")
    ]


def test_no_report_has_no_periods():
    with pytest.raises(AbsentError):
        found()

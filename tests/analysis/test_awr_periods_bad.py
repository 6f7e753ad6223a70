"""A folder as people send it: what is in no trend is named, and no two databases are mixed."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import polars as pl
import pytest
from forges.awr import forge_html, forge_statspack, forge_text
from forges.awr.content import Database, Snapshots
from forges.awr.series import Host, series

import perfkit as pk
from perfkit.core.answers import from_frame
from perfkit.study.proposals import propose

if TYPE_CHECKING:
    from pathlib import Path

DAY = datetime(2026, 3, 2)  # noqa: DTZ001 - a report names no zone
OTHER = Host(Database("OTHER", 77, "other_a"), "other1", "dbhost2")


class Clocked(Snapshots):
    """Half an hour between two snapshots whose clock was changed between them."""

    seconds = 1800


def at(content, begin, end, *, number=2000, kind=Snapshots):
    """The report of other snapshots."""
    return replace(content, snapshots=kind(number, number + 1, begin, end))


def odd(content) -> dict[str, bytes]:
    """Reports that are of no half hour of their own, by their files' names."""
    half = timedelta(minutes=30)
    noon = DAY.replace(hour=12)
    untimed = re.sub(rb"\d\d-Mar-26 \d\d:\d\d:\d\d", b"&#160;", forge_html(content).data)
    pages = {
        "month.html": at(content, DAY - timedelta(days=30), DAY),
        "back.html": at(content, noon + half, noon, number=2010, kind=Clocked),
        "forward.html": at(content, noon + 2 * half, noon + 5 * half, number=2020, kind=Clocked),
    }
    return {name: forge_html(page).data for name, page in pages.items()} | {"untimed.html": untimed}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Eight half hours, and what came with them."""
    place = tmp_path_factory.mktemp("sent") / "sent"
    found = series(8, (), seed=3)
    found.write(place)
    cut = found.periods[4]
    (place / cut.name).write_bytes(cut.data[: len(cut.data) // 2])
    (place / "copy.html").write_bytes(found.periods[2].data)
    for period in series(2, (), seed=9, host=OTHER).periods:
        (place / f"other_{period.name}").write_bytes(period.data)
    (place / "sp_1.lst").write_bytes(forge_statspack(found.periods[1].content).data)
    for name, data in odd(found.periods[7].content).items():
        (place / name).write_bytes(data)
    (place / "readme.txt").write_text("Attached are the reports of last week.")
    text = forge_text(found.periods[3].content).data
    (place / "a_text_copy.txt").write_bytes(text)
    (place / "mailed.txt").write_bytes(re.sub(rb"\n\s*?\n+", b"\n", text))
    (place / "begun.html").write_bytes(found.periods[3].data[:900])
    (place / "begun.txt").write_bytes(text[:120])
    (place / "two.txt").write_bytes(text * 2)
    (place / "empty.html").write_bytes(b"")
    return place


@pytest.fixture(scope="module")
def reading(folder):
    """The folder as ``perfkit report`` reads it."""
    (folder / "study.yml").write_text(propose(folder).text)
    return pk.open_study(folder / "study.yml").read_evidence()


@pytest.fixture(scope="module")
def periods(reading):
    """All reports, those left out too."""
    return pk.awr.periods(reading.report, reading.instances)


@pytest.fixture(scope="module")
def told(folder):
    """What the proposal of a study says of the folder."""
    return propose(folder).told


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("readme.txt", "no evidence"),
        ("empty.html", "the file is empty"),
        ("two.txt", "a second report begins here"),
        ("begun.txt", "no table that perfkit knows"),
    ],
)
def test_what_is_no_report_is_told(name, why, told):
    """The letter that came with the reports, and files that hold none, or two."""
    assert any(line.startswith(f"left out: {name}") and why in line for line in told), told


@pytest.mark.parametrize(
    ("report", "why", "reason"),
    [
        ("copy", "same_period", "awrrpt_1_982_983"),
        ("a_text_copy", "same_period_text", "awrrpt_1_983_984"),
        ("mailed", "no_time", None),
        ("begun", "no_time", None),
        ("month", "other_length", None),
        ("untimed", "no_time", None),
        ("back", "clock", None),
        ("forward", "clock", None),
    ],
)
def test_a_report_that_is_no_period_is_left_out_by_name(periods, report, why, reason):
    """Copies, as text too; no times; thirty days among half hours; clocks that were changed."""
    (row,) = periods.frame.filter(report=report).rows(named=True)
    assert [row["in_trend"], row["left_out"], row["left_out_for"]] == [False, why, reason]


def test_every_report_is_there_once(periods):
    """Eight half hours, two copies, six odd ones, two of another database, a Statspack."""
    assert periods.frame.height == 19
    assert periods.frame["report"].n_unique() == 19


def test_no_gap_is_negative(periods):
    """Whatever the clocks say."""
    gaps = periods.frame["gap_before_s"].drop_nulls()
    assert gaps.to_list() == [0.0] * 8


def test_databases_and_forms_are_histories_of_their_own(periods, reading):
    """Statspack counts other waits: it is not a period among AWR reports of its database."""
    in_trend = periods.frame.filter("in_trend").group_by("history").len().sort("history")
    assert in_trend.rows() == [("OTHER", 2), ("SHOP", 8), ("shop1", 1)]
    named = reading.report.frame.with_columns(
        db_name=pl.when(pl.col("form") == "statspack").then(pl.lit("SHOP")).otherwise("db_name")
    )
    found = pk.awr.periods(named, reading.instances).frame
    assert found.filter(report="sp_1")["history"].to_list() == ["SHOP, Statspack"]
    assert found.filter(history="SHOP", in_trend=True).height == 8


def test_half_a_report_is_named_and_keeps_what_it_says_whole(periods, reading):
    """Cut off in a histogram: DB time is known, and what came after is null."""
    assert any("awrrpt_1_984_985.html" in text and "cut off" in text
               for text in reading.evidence.warnings)  # fmt: skip
    over_time = pk.awr.over_time(periods, reading).frame
    rows = {row["report"]: row for row in over_time.filter(history="SHOP").rows(named=True)}
    cut, whole = rows["awrrpt_1_984_985"], rows["awrrpt_1_983_984"]
    assert cut["average_active_sessions"] == pytest.approx(3.66, abs=0.01)
    assert cut["commits_per_s"] is None
    assert whole["commits_per_s"] is not None


def test_means_of_two_databases_stand_apart(periods, reading):
    """Each history has the trend of its own reports."""
    over_time = pk.awr.over_time(periods, reading).frame
    truth = {
        "SHOP": series(8, (), seed=3), "OTHER": series(2, (), seed=9, host=OTHER),
    }  # fmt: skip
    for history, found in truth.items():
        shown = over_time.filter(history=history)["average_active_sessions"].to_list()
        counted = [one.counts.db_time_us / one.counts.seconds / 1e6 for one in found.periods]
        assert shown == pytest.approx(counted, rel=0.002)


def test_a_part_of_db_time_that_is_not_stated_is_not_judged(periods, reading):
    """Statspack has no wait classes: its User I/O is not known, and not 0."""
    over_time = pk.awr.over_time(periods, reading)
    answers = from_frame(pk.awr.is_it_storage(periods, over_time, reading).frame)
    own = [one for one in answers if one.subject.get("history") == "shop1"]
    assert [one.status for one in own] == ["not_judged", "not_judged"]

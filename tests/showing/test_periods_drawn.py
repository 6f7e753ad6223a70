"""A series of reports drawn over time: what stands where, read back from the charts."""
# ruff: noqa: DTZ001 - reports print local times without a zone

from __future__ import annotations

import json
from datetime import datetime, timedelta

import periods_sample as sample
import polars as pl
import pytest

from perfkit.analysis.awr.periods import columns
from perfkit.core import answers as claims
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import Measured
from perfkit.showing.figures.periods.clock import interval, ticks
from perfkit.showing.figures.periods.histograms import (
    plot_histogram_over_time,
    plot_latency_bands,
)
from perfkit.showing.figures.periods.over_time import PANELS, plot_periods
from perfkit.showing.figures.periods.sessions import plot_sessions_over_time


def drawn(figure):
    return json.loads(figure.plotly.to_json())


def named(figure, name, kind=None):
    """The traces of this name."""
    return [trace for trace in drawn(figure)["data"]
            if trace["name"] == name and kind in {None, trace["type"]}]  # fmt: skip


def titles(figure):
    return [note["text"][3:-4] for note in drawn(figure)["layout"]["annotations"]
            if note["text"].startswith("<b>") and note["xref"] == "paper"]  # fmt: skip


HALF_HOUR_MS = 1_800_000


def test_each_period_is_a_bar_as_wide_as_it_is():
    figure = plot_periods(sample.over_time(3), panels="sessions")
    (bars,) = named(figure, "average active sessions", "bar")
    assert bars["x"] == ["2026-03-09T06:00:00", "2026-03-09T06:30:00", "2026-03-09T07:00:00"]
    assert bars["width"] == [HALF_HOUR_MS] * 3
    assert (bars["offset"], bars["y"]) == (0, [2.0, 3.0, 6.0])
    assert figure.caption == (
        "Average active sessions over time; 3 periods, 9 March 2026, 06:00 to 07:30."
    )
    assert "average active sessions from 2.00 to 6.00, the most at 9 March 2026, 07:00" in (
        figure.alt
    )


def test_a_time_without_a_report_is_blank_and_the_caption_says_so():
    figure = plot_periods(sample.over_time(4, gap=2), panels="io")
    (line,) = named(figure, "reads")
    assert line["line"]["shape"] == "hv", "a value holds until the next one"
    assert line["x"][1:5] == ["2026-03-09T06:30:00", *["2026-03-09T07:00:00"] * 2,
                              "2026-03-09T09:00:00"]  # fmt: skip
    assert line["y"] == [900, 910, 910, None, 920, 930, 930]
    assert line["x"][-1] == "2026-03-09T10:00:00", "the last period ends where its report does"
    assert "Blank: no report covers this time." in figure.caption
    assert "Blank" not in plot_periods(sample.over_time(4), panels="io").caption


def test_a_period_without_a_value_breaks_the_line_and_zero_is_drawn():
    """Log file sync is not known before the last third; writes are 0, which is a value."""
    figure = plot_periods(sample.over_time(3), panels=("io", "waits"))
    (sync,) = named(figure, "log file sync")
    assert sync["y"] == [None, None, *[pytest.approx(6.1)] * 2]
    (writes,) = named(figure, "writes")
    assert writes["y"] == [0.0] * 4


def test_under_the_pointer_are_the_period_the_unit_and_the_waits_behind_a_mean():
    chart = plot_periods(sample.over_time(3), panels=["waits", "throughput"])
    (read,) = named(chart, "db file sequential read")
    (written,) = named(chart, "writes")
    assert read["customdata"][0] == "9 March 2026, 06:00 to 06:30: 1.10 ms, of 100,000 waits"
    assert written["customdata"][0] == "9 March 2026, 06:00 to 06:30: 1.00 MB/s"
    assert "%{customdata}" in read["hovertemplate"]


def test_a_mean_of_too_few_waits_is_not_said_to_be_unstated():
    """The reports state those waits; the one line that is left is named in its title."""
    lacking = sample.over_time(3, without=("read_wait_s", "log_file_sync_s"))
    rows = lacking.frame.with_columns(read_waits=pl.lit(999.0))
    figure = plot_periods(sample.framed(columns.OVER_TIME, rows.to_dicts()), panels="waits")
    assert titles(figure) == ["Mean wait: log file parallel write (ms)"]
    assert figure.caption.endswith(
        "No report states log file sync. No period has enough waits for a mean of read."
    )
    # with 100,000 waits their number is not the reason
    figure = plot_periods(lacking, panels="waits")
    assert figure.caption.endswith("No report states read and log file sync.")


def test_what_no_report_states_is_left_out_and_named():
    lacking = sample.over_time(3, without=("cpu_busy_ratio", "write_iops"))
    figure = plot_periods(lacking, panels=("sessions", "cpu", "io"))
    assert titles(figure) == ["Average active sessions", "I/O requests per second: reads"]
    assert figure.caption.endswith("No report states host CPU busy and writes.")
    with pytest.raises(AbsentError, match="no report of the series states host CPU busy"):
        plot_periods(lacking, panels="cpu")


def test_restarts_and_the_worst_periods_are_marked():
    figure = plot_periods(
        sample.over_time(8), sample.periods(8, restart=3), sample.worst(8, ranks=2)
    )
    restarts = [item for item in drawn(figure)["layout"]["shapes"] if item["type"] == "line"]
    assert {item["x0"] for item in restarts} == {"2026-03-09T07:30:00"}
    assert len(restarts) == len(titles(figure))
    (bars,) = named(figure, "average active sessions", "bar")
    assert bars["marker"]["color"].count("#0b5cad") == 2
    (marks,) = named(figure, "worst periods")
    assert marks["x"] == ["2026-03-09T09:15:00", "2026-03-09T09:45:00"]
    assert "Dotted lines: the instance was restarted. Dark bars and triangles" in figure.caption


def test_what_was_changed_is_shaded_from_when_to_when():
    late = sample.keys(8)[5]["begin_time"], sample.keys(8)[7]["end_time"]
    early = sample.keys(8)[1]["begin_time"], sample.keys(8)[1]["end_time"]
    changes = Measured(claims.to_frame([
        sample.change(*early), sample.change(*late), sample.change(*late, history="other"),
    ]))  # fmt: skip
    figure = plot_periods(sample.over_time(8), changes=changes, panels=("commits", "redo"))
    layout = drawn(figure)["layout"]
    shaded = [(item["x0"], item["x1"]) for item in layout["shapes"] if item["type"] == "rect"]
    assert set(shaded) == {tuple(at.isoformat() for at in one) for one in (early, late)}
    words = [note["text"] for note in layout["annotations"] if "<b>" not in note["text"]]
    assert words == ["from 08:30", "06:30 to 07:00"], "the longest first"
    assert (
        "Shaded: 9 March 2026, 06:30 to 07:00, and 9 March 2026, 08:30 to 10:00." in figure.caption
    )


def test_a_chart_is_of_one_history():
    both = Measured(
        pl.concat([sample.over_time(3).frame, sample.over_time(3, history="RAC, 2").frame])
    )
    with pytest.raises(AnalysisError, match="a chart shows one database, not ORA, RAC, 2"):
        plot_periods(both)


def test_a_panel_that_nobody_knows_is_refused():
    with pytest.raises(AnalysisError, match="no panel 'load'"):
        plot_periods(sample.over_time(3), panels=["load"])
    assert all(panel.columns for panel in PANELS.values())


def test_parts_are_stacked_and_the_residual_keeps_its_sign():
    figure = plot_sessions_over_time(sample.sessions(4))
    assert drawn(figure)["layout"]["barmode"] == "relative"
    assert [trace["name"] for trace in drawn(figure)["data"]] == [
        "DB CPU", "User I/O", "Commit", "Concurrency", "residual",
    ]  # fmt: skip
    (residual,) = named(figure, "residual")
    assert residual["y"] == [-0.2, 0.3, 0.3, 0.3]
    low, high = drawn(figure)["layout"]["yaxis"]["range"]
    assert low < -0.2
    assert high > 2 + 1 + 2 / 3 + 0.5 + 0.3
    assert "residual from −0.200 to 0.300" in figure.alt


def test_a_part_that_is_small_everywhere_is_named_and_not_drawn():
    frame = sample.sessions(4).frame.with_columns(
        pl.when(pl.col("part") == "Commit").then(0.01).otherwise("average_active_sessions")
        .alias("average_active_sessions")
    )  # fmt: skip
    figure = plot_sessions_over_time(Measured(frame))
    assert not named(figure, "Commit")
    assert "Not drawn, as nowhere above 2% of the highest period: Commit." in figure.caption


def test_a_percentile_is_the_range_of_its_bucket():
    """95% between 4 and 8 ms is a box of these edges; the last bucket has no upper end."""
    figure = plot_latency_bands(sample.bands(2))
    (box,) = named(figure, "log file sync, 95%")
    assert box["base"] == [4.0, 4.0]
    assert box["y"] == [4.0, 4.0]
    assert box["customdata"][0] == "9 March 2026, 06:00 to 06:30: 4 ms to 8 ms"
    (last,) = named(figure, "log file sync, 99%")
    assert last["base"] == [32.0, 32.0]
    assert "A box that reaches the top has no upper end." in figure.caption
    (mean,) = named(figure, "log file sync, mean")
    assert mean["y"] == [1.5] * 3
    assert titles(figure) == [
        "db file sequential read (ms, log scale)", "log file sync (ms, log scale)",
    ]  # fmt: skip


def test_the_heat_map_has_a_column_a_period_and_an_empty_one_for_a_gap():
    figure = plot_histogram_over_time(sample.histogram(3, gap=2))
    (cells,) = drawn(figure)["data"]
    assert cells["x"] == [
        "2026-03-09T06:00:00", "2026-03-09T06:30:00", "2026-03-09T07:00:00",
        "2026-03-09T09:00:00", "2026-03-09T09:30:00",
    ]  # fmt: skip
    assert len(cells["z"]) == len(sample.BUCKETS) - 1
    assert [row[2] for row in cells["z"]] == [None] * 7
    assert cells["z"][5] == [None] * 4, "a bucket without waits is white"
    assert cells["z"][0][0] == pytest.approx(1.954243, abs=1e-6), "log10 of 90%"
    assert drawn(figure)["layout"]["yaxis"]["ticktext"] == [
        "1 ms", "2 ms", "4 ms", "8 ms", "16 ms", "32 ms",
    ]  # fmt: skip
    with pytest.raises(AnalysisError, match="a heat map shows one event"):
        plot_histogram_over_time(
            Measured(
                pl.concat(
                    [sample.histogram(2).frame, sample.histogram(2, event="log file sync").frame]
                )
            )
        )


@pytest.mark.parametrize(
    ("begin", "hours", "expected"),
    [
        ((2026, 3, 9, 6), 1.5, ["06:00<br>9 Mar 2026", "06:15", "06:30", "06:45", "07:00", "07:15",
                                "07:30"]),
        ((2025, 12, 31, 18), 12, ["18:00<br>31 Dec 2025", "20:00", "22:00", "00:00<br>1 Jan 2026",
                                  "02:00", "04:00", "06:00"]),
        ((2026, 3, 9, 6), 80, ["12:00<br>9 Mar 2026", "00:00<br>10 Mar", "12:00",
                               "00:00<br>11 Mar", "12:00", "00:00<br>12 Mar", "12:00"]),
        ((2026, 3, 9, 6), 96, ["10 Mar<br>2026", "11 Mar", "12 Mar", "13 Mar"]),
        ((2025, 11, 9, 6), 24 * 150, ["1 Dec<br>2025", "1 Jan<br>2026", "1 Feb", "1 Mar",
                                      "1 Apr"]),
    ],
)  # fmt: skip
def test_ticks_are_round_times_with_the_date_where_the_day_changes(begin, hours, expected):
    start = datetime(*begin)
    found = [text for _, text in ticks(start, start + timedelta(hours=hours), 560)]
    assert found == expected


def test_a_period_in_words_has_its_day_once():
    start = datetime(2026, 3, 9, 23, 30)
    assert interval(start, start + timedelta(minutes=20)) == "9 March 2026, 23:30 to 23:50"
    assert interval(start, start + timedelta(hours=1)) == (
        "9 March 2026, 23:30 to 10 March 2026, 00:30"
    )

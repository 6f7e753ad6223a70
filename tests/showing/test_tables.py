"""Tables: units in the header, raw values behind every cell, words where there is no number."""

from __future__ import annotations

import polars as pl
import pytest

from perfkit.analysis.curves.curves import latency_curve
from perfkit.analysis.curves.metrics import percentiles_note
from perfkit.analysis.over_time.cycles import drain_summary
from perfkit.core.errors import AnalysisError, UsageError
from perfkit.core.lineage import measured
from perfkit.showing.tables.load_points import (
    table_cycles,
    table_load_points,
    table_percentiles,
    table_points,
)
from perfkit.showing.tables.run import table_spec


def labels(table):
    return [column.label for column in table.columns]


def texts(table):
    return table.content()["rows"]


def test_load_points_have_units_in_the_header_and_intervals_beside(system):
    shown = table_load_points(latency_curve(system((1, 32))))
    assert labels(shown) == [
        "iodepth", "IOPS", "95% low", "95% high", "Throughput (MB/s)", "Mean latency (µs)",
        "95% low", "95% high", "Host CPU (%)",
    ]  # fmt: skip
    row = texts(shown)[1]
    assert [row[0], row[1], row[4], row[5], row[8]] == ["32", "76,190", "624.2", "420", "48.1"]
    found = latency_curve(system((1, 32))).frame.row(1, named=True)
    assert row[2:4] == [f"{found[key]:,.0f}" for key in ("iops_low", "iops_high")]
    assert shown.content()["values"][1][1] == pytest.approx(76190.476)
    assert "over 3 repeats" in shown.note


@pytest.mark.parametrize(
    ("loads", "printed"),
    [((0.25, 1), ["0.25", "1.00"]), ((2, 2.5), ["2.0", "2.5"]), ((1, 1e6), ["1", "1,000,000"])],
)
def test_loads_print_as_they_were_set(table, loads, printed):
    points = table([{"load": n, "iops": 5.0 + n, "lat_mean_s": 0.1} for n in loads])
    for shown in (table_load_points(latency_curve(points)), table_points(points)):
        assert [row[0] for row in texts(shown)] == printed


def test_load_points_as_read_are_shown_repeat_by_repeat(system):
    points = system((1, 32))
    shown = table_load_points(points)
    assert shown.content() == table_points(points).content()
    assert (shown.id, len(shown.rows)) == ("repeats", 6)
    assert table_load_points(measured(points)).content() == shown.content()
    with pytest.raises(AnalysisError, match="no rows of direction 'read'"):
        table_load_points(points, direction="read")


def test_a_curve_has_its_direction_and_takes_no_other(system):
    with pytest.raises(UsageError, match="direction 'read': a curve has its own"):
        table_load_points(latency_curve(system()), direction="read")


def test_one_repeat_says_that_there_is_no_interval(system):
    shown = table_load_points(latency_curve(system(repeats=1)))
    assert "95% low" not in labels(shown)
    assert shown.note == "One repeat per load point: no interval."


def test_two_repeats_are_marked_in_the_note(system):
    assert "one degree" in table_load_points(latency_curve(system(repeats=2))).note


def test_an_interval_that_leaves_the_value_open_is_not_printed_with_its_digits(table):
    """Two repeats of 100 and 100,000 IOPS: a low of 4e-15, and a high of 27 digits."""
    pairs = {1: (1000.0, 1010.0), 32: (100.0, 1e5)}
    rows = [
        {"load": load, "repeat": repeat, "iops": iops, "lat_mean_s": 1 / iops}
        for load, pair in pairs.items()
        for repeat, iops in enumerate(pair, 1)
    ]
    shown = table_load_points(latency_curve(table(rows)))
    low, high = (
        {row[0]: row[at] for row in shown.rows}
        for at in (n for n, c in enumerate(shown.columns) if c.label in {"95% low", "95% high"})
        if shown.columns[at - 1].key.startswith("iops")
    )
    assert (low[32], high[32]) == (None, None)
    assert 0 < low[1] < high[1]
    assert max(len(cell.text) for row in shown.cells() for cell in row) < 12
    assert shown.note.endswith("the repeats leave the value open, and neither is printed.")
    alike = table_load_points(latency_curve(table(rows[:2])))
    assert "leave the value open" not in alike.note


def test_a_missing_value_is_a_dash_never_zero(table):
    points = table([{"load": 1, "iops": 5.0, "lat_mean_s": 0.1}, {"load": 2, "iops": 6.0}])
    assert [row[2] for row in texts(table_load_points(latency_curve(points)))] == ["100.0", "–"]


def test_several_workloads_are_named_in_a_column(system):
    both = system(workload="a").vstack(system(workload="b"))
    assert labels(table_load_points(latency_curve(both)))[0] == "Workload"


def test_percentiles_share_one_unit_and_need_histograms_for_repeats(system):
    one = table_percentiles(latency_curve(system(repeats=1)))
    assert labels(one)[1:4] == ["Mean latency (ms)", "p50 (ms)", "p95 (ms)"]
    assert "p99.99" in one.note
    assert "never averaged" in table_percentiles(latency_curve(system(repeats=3))).note


def test_every_repeat_is_shown_as_measured(system):
    shown = table_points(system((4, 2)))
    assert [row[:2] for row in texts(shown)] == [
        ["2", "1"], ["2", "2"], ["2", "3"], ["4", "1"], ["4", "2"], ["4", "3"]
    ]  # fmt: skip
    with pytest.raises(AnalysisError, match="'read'"):
        table_points(system(), direction="read")


def test_cycles():
    key = {"workload": "epic-like", "load_kind": "rate_iops", "load": 1000.0, "repeat": 1}
    frame = pl.DataFrame([{**key, "cycle": i, "drain_s": 10.0 + i} for i in (1, 2)])
    cycles = table_cycles(drain_summary(frame))
    assert "GenIO-like, not GenIO" in cycles.caption
    assert texts(cycles)[0][:5] == ["1,000", "1", "2", "2", "12.0"]


def test_settings_read_as_words():
    spec = pl.DataFrame({"field": ["ramp_s", "direct", "block_size", "seed", "label"],
                         "value": ["1.5", "True", "8192", "7", None]})  # fmt: skip
    assert texts(table_spec(spec)) == [
        ["Ramp", "1.5 s"], ["Direct", "yes"], ["Block size", "8 KiB"], ["Seed", "7"]
    ]  # fmt: skip
    shape = {"block_mix": "8192/70:65536/30", "region.start": "1048576", "cpus": "0-3"}
    rows = pl.DataFrame({"field": list(shape), "value": list(shape.values())})
    assert texts(table_spec(rows)) == [
        ["Block mix", "70% 8 KiB, 30% 64 KiB"], ["Region start", "1 MiB"], ["CPUs", "0-3"]
    ]  # fmt: skip


def test_a_table_without_rows_is_an_error(system):
    with pytest.raises(AnalysisError, match="no rows"):
        table_load_points(latency_curve(system()).frame.clear())


def test_id_and_caption_can_be_given(system):
    shown = table_load_points(latency_curve(system())).renamed("mine").captioned("Mine.")
    assert (shown.id, shown.caption) == ("mine", "Mine.")
    assert [step.function for step in shown.lineage.steps][-1] == "value.captioned"


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        (["lat", "lat"], None),
        (["clat", "clat"], "completion latency, which leaves out the time of submission"),
        (["lat", "clat"], "in some rows"),
        ([None, None], None),
    ],
)
def test_percentiles_of_another_latency_than_the_mean_say_so(kinds, words):
    """A 95th percentile below the mean would look wrong, and be right: the note says why."""
    rows = [{"lat_p99_s": 0.1, "percentiles_of": kind} for kind in kinds]
    note = percentiles_note(rows)
    assert (note is None) if words is None else (words in note)
    assert percentiles_note([{"lat_p99_s": None, "percentiles_of": "clat"}]) is None

"""The host over time and by load: which samples count, what is drawn of them, what is refused."""

import polars as pl
import pytest
from places import TESTS

from perfkit.analysis.over_time.host_cpu import cpu_by_load
from perfkit.analysis.over_time.recorded import recorded_lines
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured, measured
from perfkit.core.schema import polars_schema
from perfkit.core.units import Format
from perfkit.showing.figures.host_cpu import plot_cpu_by_load
from perfkit.showing.figures.recorded import plot_recorded
from perfkit.showing.figures.xy import Axis, lines_chart
from perfkit.sources.host.iostat import read_iostat
from perfkit.sources.host.mpstat import read_mpstat
from perfkit.sources.host.sar import read_sar
from perfkit.sources.host.vmstat import read_vmstat
from perfkit.sources.rundir.schema import RUN_HOST_SERIES

DATA = TESTS / "data" / "host"


def series(rows):
    """A host series of rows that name only what matters."""
    usual = {"workload": "w", "load_kind": "iodepth", "load": 1.0, "repeat": 1}
    return pl.DataFrame([{**usual, **row} for row in rows], schema=polars_schema(RUN_HOST_SERIES))


def sample(t_s, busy, user=None, system=None, waiting=0.0, **keys):
    return {"t_s": t_s, "cpu_busy_ratio": busy, "cpu_user_ratio": user,
            "cpu_system_ratio": system, "cpu_iowait_ratio": waiting, **keys}  # fmt: skip


def spec(ramp_s):
    return pl.DataFrame({"field": ["ramp_s", "repeats"], "value": [ramp_s, "2"]})


def chart(figure):
    return figure.plotly.to_plotly_json()


def ys(figure):
    return [list(trace["y"]) for trace in chart(figure)["data"]]


# cpu_by_load


def test_the_mean_is_over_samples_after_the_ramp_then_over_repeats():
    """Repeat 1 has means 0.5 and 0.7 after the ramp, repeat 2 only 0.2: (0.6 + 0.2) / 2."""
    rows = [
        sample(1.0, 0.99, 0.9, 0.0), sample(2.0, 0.5, 0.3, 0.1), sample(3.0, 0.7, 0.4, 0.2),
        sample(1.0, 0.98, 0.9, 0.0, repeat=2), sample(2.0, 0.2, 0.1, 0.1, repeat=2),
    ]  # fmt: skip
    (row,) = cpu_by_load(series(rows), spec("1.0")).frame.rows(named=True)
    assert (row["samples"], row["repeats"]) == (3, 2)
    assert row["cpu_busy_ratio"] == pytest.approx(0.4)
    assert row["cpu_user_ratio"] == pytest.approx(0.225)
    assert row["cpu_system_ratio"] == pytest.approx(0.125)
    assert row["cpu_other_ratio"] == pytest.approx(0.05)


def test_without_a_spec_every_sample_counts():
    (row,) = cpu_by_load(series([sample(1.0, 0.2), sample(2.0, 0.4)])).frame.rows(named=True)
    assert row["cpu_busy_ratio"] == pytest.approx(0.3)


def test_a_part_that_one_sample_lacks_is_null_and_not_the_mean_of_the_rest():
    rows = [sample(1.0, 0.2, 0.1, 0.1), sample(2.0, 0.4, None, 0.1)]
    (row,) = cpu_by_load(series(rows)).frame.rows(named=True)
    assert (row["cpu_user_ratio"], row["cpu_other_ratio"]) == (None, None)
    assert row["cpu_system_ratio"] == pytest.approx(0.1)


def test_each_load_and_host_has_its_row():
    rows = [sample(1.0, 0.1 * n, load=float(n), host=host) for n in (1, 2) for host in ("a", "b")]
    frame = cpu_by_load(series(rows)).frame
    assert frame.select("load", "host").rows() == [(1.0, "a"), (1.0, "b"), (2.0, "a"), (2.0, "b")]


def test_the_mean_is_the_one_that_stands_beside_the_load_point():
    """A repeat's first interval begins at 0, whatever time the repeat before ended at."""
    rows = [sample(t, b, repeat=r) for r in (1, 2) for t, b in ((1.0, 0.9), (2.0, 0.3))]
    (row,) = cpu_by_load(series(rows), spec("0.5")).frame.rows(named=True)
    assert (row["samples"], row["cpu_busy_ratio"]) == (2, pytest.approx(0.3))


def test_a_run_shorter_than_its_ramp_is_an_error():
    with pytest.raises(AnalysisError, match="no sample of a load point after 5 s"):
        cpu_by_load(series([sample(1.0, 0.5)]), spec("5"))


# plot_cpu_by_load


def test_one_host_is_a_stack_of_what_it_did():
    rows = [sample(1.0, 0.55, 0.3, 0.2, 0.1, load=n) for n in (1.0, 4.0)]
    figure = plot_cpu_by_load(cpu_by_load(series(rows)))
    drawn = chart(figure)
    assert [trace["name"] for trace in drawn["data"]] == [
        "User code", "Kernel", "Interrupts and hypervisor", "Idle, waiting for I/O",
    ]  # fmt: skip
    assert [y[0] for y in ys(figure)] == pytest.approx([30.0, 20.0, 5.0, 10.0])
    assert drawn["layout"]["barmode"] == "stack"
    assert list(drawn["data"][-1]["text"]) == ["55.0", "55.0"]
    assert list(drawn["data"][0]["x"]) == ["1", "4"]
    assert figure.alt.endswith("w: 55.0% at iodepth 1, 55.0% at iodepth 4.")


def test_parts_that_are_nowhere_seen_are_not_drawn():
    figure = plot_cpu_by_load(cpu_by_load(series([sample(1.0, 0.5, 0.3, 0.2)])))
    assert [trace["name"] for trace in chart(figure)["data"]] == ["User code", "Kernel"]


def test_several_hosts_stand_beside_each_other_and_a_missing_one_leaves_a_gap():
    rows = [sample(1.0, 0.1, host="a"), sample(1.0, 0.2, host="b"),
            sample(1.0, 0.3, host="a", load=2.0)]  # fmt: skip
    figure = plot_cpu_by_load(cpu_by_load(series(rows)))
    assert [trace["name"] for trace in chart(figure)["data"]] == ["a", "b"]
    assert ys(figure) == [pytest.approx([10.0, 30.0]), [pytest.approx(20.0), None]]
    assert chart(figure)["layout"]["barmode"] == "group"


def test_curves_of_two_configurations_and_what_was_not_sampled_is_told():
    keys = {"workload": "w", "load_kind": "iodepth", "load": 1.0, "direction": "total"}
    curve = pl.DataFrame([
        {**keys, "config": "FC", "cpu_busy_ratio": 0.5},
        {**keys, "config": "NVMe/FC", "cpu_busy_ratio": 0.25},
        {**keys, "config": "FC", "load": 2.0, "cpu_busy_ratio": None},
    ])  # fmt: skip
    figure = plot_cpu_by_load(curve)
    assert [trace["name"] for trace in chart(figure)["data"]] == ["FC", "NVMe/FC"]
    assert ys(figure) == [[50.0], [25.0]]
    assert "Not drawn, for lack of a sample: 1." in figure.caption


def test_no_share_at_all_and_two_rows_of_one_bar_are_errors():
    keys = {"workload": "w", "load_kind": "iodepth", "load": 1.0}
    with pytest.raises(AnalysisError, match="nothing to draw"):
        plot_cpu_by_load(pl.DataFrame([{**keys, "cpu_busy_ratio": None}]))
    with pytest.raises(AnalysisError, match="two rows of w at load 1"):
        plot_cpu_by_load(pl.DataFrame([{**keys, "cpu_busy_ratio": 0.5}] * 2))


# plot_recorded


def drawn(rows, quantity="cpu_busy_ratio"):
    lines = recorded_lines(measured(rows if isinstance(rows, Measured) else pl.DataFrame(rows)))
    return plot_recorded(lines.filter(quantity=quantity))


def test_a_missing_sample_is_a_gap_in_the_line():
    figure = drawn({"t_s": [1.0, 2.0, 3.0], "cpu_busy_ratio": [0.1, None, 0.3]})
    assert ys(figure) == [[10.0, None, 30.0]]


def test_more_lines_than_a_panel_tells_apart_stand_in_several_and_a_page_of_them_is_the_most():
    axis = Axis("IOPS", Format("IOPS"))

    def lines(count):
        series = {f"{n}": [(1.0, 2.0)] for n in range(1, count + 1)}
        return chart(lines_chart(series, axis, axis, value_id="a", caption="A."))

    layout, data = lines(15)["layout"], lines(15)["data"]
    titles = [note["text"] for note in layout["annotations"]][:3]
    assert titles == ["<b>1 to 5</b>", "<b>6 to 10</b>", "<b>11 to 15</b>"]
    axes = [trace.get("xaxis", "x") for trace in data]
    assert axes == ["x"] * 5 + ["x2"] * 5 + ["x3"] * 5
    with pytest.raises(AnalysisError, match="73 lines are too many"):
        lines(73)


@pytest.mark.parametrize(
    ("last_s", "title", "x"),
    [(900.0, "(s)", 900.0), (1800.0, "(min)", 30.0), (36000.0, "(h)", 10.0)],
)
def test_the_time_axis_has_the_unit_of_its_length(last_s, title, x):
    figure = drawn({"t_s": [1.0, last_s], "cpu_busy_ratio": [0.1, 0.2]})
    assert title in chart(figure)["layout"]["xaxis"]["title"]["text"]
    assert chart(figure)["data"][0]["x"][-1] == pytest.approx(x)


@pytest.mark.parametrize(("count", "mode"), [(90, "lines+markers"), (91, "lines")])
def test_a_long_recording_has_lines_without_marks(count, mode):
    figure = drawn({"t_s": [float(t) for t in range(count)], "cpu_busy_ratio": [0.5] * count})
    assert chart(figure)["data"][0]["mode"] == mode


@pytest.mark.parametrize(
    ("read", "file", "quantity", "axis"),
    [
        (read_sar, "sar-12.6.1-udr-de_DE.txt", "cpu_busy_ratio", "the recording began (s)"),
        (read_mpstat, "mpstat-12.6.1-PALL.txt", "cpu_busy_ratio", "the recording began (s)"),
        (read_iostat, "iostat-12.6.1-xmt.txt", "disk_read_bytes_per_s", "the recording began (s)"),
        (read_vmstat, "vmstat-4.0.2-t.txt", "cpu_busy_ratio", "the recording began (s)"),
        (read_vmstat, "vmstat-4.0.2.txt", "cpu_busy_ratio", "Sample"),
    ],
)
def test_recordings_are_drawn_by_their_clock_or_else_by_sample(read, file, quantity, axis):
    table = read(DATA / file).host_series
    figure = drawn(table, quantity)
    assert axis in chart(figure)["layout"]["xaxis"]["title"]["text"]
    kept = table.frame
    if "since_boot" in kept.columns:
        kept = kept.filter(~pl.col("since_boot"))
    assert len([y for y in ys(figure)[0] if y is not None]) == kept[quantity].count()
    assert figure.lineage.traceable


def test_recordings_of_two_systems_are_told_apart_by_their_label():
    two = [
        read_sar(DATA / "sar-12.6.1-udr-de_DE.txt").host_series.frame.with_columns(
            system=pl.lit(name)
        )
        for name in ("db1", "db2")
    ]
    figure = drawn(measured(pl.concat(two)))
    names = [note["text"] for note in chart(figure)["layout"]["annotations"]]
    assert names == ["<b>db1</b>", "<b>db2</b>"]

"""Every family of charts with few, many and odd series: its texts meet nothing and stay inside."""

from __future__ import annotations

import json

import periods_sample as periods
import polars as pl
import pytest
from chart_layout import problems

import perfkit as pk
from perfkit.core.lineage import Measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.core.unanswered import Unanswered, answering
from perfkit.core.units import Format
from perfkit.reporting.write.charts import Chart, _drawing_page
from perfkit.reporting.write.floats import names_mm
from perfkit.showing.figures import distributions
from perfkit.showing.figures.bars import Bars
from perfkit.showing.figures.compare_time import plot_stalls
from perfkit.showing.figures.distributions import plot_latency_heatmap
from perfkit.showing.figures.genio import plot_runs
from perfkit.showing.figures.grid import MOST_CURVES, plot_load_grid
from perfkit.showing.figures.panel_lines import Limit
from perfkit.showing.figures.panels import MOST_PANELS
from perfkit.showing.figures.recorded import plot_recorded
from perfkit.showing.figures.reports import plot_wait_histogram
from perfkit.showing.figures.sas import plot_classes, plot_ratios
from perfkit.showing.figures.verdicts import plot_headroom
from perfkit.showing.figures.xy import Axis, lines_chart

pytestmark = pytest.mark.slow

COUNTS = [1, 2, 6, 7, 14, 40]
LOADS = (1, 2, 4, 8, 16, 32)


@pytest.fixture(scope="module")
def page():
    drawing = _drawing_page(None, 60)
    yield drawing
    drawing.close()


def name(n):
    return f"AFF A{n}00, adaptive QoS" if n % 2 else f"Array {n}"


def load_points(count, kind):
    """Curves of so many systems; ``kind`` says how their values lie."""
    rows = []
    for n in range(count):
        loads = (8,) if kind == "one point" else LOADS
        for load in loads:
            lat = 1e-4 * (1 + load / 8 + n / 20)
            if kind == "four orders":
                lat = 1e-5 * 10 ** (4 * LOADS.index(load) / (len(LOADS) - 1)) * (1 + n / 50)
            iops = 2e5 * (load / (load + 4)) * (1 + n / 10)
            if kind == "equal":
                lat, iops = 1e-3, 5e4
            missing = kind == "missing" and load == 4
            rows.append({
                **dict.fromkeys(LOAD_POINTS), "system": name(n), "workload": "mix",
                "load_kind": "iodepth", "load": float(load), "repeat": 1, "direction": "total",
                "iops": iops, "lat_mean_s": None if missing else lat,
                "lat_p50_s": lat * 0.9, "lat_p99_s": lat * 4, "lat_p999_s": lat * 9,
                "cpu_busy_ratio": None if missing else min(1.0, 0.02 * load),
            })  # fmt: skip
    return Measured(pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS)))


def curve(count, kind):
    return pk.latency_curve(load_points(count, kind))


def series(count, kind):
    rows = [
        {"system": name(n), "workload": "mix", "load_kind": "iodepth", "load": 8.0, "repeat": 1,
         "t_s": float(t), "interval_s": 1.0, "direction": "total",
         "ios": int(1000 * (n + 1) + (100 * t if kind != "equal" else 0))}
        for n in range(count) for t in range(1, 3 if kind == "one point" else 20)
        if not (kind == "missing" and t == 5)
    ]  # fmt: skip
    return Measured(pl.DataFrame(rows))


def bins(count, kind):
    rows = [
        {"system": name(n), "workload": "mix", "load_kind": "iodepth", "load": 8.0, "repeat": 1,
         "direction": "total", "value_s": value * (1 if kind == "equal" else 1 + n / 9),
         "count": 10 + n}
        for n in range(count)
        for value in ((1e-4,) if kind == "one point" else (1e-5, 1e-4, 1e-3, 1e-1))
    ]  # fmt: skip
    return Measured(pl.DataFrame(rows))


def recording(count, kind):
    rows = [
        {"t_s": float(t), "sample": t, "quantity": "cpu_busy_ratio", "things": count,
         "thing": f"host-{n}.rack-{n % 3}",
         "value":
         None if kind == "missing" and t == 3 else 0.5 if kind == "equal" else (n + t) / 100}
        for n in range(count) for t in range(1, 2 if kind == "one point" else 9)
    ]  # fmt: skip
    return Measured(pl.DataFrame(rows))


def runs(count, kind):
    rows = [
        {"system": None, "config": f"policy {n // 3}", "test": None, "host": f"epic-rhel{n % 3}",
         "run": run, "position": run, "longest_write_cycle_s":
         None if kind == "missing" and run == 2 else 30.0 * 10 ** (run if kind == "four orders"
         else 0) + (0 if kind == "equal" else n + run), "total_iops": 74e3 + n,
         "source_file": "a"}
        for n in range(count) for run in range(1, 2 if kind == "one point" else 5)
    ]  # fmt: skip
    return Measured(pl.DataFrame(rows))


def lines(count, kind):
    sign = -1 if kind == "negative" else 1
    given = {
        name(n): [(float(x), sign * (5.0 if kind == "equal" else
                   10.0**x if kind == "four orders" else x + n))
                  for x in range(1, 2 if kind == "one point" else 6)]
        for n in range(count)
    }  # fmt: skip
    return lines_chart(given, Axis("Runs of the test", Format("1", decimals=0)),
                       Axis("Elapsed time", Format("s", significant=3)), value_id="lines",
                       caption="Lines.", limit=Limit(4.0, "limit 4 s"))  # fmt: skip


def headroom(count, kind):
    rows = [
        {"server": name(n), "required_iops": None if kind == "missing" else 75e3,
         "last_pass_iops": 70e3 + 1e3 * n, "first_fail_iops": 80e3 * (n + 1) ** 2}
        for n in range(count)
    ]  # fmt: skip
    return plot_headroom(Measured(pl.DataFrame(rows)))


def classes(count, kind):
    rows = [
        {"system": name(n), "class": kind_, "runs": 3, "real_time_s_least": 50.0,
         "real_time_s_mean": 60.0 + n, "real_time_s_most": 80.0}
        for n in range(count) for kind_ in ("computation", "memory", "io")
    ]  # fmt: skip
    return plot_classes(Measured(pl.DataFrame(rows)))


def ratios(count, kind):
    rows = [
        {"system": f"Array {n}", "test": f"computation {t:02}", "class": "computation",
         "ratio_min": 0.5, "ratio_mean": 0.6, "ratio_max": 0.9}
        for n in range(2) for t in range(count)
    ]  # fmt: skip
    return plot_ratios(Measured(pl.DataFrame(rows)))


def bars(count, kind):
    values = [10.0 ** (n % 4 if kind == "four orders" else 1) for n in range(count)]
    names = [f"{name(n)}, {'a long name of a file' * (n % 3)}.html" for n in range(count)]
    return Bars(names, values, Format("s", decimals=1)).figure("b", "Time (s)", "Bars.", "Bars.")


def grid(count, kind):
    """A row for each number of jobs; one of them, or one load, alone is not a grid."""
    given = load_points(1, "plain" if kind == "one point" else kind).frame
    rows = [
        given.with_columns(held_kind=pl.lit("numjobs"), held=2.0**n, iops=pl.col("iops") * (n + 1))
        for n in range(max(2, min(count, MOST_CURVES)))
    ]
    return plot_load_grid(pk.latency_curve(Measured(pl.concat(rows))))


def single(count, kind):
    """Results of one load each, with names of several lines."""
    rows = load_points(count, kind).frame.filter(load=8)
    long = rows.with_columns(system=pl.concat_str(["system"] * 4, separator=" of "))
    return pk.plot_latency_curve(pk.latency_curve(Measured(long)))


def heat_map(count, kind):
    """A curve with so many loads."""
    frame = bins(1, kind).frame
    loads = [frame.with_columns(load=pl.lit(float(2**n))) for n in range(count)]
    return plot_latency_heatmap(Measured(pl.concat(loads)))


def waits(count, kind):
    edges = [2.0**n * 1e-6 for n in range(min(count, 26))]
    rows = [
        {"event": "db file sequential read", "range": "all", "level": "database", "instance": 1,
         "source_file": "a", "lower_s": low, "upper_s": None if n == len(edges) - 1 else low * 2,
         "waits_ratio": None if kind == "missing" and n == 1 else 1.0 / len(edges)}
        for n, low in enumerate(edges)
    ]  # fmt: skip
    return plot_wait_histogram(Measured(pl.DataFrame(rows)), "db file sequential read")


FAMILIES = {
    "grid": grid,
    "heat map": heat_map,
    "waits": waits,
    "latency curve": lambda n, kind: pk.plot_latency_curve(curve(n, kind), limit_s=3e-4,
                                                           points=load_points(n, kind)),
    "single results": single,
    "scaling": lambda n, kind: pk.plot_scaling(curve(n, kind)),
    "CPU": lambda n, kind: pk.plot_cpu(curve(n, kind)),
    "CPU by load": lambda n, kind: pk.plot_cpu_by_load(curve(min(n, 7), kind)),
    "fan": lambda n, kind: pk.plot_percentile_fan(curve(n, kind)),
    "histogram": lambda n, kind: distributions.plot_latency_histogram(bins(n, kind)),
    "IOPS over time": lambda n, kind: plot_stalls(series(n, kind)),
    "recording": lambda n, kind: plot_recorded(recording(n, kind)),
    "GenIO runs": lambda n, kind: plot_runs(runs(n, kind), against="run", limit_s=45.0),
    "lines": lines,
    "headroom": headroom,
    "classes": classes,
    "ratios": ratios,
    "bars": bars,
}  # fmt: skip
FEW = 7
KINDS = ["plain", "one point", "four orders", "equal", "missing"]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("family", FAMILIES)
def test_no_text_meets_another_a_mark_or_a_line(page, family, count):
    # how values lie matters in each panel; how many lines there are is tried on plain ones
    kinds = KINDS if count <= FEW else ["plain"]
    for kind in [*kinds, *(["negative"] if family == "lines" else [])]:
        figure = answering(FAMILIES[family])(count, kind)
        if isinstance(figure, Unanswered) and (family, kind) == ("scaling", "one point"):
            assert "every curve is of one load" in figure.reason
        elif isinstance(figure, Unanswered):
            assert "too many" in figure.reason, kind
            assert count > MOST_PANELS, kind
        else:
            assert problems(page, figure) == [], kind


@pytest.mark.parametrize("share", [0.75, 0.85, 1.15])
@pytest.mark.parametrize("count", [2, 7, 14, 40])
@pytest.mark.parametrize("family", ["latency curve", "CPU"])
def test_legend_titles_and_ticks_keep_apart_where_a_page_makes_a_chart_lower_or_higher(
    page, family, count, share
):
    figure = answering(FAMILIES[family])(count, "plain")
    if not isinstance(figure, Unanswered):
        inside = ("a mark", "a line")
        assert [x for x in problems(page, figure, share) if not x.endswith(inside)] == []


@pytest.mark.parametrize("count", [2, 7, 14, 40])
def test_no_name_of_a_row_meets_the_next_where_a_page_makes_the_chart_as_low_as_it_may(page, count):
    """ "jobs", the second line of a name, stood on the first line of the next."""
    figure = single(count, "plain")
    chart = Chart(json.loads(figure.plotly.to_json()), 165, figure.height_mm)
    assert names_mm(chart) <= figure.height_mm
    assert problems(page, figure, names_mm(chart) / figure.height_mm) == []


OVER_TIME = {
    "load": lambda n, how: pk.awr.plot_periods(
        periods.over_time(n, **how), periods.periods(n, restart=n // 2, **how),
        periods.worst(n, ranks=min(n, 5), **how)),
    "load and waits": lambda n, how: pk.awr.plot_periods(
        periods.over_time(n, **how), panels=["sessions", "rates", "waits"]),
    "sessions": lambda n, how: pk.awr.plot_sessions_over_time(periods.sessions(n, **how)),
    "bands": lambda n, how: pk.awr.plot_latency_bands(periods.bands(n, **how)),
    "heat map": lambda n, how: pk.awr.plot_histogram_over_time(periods.histogram(n, **how)),
}  # fmt: skip


@pytest.mark.parametrize("count", [1, 3, 30, 85, 1000])
@pytest.mark.parametrize("family", OVER_TIME)
def test_no_text_of_a_series_meets_another(page, family, count):
    """From one period to three weeks of half hours, with a gap and without."""
    for how in ({}, {"gap": count // 2}) if count > 1 else ({},):
        assert problems(page, OVER_TIME[family](count, how)) == [], how

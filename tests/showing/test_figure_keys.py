"""Over every folder of real evidence: no bar, point or line of a chart holds rows of two keys."""

from __future__ import annotations

import shutil

import polars as pl
import pytest
from figure_keys import charts_of, problems
from places import ROOT

import perfkit as pk
from perfkit.cli.app import run
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.core.units import Format
from perfkit.showing.figures.bars import Bars

REAL = ROOT.parent / "shared/real"
FOLDERS = [
    "awr", "elbencho", "fio", "sas", "foreign/elbencho_2.1", "foreign/fio_3.6_folder",
    "foreign/slob_run", "foreign/awr_series_day.tar.xz",
]  # fmt: skip


def bar(x, name="a", **more):
    return {"type": "bar", "x": x, "y": [1.0] * len(x), "name": name, **more}


def line(x, name="a"):
    return {"type": "scatter", "mode": "lines", "x": x, "y": list(range(len(x))), "name": name}


@pytest.mark.parametrize(
    ("traces", "layout", "words"),
    [
        ([bar(["r", "r"])], {}, "two bars of 'a' stand at 'r' and are stacked"),
        ([bar([1.0, 1.0], orientation="h") | {"x": [1, 2], "y": ["r", "r"]}], {}, "at 'r'"),
        ([bar(["r"]), bar(["r"])], {}, "two traces of bars are called 'a'"),
        ([bar(["r"]), bar(["r"], "b")], {"barmode": "overlay"}, "laid over each other"),
        ([line([1, 2, 1])], {}, "line 'a' comes back to '1'"),
        ([line([1, 1, 1, 2])], {}, "has 3 points at one place"),
        ([bar(["r"]), bar(["r"], "b")], {"barmode": "stack"}, None),
        ([line([1, 1, 2, 2, None, 3])], {}, None),
    ],
)
def test_the_checker_catches_what_it_must(traces, layout, words):
    found = problems({"data": traces, "layout": layout})
    assert (not found) if words is None else any(words in text for text in found)


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS)
def test_no_chart_of_a_real_folder_holds_two_keys_in_one_mark(name, tmp_path):
    """A folder that is refused draws nothing; one that is reported draws nothing twice."""
    place = REAL / name
    if not place.exists():
        pytest.skip("the real files are not at hand")
    folder = tmp_path / "folder"
    if place.is_dir():
        shutil.copytree(place, folder)
    else:
        shutil.unpack_archive(place, folder)
    assert run(["study", "new", str(folder)]) == 0
    code = run(["report", str(folder), "-o", str(tmp_path / "out")])
    notebooks = list((tmp_path / "out").glob("*.ipynb"))
    charts = [chart for path in notebooks for chart in charts_of(path)]
    assert [text for chart in charts for text in problems(chart)] == []
    if name.startswith("foreign/awr_series"):
        assert code in {0, 3}
        assert len(charts) >= 2


def points(*sources, repeat=(1, 2)):
    rows = [
        {"source": name, "system": "A", "workload": "w", "load_kind": "iodepth", "load": load,
         "repeat": number, "direction": "total", "iops": load * 1000 + number, "lat_mean_s": 1e-3,
         "lat_p99_s": 2e-3, "cpu_busy_ratio": 0.5, "ios": 1000}
        for name, number in zip(sources, repeat, strict=True) for load in (1.0, 2.0, 4.0)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema={**polars_schema(LOAD_POINTS), "source": pl.String})


def test_the_charts_of_a_curve_have_a_point_a_load():
    curve = pk.latency_curve(points("a", "b"))
    for figure in (pk.plot_latency_curve(curve), pk.plot_cpu_by_load(curve)):
        assert problems(figure.content()["plotly"].copy()) == []


def test_events_of_one_name_have_a_bar_each():
    """Text reports cut names off: two events may print alike."""
    bars = Bars(["SQL*Net message from dblin"] * 2, [1.0, 2.0], Format("s", decimals=1))
    chart = bars.figure("events", "Total time (s)", "Events.", "Bars.").content()["plotly"]
    assert list(chart["data"][0]["y"]) == [
        "SQL*Net message from dblin (1)", "SQL*Net message from dblin (2)",
    ]  # fmt: skip
    assert problems(chart) == []

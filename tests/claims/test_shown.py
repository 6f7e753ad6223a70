"""No table and no chart shows what its load points do not: random curves, read back cell by cell.

The values are those of ``facts``, the readers ``cells`` and ``marks``; none uses perfkit.
"""

import functools
import importlib
import inspect
import pkgutil
import random

import pytest
from claims import cells, curves, facts, marks, shown, slips, told
from claims.curves import Point
from claims.reader import Known
from polars.exceptions import PolarsError

import perfkit as pk
from perfkit import analysis
from perfkit.core.errors import PerfkitError
from perfkit.core.lineage import Measured
from perfkit.showing import figures, tables

CASES = 60
"""One or two curves each; tests/bench has ten thousand curves."""

READ = {"tables": (shown.tables, cells.check), "charts": (shown.figures, marks.check)}


@functools.cache
def case(seed):
    """The points of a case with their answers, made once, and what goes on drawing behind it."""
    draw = random.Random(seed)
    points = curves.systems(draw)
    return shown.case(points, told.values_asked(draw, points)), draw.getstate()


@pytest.mark.slow
@pytest.mark.parametrize("kind", READ)
def test_none_shows_what_is_untrue_and_slips_are_found(kind):
    """Each is true as it is; with one cell, point or name changed, 95 in 100 are found untrue."""
    made, check = READ[kind]
    caught = tried = 0
    for seed in range(20_000, 20_000 + CASES):
        of, drawn = case(seed)
        draw = random.Random()
        draw.setstate(drawn)
        for item in made(of):
            assert check(item, of) is None, (seed, item.name, item.question)
            changed = slips.slipped(draw, item)
            if changed is not None:
                tried += 1
                caught += check(changed, of) is not None
    assert tried > 5 * CASES
    assert caught >= 0.95 * tried, f"{caught} of {tried}"


def test_curves_that_can_be_answered_get_a_number():
    """Silence would be no untruth either: nine in ten whole curves have the most IOPS within."""
    whole = numbered = 0
    for seed in range(20_000, 20_000 + CASES):
        of, _ = case(seed)
        limit = of.asked.limits[0]
        given = of.estimates("most_iops_within_latency")
        for who, curve in facts.curves(of.points).items():
            sound = all(f.values["iops"] and f.values["lat"] is not None for f in curve)
            if sound and min(f.values["lat"] for f in curve) <= limit:
                whole += 1
                numbered += given[who] is not None
    assert whole > CASES / 4
    assert numbered >= 0.9 * whole


# --- none is forgotten --------------------------------------------------------------------------

APART = {
    "plot_rounds": "draws each round as it is: tests/showing/test_conduct.py holds every value",
    "tables_series": "attaches frames as they are: tests/showing/test_awr_series_tables.py",
}


def test_every_table_and_chart_of_load_points_is_read():
    """Each public one that can be made of load points, or of what is made of them, is held."""
    held = {name.partition(" ")[0] for name in [*shown.TABLES, *shown.FIGURES, *shown.COMPARED]}
    assert (shown_of_load_points() | {"table_criteria"}) - set(APART) == held
    assert not held & set(APART)


def shown_of_load_points():
    """The tables and charts that take load points, or what a step of the analysis makes of them."""
    points = [Point(who, float(2**n), 1, 1e5, 1e-3 * 2**n) for who in ("Ash",) for n in range(5)]
    both = points + [Point("Birch", p.load, 1, 2e5, p.lat) for p in points]
    one, two = (
        shown.case(these, Known(these, (2e-3,), (1e5,), (1.0,))) for these in (points, both)
    )
    made = [one.measured, one.curve, two.compared]
    steps = public(analysis).values()
    for data in list(made):
        for step in steps:
            if _takes(step, 1):
                made += [got for got in [_of(step, data)] if isinstance(got, Measured)]
    found = set()
    for name, make in {**public(tables), **public(figures)}.items():
        if name.startswith(("table", "plot")):
            given = [(data,) for data in made] + [([data],) for data in made]
            if _takes(make, 2):
                given = [(one.curve, data) for data in made]
            found |= {name for data in given if _of(make, *data) is not None}
    return found


def public(room):
    """The functions of all modules of a room whose names do not begin with an underscore."""
    found = {}
    for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
        names = vars(importlib.import_module(module.name))
        found |= {
            name: value for name, value in names.items()
            if inspect.isfunction(value) and not name.startswith("_")
            and value.__module__ == module.name
        }  # fmt: skip
    return found


def _takes(function, count):
    """Whether it needs so many frames and nothing else."""
    if not inspect.isfunction(function):
        return False
    needed = [p for p in inspect.signature(function).parameters.values()
              if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]  # fmt: skip
    return len(needed) == count and all(p.annotation == "Measured" for p in needed)


def _of(make, *data):
    try:
        found = make(*data)
        return None if isinstance(found, list) and not found else found
    except (PerfkitError, PolarsError, AttributeError, TypeError, KeyError, ValueError):
        return None


# --- what was once shown wrongly ----------------------------------------------------------------


def points_of(who, rows):
    return [Point(who, float(load), 1, iops, lat) for load, iops, lat in rows]


def shown_of(points, limit=1e-3, rate=1e5, load=1.0):
    of = shown.case(points, Known(points, (limit,), (rate,), (load,)))
    return of, {
        (item.name, item.question): item for item in (*shown.tables(of), *shown.figures(of))
    }


def column(table, label):
    place = next(i for i, c in enumerate(table.data["columns"]) if c["label"] == label)
    return [row[place] for row in table.data["rows"]]


SMALL = points_of("Ash", [(1, 0.043, 40e-9), (2, 5000.0, 2e-3)])


def test_no_value_above_0_prints_as_0():
    """The smallest of a column has two digits: 0.043 IOPS were 0.0, and 40 ns were 0.0 µs."""
    _, made = shown_of(SMALL)
    table = made["table_load_points", None]
    assert column(table, "IOPS") == ["0.043", "5,000.000"]
    assert column(table, "Mean latency (µs)") == ["0.040", "2,000.000"]


def test_the_end_of_an_interval_does_not_print_as_0():
    points = [Point("Ash", 1.0, n, iops, 1e-3) for n, iops in ((1, 12.0), (2, 20.0))]
    _, made = shown_of(points)
    table = made["table_load_points", None]
    assert column(table, "IOPS") == ["16"]
    assert column(table, "95% low") == ["0.62"]


def test_how_far_a_curve_got_is_told_apart_from_the_value_asked_at():
    near = points_of("Ash", [(1, 1e4, 100e-6), (2, 2e4, 499.96e-6)])
    _, made = shown_of([*near, *points_of("Birch", [(1, 1e4, 1e-4), (2, 2e4, 1e-3)])], limit=500e-6)
    assert column(made["table_comparison", "iops_at_latency"], "Ash") == ["not reached (499.96 µs)"]


def test_the_load_of_the_laws_peak_has_two_digits():
    rows = [(n, 1000 * n / (1 + 0.03 * n * (n - 1)), 1e-3) for n in (1, 2, 4, 8)]
    _, made = shown_of(points_of("Ash", rows))
    assert column(made["table_scaling", None], "Load at the peak") == ["5.8"]


HOLE = points_of("Ash", [(1, 1e3, 1e-3), (2, 2e3, 1e-3), (4, 3e3, None), (8, 4e3, 2e-3)])


def test_percentiles_are_not_drawn_over_a_load_without_them():
    _, made = shown_of(HOLE)
    data = made["plot_percentile_fan", None].data
    assert data["layout"]["xaxis"]["ticktext"] == ["1", "2", "4", "8"]
    assert data["data"][0]["y"] == pytest.approx([0.8, 0.8, None, 1.6])


def test_a_band_has_the_gaps_of_its_line():
    rows = [(p, 1.0 + 0.01 * n) for n in (0, 1) for p in HOLE]
    points = [Point("Ash", p.load, int(f > 1) + 1, p.iops, p.lat and p.lat * f) for p, f in rows]
    of, made = shown_of(points)
    (band,) = [t for t in made["plot_latency_curve bands", None].data["data"]
               if t["name"] == "mix, interval"]  # fmt: skip
    assert [x is None for x in band["x"]] == [False] * 4
    (line,) = [t for t in made["plot_latency_curve bands", None].data["data"]
               if t["name"] == "mix"]  # fmt: skip
    assert [bool(length) for length in line["error_y"]["array"]] == [False] * 3 + [True]
    assert marks.check(made["plot_latency_curve bands", None], of) is None


def test_host_cpu_by_load_needs_no_iops():
    points = points_of("Ash", [(1, None, 1e-3), (2, 2e3, 1e-3)])
    _, made = shown_of(points)
    assert made["plot_cpu_by_load", None].data["data"][0]["x"] == ["1", "2"]


def test_a_change_that_is_a_bound_says_so_in_the_chart():
    """The peak of Birch is at its highest load: it may be more than twice."""
    ash = points_of("Ash", [(1, 1e3, 1e-3), (2, 2e3, 1e-3), (4, 1e3, 4e-3)])
    _, made = shown_of([*ash, *points_of("Birch", [(1, 1e3, 1e-3), (2, 5e3, 1e-3)])])
    chart = made["plot_differences", "peak_iops"].data
    assert chart["data"][0]["customdata"] == [
        "at the peak: ≥ 2.5 times<br>Birch: ≥ 5,000 IOPS, 1 repeat<br>Ash: 2,000 IOPS, 1 repeat"
    ]
    assert [note["text"] for note in chart["layout"]["annotations"]] == ["≥ 2.5 times"]


def test_a_curve_without_io_is_drawn_at_0_and_has_no_plateau():
    of, made = shown_of(points_of("Ash", [(1, 0.0, None), (2, 0.0, None), (4, 0.0, None)]))
    assert made["plot_scaling", None].data["data"][0]["y"] == [0.0, 0.0, 0.0]
    (told_,) = pk.say(pk.plateau(of.measured), "plateau")
    assert "it did no I/O at any load" in told_.text

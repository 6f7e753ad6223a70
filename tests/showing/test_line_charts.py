"""Panels, scales, text and differences of charts: exact values from known input."""

from __future__ import annotations

import importlib.util
import struct
from pathlib import Path

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.curves.series import by_label
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.core.text_size import lines_of, shortened, width_of
from perfkit.showing import style
from perfkit.showing.figures.axes import places_of
from perfkit.showing.figures.bars import plots_printed
from perfkit.showing.figures.line_chart import draw
from perfkit.showing.figures.panel_lines import Limit, Line
from perfkit.showing.figures.panels import MOST_LINES, places
from perfkit.showing.figures.scales import Scale, nice_above, share_above, wide

# --- panels ---------------------------------------------------------------------------------------


def test_up_to_six_lines_share_a_panel_and_have_their_whole_names():
    found = places([("A", str(n)) for n in range(MOST_LINES)])
    assert [(p.panel, p.name, p.look) for p in found[:2]] == [("", "A, 0", 0), ("", "A, 1", 1)]
    assert {p.panel for p in found} == {""}


def test_more_lines_are_parted_by_what_gives_the_fewest_panels_and_looks_stay():
    names = [(rw, f"{jobs} jobs") for rw in ("read", "write") for jobs in (1, 2, 4, 8)]
    found = places(names)
    assert [p.panel for p in found] == ["read"] * 4 + ["write"] * 4
    assert [p.name for p in found[:4]] == [p.name for p in found[4:]]
    assert [p.look for p in found] == [0, 1, 2, 3] * 2


@pytest.mark.parametrize("count", [6, 14, 15, 28, 40, 72])
def test_no_two_lines_of_a_panel_have_the_same_dash(count):
    """In grey print colours tell nothing apart."""
    dashes = {}
    for place in places([(f"system {n}",) for n in range(count)]):
        dashes.setdefault(place.panel, []).append(style.series(place.look)["dash"])
    assert all(len(set(own)) == len(own) for own in dashes.values())


def test_a_curve_without_the_keys_of_the_others_has_its_name_of_the_tables():
    rows = [
        {**dict.fromkeys(LOAD_POINTS), "config": config, "held": held, "held_kind": "numjobs",
         "workload": "WRITE", "load": 1.0, "load_kind": "iodepth", "direction": "total"}
        for config, held in (("a", 1.0), (None, None), ("b", 4.0))
    ]  # fmt: skip
    names = [place.name for place in places_of(by_label(rows))]
    assert names == list(by_label(rows)) == ["a, 1 job", "WRITE", "b, 4 jobs"]


def test_a_name_looks_the_same_in_every_panel_and_no_two_names_alike():
    ranges = {"a": range(5), "b": range(3, 9), "c": range(0, 12, 2)}
    found = places([(f"system {n}", mix) for mix, own in ranges.items() for n in own])
    looks = {place.name: place.look for place in found}
    assert all(looks[place.name] == place.look for place in found)
    assert len(set(looks.values())) == len(looks) == 10


def test_what_is_still_too_much_for_a_panel_follows_in_the_next_under_its_ends():
    found = places([("read", f"{n} jobs") for n in range(1, 8)])
    titles = list(dict.fromkeys(p.panel for p in found))
    assert titles == ["read: 1 jobs to 4 jobs", "read: 5 jobs to 7 jobs"]
    assert len(found) == 7


def test_workloads_of_several_systems_stand_apart_and_of_one_each_do_not():
    compared = places([("FCP", "w1"), ("FCP", "w2"), ("NVMe", "w1"), ("NVMe", "w2")], apart=1)
    assert [p.panel for p in compared] == ["w1", "w2", "w1", "w2"]
    assert {p.panel for p in places([("w1",), ("w2",)], apart=0)} == {""}


@pytest.mark.parametrize("count", [1, 6, 7, 14, 40, 72])
def test_no_line_is_dropped_and_no_panel_holds_more_than_six(count):
    found = places([(f"system {n}",) for n in range(count)])
    sizes = [sum(p.panel == title for p in found) for title in {p.panel for p in found}]
    assert sum(sizes) == count
    assert max(sizes) <= MOST_LINES


def test_more_lines_than_a_page_holds_are_refused():
    with pytest.raises(AbsentError, match="73 lines are too many for one chart"):
        places([(f"system {n}",) for n in range(73)])


# --- scales ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "above"), [(38, 40), (24, 25), (99, 100), (0.4, 0.5), (0, 1)])
def test_an_axis_ends_at_a_round_number_above(value, above):
    assert nice_above(value) == pytest.approx(above)


def test_a_share_never_ends_far_above_the_whole():
    assert share_above(100) == 104
    assert share_above(24.2) == 25


def test_orders_of_magnitude_are_two_and_need_values_above_zero():
    assert wide([1.0, 100.0])
    assert not wide([1.0, 99.0])
    assert not wide([0.0, 100.0])


def test_a_linear_axis_holds_zero_and_what_lies_below():
    assert Scale("s").range([5.0, 10.0]) == pytest.approx((0, 10.8))
    low, high = Scale("s").range([-5.0, -1.0])
    assert low < -5
    assert high > -1
    assert Scale("s", low=None).range([100.0, 200.0]) == pytest.approx((96, 216))


def test_a_log_axis_says_so():
    assert Scale("Latency (ms)", log=True).heading(500) == ["Latency (ms, log scale)"]
    ticks = Scale("", log=True).axis((-1.0, 2.0), 300, high=True)
    assert ticks["ticktext"][:4] == ["0.1", "0.2", "0.5", "1"]


def test_rates_have_k_from_ten_thousand_on():
    ticks = Scale("IOPS", rate=True).axis((0, 400_000), 500, high=False)
    assert ticks["labelalias"]["100k"] == "100K"
    # a plateau's band makes the axis longer afterwards
    assert (
        Scale("IOPS", rate=True).axis((0, 316_050), 500, high=False)["labelalias"]["400k"] == "400K"
    )
    assert "labelalias" not in Scale("IOPS", rate=True).axis((0, 9_000), 500, high=False)


def test_loads_that_would_meet_are_told_in_part():
    ticks = {float(n): f"{10**n:,}" for n in range(8)}
    shown = Scale("iodepth", ticks=ticks).axis((-0.4, 7.4), 150, high=False)
    assert shown["ticktext"][0] == "1"
    assert 1 < len(shown["ticktext"]) < 8


# --- text -----------------------------------------------------------------------------------------


def advance(face, character):
    """The width of a character in thousandths, read from the typeface's own tables."""
    origin = importlib.util.find_spec("font_source_sans_pro").origin
    data = (Path(origin).parent / "files" / f"SourceSansPro-{face}.ttf").read_bytes()
    tables = {}
    for n in range(struct.unpack(">H", data[4:6])[0]):
        tag, _, offset, _ = struct.unpack(">4sIII", data[12 + 16 * n : 28 + 16 * n])
        tables[tag] = offset
    cmap = tables[b"cmap"]
    for n in range(struct.unpack(">H", data[cmap + 2 : cmap + 4])[0]):
        start = cmap + struct.unpack(">I", data[cmap + 8 + 8 * n : cmap + 12 + 8 * n])[0]
        if struct.unpack(">H", data[start : start + 2])[0] == 4:
            break
    segments = struct.unpack(">H", data[start + 6 : start + 8])[0] // 2

    def table(which):
        at = start + 14 + which * 2 * segments + (2 if which else 0)
        return struct.unpack(f">{segments}H", data[at : at + 2 * segments])

    ends, starts, deltas, offsets = (table(n) for n in range(4))
    code = ord(character)
    i = next(n for n, end in enumerate(ends) if end >= code)
    if offsets[i]:
        at = start + 16 + 6 * segments + 2 * i + offsets[i] + 2 * (code - starts[i])
        glyph = struct.unpack(">H", data[at : at + 2])[0] + deltas[i] & 0xFFFF
    else:
        glyph = code + deltas[i] & 0xFFFF
    units = struct.unpack(">H", data[tables[b"head"] + 18 : tables[b"head"] + 20])[0]
    count = struct.unpack(">H", data[tables[b"hhea"] + 34 : tables[b"hhea"] + 36])[0]
    at = tables[b"hmtx"] + 4 * min(glyph, count - 1)
    return struct.unpack(">H", data[at : at + 2])[0] * 1000 / units


@pytest.mark.parametrize(("face", "bold"), [("Regular", False), ("Bold", True)])
def test_widths_are_those_of_the_typeface(face, bold):
    for code in range(32, 127):
        width = width_of(chr(code), 1000, bold=bold)
        assert width == pytest.approx(advance(face, chr(code)), abs=1.01), chr(code)


def test_names_are_broken_at_spaces_and_the_last_line_keeps_their_end():
    assert lines_of("one two", 1000) == ["one two"]
    assert lines_of("one two", width_of("one two") - 1) == ["one", "two"]
    long = lines_of("x" * 400 + " end", 100)
    assert len(long) == 3
    assert long[-1].startswith("…")
    assert long[-1].endswith("end")
    assert all(width_of(line) <= 100 for line in long)
    assert shortened("short", 100) == "short"
    assert shortened("no room at all", 0) == "…"
    assert lines_of("no room at all", -20)[-1] == "…"


# --- lines ----------------------------------------------------------------------------------------


def line(ys, name="", panel="", xs=None):
    trace = {"type": "scatter", "mode": "lines+markers", "name": name or "a",
             "x": xs or list(range(len(ys))), "y": ys, "line": {"color": "#000000"},
             "marker": {"size": 7}}  # fmt: skip
    return Line(trace, name, panel)


def test_names_that_find_no_room_stand_in_a_legend_all_of_them_and_each_once():
    names = [
        f"a system with a name that is very much longer than it should be, number {n}"
        for n in range(6)
    ]
    chart = draw([line([1.0, 1.0 + n / 9], name) for n, name in enumerate(names)],
                 Scale("x"), Scale("y"))  # fmt: skip
    assert chart.layout["annotations"] == []
    assert [t["name"] for t in chart.data if t["showlegend"]] == names
    alone = draw([line([1.0, 2.0], "A"), line([3.0, 4.0], "B")], Scale("x"), Scale("y"))
    assert [note["text"] for note in alone.layout["annotations"]] == ["<b>A</b>", "<b>B</b>"]
    assert chart.height_mm > alone.height_mm


def test_a_chart_that_is_higher_than_a_page_with_its_legend_is_refused():
    """Its panels stood over the foot of the page, and the last names of its legend were cut off."""
    name = "a folder with a name as long as folders have in a study of many parts, result {}"
    lines = [line([1.0, 2.0], name.format(n), f"workload {n % 8}") for n in range(36)]
    draw(lines[:8], Scale("x"), Scale("y"), legend=True)
    with pytest.raises(AbsentError, match="36 lines are too many for one chart"):
        draw(lines, Scale("x"), Scale("y"), legend=True)


def test_panels_have_the_same_axes():
    lines = [line([1.0, 5.0], "A", "one"), line([2.0, 9.0], "A", "two")]
    layout = draw(lines, Scale("x"), Scale("y")).layout
    assert layout["xaxis"]["range"] == layout["xaxis2"]["range"]
    assert layout["yaxis"]["range"] == layout["yaxis2"]["range"]


def test_a_panel_that_a_common_axis_would_squeeze_has_its_own_and_the_caption_says_so():
    lines = [line([1.0, 2.0], "A", "one", [1, 10]), line([1.0, 2.0], "A", "two", [1, 1000])]
    kept, own = (draw(lines, Scale("IOPS", own=asked), Scale("y")) for asked in (False, True))
    assert kept.layout["xaxis"]["range"] == kept.layout["xaxis2"]["range"]
    assert own.layout["xaxis"]["range"] != own.layout["xaxis2"]["range"]
    assert own.note == " Each panel has its own axis of IOPS."


def test_times_of_panels_far_apart_stand_on_a_log_axis():
    lines = [line([0.2, 0.9], "A", "one"), line([0.2, 9.0], "A", "two")]
    axis = draw(lines, Scale("x"), Scale("Latency (ms)", time=True)).layout["yaxis"]
    assert axis["type"] == "log"
    assert axis["title"]["text"] == "Latency (ms, log scale)"


def test_a_limit_is_told_in_every_panel_or_in_the_caption():
    both = [line([1.0, 5.0], "A", "one"), line([2.0, 4.0], "A", "two")]
    chart = draw(both, Scale("x"), Scale("y"), limit=Limit(3.0, "limit 3 s"))
    assert [shape["y0"] for shape in chart.layout["shapes"]] == [3.0, 3.0]
    assert sum(n["text"] == "limit 3 s" for n in chart.layout["annotations"]) == 2
    far = draw(both, Scale("x"), Scale("y"), limit=Limit(300.0, "limit 300 s"))
    assert far.layout["shapes"] == []
    assert "limit 300 s lies above" in [n["text"] for n in far.layout["annotations"]]


# --- differences ----------------------------------------------------------------------------------


def compared(factors, spread):
    rows = [
        {**dict.fromkeys(LOAD_POINTS), "system": system, "workload": "w", "load_kind": "threads",
         "direction": "total", "load": float(load), "repeat": r, "lat_mean_s": 1e-3,
         "iops": 1000.0 * load * factor * (1 + (r - 2) * spread[load])}
        for system, factor in factors.items() for load in spread for r in (1, 2, 3)
    ]  # fmt: skip
    points = Measured(pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS)))
    return pk.compare(points, loads=[float(load) for load in spread])


def test_a_difference_that_is_not_shown_is_told_in_words():
    figure = pk.plot_differences(compared({"A": 1.0, "B": 1.5}, {1: 0.01, 2: 0.4}),
                                 question="iops_at_load")  # fmt: skip
    assert list(figure.plotly.data[0].y) == pytest.approx([50.0])
    assert figure.caption.endswith("Not drawn, because no difference is shown: w 2.")


def test_a_chart_without_any_difference_is_a_sentence():
    refused = pk.plot_differences(compared({"A": 1.0, "B": 1.1}, {1: 0.4, 2: 0.5}),
                                  question="iops_at_load")  # fmt: skip
    assert refused.reason.startswith("no difference of IOPS at equal load is shown")


def test_a_whisker_that_would_flatten_the_others_is_cut_and_its_arrow_said():
    spread = {1: 0.01, 2: 0.01, 3: 0.01, 4: 0.01, 5: 0.085}
    figure = pk.plot_differences(compared({"A": 1.0, "B": 1.5}, spread), question="iops_at_load")
    arrows = [note for note in figure.plotly.layout.annotations if note.showarrow]
    assert arrows
    assert figure.caption.endswith("An arrow ends an interval that reaches beyond the axis.")
    assert [arrow.y for arrow in arrows] == pytest.approx([100.0])
    assert figure.plotly.data[0].error_y.array[4] > 50


# --- printed tables -------------------------------------------------------------------------------


def cell(row, column, value, *, unit="min", footer=False):
    return {"table_id": "table-2", "document": "A paper", "table": "Table 2", "title": "Times.",
            "part": "results", "row": row, "row_name": f"System {row}", "column": column,
            "column_label": f"Time {column}", "text": None if value is None else f"{value:.2f}",
            "unit": unit, "value": value, "footer": footer}  # fmt: skip


def printed(*cells):
    return {"table-2": Measured(pl.DataFrame(cells))}


def test_printed_numbers_of_a_unit_stand_side_by_side_as_they_are_printed():
    cells = [cell(r, c, r * 100.0 + c) for r in (1, 2) for c in (1, 2)]
    cells += [cell(1, 3, 9.0, unit="GB"), cell(2, 3, 9.0, unit="GB"),
              cell(3, 1, -5.0, footer=True)]  # fmt: skip
    [figure] = plots_printed(printed(*cells), part="results", unit="min")
    assert [trace.name for trace in figure.plotly.data] == ["System 1", "System 2"]
    assert [list(trace.x) for trace in figure.plotly.data] == [[101, 102], [201, 202]]
    assert list(figure.plotly.data[0].text) == ["101.00", "102.00"]
    assert figure.caption == "Times. Bars are the numbers in min."
    assert "System 2, Time 2: 202.00 min" in figure.alt


def test_a_table_that_compares_nothing_has_no_chart():
    assert (
        plots_printed(printed(cell(1, 1, 1.0), cell(1, 2, 2.0)), part="results", unit="min") == []
    )
    assert (
        plots_printed(printed(cell(1, 1, 1.0), cell(2, 1, 2.0)), part="results", unit="min") == []
    )

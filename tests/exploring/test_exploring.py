"""Exploring a comparison: what is offered, shown, refused and taken along; nothing in a report."""

from __future__ import annotations

import json

import polars as pl
import pytest
from places import ROOT

import perfkit as pk
from perfkit.analysis.compare.asked import asked_at, changes_asked
from perfkit.core.errors import AnalysisError, UsageError
from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.lineage import Measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.exploring.answer import Choice, answer
from perfkit.exploring.choices import gathered, select_curves
from perfkit.exploring.parameters import read_asked
from perfkit.exploring.take_along import as_command, as_yaml

TRACED = Lineage((Evidence("awr", "a.html", "00"),), (), traceable=True)
SPEED = {"A": 1.0, "B": 1.5, "C": 2.0}


def points(systems="AB", workloads=("w",), **more):
    """Three loads, three repeats; B serves half as much again as A at each latency."""
    rows = [
        {**dict.fromkeys(LOAD_POINTS), "system": system, "workload": workload, "direction": "total",
         "load_kind": "threads", "load": float(n), "repeat": r,
         "iops": x * SPEED[system] * (1 + r / 100), "lat_mean_s": y * 1e-6,
         "cpu_busy_ratio": n / 10, **more}
        for workload in workloads for system in systems
        for n, (x, y) in enumerate([(1000, 100), (2000, 200), (3000, 400)], 1) for r in (1, 2, 3)
    ]  # fmt: skip
    return Measured(pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS)), TRACED)


def engines(**by_system):
    rows = [(system, "ioengine", engine) for system, engine in by_system.items()]
    return Measured(pl.DataFrame(rows, schema=["system", "option", "value"], orient="row"), TRACED)


def texts(panel, part):
    return [out["data"]["text/plain"] for out in panel.outputs[part].outputs]


def test_the_selectors_offer_what_the_load_points_hold():
    panel = pk.explore(points("ABC", ("mixed", "read only")))
    own = panel.widgets
    assert own["baseline"].options == ("A", "B", "C")
    assert (own["systems"].options, own["systems"].value) == (("B", "C"), ("B", "C"))
    assert [label for label, _ in own["workload"].options] == [
        "each workload", "mixed", "read only",
    ]  # fmt: skip
    assert own["align"].options == ("latency", "IOPS", "load", "host CPU", "peak")
    assert own["metric"].options == (("Mean latency", "lat_mean_s"),)


def test_a_way_to_compare_that_cannot_be_answered_is_not_offered_and_the_reason_stands_there():
    panel = pk.explore(points(lat_mean_s=None, cpu_busy_ratio=None))
    assert panel.widgets["align"].options == ("load", "peak")
    assert "equal latency, because the load points carry no latency." in panel._controls.notes.value
    assert panel.problem is None


def test_the_values_shown_are_those_of_the_verbs_of_a_report():
    """The same sentences and tables as ``compare`` and the notebook's verbs give."""
    panel = pk.explore(points(), latencies_us="150 300")
    found = pk.compare(points(), latencies_s=[150e-6, 300e-6])
    asked = ("iops_at_latency", "most_iops_within_latency")
    said = [item._repr_mimebundle_()["text/plain"] for item in pk.say(found, *asked)]
    assert texts(panel, "sentences") == said
    assert panel.comparison.frame.equals(found.frame)
    shown = [out["data"]["text/html"] for out in panel.outputs["tables"].outputs]
    assert shown == [table._repr_html_() for table in pk.tables_comparison(found, *asked)]
    chart = panel.outputs["differences"].outputs[0]["data"]["application/vnd.plotly.v1+json"]
    drawn = json.loads(pk.plot_differences(found).plotly.to_json())
    assert chart["data"] == drawn["data"]


def test_setting_a_selector_changes_what_is_shown():
    panel = pk.explore(points("ABC"), latencies_us=150)
    before = texts(panel, "sentences")
    assert "B served 50% more IOPS than A" in before[0]
    panel.widgets["baseline"].value = "B"
    assert set(panel.widgets["systems"].value) == {"A", "C"}
    assert "A served 33% fewer IOPS than B" in texts(panel, "sentences")[0]
    panel.widgets["systems"].value = ("C",)
    assert "A served" not in texts(panel, "sentences")[0]
    panel.widgets["at"].value = "200"
    assert texts(panel, "sentences")[0].startswith("At a mean latency of 200 µs, C served 33% more")
    panel.widgets["align"].value = "load"
    assert texts(panel, "sentences")[0].startswith("At 1 thread, C served 33% more IOPS than B")


def test_each_workload_has_its_chart_and_one_alone_has_its_own():
    panel = pk.explore(points("AB", ("mixed", "read only")), latencies_us=150, workload="mixed")
    assert len(panel.outputs["curves"].outputs) == 2  # a chart, and its caption
    panel.widgets["workload"].value = "each workload"
    assert len(panel.outputs["curves"].outputs) == 4
    assert texts(panel, "curves")[1].endswith("mixed.")


def test_a_mark_stands_at_its_value_alone_and_says_what_it_is():
    panel = pk.explore(points(), latencies_us="150 300")
    panel.widgets["mark"].value = 150e-6
    data = panel.outputs["curves"].outputs[0]["data"]["application/vnd.plotly.v1+json"]["data"]
    [marks] = [trace for trace in data if trace["name"] == "compared"]
    [change] = [
        item for item in changes_asked(panel.comparison, "iops_at_latency")
        if asked_at(item).value == 150e-6
    ]  # fmt: skip
    assert marks["x"] == [side.estimate.value for side in change.sides[::-1]]
    assert marks["y"] == [pytest.approx(150.0)] * 2
    assert marks["hovertext"] == ["A: 1,530 IOPS at 150 µs", "B: 2,300 IOPS at 150 µs"]
    assert all("150 µs" in text for text in texts(panel, "sentences"))
    panel.widgets["at"].value = "300"
    assert panel.widgets["mark"].value == "each value"
    assert all("300 µs" in text for text in texts(panel, "sentences"))


def test_a_limit_is_drawn_and_asked():
    panel = pk.explore(points(), latencies_us=150, limit_us=250)
    layout = panel.outputs["curves"].outputs[0]["data"]["application/vnd.plotly.v1+json"]["layout"]
    assert "limit 250 µs" in json.dumps(layout, ensure_ascii=False)
    said = " ".join(texts(panel, "sentences"))
    assert "Within a mean latency of 250 µs, B served 50% more" in said


def test_conditions_that_differ_are_refused_by_name_and_allowed_by_name_only():
    panel = pk.explore(points("ABC"), engines(A="psync", B="io_uring", C="psync"), latencies_us=150)
    assert panel.problem == (
        "Not compared, because the conditions differ. A and B: engine differs (psync against "
        "io_uring)."
    )
    assert not any(place.outputs for place in panel.outputs.values())
    assert panel.comparison is None
    assert panel.parameters == {}
    assert list(panel.allow) == ["engine"]
    panel.allow["engine"].value = True
    assert panel.problem is None
    said = texts(panel, "sentences")[0]
    assert "the two were measured under different conditions: engine differs" in said
    assert panel.parameters["allow"] == "engine"
    # the pair that agrees has no box, and what was allowed is not allowed for the next pair
    panel.widgets["systems"].value = ("C",)
    assert list(panel.allow) == []
    panel.widgets["systems"].value = ("B",)
    assert panel.problem is not None


def test_different_kinds_of_load_are_refused_and_allowed_by_name():
    both = pl.concat([points("A").frame, points("B", load_kind="processes").frame])
    panel = pk.explore(Measured(both, TRACED), latencies_us=150)
    assert "load_kind differs (threads against processes)" in panel.problem
    panel.allow["load_kind"].value = True
    assert panel.problem is None


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("at", "150 x", "values: 'x' is not a number"),
        ("at", "0", "is not above 0"),
        ("limit", "5 6", "one latency, not several"),
        ("systems", (), "Choose a system to compare with the baseline"),
    ],
)
def test_a_choice_without_an_answer_leaves_nothing_of_another_one(name, value, words):
    panel = pk.explore(points(), latencies_us=150)
    assert all(place.outputs for place in panel.outputs.values())
    panel.widgets[name].value = value
    assert words in panel.problem
    assert words in panel._controls.problem.value.replace("&#x27;", "'")
    assert not any(place.outputs for place in panel.outputs.values())


def test_a_fault_of_the_program_leaves_nothing_of_another_choice(monkeypatch):
    panel = pk.explore(points(), latencies_us=150)
    assert all(place.outputs for place in panel.outputs.values())
    monkeypatch.setattr("perfkit.exploring.panel.answer", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        panel.widgets["at"].value = "200"
    assert not any(place.outputs for place in panel.outputs.values())
    assert panel.problem == "This choice could not be shown."


def test_a_caption_with_its_origin_stands_under_each_chart():
    """JupyterLab shows the chart alone: that it is not measured must stand beside it."""
    from perfkit.core.evidence import Origin

    origin = Origin("generated", "slob-awr, seed 7")
    made = Lineage((Evidence("awr", "a.html", "00", origin=origin),), (), traceable=True)
    panel = pk.explore(Measured(points().frame, made), latencies_us=150)
    for part in ("curves", "differences"):
        assert "generated" in panel.outputs[part].outputs[1]["data"]["text/markdown"]


@pytest.mark.slow
def test_the_choice_comes_along_as_parameters_that_choose_the_same():
    panel = pk.explore(points("ABC", ("mixed", "read only")))
    own = panel.widgets
    own["workload"].value, own["baseline"].value, own["systems"].value = "read only", "B", ("C",)
    own["limit"].value = "350"
    given = panel.parameters
    assert given == {
        "baseline": "B", "systems": ["B", "C"], "workload": "read only", "limit_us": 350,
        "latencies_us": "100 200 350",
    }  # fmt: skip
    again = pk.explore(points("ABC", ("mixed", "read only")), **given)
    assert again.comparison.frame.equals(panel.comparison.frame)
    assert again.parameters == given
    asked = pk.comparison_asked(**given)
    chosen = select_curves(
        [points("ABC", ("mixed", "read only"))], systems=asked.systems, workload=asked.workload
    )
    report = pk.compare(*chosen, baseline=asked.baseline, **asked.values)
    assert report.frame.equals(panel.comparison.frame)


def test_the_command_is_quoted_so_that_a_shell_and_json_read_it_back():
    from perfkit.cli.reporting import parse_parameters

    given = {
        "baseline": "A 400, it's",
        "systems": ["A 400, it's", "B"],
        "workload": "123",
        "limit_us": 1.5,
    }
    import shlex

    argv = shlex.split(as_command(given, "a study.yml").replace("\\\n", ""))
    assert argv[:3] == ["perfkit", "report", "a study.yml"]
    assert parse_parameters(argv[4::2]) == given
    from ruamel.yaml import YAML

    assert YAML(typ="safe").load(as_yaml(given))["parameters"] == given


def test_readings_are_named_by_a_mapping_and_a_name_is_never_overwritten():
    bare = points("A").frame.with_columns(pl.lit(None, pl.String).alias("system"))
    found, _, _ = gathered({"old": Measured(bare, TRACED), "new": Measured(bare, TRACED)})
    assert found.frame["system"].unique(maintain_order=True).to_list() == ["old", "new"]
    assert found.traceable
    with pytest.raises(AnalysisError, match="says system 'A'"):
        gathered({"old": points("A")})
    with pytest.raises(AnalysisError, match="no load points were given"):
        gathered([])
    both, _, _ = gathered([points("A"), points("B")])
    assert set(both.frame["system"]) == {"A", "B"}


def test_a_real_reading_can_be_explored():
    readings = [pk.read(ROOT / "tests/data/fio/rw75_jsonplus.json", kind="fio") for _ in range(2)]
    panel = pk.explore(dict(zip(("before", "after"), readings, strict=True)))
    assert panel.widgets["baseline"].options == ("before", "after")
    panel.widgets["align"].value = "peak"
    assert texts(panel, "sentences") == [
        "At their highest measured IOPS, after and before are equal in IOPS (at least 32,300 IOPS "
        "at iodepth 16 against at least 32,300 IOPS at iodepth 16; after and before were each "
        "measured once, so there is no interval). Caution: after and before were "
        "measured at one load alone."
    ]


def test_nothing_asked_takes_the_tables_as_they_are():
    """Otherwise every report would get a step more in its record."""
    given = points("ABC")
    assert select_curves([given, None]) == [given, None]
    chosen, nothing = select_curves([given, None], systems=["A", "C"])
    assert (set(chosen.frame["system"]), nothing) == ({"A", "C"}, None)
    with pytest.raises(AnalysisError, match="no curve is named 'D'"):
        select_curves([given], systems=["D"])
    with pytest.raises(AnalysisError, match="no workload 'x'"):
        select_curves([given], workload="x")


def test_parameters_are_read_as_they_are_written():
    asked = read_asked(
        {"systems": "A; B, x", "limit_us": "500", "allow": "engine direct", "iops": 5}
    )
    assert asked.systems == ("A", "B, x")
    assert (asked.limit_s, asked.allow, asked.values["iops"]) == (
        0.0005,
        ("engine", "direct"),
        [5.0],
    )
    assert (asked.direction, asked.metric) == ("total", "lat_mean_s")
    with pytest.raises(UsageError, match="did you mean 'baseline'"):
        read_asked({"base_line": "A"})
    with pytest.raises(UsageError, match="one limit"):
        read_asked({"limit_us": "5 6"})


def test_an_unknown_baseline_is_told(monkeypatch):
    with pytest.raises(AnalysisError, match="no curve is named 'Z'"):
        _ = pk.explore(points(), baseline="Z").widgets


def test_the_studys_own_parameters_count_where_somebody_sits_before_the_notebook():
    study = pk.open_study(ROOT / "data/studies/tr-4819/generated.yml")
    asked = pk.comparison_asked(study, interactive=True, baseline="NVMe/FC")
    assert (asked.baseline, asked.event) == ("NVMe/FC", "db file sequential read")
    assert asked.values["latencies_s"] == [0.0003, 0.0004, 0.0005]
    elsewhere = pk.comparison_asked(study, interactive=False)
    assert (elsewhere.event, elsewhere.direction) == (None, "total")


def test_outside_a_kernel_nobody_sits_and_no_widget_is_made(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    panel = pk.explore(points())
    panel._ipython_display_()
    assert shown == []
    assert panel._controls is None
    told = pk.explore(points(), interactive=True)
    told._ipython_display_()
    assert shown == [told._controls.box]


def test_an_answer_never_raises_for_what_cannot_be_compared():
    made = answer((points("A"), None, None), Choice("A", ("B",)))
    assert made.shown is None
    assert "No curve is named 'B'" in made.problem

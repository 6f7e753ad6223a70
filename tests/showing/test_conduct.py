"""The chapter on how a sweep was conducted: there where the evidence can answer, and only there."""

from __future__ import annotations

import json

import nbformat
import polars as pl
import pytest
from places import ROOT

import perfkit as pk
from perfkit.cli.app import run
from perfkit.core.cautions import caution, to_json
from perfkit.core.evidence import Evidence
from perfkit.core.lineage import Reading, measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.core.unanswered import Unanswered
from perfkit.core.values import MIME, Figure, Statement, Table
from perfkit.sources.rundir.schema import RUN_STEADY_STATE, RUN_VERIFICATION, RUN_WARM_UPS

NOTEBOOKS = ROOT / "notebooks"
TOLD = to_json([caution("busy_host", share="85%")])


def points(*rows):
    usual = {"workload": "w", "load_kind": "iodepth", "load": 4.0, "repeat": 1,
             "direction": "total", "lat_mean_s": 1e-3}  # fmt: skip
    made = [{**usual, **row} for row in rows]
    return measured(pl.DataFrame(made, schema=polars_schema(LOAD_POINTS)), "points")


def of_a_run(**tables):
    """A run's tables, empty where none is given."""
    outcome = measured(pl.DataFrame(schema=polars_schema(RUN_STEADY_STATE)), "steady_state")
    empty = {name: points() for name in ("control_points", "rounds", "host_points")}
    usual = {"load_points": points({"iops": 1e3}), "steady_state": outcome, **empty}
    return Reading({**usual, **tables}, Evidence("perfkit-run", "run", "00"))


def ids(shown):
    return [item.id for item in shown if isinstance(item, Statement | Table)]


CONTROLS = {"control_points": points(*({"repeat": n, "iops": 1e3} for n in (1, 2, 3)))}
HOSTS = {"host_points": points({"host": "a", "iops": 90.0}, {"host": "b", "iops": 110.0})}
ROUNDS = {
    "rounds": points(*({"repeat": n, "iops": 1e3, "cautions": TOLD} for n in range(1, 6))),
    "steady_state": measured(
        pl.DataFrame([{"workload": "w", "metric": "iops"}], schema=polars_schema(RUN_STEADY_STATE)),
        "steady_state",
    ),
}


def test_without_rounds_controls_and_hosts_there_is_no_chapter():
    lacking = Unanswered("no steady state, drift or balance of hosts was measured")
    assert pk.steadiness(of_a_run()) == lacking
    only = Reading({"load_points": points({"iops": 1e3})}, Evidence("fio", "x.json", "00"))
    assert pk.steadiness(only) == lacking


@pytest.mark.parametrize(
    ("tables", "expected"),
    [(ROUNDS, ["steady-state", "steady-trend", "steady-by-chance", "rounds"]),
     (CONTROLS, ["drift", "control-spread", "control-points"]),
     (HOSTS, ["host-balance", "host-points"])],
)  # fmt: skip
def test_what_was_measured_is_said_with_the_table_it_rests_on(tables, expected):
    assert ids(pk.steadiness(of_a_run(**tables))) == expected


def test_all_of_them_stand_in_order():
    shown = pk.steadiness(of_a_run(**CONTROLS, **HOSTS, **ROUNDS))
    assert ids(shown) == [
        "steady-state", "steady-trend", "steady-by-chance", "rounds",
        "drift", "control-spread", "control-points", "host-balance", "host-points",
    ]  # fmt: skip


def rows_of(schema, *rows):
    return measured(pl.DataFrame(rows, schema=polars_schema(schema)), "x")


WARM = {"workload": "w", "call": 1, "of": "a.hits", "round": 5, "tolerance_ratio": 0.05}
CHECKED = {"workload": "w", "block_bytes": 8192, "verified_bytes": 1 << 20}


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"warm_ups": rows_of(RUN_WARM_UPS, {**WARM, "warm": True})},
         "Before w was measured, it was warmed up by 5 rounds of its highest load: in the last "
         "three the a.hits lay within 5.0% of their mean."),
        ({"warm_ups": rows_of(RUN_WARM_UPS, {**WARM, "warm": False})},
         "The warm-up before w ended after 5 rounds, and the a.hits of the last three still lay "
         "further than 5.0% from their mean."),
        ({"verification": rows_of(RUN_VERIFICATION, {**CHECKED, "verified": True})},
         "After the last point of w, 1 MiB was written in blocks of 8 KiB and read back: every "
         "block was as written."),
        ({"verification": rows_of(RUN_VERIFICATION, {**CHECKED, "verified": False,
                                                     "wrong_at_bytes": 40960, "problem": "bad"})},
         "The target of w did not return what was written to it: of 1 MiB, the block at byte "
         "40,960 was read back wrong (bad)."),
        ({"verification": rows_of(RUN_VERIFICATION, {**CHECKED, "verified": False,
                                                     "problem": "fio died"})},
         "Whether the target of w returns what is written to it is not known: fio died."),
    ],
)  # fmt: skip
def test_warm_up_and_verification_are_said(tables, said):
    [found] = pk.steadiness(of_a_run(**tables))
    assert found.text == said


def test_rounds_are_drawn_one_by_one():
    [chart] = [item for item in pk.steadiness(of_a_run(**ROUNDS)) if isinstance(item, Figure)]
    [line] = chart.plotly.data
    assert (chart.id, line.x, line.y) == ("rounds-plot", (1, 2, 3, 4, 5), (1e3,) * 5)


def test_the_cautions_of_the_rows_stand_beside_sentence_and_table():
    for item in pk.steadiness(of_a_run(**ROUNDS)):
        assert "the host was 85% busy before the run" in item.caution


def test_what_cannot_be_told_of_what_was_measured_is_said_too():
    """A control point without IOPS is not a silence."""
    lost = points({"repeat": 1, "iops": 1e3}, {"repeat": 2})
    first, *_ = pk.steadiness(of_a_run(control_points=lost))
    assert first.text == ("The drift of w at iodepth 4 is not known: a control point has no IOPS.")


@pytest.mark.parametrize("name", ["sweep", "epic_like", "fio_results", "compare"])
def test_every_notebook_over_runs_has_the_chapter(name):
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text())["cells"]
    assert sum("pk.steadiness(" in "".join(cell["source"]) for cell in cells) == 1


STUDY = """\
report: {title: A small sweep, date: 2026-03-04}
notebook: sweep
run:
  workload: oltp-mixed
  target: .
  file_size: 16 MiB
  load: {iodepth: [1, 2]}
  ramp: 0s
  runtime: 0.3s
  repeats: 1
  control: 2
"""


@pytest.mark.slow
def test_a_sweep_with_control_points_tells_its_drift_and_one_without_does_not(tmp_path):
    for name, text, expected in (
        ("with", STUDY, ["drift", "control-spread", "control-points"]),
        ("without", STUDY.replace("  control: 2\n", ""), []),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "study.yml").write_text(text)
        assert run(["report", str(folder), "-o", str(folder / "out")]) == 0
        node = nbformat.read(folder / "out" / f"{name}.ipynb", as_version=4)
        (cell,) = [cell for cell in node.cells if cell.get("id") == "steadiness"]
        records = [out.data.get(mime) for out in cell.outputs for mime in MIME.values()]
        assert [record["id"] for record in records if record] == expected
        page = (folder / "out" / f"{name}.html").read_text()
        assert ("Steadiness: no steady state" in page) == (not expected)

"""What the comparison notebook calls: values as people write them, and all that was asked."""

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.compare.common import comparison_values
from perfkit.core.cautions import caution, to_json
from perfkit.core.errors import AnalysisError, UsageError
from perfkit.core.lineage import Measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.showing.statements.say import say_printed


def points(*workloads):
    rows = [
        {"system": system, "workload": workload, "load_kind": "iodepth", "load": float(load),
         "repeat": repeat, "direction": direction,
         "iops": rate * load * factor * (1 + repeat / 100),
         "bw_bytes_per_s": rate * load * factor * (1 + repeat / 100) * 8192,
         "lat_mean_s": 0.0002 + load * 1e-5 / factor, "cpu_busy_ratio": 0.01 * load}
        for workload in workloads
        for system, factor in (("one", 1.0), ("two", 2.0))
        for load in (1, 2, 4, 8)
        for repeat in (1, 2, 3)
        for direction, rate in (("read", 750.0), ("write", 250.0), ("total", 1000.0))
    ]  # fmt: skip
    return Measured(pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS)), name="load_points")


def test_values_are_read_as_they_are_written_and_given_in_si_units():
    assert comparison_values(
        latencies_us="300 400.5", iops=266000, loads=[8, 16], cpu_percents=None
    ) == {
        "latencies_s": [0.0003, 0.0004005], "iops": [266000.0], "loads": [8.0, 16.0],
        "cpu_ratios": [],
    }  # fmt: skip


@pytest.mark.parametrize("given", ["300 x", "0", "-5", "inf", "nan"])
def test_what_is_no_number_above_zero_is_refused(given):
    with pytest.raises(UsageError, match="latencies_us"):
        comparison_values(latencies_us=given)


def compared(*workloads):
    return pk.compare(points(*workloads), loads=[4], iops=[4000.0])


def test_a_statement_for_each_question_value_and_workload():
    ids = [item.id for item in pk.say(compared("mixed", "read only"), "iops_at_load")]
    assert ids == ["iops-at-load-4-mixed", "iops-at-load-4-read-only"]
    alone = pk.say(compared("mixed"), "peak_iops", "latency_at_iops")
    assert [item.id for item in alone] == ["peak-iops", "latency-at-iops-4000"]
    text = pk.say(compared("mixed", "read only"), "iops_at_load")[1].text
    assert text.startswith("read only: ")
    assert "two served 2.0 times the IOPS of one" in text


def test_tables_of_the_questions_that_were_asked_and_no_others():
    made = pk.tables_comparison(compared("mixed"), "iops_at_load", "iops_at_latency")
    assert [table.id for table in made] == ["iops-at-load-table"]


def test_conditions_hold_what_was_measured_and_what_options_say():
    options = Measured(
        pl.DataFrame(
            [("one", "ioengine", "psync"), ("two", "ioengine", "io_uring"), ("one", "direct", "1")],
            schema=["system", "option", "value"],
            orient="row",
        )
    )
    table = pk.table_conditions(points("mixed"), options)
    rows = [
        dict(zip([column.label for column in table.columns], row, strict=True))
        for row in table.rows
    ]
    assert [row["System"] for row in rows] == ["one", "two"]
    assert [row["Engine"] for row in rows] == ["psync", "io_uring"]
    assert [row["Direct I/O"] for row in rows] == ["yes", None]
    assert {row["Reads (%)"] for row in rows} == {0.75}
    assert {row["Mean read size (B)"] for row in rows} == {8192.0}
    assert table.note == (
        "All rows: Workload: mixed; Loads: 1 to 8 iodepth; Points: 4; Repeats: 3."
    )
    assert not {"Loads", "Points", "Repeats", "Hosts"} & set(rows[0])


def test_what_a_result_does_not_state_is_not_what_fio_does_by_itself():
    """ "Direct I/O: no; Rate limit: no" stood beside "is not stated in fio's normal output"."""
    options = Measured(
        pl.DataFrame(
            [(system, "rw", "randread") for system in ("one", "two")],
            schema=["system", "option", "value"],
            orient="row",
        )
    )
    stated = points("mixed")
    printed = Measured(
        stated.frame.with_columns(cautions=pl.lit(to_json([caution("normal_output")])))
    )
    assert (
        "Direct I/O: no; Pattern: random; Rate limit: no"
        in pk.table_conditions(stated, options).note
    )
    note = pk.table_conditions(printed, options).note
    assert "Tool: fio; Pattern: random" in note
    assert "Direct I/O" not in note
    assert "Rate limit" not in note


def test_conditions_of_nothing_are_unanswered():
    shown = pk.table_conditions(Measured(points("mixed").frame.clear()))
    assert shown == pk.Unanswered("load points: no rows, so no conditions")


def test_each_workload_is_shown_with_its_name(monkeypatch):
    shown = []
    monkeypatch.setattr("perfkit.showing.display.show", lambda *values: shown.extend(values))
    curve = pk.latency_curve(points("mixed", "read only"))
    pk.show_each(pk.plot_latency_curve, curve, by="workload")
    assert [value.id for value in shown] == ["latency-curve-1", "latency-curve-2"]
    assert [value.caption.rpartition(": ")[2] for value in shown] == ["mixed.", "read only."]


CELLS = """# document: D
# keys: name, value, place
Id,Value,Place
peak,401K,section 4
gap,,section 5
"""


def test_a_printed_cell_is_said_as_printed_with_its_number(tmp_path):
    (tmp_path / "claims.csv").write_text(CELLS)
    cells = pk.read(tmp_path / "claims.csv", kind="printed")["claims"]
    said = say_printed(cells, "peak")
    assert (said.id, said.text) == ("peak", "401K")
    assert (said.printed[0].text, said.printed[0].value) == ("401K", 401_000)
    assert said.lineage.mark() == " (as printed in D)"
    with pytest.raises(AnalysisError, match="row 'gap'"):
        pk.statements_printed(cells)
    with pytest.raises(AnalysisError, match="did you mean 'peak'"):
        say_printed(cells, "peek")

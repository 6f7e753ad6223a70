"""GenIO's summary.csv: columns in any writing, what is derived, inferred and added up."""
# ruff: noqa: DTZ001 - the tool prints local times without a zone

import datetime as dt
import gzip

import polars as pl
import pytest
from forges import genio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import perfkit as pk
from perfkit.analysis.genio import run_labels
from perfkit.core.schema import LOAD_POINTS
from perfkit.sources import kind_of
from perfkit.sources.genio.schema import GENIO_RUNS

TABLE_9 = """\
Run,Write IOPS,Total IOPS,Longest WIJ Time (sec),Longest Write Cycle (sec),Effective Write Latency (ms)
10,19980,81207,21.48,40.05,0.1
11,21835,88610,17.57,46.32,0.12
12,23657,95955,19.77,53.03,0.12
13,25493,103387,21.93,57.53,0.12
14,27331,110766,23.17,60.57,0.12
15,28893,117906,26.93,56.56,0.1
16,30704,125233,28.05,60.5,0.12
17,32521,132585,28.43,64.38,0.12
18,34335,139881,30,70.38,0.12
19,36361,147633,22.78,73.66,0.13
"""  # noqa: E501 - figures as printed in NetApp TR-4784, Table 9
BULLY = (
    "./RampRun.pl --miniops 75000 --maxiops 150000 --background --disable-warmup --runtime 30 "
    "--wijfile /epic/GENIO.WIJ --numruns 10 --system epic-rhel3 --comment Ramp 75-150k"
)
A700 = (
    "Read IOPs,Write IOPs,Total IOPs,Longest Write Cycle (sec),Effective Write Latency (ms),"
    'Randread Average (ms)\n"241,180","78,654","319,837",43.24,0.09,1.05\n'
)


def write(folder, text, name="summary.csv"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def runs_of(folder, text, **given):
    return pk.read(write(folder, text), **given, kind="genio").genio_runs.frame


def test_table_9_of_tr_4784_with_its_command(tmp_path):
    """Every printed value in SI; reads derived; targets inferred, 98.2% to 98.5% achieved."""
    reading = pk.read(write(tmp_path, TABLE_9), command=BULLY, kind="genio")
    runs = reading.genio_runs.frame
    assert list(runs.columns) == list(GENIO_RUNS)
    assert runs["run"].to_list() == list(range(10, 20))
    assert runs["position"].to_list() == list(range(1, 11))
    assert runs["line"].to_list() == list(range(2, 12))
    assert runs["read_iops"].to_list()[:2] == [81207.0 - 19980, 88610.0 - 21835]
    assert runs["derived"].unique().to_list() == ["read_iops"]
    assert runs["longest_write_cycle_s"].to_list()[-1] == 73.66
    assert runs["longest_wij_time_s"].to_list()[8] == 30.0
    assert runs["effective_write_latency_s"].to_list()[:2] == [0.0001, 0.00012]
    assert runs["random_read_average_s"].null_count() == 10
    assert runs["target_iops"].to_list() == [82500.0 + 7500 * i for i in range(10)]
    assert runs["target_origin"].unique().to_list() == ["inferred"]
    assert runs["achieved_to_target_ratio"].is_between(0.9815, 0.985).all()
    assert runs["host"].unique().to_list() == ["epic-rhel3"]
    assert runs["test"].unique().to_list() == ["Ramp 75-150k"]
    assert reading.evidence.warnings == ()
    assert reading.evidence.unverified


def test_the_sections_say_what_is_printed_derived_and_absent(tmp_path):
    found = {s.name: s for s in pk.read(write(tmp_path, TABLE_9), kind="genio").evidence.sections}
    assert (found["write_iops"].status, found["write_iops"].rows) == ("found", 10)
    assert (found["read_iops"].status, found["read_iops"].reason) == (
        "absent", "derived from the other two",
    )  # fmt: skip
    assert found["random_read_average_s"].reason == "no such column"
    assert found["target_iops"].reason == "no command and no column: no targets"
    for name in ("genio_commands", "genio_extra"):
        assert (found[name].status, found[name].rows, found[name].reason) == ("absent", None, None)
    asked = pk.read(write(tmp_path, TABLE_9), command=BULLY, kind="genio").evidence.sections
    targets = next(s for s in asked if s.name == "target_iops")
    assert (targets.status, targets.rows, targets.reason) == ("found", 10, "inferred")


def test_commands_beside_the_table_are_a_section_of_their_own(tmp_path):
    genio.ramp(tmp_path / "made", 1, cases=("policy",), runs=2)
    path = next((tmp_path / "made").rglob("summary.csv"))
    reading = pk.read(path, kind="genio")
    section = next(s for s in reading.evidence.sections if s.name == "genio_commands")
    assert (section.status, section.rows) == ("found", reading["genio_commands"].frame.height)
    assert section.rows > 0


def test_the_article_s_own_single_row_with_quoted_thousands(tmp_path):
    """TR-4784, Table 4 of the A700: no Run column; read + write misses the total by 3."""
    reading = pk.read(write(tmp_path, A700), kind="genio")
    row = reading.genio_runs.frame.row(0, named=True)
    assert (row["read_iops"], row["write_iops"], row["total_iops"]) == (241180, 78654, 319837)
    assert (row["longest_write_cycle_s"], row["effective_write_latency_s"]) == (43.24, 0.00009)
    assert row["random_read_average_s"] == 0.00105
    assert (row["run"], row["derived"], row["target_iops"]) == (None, None, None)
    assert reading.evidence.warnings == ("line 2: read + write is 319,834 IOPS, total 319,837: +3",)


@pytest.mark.parametrize(
    "heads",
    [
        "RUN,READ IOPS,WRITE IOPS,TOTAL IOPS,LONGEST WRITE CYCLE (SEC),"
        "EFFECTIVE WRITE LATENCY (MS)",
        "Run , Read IOPs , Write IOPs , Total IOPs , Longest Write Cycle(sec) , "
        "Effective Write Latency [ms]",
        "run,read_iops,write_iops,total_iops,longest_write_cycle_sec,effective_write_latency_ms",
        "Run #,ReadIOPS,WriteIOPS,TotalIOPS,LongestWriteCycle (s),EffectiveWriteLatency (msec)",
        '"Run","Reads/s","Writes/s","IOPS","Max Write Cycle (seconds)","Eff. Write Latency (ms)"',
    ],
)
def test_heads_in_any_writing(tmp_path, heads):
    runs = runs_of(tmp_path, f"{heads}\n10,55655,18176,73832,32.66,0.12\n")
    wanted = ("run", "read_iops", "write_iops", "total_iops", "longest_write_cycle_s")
    assert runs.select(wanted).row(0) == (10, 55655.0, 18176.0, 73832.0, 32.66)
    assert runs["effective_write_latency_s"][0] == 0.00012


def test_units_in_the_heads_count(tmp_path):
    text = "Run,Total IOPS (k),Longest Write Cycle (ms),Randread Average (us)\n1,73.8,33000,660\n"
    row = runs_of(tmp_path, text).row(0, named=True)
    assert row["total_iops"] == 73800.0
    assert (row["longest_write_cycle_s"], row["random_read_average_s"]) == (33.0, 0.00066)


@pytest.mark.parametrize(
    "unit",
    ["", "(IOPS)", "[s]", "(1/s)", "(IO/s)", "(IOs/s)", "(ops)", "(ops/s)", "(count)"],
)
def test_a_rate_is_per_second_however_its_unit_is_written(tmp_path, unit):
    text = f"Run,Total {unit},Longest Write Cycle (sec)\n1,73800,33\n"
    assert runs_of(tmp_path, text)["total_iops"][0] == 73800.0


@pytest.mark.parametrize("unit", ["k", "kIOPS", "k IOPS", "thousand", "thousands"])
def test_a_rate_in_thousands_is_so_however_its_unit_is_written(tmp_path, unit):
    text = f"Run,Total ({unit}),Longest Write Cycle (sec)\n1,73.8,33\n"
    assert runs_of(tmp_path, text)["total_iops"][0] == 73800.0


def test_a_head_without_a_unit_is_read_as_genio_prints_it_and_says_so(tmp_path):
    text = "Run,Total IOPS,Longest Write Cycle,Randread Average\n1,73800,33,0.66\n"
    reading = pk.read(write(tmp_path, text), kind="genio")
    assert reading.genio_runs.frame["random_read_average_s"][0] == 0.00066
    assert reading.evidence.warnings == (
        "column 'Longest Write Cycle' names no unit: read as s, as GenIO prints it",
        "column 'Randread Average' names no unit: read as ms, as GenIO prints it",
    )


def test_unknown_columns_are_kept_and_named(tmp_path):
    text = "Run,Total IOPS,Queue,Longest Write Cycle (sec),Note\n1,73000,8,33,\n2,74000,9,34,late\n"
    reading = pk.read(write(tmp_path, text), kind="genio")
    rows = reading.genio_extra.frame.select("run", "column", "text", "line").rows()
    assert rows == [(1, "Queue", "8", 2), (2, "Queue", "9", 3), (1, "Note", None, 2),
                    (2, "Note", "late", 3)]  # fmt: skip
    section = next(s for s in reading.evidence.sections if s.name == "genio_extra")
    assert (section.status, section.rows) == ("found", 4)
    assert section.reason == "columns that perfkit does not know: Queue, Note"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_separators_line_ends_and_byte_order_marks(tmp_path, separator, line_end, mark):
    runs = genio.cluster(3)["epic-rhel3"]
    text = genio.summary(runs, genio.Form(separator=separator, line_end=line_end, mark=mark))
    check(runs_of(tmp_path, text), runs)


def check(frame, runs):
    """Every printed value of every run is in the frame, exactly."""
    for row, run in zip(frame.rows(named=True), runs, strict=True):
        assert row["run"] == run.number
        assert (row["read_iops"], row["write_iops"], row["total_iops"]) == (
            run.read_iops, run.write_iops, run.total_iops,
        )  # fmt: skip
        assert row["longest_write_cycle_s"] == float(run.longest_write_cycle_s)
        assert row["longest_wij_time_s"] == float(run.longest_wij_time_s)
        assert row["effective_write_latency_s"] == float(run.effective_write_latency_ms + "e-3")
        assert row["random_read_average_s"] == float(run.random_read_average_ms + "e-3")


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 10_000),
    runs=st.integers(1, 12),
    style=st.sampled_from([
        (",", ".", ""), (",", ".", ","), (";", ",", ""), (";", ",", "."), (";", ".", ","),
        ("\t", ",", "."), ("\t", ".", " "), (";", ",", "'"), ("|", ",", "\u00a0"),
    ]),
)  # fmt: skip
def test_decimal_commas_and_thousands_commas_are_told_apart(tmp_path, seed, runs, style):
    """Whatever signs a locale uses, the same numbers come out."""
    separator, decimal, grouping = style
    made = genio.cluster(seed, runs=runs)["epic-rhel1"]
    check(runs_of(tmp_path, genio.summary(made, genio.Form(separator, decimal, grouping))), made)


def test_utf_16_and_gzip(tmp_path):
    runs = genio.cluster(1)["epic-rhel1"]
    text = genio.summary(runs)
    check(runs_of(tmp_path, text.encode("utf-16")), runs)
    check(runs_of(tmp_path, gzip.compress(text.encode())), runs)


def test_a_ruled_table_as_in_a_document(tmp_path):
    text = (
        "| Run | Read IOPS | Total IOPS | Longest Write Cycle (sec) |\n|----|----|----|----|\n"
        "| 10 | 55,655 | 73,832 | 32.66 |\n"
    )
    row = runs_of(tmp_path, text).row(0, named=True)
    assert (row["write_iops"], row["derived"]) == (18177.0, "write_iops")


def test_the_command_stands_in_the_file_beside_it_or_is_given(tmp_path):
    """Above the heads first; else command.txt in the folder; else none."""
    above = pk.read(write(tmp_path, f"# {BULLY}\n\n{TABLE_9}", "a/summary.csv"), kind="genio")
    assert above.genio_runs.frame["target_iops"][0] == 82500.0
    assert above.genio_runs.frame["line"][0] == 4
    assert above.genio_commands.frame["line"].to_list() == [1]
    path = write(tmp_path, TABLE_9, "b/summary.csv")
    write(tmp_path, BULLY, "b/command.txt")
    beside = pk.read(path, root=tmp_path, kind="genio")
    assert beside.genio_runs.frame["target_iops"][0] == 82500.0
    assert [part.path for part in beside.evidence.parts] == ["b/command.txt"]
    none = pk.read(write(tmp_path, TABLE_9, "c/summary.csv"), kind="genio")
    assert none.genio_runs.frame["target_origin"].null_count() == 10


def test_of_several_commands_the_one_of_the_file_s_server_counts(tmp_path):
    other = BULLY.replace("epic-rhel3", "epic-rhel1").replace("150000", "75000")
    text = f"{other}\n{BULLY}\n"
    for server, target in (("rhel1", None), ("epic-rhel3", 82500.0), ("epic-rhel1", 75000.0)):
        path = write(tmp_path, TABLE_9, f"{server}/summary.csv")
        write(tmp_path, text, f"{server}/command.txt")
        reading = pk.read(path, root=tmp_path, kind="genio")
        assert reading.genio_runs.frame["target_iops"][0] == target
        told = "2 commands of RampRun.pl, and none is known to be of this file"
        assert (told in reading.evidence.warnings) == (target is None)


def test_a_printed_target_counts_before_the_inferred_one(tmp_path):
    text = "Run,Total IOPS,Target IOPS,Longest Write Cycle (sec)\n10,98000,100000,33\n"
    row = runs_of(tmp_path, text, command=BULLY).row(0, named=True)
    assert (row["target_iops"], row["target_origin"]) == (100000.0, "printed")
    assert row["achieved_to_target_ratio"] == 0.98


def test_fewer_runs_than_the_ramp_has_get_no_target(tmp_path):
    """Which step a run is cannot be told; of a constant ramp it does not matter."""
    cut = "".join(TABLE_9.splitlines(keepends=True)[:6])
    reading = pk.read(write(tmp_path, cut), command=BULLY, kind="genio")
    assert reading.genio_runs.frame["target_iops"].null_count() == 5
    assert reading.evidence.warnings == (
        "5 runs where the command asks for 10: which run is which step of the ramp is not known, "
        "no targets",
    )
    constant = pk.read(write(tmp_path, cut), command=BULLY.replace("150000", "75000"), kind="genio")
    assert constant.genio_runs.frame["target_iops"].to_list() == [75000.0] * 5


def test_load_points_of_a_ramp_and_of_a_constant_load(tmp_path):
    """A ramp: one load point a run. A constant load: one load point, its runs are repeats."""
    ramp = pk.read(write(tmp_path, TABLE_9), command=BULLY, kind="genio").load_points.frame
    assert list(ramp.columns) == list(LOAD_POINTS)
    total = ramp.filter(pl.col("direction") == "total")
    assert total["load"].to_list() == [82500.0 + 7500 * i for i in range(10)]
    assert (total["load_kind"][0], total["repeat"].unique().to_list()) == ("target_iops", [1])
    assert total["iops"][0] == 81207.0
    servers = genio.cluster(5, runs=10)
    text = genio.summary(servers["epic-rhel1"])
    constant = pk.read(write(tmp_path, text), command=genio.SERVERS[0].command(10), kind="genio")
    points = constant.load_points.frame
    reads = points.filter(pl.col("direction") == "read")
    assert reads["repeat"].to_list() == list(range(1, 11))
    assert reads["load"].unique().to_list() == [75000.0]
    assert reads["lat_mean_s"].to_list() == (
        constant.genio_runs.frame["random_read_average_s"].to_list()
    )
    curve = pk.latency_curve(constant.load_points, direction="read").frame
    assert (curve.height, curve["repeats"][0]) == (1, 10)


def test_without_a_target_the_run_is_the_load(tmp_path):
    points = pk.read(write(tmp_path, TABLE_9), kind="genio").load_points.frame
    total = points.filter(pl.col("direction") == "total")
    assert (total["load_kind"][0], total["load"].to_list()) == (
        "run",
        [float(i) for i in range(10, 20)],
    )


def test_start_and_end_of_a_run(tmp_path):
    runs = genio.cluster(2)["epic-rhel2"]
    frame = runs_of(tmp_path, genio.summary(runs, genio.Form(times=True)))
    assert frame["started_at"].to_list() == [run.start for run in runs]
    assert frame["ended_at"].to_list() == [run.end for run in runs]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("03/25/2026 08:00:00", dt.datetime(2026, 3, 25, 8)),
        ("25/03/2026 08:00", dt.datetime(2026, 3, 25, 8)),
        ("25.03.2026 08:00:00", dt.datetime(2026, 3, 25, 8)),
        ("Wed Mar 25 08:00:00 2026", dt.datetime(2026, 3, 25, 8)),
        ("2026-03-25T08:00:00Z", dt.datetime(2026, 3, 25, 8)),
        ("03/04/2026 08:00:00", None),
        ("yesterday", None),
    ],
)
def test_forms_of_times(tmp_path, text, wanted):
    """A date that can be read in two ways is not a time, and a warning."""
    reading = pk.read(
        write(tmp_path, f"Run,Total IOPS,Longest Write Cycle (sec),Start\n1,73000,33,{text}\n"),
        kind="genio",
    )
    assert reading.genio_runs.frame["started_at"][0] == wanted
    assert bool(reading.evidence.warnings) == (wanted is None)


@pytest.mark.parametrize("numbers", [(1, 2, 3) * 3, range(1, 10)])
def test_a_file_of_several_servers(tmp_path, numbers):
    """Each server's ramp is counted for itself, also where the numbers run on over all of them."""
    made = genio.cluster(4, runs=3)
    heads, *_ = genio.summary(made["epic-rhel1"]).splitlines()
    rows = [
        f"{line},{name}"
        for name, runs in made.items()
        for line in genio.summary(runs).splitlines()[1:]
    ]
    rows = [f"{number},{row.split(',', 1)[1]}" for number, row in zip(numbers, rows, strict=True)]
    text = "\n".join([f"{heads},Server", *rows]) + "\n"
    command = genio.SERVERS[2].command(3)
    frame = runs_of(tmp_path, text, command=command)
    assert frame["host"].to_list() == [name for name in made for _ in range(3)]
    assert frame["target_iops"].to_list() == [100000.0, 125000.0, 150000.0] * 3


def test_the_kind_is_told_by_the_heads(tmp_path):
    path = write(tmp_path, TABLE_9, "x.dat")
    assert kind_of(path) == "genio"
    assert pk.read(path).evidence.kind == "genio"
    folder = tmp_path / "run"
    write(tmp_path, TABLE_9, "run/summary.csv")
    assert kind_of(folder) == "genio"
    assert len(pk.read(folder).genio_runs) == 10
    assert kind_of(write(tmp_path, "\ufeff" + A700.replace(",", ";", 5), "y.csv")) == "genio"


def test_reads_without_their_mean_are_load_points_too(tmp_path):
    points = pk.read(write(tmp_path, TABLE_9), kind="genio").load_points.frame
    assert set(points["direction"]) == {"total", "read", "write"}


def test_two_systems_are_two_series():
    rows = [{"system": "A", "host": "h"}, {"system": "B", "host": "h"}]
    assert run_labels(rows) == ["A", "B"]
    assert run_labels(rows[:1]) == ["h"]

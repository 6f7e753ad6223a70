"""The command line: help with examples, one line per error, and the exit codes."""

from __future__ import annotations

import json
import subprocess
import sys

import polars as pl
import pytest
from places import ROOT

from perfkit.cli import doctor
from perfkit.cli.app import run
from perfkit.cli.measure import parse_fields, parse_load
from perfkit.cli.reporting import parse_parameters
from perfkit.core.errors import UsageError
from perfkit.measure.workloads import WORKLOADS
from perfkit.sources import SOURCES

SAMPLES = ROOT / "tests/data/fio"
COMMANDS = [
    ["doctor"], ["run"], ["read"], ["sources"], ["report"], ["audit"], ["lab"],
    ["study", "new"], ["study", "check"], ["study", "schema"],
    *(["schedule", name] for name in (
        "run", "list", "check", "install", "uninstall", "daemon", "index", "schema",
    )),
    ["hosts", "start"], ["hosts", "check"], ["hosts", "stop"],
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(command, capsys):
    """--help says what the command does and shows a line that can be typed."""
    assert run([*command, "--help"]) == 0
    text = capsys.readouterr().out
    assert "For example" in text
    assert f"perfkit {' '.join(command)}" in text


def test_the_help_of_run_names_every_workload(capsys):
    assert run(["run", "--help"]) == 0
    text = capsys.readouterr().out
    assert [name for name in WORKLOADS if name not in text] == []


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["raed"], "No such command 'raed'"),
        (["read"], "Missing argument"),
        (["read", "x", "--format", "yaml"], "yaml"),
        (["run", "oltp-select"], "--target"),
        (["run", "oltp-selekt", "--target", "."], "did you mean 'oltp-select'"),
        (["run", "oltp-select", "--target", ".", "--load", "iodepth"], "iodepth=1,2,4"),
        (["report", "a.yml", "b.yml"], "a study or a notebook is reported on by itself"),
        (["report", "x.ipynb", "-p", "novalue"], "NAME=VALUE"),
    ],
)
def test_wrong_usage_is_exit_code_2(argv, words, capsys):
    """What the user typed wrong is told on stderr, and nothing happens."""
    assert run(argv) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["read", "no-such-file.json"], "no-such-file.json"),
        (["report", "no-such.ipynb"], "no-such.ipynb: there is no such notebook"),
        (["study", "check", "no-such.yml"], "no-such.yml: there is no such file"),
        (["study", "new", "no-such-folder"], "no-such-folder: there is no such file or folder"),
        (["report", "x.json"], "x.json: there is no such file or folder"),
        (["run", "oltp-select", "--target", "/no/such/folder"], "/no/such/folder"),
    ],
)
def test_a_failure_is_one_line_and_exit_code_1(argv, words, capsys, tmp_path, monkeypatch):
    """`error: ...` on stderr, one line, no traceback."""
    monkeypatch.chdir(tmp_path)
    assert run(argv) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    assert words in captured.err


def test_debug_shows_the_traceback(tmp_path):
    """--debug lets the error through."""
    with pytest.raises(Exception, match="no-such-file"):
        run(["--debug", "read", str(tmp_path / "no-such-file.json")])


def test_the_version_is_the_packages(capsys):
    """perfkit --version."""
    from perfkit import __version__

    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"perfkit {__version__}\n"


def test_parameters_are_json_or_text():
    """-p values: JSON where it is JSON, else text; a name twice or without = is refused."""
    assert parse_parameters(["a=3", "b=null", "c=[1, 2]", "d=x=y", 'e="3"', "f="]) == {
        "a": 3, "b": None, "c": [1, 2], "d": "x=y", "e": "3", "f": "",
    }  # fmt: skip
    with pytest.raises(UsageError, match="a is given twice"):
        parse_parameters(["a=1", "a=2"])


def test_a_load_is_a_kind_and_values():
    """--load iodepth=1,2,4."""
    assert parse_load("iodepth=1,2,4") == {"iodepth": [1, 2, 4]}
    with pytest.raises(UsageError, match="iodepth=1,2,4"):
        parse_load("iodepth=one")


def test_any_field_of_a_sweep_is_set_from_the_command_line():
    texts = ["fsync_every=16", "data.dedupe_percent=30", "data.compress_percent=50"]
    assert parse_fields(texts, {"repeats": 2}) == {
        "repeats": 2,
        "fsync_every": "16",
        "data": {"dedupe_percent": "30", "compress_percent": "50"},
    }
    for wrong, said in (
        (["fsync_every"], "write it as FIELD=VALUE"),
        (["repeats=3"], "repeats is given twice"),
        (["data.a=1", "data.a=2"], "data.a is given twice"),
        (["data=1", "data.a=2"], "data.a is given twice"),
    ):
        with pytest.raises(UsageError, match=said):
            parse_fields(wrong, {"repeats": 2})


SAMPLE = SAMPLES / "rw75_jsonplus.json"


def copies(folder, *names):
    """Copies of the sample, which states 16 I/Os in flight."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_bytes(SAMPLE.read_bytes())
    return [str(folder / name) for name in names]


def test_read_json_is_one_object_a_file_with_null_as_null(capsys, tmp_path):
    """Source, kind, tables as lists of rows, and evidence with sections and warnings."""
    assert run(["read", str(SAMPLE), *copies(tmp_path, "b.json"), "--format", "json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    record = json.loads(lines[0])
    assert set(record) == {"source", "kind", "tables", "evidence"}
    assert (record["source"], record["kind"]) == (str(SAMPLE), "fio")
    rows = record["tables"]["load_points"]
    raw = json.loads(SAMPLE.read_text())["jobs"][0]
    by_direction = {row["direction"]: row for row in rows}
    assert by_direction["read"]["iops"] == raw["read"]["iops"]
    assert by_direction["write"]["lat_mean_s"] == pytest.approx(
        raw["write"]["lat_ns"]["mean"] / 1e9
    )
    assert by_direction["read"]["system"] is None
    assert {"sections", "warnings"} <= set(record["evidence"])


def test_one_bad_file_does_not_keep_the_others_back(capsys, tmp_path):
    """The good files are read, each bad one is an error line, and the exit code is 1."""
    bad, worse = tmp_path / "bad.json", tmp_path / "worse.json"
    bad.write_text("")
    worse.write_text("{}")
    assert run(["read", str(bad), str(SAMPLE), str(worse), "--format", "json"]) == 1
    captured = capsys.readouterr()
    assert [json.loads(line)["source"] for line in captured.out.splitlines()] == [str(SAMPLE)]
    errors = captured.err.splitlines()
    assert [line.split(":")[1].strip() for line in errors] == [str(bad), str(worse)]
    assert all(line.startswith("error: ") for line in errors)


def test_the_shell_completes_workloads_and_studies(tmp_path, monkeypatch):
    """`perfkit run olt<Tab>`."""
    from perfkit.cli.measure import _complete

    monkeypatch.chdir(tmp_path)
    (tmp_path / "oltp.yml").write_text("")
    assert _complete("oltp-s") == ["oltp-select"]
    assert _complete("oltp") == ["oltp-select", "oltp-mixed", "oltp-update", "oltp.yml"]


def test_one_table_as_csv_and_parquet_and_workbook(capsys, tmp_path):
    """--table with csv goes to stdout or a file; parquet keeps types; xlsx is one workbook."""
    assert run(["read", str(SAMPLE), "--table", "load_points", "--format", "csv"]) == 0
    header = capsys.readouterr().out.splitlines()[0]
    assert "lat_mean_s" in header
    for name in ("points.csv", "points.parquet"):
        out = tmp_path / name
        form = out.suffix[1:]
        argv = ["read", str(SAMPLE), "--table", "load_points", "--format", form, "-o", str(out)]
        assert run(argv) == 0
    csv, parquet = (
        pl.read_csv(tmp_path / "points.csv"),
        pl.read_parquet(tmp_path / "points.parquet"),
    )
    assert csv["iops"].to_list() == parquet["iops"].to_list()
    assert run(["read", str(SAMPLE), "--format", "xlsx", "-o", str(tmp_path / "all.xlsx")]) == 0
    assert (tmp_path / "all.xlsx").read_bytes()[:2] == b"PK"


def test_several_files_are_one_table_that_names_the_file_of_each_row(tmp_path, capsys):
    """In CSV, Parquet and a workbook alike; a folder gets a file for each table."""
    paths = copies(tmp_path / "in", "a.json", "b.json")
    for form, read_back in (("csv", pl.read_csv), ("parquet", pl.read_parquet)):
        out = tmp_path / f"points.{form}"
        assert run(["read", *paths, "--table", "load_points", "-o", str(out)]) == 0
        frame = read_back(out)
        assert frame.columns[0] == "source"
        assert frame["source"].to_list() == [path for path in paths for _ in range(3)]
        assert frame["iops"].to_list()[:3] == frame["iops"].to_list()[3:]
        folder = tmp_path / f"all-{form}"
        assert run(["read", *paths, "-f", form, "-o", str(folder)]) == 0
        names = {path.name for path in folder.iterdir()}
        assert {f"load_points.{form}", f"histogram.{form}"} <= names
        assert read_back(folder / f"load_points.{form}").equals(frame)


def test_absolute_and_relative_names_stand_in_one_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    [absolute] = copies(tmp_path / "far", "a.json")
    copies(tmp_path, "b.json")
    assert run(["read", absolute, "b.json"]) == 0
    assert "│ b.json" in capsys.readouterr().out


def test_a_file_that_is_named_twice_is_read_once(tmp_path, capsys):
    """Its rows twice in one table would double every sum."""
    argv = ["read", str(SAMPLE), str(SAMPLE), "--table", "load_points", "-f", "csv"]
    assert run(argv) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 3


def test_a_folder_stands_for_the_evidence_in_it(tmp_path, capsys):
    """What is not evidence is named once and left out, and is not an error."""
    copies(tmp_path / "sub", "a.json", "b.json")
    (tmp_path / "notes.txt").write_text("nothing to read")
    (tmp_path / ".hidden").write_text("nothing to see")
    assert run(["read", str(tmp_path), "--table", "load_points", "-f", "csv"]) == 0
    told = capsys.readouterr()
    assert told.err == f"left out, no evidence: {tmp_path}/notes.txt\n"
    assert len(told.out.splitlines()) == 1 + 6
    (tmp_path / "empty").mkdir()
    assert run(["read", str(tmp_path / "empty")]) == 1
    assert "no file in it is evidence" in capsys.readouterr().err


def test_what_another_tool_wrote_is_named_in_a_folder_too(tmp_path, capsys):
    """As where the file is named alone: an ASH report is not "no evidence"."""
    copies(tmp_path, "a.json")
    for name in ("ash_1.html", "ash_2.html"):
        (tmp_path / name).write_text("<html><head><title>ASH Report - From 05-Jan-26 10:00\n")
    (tmp_path / "notes.txt").write_text("nothing to read")
    assert run(["read", str(tmp_path), "--table", "load_points", "-f", "csv"]) == 0
    named, none = sorted(capsys.readouterr().err.splitlines(), reverse=True)
    assert none == f"left out, no evidence: {tmp_path}/notes.txt"
    assert named.startswith(
        f"left out: {tmp_path}/ash_1.html, {tmp_path}/ash_2.html: an ASH report"
    )


def test_names_of_files_cannot_steer_the_terminal(tmp_path, capsys, monkeypatch):
    """An escape sequence in a name is a dot and a line break a blank, wherever it is printed."""
    monkeypatch.setenv("COLUMNS", "200")
    copies(tmp_path / "in", "a\x1b[31m.json", "b\n.json")
    (tmp_path / "in/\x1b[2Jnotes.txt").write_text("nothing to read")
    (tmp_path / "in/c\x1b[31m.json").write_text('{"fio version": "fio-3.33"')
    assert run(["read", str(tmp_path / "in")]) == 1
    told = capsys.readouterr()
    assert "\x1b" not in told.out + told.err
    assert "a·[31m.json" in told.out
    assert "b .json" in told.out
    assert f"left out, no evidence: {tmp_path}/in/·[2Jnotes.txt" in told.err
    assert [line for line in told.err.splitlines() if line.startswith("error: ")] != []


def test_tables_of_one_name_and_other_columns_stay_apart(tmp_path, capsys):
    """fio and elbencho both have "percentiles": in one table, half the columns would be null."""
    paths = [str(SAMPLE), str(ROOT / "tests/data/elbencho/all_phases2.json")]
    assert run(["read", *paths, "-f", "csv", "-o", str(tmp_path / "out")]) == 0
    names = {path.stem for path in (tmp_path / "out").iterdir()}
    assert {"fio_percentiles", "elbencho_percentiles", "load_points"} <= names
    assert "percentiles" not in names


def test_a_table_that_is_not_there_is_named_once(capsys, tmp_path):
    """An unknown table is told with a suggestion, and not for each file again."""
    assert run(["read", *copies(tmp_path, "a.json", "b.json"), "--table", "load_point"]) == 2
    assert capsys.readouterr().err == "error: no table 'load_point'; did you mean 'load_points'?\n"


def test_an_overview_says_how_to_go_on(capsys, tmp_path, monkeypatch):
    """The kind's first tables, one line on the others; a warning of several files stands once."""
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["read", *copies(tmp_path, "a.json", "b.json", "c.json")]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "3 files: 3 fio" in told
    assert "load_points: 9 rows" in told
    assert "percentiles: " not in told
    assert "more tables, with their rows: summary (6), percentiles (102)" in told
    assert "--table summary shows one, --all every row, -o all.xlsx writes all" in told
    assert told.count("read: too few I/Os for lat_p9999_s") == 1
    assert "(3 of 3 files)" in told


def test_all_shows_every_table_and_row_and_raw_the_plain_numbers(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["read", str(SAMPLE), "--all"]) == 0
    told = capsys.readouterr().out
    assert "histogram: 818 rows\n" in told
    assert told.count("│ write     │") > 300
    assert run(["read", str(SAMPLE)]) == 0
    people = capsys.readouterr().out
    assert run(["read", str(SAMPLE), "--raw"]) == 0
    plain = capsys.readouterr().out
    mean_s = json.loads(SAMPLE.read_text())["jobs"][0]["read"]["lat_ns"]["mean"] / 1e9
    assert f"{mean_s * 1e6:.4g} µs" in people
    assert f"{mean_s:.6g}" in plain


@pytest.mark.parametrize("kind", sorted(SOURCES))
def test_what_a_source_shows_first_are_tables_and_columns_of_its_own(kind):
    """A name that is mistyped would never come first, and nobody would see why."""
    source = SOURCES[kind]
    assert set(source.overview) <= set(source.tables)
    for table, columns in source.leading.items():
        assert set(columns) <= set(source.tables[table])
        assert len(set(columns)) == len(columns)


def test_reading_in_the_terminal_shows_units_and_missing_values(capsys):
    """The table form names columns with units; a missing value is a dash, never 0."""
    assert run(["read", str(SAMPLE), "--table", "load_points"]) == 0
    assert "load_points: " in capsys.readouterr().out


def test_doctor_lists_every_part_and_what_each_is_for(capsys, monkeypatch, tmp_path):
    """Who only reads needs neither fio nor a browser: without them the exit code stays 0."""
    assert run(["doctor"]) == 0
    everything = capsys.readouterr().out
    for part in ("fio", "Chrome", "typst", "great-expectations", "Jupyter kernel"):
        assert part in everything
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    assert run(["doctor"]) == 0
    told = capsys.readouterr().out
    assert "apt-get install fio" in told
    assert told.splitlines()[-4:] == [
        "read: ready",
        "report: needs Chrome or Chromium",
        "measure: needs fio",
        "measure with elbencho: needs elbencho",
    ]


def test_doctor_fails_where_nothing_works(capsys, monkeypatch):
    """A Python package is missing: reading, reporting and measuring all need it."""
    monkeypatch.setitem(doctor.PACKAGES, "no-such-package", "everything")
    assert run(["doctor"]) == 1
    assert "read: needs no-such-package" in capsys.readouterr().out


@pytest.mark.slow
def test_study_new_proposes_a_study_that_checks_and_never_overwrites(tmp_path, capsys):
    """Evidence in a folder becomes a study with labels; a second call leaves it alone."""
    for repeat in (1, 2):
        own = SAMPLE.read_bytes() + b"\n" * repeat  # else the second would be a copy
        (tmp_path / f"read_qd16_r{repeat}.json").write_bytes(own)
    assert run(["study", "new", str(tmp_path)]) == 0
    text = (tmp_path / "study.yml").read_text()
    assert "files: '*.json'  # 2 files" in text
    assert "kind: fio" in text
    assert "repeat: '[-_](?:r" in text
    assert "load:" not in text  # fio says it itself
    assert run(["study", "check", str(tmp_path)]) == 0
    assert run(["study", "new", str(tmp_path)]) == 2
    assert (tmp_path / "study.yml").read_text() == text
    assert "is there already" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["head -c 10", "true"])
def test_output_into_a_closed_pipe_is_no_error(reader):
    """`perfkit read ... | head -1` ends quietly, also when the reader left at once."""
    command = f"{sys.executable} -m perfkit read {SAMPLE} --format json | {reader}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0


def test_a_log_goes_to_parquet_piece_by_piece(tmp_path, capsys):
    """`perfkit read big.log -o steps.parquet`: the name says the form; what was found is told."""
    from forges.sas import Log, Step

    log, out = tmp_path / "big.log", tmp_path / "steps.parquet"
    log.write_bytes(Log([Step(), Step("SORT")]).data())
    assert run(["read", str(log), "-o", str(out)]) == 0
    assert pl.read_parquet(out)["name"].to_list() == ["DATA", "SORT"]
    assert f"{log}: steps: 2 rows" in capsys.readouterr().err
    folder = tmp_path / "all"
    assert run(["read", str(log), "--format", "parquet", "-o", str(folder)]) == 0
    assert {path.stem for path in folder.iterdir()} >= {"steps", "sessions", "datasets", "messages"}


def test_several_tables_do_not_fit_into_one_file(tmp_path, capsys):
    assert run(["read", str(SAMPLE), "-o", str(tmp_path / "x.csv")]) == 2
    assert "name one with --table, or give a folder" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())

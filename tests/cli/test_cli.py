"""The command line: help with examples, one line per error, and the exit codes."""

from __future__ import annotations

import json
import subprocess
import sys

import polars as pl
import pytest
from places import ROOT

from perfkit.cli.app import run
from perfkit.cli.measure import parse_load
from perfkit.cli.reporting import parse_parameters
from perfkit.core.errors import UsageError

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


SAMPLE = SAMPLES / "rw75_jsonplus.json"


def test_read_json_is_one_object_a_file_with_null_as_null(capsys):
    """Source, kind, tables as lists of rows, and evidence with sections and warnings."""
    assert run(["read", str(SAMPLE), str(SAMPLE), "--format", "json"]) == 0
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


def test_all_tables_of_several_files_go_to_a_folder(tmp_path):
    """-o is a folder: one below it for each file, one file a table, names kept apart."""
    argv = ["read", str(SAMPLE), str(SAMPLE), "--format", "parquet", "-o", str(tmp_path / "out")]
    assert run(argv) == 0
    folders = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert folders == ["rw75_jsonplus", "rw75_jsonplus-2"]
    assert (tmp_path / "out/rw75_jsonplus/histogram.parquet").is_file()


def test_a_table_that_is_not_there_is_named(capsys):
    """An unknown table is told with a suggestion."""
    assert run(["read", str(SAMPLE), "--table", "load_point"]) == 1
    assert "did you mean 'load_points'" in capsys.readouterr().err


def test_reading_in_the_terminal_shows_units_and_missing_values(capsys):
    """The table form names columns with units; a missing value is a dash, never 0."""
    assert run(["read", str(SAMPLE), "--table", "load_points"]) == 0
    assert "load_points: " in capsys.readouterr().out


def test_doctor_lists_every_part_and_fails_when_one_is_missing(capsys, monkeypatch, tmp_path):
    """A missing fio is named with its cure, and the exit code is 1."""
    assert run(["doctor"]) == 0
    everything = capsys.readouterr().out
    for part in ("fio", "Chrome", "typst", "great-expectations", "Jupyter kernel"):
        assert part in everything
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    assert run(["doctor"]) == 1
    assert "apt-get install fio" in capsys.readouterr().out


def test_study_new_proposes_a_study_that_checks_and_never_overwrites(tmp_path, capsys):
    """Evidence in a folder becomes a study with labels; a second call leaves it alone."""
    for repeat in (1, 2):
        (tmp_path / f"read_qd16_r{repeat}.json").write_bytes(SAMPLE.read_bytes())
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

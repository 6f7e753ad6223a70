"""Telling kinds of evidence apart by content."""

import gzip

import pytest

from perfkit.core.errors import ParseError, UsageError
from perfkit.sources import SOURCES, kind_of, read


def test_every_recorded_fio_output_is_told_apart_by_its_content(fio_data):
    paths = [p for p in fio_data.rglob("*") if p.is_file() and p.name != "README.md"]
    assert {(kind_of(path), path.suffix == ".log") for path in paths} == {
        ("fio", False),
        ("fio-log", True),
    }


def test_the_name_of_a_file_says_nothing(fio_data, tmp_path):
    path = tmp_path / "letter.doc"
    path.write_bytes(gzip.compress((fio_data / "rw75.json").read_bytes()))
    assert kind_of(path) == "fio"


def test_a_kind_is_told_by_the_first_64_kib(fio_data, tmp_path):
    rows = (fio_data / "rw75.json").read_bytes()
    path = tmp_path / "x"
    path.write_bytes(b" " * (64 * 1024 - len(rows)) + rows)
    assert kind_of(path) == "fio"
    path.write_bytes(b" " * 64 * 1024 + rows[:1024])
    with pytest.raises(ParseError):
        kind_of(path)


def test_several_files_at_once_are_refused_with_what_takes_them(tmp_path):
    with pytest.raises(UsageError, match=r"takes one file or folder; pk\.report and studies"):
        read([tmp_path / "a.json", tmp_path / "b.json"])


@pytest.mark.parametrize("text", ["hello", '{"a": 1}', "a,b\n1,2\n", "\x00\x01"])
def test_an_unknown_file_is_refused_with_the_kinds_there_are(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(ParseError) as caught:
        read(path)
    assert "of no kind that perfkit reads" in str(caught.value)
    assert f"it begins {' '.join(text.split())!r}" in str(caught.value)
    assert all(name in str(caught.value).partition("(--kind")[2] for name in SOURCES)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_text("\n"), "the file is empty"),
        (
            lambda path: path.mkdir(),
            r"a folder without run.json \(perfkit-run\), slob.conf or db_stats.out \(slob\), "
            r"summary.csv \(genio\): "
            "name the files or folders in it",
        ),
        (lambda _: None, "there is no such file"),
        (lambda path: path.write_bytes(b"\x1f\x8bxx"), "cannot be read: "),
    ],
)
def test_what_cannot_be_looked_at(tmp_path, make, message):
    make(tmp_path / "x")
    with pytest.raises(ParseError, match=message):
        read(tmp_path / "x")


def test_a_kind_that_does_not_exist_is_a_usage_error(fio_data):
    with pytest.raises(UsageError, match="no kind 'foi'; did you mean 'fio'"):
        read(fio_data / "rw75.json", kind="foi")


def test_a_kind_that_is_named_is_not_guessed(fio_data):
    with pytest.raises(ParseError, match="there is no such folder"):
        read(fio_data / "rw75.json", kind="perfkit-run")


def test_options_reach_the_reader_of_the_kind(tmp_path):
    """A decimal comma that the file leaves open; an option that no reader has is told."""
    file = tmp_path / "summary.csv"
    file.write_text(
        "Run;Read IOPS;Write IOPS;Total IOPS;Longest Write Cycle (sec)\n1;75;25;100;43,240\n"
    )
    with pytest.raises(ParseError, match="43,240"):
        read(file)
    runs = read(file, decimal=",")["genio_runs"].frame
    assert runs["longest_write_cycle_s"].to_list() == [43.24]
    with pytest.raises(UsageError, match=r"kind genio has no option 'decimals'; .*decimal"):
        read(file, decimals=",")
    with pytest.raises(UsageError, match="kind awr has no option 'decimal'"):
        read(file, kind="awr", decimal=",")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize(
    "name", ["fio/rw75.json", "elbencho/seq_wr.csv", "elbencho/rwmix75.json",
             "host/iostat-12.6.1-x.txt", "host/vmstat-4.0.2-t.txt", "host/sar-12.6.1-udr-de_DE.txt"]
)  # fmt: skip
def test_a_byte_order_mark_changes_no_number(fio_data, tmp_path, name, encoding):
    """``fio ... > result.json`` of PowerShell is UTF-16; editors put a mark before UTF-8."""
    source = fio_data.parent / name
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    path = tmp_path / source.name
    path.write_bytes((mark + source.read_text(encoding="utf-8")).encode(encoding))
    assert kind_of(path) == kind_of(source)
    marked, plain = read(path), read(source)
    assert dict(marked.tables).keys() == dict(plain.tables).keys()
    assert all(marked[table].hash == plain[table].hash for table in plain.tables)


def test_utf_16_that_is_cut_off_is_an_error_with_its_encoding(fio_data, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes((fio_data / "rw75.json").read_text().encode("utf-16")[:-1])
    with pytest.raises(ParseError, match="not UTF-16 text here"):
        read(path)

"""Generated evidence: the same seed gives the same bytes, and it never passes as measured."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import perfkit as pk
from perfkit.errors import ParseError, StudyError, UsageError
from perfkit.evidence import Origin, origin_mark
from perfkit.parsers import SOURCES
from perfkit.report.study import open_study
from perfkit.samples import SAMPLES, Sample, ensure

FIO = Path(__file__).parents[1] / "data/fio/rw75_jsonplus.json"


def write_fio(folder, seed, points=1):
    """A generator for these tests: copies of a recorded result."""
    for number in range(points):
        shutil.copy(FIO, folder / f"p{number}-{seed}.json")


def broken(folder, seed):
    (folder / "half.json").write_text("{")
    raise RuntimeError("stopped")


@pytest.fixture(autouse=True)
def samples(monkeypatch):
    monkeypatch.setitem(SAMPLES, "some-fio", Sample(f"{__name__}:write_fio", "fio results"))
    monkeypatch.setitem(SAMPLES, "broken", Sample(f"{__name__}:broken", "stops half-way"))


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_folder_is_written_once_and_then_kept(tmp_path):
    """The second order of the same finds it there; another order replaces it whole."""
    first = ensure("some-fio", tmp_path / "a", seed=3, options={"points": 2})
    assert set(first.files) == {"p0-3.json", "p1-3.json"}
    marks = {path: path.stat().st_mtime_ns for path in (tmp_path / "a").iterdir()}
    assert ensure("some-fio", tmp_path / "a", seed=3, options={"points": 2}) == first
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "a").iterdir()} == marks
    ensure("some-fio", tmp_path / "a", seed=4)
    assert set(contents(tmp_path / "a")) == {".perfkit-sample.json", "p0-4.json"}
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_stopped_generator_leaves_nothing(tmp_path):
    """The folder appears whole or not at all."""
    with pytest.raises(RuntimeError, match="stopped"):
        ensure("broken", tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_foreign_and_changed_folders_are_never_replaced(tmp_path):
    """Somebody's own files stay, and so does a generated file that was edited."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "awr.html").write_text("mine")
    with pytest.raises(UsageError, match="holds what no generator wrote"):
        ensure("some-fio", own)
    ensure("some-fio", tmp_path / "a")
    (tmp_path / "a/more.json").write_text("{}")
    with pytest.raises(UsageError, match="was changed since it was generated"):
        ensure("some-fio", tmp_path / "a", seed=2)
    assert (own / "awr.html").read_text() == "mine"
    assert (tmp_path / "a/more.json").exists()


def test_unknown_names_and_options_are_told(tmp_path):
    with pytest.raises(UsageError, match=r"no sample 'some_fio'.*some-fio"):
        ensure("some_fio", tmp_path / "a")
    with pytest.raises(UsageError, match=r"no option 'point'.*points"):
        ensure("some-fio", tmp_path / "a", options={"point": 2})


def test_generated_evidence_says_so_however_it_is_read(tmp_path):
    """Through read and through the reader itself; what is read elsewhere stays measured."""
    ensure("some-fio", tmp_path / "a", seed=3)
    made = Origin("generated", "some-fio, seed 3")
    for read in (pk.read, pk.read_fio):
        found = read(tmp_path / "a/p0-3.json")
        assert found.evidence.origin == made
        points = found.load_points
        assert points.lineage.origins() == (made,)
        table = pk.table_load_points(pk.latency_curve(points))
        assert table.lineage.mark() == " (generated data)"
        assert "(generated data)</caption>" in table._repr_html_()
    assert pk.read_fio(FIO).evidence.origin == Origin()


def test_a_changed_generated_file_is_neither_generated_nor_measured(tmp_path):
    """Nor can a measurement be slipped into a stamped folder."""
    ensure("some-fio", tmp_path / "a")
    file = tmp_path / "a/p0-1.json"
    file.write_text(file.read_text().replace('"total_ios"', '"total_ios" ', 1))
    with pytest.raises(ParseError, match="is not as some-fio generated it"):
        pk.read(file)
    shutil.copy(FIO, tmp_path / "a/mine.json")
    with pytest.raises(ParseError, match=r"mine\.json"):
        pk.read(tmp_path / "a/mine.json")


def test_every_reader_looks_for_the_stamp():
    """A reader that is registered without it would let generated data pass as measured."""
    assert [
        name for name, source in SOURCES.items() if not hasattr(source.read, "__wrapped__")
    ] == []


def test_a_study_orders_its_evidence(tmp_path):
    """The files are made when they are read; two orders for one folder are refused."""
    study = tmp_path / "study.yml"
    entry = "  - files: 'generated/*.json'\n    generated: {by: some-fio, seed: 5}\n"
    study.write_text(f"report: {{title: T}}\nevidence:\n{entry}")
    points = open_study(study).read_evidence().load_points
    assert points.lineage.mark() == " (generated data)"
    study.write_text(f"report: {{title: T}}\nevidence:\n{entry}{entry.replace('5', '6')}")
    with pytest.raises(StudyError, match="generated is generated in two ways"):
        open_study(study).read_evidence()
    study.write_text(f"report: {{title: T}}\nevidence:\n{entry.replace('some-fio', 'none')}")
    with pytest.raises(StudyError, match="no sample 'none'"):
        open_study(study).read_evidence()


def test_printed_evidence_is_named_by_its_document(tmp_path):
    study = tmp_path / "study.yml"
    shutil.copy(FIO, tmp_path / "x.json")
    study.write_text(
        "report: {title: T}\nevidence:\n  - {files: '*.json', printed: 'TR-1, Table 4'}\n"
    )
    points = open_study(study).read_evidence().load_points
    assert points.lineage.mark() == " (as printed in TR-1, Table 4)"
    assert points.filter(direction="read").lineage.mark() == " (as printed in TR-1, Table 4)"
    computed = pk.say_peak(pk.peak(pk.latency_curve(points)))
    assert computed.lineage.mark() == " (computed from figures printed in TR-1, Table 4)"


MEASURED, PRINTED = Origin(), Origin("printed", "TR-1")


@pytest.mark.parametrize(
    ("origins", "mark"),
    [
        ((MEASURED,), ""),
        ((PRINTED,), " (as printed in TR-1)"),
        ((MEASURED, PRINTED), " (in part as printed in TR-1)"),
        ((PRINTED, Origin("generated", "x")), " (generated data, as printed in TR-1)"),
        (
            tuple(Origin("printed", f"TR-1, Table {n}") for n in range(3)),
            " (as printed in TR-1)",
        ),
        (
            tuple(Origin("printed", f"TR-{n}, Table 1") for n in range(3)),
            " (as printed in several documents, see appendix)",
        ),
        ((Origin("asserted", "the study"),), " (as stated by the authors)"),
    ],
)
def test_the_mark_behind_a_caption(origins, mark):
    assert origin_mark(origins, computed=False) == mark
    said = mark.replace("as printed in", "computed from figures printed in")
    assert origin_mark(origins, computed=True) == said

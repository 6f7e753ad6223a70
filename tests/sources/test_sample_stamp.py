"""Generated evidence never passes as measured: the stamp of its folder, and what a study says."""

from __future__ import annotations

import lzma
import shutil

import pytest
from forges import STAMP, stamp
from forges.ship import pack
from places import TESTS

import perfkit as pk
from perfkit.core.errors import ParseError, StudyError
from perfkit.core.evidence import Origin, origin_mark
from perfkit.sources import SOURCES
from perfkit.study.opening import open_study

FIO = TESTS / "data/fio/rw75_jsonplus.json"


MADE = Origin("generated", "some-fio, seed 3")


@pytest.fixture
def folder(tmp_path):
    """A stamped folder with a recorded result."""
    (tmp_path / "a").mkdir()
    shutil.copy(FIO, tmp_path / "a/p0.json")
    stamp(tmp_path / "a", "some-fio", seed=3)
    return tmp_path / "a"


def test_generated_evidence_says_so_however_it_is_read(folder):
    """Through read and through the reader itself; what is read elsewhere stays measured."""
    path = folder / "p0.json"
    for found in (pk.read(path), pk.read(path, kind="fio"), pk.read(path=path, kind="fio")):
        assert found.evidence.origin == MADE
        points = found.load_points
        assert points.lineage.origins() == (MADE,)
        table = pk.table_load_points(pk.latency_curve(points))
        assert table.lineage.mark() == " (generated data)"
        assert "(generated data).</caption>" in table._repr_html_()
    assert pk.read(FIO, kind="fio").evidence.origin == Origin()


def test_a_changed_generated_file_is_neither_generated_nor_measured(folder):
    """Nor can a measurement be slipped into a stamped folder."""
    file = folder / "p0.json"
    file.write_text(file.read_text().replace('"total_ios"', '"total_ios" ', 1))
    with pytest.raises(ParseError, match="is not as some-fio generated it"):
        pk.read(file)
    shutil.copy(FIO, folder / "mine.json")
    with pytest.raises(ParseError, match=r"mine\.json"):
        pk.read(folder / "mine.json")


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"format": "other"}', '{"format": "perfkit-sample-1"}']
)
def test_a_damaged_stamp_is_no_absent_one(folder, text):
    """Otherwise generated files would turn into measurements with one lost byte."""
    (folder / STAMP).write_text(text)
    with pytest.raises(ParseError, match="stamp"):
        pk.read(folder / "p0.json")


def test_an_archive_carries_its_stamp_and_that_of_its_folder(folder):
    """Packed with the stamp, and packed without it but lying in a stamped folder."""
    pack(folder, folder.parent / "with.tar.xz")
    assert pk.read(folder.parent / "with.tar.xz/p0.json").evidence.origin == MADE
    (folder.parent / "bare").mkdir()
    shutil.copy(FIO, folder.parent / "bare/p0.json")
    (folder / STAMP).unlink()
    pack(folder.parent / "bare", folder / "inner.tar.xz")
    stamp(folder, "some-fio", seed=3)
    assert pk.read(folder / "inner.tar.xz/p0.json").evidence.origin == MADE
    plain = lzma.decompress((folder / "inner.tar.xz").read_bytes())
    (folder / "inner.tar.xz").write_bytes(lzma.compress(plain, preset=0))  # the same members
    with pytest.raises(ParseError, match=r"inner\.tar\.xz: is not as some-fio generated it"):
        pk.read(folder / "inner.tar.xz/p0.json")


def test_every_reader_looks_for_the_stamp():
    """A reader that is registered without it would let generated data pass as measured."""
    assert [
        name for name, source in SOURCES.items() if not hasattr(source.read, "__wrapped__")
    ] == []


def test_a_study_says_what_generated_its_evidence(tmp_path):
    """In its own words, for files without a stamp; not printed and generated at once."""
    study = tmp_path / "study.yml"
    shutil.copy(FIO, tmp_path / "x.json")
    entry = (
        "report: {title: T}\nevidence:\n  - {files: '*.json', generated: 'our model, run 7'%s}\n"
    )
    study.write_text(entry % "")
    points = open_study(study).read_evidence().load_points
    assert points.lineage.mark() == " (generated data)"
    assert points.lineage.origins() == (Origin("generated", "our model, run 7"),)
    study.write_text(entry % ", printed: TR-1")
    with pytest.raises(StudyError, match="either printed in a document or generated"):
        open_study(study)


def test_printed_evidence_is_named_by_its_document(tmp_path):
    study = tmp_path / "study.yml"
    shutil.copy(FIO, tmp_path / "x.json")
    study.write_text(
        "report: {title: T}\nevidence:\n  - {files: '*.json', printed: 'TR-1, Table 4'}\n"
    )
    points = open_study(study).read_evidence().load_points
    assert points.lineage.mark() == " (as printed in TR-1, Table 4)"
    assert points.filter(direction="read").lineage.mark() == " (as printed in TR-1, Table 4)"
    (computed,) = pk.say(pk.peak(points))
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

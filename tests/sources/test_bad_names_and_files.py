"""Files with odd names, files that cannot be opened, and files that vanish: one line each."""

import errno
import shutil
import zipfile
from pathlib import Path

import pytest
from places import TESTS

import perfkit as pk
from perfkit.core.errors import ParseError, UnknownKindError
from perfkit.sources import kind_of

FIO = TESTS / "data/fio/rw75.json"
NAMES = [
    "a b.json",
    "it's.json",
    'say "x".json',
    "größe.json",
    "a\nb.json",
    "-x.json",
    "%s{0}.json",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_any_name_is_read(tmp_path, name):
    shutil.copy(FIO, tmp_path / name)
    found = pk.read(tmp_path / name, root=tmp_path)
    assert found.evidence.path == name
    assert found.load_points.frame.equals(pk.read(FIO).load_points.frame)


@pytest.mark.parametrize("name", NAMES)
def test_an_error_is_one_line_whatever_the_name(tmp_path, name):
    (tmp_path / name).write_text("hello")
    with pytest.raises(ParseError) as caught:
        kind_of(tmp_path / name)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("code", "told"), [(errno.EACCES, "Permission denied"), (errno.EIO, "Input/output error")]
)
def test_a_file_that_cannot_be_opened_is_told(tmp_path, monkeypatch, code, told):
    """root may read every file: the refusal is that of a machine where it may not."""
    place = tmp_path / "x.json"
    shutil.copy(FIO, place)
    real = Path.open

    def refuse(self, *args, **kwargs):
        if self == place:
            raise OSError(code, told, str(self))
        return real(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refuse)
    for read in (kind_of, pk.read, lambda path: pk.read(path, kind="fio")):
        with pytest.raises(ParseError, match=rf"x\.json: cannot be read: .*{told}"):
            read(place)


def test_a_file_that_vanishes_between_two_looks_is_told(tmp_path, monkeypatch):
    """The kind was told, and then the file was gone."""
    place = tmp_path / "x.json"
    shutil.copy(FIO, place)
    assert kind_of(place) == "fio"
    place.unlink()
    with pytest.raises(ParseError, match=r"x\.json: there is no such file"):
        pk.read(place, kind="fio")


def test_a_folder_in_the_place_of_a_file_is_told(tmp_path):
    (tmp_path / "x.json").mkdir()
    with pytest.raises(ParseError, match=r"x\.json: cannot be read: Is a directory"):
        pk.read(tmp_path / "x.json", kind="fio")


def test_a_slob_file_that_cannot_be_read_is_left_out_and_the_rest_goes_on(tmp_path, monkeypatch):
    (tmp_path / "slob.conf").write_text("UPDATE_PCT=25\n")
    shutil.copy(TESTS / "data/host/vmstat-4.0.2-t.txt", tmp_path / "vmstat.out")
    gone = tmp_path / "iostat.out"
    shutil.copy(TESTS / "data/host/iostat-12.6.1-xmt.txt", gone)
    real = Path.open

    def refuse(self, *args, **kwargs):
        if self.name == gone.name:
            raise PermissionError(errno.EACCES, "Permission denied", str(self))
        return real(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refuse)
    found = pk.read(tmp_path)
    assert found.host_series.frame.height == 3
    reasons = {s.name: s.reason for s in found.evidence.sections if s.status == "unparsed"}
    assert "Permission denied" in reasons["iostat.out"]


def test_a_program_that_names_the_key_of_fio_is_no_result_of_fio(tmp_path):
    code = 'fn main() {\n    let version = json["fio version"];\n    println!("{version}");\n}\n'
    (tmp_path / "main.rs").write_text(code)
    with pytest.raises(UnknownKindError):
        kind_of(tmp_path / "main.rs")
    for name, text in {
        "of_fio.json": '{\n  "fio version" : "fio-3.36",\n  "jobs" : []\n}\n',
        "after_words.json": 'fio: terminating on signal 2\n{\n  "fio version" : "fio-3.36"\n}\n',
        "wrapped.json": '{"result": {"fio version": "fio-3.36"}}',
    }.items():
        (tmp_path / name).write_text(text)
        assert kind_of(tmp_path / name) == "fio", name


def test_a_program_is_no_workbook(tmp_path):
    """27 wheels of Python were "an Excel workbook: save the sheet as CSV" on a first page."""
    first = {
        "a.jar": "META-INF/MANIFEST.MF",
        "a.whl": "tool/__init__.py",
        "a.xlsx": "[Content_Types].xml",
    }
    for name, member in first.items():
        with zipfile.ZipFile(tmp_path / name, "w") as packed:
            packed.writestr(member, "x")
    for name in ("a.jar", "a.whl"):
        with pytest.raises(UnknownKindError):
            kind_of(tmp_path / name)
    with pytest.raises(ParseError, match="an Excel workbook"):
        kind_of(tmp_path / "a.xlsx")

"""An archive is read as the folder it is, and one that would do harm is refused by name."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path
from random import Random

import polars as pl
import pytest
from forges import make
from forges.ship import pack
from places import TESTS
from ruamel.yaml import YAML

import perfkit as pk
from perfkit.cli.app import run
from perfkit.core import archives, evidence
from perfkit.core.errors import ParseError, StudyError
from perfkit.core.evidence import sha256_file
from perfkit.exploring.tracing import Trace
from perfkit.sources import kind_of
from perfkit.sources.awr.many import read_awr_reports
from perfkit.sources.processes import spread
from perfkit.study.opening import open_study
from perfkit.study.proposals import propose

FIO = TESTS / "data/fio/rw75.json"
MODES = {".tar": "w:", ".tar.gz": "w:gz", ".tgz": "w:gz", ".tar.xz": "w:xz", ".tar.bz2": "w:bz2"}
ZST = pytest.param(
    ".tar.zst", marks=pytest.mark.skipif(not shutil.which("zstd"), reason="no zstd here")
)
ENDINGS = [".zip", *MODES, ZST]


def packed(path, files):
    """An archive of (name, bytes) at a path, of the form that its ending says."""
    if path.name.endswith(".zst"):
        plain = packed(path.with_suffix(""), files)
        subprocess.run(["zstd", "-q", "--rm", plain], check=True)
        return path
    mode = next((mode for end, mode in MODES.items() if path.name.lower().endswith(end)), None)
    if mode is None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, data in files:
                file.writestr(name, data)
        return path
    with tarfile.open(path, mode) as file:
        for name, data in files:
            facts = tarfile.TarInfo(name)
            facts.size = len(data)
            file.addfile(facts, io.BytesIO(data))
    return path


def linked(path, **facts):
    """A tar of one member without data: a link, a pipe, a device."""
    with tarfile.open(path, "w") as file:
        member = tarfile.TarInfo("a/x.json")
        for name, value in facts.items():
            setattr(member, name, value)
        file.addfile(member)
    return path


@pytest.fixture(params=ENDINGS)
def archive(request, tmp_path):
    """An archive of each form with a recorded result of fio in a folder."""
    return packed(tmp_path / f"runs{request.param}", [("a/rw75.json", FIO.read_bytes())])


def test_a_member_is_read_as_the_file_it_is(archive, tmp_path):
    """The same tables, the hash of the member, and a name that leads to it."""
    plain, found = pk.read(FIO), pk.read(archive / "a/rw75.json", root=tmp_path)
    assert found.evidence.path == f"{archive.name}/a/rw75.json"
    assert found.evidence.sha256 == plain.evidence.sha256 == sha256_file(FIO)
    assert found.load_points.frame.equals(plain.load_points.frame)
    member = archive / "a/rw75.json"
    for same in (pk.read(str(member), kind="fio"), pk.read(path=member, kind="fio")):
        assert same.evidence.sha256 == plain.evidence.sha256


def test_a_member_keeps_its_archive_where_its_folder_is_not_told(archive):
    """From a root that shares no folder with it: neither the whole path nor the bare name."""
    found = pk.read(archive / "a/rw75.json", root=Path("/nowhere"))
    assert found.evidence.path == f"{archive.name}/a/rw75.json"


def test_an_error_names_archive_and_member(tmp_path, monkeypatch):
    path = packed(tmp_path / "runs.zip", [("a/half.json", b'{"fio version": "3'), ("a/x", b"?")])
    monkeypatch.chdir(tmp_path)
    for where in (path, Path("runs.zip")):
        with pytest.raises(ParseError, match=r"^runs\.zip/a/half\.json:"):
            pk.read(where / "a/half.json")
    with pytest.raises(ParseError, match=r"runs\.zip/a/x: of no kind that perfkit reads"):
        kind_of(path / "a/x")
    with pytest.raises(ParseError, match=r"runs\.zip/a/none\.json: there is no such file"):
        pk.read(path / "a/none.json")
    with pytest.raises(ParseError, match=r"runs\.zip: a folder without run\.json"):
        pk.read(path)


def test_a_run_in_an_archive_is_a_run(tmp_path):
    """What is a folder outside is one inside: here GenIO's, with its summary."""
    make("genio-ramp", tmp_path / "made", options={"runs": 2})
    pack(tmp_path / "made", tmp_path / "ramp.tar.xz")
    plain = pk.read(tmp_path / "made/policy/epic-rhel1")
    found = pk.read(tmp_path / "ramp.tar.xz/policy/epic-rhel1", root=tmp_path)
    assert found.genio_runs.frame.drop("source", strict=False).equals(
        plain.genio_runs.frame.drop("source", strict=False)
    )
    assert found.evidence.path.startswith("ramp.tar.xz/policy/epic-rhel1")
    assert found.evidence.sha256 == plain.evidence.sha256


def test_a_study_names_members_by_a_glob(archive, tmp_path):
    """In the archive, and over archives; the lineage leads back into it and runs again."""
    study = tmp_path / "study.yml"
    for pattern in (f"{archive.name}/a/*.json", "runs.*/*/*.json"):
        study.write_text(f"report: {{title: T}}\nevidence:\n  - {{files: '{pattern}'}}\n")
        if pattern.startswith("runs.*"):
            with pytest.raises(StudyError, match="matches no file"):
                open_study(study).read_evidence()
            continue
        points = open_study(study).read_evidence().load_points
        assert points.frame["source"].unique().to_list() == [f"{archive.name}/a/rw75.json"]
        Trace("t", points.lineage, "").replay(tmp_path)
    study.write_text(f"report: {{title: T}}\nevidence: [{{files: {archive.name}}}]\n")
    with pytest.raises(StudyError, match=rf"name the files in it \({archive.name}/\*\)"):
        open_study(study).read_evidence()
    ending = archive.name.removeprefix("runs")
    study.write_text(f"report: {{title: T}}\nevidence:\n  - {{files: '*{ending}/*/*.json'}}\n")
    assert open_study(study).read_evidence().load_points.frame.equals(points.frame)


@pytest.mark.slow
def test_a_proposal_looks_into_archives(tmp_path, monkeypatch):
    """Into those of a folder, and into one by itself; what it proposes can be read."""
    folder = tmp_path / "results"
    folder.mkdir()
    for system in ("a", "b"):
        own = FIO.read_bytes() + b"\n" * (system == "b")  # else it would be a copy
        packed(folder / f"{system}.tar.xz", [("mix/rw75_qd16.json", own)])
    entries = YAML(typ="safe").load(propose(folder).text)["evidence"]
    assert [(item["files"], item["labels"]) for item in entries] == [
        ("a.tar.xz/mix/*.json", {"system": "a", "config": "mix"}),
        ("b.tar.xz/mix/*.json", {"system": "b", "config": "mix"}),
    ]
    assert run(["study", "new", str(folder)]) == 0
    assert len(open_study(folder).read_evidence().load_points) == 6
    (folder / "study.yml").unlink()
    monkeypatch.chdir(folder)
    assert run(["study", "new", "a.tar.xz"]) == 0
    (entry,) = YAML(typ="safe").load((folder / "study.yml").read_text())["evidence"]
    # as of the folder a: below it the first folder is the system
    assert (entry["files"], entry["labels"]) == ("a.tar.xz/mix/*.json", {"system": "mix"})
    assert run(["study", "check", "study.yml"]) == 0


def test_the_command_line_reads_a_member(archive, tmp_path, capsys):
    out = tmp_path / "points.csv"
    member = str(archive / "a/rw75.json")
    assert run(["read", member, "--table", "load_points", "-o", str(out)]) == 0
    assert len(pl.read_csv(out)) == len(pk.read(FIO).load_points)
    capsys.readouterr()
    assert run(["read", str(archive)]) == 0
    assert "(fio)\nload_points: 3 rows" in capsys.readouterr().out


def name_beside(path, shared):
    """How a file is named in a record; the process that asked waits for another to take one."""
    own, mark = shared
    if os.getpid() != own:
        mark.touch()
    for _ in range(600):
        if mark.exists():
            break
        time.sleep(0.1)
    return evidence.label(path, mark.parent), os.getpid()


@pytest.mark.slow
@pytest.mark.parametrize("archive", [".tar.xz"], indirect=True)
def test_further_processes_name_members_too(archive, tmp_path):
    """A worker knows from which archive a file was unpacked."""
    paths = [archives.opened(archive / "a/rw75.json")] * 40
    found = spread(f"{__name__}:name_beside", paths, (os.getpid(), tmp_path / "another"), 2)
    assert {name for name, _ in found} == {f"{archive.name}/a/rw75.json"}
    assert len({pid for _, pid in found}) == 2


@pytest.mark.slow
def test_a_set_of_reports_is_read_from_an_archive(tmp_path):
    make("slob-awr", tmp_path / "made", options={"points": 2, "repeats": 2})
    pack(tmp_path / "made", tmp_path / "set.tar.xz")
    names = sorted(p.relative_to(tmp_path / "made") for p in (tmp_path / "made").rglob("*.html"))
    found = read_awr_reports([tmp_path / "set.tar.xz" / name for name in names], root=tmp_path)
    assert [part.path for part in found.evidence.parts] == [f"set.tar.xz/{name}" for name in names]
    assert found.evidence.path == "set.tar.xz"
    assert {part.origin.kind for part in found.evidence.parts} == {"generated"}


def test_an_archive_that_changed_is_unpacked_again(tmp_path):
    path = packed(tmp_path / "x.tar", [("x.json", FIO.read_bytes())])
    first = pk.read(path / "x.json")
    packed(path, [("x.json", FIO.read_bytes().replace(b'"total_ios"', b'"total_ios" ', 1))])
    assert pk.read(path / "x.json").evidence.sha256 != first.evidence.sha256


def test_what_was_unpacked_goes_with_the_process(tmp_path):
    """A private folder, and nothing of it is left: nor of the archive that was refused."""
    good = packed(tmp_path / "x.tar.xz", [("x.json", FIO.read_bytes())])
    (tmp_path / "bad.tar.xz").write_bytes(good.read_bytes()[:-20])
    (tmp_path / "tmp").mkdir()
    code = """
import stat, sys, tempfile, perfkit as pk
from pathlib import Path
pk.read(sys.argv[1])
(folder,) = Path(tempfile.gettempdir()).iterdir()
assert stat.S_IMODE(folder.stat().st_mode) == 0o700
try:
    pk.read(sys.argv[2])
except Exception as problem:
    assert list(folder.parent.iterdir()) == [folder], problem
"""
    subprocess.run(
        [sys.executable, "-c", code, good / "x.json", tmp_path / "bad.tar.xz/x.json"],
        check=True, env={"TMPDIR": str(tmp_path / "tmp")},
    )  # fmt: skip
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_folder_with_an_archives_name_is_a_folder_and_gzip_alone_is_a_file(tmp_path):
    (tmp_path / "old.zip").mkdir()
    shutil.copy(FIO, tmp_path / "old.zip/x.json")
    assert pk.read(tmp_path / "old.zip/x.json", root=tmp_path).evidence.path == "old.zip/x.json"
    (tmp_path / "x.json.gz").write_bytes(gzip.compress(FIO.read_bytes()))
    assert pk.read(tmp_path / "x.json.gz").evidence.sha256 == sha256_file(tmp_path / "x.json.gz")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", ["../x.json", "a/../../x.json", "/etc/x.json"])
def test_no_member_leaves_the_archive(tmp_path, monkeypatch, ending, name):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    path = packed(tmp_path / f"runs{ending}", [("a/x.json", FIO.read_bytes()), (name, b"{}")])
    with pytest.raises(ParseError, match="leads out of the archive") as told:
        pk.read(path / "a/x.json")
    assert str(told.value).startswith(f"{path}/{name}:")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_path_does_not_lead_out_of_an_archive(archive):
    with pytest.raises(ParseError, match="leads out of the archive"):
        pk.read(archive / "../x.json")


@pytest.mark.parametrize(
    "facts",
    [
        {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"},
        {"type": tarfile.SYMTYPE, "linkname": "y.json"},
        {"type": tarfile.LNKTYPE, "linkname": "../../y.json"},
        {"type": tarfile.FIFOTYPE},
        {"type": tarfile.CHRTYPE},
    ],
)
def test_links_pipes_and_devices_are_refused(tmp_path, facts):
    path = linked(tmp_path / "runs.tar", **facts)
    with pytest.raises(ParseError, match=r"runs\.tar/a/x\.json: neither a file nor a folder"):
        pk.read(path / "a/x.json")


def test_a_zip_of_unix_has_folders_with_their_modes(tmp_path):
    folder, file = zipfile.ZipInfo("a/"), zipfile.ZipInfo("a/x.json")
    folder.external_attr = (stat.S_IFDIR | 0o755) << 16 | 0x10  # and the mark of DOS
    file.external_attr = (stat.S_IFREG | 0o640) << 16
    path = packed(tmp_path / "runs.zip", [(folder, b""), (file, FIO.read_bytes())])
    assert pk.read(path / "a/x.json", root=tmp_path).evidence.path == "runs.zip/a/x.json"


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_a_link_in_a_zip_is_refused(tmp_path, kind):
    item = zipfile.ZipInfo("a/x.json")
    item.external_attr = (kind | 0o777) << 16
    path = packed(tmp_path / "runs.zip", [(item, b"/etc/passwd")])
    with pytest.raises(ParseError, match=r"runs\.zip/a/x\.json: neither a file nor a folder"):
        pk.read(path / "a/x.json")


@pytest.mark.parametrize("ending", [".zip", ".tar"])
@pytest.mark.parametrize("names", [("x.json", "x.json"), ("x.json", "./x.json")])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice_is_refused(tmp_path, ending, names):
    """Which of the two would be meant is not known."""
    path = packed(tmp_path / f"runs{ending}", [(name, b"{}") for name in names])
    with pytest.raises(ParseError, match=r"x\.json: is in the archive twice"):
        pk.read(path / "x.json")


def test_a_file_that_is_a_folder_too_is_refused(tmp_path):
    path = packed(tmp_path / "runs.tar", [("a", b"x"), ("a/x.json", b"{}")])
    with pytest.raises(ParseError, match=r"runs\.tar/a/x\.json: cannot be unpacked"):
        pk.read(path / "a/x.json")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_bomb_is_refused(tmp_path, monkeypatch, ending):
    """By what is written, whatever the headers say; and nothing of it stays."""
    monkeypatch.setattr(archives, "MOST_BYTES", 3 * 1024**2)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    files = [("a/x.json", b"{}"), ("a/y", bytes(2 * 1024**2)), ("a/z", bytes(2 * 1024**2))]
    path = packed(tmp_path / f"runs{ending}", files)
    with pytest.raises(ParseError, match=rf"runs\{ending}.*larger than"):
        pk.read(path / "a/x.json")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_too_many_members_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_MEMBERS", 3)
    three = [(f"{number}.json", FIO.read_bytes()) for number in range(3)]
    assert pk.read(packed(tmp_path / "three.tar", three) / "0.json").evidence.kind == "fio"
    path = packed(tmp_path / "four.tar", [*three, ("3.json", b"{}")])
    with pytest.raises(ParseError, match=r"four\.tar: more than 3 members"):
        pk.read(path / "0.json")


def test_a_header_does_not_fill_memory(tmp_path):
    """A comment of pax may be as long as it says: tarfile would hold all of it."""
    path = tmp_path / "runs.tar.xz"
    with tarfile.open(path, "w:xz", format=tarfile.PAX_FORMAT) as file:
        member = tarfile.TarInfo("x.json")
        member.pax_headers = {"comment": "x" * 2 * 1024**2}
        file.addfile(member)
    with pytest.raises(ParseError, match="header of the archive is larger than 1 MiB"):
        pk.read(path / "x.json")


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_archive_that_is_cut_off_anywhere_is_refused(tmp_path, ending):
    """Even between two members, where the ones before would read well: evidence left out."""
    files = [("a.json", FIO.read_bytes()), ("b.json", FIO.read_bytes())]
    data = packed(tmp_path / f"whole{ending}", files).read_bytes()
    plain = len(data) if ending == ".tar" else 0
    member = 512 + -(-FIO.stat().st_size // 512) * 512
    for end in {len(data) // 3, len(data) // 2, len(data) * 9 // 10, *([member] if plain else [])}:
        cut = tmp_path / f"cut{end}{ending}"
        cut.write_bytes(data[:end])
        if ending == ".tar" and end > 2 * member:
            continue  # of the zeros behind the last member a block is enough
        with pytest.raises(ParseError, match=f"cut{end}"):
            pk.read(cut / "a.json")


def test_a_damaged_header_is_not_the_end(tmp_path):
    """tarfile stops at it without a word."""
    files = [("a.json", FIO.read_bytes()), ("b.json", FIO.read_bytes())]
    path = packed(tmp_path / "runs.tar", files)
    data = bytearray(path.read_bytes())
    data[data.index(b"b.json")] = ord("c")
    path.write_bytes(data)
    with pytest.raises(ParseError, match="cut off or damaged behind this member"):
        pk.read(path / "a.json")


def test_a_second_tar_behind_the_first_is_not_dropped(tmp_path):
    one, two = (packed(tmp_path / f"{n}.tar", [(f"{n}.json", FIO.read_bytes())]) for n in "ab")
    both = tmp_path / "both.tar.xz"
    both.write_bytes(lzma.compress(one.read_bytes() + two.read_bytes()))
    with pytest.raises(ParseError, match="cut off or damaged behind this member"):
        pk.read(both / "a.json")


def test_a_changed_byte_in_a_zip_is_found(tmp_path):
    path = packed(tmp_path / "runs.zip", [("a.json", b"x" * 100)])
    data = bytearray(path.read_bytes())
    data[data.index(b"a.json") + 7] ^= 1
    path.write_bytes(data)
    with pytest.raises(ParseError, match=r"runs\.zip/a\.json: cannot be unpacked"):
        pk.read(path / "a.json")


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_only_has_the_name_is_told(tmp_path, ending):
    path = tmp_path / f"runs{ending}"
    for data in (b"", b"no archive at all" * 100):
        path.write_bytes(data)
        with pytest.raises(ParseError, match=rf"runs\{ending}: cannot be unpacked"):
            pk.read(path / "x.json")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_damaged_archive_gives_all_its_members_or_none(tmp_path, ending):
    """A changed byte is refused as a ParseError, or has changed nothing; of a tar, in a header."""
    files = {"a/x.json": FIO.read_bytes(), "b.json": b"{}" * 300}
    data = packed(tmp_path / f"whole{ending}", files.items()).read_bytes()
    second = 512 + -(-len(files["a/x.json"]) // 512) * 512
    places = [*range(512), *range(second, second + 512)] if ending == ".tar" else range(len(data))
    dice, refused = Random(7), 0
    for number in range(60):
        bad = bytearray(data)
        bad[dice.choice(places)] ^= 1 << dice.randrange(8)
        path = tmp_path / f"{number}{ending}"
        path.write_bytes(bad)
        try:
            folder = archives.opened(path)
        except ParseError:
            refused += 1
            continue
        there = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
        assert {name: path.read_bytes() for name, path in there.items()} == files
    assert refused > 50


def test_an_encrypted_zip_is_told(tmp_path):
    path = packed(tmp_path / "runs.zip", [("a.json", b"{}")])
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(ParseError, match=r"runs\.zip/a\.json: is encrypted: unpack the archive"):
        pk.read(path / "a.json")


def test_an_archive_in_an_archive_is_told(tmp_path):
    inner = packed(tmp_path / "inner.zip", [("x.json", FIO.read_bytes())])
    outer = packed(tmp_path / "outer.tar", [("in.zip", inner.read_bytes())])
    with pytest.raises(ParseError, match=r"outer\.tar/in\.zip: an archive in an archive"):
        pk.read(outer / "in.zip/x.json")


def test_a_member_that_lies_too_deep_is_refused(tmp_path):
    deep = "/".join("d" * archives.MOST_DEPTH)
    path = packed(tmp_path / "runs.tar", [(f"{deep}/x.json", b"{}")])
    with pytest.raises(ParseError, match=r"d/x\.json: lies deeper than 32 folders"):
        pk.read(path / "x.json")


def test_a_zip_of_windows_has_folders(tmp_path):
    """Some programs of Windows write a backslash; elsewhere it is a letter of a name."""
    item = zipfile.ZipInfo("a\\x.json")
    item.create_system = 0
    path = packed(tmp_path / "runs.zip", [(item, FIO.read_bytes())])
    assert pk.read(path / "a/x.json", root=tmp_path).evidence.path == "runs.zip/a/x.json"
    item.filename = "..\\x.json"
    with pytest.raises(ParseError, match="leads out of the archive"):
        pk.read(packed(tmp_path / "out.zip", [(item, b"{}")]) / "x.json")


def program(tmp_path, monkeypatch, name, script):
    """The only program of the machine beside the shell's: an archive's reader."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    place = folder / name
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr(
        archives.shutil, "which", lambda name: str(folder / name) if
        (folder / name).exists() else None,
    )  # fmt: skip


def test_a_7z_is_read_as_a_tar_by_bsdtar(tmp_path, monkeypatch):
    path = tmp_path / "runs.7z"
    path.write_bytes(b"7z")
    tar = packed(tmp_path / "same.tar", [("a/x.json", FIO.read_bytes())])
    program(tmp_path, monkeypatch, "bsdtar", f"cat {tar}")
    assert pk.read(path / "a/x.json").evidence.sha256 == sha256_file(FIO)


def test_a_link_in_a_7z_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "runs.7z"
    path.write_bytes(b"7z")
    (tmp_path / "etc").symlink_to("/etc")
    with tarfile.open(tmp_path / "same.tar", "w") as tar:
        tar.add(tmp_path / "etc", "etc")
    program(tmp_path, monkeypatch, "bsdtar", f"cat {tmp_path / 'same.tar'}")
    with pytest.raises(ParseError, match=r"runs\.7z/etc: neither a file nor a folder"):
        pk.read(path / "x")


def test_a_program_that_fails_is_quoted(tmp_path, monkeypatch):
    path = tmp_path / "runs.7z"
    path.write_bytes(b"7z")
    program(tmp_path, monkeypatch, "bsdtar", "echo; echo 'ERROR: Wrong password? : x' >&2; exit 2")
    with pytest.raises(ParseError, match=r"runs\.7z: cannot be .*bsdtar: ERROR: Wrong password"):
        pk.read(path / "x")


@pytest.mark.parametrize(("ending", "needed"), [(".7z", "bsdtar"), (".tar.zst", "zstd")])
def test_without_a_program_the_archive_is_refused_with_its_name(
    tmp_path, monkeypatch, ending, needed
):
    path = tmp_path / f"runs{ending}"
    path.write_bytes(b"x")
    monkeypatch.setattr(archives.shutil, "which", lambda _: None)
    with pytest.raises(ParseError, match=f": {needed} is needed to unpack it and is not installed"):
        pk.read(path / "x")


def test_a_glob_from_the_root_is_taken_from_there(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "a.json").write_text("{}")
    assert list(archives.matches(tmp_path / "here", f"{tmp_path}/*.json")) == [tmp_path / "a.json"]

"""What lies in a folder: evidence is taken by what it is, everything else is told and left out."""

from __future__ import annotations

import itertools
import os
import shutil
from pathlib import Path

import pytest
from forges.awr import forge_text
from forges.awr.series import series
from places import TESTS
from ruamel.yaml import YAML

from perfkit.core.errors import StudyError
from perfkit.study import survey as surveys
from perfkit.study.opening import open_study
from perfkit.study.proposals import is_untouched, propose
from perfkit.study.survey import survey

FIO = TESTS / "data/fio/rw75_jsonplus.json"
IOSTAT = TESTS / "data/host/iostat-12.6.1-xmt.txt"
ROOT_READS_ALL = os.geteuid() == 0


def fio(path: Path) -> Path:
    """A result of its own: no two have the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(FIO.read_bytes() + b"\n" * next(_NEXT))
    return path


_NEXT = itertools.count()


def proposed(places, **options):
    return YAML(typ="safe").load(propose(places, **options).text)


def read_back(places, home):
    """The evidence that the proposed study reads, from a folder of its own."""
    home.mkdir(exist_ok=True)
    (home / "study.yml").write_text(propose(places, home).text, encoding="utf-8")
    study = open_study(home)
    parts = study.parts or [study]
    return [part.path for item in parts for part in item.read_evidence().evidence.parts]


def test_documents_reports_and_studies_are_no_evidence(tmp_path):
    """By their endings; a report of perfkit's by what its head says; hidden files by their dot."""
    fio(tmp_path / "a.json")
    for name in ("study.yml", "README.md", "notes.ipynb", "report.pdf", "notes.txt"):
        (tmp_path / name).write_text('"fio version" in words only\n')
    head = '<html><head><meta name="generator" content="perfkit"></head>WORKLOAD REPOSITORY'
    (tmp_path / "report.html").write_text(head)
    fio(tmp_path / ".hidden.json")
    (tmp_path / "notes.txt").write_text("what was done on Tuesday\n")
    found = survey([tmp_path])
    assert [str(piece.name) for piece in found.pieces] == ["a.json"]
    assert {str(item.name): item.reason for item in found.left_out} == dict.fromkeys(
        ["README.md", "notes.ipynb", "notes.txt", "report.html", "report.pdf", "study.yml"]
    )


def test_a_survey_that_takes_long_says_how_far_it_is(tmp_path, monkeypatch):
    """Every few seconds, and not at all where it is done by then."""
    for name in "abc":
        fio(tmp_path / f"{name}.json")
    told = []
    survey([tmp_path], told.append)
    assert told == []
    monkeypatch.setattr(surveys, "SECONDS_BETWEEN", -1.0)
    survey([tmp_path], told.append)
    assert told == [f"{n} files looked at so far" for n in range(3)]


def test_a_link_to_what_is_not_there_is_called_one(tmp_path):
    fio(tmp_path / "a.json")
    (tmp_path / "b.sh").symlink_to(tmp_path / "moved.sh")
    told = propose(tmp_path).told
    assert told[1] == "left out: b.sh: a broken link"


def test_a_document_that_is_named_itself_is_looked_at(tmp_path):
    """A log in Markdown is taken where somebody asks for that file."""
    shutil.copyfile(FIO, tmp_path / "result.md")
    assert survey([tmp_path]).pieces == ()
    assert [piece.source.name for piece in survey([tmp_path / "result.md"]).pieces] == ["fio"]


def test_what_cannot_be_read_is_told_once_for_each_reason_and_the_rest_goes_on(tmp_path):
    fio(tmp_path / "good.json")
    for name in ("cut-1.json", "cut-2.json"):
        (tmp_path / name).write_text(FIO.read_text()[:3000])
    (tmp_path / "empty.json").write_text("")
    proposal = propose(tmp_path)
    taken, *left = proposal.told
    assert taken == f"taken: 1 x fio result (JSON or normal output); system {tmp_path.name}"
    assert [line.split(":")[0:2] for line in left] == [
        ["left out", " 2 files"], ["left out", " empty.json"],
    ]  # fmt: skip
    assert "cut-1.json, cut-2.json" in left[0]
    assert left[1].endswith("the file is empty")
    # the report says so on its first page, and the study file names them all
    study = YAML(typ="safe").load(proposal.text)
    assert "cut\\-1.json" in study["report"]["not_shown"]
    assert "# left out: empty.json: the file is empty" in proposal.text
    assert [entry["files"] for entry in study["evidence"]] == ["good.json"]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "it is empty"),
        (["notes.txt", "more.txt"], r"2 files: more.txt, notes.txt \(no evidence\)"),
    ],
)
def test_a_folder_without_evidence_says_what_is_in_it(tmp_path, files, words):
    for name in files:
        (tmp_path / name).write_text("what was done on Tuesday\n")
    with pytest.raises(StudyError, match=f"nothing that perfkit can read as evidence: {words}"):
        propose(tmp_path)


def test_of_one_file_its_own_reason_is_the_error(tmp_path):
    path = tmp_path / "result.json"
    path.write_text("")
    with pytest.raises(StudyError, match=r"result.json: the file is empty$"):
        propose(path)
    with pytest.raises(StudyError, match=r"other.json: there is no such file or folder$"):
        propose(tmp_path / "other.json")


def test_one_of_several_places_may_be_missing(tmp_path):
    fio(tmp_path / "a.json")
    told = propose([tmp_path / "a.json", tmp_path / "gone"]).told
    assert told[1] == "left out: gone: there is no such file or folder"


NAMES = [
    "with blanks.json", "quote's.json", 'double"quotes.json', "umläute-ß.json", "new\nline.json",
    "star*.json", "[brackets].json", "que?ry.json", "#hash: {braces}.json", "- dash.json",
    "trailing .json", "tab\tstop.json", "no-ending", "%s.json", "{{say x}}.json",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_a_file_or_folder_is_read_back(tmp_path, name):
    """The proposed YAML and its patterns name exactly what was found, below a folder so named."""
    where = tmp_path / "in" / name
    fio(where / name)
    (where / "notes.json").write_text("{}")  # so that the file is named, and no pattern is
    fio(tmp_path / "in" / "other" / "x.json")
    found = read_back(tmp_path / "in", tmp_path / "out")
    assert sorted(found) == sorted([f"{name}/{name}", "other/x.json"])


def test_a_name_that_is_no_text_is_left_out(tmp_path):
    fio(tmp_path / "a.json")
    shutil.copyfile(FIO, os.fsencode(tmp_path) + b"/latin-\xe4.json")
    (left,) = survey([tmp_path]).left_out
    assert left.reason == "its name is not UTF-8 text"


@pytest.mark.slow
def test_ten_thousand_files_of_which_three_are_evidence(tmp_path):
    """Each is looked at once; the three are named, the others counted."""
    for number in range(10_000):
        (tmp_path / f"n{number:05}.txt").write_text("nothing of interest\n")
    shutil.copyfile(IOSTAT, tmp_path / "n04711.txt")
    fio(tmp_path / "n00007.txt")
    fio(tmp_path / "deep" / "n.json")
    proposal = propose(tmp_path)
    assert proposal.told[1] == (
        "left out: 9,998 files: n00000.txt, n00001.txt, n00002.txt and 9,995 more (no evidence)"
    )
    assert len(proposal.text.splitlines()) < 60


def test_a_folder_that_vanishes_while_it_is_looked_at(tmp_path, monkeypatch):
    """What is gone is told as gone; nothing fails."""
    fio(tmp_path / "a" / "x.json")
    fio(tmp_path / "b" / "y.json")
    real = surveys.kind_of

    def vanishing(path):
        shutil.rmtree(tmp_path / "b", ignore_errors=True)
        return real(path)

    monkeypatch.setattr(surveys, "kind_of", vanishing)
    found = survey([tmp_path])
    assert [str(piece.name) for piece in found.pieces] == ["a/x.json"]
    assert [(str(item.name), item.reason) for item in found.left_out] == [
        ("b", "there is no such file or folder")
    ]


@pytest.mark.skipif(ROOT_READS_ALL, reason="root reads every file")
def test_a_file_without_permission_is_told(tmp_path):
    fio(tmp_path / "a.json")
    fio(tmp_path / "b.json").chmod(0)
    (left,) = survey([tmp_path]).left_out
    assert "ermission denied" in str(left.reason)


def test_links_that_lead_back_and_pipes_do_not_hold_it_up(tmp_path):
    fio(tmp_path / "a" / "x.json")
    (tmp_path / "a" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "pipe")
    found = survey([tmp_path])
    assert [str(piece.name) for piece in found.pieces] == ["a/x.json"]


def test_a_file_that_is_given_twice_is_taken_once(tmp_path):
    path = fio(tmp_path / "a" / "x.json")
    assert len(survey([tmp_path, tmp_path / "a", path]).pieces) == 1


def test_a_copy_is_no_second_measurement(tmp_path):
    """The first of equal files in a place is taken; what is set side by side has each its own."""
    first = fio(tmp_path / "in" / "a" / "r.json")
    (tmp_path / "in" / "backup").mkdir()
    shutil.copyfile(first, tmp_path / "in" / "backup" / "r.json")
    fio(tmp_path / "in" / "b" / "r.json")
    found = propose(tmp_path / "in")
    assert any("backup/r.json: a copy of another file" in line for line in found.told)
    assert read_back(tmp_path / "in", tmp_path / "out") == ["a/r.json", "b/r.json"]
    # a system whose files are another's is missing from the report, so its first page says it
    assert (
        "backup/r.json: a copy of another file" in proposed(tmp_path / "in")["report"]["not_shown"]
    )
    assert len(survey([tmp_path / "in" / "a", tmp_path / "in" / "backup"]).pieces) == 2


def test_a_proposal_that_was_changed_is_known(tmp_path):
    """By the hash in its first line, which an editor's last blank line does not survive."""
    fio(tmp_path / "x.json")
    text = propose(tmp_path).text
    assert is_untouched(text)
    assert not is_untouched(text.replace("authors: []", "authors: [A. Tester]"))
    assert not is_untouched("report: {title: T}\n")


def test_files_that_are_named_are_not_swept_up_by_a_pattern(tmp_path):
    for name in ("a.json", "b.json", "c.json"):
        fio(tmp_path / name)
    study = proposed([tmp_path / "a.json", tmp_path / "b.json"])
    assert [entry["files"] for entry in study["evidence"]] == ["a.json", "b.json"]
    assert read_back([tmp_path / "a.json", tmp_path / "b.json"], tmp_path / "out") == [
        "a.json", "b.json",
    ]  # fmt: skip


def test_a_report_by_another_name_cut_off_or_as_text_is_no_second_period(tmp_path):
    """One of them is taken, the largest; it is no pair of which nothing changed."""
    (one,) = series(1, ()).periods
    pages = {"a.html": one.data[: len(one.data) // 2], "b.html": one.data, "c.html": one.data}
    for name, data in (pages | {"d.txt": forge_text(one.content).data}).items():
        (tmp_path / name).write_bytes(data)
    found = proposed(tmp_path)
    assert [found["notebook"], [own["files"] for own in found["evidence"]]] == [
        "oracle",
        ["b.html"],
    ]
    told = "a.html, c.html, d.txt: b.html reports on the same period, and is used"
    assert told in found["report"]["not_shown"]


def test_a_copy_beside_a_pair_leaves_a_pair(tmp_path):
    for period in series(2, ()).periods:
        (tmp_path / period.name).write_bytes(period.data)
    (tmp_path / "copy.html").write_bytes(period.data)
    assert proposed(tmp_path)["notebook"] == "oracle_pair"


def test_a_result_that_a_program_quotes_is_no_evidence(tmp_path):
    """The sample of a parser's own test became a report: "read_iops + write_iops gave 1,370"."""
    sample = FIO.read_text()
    for name in ("parser_test.go", "lib.rs", "check.py"):
        (tmp_path / name).write_text(f"const sample = `\n{sample}`\n")
    (tmp_path / "result.json").write_text(sample)
    seen = survey([tmp_path])
    assert [piece.name.name for piece in seen.pieces] == ["result.json"]
    assert len(survey([tmp_path / "lib.rs"]).pieces) == 1, "named by itself"

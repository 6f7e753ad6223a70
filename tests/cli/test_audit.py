"""``perfkit audit``: exit codes, forms of output, files of all kinds, and studies."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from places import ROOT

from perfkit.cli.app import run

RIGHT = "| Read IOPS | Write IOPS | Total IOPS |\n|---|---|---|\n| 10 | 20 | 30 |\n"
WRONG = RIGHT.replace("30", "40")


@pytest.fixture
def paper(tmp_path):
    path = tmp_path / "paper.md"
    path.write_text(WRONG)
    return path


def test_arithmetic_that_fails_is_an_error_with_place_printed_and_recomputed(paper, capsys):
    assert run(["audit", str(paper)]) == 3
    text = capsys.readouterr().out
    assert f"{paper}:3" in text
    assert "printed     40" in text
    assert "recomputed  30 IOPS" in text
    assert "from        10 + 20" in text
    assert f"{paper}: error\n" in text
    assert "      precision   parts and totals: " in text
    assert text.endswith(
        f"{paper}: Of 1 relation between printed numbers, 1 fails and rounding does not explain "
        "it. At least 3 of 3 printed numbers took part in a relation.\n"
    )


def test_what_a_person_has_to_look_at_is_a_doubt_and_exit_code_0(paper, capsys):
    paper.write_text("```\nset -min-iops 300 -max-iops 200\n```\n")
    assert run(["audit", str(paper)]) == 0
    assert f"{paper}: doubt\n" in capsys.readouterr().out


def test_a_document_in_which_nothing_was_checked_says_so(paper, capsys):
    paper.write_text("| Read | Note |\n|---|---|\n| 10 | a |\n\nIn 2019 there were 7 of them.\n")
    assert run(["audit", str(paper)]) == 0
    told = capsys.readouterr().out
    assert told == (
        f"{paper}: Nothing to check: no relation was found between printed numbers. "
        "0 of 3 printed numbers took part in a relation: nothing was checked.\n"
    )


def test_numbers_are_counted_once_however_many_relations_they_take_part_in(paper, capsys):
    """Two rows of three numbers with their sums in a row: twelve numbers in seven relations."""
    rows = "| a | 10 | 20 | 30 |\n| b | 1 | 2 | 3 |\n| Total | 11 | 22 | 33 |\n| c | x | 5 | 6 |\n"
    paper.write_text(f"| Host | Read IOPS | Write IOPS | Total IOPS |\n|---|---|---|---|\n{rows}")
    assert run(["audit", str(paper)]) == 0
    assert "At least 9 of 11 printed numbers took part" in capsys.readouterr().out


def test_a_sound_document_is_exit_code_0(paper, capsys):
    paper.write_text(RIGHT)
    assert run(["audit", str(paper)]) == 0
    assert "none is in doubt; 1 holds as printed." in capsys.readouterr().out


def test_json_and_csv_hold_the_findings(paper, tmp_path, capsys):
    assert run(["audit", str(paper), "--format", "json"]) == 3
    told = capsys.readouterr()
    row = json.loads(told.out)
    assert (row["outcome"], "At least 3 of 3 printed numbers" in told.err) == ("error", True)
    assert (row["line"], row["column"], row["printed"], row["recomputed"]) == (3, 3, "40", "30")
    assert run(["audit", str(paper), "-o", str(tmp_path / "found.csv")]) == 3
    frame = pl.read_csv(tmp_path / "found.csv")
    assert frame["file"].to_list() == [str(paper)]
    assert frame["by_rounding"].to_list() == [False]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-f", "json", "-o", "found.md"], "found.md: ends as text, and --format asks for json"),
        (["-o", "none/found.csv"], "found.csv: cannot be written: No such file or directory"),
        (["none.md"], "none.md: there is no such file"),
    ],
)
def test_what_cannot_be_read_or_written_is_told_with_its_file(
    paper, monkeypatch, capsys, arguments, words
):
    monkeypatch.chdir(paper.parent)
    assert run(["audit", str(paper), *arguments]) in {1, 2}
    told = capsys.readouterr().err
    assert words in told
    assert "Errno" not in told


def test_the_number_of_relations_is_said_once(paper, capsys):
    paper.write_text(f"{WRONG}\n```\nset -min-iops 300 -max-iops 200\n```\n")
    assert run(["audit", str(paper)]) == 3
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.count("relations between printed numbers") == 1
    assert "Besides, 1 is in doubt" in last


def test_all_shows_what_holds_as_well(paper, capsys):
    paper.write_text(RIGHT)
    assert run(["audit", str(paper), "--all", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "holds"


def test_one_bad_file_among_several_is_told_and_the_others_are_audited(paper, tmp_path, capsys):
    (tmp_path / "empty.md").write_text("")
    assert run(["audit", str(tmp_path / "empty.md"), str(paper)]) == 1
    told = capsys.readouterr()
    assert "empty.md: holds no table" in told.err
    assert "recomputed  30" in told.out


def test_a_study_has_its_declared_relations_and_those_of_its_tables(capsys):
    study = ROOT / "data/studies/tr-4784"
    assert run(["audit", str(study), "-f", "json"]) == 3
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    names = {row["name"] for row in rows if row["outcome"] == "error"}
    assert "Reads and writes of the A300 add up" in names


def test_a_study_says_how_many_of_its_declared_relations_fail(capsys):
    assert run(["audit", str(ROOT / "data/studies/tr-4784")]) == 3
    lines = capsys.readouterr().out.splitlines()
    failing = [line for line in lines[: lines.index("")] if line.startswith("      printed")]
    assert re.search(r": Of (\d+) relations between printed numbers, (\d+) fail", lines[-1])
    assert f", {len(failing)} fail and rounding does not explain them; " in lines[-1]


def test_a_study_without_printed_evidence_is_an_error(capsys):
    assert run(["audit", str(ROOT / "data/studies/this-host")]) == 1
    assert "no entry has kind: printed" in capsys.readouterr().err


def test_a_printed_table_is_audited_by_itself(capsys):
    table = ROOT / "data/studies/tr-4784/printed/table-4-a700.csv"
    assert run(["audit", str(table)]) == 3
    assert "recomputed  319834 IOPS" in capsys.readouterr().out


@pytest.mark.slow
def test_a_pdf_is_audited_with_the_page(tmp_path, capsys):
    """A table set in columns on the second page of a PDF."""
    import typst

    source = tmp_path / "paper.typ"
    source.write_text(
        "First page. #pagebreak()\n#table(columns: 4, [Host], [Read IOPS], [Write IOPS], "
        "[Total IOPS],"
        "[a], [1000], [200], [1200], [b], [900], [100], [1000], [c], [800], [150], [970])\n"
    )
    typst.compile(str(source), output=str(tmp_path / "paper.pdf"))
    assert run(["audit", str(tmp_path / "paper.pdf"), "-f", "json"]) == 3
    row = json.loads(capsys.readouterr().out)
    assert (row["printed"], row["recomputed"], row["place"].partition(",")[0]) == (
        "970",
        "950",
        "table in page 2",
    )

"""``pk.report``: what `perfkit report` does, from Python."""

from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, writes

import perfkit as pk
from perfkit.core.errors import ReportError, StudyError, UsageError
from perfkit.reporting.build import job_for

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parameters = new_code_cell("depth = 1", metadata={"tags": ["parameters"]})
    node = new_notebook(cells=[new_markdown_cell("# Sheet"), parameters, new_code_cell("depth")])
    node.metadata.kernelspec = KERNEL
    path = tmp_path / "sheet.ipynb"
    path.write_text(writes(node))
    return path


@pytest.mark.slow
def test_a_notebook_gives_three_files_in_a_folder_of_its_name(notebook, tmp_path):
    told = []
    made = pk.report(str(notebook), parameters={"depth": 8}, say=told.append)
    assert [path.name for path in (made.notebook, made.pdf, made.html)] == [
        "sheet.ipynb", "sheet.pdf", "sheet.html",
    ]  # fmt: skip
    assert {path.resolve().parent for path in (made.notebook, made.pdf, made.html)} == {
        tmp_path / "reports/sheet"
    }
    assert made.pdf.read_bytes().startswith(b"%PDF")
    assert "depth = 8" in made.notebook.read_text()
    assert made.outcome is None
    assert [line.partition(" in ")[0] for line in told] == ["executed sheet.ipynb", "typeset"]


def test_an_unknown_parameter_is_refused(notebook, tmp_path):
    with pytest.raises(ReportError, match="no parameter 'dept'"):
        pk.report(notebook, parameters={"dept": 8}, out=tmp_path / "out")
    assert not (tmp_path / "out/sheet.pdf").exists()


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(StudyError, match="there is no such file or folder"):
        pk.report(tmp_path / "fio.json")


# paths of parameters, from where the user stands


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A notebook in books/, and the user in desk/ with a file of his own."""
    (tmp_path / "books").mkdir()
    (tmp_path / "desk/A800").mkdir(parents=True)
    (tmp_path / "desk/mine.csv").write_text("iops")
    cells = [new_code_cell("data = None", metadata={"tags": ["parameters"]})]
    node = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    (tmp_path / "books/sheet.ipynb").write_text(writes(node))
    monkeypatch.chdir(tmp_path / "desk")
    return tmp_path


def given(value):
    return job_for(Path("../books/sheet.ipynb"), {"data": value}).parameters["data"]


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ("mine.csv", "../desk/mine.csv"),
        ("./mine.csv", "../desk/mine.csv"),
        ("../desk/mine.csv", "../desk/mine.csv"),
        ("other.csv", "other.csv"),  # beside the notebook, or an error of its own
        ("A800", "A800"),  # a system's name, though a folder has it
        (5, 5),
        ("", ""),
        ("a\0b/c", "a\0b/c"),
    ],
)
def test_a_path_is_seen_from_where_the_user_stands(places, value, seen):
    assert given(value) == seen


def test_a_path_that_is_there_twice_is_refused(places):
    """Which of the two numbers would be reported?"""
    (places / "books/mine.csv").write_text("other")
    with pytest.raises(
        UsageError, match=r"-p data=mine\.csv: there is one here and one in .*books"
    ):
        given("mine.csv")
    assert given(str(places / "desk/mine.csv")) == str(places / "desk/mine.csv")


def test_one_file_from_both_sides_is_one(places):
    (places / "books/mine.csv").symlink_to(places / "desk/mine.csv")
    assert given("mine.csv") == "mine.csv"

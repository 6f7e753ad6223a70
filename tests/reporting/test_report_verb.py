"""``pk.report``: what `perfkit report` does, from Python."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, writes

import perfkit as pk
from perfkit.core.errors import ReportError, StudyError


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parameters = new_code_cell("depth = 1", metadata={"tags": ["parameters"]})
    node = new_notebook(cells=[new_markdown_cell("# Sheet"), parameters, new_code_cell("depth")])
    node.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
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

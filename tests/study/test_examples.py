"""Studies and notebooks that come with perfkit are at hand where somebody works."""

from __future__ import annotations

import pytest
from places import ROOT

from perfkit.cli.app import run
from perfkit.core.errors import UsageError
from perfkit.study.examples import copy_notebooks, copy_study, names
from perfkit.study.opening import open_study


@pytest.mark.parametrize("name", names())
def test_a_copy_is_a_study_that_leaves_its_folder_nowhere(name, tmp_path):
    """What it measures and keeps lies in the copy; its evidence came with it."""
    study = open_study(copy_study(name, tmp_path / "copy"))
    assert study.target is None or (study.dir / study.target).is_dir()
    assert study.runs.resolve().is_relative_to(tmp_path)
    assert all(study.files(entry) for entry in study.model.evidence)
    assert "../" not in study.path.read_text()


def test_the_command_copies_and_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["study", "new", "--example", "this-host"]) == 0
    told = capsys.readouterr().out
    assert told == "this-host/study.yml: look at it, then: perfkit report this-host\n"
    assert run(["study", "new", "--example", "this-host"]) == 2
    assert "this-host is there already" in capsys.readouterr().err
    assert run(["study", "new"]) == 2
    assert run(["study", "new", ".", "--example", "this-host"]) == 2


def test_an_unknown_example_names_the_known(tmp_path):
    with pytest.raises(UsageError, match="did you mean 'this-host'"):
        copy_study("this-hots", tmp_path / "x")


def test_notebooks_are_copied_and_none_is_overwritten(tmp_path):
    """Somebody's own changes to a copy stay."""
    (tmp_path / "sweep.ipynb").write_text("mine")
    made = copy_notebooks(tmp_path)
    assert {path.name for path in made} == {
        path.name for path in (ROOT / "notebooks").glob("*.ipynb")
    } - {"sweep.ipynb"}
    assert (tmp_path / "sweep.ipynb").read_text() == "mine"
    assert copy_notebooks(tmp_path) == []

"""The forges: independent of what they are held against, and the source of what is shipped."""

from __future__ import annotations

import ast
import subprocess
import tarfile

import pytest
from forges import STAMP, make
from forges.ship import SHIPPED, STUDIES, pack
from places import TESTS

FORGES = TESTS / "forges"


def test_no_forge_imports_perfkit():
    """They are the readers' oracle: not a constant, not a table, not a unit is shared."""
    paths = sorted(FORGES.rglob("*.py"))
    assert len(paths) > 70
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in getattr(node, "names", [])]
            module = getattr(node, "module", None) or ""
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                assert "perfkit" not in {name.partition(".")[0] for name in (module, *names)}, path


def members(place):
    """The bytes of every file of a folder or a .tar.xz, by name."""
    if place.is_dir():
        files = (path for path in place.rglob("*") if path.is_file())
        return {path.relative_to(place).as_posix(): path.read_bytes() for path in files}
    with tarfile.open(place) as file:
        return {item.name: file.extractfile(item).read() for item in file}


@pytest.mark.slow
@pytest.mark.parametrize("item", SHIPPED, ids=lambda item: item.place)
def test_what_a_study_ships_is_what_its_forge_makes(tmp_path, item):
    """Every member, byte for byte; otherwise: make evidence, and the reports read anew."""
    make(item.forge, tmp_path / "made", seed=item.seed, options=item.options)
    made, shipped = members(tmp_path / "made"), members(STUDIES / item.place)
    assert made.keys() == shipped.keys()
    assert [name for name in made if made[name] != shipped[name]] == []
    assert STAMP in shipped


def test_every_generated_evidence_of_a_study_is_made_by_a_forge():
    tracked = subprocess.run(
        ["git", "ls-files", "*/generated*"], cwd=STUDIES, capture_output=True, text=True, check=True
    ).stdout.split()
    there = {"/".join(name.split("/")[:2]) for name in tracked if not name.endswith(".yml")}
    assert there == {item.place for item in SHIPPED}


def test_a_packed_folder_is_the_same_archive_every_time(tmp_path):
    """Neither times nor owners of the files stand in it."""
    for name in ("a", "b"):
        make("ranread-sweep", tmp_path / name)
        pack(tmp_path / name, tmp_path / f"{name}.tar.xz")
    assert (tmp_path / "a.tar.xz").read_bytes() == (tmp_path / "b.tar.xz").read_bytes()

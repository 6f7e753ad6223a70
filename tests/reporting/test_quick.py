"""What only saves time changes nothing: the plain way gives the same bytes."""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest
from places import ROOT
from traitlets.config import Config

import perfkit
from perfkit.reporting.execute.preload import load_ipython_extension

CHECKOUT = ROOT
STUDY = CHECKOUT / "data/studies/sas-ef550/study.yml"

PLAIN = """
import nbformat  # with all it imports
from perfkit.reporting.execute import kernels
kernels.OPTIONS = kernels.OPTIONS[:1]  # without the preloading of perfkit
"""
REPORT = """
import sys
from types import SimpleNamespace
from perfkit.cli.app import run
code = run(["report", sys.argv[1], "-o", sys.argv[2], "--date", "2026-11-22"])
print("lark" in sys.modules)
sys.exit(code)
"""


def report(way, out):
    argv = [sys.executable, "-c", way + REPORT, str(STUDY), str(out)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def cells(notebook):
    """Sources and outputs of an executed notebook."""
    found = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [(cell["source"], cell.get("outputs")) for cell in found]


@pytest.mark.slow
def test_a_report_made_the_plain_way_has_the_same_bytes(tmp_path):
    """PDF, page, and every cell's output; "lark" shows that the two ways did differ."""
    assert report("", tmp_path / "quick") == "False"
    assert report(PLAIN, tmp_path / "plain") == "True"
    for ending in ("pdf", "html"):
        quick, plain = (tmp_path / way / f"sas-ef550.{ending}" for way in ("quick", "plain"))
        assert quick.read_bytes() == plain.read_bytes()
    quick, plain = (cells(tmp_path / way / "sas-ef550.ipynb") for way in ("quick", "plain"))
    assert quick == plain
    assert any(outputs for _, outputs in quick)


@pytest.mark.slow
def test_nbformat_reads_refuses_and_writes_alike():
    """Every notebook of perfkit's, and what nbformat says of a broken one."""
    code = """
import hashlib, sys
from pathlib import Path
from perfkit.reporting.execute.quick_nbformat import nbformat
for path in sorted(Path(sys.argv[1]).glob("*.ipynb")):
    node = nbformat.read(path, as_version=4)
    nbformat.validate(node)
    print(path.name, hashlib.sha256(nbformat.writes(node).encode()).hexdigest())
node.cells[0].cell_type = "prose"
try:
    nbformat.validate(node)
except nbformat.ValidationError as problem:
    print(problem)
"""
    quick, plain = (
        subprocess.run(
            [sys.executable, "-c", way + code, str(CHECKOUT / "notebooks")],
            capture_output=True, text=True, check=True,
        ).stdout
        for way in ("", "import nbformat\n")
    )  # fmt: skip
    assert quick == plain
    assert "sweep.ipynb" in quick
    assert "'prose'" in quick


@pytest.mark.slow
def test_nbformat_does_not_wait_for_grammars_that_still_work():
    """Grammars are imported when a format of jsonschema is checked that needs them, not before."""
    code = (
        "import sys; from perfkit.reporting.execute.quick_nbformat import nbformat; "
        "import jsonschema; "
        "print('lark' in sys.modules, 'rfc3987_syntax' in sys.modules); "
        "check = jsonschema.Draft7Validator.FORMAT_CHECKER.conforms; "
        "print(check('http://a/é', 'iri'), check('no iri', 'iri'), 'lark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\nTrue False True\n"


@pytest.mark.slow
def test_great_expectations_does_not_wait_for_grammars_either():
    code = (
        "import sys; import perfkit.analysis.verdicts.great_expectations; "
        "print('jsonschema' in sys.modules, 'lark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"


@pytest.mark.slow
def test_the_preloading_imports_what_is_behind_every_name_and_nothing_of_a_user():
    code = (
        "import sys; from perfkit.reporting.execute.preload import load_ipython_extension; "
        "from types import SimpleNamespace; from traitlets.config import Config; "
        "shell = SimpleNamespace(config=Config()); "
        "before = dict(globals()); load_ipython_extension(shell); "
        "new = {*globals()} - {*before} - {'before'}; "
        "print(new, 'perfkit.analysis.curves.plateau' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set() True\n"


def test_what_cannot_be_imported_is_left_to_the_cell_that_asks_for_it(monkeypatch):
    monkeypatch.setattr(perfkit, "__all__", ["no_such_name", "knee"])
    load_ipython_extension(SimpleNamespace(config=Config()))
    with pytest.raises(AttributeError, match="no_such_name"):
        perfkit.no_such_name  # noqa: B018 - the access is what is tried

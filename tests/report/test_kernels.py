"""The kernel of a report: started early, warmed, and ended whatever happens."""

import os
import subprocess
import sys
import tempfile

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

import perfkit
from perfkit.errors import ReportError
from perfkit.report import warm
from perfkit.report.kernels import starting
from perfkit.report.notebook import execute


@pytest.fixture
def notebook(tmp_path):
    def write(*sources, kernel="python3"):
        kernelspec = {"name": kernel, "display_name": "Python 3"}
        cells = [new_code_cell(source) for source in sources]
        path = tmp_path / "n.ipynb"
        nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernelspec}), path)
        return path

    return write


@pytest.mark.slow
def test_a_kernel_that_is_not_used_ends(notebook, tmp_path):
    """As when a parameter is refused while it starts."""
    with starting(notebook("1"), tmp_path) as kernel:
        process = kernel.manager.provisioner.process
        assert process.poll() is None
    assert process.poll() is not None


@pytest.mark.slow
def test_a_kernel_ends_with_an_error_of_its_user(notebook, tmp_path):
    processes = []

    def interrupted():
        with starting(notebook("1"), tmp_path) as kernel:
            processes.append(kernel.manager.provisioner.process)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [process.poll() is not None for process in processes] == [True]


@pytest.mark.slow
def test_a_kernel_that_is_killed_leaves_nothing_it_laid_aside(notebook, tmp_path, monkeypatch):
    """Such as an unpacked archive: its temporary folder goes with the context."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    source = notebook("import os, tempfile\ntempfile.mkdtemp()\nos.kill(os.getpid(), 9)")
    with starting(source, tmp_path) as kernel, pytest.raises(ReportError):
        execute(source, tmp_path / "out.ipynb", {}, cwd=tmp_path, kernel=kernel)
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.slow
def test_the_notebook_runs_in_the_kernel_that_started_and_its_names_are_its_own(notebook, tmp_path):
    """The process is the one that was started; the warm-up leaves nothing in the namespace."""
    source = notebook("import os\nos.getpid()", "sorted(n for n in dir() if 'perfkit' in n)")
    with starting(source, tmp_path) as kernel:
        process = kernel.manager.provisioner.process
        node = execute(source, tmp_path / "out.ipynb", {}, cwd=tmp_path, kernel=kernel)
    assert process.poll() == 0  # asked to end, not killed
    assert node.cells[0].outputs[0].data["text/plain"] == str(process.pid)
    assert node.cells[1].outputs[0].data["text/plain"] == "[]"


@pytest.mark.slow
def test_the_kernel_has_imported_what_the_notebook_uses(notebook, tmp_path):
    source = notebook("import sys\n'perfkit.analysis.knee' in sys.modules # pk.knee")
    node = execute(source, tmp_path / "out.ipynb", {}, cwd=tmp_path)
    assert node.cells[0].outputs[0].data["text/plain"] == "True"
    assert warm.VARIABLE not in os.environ


@pytest.mark.parametrize("kernel", ["fortran77", ""])
def test_a_kernel_that_is_not_there_is_left_to_the_execution(notebook, tmp_path, kernel):
    with starting(notebook("1", kernel=kernel), tmp_path) as found:
        assert found.manager is None


def test_the_modules_are_those_of_the_verbs_in_the_code():
    code = "import perfkit as pk\npk.knee(pk.latency_curve(x), pk.no_such)\npk.knee(y)"
    homes = [perfkit._HOME["knee"], perfkit._HOME["latency_curve"]]
    assert warm.modules_for(code) == homes
    assert warm.modules_for("study.read_evidence()") == list(warm._MORE["read_evidence"])


def test_what_cannot_be_imported_is_left_to_the_cell(monkeypatch):
    monkeypatch.setenv(warm.VARIABLE, "perfkit.no_such perfkit.units")
    warm.load_ipython_extension(None)
    assert warm.VARIABLE not in os.environ


def test_nbformat_does_not_wait_for_grammars_that_still_work():
    """Grammars are imported when a format of jsonschema is checked that needs them, not before."""
    code = (
        "import sys; from perfkit.report.quick_nbformat import nbformat; import jsonschema; "
        "print('lark' in sys.modules, 'rfc3987_syntax' in sys.modules); "
        "check = jsonschema.Draft7Validator.FORMAT_CHECKER.conforms; "
        "print(check('http://a/é', 'iri'), check('no iri at all', 'iri'), 'lark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\nTrue False True\n"

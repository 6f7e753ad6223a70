"""The kernel of a report: started early, and ended whatever happens."""

import ast
import os
import tempfile

import nbformat
import pytest
from jupyter_client.kernelspec import NoSuchKernel
from nbformat.v4 import new_code_cell, new_notebook

from perfkit.core.errors import ReportError
from perfkit.reporting.execute.kernels import starting
from perfkit.reporting.execute.notebook import execute


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
    """The process is the one that was started; what started it leaves nothing in the namespace."""
    source = notebook("import os\nos.getpid()", "sorted(n for n in dir() if 'perfkit' in n)")
    with starting(source, tmp_path) as kernel:
        kernel.manager.shutdown_wait_time = 120.0  # on a busy machine its end takes long
        process = kernel.manager.provisioner.process
        node = execute(source, tmp_path / "out.ipynb", {}, cwd=tmp_path, kernel=kernel)
    assert process.poll() == 0  # asked to end, not killed
    assert node.cells[0].outputs[0].data["text/plain"] == str(process.pid)
    assert node.cells[1].outputs[0].data["text/plain"] == "[]"


@pytest.mark.slow
def test_settings_of_a_kernel_are_the_kernels_alone(notebook, tmp_path, monkeypatch):
    """Its environment is this process's and more; this process's own never changes."""
    monkeypatch.setenv("PLOTLY_RENDERER", "svg")
    before = dict(os.environ)
    names = ["PERFKIT_REPORT_DATE", "PLOTLY_RENDERER", "PERFKIT_PROGRESS", "HOME"]
    source = notebook(f"import os\n[os.environ[name] for name in {names}]")
    with starting(source, tmp_path, {"PERFKIT_REPORT_DATE": "2026-01-02"}) as kernel:
        assert dict(os.environ) == before
        node = execute(source, tmp_path / "out.ipynb", {}, cwd=tmp_path, kernel=kernel)
    found = ast.literal_eval(node.cells[0].outputs[0].data["text/plain"])
    assert found == ["2026-01-02", "plotly_mimetype", "lines", os.environ["HOME"]]


@pytest.mark.slow
def test_what_a_kernel_says_of_itself_is_kept_from_the_terminal(notebook, tmp_path, capfd):
    """The stderr of its process, not of its cells, which papermill passes on."""
    source = notebook("import os; os.write(2, b'from the process')")
    with starting(source, tmp_path) as kernel:
        execute(source, tmp_path / "out.ipynb", {}, cwd=tmp_path, kernel=kernel)
        kernel.log.seek(0)
        assert "from the process" in kernel.log.read()
    assert "from the process" not in capfd.readouterr().err


@pytest.mark.parametrize("kernel", ["fortran77", ""])
def test_a_kernel_that_is_not_there_is_left_to_the_execution(notebook, tmp_path, kernel):
    with starting(notebook("1", kernel=kernel), tmp_path) as found:
        assert found.manager is None
        with pytest.raises((NoSuchKernel, ReportError), match=kernel or "names no kernel"):
            found.running()


@pytest.mark.slow
def test_a_notebook_that_no_jupyter_has_saved_runs_in_pythons_kernel(tmp_path):
    """nbformat writes such notebooks: they name no kernel and no language."""
    path = tmp_path / "n.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("6 * 7")]), path)
    ran = execute(path, tmp_path / "out.ipynb", {}, cwd=tmp_path)
    assert ran.cells[0].outputs[0].data["text/plain"] == "42"

"""Executing notebooks: strict parameters, progress, and what is left when a cell raises."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import subprocess
import sys

import nbformat
import pytest
from jupyter_core.utils import ensure_event_loop
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from perfkit.core.errors import ReportError
from perfkit.core.unanswered import UNANSWERED_MIME
from perfkit.core.values import MIME
from perfkit.core.verdict import outcome_of
from perfkit.reporting.execute import engine
from perfkit.reporting.execute.notebook import execute, parameters_of


@pytest.fixture
def notebook(tmp_path):
    def write(*sources, name="sheet.ipynb"):
        parameters = new_code_cell("depth = 1  # I/Os in flight\nname = None")
        parameters.metadata["tags"] = ["parameters"]
        cells = [new_markdown_cell("# Sheet"), parameters, *map(new_code_cell, sources)]
        metadata = {
            "kernelspec": {"name": "python3", "display_name": "Python 3"},
            "language_info": {"name": "python"},
        }
        path = tmp_path / name
        nbformat.write(new_notebook(cells=cells, metadata=metadata), path)
        return path

    return write


def test_parameters_are_read_with_default_and_comment(notebook):
    """The cell tagged `parameters` declares them."""
    found = parameters_of(notebook())
    assert (found["depth"].default, found["depth"].help) == ("1", "I/Os in flight")
    assert set(found) == {"depth", "name"}


def test_an_unknown_parameter_is_refused_before_anything_runs(notebook, tmp_path):
    """papermill would only warn and run with the default."""
    with pytest.raises(ReportError, match="no parameter 'dept'; did you mean 'depth'") as problem:
        execute(notebook(), tmp_path / "out.ipynb", {"dept": 3}, cwd=tmp_path)
    assert "sheet.ipynb" in str(problem.value)
    assert not (tmp_path / "out.ipynb").exists()


def test_a_parameter_without_a_json_form_is_named(notebook, tmp_path):
    """What papermill cannot write into the notebook is refused by name."""
    with pytest.raises(ReportError, match="parameter 'name'"):
        execute(notebook(), tmp_path / "out.ipynb", {"name": {1, 2}}, cwd=tmp_path)


@pytest.mark.parametrize("text", ["", "{}", "not json", '{"cells": 1, "nbformat": 4}'])
def test_what_is_no_notebook_is_refused_by_name(tmp_path, text):
    """An empty, foreign or broken file is one clear line."""
    path = tmp_path / "x.ipynb"
    path.write_text(text)
    with pytest.raises(ReportError, match=r"x\.ipynb: not a readable notebook"):
        parameters_of(path)
    with pytest.raises(ReportError, match="there is no such notebook"):
        parameters_of(tmp_path / "none.ipynb")


@pytest.mark.slow
def test_execution_takes_parameters_shows_progress_and_keeps_no_path(notebook, tmp_path):
    """Given values replace defaults, printed lines arrive while it runs, braces in names hold."""
    source = notebook("print('depth is', depth)", "import os\nos.getcwd()", name="a{b}.ipynb")
    stream, out = io.StringIO(), tmp_path / "out{x}.ipynb"
    node = execute(source, out, {"depth": 32}, cwd=tmp_path, progress=stream)
    assert stream.getvalue() == "depth is 32\n"
    assert str(tmp_path) in node.cells[-1].outputs[0]["data"]["text/plain"]
    written = json.loads(out.read_text())
    assert written["metadata"]["papermill"]["input_path"] == "a{b}.ipynb"
    assert str(tmp_path) not in json.dumps(written["metadata"])
    assert [path.name for path in tmp_path.glob("out*")] == ["out{x}.ipynb"]
    assert outcome_of(node) is None


def test_a_report_whose_purpose_is_not_met_is_not_judged_at_best():
    def executed(*data):
        return {"cells": [{"outputs": [{"data": one} for one in data]}]}

    missing = {UNANSWERED_MIME: {"headline": "MOST IOPS", "reason": "no latency"}}
    left_out = {UNANSWERED_MIME: {"headline": None, "reason": "no latency"}}
    passed, failed = (
        {MIME["verdict"]: {"outcome": outcome, "judgements": [{}]}} for outcome in ("pass", "fail")
    )
    assert outcome_of(executed(missing)) == "not judged"
    assert outcome_of(executed(left_out)) is None
    assert outcome_of(executed(passed, missing)) == "not judged"
    assert outcome_of(executed(passed, left_out)) == "pass"
    assert outcome_of(executed(failed, missing)) == "fail"


@pytest.mark.slow
def test_a_failing_cell_is_named_and_the_partial_notebook_is_kept(notebook, tmp_path):
    """The cell's number, its first line and the error in one line; a good notebook stays."""
    source = notebook("kept = 41 + 1\nkept", "raise ValueError('no such array')", "1 + 1")
    out = tmp_path / "out.ipynb"
    out.write_text("the last good one")
    with pytest.raises(ReportError) as problem:
        execute(source, out, {}, cwd=tmp_path)
    message = str(problem.value)
    assert "cell 4 (\"raise ValueError('no such array')\"): ValueError: no such array" in message
    assert "out.failed.ipynb" in message
    assert out.read_text() == "the last good one"
    partial = json.loads((tmp_path / "out.failed.ipynb").read_text())
    assert "42" in json.dumps(partial)


def let_fail(path, number):
    """The notebook with this cell tagged raises-exception."""
    node = nbformat.read(path, as_version=4)
    node.cells[number].metadata["tags"] = ["raises-exception"]
    nbformat.write(node, path)
    return path


@pytest.mark.slow
def test_a_cell_that_may_fail_does_not_end_the_notebook(notebook, tmp_path):
    """nbclient goes on behind a cell tagged raises-exception; papermill alone would refuse it."""
    source = let_fail(notebook("1/0", "depth + 1"), 2)
    node = execute(source, tmp_path / "out.ipynb", {"depth": 8}, cwd=tmp_path)
    assert [out["output_type"] for cell in node.cells[-2:] for out in cell.outputs] == [
        "error", "execute_result",
    ]  # fmt: skip
    assert not list(tmp_path.glob("*.failed.ipynb"))
    assert "An Exception was encountered" not in (tmp_path / "out.ipynb").read_text()


@pytest.mark.slow
def test_the_cell_that_ended_it_is_named_and_not_one_that_may_fail(notebook, tmp_path):
    source = let_fail(notebook("1/0", "depth + nothing"), 2)
    with pytest.raises(ReportError, match=r"cell 4 \('depth \+ nothing'\): NameError"):
        execute(source, tmp_path / "out.ipynb", {}, cwd=tmp_path)


@pytest.mark.slow
def test_figures_are_asked_for_as_drawings(notebook, tmp_path):
    """matplotlib reads it when a cell first draws; what the notebook says comes later."""
    source = notebook("sorted(get_ipython().config.InlineBackend.figure_formats)")
    node = execute(source, tmp_path / "out.ipynb", {}, cwd=tmp_path)
    assert node.cells[-1].outputs[0]["data"]["text/plain"] == "['png', 'svg']"


@pytest.mark.slow
def test_a_kernel_that_dies_is_one_clear_line(notebook, tmp_path, capfd):
    """Out of memory or killed: the error says so, and the terminal sees no traceback."""
    source = notebook("41 + 1", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(ReportError, match=r"sheet\.ipynb: the kernel ended: .*out\.failed\.ipynb"):
        execute(source, tmp_path / "out.ipynb", {}, cwd=tmp_path)
    assert "Traceback" not in capfd.readouterr().err
    assert not (tmp_path / "out.ipynb").exists()
    assert '"42"' in (tmp_path / "out.failed.ipynb").read_text()


@pytest.mark.slow
def test_an_interrupted_cell_may_end_in_order_and_the_partial_notebook_is_kept(
    notebook, tmp_path, caplog
):
    """Ctrl-C here reaches the cell in its kernel, which has time to stop what it started."""
    source = notebook(
        "41 + 1",
        "import time\nfrom pathlib import Path\nprint('runs')\n"
        "try:\n    time.sleep(60)\nfinally:\n    time.sleep(0.5); Path('ended').touch()",
    )

    class Interrupting(io.StringIO):
        def write(self, _text):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(source, tmp_path / "out.ipynb", {}, cwd=tmp_path, progress=Interrupting())
    assert (tmp_path / "ended").exists()
    assert '"42"' in (tmp_path / "out.failed.ipynb").read_text()
    # what watched the kernel does not tell of its end with a traceback
    assert asyncio.all_tasks(ensure_event_loop()) == set()
    gc.collect()
    assert [entry for entry in caplog.records if entry.name == "asyncio"] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "end",
    [
        "raise ValueError('array-7')",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "import time\nprint('array-7')\ntime.sleep(60)",
    ],
    ids=["failing cell", "dead kernel", "Ctrl-C"],
)
def test_a_partial_notebook_is_rewritten_or_not_left(notebook, tmp_path, end):
    """Whatever ends the run: what ``rewrite`` takes out stands in no file."""
    source = notebook("'array-7'", end)

    class Interrupting(io.StringIO):
        def write(self, _text):
            raise KeyboardInterrupt

    def hide(node):
        return nbformat.from_dict(json.loads(json.dumps(node).replace("array-7", "host-1")))

    def refuse(node):
        raise ValueError("no names were noted")

    (tmp_path / "out").mkdir()
    for rewrite, left in ((hide, ["sheet.failed.ipynb"]), (refuse, [])):
        with pytest.raises((ReportError, KeyboardInterrupt, ValueError)):
            execute(source, tmp_path / "out/sheet.ipynb", {}, cwd=tmp_path,
                    progress=Interrupting(), rewrite=rewrite)  # fmt: skip
        assert [path.name for path in (tmp_path / "out").iterdir()] == left
        assert all("array-7" not in path.read_text() for path in (tmp_path / "out").iterdir())


def test_tasks_of_a_loop_that_runs_are_left_alone():
    """A report that is made inside a notebook is interrupted without the notebook's own tasks."""

    async def inside():
        own = asyncio.create_task(asyncio.sleep(0.01, "done"))
        engine._stop_watching()
        return await own

    assert asyncio.run(inside()) == "done"


@pytest.mark.slow
def test_a_kernel_that_is_not_there_is_one_clear_line(notebook, tmp_path):
    """A notebook that asks for another language's kernel names it."""
    source = notebook()
    text = json.loads(source.read_text())
    text["metadata"]["kernelspec"]["name"] = "fortran77"
    source.write_text(json.dumps(text))
    with pytest.raises(ReportError, match="fortran77"):
        execute(source, tmp_path / "out.ipynb", {}, cwd=tmp_path)


@pytest.mark.slow
def test_several_reports_of_one_folder_run_at_once(notebook, tmp_path):
    """Each kernel has sockets of its own: no report talks to another one's kernel."""
    path = notebook("import time; time.sleep(0.5); print(depth)")
    code = (
        "import sys; from pathlib import Path; "
        "from perfkit.reporting.execute.notebook import execute; "
        "execute(Path(sys.argv[1]), Path(sys.argv[2]), {'depth': int(sys.argv[3])}, "
        "cwd=Path(sys.argv[1]).parent)"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, path, tmp_path / f"out{n}.ipynb", str(n)],
            stderr=subprocess.PIPE, text=True,
        )
        for n in range(4)
    ]  # fmt: skip
    for n, process in enumerate(running):
        _, said = process.communicate()
        assert process.returncode == 0, said
        done = nbformat.read(tmp_path / f"out{n}.ipynb", 4)
        assert done.cells[-1].outputs[0].text == f"{n}\n"
    assert not list(tmp_path.glob("kernel-ipc*"))

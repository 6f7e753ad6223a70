"""The comparison's notebook with its selectors: in a kernel, in JupyterLab, and in a report."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

import nbformat
import pages
import pytest
from forges.ship import small_tr_4819
from jupyter_client.manager import start_new_kernel
from places import ROOT

from perfkit.core.errors import ReportError
from perfkit.core.values import MIME
from perfkit.reporting.build import build, job_for
from perfkit.reporting.execute.notebook import execute
from perfkit.reporting.write.chrome import Page

pytestmark = pytest.mark.slow

NOTEBOOK = ROOT / "notebooks/compare.ipynb"
VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """TR-4819's generated study with few load points."""
    return small_tr_4819(tmp_path_factory.mktemp("tr-4819"), points=4)


def code_cells(study):
    """The code of the notebook's cells, with the study in its parameters."""
    cells = [
        "".join(cell["source"])
        for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]
    head = "../data/studies/tr-4819/generated.yml"
    assert head in cells[0]
    return [cells[0].replace(head, str(study)), *cells[1:]]


@pytest.fixture(scope="module")
def kernel():
    manager, client = start_new_kernel(kernel_name="python3")
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()


def run(client, code, *, user=True):
    """What a cell shows when a front end runs it; ``user``: whether it could ask somebody."""
    shown = []

    def keep(message):
        kind, content = message["header"]["msg_type"], message["content"]
        if kind in {"display_data", "execute_result"}:
            shown.append(content["data"])
        elif kind == "stream" and content["name"] == "stdout":
            shown.append({"text/plain": content["text"].strip("\n")})

    reply = client.execute_interactive(
        code, allow_stdin=user, output_hook=keep, stdin_hook=lambda _: None, timeout=120
    )
    assert reply["content"]["status"] == "ok", reply["content"].get("traceback")
    return shown


def asked_of(client, code):
    """The JSON value of an expression in the kernel."""
    # a long line may come in several messages
    shown = run(client, f"import json; print(json.dumps({code}))")
    return json.loads("".join(part["text/plain"] for part in shown))


def test_the_selectors_work_in_a_kernel_with_a_user(kernel, study):
    """The notebook as it is committed: the widgets are there, and setting one changes the data."""
    first, *_ = cells = code_cells(study)
    assert "interactive = None" in first
    shown = [data for code in cells[:6] for data in run(kernel, code)]
    assert sum(VIEW in data for data in shown) == 1
    options = asked_of(kernel, "{n: list(w.options) for n, w in explorer.widgets.items() "
                               "if hasattr(w, 'options')}")  # fmt: skip
    assert options["baseline"] == ["FCP", "NVMe/FC"]
    assert options["direction"][:2] == ["total", "total with read latency"]
    assert options["align"] == ["latency", "IOPS", "load", "host CPU", "peak"]
    assert [label for label, _ in options["workload"]] == [
        "each workload", "100% SELECT", "100% UPDATE", "75% SELECT / 25% UPDATE",
    ]  # fmt: skip
    # the study's own parameters hold, though nobody handed them to the notebook
    assert asked_of(kernel, "explorer.widgets['at'].value") == "300 400 500"
    said = "[o['data']['text/plain'] for o in explorer.outputs['sentences'].outputs]"
    before = asked_of(kernel, said)
    assert before[0].startswith("At a mean read latency of 300 µs, NVMe/FC served")
    run(kernel, "explorer.widgets['baseline'].value = 'NVMe/FC'")
    after = asked_of(kernel, said)
    assert after[0].startswith("At a mean read latency of 300 µs, FCP served")
    chart = (
        "explorer.outputs['curves'].outputs[0]['data']['application/vnd.plotly.v1+json']['data']"
    )
    one = asked_of(kernel, f"[list(t['x']) for t in {chart} if t['mode'] == 'lines+markers']")
    run(kernel, "explorer.widgets['workload'].value = '100% UPDATE'")
    other = asked_of(kernel, f"[list(t['x']) for t in {chart} if t['mode'] == 'lines+markers']")
    assert one != other
    assert asked_of(kernel, "explorer.parameters")["workload"] == "100% UPDATE"


def test_the_same_cell_shows_nothing_where_nobody_can_answer(kernel):
    """As papermill, nbconvert and schedulers ask for it; after the kernel above has the panel."""
    assert run(kernel, "pk.show(explorer)", user=False) == []
    assert [VIEW in data for data in run(kernel, "pk.show(explorer)")] == [True]


GIVEN = {"workload": "100% SELECT", "systems": "FCP; NVMe/FC", "limit_us": 450,
         "baseline": "NVMe/FC"}  # fmt: skip


@pytest.fixture(scope="module")
def report(study, tmp_path_factory):
    """A report with the parameters of a choice."""
    folder = tmp_path_factory.mktemp("report")
    return build(job_for(study, GIVEN), folder, say=lambda _: None, date="2026-11-22")


def shown_in(node):
    """What cells show after the title with its date; a report keeps the lineages elsewhere."""
    return [
        {kind: data for kind, data in output.get("data", {}).items() if "perfkit" not in kind}
        for cell in node.cells for output in cell.get("outputs", ())
        if MIME["front"] not in output.get("data", {})
    ]  # fmt: skip


def test_a_report_has_nothing_of_the_selectors(study, report, tmp_path):
    """No widget and no output of the cell; all is as in a notebook told to be still."""
    job = job_for(study, {**GIVEN, "interactive": False})
    told = execute(job.notebook, tmp_path / "told.ipynb", job.parameters, cwd=job.cwd)
    found = nbformat.read(report.notebook, 4)
    assert "widgets" not in found.metadata
    assert VIEW not in json.dumps(found)
    [cell] = [cell for cell in found.cells if "pk.explore(" in cell.source]
    assert cell.outputs == []
    assert shown_in(found) == shown_in(told) != []


def test_parameters_of_a_choice_decide_the_report(report):
    """What the panel gives to take along is what ``perfkit report`` takes."""
    text = report.html.read_text(encoding="utf-8")
    assert "limit 450 µs" in report.notebook.read_text(encoding="utf-8")
    assert "FCP served" in text
    assert "100% UPDATE" not in text.partition("Summary")[2]


@pytest.fixture
def lab(tmp_path, study):
    """JupyterLab by ``perfkit lab`` over a folder with the notebook; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    work = tmp_path / "notebooks"
    work.mkdir()
    node = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = [cell for cell in node["cells"] if cell["cell_type"] == "code"]
    cells[0]["source"] = code_cells(study)[0]
    node["cells"] = cells[:6]
    (work / "compare.ipynb").write_text(json.dumps(node), encoding="utf-8")
    own = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    server = subprocess.Popen(
        [sys.executable, "-m", "perfkit", "lab", str(work), "--no-browser", "--port", str(port)],
        env={**os.environ, "JUPYTER_TOKEN": "t", **own}, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        answers(f"http://127.0.0.1:{port}/api?token=t", server)
        yield f"http://127.0.0.1:{port}/lab/tree/compare.ipynb?token=t&reset"
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()


def answers(address, server):
    """Wait until a server answers; an error when it ends."""
    while True:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        assert server.poll() is None, f"JupyterLab ended with {server.returncode}"
        time.sleep(0.1)


LAB_S = 90
"""How long JupyterLab gets for one thing: to start, to run a cell, to make a report."""


def becomes(page, expression, seconds):
    """Whether an expression of the page becomes true; errors while it loads do not count."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            pages.until(page, f"Boolean({expression})", min(left, 5))
        except (AssertionError, ReportError):
            time.sleep(0.1)
        else:
            return True
    return False


def until(page, expression):
    assert becomes(page, expression, LAB_S), f"never true in JupyterLab: {expression}"


def click(page, element):
    """A click of the mouse in the middle of an element."""
    until(page, element)
    x, y = page.evaluate(
        f"(() => {{ const found = {element}; found.scrollIntoView({{block: 'nearest'}});"
        "const box = found.getBoundingClientRect();"
        "return [box.left + box.width / 2, box.top + box.height / 2]; })()"
    )
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        page.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left",
                                               "buttons": 1, "clickCount": 1})  # fmt: skip


def item(names, words):
    return f"[...document.querySelectorAll('{names}')].find(e => e.innerText.includes('{words}'))"


def open_notebook(page, address):
    """JupyterLab with the notebook open; a busy machine may need a second start."""
    for _ in range(3):
        page.open(address, deadline_s=LAB_S)
        if becomes(page, "document.querySelector('.jp-Notebook .jp-CodeCell')", 30):
            return
    shown = page.evaluate("document.body.innerText")
    raise AssertionError(f"JupyterLab shows no notebook: {shown[:500]}")


def run_all(page):
    """Run All Cells by the menu; a menu that was opened too early is opened again."""
    started = (
        "[...document.querySelectorAll('.jp-InputPrompt')].some(e => /[*0-9]/.test(e.innerText))"
    )
    for _ in range(5):
        click(page, item(".lm-MenuBar-item", "Run"))
        click(page, item(".lm-Menu-item", "Run All Cells"))
        if becomes(page, started, 5):
            return
    raise AssertionError("JupyterLab did not run the cells")


TEXT = "document.querySelector('.jp-Notebook').innerText"


CHARTS = "document.querySelectorAll('.perfkit-panel .js-plotly-plot')"
PLOTS = "document.querySelectorAll('.perfkit-panel .js-plotly-plot .nsewdrag')"
VALUES = "document.querySelector('.perfkit-panel input[type=text][placeholder^=round]').value"


def brush(page, chart, start, end, expected):
    """A drag of the mouse in a chart, from one share of its width and height to another.

    A chart that a busy machine draws while the mouse moves is brushed again.
    """
    for _ in range(5):
        drag(page, chart, start, end)
        if becomes(page, expected, 15):
            return
    raise AssertionError(f"the brush was not heard: {expected}")


def drag(page, chart, start, end):
    left, top, width, height = page.evaluate(
        f"(() => {{ const plot = {PLOTS}[{chart}]; plot.scrollIntoView({{block: 'center'}});"
        "const box = plot.getBoundingClientRect();"
        "return [box.left, box.top, box.width, box.height]; })()"
    )
    kinds = ["mousePressed", *["mouseMoved"] * 5, "mouseReleased"]
    for n, kind in enumerate(kinds):
        x, y = (a + (b - a) * n / 6 for a, b in zip(start, end, strict=True))
        page.send("Input.dispatchMouseEvent", {
            "type": kind, "x": left + width * x, "y": top + height * y, "button": "left",
            "buttons": 1, "clickCount": 1,
        })  # fmt: skip


def save_screen(page, path):
    picture = page.send("Page.captureScreenshot", {"format": "png"}, deadline_s=60)["data"]
    path.write_bytes(base64.b64decode(picture))


def test_selectors_redraw_charts_tables_and_sentences_in_jupyterlab(lab, tmp_path):
    """Run All Cells by the menu, then a click on a selector: everything below it follows.

    A drag in the chart chooses the values, the selectors stay in view, a text is copied, and the
    choice becomes a report.
    """
    with Page(width=900, height=1100) as page:
        open_notebook(page, lab)
        until(page, item(".jp-StatusBar-Item, .jp-StatusBar-Widget", "Idle"))
        run_all(page)
        until(page, "document.querySelectorAll('.jupyter-widgets select').length > 4")
        until(page, "document.querySelectorAll('.jupyter-widgets .js-plotly-plot').length === 2")
        until(page, f"{TEXT}.includes('At a mean read latency of 300 µs, NVMe/FC served')")
        assert page.evaluate(f"{TEXT}.includes('IOPS at equal latency (generated data).')")
        click(page, item(".jupyter-widgets button", "IOPS"))
        until(page, f"{TEXT}.includes('At 150K IOPS, NVMe/FC had')")
        assert not page.evaluate(f"{TEXT}.includes('At a mean read latency of 300 µs')")
        until(page, f"{TEXT}.includes('iops: \"150000 266000\"')")
        click(page, item(".jupyter-widgets button", "latency"))
        until(page, f"{VALUES} === '300 400 500'")
        until(page, f"{TEXT}.includes('At a mean read latency of 400 µs')")
        until(page, f"{CHARTS}[1].layout.meta.values.length === 3")
        brush(page, 1, (0.05, 0.2), (0.33, 0.8), f"{VALUES} === '300'")
        until(page, f"!{TEXT}.includes('At a mean read latency of 400 µs')")
        until(page, f"{CHARTS}[1].layout.meta.values.length === 1")
        brush(page, 0, (0.33, 0.55), (0.43, 0.75), f"{VALUES} !== '300'")
        until(page, f"{TEXT}.includes('latencies_us: ' + {VALUES}.replace(/(.* .*)/, '\"$1\"'))")
        page.evaluate("document.querySelector('.perfkit-copy').scrollIntoView({block: 'center'})")
        top = "document.querySelector('.perfkit-controls').getBoundingClientRect().top"
        assert 0 < page.evaluate(top) < 200, "the selectors have scrolled out of view"
        click(page, "document.querySelector('.perfkit-copy')")
        until(page, item(".perfkit-copy", "Copied"))
        click(page, item(".perfkit-panel button", "Make this a report"))
        until(page, item(".perfkit-panel a", "-choice.pdf"))
        save_screen(page, tmp_path / "lab.png")
    made = tmp_path / "notebooks/reports"
    assert [path.suffix for path in sorted(made.rglob("*-choice.*"))] == [".html", ".ipynb", ".pdf"]

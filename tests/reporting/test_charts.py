"""Charts as SVG by one Chrome page: true size, true fonts, the same twice, faults in one line."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings

import psutil
import pytest

from perfkit.core.errors import MissingPartError, ReportError
from perfkit.reporting.write import charts
from perfkit.reporting.write.charts import Chart, ChartPrinter, find_chrome
from perfkit.reporting.write.chrome import Page
from perfkit.reporting.write.exporters import export_html, export_pdf

pytestmark = pytest.mark.slow


def chart(figure, width=170.0, height=88.0):
    return Chart(json.loads(figure.plotly.to_json()), width, height)


def test_a_chart_has_its_size_on_paper_and_the_reports_typeface(sample, printer):
    """170 mm are 642.52 px; text is Source Sans Pro; nothing in it is a raster image."""
    (svg,) = printer.print([chart(sample.curve())])
    assert re.search(r'<svg[^>]* width="642.52" height="332.6"', svg)
    assert "Source Sans Pro" in svg
    assert "<image" not in svg


def test_a_heatmap_is_drawn_as_vectors(printer):
    """Plotly makes it a PNG; in the report its cells are areas of their own colours."""
    cells = {"type": "heatmap", "z": [[1, 2], [None, 3]], "showscale": False, "colorscale": [
        [0, "rgb(0,0,255)"], [0.5, "rgb(0,255,0)"], [1, "rgb(255,0,0)"]
    ]}  # fmt: skip
    (svg,) = printer.print([Chart({"data": [cells], "layout": {}}, 100, 60)])
    assert "<image" not in svg
    for colour in ("rgb(0,0,255)", "rgb(0,255,0)", "rgb(255,0,0)"):
        assert svg.count(f'fill="{colour}"') == 1


def test_ids_are_the_same_in_every_browser(sample, printer):
    """Random ids would make every PDF another one."""
    ids = re.compile(r'id="([^"]+)"')
    (first,) = printer.print([chart(sample.curve())])
    with ChartPrinter() as other:
        (second,) = other.print([chart(sample.curve())])
    assert ids.findall(first) == ids.findall(second) != []


def test_no_chrome_is_one_line_with_the_cure(sample, monkeypatch):
    """PDF needs Chrome for its charts; without charts, and for HTML, it is not needed."""
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    monkeypatch.setattr("perfkit.reporting.write.chrome._PLACES", ())
    with pytest.raises(MissingPartError, match="apt-get install chromium-headless-shell"):
        find_chrome()
    with pytest.raises(MissingPartError, match="charts need Chrome or Chromium"):
        export_pdf(sample.notebook("# A", sample.curve()))
    assert export_pdf(sample.notebook("# A", sample.peak_table())).startswith(b"%PDF")
    assert "<figure" in export_html(sample.notebook("# A", sample.curve()))


def test_a_wrong_browser_path_is_named(monkeypatch):
    """BROWSER_PATH is taken at its word."""
    monkeypatch.setenv("BROWSER_PATH", "/nonexistent/chrome")
    with pytest.raises(MissingPartError, match="BROWSER_PATH=/nonexistent/chrome"):
        find_chrome()


def test_a_browser_that_ends_at_once_is_an_error_not_a_wait(tmp_path, sample):
    """A program that is not a Chrome: one line, soon."""
    fake = tmp_path / "chrome"
    fake.write_text("#!/bin/sh\nexit 0\n")
    fake.chmod(0o755)
    with ChartPrinter(program=fake) as printer, pytest.raises(ReportError, match="Chrome"):
        printer.print([chart(sample.bars())])


def test_a_chart_that_hangs_has_a_deadline():
    """An endless script does not hold a report for ever."""
    with Page() as page, pytest.raises(ReportError, match="no answer in time"):
        page.evaluate("new Promise(() => {})", deadline_s=0.5)


def test_a_chart_plotly_cannot_draw_does_not_end_the_browser(sample, printer):
    """The next chart is drawn."""
    broken = Chart({"data": [{"type": "scatter", "x": 1}], "layout": None}, 50, -1)
    with pytest.raises(ReportError, match="JavaScript in Chrome"):
        printer.print([broken])
    assert len(printer.print([chart(sample.bars())])) == 1


def test_chrome_ends_with_its_page_and_leaves_no_files():
    """No process and no folder is left behind."""
    page = Page()
    pid, folder = page.pid, page._folder
    page.close()
    assert not folder.exists()
    group = [
        process
        for process in psutil.process_iter(["pid", "status"])
        if process.info["status"] != psutil.STATUS_ZOMBIE and group_of(process.pid) == pid
    ]
    assert group == []


def test_a_hung_chrome_holds_nothing_up():
    """A stopped Chrome: the call and the closing end in time, and Chrome is gone."""
    page = Page()
    os.killpg(page.pid, signal.SIGSTOP)
    with pytest.raises(ReportError, match="no answer in time"):
        page.evaluate(f"'{'x' * 1_000_000}'.length", deadline_s=0.5)
    page.close()
    with pytest.raises(ReportError, match="has been closed"):
        page.evaluate("1")


def test_a_chrome_that_dies_is_noticed():
    """The call that waits for it fails soon, not at its deadline."""
    with Page() as page:
        threading.Timer(0.2, os.killpg, (page.pid, signal.SIGKILL)).start()
        with pytest.raises(ReportError, match="Chrome ended"):
            page.evaluate("new Promise(() => {})", deadline_s=3600)


def test_a_page_leaves_the_filters_of_warnings_alone():
    """choreographer's own watchdog would set them back when Chrome ends."""
    before = list(warnings.filters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page = Page()
    page.close()
    assert list(warnings.filters) == before


@pytest.mark.parametrize("place", ["_drawing_page", "_draw"])
def test_a_fault_nobody_thought_of_reaches_who_waits_for_the_chart(sample, monkeypatch, place):
    """The thread that draws would end, and the report would wait for its chart for ever."""

    def fault(*_):
        raise KeyError("result")

    monkeypatch.setattr(charts, "_drawing_page", no_browser)
    monkeypatch.setattr(charts, place, fault)
    with ChartPrinter() as own, pytest.raises(KeyError, match="result"):
        own.print([chart(sample.curve())])


def no_browser(*_):
    return contextlib.nullcontext()


def test_a_printer_that_was_closed_draws_nothing(sample, monkeypatch):
    monkeypatch.setattr(charts, "_drawing_page", no_browser)
    with ChartPrinter() as own:
        pass
    with pytest.raises(ReportError, match="the browser has been closed"):
        own.print([chart(sample.curve())])


def test_a_page_works_inside_a_running_event_loop():
    """A Jupyter kernel calls from within its own loop."""

    async def cell():
        with Page() as page:
            return page.evaluate("6 * 7")

    assert asyncio.run(cell()) == 42


def test_a_page_that_nobody_closed_holds_no_exit_up():
    """Python waits for threads at its end; none of a page's may wait for Chrome. No noise."""
    code = "from perfkit.reporting.write.chrome import Page; page = Page()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def group_of(pid):
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def test_chrome_ends_when_perfkit_is_killed():
    """SIGKILL leaves no browser behind: it ends with its pipe."""
    code = (
        "import time; from perfkit.reporting.write.chrome import Page; page = Page(); "
        "print(page.pid, flush=True); time.sleep(3600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as own:
        leader = int(own.stdout.readline())
        assert psutil.pid_exists(leader)
        own.kill()
    while psutil.pid_exists(leader) and psutil.Process(leader).status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.05)

"""How long a report takes, beside papermill and stock nbconvert on the same notebook."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pypdf
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

PERFKIT = Path(sys.executable).parent / "perfkit"

PROSE = (
    "The storage served what the load asked for, and the latency rose with the number of I/Os in "
    "flight. A reader who wants to follow a number finds its file in the appendix. "
) * 6

SETUP = """
import polars as pl
import perfkit as pk
from perfkit.core.schema import LOAD_POINTS, polars_schema

def points(number, loads=12):
    rows = [
        {"workload": f"series-{number}", "load_kind": "iodepth", "load": float(depth),
         "repeat": repeat, "direction": "total",
         "iops": 60000.0 * depth / (depth + 8) + 90 * repeat,
         "bw_bytes_per_s": 4e8, "lat_mean_s": 1e-4 + 2e-5 * depth + 1e-6 * repeat, "ios": 200000,
         "lat_p50_s": 1e-4, "lat_p95_s": 2e-4, "lat_p99_s": 4e-4, "in_flight": float(depth),
         "runtime_s": 2.0, "cpu_busy_ratio": 0.4}
        for depth in range(1, loads + 1) for repeat in (1, 2, 3)
    ]
    return pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS))
"""


def write(path: Path, charts: int, tables: int, rows: int, prose: int) -> Path:
    """A notebook of so many charts and tables, with prose between them."""
    cells = [new_markdown_cell("# Measured\n\n" + PROSE), new_code_cell(SETUP)]
    for number in range(charts):
        cells.append(new_markdown_cell(f"## Part {number}\n\n" + PROSE * prose))
        cells.append(
            new_code_cell(
                f"curve = pk.latency_curve(points({number}))\n"
                f"pk.plot_latency_curve(curve).renamed('figure-{number}')"
            )
        )
    cells += [
        new_code_cell(f"pk.table_load_points(points({number}, {rows})).renamed('table-{number}')")
        for number in range(tables)
    ]
    metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"},
    }
    nbformat.write(new_notebook(cells=cells, metadata=metadata), path)
    return path


def timed(*argv: str) -> float:
    clock = time.monotonic()
    subprocess.run([str(item) for item in argv], check=True, capture_output=True)
    return time.monotonic() - clock


def test_a_report_of_twenty_pages(tmp_path, ratio):
    """`perfkit report` against `papermill` and `jupyter nbconvert --to html`, in turns."""
    notebook = write(tmp_path / "twenty.ipynb", charts=11, tables=5, rows=20, prose=3)
    stock_out = tmp_path / "stock.ipynb"
    ours, stock = [], []
    for _ in range(3):
        ours.append(timed(PERFKIT, "report", notebook, "-o", tmp_path / "out"))
        bin_ = PERFKIT.parent
        stock.append(
            timed(bin_ / "papermill", "--no-progress-bar", notebook, stock_out)
            + timed(bin_ / "jupyter", "nbconvert", "--to", "html", stock_out)
        )
    pages = len(pypdf.PdfReader(tmp_path / "out/twenty.pdf").pages)
    share = statistics.median(a / b for a, b in zip(ours, stock, strict=True))
    ratio("report of 20 pages / papermill and nbconvert", share, "lower")
    print(
        f"\nreport of {pages} pages, 11 charts, 5 tables (PDF and HTML): "
        f"{statistics.median(ours):.1f} s; papermill + nbconvert html: "
        f"{statistics.median(stock):.1f} s; ratio {share:.2f} (aim 1.00)"
    )


def test_a_large_pdf(tmp_path):
    """Executed notebook to PDF: 50 charts and about 60 pages of tables, browser start included."""
    notebook = write(tmp_path / "large.ipynb", charts=50, tables=10, rows=80, prose=0)
    executed = tmp_path / "executed.ipynb"
    timed(PERFKIT.parent / "papermill", "--no-progress-bar", notebook, executed)
    seconds = timed(
        PERFKIT.parent / "jupyter", "nbconvert", "--to", "perfkit-pdf", executed,
        "--output", "large",
    )  # fmt: skip
    pages = len(pypdf.PdfReader(tmp_path / "large.pdf").pages)
    print(f"\nPDF of 50 charts and {pages} pages: {seconds:.1f} s (aim 12 s)")

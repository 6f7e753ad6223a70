"""Notebooks for the tests of the report, made of real values; run it to look at the pages.

python tests/report/sample.py FOLDER
"""

from __future__ import annotations

import functools
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from perfkit.core.evidence import Evidence, Lineage, Section, Step
from perfkit.core.units import Format, Printed
from perfkit.core.values import MIME, Column, Figure, Statement, Table, escape_markdown
from perfkit.core.verdict import Judgement, Verdict
from perfkit.showing import style

NASTY = r"a # $b *c* _d_ @e [f] <g> ~ \h `i` \"j\" 1. - + = / -- ... // /* { } end"

LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40" viewBox="0 0 120 40">'
    '<rect width="120" height="40" rx="6" fill="#1b7a3d"/>'
    '<circle cx="22" cy="20" r="10" fill="white"/>'
    '<rect x="42" y="14" width="66" height="12" fill="white"/></svg>'
)


def lineage(name: str, output: str) -> Lineage:
    """The lineage of a value that rests on one run of six points and one single file."""
    parts = tuple(
        Evidence(
            "fio",
            f"runs/oltp-1/points/iodepth-{n}-r1/fio.json",
            f"{n:064x}",
            "fio",
            "fio-3.33",
            (Section("job", "found", 1), Section("disk_util", "absent", None, "no block device")),
            ("clock source is not TSC",) if n == 3 else (),
        )
        for n in range(1, 7)
    )
    run = Evidence("perfkit-run", "runs/oltp-1", "ab" * 32, "fio", "fio-3.33", parts=parts)
    single = Evidence("fio", "fio/baseline_direct_8k.json", "cd" * 32, "fio", "fio-3.40")
    steps = (
        Step("read.run", 1, "{}", ("ab" * 32,), "01" * 32),
        Step("curve.latency", 2, "{}", ("01" * 32,), "02" * 32),
        Step(f"table.{name}", 1, "{}", ("02" * 32,), output),
    )
    return Lineage((run, single), steps, traceable=True)


def made_by(name: str) -> Any:
    """A maker's values, as a step of this name gives them."""

    def decorate(make: Any) -> Any:
        @functools.wraps(make)
        def made(*args: Any, **kwargs: Any) -> Any:
            value = make(*args, **kwargs)
            return replace(value, lineage=lineage(name, value.content_hash()))

        return made

    return decorate


@made_by("given")
def traced(value: Any) -> Any:
    """A value that was changed, with a lineage of its own."""
    return value


@made_by("tell")
def told(value: Any, *cautions: Any) -> Any:
    """The value with cautions beside it."""
    return replace(value, cautions=cautions)


@made_by("plot_latency")
def curve(value_id: str = "latency-curve", *, wide: bool = False, points: int = 12) -> Figure:
    """A latency curve of two series, with a limit."""
    import plotly.graph_objects as go

    chart = go.Figure(layout=style.layout("Total IOPS (thousands)", "Mean read latency (ms)"))
    for number, (name, top) in enumerate((("System A, FCP", 400), ("System A, NVMe/FC", 640))):
        look = style.series(number)
        x = [top * (n + 1) / points for n in range(points)]
        y = [0.2 + 0.08 * number + 0.9 * (n / (points - 1)) ** 6 for n in range(points)]
        chart.add_scatter(
            x=x,
            y=y,
            name=name,
            mode="lines+markers",
            line={"color": look["color"], "dash": look["dash"], "width": 1.8},
            marker={"symbol": look["symbol"], "size": 7},
        )
    chart.add_hline(y=1, line=style.LIMIT_LINE, annotation_text="limit 1 ms")
    return Figure(
        value_id,
        chart,
        "Mean read latency against total IOPS, 100% SELECT; bands are 95% intervals.",
        "Line chart: latency stays near 0.2 ms and rises steeply near the peak of each system.",
        wide=wide,
    )


@made_by("plot_cpu")
def bars(value_id: str = "host-cpu") -> Figure:
    """Grouped bars with hatching."""
    import plotly.graph_objects as go

    chart = go.Figure(layout=style.layout("Total IOPS (thousands)", "Host CPU busy (%)"))
    for number, name in enumerate(("FCP", "NVMe/FC")):
        heights = [22 + 12 * n - 6 * number for n in range(6)]
        chart.add_bar(
            x=["90", "150", "210", "270", "330", "390"],
            y=heights,
            name=name,
            text=heights,
            textposition="outside",
            marker=style.bar(number),
        )
    return Figure(
        value_id, chart, "Host CPU at equal IOPS.", "Bars: NVMe/FC needs less CPU.", 70.0,
    )  # fmt: skip


@made_by("peak_iops")
def peak_table(
    value_id: str = "peak", caption: str = "Peak and equal-latency throughput."
) -> Table:
    """Two systems and their difference under a rule."""
    return Table(
        value_id,
        (
            Column("config", "Configuration"),
            Column("iops", "Peak IOPS", Format("IOPS")),
            Column("at", "IOPS at 400 µs", Format("IOPS")),
            Column("p99", "p99 at peak (ms)", Format("ms", decimals=2)),
        ),
        (
            ("System A, FCP", 405120.0, 268400.0, 0.00391),
            ("System A, NVMe/FC", 640310.0, None, 0.00244),
            ("Difference", "+58%", "–", "−38%"),
        ),
        caption,
        note="IOPS at 400 µs is interpolated between measured points, never beyond them.",
        footer_rows=1,
    )


@made_by("peak_iops")
def long_table(value_id: str = "all-points", rows: int = 70, columns: int = 5) -> Table:
    """More rows than a page holds."""
    return Table(
        value_id,
        (
            Column("point", "Point"),
            *(
                Column(f"c{n}", f"Column {n} (1/s)", Format("1/s", decimals=1))
                for n in range(columns)
            ),
        ),
        tuple(
            (f"iodepth-{row}-r1", *(1000.0 * row + n for n in range(columns)))
            for row in range(rows)
        ),
        "Every measured point.",
    )


@made_by("peak_iops")
def wide_table(value_id: str = "wide") -> Table:
    """Sixteen columns and a device name without blanks."""
    labels = [f"{name} {unit}" for name in ("Reads", "Writes", "Redo", "Logons", "Commits")
              for unit in ("(1/s)", "(MiB/s)", "(ms)")]  # fmt: skip
    return Table(
        value_id,
        (
            Column("device", "Device"),
            *(Column(label, label, Format("1/s", decimals=2)) for label in labels),
        ),
        tuple(
            (f"/dev/disk/by-id/nvme-eui.36344730528033500025384500000{row}", *(
                123456.0 * (row + n) for n in range(len(labels))))
            for row in range(4)
        ),
        "Statistics by device.",
    )  # fmt: skip


@made_by("say_peak")
def sentence(value_id: str = "peak-iops", text: str = "The peak was 640,310 IOPS.") -> Statement:
    """A computed sentence."""
    return Statement(value_id, text, (Printed("640,310", 640310.0, "IOPS", "0 decimals"),))


@made_by("judge")
def verdict(outcome: str = "pass", value_id: str = "acceptance") -> Verdict:
    """Four criteria, the last with the asked outcome."""
    rules = (
        ("Mean read latency", "mean latency ≤ 2 ms", "0.91 ms"),
        ("99% of reads", "p99 latency < 60 ms", "3.91 ms"),
        ("99.9% of reads", "p99.9 latency < 200 ms", "9.02 ms"),
        ("99.99% of reads", "p99.99 latency < 600 ms", "14.8 ms"),
    )
    last = len(rules) - 1
    return Verdict(
        value_id,
        tuple(
            Judgement(
                name,
                "oltp-select, 8 points",
                rule,
                None if number == last and outcome == "not judged" else
                Printed(measured, 0.001, "ms", "3 significant digits"),
                outcome if number == last else "pass",
                "too few samples" if number == last and outcome == "not judged" else None,
                "example requirement",
            )
            for number, (name, rule, measured) in enumerate(rules)
        ),
    )  # fmt: skip


def png() -> str:
    """A picture as matplotlib gives it, as base64."""
    import base64
    import struct
    import zlib

    def part(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0" + bytes(6) + b"\0" + bytes(6))
    png = b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", rows) + part(b"IEND", b"")
    return base64.b64encode(png).decode()


def front(**changes: Any) -> dict[str, Any]:
    """Front matter with everything in it."""
    import base64

    logo = {"mime": "image/svg+xml", "base64": base64.b64encode(LOGO.encode()).decode()}
    return {
        "kind": "front",
        "title": "Mid-range array with NVMe/FC and FCP",
        "subtitle": "Oracle OLTP load points, latency and host CPU compared",
        "number": "TR-0007",
        "kind_of_report": "Technical Report",
        "authors": ["A. Author", "B. Writer", "Example Lab"],
        "date": "2026-11-21",
        "date_text": "November 2026",
        "partner": {"name": "Example Partner", "logo": logo},
        "logo": logo,
        "abstract": "This report compares one array over **two protocols** with three repeats of "
        "each of 14 load points. {{say peak-iops}} All numbers are computed from the evidence in "
        "the appendix; {{see latency-curve}} shows the curve.",
        "accent": "#0b5cad",
        "copyright": "Example Lab",
        "paper": "us-letter",
        "language": "en",
        "references": [
            {"title": "fio documentation", "url": "https://fio.readthedocs.io/en/latest/"},
            {"title": "Interoperability matrix, printed edition", "url": None},
        ],
        "acknowledgements": "We thank the lab for its patience.",
        "version_history": [
            {"version": "1.0", "date": "November 2026", "change": "First version."}
        ],
        "legal": None,
        "sections": {
            "before": [
                {
                    "path": "sections/introduction.md",
                    "markdown": "# Introduction\n\nWhy we measured, and what.[^1] See "
                    "{{see results}} and {{see acceptance}}.\n\n[^1]: A footnote with a "
                    "[link](https://example.org/).\n",
                }
            ],
            "after": [{"path": "sections/conclusion.md", "markdown": "# Conclusion\n\nDone.\n"}],
        },
        "generated_note": "Made by perfkit.",
        **changes,
    }


def bundle(value: Any) -> dict[str, Any]:
    """What a kernel would send for a value, through JSON as on its way into a notebook."""
    if isinstance(value, dict) and value.get("kind") == "front":
        data = {MIME["front"]: value, "text/plain": value["title"]}
    else:
        data = value if isinstance(value, dict) else value._repr_mimebundle_()
    return json.loads(json.dumps(data))


def code(*values: Any, source: str = "pass", **metadata: Any) -> Any:
    """An executed code cell that shows these values."""
    outputs = [new_output("display_data", data=bundle(value)) for value in values]
    return new_code_cell(source, outputs=outputs, execution_count=1, metadata=metadata)


def notebook(*cells: Any) -> Any:
    """A notebook of cells; text becomes Markdown, values become the output of a code cell."""
    made = []
    for cell in cells:
        if isinstance(cell, str):
            made.append(new_markdown_cell(cell))
        elif isinstance(cell, nbformat.NotebookNode):
            made.append(cell)
        else:
            made.append(code(cell))
    return new_notebook(cells=made)


def on_study(*cells: Any) -> Any:
    """A notebook that shows front matter: its second cell is the first one given."""
    return notebook(front(abstract=None, sections={}), *cells)


def sample() -> Any:
    """A notebook with one of everything."""
    return notebook(
        "# Sweep of one array",
        code(front(), tags=["remove-cell"]),
        "## Results\n\n### Throughput and latency\n\nNVMe/FC reached a higher peak "
        "({{see latency-curve}}). {{say peak-iops}} See {{see peak}} and {{see host-cpu}}.",
        code(curve(), sentence()),
        peak_table(),
        '> **Note:** IOPS are I/O requests per second; "physical reads per second" in the same '
        "reports counts blocks, and `# $ * _ @` are signs.",
        "### Host CPU\n\n- one\n- two, with ~~struck~~ and *slanted* words\n\n"
        "  - nested with $5 and #hash and a_long_name_with_underscores\n\n3. third\n4. fourth\n",
        bars(),
        "#### Deep heading after a skipped level\n\n| Part | Details | Count |\n|---|---|--:|\n"
        "| Servers | 4 × example **model** with a rather long description that has to wrap in its "
        "cell, on and on | 4 |\n| Switch | 32 Gb FC | 1 |\n\n"
        "```ini\n[global]\nioengine=libaio\nrw=randread ; # not a comment\n```\n\n"
        f"Signs: {escape_markdown(NASTY)}",
        code(source="run = pk.read('runs/oltp-1')\nprint(run)", tags=["show-code"]),
        long_table(rows=58),
        wide_table(),
        "## Verdict\n\n> Words of others, quoted.\n",
        verdict(),
        code(
            {"image/svg+xml": LOGO},
            perfkit={"alt": "A green plate", "caption": "How it was wired.", "id": "wiring"},
        ),
    )


def main(folder: Path) -> None:
    """Write the sample as notebook, PDF and HTML."""
    from perfkit.reporting.write.exporters import export_html, export_pdf

    folder.mkdir(parents=True, exist_ok=True)
    made = sample()
    nbformat.write(made, folder / "sample.ipynb")
    (folder / "sample.pdf").write_bytes(export_pdf(made))
    (folder / "sample.html").write_text(export_html(made), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

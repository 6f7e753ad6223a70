"""Where the time of a comparison's report goes: 270 AWR reports to PDF and HTML."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from places import ROOT

STUDY = ROOT / "data/studies/tr-4819/generated.yml"
PERFKIT = Path(sys.executable).parent / "perfkit"
MOST_S = 10.0
"""What `perfkit report` may take on two cores, from its start to the PDF."""

RUNS = 3


def parts(notebook: Path, began: float, wall: float) -> dict[str, float]:
    """Seconds of a report's parts: what is before the first cell, the cells, what is after them."""
    timed: list[tuple[float, float, str]] = []
    for cell in json.loads(notebook.read_text())["cells"]:
        own: dict[str, Any] = cell["metadata"].get("papermill", {})
        if own.get("start_time"):
            first, last = (moment(own[key]) - began for key in ("start_time", "end_time"))
            timed.append((first, last, "".join(cell["source"])))
    reading = sum(last - first for first, last, code in timed if "read_evidence" in code)
    first, last = timed[0][0], timed[-1][1]
    return {
        "until the first cell": first,
        "reading": reading,
        "other cells": last - first - reading,
        "typesetting and the end": wall - last,
    }


def moment(text: str) -> float:
    return dt.datetime.fromisoformat(text).timestamp()


def test_a_comparison_of_270_reports_is_a_pdf_in_ten_seconds(tmp_path):
    """The best of three, after one that fills the disk's cache; its reports are unpacked."""
    folder = tmp_path / "tr-4819"
    shutil.copytree(STUDY.parent, folder)
    walls = []
    for turn in range(RUNS + 1):
        out = tmp_path / f"out{turn}"
        clock, began = time.perf_counter(), time.time()
        subprocess.run(
            [PERFKIT, "report", folder / STUDY.name, "-o", out], check=True, capture_output=True
        )
        walls.append((time.perf_counter() - clock, began, out))
    wall, began, out = min(walls[1:])
    notebook = out / "tr-4819-generated.ipynb"
    told = ", ".join(f"{what} {s:.1f} s" for what, s in parts(notebook, began, wall).items())
    load = os.getloadavg()[0]
    print(
        f"\ncompare.ipynb on 270 AWR reports to PDF and HTML: {wall:.1f} s "
        f"({', '.join(f'{item[0]:.1f}' for item in walls[1:])}; load {load:.1f})\n  {told}; "
        f"notebook {notebook.stat().st_size / 1e6:.1f} MB"
    )
    assert (out / "tr-4819-generated.pdf").read_bytes().startswith(b"%PDF")
    assert wall <= MOST_S

"""`perfkit report` on folders of ordinary SAS logs: no study, no job table, no times of day."""

from __future__ import annotations

import json

import pytest
from figure_keys import charts_of, problems

from perfkit.cli.app import run

NIGHT = """\
NOTE: There were 9 observations read from the data set SRC.IN.
NOTE: The data set WORK.OUT has 7 observations and 2 variables.
NOTE: DATA statement used (Total process time):
      real time           {seconds:.2f} seconds
      cpu time            1.00 seconds

ERROR: File WORK.GONE.DATA does not exist.
NOTE: PROCEDURE SORT used (Total process time):
      real time           2.00 seconds
      cpu time            1.50 seconds

"""
CUT = "NOTE: PROCEDURE SORT used (Total process time):\n      real time           5.0"


def folder(place, name, seconds, **more):
    made = place / name
    made.mkdir(parents=True)
    for log, text in {"a b.log": NIGHT.format(seconds=seconds), **more}.items():
        (made / log).write_text(text)
    return str(made)


def texts(notebook):
    """The words of every cell and output of an executed notebook."""
    cells = json.loads(notebook.read_text())["cells"]
    return "\n".join(
        "".join(output["data"].get("text/plain", ""))
        for cell in cells for output in cell.get("outputs", []) if "data" in output
    )  # fmt: skip


@pytest.mark.slow
def test_two_folders_of_logs_are_one_report_and_stand_side_by_side(tmp_path):
    """One log is cut off, one is empty, one is none: the rest goes on, and says at least."""
    mon = folder(tmp_path, "mon", 10.0)
    tue = folder(tmp_path, "tue", 15.0, **{"cut.log": CUT, "empty.log": "", "x.log": "no log\n"})
    assert run(["report", mon, tue, "-o", str(tmp_path / "out")]) == 0
    (notebook,) = (tmp_path / "out").glob("*.ipynb")
    said = texts(notebook)
    assert "In 3 logs, 5 steps took at least 29.00 s of elapsed time in all." in said
    assert "4 steps of 1 s or longer used less CPU time than elapsed time and waited for at" in said
    assert "The same 2 steps of 1 log took 42% longer in tue than in mon (17.00 s against" in said
    assert "2 of 3 logs contain ERROR messages, 2 in all." in said
    charts = charts_of(notebook)
    assert [text for chart in charts for text in problems(chart)] == []
    assert {trace["name"] for trace in charts[0]["data"]} == {"mon", "tue"}

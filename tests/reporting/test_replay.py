"""Every value of a report, made again from the files by what stands in its notebook.

The studies that are reported as a whole are replayed in test_studies.py.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from forges import awr
from places import ROOT
from replayed import replay

from perfkit.reporting.build import job_for
from perfkit.reporting.execute.notebook import execute

pytestmark = pytest.mark.slow

STUDIES = ROOT / "data" / "studies"
FIO = ROOT / "tests" / "data" / "fio"

SHORT = {
    "this-host": {"file_size": "4 MiB", "load": {"iodepth": [1, 2, 4]}, "runtime": "0.3s"},
    "two-engines": {"file_size": "4 MiB", "load": {"numjobs": [1, 2]}, "runtime": "0.3s"},
    "epic-like": {
        "file_size": "16 MiB", "load": {"rate_iops": {"min": 100, "max": 200, "runs": 2}},
        "drain": {"blocks": 50, "period": "1s"}, "ramp": "0s", "runtime": "3s",
    },
}  # fmt: skip
"""Seconds of what the studies measure are enough."""


def committed(folder, name):
    """A study as it is committed; what it measures is measured anew, in less time."""
    study = folder / "data" / "studies" / Path(name).parent
    shutil.copytree(STUDIES / study.name, study)
    (folder / "data" / "target").mkdir()
    file = study / Path(name).name
    model = yaml.safe_load(file.read_text("utf-8"))
    model["run"] |= SHORT[study.name]
    file.write_text(yaml.safe_dump(model), "utf-8")
    return file


def of_files(folder, notebook, entry):
    """A study of result files in its folder."""
    file = folder / "study.yml"
    model = {"report": {"title": "T"}, "notebook": notebook, "evidence": [entry]}
    file.write_text(yaml.safe_dump(model), "utf-8")
    return file


def fio_files(folder):
    for depth in (1, 8, 16):
        text = (FIO / "randread_libaio_qd16.json").read_text()
        (folder / f"qd{depth}.json").write_text(
            text.replace('"iodepth" : "16"', f'"iodepth" : "{depth}"')
        )
    return of_files(folder, "fio_results", {"files": "*.json"})


def awr_set(folder):
    """Three reports of different dialects, each without some section."""
    for dialect, instances in (("html-19c", 1), ("rac-19c", 3), ("statspack", 1)):
        content = awr.sample(7, instances=instances, narrow=dialect == "statspack")
        (folder / f"{dialect}.html").write_bytes(awr.forge(content, dialect).data)
    return of_files(folder, "oracle", {"files": "*.html"})


def one_awr_report(folder):
    report = awr.forge(awr.sample(3), "html-19c")
    (folder / "report.html").write_bytes(report.data)
    return of_files(folder, "oracle", {"files": "*.html"})


CASES = {
    "this-host/study.yml": 10,
    "two-engines/study.yml": 10,
    "epic-like/study.yml": 10,
    fio_files: 6,
    awr_set: 14,
    one_awr_report: 15,
}
"""Studies, and how many functions there are in the chains of each at least."""


@pytest.mark.parametrize(
    ("case", "functions"), CASES.items(),
    ids=[case if isinstance(case, str) else case.__name__ for case in CASES],
)  # fmt: skip
def test_every_chain_of_a_report_runs_again_to_the_same_hashes(tmp_path, case, functions):
    file = committed(tmp_path, case) if isinstance(case, str) else case(tmp_path)
    job = job_for(file, {})
    node = execute(job.notebook, tmp_path / "out.ipynb", job.parameters, cwd=job.cwd)
    replay(node, file, functions)

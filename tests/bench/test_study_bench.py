"""How long the report of each study in the repository takes that needs no measuring."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from places import ROOT

PERFKIT = Path(sys.executable).parent / "perfkit"
STUDIES = (
    "tr-4784/study.yml", "tr-4784/generated.yml", "iris-a300/study.yml", "iris-a300/generated.yml",
    "sas-ef550/study.yml", "sas-ef550/generated.yml", "tr-4819/study.yml", "tr-4819/generated.yml",
)  # fmt: skip
MOST_S = 10.0
"""What a report may take on two cores, without the import of Great Expectations."""

WITH_SUITE = {"tr-4784/study.yml", "tr-4784/generated.yml"}


def report(study: Path, out: Path, *options: str) -> tuple[float, float]:
    """Wall and CPU seconds of one ``perfkit report``, its kernel and Chrome among the latter."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock = time.perf_counter()
    command = [PERFKIT, "report", study, "-o", out, *options]
    done = subprocess.run(command, check=False, capture_output=True)
    wall = time.perf_counter() - clock
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in {0, 3}, done.stderr.decode()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_s_report(name, tmp_path):
    """The best of two; what is generated is made before."""
    source = ROOT / "data/studies" / name
    if not source.exists():
        pytest.skip("this study is not there")
    folder = tmp_path / source.parent.name
    shutil.copytree(source.parent, folder)
    study = folder / source.name
    plain = ["-p", "expectations=false"] if name in WITH_SUITE else []
    report(study, tmp_path / "first", *plain)
    best = min(report(study, tmp_path / f"out{turn}", *plain) for turn in range(2))
    load = os.getloadavg()[0]
    print(f"\nreport of {name}: {best[0]:.1f} s, CPU {best[1]:.1f} s (load {load:.1f})")
    if plain:
        suite = report(study, tmp_path / "suite")
        print(f"  with Great Expectations: {suite[0]:.1f} s, CPU {suite[1]:.1f} s")
    assert best[0] <= MOST_S

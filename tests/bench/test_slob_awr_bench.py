"""How long a comparison's set of AWR reports takes to make and to read."""

from __future__ import annotations

import os
import time

from forges import make
from places import ROOT

import perfkit as pk

STUDY = ROOT / "data/studies/tr-4819/generated.yml"
MOST_S = 10.0


def test_270_reports_are_made_and_read(tmp_path):
    """Each step in well under ten seconds on two cores: three tables of 270 reports."""
    clock = time.perf_counter()
    files = make("slob-awr", tmp_path / "generated", seed=4819)
    made = time.perf_counter() - clock
    text = STUDY.read_text().replace("generated.tar.xz/", "generated/")
    (tmp_path / "study.yml").write_text(text)
    study = pk.open_study(tmp_path)
    clock = time.perf_counter()
    evidence = study.read_evidence(tables=["report", "load_points", "wait_events"])
    read = time.perf_counter() - clock
    assert len(files) == len(evidence.report) == 270
    size = sum(path.stat().st_size for path in tmp_path.rglob("awr_*")) / 1e6
    load = os.getloadavg()[0]
    print(
        f"\n270 reports ({size:.0f} MB): made in {made:.1f} s, read in {read:.1f} s "
        f"(load {load:.1f})"
    )
    assert made < MOST_S
    assert read < MOST_S

"""The findings of a study, read from its PDF, against arithmetic of the raw load points."""

import itertools
import math
import re
from collections import defaultdict

import pytest
from places import ROOT
from pypdf import PdfReader

import perfkit as pk
from perfkit.cli.app import run

STUDY = ROOT / "data/studies/tr-4819/generated.yml"
ASKED_S = 300e-6


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The words of the page after the cover."""
    out = tmp_path_factory.mktemp("report")
    assert run(["report", str(STUDY), "-o", str(out)]) == 0
    pages = PdfReader(next(out.glob("*.pdf"))).pages
    return " ".join(pages[1].extract_text().split())


@pytest.fixture(scope="module")
def curves():
    """(workload, system) -> load -> the means of IOPS and latency over the repeats."""
    evidence = pk.open_study(STUDY).read_evidence()
    points = pk.points_with_event(evidence, "db file sequential read").frame
    found = defaultdict(lambda: defaultdict(list))
    for row in points.rows(named=True):
        if row["direction"] == "total with read latency":
            values = row["iops"], row["lat_mean_s"]
            found[row["workload"], row["system"]][row["load"]].append(values)
    return {
        key: {load: [math.fsum(v) / len(v) for v in zip(*rows, strict=True)]
              for load, rows in sorted(curve.items())}
        for key, curve in found.items()
    }  # fmt: skip


def at_latency(curve):
    """IOPS where the broken line through the load points has the latency."""
    points = list(curve.values())
    (met,) = (
        x0 + (ASKED_S - y0) / (y1 - y0) * (x1 - x0)
        for (x0, y0), (x1, y1) in itertools.pairwise(points)
        if y0 <= ASKED_S < y1
    )
    return met


def peak(curve):
    return max(iops for iops, _ in curve.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        (at_latency, r"At a mean read latency of 300 µs, NVMe/FC served (\d+)% to (\d+)% more IOPS "
                     r"than FCP in all 3 workloads\."),
        (peak, r"At their highest measured IOPS, NVMe/FC served (\d+)% to (\d+)% more IOPS than "
               r"FCP in all 3 workloads\."),
    ],
)  # fmt: skip
def test_the_headline_has_the_range_of_the_raw_load_points(page, curves, value, pattern):
    found = re.search(pattern, page)
    assert found, page
    ratios = [
        value(curves[mix, "NVMe/FC"]) / value(curves[mix, "FCP"])
        for mix in {mix for mix, _ in curves}
    ]
    assert len(ratios) == 3
    expected = [round(100 * (ratio - 1)) for ratio in (min(ratios), max(ratios))]
    assert [int(number) for number in found.groups()] == expected

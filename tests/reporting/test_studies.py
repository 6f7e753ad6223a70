"""Every study that needs no measurement, reported once: its pages, its charts, its chains."""

from __future__ import annotations

import nbformat
import pytest
from figure_keys import charts_of, problems
from places import ROOT
from positions import faults
from replayed import replay

from perfkit.reporting.build import build, job_for

pytestmark = pytest.mark.slow

STUDIES = {
    "iris-a300/study.yml": 17,
    "iris-a300/generated.yml": 12,
    "sas-ef550/study.yml": 5,
    "sas-ef550/generated.yml": 25,
    "tr-4784/study.yml": 30,
    "tr-4784/generated.yml": 25,
    "tr-4819/study.yml": 6,
    "tr-4819/generated.yml": 17,
}
"""How many functions there are in the chains of each at least."""


@pytest.fixture(scope="module", params=STUDIES)
def study(request):
    return request.param


@pytest.fixture(scope="module")
def made(study, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    return build(job_for(ROOT / "data/studies" / study, {}), out, say=lambda _: None)


def test_every_study_is_here():
    """Of those that measure nothing."""
    assert {
        f"{path.parent.name}/{path.name}"
        for path in (ROOT / "data/studies").glob("*/*.yml")
        if not any(word in path.read_text() for word in ("\nrun:", "\nsweeps:"))
    } == set(STUDIES)


def test_no_page_has_a_fault(made):
    """Headings, tables, contents and how full the pages are."""
    assert faults(made.pdf.read_bytes()) == []


def test_no_chart_holds_two_keys_in_one_mark(made):
    charts = charts_of(made.notebook)
    assert charts
    assert [text for chart in charts for text in problems(chart)] == []


def test_every_chain_runs_again_to_the_same_hashes(study, made):
    node = nbformat.read(made.notebook, as_version=4)
    replay(node, ROOT / "data/studies" / study, STUDIES[study])

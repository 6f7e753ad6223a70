"""The report of a series of AWR reports, from files to pages."""

from __future__ import annotations

import re
from dataclasses import replace

import pypdf
import pytest
from forges.awr.series import CAUSES, series

from perfkit.cli.app import run

pytestmark = pytest.mark.slow

COUNT = 16
SLOW = replace(CAUSES[0], first=10, last=15)
"""The array degrades for the last six half hours."""

MOST_PAGES = 14


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """The report of sixteen half hours, one of which is there under two names."""
    folder = tmp_path_factory.mktemp("series") / "day"
    made = series(COUNT, (SLOW,)).write(folder)
    first = min(made.iterdir())
    (folder / "zz_copy.html").write_bytes(first.read_bytes())
    out = folder.parent / "out"
    assert run(["report", str(folder), "-o", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def pages(out):
    pdf = pypdf.PdfReader(next(out.glob("*.pdf")))
    return [" ".join(page.extract_text().split()) for page in pdf.pages]


def test_the_proposal_chooses_the_notebook_of_a_series(out):
    assert "notebook: oracle_series" in (out / "study.yml").read_text()


def test_the_first_page_says_when_it_changed_and_whether_it_is_storage(pages):
    page = next(text for text in pages if text.startswith("Findings"))
    assert "from 13:00 to 16:00" in page
    assert "IS IT STORAGE?" in page
    assert "Average active sessions" in page, "the chart stands with the findings"


def test_it_has_few_pages_and_each_chart_names_its_interval(pages):
    whole = " ".join(pages)
    assert len(pages) <= MOST_PAGES
    assert whole.count("16 periods, 2 March 2026, 08:00 to 16:00") >= 5
    assert "Not shown:" not in whole


def test_what_is_left_out_is_named_with_its_reason(pages):
    whole = " ".join(pages)
    assert "Left out of the trend: 1 of 17 reports." in whole
    assert "another report covers the same period" in whole


def test_the_whole_frames_are_attached(out):
    names = set(pypdf.PdfReader(next(out.glob("*.pdf"))).attachments)
    assert sum(name.startswith("table-") for name in names) == 5


def test_reports_that_state_no_elapsed_time_have_a_page_that_says_so(tmp_path):
    """No period of them is in a trend: the notebook broke off, and there was no report."""
    folder = tmp_path / "day"
    for path in series(8, ()).write(folder).iterdir():
        whole = path.read_bytes()
        path.write_bytes(re.sub(rb"<tr>(?:(?!</tr>).)*Elapsed:.*?</tr>", b"", whole, flags=re.S))
        assert path.read_bytes() != whole
    assert run(["report", str(folder), "-o", str(tmp_path / "out")]) == 0
    pdf = pypdf.PdfReader(next((tmp_path / "out").glob("*.pdf")))
    text = " ".join(" ".join(page.extract_text().split()) for page in pdf.pages)
    assert "No three of them form a trend of one history" in text
    assert "it states no elapsed time" in text

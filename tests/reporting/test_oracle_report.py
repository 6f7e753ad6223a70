"""The Oracle notebook over one report and over a set: every section shown, or its absence told."""

from __future__ import annotations

import pypdf
import pytest
from forges import awr

from perfkit.cli.app import run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The text of the report over three forged AWR reports of different dialects."""
    folder = tmp_path_factory.mktemp("oracle")
    for dialect, instances in (("html-19c", 1), ("rac-19c", 3), ("statspack", 1)):
        content = awr.sample(7, instances=instances, narrow=dialect == "statspack")
        (folder / f"{dialect}.html").write_bytes(awr.forge(content, dialect).data)
    (folder / "study.yml").write_text(
        "report: {title: A set, date: 2026-03-04}\nnotebook: oracle\n"
        "evidence: [{files: '*.html'}]\n"
    )
    assert run(["report", str(folder), "-o", str(folder / "out")]) == 0
    pdf = next((folder / "out").glob("*.pdf"))
    return " ".join(" ".join(p.extract_text() for p in pypdf.PdfReader(pdf).pages).split())


def test_every_report_of_the_set_has_its_line_and_its_sections(pages):
    """A row each first, what each waited for, and of the other tables every row in one file."""
    assert "3 reports of 3 databases or instances do not form a series." in pages
    assert "Reports in the set." in pages
    for name in ("html-19c", "rac-19c", "statspack"):
        assert f"Top timed events: {name}." in pages
    for table in ("report", "system_statistics", "iops_source", "host_cpu"):
        assert f"All rows of {table}, for every report." in pages


def test_a_section_that_a_report_lacks_is_told_in_its_place(pages):
    """A RAC-global report has no load profile; Statspack has no IO profile."""
    assert "rac-19c: The report has no load profile" in pages
    assert "statspack: The report has no I/O profile" in pages

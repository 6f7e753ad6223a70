"""Notebooks and the seeds' sections as a reader meets them: order, openings, no empty promises."""

from __future__ import annotations

import json
import re

import pytest
from places import ROOT

from perfkit.reporting.document import appendix
from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.document.blocks import Heading, plain_text
from perfkit.reporting.document.cells import HIDDEN
from perfkit.reporting.write.exporters import export_html

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SEEDS = ("tr-4784", "tr-4819", "iris-a300", "sas-ef550")
SECTIONS = sorted(
    path for name in SEEDS for path in ROOT.glob(f"data/studies/{name}/sections/*.md")
)
ANNOUNCED = re.compile(
    r"\b(tables?|figures?|charts?) [^.]*\b(this (chapter|section)|below|here)\b"
    r"|\bfollowing (tables?|figures?|charts?)\b",
    re.IGNORECASE,
)
SHOWN = re.compile(r"\{\{(see|say) |^\|.*\|$|^!\[", re.MULTILINE)


def cells_of(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def source(cell):
    return "".join(cell["source"])


def chapters(text):
    """The text below each heading, up to the next one; a heading alone leads to its parts."""
    return [part.strip() for part in re.split(r"^#+ .*$", text, flags=re.MULTILINE)[1:]]


def announcements(text):
    """The chapters that speak of a table or figure and show none."""
    return [part for part in chapters(text) if ANNOUNCED.search(part) and not SHOWN.search(part)]


def test_a_chapter_that_only_announces_is_found():
    """So it was once: a heading, a sentence on tables, and no table."""
    alone = "The tables of this chapter say what was tested."
    assert announcements(f"# Test environment\n\n{alone}\n") == [alone]
    assert announcements(f"# Test environment\n\n{alone}\n\n| A |\n|---|\n| 1 |\n") == []
    assert announcements("# Test environment\n\n{{see table-1}} and the tables after it.\n") == []


@pytest.mark.parametrize("path", SECTIONS, ids=lambda path: f"{path.parts[-3]}/{path.name}")
def test_no_section_announces_what_it_does_not_show(path):
    assert announcements(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_chapter_of_a_notebook_shows_something(path):
    """Below each heading there is a cell that shows something, or a chapter of its own."""
    cells = [cell for cell in cells_of(path) if not set(cell["metadata"].get("tags", [])) & HIDDEN]
    for cell, after in zip(cells, [*cells[1:], None], strict=True):
        if cell["cell_type"] != "markdown":
            continue
        alone = after is None or after["cell_type"] == "markdown"
        heading, *text = source(cell).split("\n\n")
        told = "\n\n".join(text)
        if alone and not SHOWN.search(told):
            assert heading.startswith("# "), heading
            assert after is not None, heading
            assert source(after).startswith("## "), heading
            assert not ANNOUNCED.search(told), heading


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_opens_with_the_question_it_answers(path):
    """For whoever opens it; in print the study says what was asked, and without one its title."""
    opening, parameters = cells_of(path)[:2]
    title = json.loads(path.read_text(encoding="utf-8"))["metadata"]["title"]
    assert source(opening).startswith(f"# {title}\n")
    assert opening["cell_type"] == "markdown"
    assert opening["metadata"]["tags"] == ["remove-cell"]
    assert re.match(r"# .+\n\n[^#]+\?", source(opening))
    assert parameters["metadata"]["tags"] == ["parameters"]


ORDER = ("What was tested", "How it was tested", "How they are compared", "Results", "Verdict")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_share_one_order_and_end_with_the_reference(path):
    """What was tested, how, results, verdict; then what few will read."""
    heads = [
        head for cell in cells_of(path)[1:] if cell["cell_type"] == "markdown"
        for head in re.findall(r"^# (.+)$", source(cell), re.MULTILINE)
    ]  # fmt: skip
    known = [ORDER.index(head) for head in heads if head in ORDER]
    assert known == sorted(known), heads
    assert heads[0] == ORDER[0]
    assert heads[-1] == "Reference"


def test_a_studys_last_sections_stand_before_the_reference(sample):
    """Else the conclusion came after all runs and all repeats."""
    around = {"before": [section("# Asked")], "after": [section("# Meant")]}
    front = sample.front(abstract="", sections=around)
    said = sample.sentence()
    made = sample.notebook(front, "# Results", sample.curve(), "# Reference\n\n## Runs", said)
    assert headings(made) == ["Asked", "Results", "Meant", "Reference", "Runs"]
    made = sample.notebook(front, "# Results", sample.curve())
    assert headings(made) == ["Asked", "Results", "Meant"]


def section(markdown):
    return {"path": "x.md", "markdown": markdown}


def headings(notebook):
    document = read_document(notebook)
    return [
        plain_text(placed.block.children) for placed in document.blocks
        if isinstance(placed.block, Heading) and placed.origin != appendix.ORIGIN
    ]  # fmt: skip


NAMES = re.compile(
    r"\{\{[^}]*\}\}|`[^`]*`|TR-\d+|\bA\d00\b|EF550|SAS 9\.4|Figures? \d( to \d)?"
    r"|\b(?:10 July|July|June|March) \d{4}|99(?:\.9+)?%"
)
"""Digits that are not numbers of the document: names, dates, the name of a percentile."""
SETTINGS = "tuning.md"
"""Quotes settings; each stands in the study's files."""


@pytest.mark.parametrize(
    "path", [path for path in SECTIONS if path.name != SETTINGS],
    ids=lambda path: f"{path.parts[-3]}/{path.name}",
)  # fmt: skip
def test_no_number_in_a_section_is_typed_by_hand(path):
    """Each comes from a printed cell by its name, so that a changed cell changes the sentence."""
    told = NAMES.sub("", re.sub(r"\s+", " ", path.read_text(encoding="utf-8")))
    assert re.findall(r"[^ ]* ?\d[^ ]*", told) == []


@pytest.mark.parametrize(("cell", "marked"), [("{{say peak-iops}}", False), ("640,310", True)])
def test_a_table_of_placed_numbers_is_as_traceable_as_they_are(sample, cell, marked):
    """A typed number beside them would not be."""
    table = f"| Array | Peak |\n|---|---|\n| A300 | {{{{say peak-iops}}}} |\n| A400 | {cell} |"
    page = export_html(sample.notebook(f"# Results\n\n{table}", sample.sentence()))
    assert ("Table not made by perfkit" in page) == marked

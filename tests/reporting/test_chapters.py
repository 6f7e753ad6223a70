"""Chapters in which nothing could be answered are left out, and named with the reason."""

from __future__ import annotations

import io

import pytest
from nbformat.v4 import new_output
from pypdf import PdfReader

from perfkit.core.errors import AbsentError, ReportError
from perfkit.core.unanswered import Unanswered, absent
from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.document.blocks import Heading, Items, Paragraph, TableBlock, plain_text
from perfkit.reporting.write.exporters import export_pdf

NO_POINTS = Unanswered("the evidence has no load points")
NO_HOST = Unanswered("the evidence has no host")


def told(document) -> list[str]:
    """The headings and paragraphs before the appendix, in order; items with a dash."""
    found = []
    for placed in document.blocks:
        match placed.block:
            case Heading(_, children, "appendix-evidence", _):
                break
            case Heading(level, children, _, _):
                found.append(f"{'#' * level} {plain_text(children)}")
            case Paragraph(children):
                found.append(plain_text(children))
            case Items(items, _, _):
                found += [f"- {plain_text(item[0].children)}" for item in items]
            case TableBlock():
                found.append("(table)")
    return found


OVER = "What the evidence and the parameters do not answer, and why."


def test_a_chapter_in_which_all_is_unanswered_is_left_out_and_named_with_the_reason(sample):
    made = sample.notebook(
        "# One",
        sample.peak_table(),
        "# Two\n\nWords.",
        sample.code(NO_POINTS, NO_POINTS),
        "# Three",
    )
    assert told(read_document(made)) == [
        "# One", "(table)", "# Three",
        "# Chapters left out", OVER, "- Two: the evidence has no load points.",
    ]  # fmt: skip


def test_chapters_of_the_same_reasons_are_named_together(sample):
    made = sample.notebook(
        "# One", sample.code(NO_POINTS), "# Two", sample.code(NO_HOST, NO_POINTS, NO_HOST),
        "# Three", sample.code(NO_POINTS), "# Four", sample.peak_table(),
    )  # fmt: skip
    assert told(read_document(made))[-2:] == [
        "- One, Three: the evidence has no load points.",
        "- Two: the evidence has no host; the evidence has no load points.",
    ]


def test_beside_other_values_the_reason_stands_in_its_place(sample):
    made = sample.notebook("# One", sample.peak_table(), sample.code(NO_HOST), "# Two")
    assert told(read_document(made)) == [
        "# One", "(table)", "Not shown: the evidence has no host.", "# Two",
    ]  # fmt: skip


def test_a_reason_stands_below_a_heading_once(sample):
    made = sample.notebook(
        "# One", sample.code(NO_HOST, NO_POINTS, NO_HOST), "## Part", sample.peak_table(),
        sample.code(NO_HOST), "# Two",
    )  # fmt: skip
    assert told(read_document(made)) == [
        "# One", "Not shown: the evidence has no host.",
        "Not shown: the evidence has no load points.", "## Part", "(table)",
        "Not shown: the evidence has no host.", "# Two",
    ]  # fmt: skip


def test_of_what_is_said_elsewhere_nothing_stands_in_its_place(sample):
    """A chapter of it alone is left out, with the reason."""
    elsewhere = absent(AbsentError("it is in the findings", elsewhere=True))
    made = sample.notebook("# One", sample.peak_table(), elsewhere, "# Two", elsewhere)
    assert told(read_document(made)) == [
        "# One", "(table)", "# Chapters left out", OVER, "- Two: it is in the findings.",
    ]  # fmt: skip


def test_a_chapter_of_text_alone_stays(sample):
    made = sample.notebook("# One\n\nWords.", "# Two", sample.peak_table())
    assert told(read_document(made)) == ["# One", "Words.", "# Two", "(table)"]


def test_a_chapter_goes_to_the_next_heading_of_its_level(sample):
    """A part is left out alone, a chapter with all its parts."""
    made = sample.notebook(
        "# One", sample.peak_table(), "## Part", sample.code(NO_HOST), "## Other part",
        "# Two", "## Part of two", sample.code(NO_POINTS), "# Three",
    )  # fmt: skip
    assert told(read_document(made)) == [
        "# One", "(table)", "## Other part", "# Three", "# Chapters left out", OVER,
        "- Part: the evidence has no host.", "- Two: the evidence has no load points.",
    ]  # fmt: skip


def test_a_statement_placed_in_its_text_keeps_a_chapter(sample):
    hidden = sample.code(sample.sentence(), tags=["remove-output"])
    made = sample.notebook("# One\n\n{{say peak-iops}}", sample.code(NO_HOST), hidden, "# Two")
    assert told(read_document(made))[:3] == [
        "# One", "The peak was 640,310 IOPS.", "Not shown: the evidence has no host.",
    ]  # fmt: skip


def test_a_place_for_a_statement_that_is_not_there_does_not(sample):
    """And a reference to what is left out with it is no mistake."""
    hidden = sample.code(NO_POINTS, tags=["remove-output"])
    made = sample.notebook(
        "# One\n\n{{say peak}} {{see peak-table}}", sample.code(NO_POINTS), hidden, "# Two"
    )
    assert told(read_document(made))[0] == "# Two"


def test_a_missing_statement_in_a_chapter_that_stays_is_an_error_with_the_reason(sample):
    hidden = sample.code(NO_POINTS, tags=["remove-output"])
    made = sample.notebook("# One\n\n{{say peak}}", sample.peak_table(), hidden)
    with pytest.raises(ReportError, match="unanswered: the evidence has no load points"):
        read_document(made)


def test_an_exception_still_fails(sample):
    cell = sample.code(NO_POINTS)
    cell.outputs.append(new_output("error", ename="ValueError", evalue="x", traceback=[]))
    with pytest.raises(ReportError, match="cell 2 failed: ValueError: x"):
        read_document(sample.notebook("# One", cell))


def test_of_one_report_of_several_the_sentence_names_it(sample):
    of_one = Unanswered("the report has no waits", of="b.html")
    made = sample.notebook("# One", sample.peak_table(), sample.code(of_one), "# Two")
    assert told(read_document(made))[2] == "b.html: Not shown: the report has no waits."


@pytest.mark.slow
@pytest.mark.parametrize("before", [36, 37, 38], ids=lambda n: f"behind {n} paragraphs")
def test_the_list_begins_on_the_page_of_its_heading(sample, before):
    """Behind 37 paragraphs heading and introduction stood alone at the foot of a page."""
    filler = "\n\n".join(f"Filler {number}." for number in range(before))
    made = sample.notebook(f"# One\n\n{filler}", "# Two", sample.code(NO_POINTS))
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(export_pdf(made))).pages]
    (here,) = [page for page in pages if "and why." in page]
    assert here.rindex("Chapters left out") < here.index("Two: the evidence has no load points.")


@pytest.mark.slow
def test_a_heading_and_its_introduction_stand_on_the_page_of_their_chart(sample):
    """The chart takes half of a page: behind 24 paragraphs they stayed on the page before it."""
    filler = "\n\n".join(f"Filler {number}." for number in range(24))
    made = sample.notebook(
        f"# One\n\n{filler}", "# Two\n\nThe load rises.", sample.code(sample.curve())
    )
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(export_pdf(made))).pages]
    (here,) = [page for page in pages if "The load rises." in page]
    assert "Mean read latency against total IOPS" in here

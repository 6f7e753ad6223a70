"""Cautions in a report: on its first page in words, each kind once, and beside the value."""

from __future__ import annotations

import io
import re

import pytest
from pypdf import PdfReader

from perfkit.core.cautions import caution
from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.document.beside import Spoken, first_page
from perfkit.reporting.document.records import Record, read_cautions
from perfkit.reporting.write.exporters import export_html, export_pdf

QUEUE = caution("saturated_queue", of="w, rate_iops 50,000, repeat 2", share="21%")
BUSY = caution("busy_host", share="100%")
QUEUE_WORDS = "21% of the paced I/Os of w, rate_iops 50,000, repeat 2 found the queue full"
BUSY_WORDS = "the host was 100% busy before the run"


def record(*cautions):
    return Record(id="x", cautions=cautions)


def test_each_kind_stands_once_with_what_it_touches():
    other = caution("saturated_queue", of="w, rate_iops 60,000, repeat 2", share="35%")
    values = [
        ("Figure 1", record(QUEUE)), ("Figure 2", record(QUEUE, BUSY)), ("Figure 3", record(QUEUE)),
        ("Table 1", record(other)), ("Table 4", record(QUEUE)), ("Statement", record(QUEUE)),
        ("Statement", record(BUSY)), ("Statement", record()),
    ]  # fmt: skip
    assert first_page(values) == [
        "21% to 35% of the paced I/Os of w, rate_iops 60,000, repeat 2 and w, rate_iops 50,000, "
        "repeat 2 found the queue full. Affects 1 sentence, Figures 1 to 3, Tables 1 and 4.",
        "The host was 100% busy before the run. Affects 1 sentence, Figure 2.",
    ]
    assert first_page([("Figure 1", record())]) == []


@pytest.fixture
def cautioned(sample):
    """A figure, a table, a verdict and two sentences, most with a caution; one sentence unused."""

    def make(*prose):
        return sample.notebook(
            *prose,
            sample.code(
                sample.told(sample.sentence("first", "A was 1."), QUEUE),
                sample.told(sample.sentence("second", "B was 2."), QUEUE),
                sample.told(sample.sentence("plain", "C was 3.")),
                sample.told(sample.sentence("unused", "D was 4."), caution("one_client", of="Z")),
                tags=["remove-output"],
            ),
            sample.told(sample.curve(), QUEUE, BUSY),
            sample.told(sample.peak_table(), BUSY),
            sample.told(sample.verdict(), BUSY),
        )

    return make


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).replace("&#x27;", "'").split())


def test_html_has_them_on_the_cover_and_beside_each_value(cautioned):
    page = export_html(
        cautioned("# Results", "{{say first}} {{say second}} Words.", "{{say plain}}")
    )
    cover = text_of(page[page.index('<header class="cover">') : page.index("</header>")])
    assert "CAUTIONS" in cover
    assert f"{QUEUE_WORDS}. Affects 2 sentences, Figure 1." in cover
    assert "The host was 100% busy before the run. Affects Figure 1, Tables 1 and 2." in cover
    body = page[page.index("</header>") :]
    # of several sentences in a paragraph, once at its end
    assert f"A was 1. B was 2. Words. Caution: {QUEUE_WORDS}.</p>" in body
    assert "<p>C was 3.</p>" in body
    figure = text_of(body[body.index("<figure") : body.index("</figure>")])
    assert f"Caution: {QUEUE_WORDS}; {BUSY_WORDS}." in figure
    notes = [text_of(note) for note in re.findall(r'<p class="table-note">(.*?)</p>', body)]
    # the verdict's are those of the table: said once
    assert notes[1].endswith(f"Caution: {BUSY_WORDS}.")
    assert notes[2] == "Source of the rule: example requirement. Caution: as at Table 1."


def test_only_the_very_same_cautions_are_said_by_their_first_place():
    spoken = Spoken()
    assert spoken.beside((), "at Table 1") == ""
    assert spoken.beside((QUEUE, BUSY), "at Table 1") == f"Caution: {QUEUE_WORDS}; {BUSY_WORDS}."
    assert spoken.beside((BUSY,), "at Table 2") == f"Caution: {BUSY_WORDS}."
    assert spoken.beside((BUSY, QUEUE), "in Section 2") == "Caution: as at Table 1."
    assert spoken.beside((BUSY,), "at Table 2") == "Caution: as above."
    worse = caution("busy_host", share="90%")
    assert spoken.beside((worse,), "at Table 3") == "Caution: the host was 90% busy before the run."
    assert spoken.note("Own.", record(BUSY), "at Table 4") == ("Own. Caution: as at Table 2.")


def test_a_name_at_the_beginning_of_the_first_page_stays_as_it_is():
    one = caution("not_steady", of="w")
    slow = caution("slow_io", of="w", time="2 s")
    low = caution("stall", of="oltp at 1 job", time="2 s")
    values = [("Table 1", record(low, slow, one))]
    assert first_page(values) == [
        "oltp at 1 job did no I/O for 2 s. Affects Table 1.",
        "One I/O of w took 2 s. Affects Table 1.",
        "Steady state was not attained before w. Affects Table 1.",
    ]


def test_a_sentence_that_is_not_placed_touches_nothing(cautioned):
    document = read_document(cautioned("# Results", "{{say first}}"))
    assert not any("one client" in line for line in document.cautions)
    assert document.cautions[0].endswith("Affects 1 sentence, Figure 1.")


def test_a_report_without_cautions_has_no_such_words(sample):
    document = read_document(sample.notebook("# Results", sample.sentence(), sample.curve()))
    assert document.cautions == ()
    assert "CAUTIONS" not in export_html(sample.notebook("# Results", sample.sentence()))


def test_a_caution_taken_out_of_a_record_is_found(sample):
    """The record's hash is over its cautions too."""
    from perfkit.core.errors import ReportError
    from perfkit.core.values import MIME

    made = sample.notebook(sample.told(sample.sentence(), QUEUE))
    (output,) = [o for cell in made.cells for o in cell.get("outputs", [])]
    assert read_cautions(output["data"][MIME["statement"]]["cautions"]) == (QUEUE,)
    output["data"][MIME["statement"]].pop("cautions")
    with pytest.raises(ReportError, match="was changed after it was computed"):
        read_document(made)


@pytest.mark.slow
def test_paper_has_them_on_the_cover_and_beside_each_value(cautioned, printer):
    data = export_pdf(cautioned("# Results", "{{say first}} {{say second}}"), charts=printer)
    pages = [" ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(data)).pages]
    assert f"{QUEUE_WORDS}. Affects 2 sentences, Figure 1." in pages[0]
    assert "TABLE OF CONTENTS" not in " ".join(pages)  # a short report has none
    body = " ".join(pages[1:])
    assert f"A was 1. B was 2. Caution: {QUEUE_WORDS}." in body
    assert f"Caution: {QUEUE_WORDS}; {BUSY_WORDS}." in body
    assert body.count(f"Caution: {BUSY_WORDS}.") == body.count("Caution: as at Table 1.") == 1

"""The PDF read back: text, outline, tags, fonts, metadata, and the same bytes twice."""

from __future__ import annotations

import io
import logging
import re
from dataclasses import replace

import pytest
from pypdf import PdfReader

from perfkit.core.errors import ReportError
from perfkit.core.values import Column
from perfkit.reporting.write import fonts
from perfkit.reporting.write.exporters import export_html, export_pdf
from perfkit.reporting.write.typeset import Origins, typeset

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pdf(sample_pdf):
    return PdfReader(io.BytesIO(sample_pdf))


@pytest.fixture(scope="module")
def pages(pdf):
    return [" ".join(page.extract_text().split()) for page in pdf.pages]


def tags(pdf) -> list[tuple[str, object]]:
    """(tag, element) of the whole structure tree, in reading order."""
    found = []

    def visit(node):
        node = node.get_object()
        if isinstance(node, list):
            for child in node:
                visit(child)
        elif isinstance(node, dict):
            if "/S" in node:
                found.append((node["/S"].lstrip("/"), node))
            if "/K" in node:
                visit(node["/K"])

    visit(pdf.trailer["/Root"]["/StructTreeRoot"]["/K"])
    return found


def images(page) -> list[str]:
    """The raster images a page draws, also inside its forms."""
    found = []

    def visit(resources):
        for name, item in (resources.get("/XObject") or {}).items():
            thing = item.get_object()
            if thing["/Subtype"] == "/Image":
                found.append(name)
            elif "/Resources" in thing:
                visit(thing["/Resources"].get_object())

    visit(page["/Resources"].get_object())
    return found


def test_the_cover_says_what_it_is_whose_and_whether_it_passed(pages):
    """Band, title, authors, month and number, partner, abstract, verdict and its rules."""
    for words in (
        "Technical Report", "Mid-range array with NVMe/FC and FCP", "Oracle OLTP load points",
        "A. Author, B. Writer, Example Lab", "November 2026 | TR-0007", "In partnership with",
        "Abstract", "The peak was 640,310 IOPS.", "Figure 1 shows", "CRITERIA MET 4 of 4",
        "p99 latency < 60 ms",
    ):  # fmt: skip
        assert words in pages[0]


def test_the_contents_come_with_page_numbers(pages):
    """Headings are listed with the page they stand on; nine tables and figures need no lists."""
    text = re.sub(r"[ .\n]+", " ", pages[1])
    assert "TABLE OF CONTENTS" in text
    assert "2 1 Throughput and latency 2" in text
    assert "LIST OF" not in text
    assert "Warnings and gaps" not in text


def test_the_typesetter_numbers_as_the_document_does(pages, sample_document):
    """ "Table 3" in the appendix (computed) is the table that Typst calls Table 3."""
    body = "\n".join(pages)
    for name, caption in (
        ("peak", "Peak and equal-latency"), ("all-points", "Every measured point"),
        ("wide", "Statistics by device"), ("acceptance", "Acceptance: criteria met"),
        ("latency-curve", "Mean read latency against"), ("wiring", "How it was wired"),
        ("evidence-files", "Files this report"),
    ):  # fmt: skip
        assert f"{sample_document.labels[name].text}) {caption}" in body


def test_cross_references_are_numbered(pages):
    """{{see}} of a table, a figure, a heading."""
    assert "See Section 2 and Table 4." in pages[1]
    assert "See Table 1 and Figure 2." in pages[1]


def test_cells_are_printed_as_the_values_print_them(pages):
    """A missing value is a dash; footers and notes are there."""
    assert "System A, NVMe/FC 640,310 – 2.44" in pages[2]
    assert "Difference +58% – −38%" in pages[2]
    assert "interpolated between measured points" in pages[2]


def test_special_signs_come_out_as_they_went_in(pages, sample):
    """Signs that mean something to Markdown or Typst are only signs in the report."""
    squeezed = "".join("".join(pages).split())
    assert "".join(sample.NASTY.split()) in squeezed


def test_a_long_table_repeats_its_header(pages):
    """Every page of a table begins with its header row."""
    assert sum("Column 0 (1/s)" in page for page in pages) == 2
    assert all(any(f"iodepth-{n}-r1" in page for page in pages) for n in range(58))


def test_a_wide_table_stands_on_a_landscape_page(pdf, pages):
    """16 columns do not fit upright; the page is turned and no number is cut."""
    (number,) = [n for n, page in enumerate(pages) if "Statistics by device" in page and n > 1]
    box = pdf.pages[number].mediabox
    assert (box.width, box.height) == (792, 612)
    assert "1,975,296.00" in pages[number]
    assert "363447305280335000253845000000" in "".join(pages[number].split())


def test_the_evidence_appendix_names_files_and_gaps(pages):
    """A run is one row with its number of files and hash; warnings and absent sections in words."""
    (page,) = [page for page in pages if "Every other value in this report was computed" in page]
    assert "E1 runs/oltp-1 perfkit-run fio-3.33 6 1" in page
    assert "clock source is not TSC" in page
    assert "section disk_util is absent (no block device) in 6 files" in page
    for words in (
        "evidence.csv: Every file with its SHA-256", "values.csv: How each value was computed",
        "Where to find additional information", "Acknowledgements",
    ):  # fmt: skip
        assert words in page
    assert "https://fio.readthedocs.io/en/latest/" in page


def test_hashes_and_functions_are_attached(pdf):
    """Each with its description and what it is to the report, as PDF/A-3 asks."""
    files = {name: content[0].decode() for name, content in pdf.attachments.items()}
    assert set(files) == {"evidence.csv", "values.csv"}
    lines = files["evidence.csv"].splitlines()
    assert lines[:2] == [
        "Ref.,File or folder,Kind,Tool,SHA-256",
        f"E1,runs/oltp-1,perfkit-run,fio-3.33,{'ab' * 32}",
    ]
    assert len(lines) == 1 + 2 + 6  # two pieces of evidence; the run has six files
    assert 'Table 1,peak,read.run v1 → curve.latency v2 → table.peak_iops v1,"E1, E2"' in (
        files["values.csv"].splitlines()
    )
    specs = [item.get_object() for item in pdf.trailer["/Root"]["/AF"]]
    assert {(spec["/UF"], spec["/AFRelationship"]) for spec in specs} == {
        ("evidence.csv", "/Data"), ("values.csv", "/Supplement"),
    }  # fmt: skip
    assert all("SHA-256" in spec["/Desc"] or "function" in spec["/Desc"] for spec in specs)


def test_the_legal_page_is_our_own(pages):
    """Our words by default, the holder and year, and how the report was made."""
    assert "without warranty" in pages[-1]
    assert "Copyright © 2026 Example Lab." in pages[-1]
    assert "Made by perfkit." in pages[-1]


def test_every_page_but_the_cover_has_a_footer(pages):
    """Page number, title | number, © year holder."""
    for number, page in enumerate(pages, 1):
        footer = "Mid-range array with NVMe/FC and FCP | TR-0007"
        assert (footer in page and "© 2026 Example Lab" in page) == (number > 1)


def test_it_is_tagged_with_tables_headers_and_alt_texts(pdf):
    """PDF/UA: a structure tree, header cells, an alternative text for every picture."""
    found = tags(pdf)
    names = [name for name, _ in found]
    assert pdf.trailer["/Root"]["/MarkInfo"]["/Marked"] is not None
    assert names.count("Table") == 7  # five numbered, one of Markdown, the version history
    assert names.count("TH") >= 40
    assert {"Title", "H1", "H2", "H3", "L", "Caption", "Link"} <= set(names)
    alts = [str(node["/Alt"]) for name, node in found if name == "Figure"]
    assert len(alts) == 5  # two charts, a picture, two logos
    assert any(alt.startswith("Line chart: latency stays near 0.2 ms") for alt in alts)
    assert pdf.trailer["/Root"]["/Lang"] == "en"


def test_bookmarks_follow_the_headings(pdf):
    """The outline has the chapters and, inside them, their sections."""
    outline = pdf.outline
    titles = [item.title for item in outline if not isinstance(item, list)]
    assert titles[:3] == ["1 Introduction", "2 Results", "3 Verdict"] or titles[:3] == [
        "Introduction", "Results", "Verdict",
    ]  # fmt: skip
    assert any(isinstance(item, list) for item in outline)
    assert any(title.endswith("Appendix A: Evidence") for title in titles)


def test_fonts_are_embedded_and_of_one_sans_family(pdf):
    """Text and charts use Source Sans Pro, code DejaVu Sans Mono, and nothing else."""
    names = set()
    for page in pdf.pages:
        for item in (page["/Resources"].get("/Font") or {}).values():
            font = item.get_object()
            names.add(font["/BaseFont"].split("+")[-1])
            descriptor = font["/DescendantFonts"][0].get_object()["/FontDescriptor"]
            assert {"/FontFile2", "/FontFile3"} & set(descriptor)
    assert all(name.startswith(("SourceSansPro", "DejaVuSansMono")) for name in names), names


def test_charts_are_vectors(pdf):
    """No page holds a raster image: the sample has charts and SVG pictures only."""
    assert [images(page) for page in pdf.pages] == [[]] * len(pdf.pages)


def test_metadata_and_archival_marks(pdf, sample_pdf):
    """Title, authors and the report's date are in the file, which says it is PDF/A-3a and UA-1."""
    assert pdf.metadata.title == "Mid-range array with NVMe/FC and FCP"
    assert pdf.metadata.subject == (
        "TR-0007: Oracle OLTP load points, latency and host CPU compared"
    )
    assert pdf.metadata.keywords == "TR-0007"
    assert pdf.metadata.creation_date.date().isoformat() == "2026-11-21"
    assert b"<pdfaid:part>3</pdfaid:part>" in sample_pdf
    assert b"<pdfaid:conformance>A</pdfaid:conformance>" in sample_pdf
    assert b"<pdfuaid:part>1</pdfuaid:part>" in sample_pdf


def test_the_same_notebook_gives_the_same_bytes(sample, sample_pdf):
    """A second run, in another browser, gives the identical file."""
    assert export_pdf(sample.sample()) == sample_pdf


def test_a_changed_number_changes_table_sentence_and_verdict(sample):
    """What is printed comes from the values: other values, other print."""
    made = sample.notebook(
        sample.front(abstract=None, sections={}),
        "# One",
        sample.peak_table(),
        sample.sentence(text="The peak was 1 IOPS."),
        sample.verdict("fail"),
    )
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(export_pdf(made))).pages]
    assert "CRITERIA NOT MET: PASSED 3 of 4" in pages[0]
    assert "The peak was 1 IOPS." in "".join(pages)
    assert "640,310 IOPS" not in "".join(pages)


def test_a_notebook_without_front_matter_is_a_report_too(sample):
    """The first heading is the title; empty lists are left out; A4 where asked."""
    made = sample.notebook("# Small *study*\n\n## Method\n\nWords.")
    text = "".join(p.extract_text() for p in PdfReader(io.BytesIO(export_pdf(made))).pages)
    assert "Small study" in text
    assert "LIST OF" not in text
    assert "Appendix" not in text
    paper = sample.notebook(sample.front(paper="a4", abstract="x", sections={}), "# A", "words")
    box = PdfReader(io.BytesIO(export_pdf(paper))).pages[0].mediabox
    assert (round(box.width), round(box.height)) == (595, 842)


def test_values_without_a_record_are_marked(sample):
    """A table made of a bare frame says so in its caption, and the appendix lists it."""
    from dataclasses import replace

    from perfkit.core.evidence import Lineage

    bare = replace(sample.peak_table(), lineage=Lineage())
    text = "".join(
        page.extract_text()
        for page in PdfReader(io.BytesIO(export_pdf(sample.notebook("# A", bare)))).pages
    ).replace("\xa0", " ")
    assert "Table 1) Peak and equal-latency throughput (not traceable)." in text
    assert "Not traceable to files" in text


@pytest.fixture
def at_a_desk():
    """Without the tests' own filter, which makes an error of every warning of Typst's."""
    log = logging.getLogger("perfkit.typeset")
    kept, log.filters = log.filters, []
    yield
    log.filters = kept


def with_sign(sample, kind):
    """Cells with a sign that the typeface lacks, in the second cell."""
    chart = sample.curve()
    chart.plotly.layout.xaxis.title.text = "日 IOPS"
    columns = (Column("config", "日"), *sample.peak_table().columns[1:])
    return {
        "paragraph": ("# A", "Words 日 words"),
        "heading": ("# A", "# 日", "words"),
        "caption": ("# A", sample.peak_table(caption="日")),
        "table": ("# A", sample.traced(replace(sample.peak_table(), columns=columns))),
        "chart": ("# A", sample.traced(chart)),
    }[kind]


SIGNED = {
    "paragraph": "cell 2", "heading": "cell 2", "caption": "cell 2", "table": "cell 2",
    "chart": "cell 2",
}  # fmt: skip
"""Where a sign stands -> the place that the message names."""


@pytest.mark.parametrize("kind", SIGNED)
def test_a_sign_that_no_font_has_names_the_cell(sample, printer, monkeypatch, kind):
    """No empty box in a report: the sign is named, with where it stands; the page shows it."""
    known = fonts.for_typst
    monkeypatch.setattr(fonts, "for_typst", lambda **_: known())
    notebook = sample.notebook(*with_sign(sample, kind))
    with pytest.raises(ReportError, match=rf"{SIGNED[kind]}: .* no sign '日', .*; install .*-cjk"):
        export_pdf(notebook, charts=printer)
    assert re.search(r"日|\\u65e5", export_html(notebook))


@pytest.mark.usefixtures("at_a_desk")
@pytest.mark.parametrize("kind", ["title", "table", "chart"])
def test_a_report_on_evidence_has_codes_for_signs_that_no_font_has(
    sample, printer, monkeypatch, caplog, kind
):
    """A folder in Japanese stopped the report on a machine without such a font: a name is no prose.

    An empty box would stand in a chart, and its name there and in the text must be the same.
    """
    known = fonts.for_typst
    monkeypatch.setattr(fonts, "for_typst", lambda **_: known())
    title = "日 A" if kind == "title" else "A"
    front = sample.front(title=title, abstract=None, sections={})
    cells = with_sign(sample, kind)[1:] if kind in SIGNED else ("# A",)
    pdf = export_pdf(sample.notebook(front, *cells), charts=printer)
    text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)
    assert "(U+65E5)" in re.sub(r"\s", "", text)
    assert caplog.messages == [
        "the report's typeface has no sign '日', and no font of this machine has it: printed as "
        "codes; install one that does (for Chinese, Japanese and Korean: the package "
        "fonts-noto-cjk)"
    ]


def test_a_font_of_the_machine_has_the_signs_that_the_typeface_lacks(sample):
    """Tifinagh stands in DejaVu Sans, and in none of the typefaces that come with perfkit."""
    try:
        pdf = export_pdf(sample.notebook("# A", "Words ⴰⴱ words"))
    except ReportError as problem:
        pytest.skip(f"no font: {problem}")
    assert "Words ⴰⴱ words" in "".join(p.extract_text() for p in PdfReader(io.BytesIO(pdf)).pages)


PAGE = '#set document(title: "T")\n= A\n'


def test_what_typst_warns_of_is_told_and_the_report_is_made(at_a_desk, caplog):
    main = f'{PAGE}#set text(font: "No Such")\nwords'
    assert typeset({"main.typ": main.encode()}, "2026-01-01", Origins()).startswith(b"%PDF")
    assert caplog.messages == ["main.typ, line 3: unknown font family: no such"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x #par[a #par[b]]", "line 3: par may not occur inside of a paragraph and was ignored"),
        ("#context query(heading).len() #context if query(<a>).len() == 0 [#metadata(1)<a>]",
         "did not converge"),
    ],
)  # fmt: skip
def test_a_page_that_misses_something_is_no_report(at_a_desk, text, message):
    """Typst only warns; but what is left out, or a wrong page number, looks like a right page."""
    with pytest.raises(ReportError, match=message):
        typeset({"main.typ": (PAGE + text).encode()}, "2026-01-01", Origins())


def test_in_these_tests_a_warning_of_typst_is_an_error():
    main = f'{PAGE}#set text(font: "No Such")\nwords'
    with pytest.raises(AssertionError, match=r"Typst warns: .*unknown font family"):
        typeset({"main.typ": main.encode()}, "2026-01-01", Origins())


def test_what_typst_refuses_names_the_cell(sample):
    """A damaged picture is found by the typesetter; the message still names the cell."""
    broken = sample.code({"image/png": "aGVsbG8="}, perfkit={"alt": "x", "caption": "y"})
    with pytest.raises(ReportError, match="cell 2"):
        export_pdf(sample.notebook("# A", broken))

"""What is set otherwise than it is given: long tables, wide ones, lists, titles, colours."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from positions import faults, read_layout
from pypdf import PdfReader

from perfkit.core.evidence import Evidence, Lineage, Origin
from perfkit.core.plain_text import as_csv_cell
from perfkit.reporting.document import attachments, captions, front_matter
from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.document.blocks import Placed, TableBlock, VerdictBlock, plain_text
from perfkit.reporting.document.records import ColumnRecord, TableRecord, VerdictRecord, read_record
from perfkit.reporting.write.charts import Chart
from perfkit.reporting.write.exporters import export_html, export_pdf
from perfkit.reporting.write.floats import Drawings, _Pages, _Thing, _Way, _ways


def pdf_of(sample, printer, *cells):
    """The reader of a report with these cells, its words, and its faults."""
    pdf = export_pdf(sample.notebook(*cells), charts=printer)
    reader = PdfReader(io.BytesIO(pdf))
    words = " ".join(" ".join(page.extract_text() for page in reader.pages).split())
    return reader, words, faults(pdf)


def plain_front(sample, **changes):
    """Front matter that names no value."""
    return sample.front(abstract=None, sections={}, **changes)


@pytest.mark.slow
class TestTables:
    def test_of_5000_rows_the_first_are_printed_and_all_attached(self, sample, printer):
        reader, words, found = pdf_of(sample, printer, "# A", sample.long_table("points", 5000))
        assert (
            "Only the first 25 of 5,000 rows are printed. The whole table is attached as" in words
        )
        assert "table-1.csv: Every measured point. The whole table." in words
        lines = reader.attachments["table-1.csv"][0].decode().splitlines()
        assert len(lines) == 5001
        assert lines[-1] == 'iodepth-4999-r1,"4,999,000.0","4,999,001.0","4,999,002.0",' + (
            '"4,999,003.0","4,999,004.0"'
        )
        assert "iodepth-24-r1" in words
        assert "iodepth-25-r1" not in words
        assert found == []

    def test_the_page_has_every_row(self, sample):
        text = export_html(sample.notebook("# A", sample.long_table("points", 500)))
        assert "iodepth-499-r1" in text

    def test_40_columns_are_printed_in_parts(self, sample, printer):
        """No column is left out, whatever the number of parts."""
        table = sample.long_table("wide", 4, columns=40)
        _, words, found = pdf_of(sample, printer, "# A", table)
        assert all(f"Column {number} (1/s)" in words for number in range(40))
        assert found == []

    @pytest.mark.parametrize("rows", [0, 1])
    def test_a_table_of_one_row_or_none_is_a_table(self, sample, printer, rows):
        reader, words, found = pdf_of(sample, printer, "# A", sample.long_table("few", rows))
        assert "Every measured point." in words
        assert ("iodepth-0-r1" in words) == bool(rows)
        assert found == []
        assert set(reader.attachments) == {"evidence.csv", "values.csv"}

    def test_a_row_taller_than_a_page_goes_on_on_the_next(self, sample, printer):
        """Nothing of it is cut off at the foot of the page."""
        long = "\n".join(["| a | b |", "|---|---|", f"| x | {'word ' * 1500}end |"])
        _, words, _ = pdf_of(sample, printer, "# A", long)
        assert words.count("word") == 1500
        assert "end" in words


@pytest.mark.slow
class TestCover:
    def test_a_title_of_three_lines_and_an_abstract_of_a_page(self, sample, printer):
        front = sample.front(
            sections={},
            title="A title that is so long that it takes three lines of the cover, because its "
            "author wanted to say everything at once and then some more of it",
            abstract="\n\n".join(["One sentence of the abstract. " * 12] * 12),
        )
        reader, words, found = pdf_of(sample, printer, sample.code(front), "# A", "words")
        assert words.count("One sentence of the abstract.") == 144
        assert "some more of it" in reader.pages[0].extract_text().replace("\n", " ")
        assert found == []

    def test_the_copyright_is_the_authors_where_no_other_is_named(self, sample, printer):
        front = plain_front(sample, copyright=None)
        reader, _, _ = pdf_of(sample, printer, sample.code(front), "# A", "words")
        assert "© 2026 A. Author, B. Writer" in reader.pages[-1].extract_text()

    def test_subject_and_keywords_are_data_of_both_files(self, sample, printer):
        front = plain_front(sample, subject="What NVMe/FC gives", keywords=["NVMe", "FC"])
        reader, _, _ = pdf_of(sample, printer, sample.code(front), "# A", "words")
        assert reader.metadata.subject == "TR-0007: What NVMe/FC gives"
        assert reader.metadata.keywords == "TR-0007, NVMe, FC"
        page = export_html(sample.notebook(sample.code(front), "# A", "words"))
        assert '<meta name="description" content="TR-0007: What NVMe/FC gives">' in page
        assert '<meta name="keywords" content="TR-0007, NVMe, FC">' in page
        assert '<meta name="author" content="A. Author, B. Writer, Example Lab">' in page


class TestAccent:
    def test_a_colour_that_can_be_read_stays(self):
        assert front_matter.readable("#0b5cad") == ("#0b5cad", None)

    def test_one_too_light_is_darkened_and_the_remark_says_so(self):
        """Contrasts by WCAG's own examples: white on white 1, black 21, #767676 the least grey."""
        assert front_matter.contrast_with_white("#ffffff") == pytest.approx(1)
        assert front_matter.contrast_with_white("#000000") == pytest.approx(21)
        assert front_matter.readable("#767676") == ("#767676", None)
        shown, remark = front_matter.readable("#ffcc00")
        assert front_matter.contrast_with_white(shown) >= 4.5
        assert remark == (
            "accent #ffcc00: white on it has a contrast of 1.5 to 1, where 4.5 is the minimum; "
            f"darkened to {shown}"
        )

    def test_white_becomes_a_grey(self):
        shown, _ = front_matter.readable("#ffffff")
        assert shown == "#757575"

    def test_the_document_has_the_darkened_one(self, sample):
        front = sample.code(plain_front(sample, accent="#ffff00"))
        document = read_document(sample.notebook(front, "# A", "x"))
        assert document.front.accent != "#ffff00"
        assert any(remark.startswith("accent #ffff00") for remark in document.remarks)


def placed(name: str, caption: str, kind: str | None = None) -> Placed:
    origin = () if kind is None else (Evidence("x", "f", "00", origin=Origin(kind, "TR-1")),)
    lineage = Lineage(origin, traceable=True)
    record = TableRecord(id=name, caption=caption, columns=[], rows=[], lineage=lineage)
    return Placed(TableBlock(record), "cell 1")


def set_contents(headings, listed, lists, width_pt, height_pt):
    """How contents are set on pages of their own."""
    settings = captions.contents_settings(headings, listed, lists, width_pt)
    return captions.of_pages(settings, height_pt)


class TestLists:
    def test_a_caption_is_its_first_sentence(self):
        lists = captions.read_lists([placed("a", "Peak of Fig. 4. Bars are intervals."),
                                     placed("b", "Load points.")])  # fmt: skip
        assert lists.captions == {"a": "Peak of Fig. 4", "b": "Load points"}

    def test_captions_that_begin_alike_end_on_what_tells_them_apart(self):
        """The whole caption where even that does not."""
        lists = captions.read_lists(
            [
                placed("a", "Latency against load. Bands are intervals: all reads."),
                placed("b", "Latency against load. Bands are intervals: all writes."),
                placed("c", "Load. One."),
                placed("d", "Load. Two."),
            ]
        )
        assert list(lists.captions.values()) == [
            "Latency against load: all reads", "Latency against load: all writes",
            "Load. One.", "Load. Two.",
        ]  # fmt: skip

    def test_one_origin_is_said_once(self):
        """A line of another origin says its own; a table without evidence has none."""
        lists = captions.read_lists(
            [
                placed("a", "A.", "generated"),
                placed("b", "B.", "asserted"),
                placed("c", "C."),
            ]
        )
        assert lists.captions == {"a": "A", "b": "B (as stated by the authors)", "c": "C"}
        assert lists.mark.startswith("Tables and figures show generated data")

    def test_beside_measured_values_each_line_has_its_mark(self):
        lists = captions.read_lists([placed("a", "A.", "generated"), placed("b", "B.", "measured")])
        assert lists.captions == {"a": "A (generated data)", "b": "B"}
        assert lists.mark is None

    def test_a_verdict_is_listed_with_its_mark_once(self, sample):
        """And without it where all values have it."""
        origin = Evidence("x", "f", "00", origin=Origin("generated", "TR-1"))
        lineage = Lineage((origin,), traceable=True)
        record = read_record(VerdictRecord, sample.verdict().record(), lineage)
        verdict = Placed(VerdictBlock(record), "cell 1")
        said = "Acceptance: criteria met 4 of 4"
        lists = captions.read_lists([verdict, placed("b", "B.", "measured")])
        assert lists.captions == {"acceptance": f"{said} (generated data)", "b": "B"}
        assert captions.read_lists([verdict]).captions == {"acceptance": said}

    def test_the_contents_are_set_smaller_where_they_then_fit_a_page(self):
        """A page of 667 pt; a line is 1.21 times as high as its size, the title takes 20 pt."""
        for lines, size in ((53, 10.0), (54, 9.5), (62, 8.5)):
            found = set_contents(["word"] * lines, [], 0, 487, 667)
            assert (found.size_pt, found.columns) == (size, 1)

    def test_headings_that_leave_no_room_for_the_lists_stand_in_two_columns(self):
        """26 headings, 31 captions and two lists: 818 pt in one column, 661 pt in two."""
        found = set_contents(["word"] * 26, ["word"] * 31, 2, 487, 667)
        assert (found.size_pt, found.columns) == (10.0, 2)
        assert found.height_pt == pytest.approx((13 + 31) * 12.1 + 20 + 2 * 40 + 28)

    def test_a_heading_that_a_column_breaks_takes_two_lines(self):
        words = "word " * 20
        flat, broken = (
            set_contents([text] + ["word"] * 63, [], 0, 487, 667) for text in ("word", words)
        )
        assert (flat.columns, broken.columns) == (2, 2)
        assert broken.height_pt > flat.height_pt

    @pytest.mark.parametrize("lines", [63, 64, 75])
    def test_contents_of_two_pages_do_not_leave_few_lines_on_the_second(self, lines):
        found = set_contents([], ["word"] * lines, 0, 487, 667)
        assert found.height_pt == pytest.approx(20 + lines * 1.21 * found.size_pt)
        assert found.height_pt % 667 > 667 / 4 or found.size_pt == 10.0


@pytest.mark.slow
def test_a_report_of_few_pages_has_no_contents_on_paper(sample, printer):
    """Its bookmarks are there."""
    reader, words, _ = pdf_of(sample, printer, "# A", "words", "# B", "words")
    assert "TABLE OF CONTENTS" not in words
    assert len(reader.outline) >= 2


@pytest.mark.parametrize("value", ["curve", "peak_table", "verdict"])
def test_a_line_between_a_heading_and_what_it_introduces_leads_to_it(sample, value):
    """It moves on with both; a line that other words follow does not, nor one without a heading."""
    cells = ("# A", "Leads.", getattr(sample, value)(), "# B", "One.", "Two.", sample.bars())
    blocks = read_document(sample.notebook(*cells)).blocks
    leading = [plain_text(p.block.children) for p in blocks if getattr(p.block, "leads", False)]
    assert leading[0] == "Leads."
    assert not {"One.", "Two."} & set(leading)


@pytest.mark.slow
def test_a_heading_and_its_line_move_on_with_a_short_table(sample, printer):
    """On no page does the line stand last, wherever the table begins."""
    for before in (33, 35, 37):
        cells = ("\n\n".join(["A line."] * before), "## Below\n\nLeads.", sample.peak_table())
        pdf = export_pdf(sample.notebook("# Title", "# A", *cells), charts=printer)
        (line,) = [p for p in PdfReader(io.BytesIO(pdf)).pages if "Leads." in p.extract_text()]
        assert "Peak and equal-latency throughput" in line.extract_text()


PARAGRAPH = "words of a paragraph that takes three lines of its page " * 5
"""Twelve of them fill so much of a page that no chart has room below."""


def figure_places(pdf: bytes) -> tuple[int, float, int]:
    """The page of the only figure, where its top is, and the page of the third heading."""
    layout = read_layout(pdf)
    (figure,) = [thing for thing in layout.things if thing.tag == "Figure"]
    heading = [thing for thing in layout.things if thing.tag in {"H1", "H2"}][2]
    top = max(y for _, y in figure.spots) / layout.heights[0]
    return figure.pages()[0], top, heading.pages()[0]


def ways(things, failed=frozenset(), hero=None, kept=()):
    """What is done about the charts b and c of 80 mm on pages whose text ends at 255 mm."""
    own = Chart({"data": [], "layout": {}}, 172, 80)
    charts = {"charts/b.svg": own, "charts/c.svg": own}
    return _ways(things, Drawings(charts, lambda _: b"", 255), failed, hero, kept)


@pytest.mark.slow
class TestCharts:
    def test_one_without_room_moves_on_and_the_text_behind_it_does_not(self, sample, printer):
        text = "\n\n".join([PARAGRAPH] * 11)
        cells = (
            "# A\n\nwords", f"# B\n\n{text}", sample.curve(),
            f"{PARAGRAPH}\n\n## Heading\n\n{text}",
        )  # fmt: skip
        pdf = export_pdf(sample.notebook(*cells), charts=printer)
        page, top, heading = figure_places(pdf)
        assert page == heading + 1
        assert top > 0.85
        assert faults(pdf) == []

    def test_one_with_room_stands_where_the_text_names_it(self, sample, printer):
        text = "\n\n".join([PARAGRAPH] * 5)
        cells = (
            "# A\n\nwords", f"# B\n\n{text}", sample.curve(), f"{PARAGRAPH}\n\n## Heading\n\nwords",
        )  # fmt: skip
        page, top, heading = figure_places(export_pdf(sample.notebook(*cells), charts=printer))
        assert page == heading
        assert top < 0.75

    def test_a_heading_that_moved_on_with_its_chart_is_moved_back(self):
        heading = _Thing(None, before=4, ends_mm=178.5, page=5)
        chart = _Thing("c", before=5, ends_mm=28, page=5, top_mm=28, takes_mm=92)
        assert ways([heading, chart]) == {"c": _Way(floats=True)}
        assert ways([replace(heading, ends_mm=242), chart]) == {}
        assert ways([heading, replace(chart, page=6, ends_mm=242)]) == {}
        assert ways([replace(heading, page=4), chart]) == {}

    def test_one_that_its_page_has_nearly_room_for_is_drawn_lower(self):
        """Of 80 mm, with 17 mm above and 12 mm below, where 100 mm are left; else it floats."""
        heading = _Thing(None, before=4, ends_mm=155, page=5, top_mm=20)
        chart = _Thing("c", before=5, ends_mm=28, page=5, top_mm=28, takes_mm=92)
        assert ways([heading, chart]) == {"c": _Way(70.5)}
        assert ways([heading, chart], hero="c") == {"c": _Way(floats=True)}
        assert ways([heading, chart], {("c", False)}) == {"c": _Way(floats=True)}
        lower = replace(heading, ends_mm=164)
        assert ways([lower, chart]) == {"c": _Way(floats=True)}
        assert ways([lower, chart], {("c", True)}) == {"c": _Way(61.5)}

    def test_one_that_floated_above_its_heading_is_measured_from_that(self):
        """Its heading is at 118 mm; 17 mm of words and 12 mm go with it, and 103 mm are left."""
        heading = _Thing(None, before=4, ends_mm=152, page=5, top_mm=118)
        chart = _Thing("c", before=5, ends_mm=135, page=5, top_mm=20, takes_mm=92)
        assert ways([heading, chart], {("c", True)}) == {"c": _Way(64.5)}

    def test_the_chart_above_it_is_lower_too_where_neither_will_do(self):
        """29 mm are missing: too much for one of 80 mm, and 14.5 mm for each of two."""
        above = _Thing("b", before=4, ends_mm=40, page=4, takes_mm=92)
        heading = _Thing(None, before=4, ends_mm=175, page=5, top_mm=20)
        chart = _Thing("c", before=5, ends_mm=28, page=5, top_mm=28, takes_mm=92)
        both = {"b": _Way(65.0, beside="c"), "c": _Way(65.0)}
        assert ways([above, heading, chart], {("c", True)}) == both
        assert ways([above, heading, chart]) == {"c": _Way(floats=True)}
        assert ways([above, heading, chart], {("c", True)}, hero="b") == {"c": _Way(floats=True)}
        assert ways([above, heading, chart], {("c", True)}, kept=["b"]) == {"c": _Way(floats=True)}
        more = replace(heading, ends_mm=190)
        assert ways([above, more, chart], {("c", True)}) == {"c": _Way(floats=True)}

    def test_the_chart_above_it_keeps_its_height_where_that_does_not_help(self):
        pages = _Pages(lambda: None, None, "", failed={("c", False)})
        assert pages.open({"b": _Way(65.0, beside="c"), "a": _Way(70.0)}) == {"a": _Way(70.0)}


@pytest.mark.slow
def test_eighty_headings_stand_on_one_page_in_two_columns(sample, printer):
    """In one column, in the smallest text, they are 843 pt high, and the page has 667 pt."""
    names = [f"Heading {number:02}" for number in range(1, 81)]
    cells = [cell for name in names for cell in (f"# {name}", "words " * 90)]
    reader, _, found = pdf_of(sample, printer, *cells)
    pages = [page.extract_text() for page in reader.pages]
    (contents,) = [page for page in pages if "TABLE OF CONTENTS" in page]
    assert [contents.count(f"{name} .") for name in names] == [1] * 80
    assert found == []


def test_rows_that_are_not_printed_say_their_outcomes():
    outcome = ColumnRecord(key="outcome", label="Outcome")
    rows = [["pass"]] * 150 + [["fail"]] * 2
    record = TableRecord(id="x", caption="X.", columns=[outcome], rows=rows, footer_rows=1)
    shown, told = attachments.printed_part(record, "x.csv")
    assert len(shown.rows) == attachments.PRINTED_ROWS + 1
    assert (
        "the first 25 of 152 rows are printed; the outcomes of the others: 125 pass, 1 fail."
        in told
    )


def test_a_cell_of_a_file_is_no_formula():
    for text, cell in (("=A1", "'=A1"), ("-1.5", "-1.5"), ("@x", "'@x"), ("a=b", "a=b"),
                       ("−38%", "−38%"), ("+58%", "+58%")):  # fmt: skip
        assert as_csv_cell(text) == cell
    record = TableRecord(id="x", columns=[ColumnRecord(label="=L")], rows=[["a,b"], ["+x"]])
    assert attachments.as_csv(record) == b"'=L\n\"a,b\"\n'+x\n"

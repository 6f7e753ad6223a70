"""A notebook that its author wrote for himself: what prints, how it is marked, what is refused."""

from __future__ import annotations

import io
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from pypdf import PdfReader

from perfkit.core.errors import ReportError
from perfkit.core.values import PLOTLY_MIME
from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.document.blocks import (
    ChartBlock,
    CodeBlock,
    NotShown,
    Paragraph,
    Picture,
    PlainTable,
    TableBlock,
    plain_text,
)
from perfkit.reporting.write import fonts
from perfkit.reporting.write.exporters import export_html, export_pdf

FRAME = {
    "text/html": "<table><thead><tr><th></th><th>iops</th></tr></thead>"
    "<tbody><tr><th>A</th><td>1200</td></tr></tbody></table>",
    "text/plain": "   iops\nA  1200",
}
CHART = {
    PLOTLY_MIME: {
        "data": [{"type": "bar", "x": [1], "y": [2], "name": "A"}],
        "layout": {"title": {"text": "Mean <b>latency</b>"}, "xaxis": {"title": {"text": "Load"}}},
    }
}


def printed(text: str, name: str = "stdout"):
    return new_code_cell("run()", outputs=[new_output("stream", name=name, text=text)])


def failing(*tags: str):
    error = new_output("error", ename="E", evalue="v", traceback=["\x1b[31mE\x1b[0m: v", "line 2"])
    return new_code_cell("x", outputs=[error], metadata={"tags": list(tags)})


def blocks(notebook, kind):
    return [p.block for p in read_document(notebook).blocks if isinstance(p.block, kind)]


def pages(notebook) -> str:
    found = PdfReader(io.BytesIO(export_pdf(notebook))).pages
    return " ".join(" ".join(page.extract_text() for page in found).replace("\xa0", " ").split())


# what is printed, and its mark


def test_a_frame_is_a_table_and_listed_as_not_made_by_perfkit(sample):
    made = sample.notebook("# A", sample.code(FRAME))
    table = blocks(made, PlainTable)[0]
    assert [plain_text(cell) for row in table.rows for cell in row] == ["A", "1200"]
    page = export_html(made)
    assert "Not made by perfkit; no number in them was checked: a table (cell 2)." in page
    assert "Table not made by perfkit, not traceable." in page


def test_a_frame_with_a_caption_is_numbered_and_not_traceable(sample):
    made = sample.notebook("# A", sample.code(FRAME, perfkit={"caption": "Peak.", "id": "peak"}))
    (record, *_) = [block.record for block in blocks(made, TableBlock)]
    assert (record.id, record.rows) == ("peak", [["A", "1200"]])
    assert "Table 1) Peak (not traceable)." in export_html(made)


def test_a_bare_chart_is_called_as_its_title_and_described_by_its_axes(sample):
    record = blocks(sample.notebook("# A", sample.code(CHART)), ChartBlock)[0].record
    assert (record.id, record.caption) == ("cell-2", "Mean latency")
    assert record.alt == "Chart (bar) of cell 2. Mean latency; x axis: Load; series: A."
    assert record.lineage.traceable is False


@pytest.mark.parametrize(
    ("chart", "what"),
    [
        ({"data": [{"type": "heatmapgl"}]},
         "a plotly chart of a kind that is unknown here (heatmapgl)"),
        ({"data": [{"type": "scattergeo"}]},
         "a plotly map (scattergeo)"),
        ({"data": [{"type": "choroplethmapbox"}]},
         "a plotly map (choroplethmapbox)"),
        ({"data": "x", "layout": 5}, "a plotly chart of another form"),
    ],
)  # fmt: skip
def test_a_chart_that_would_be_drawn_empty_is_named(sample, chart, what):
    """plotly.js draws a blank chart for a kind that it dropped, and maps without their map."""
    cell = sample.code({PLOTLY_MIME: chart})
    assert NotShown(what) in [p.block for p in read_document(sample.notebook("# A", cell)).blocks]
    told = sample.code({PLOTLY_MIME: chart}, perfkit={"caption": "Mine.", "alt": "A line."})
    with pytest.raises(ReportError, match=r"cell 2: a plotly .*cannot be printed"):
        read_document(sample.on_study(told))


@pytest.mark.parametrize("kind", ["heatmap", "bar", "scattergl", None])
def test_charts_of_known_kinds_are_drawn(sample, kind):
    cell = sample.code({PLOTLY_MIME: {"data": [{"type": kind, "z": [[1]]}]}})
    assert blocks(sample.notebook("# A", cell), ChartBlock)


def test_several_outputs_of_a_cell_have_ids_of_their_own(sample):
    """The caption is of the first; one caption below two charts would be wrong below one."""
    made = sample.notebook("# A", sample.code(CHART, CHART, perfkit={"caption": "First."}))
    found = [(block.record.id, block.record.caption) for block in blocks(made, ChartBlock)]
    assert found == [("cell-2", "First."), ("cell-2-2", "Mean latency")]


def test_of_a_figure_the_drawing_is_taken_and_its_missing_words_are_told(sample):
    made = sample.notebook("# A", sample.code({"image/png": sample.png(),
                                               "image/svg+xml": sample.LOGO}))  # fmt: skip
    (picture,) = blocks(made, Picture)
    assert picture.mime == "image/svg+xml"
    assert picture.alt == "Picture of cell 2; its author gave no description."


def test_a_drawing_of_a_million_points_is_taken_from_the_png(sample):
    large = sample.LOGO.replace("</svg>", f"<!--{'x' * 2_000_000}--></svg>")
    cell = sample.code({"image/svg+xml": large, "image/png": sample.png()})
    assert blocks(sample.notebook("# A", cell), Picture)[0].mime == "image/png"


@pytest.mark.parametrize("line", ["Figure: Mine.", "*Figure: Mine.*", "**Caption:** Mine."])
def test_the_next_markdown_line_is_the_caption(sample, line):
    cell = sample.code({"image/png": sample.png()})
    made = sample.notebook("# A", cell, f"{line}\n\nThe text goes on.")
    assert blocks(made, Picture)[0].caption == "Mine."
    assert read_document(made).labels["cell-2"].text == "Figure 1"
    text = [plain_text(block.children) for block in blocks(made, Paragraph)]
    assert text[0] == "The text goes on."


@pytest.mark.parametrize("line", ["Figure 3: Mine.", "The figure: mine."])
def test_other_lines_stay_text(sample, line):
    """A number of the author's own could be another one in print."""
    made = sample.notebook("# A", sample.code({"image/png": sample.png()}), line)
    assert blocks(made, Picture)[0].caption is None
    assert plain_text(blocks(made, Paragraph)[0].children) == line


def test_what_a_cell_prints_is_code_without_colours_and_progress(sample):
    made = sample.notebook("# A", printed("10%\r50%\r\x1b[1mdone\x1b[0m\nIOPS 1200\n"))
    (code,) = blocks(made, CodeBlock)
    assert code == CodeBlock("done\nIOPS 1200", printed=True)
    assert "no number in them was checked: printed text (cell 2)." in export_html(made)


def test_pieces_of_what_a_cell_prints_are_one(sample):
    outputs = [new_output("stream", name="stdout", text=text) for text in ("a", "b\n", "c")]
    (code,) = blocks(sample.notebook("# A", new_code_cell("x", outputs=outputs)), CodeBlock)
    assert code.text == "ab\nc"


def test_of_a_long_text_the_middle_is_left_out_and_told(sample):
    text = "\n".join(str(number) for number in range(1, 5001))
    lines = blocks(sample.notebook("# A", printed(text)), CodeBlock)[0].text.split("\n")
    assert lines[59:62] == ["60", "[... 4,920 of 5,000 lines are not printed ...]", "4981"]


def test_warnings_go_to_the_log(sample):
    document = read_document(sample.notebook("# A", printed("FutureWarning: x", "stderr")))
    assert document.remarks == ("cell 2: warnings are left out of the report: FutureWarning: x",)


def test_a_result_is_code_and_an_address_in_memory_is_none(sample):
    made = sample.notebook(
        "# A", sample.code({"text/plain": "0.25"}), sample.code({"text/plain": "<Axes: >"})
    )
    assert [block.text for block in blocks(made, CodeBlock)] == ["0.25"]
    assert read_document(made).remarks == (
        "cell 3: plain output is left out of the report: <Axes: >",
    )


def test_a_formula_of_sympy_is_one(sample):
    data = {"text/latex": r"$\displaystyle \frac{x}{2}$", "text/plain": "x/2"}
    (block, *_) = blocks(sample.notebook("# A", sample.code(data)), Paragraph)
    assert block.children[0].latex == r"\frac{x}{2}"


def test_a_cell_that_may_fail_shows_its_traceback(sample):
    (code,) = blocks(sample.notebook("# A", failing("raises-exception")), CodeBlock)
    assert code.text == "E: v\nline 2"


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ({"application/vnd.jupyter.widget-view+json": {}, "text/plain": "IntSlider(value=0)"},
         "a widget (IntSlider)"),
        ({"application/vnd.vegalite.v5+json": {}, "text/plain": "alt.Chart(...)"},
         "an Altair chart (alt)"),
        ({"text/html": "<iframe src='x'></iframe>", "text/plain": "<IFrame>"},
         "a page within the page"),
        ({"text/html": "<div></div><script>draw()</script>"}, "what a script draws"),
    ],
)  # fmt: skip
def test_what_paper_cannot_show_is_named_in_its_place_and_in_the_log(sample, data, what):
    document = read_document(sample.notebook("# A", sample.code(data)))
    assert NotShown(what) in [placed.block for placed in document.blocks]
    assert document.remarks == (f"cell 2: not shown: {what}",)
    assert f"</strong> {what}." in export_html(sample.notebook("# A", sample.code(data)))


def test_html_that_only_repeats_a_text_is_printed_as_the_text(sample):
    """xarray, scikit-learn: pages of buttons around what the text says."""
    data = {"text/html": "<div><svg></svg>Dims</div>", "text/plain": "Dims: 3\nx 1"}
    assert blocks(sample.notebook("# A", sample.code(data)), CodeBlock)[0].text == "Dims: 3\nx 1"


def test_title_and_authors_come_from_the_notebook(sample):
    made = sample.notebook("text")
    made.metadata.update(title="Mine", authors=[{"name": "A. Tester"}])
    front = read_document(made, name="file").front
    assert (front.title, front.authors) == ("Mine", ["A. Tester"])
    assert read_document(sample.notebook("text"), name="file").front.title == "file"
    assert read_document(sample.notebook("# Head"), name="file").front.title == "Head"


# what is refused


def test_all_that_cannot_be_printed_is_told_at_once_by_cell(sample):
    made = sample.notebook(
        "# A", failing(), "![a](nowhere.png)", sample.code({"image/png": "aGVsbG8="}), "{{what}}"
    )
    with pytest.raises(ReportError) as told:
        read_document(made)
    assert [line.strip() for line in str(told.value).splitlines()] == [
        "cell 2 failed: E: v (tag the cell 'raises-exception' to print its traceback)",
        "cell 3: there is no picture nowhere.png beside the study",
        "cell 4: this is not a picture of the type image/png",
        "cell 5: {{what}} is neither {{say ID}} nor {{see ID}}",
    ]


@pytest.mark.parametrize(
    "shown",
    [FRAME, CHART, {"image/png": "x"}, {"text/html": "<iframe></iframe>"}],
    ids=["frame", "chart", "picture", "page"],
)
def test_in_a_report_on_a_study_each_of_them_is_refused(sample, shown):
    """Between values that rest on evidence a reader takes them for such."""
    with pytest.raises(ReportError, match=r"^cell 2: .* or tag the cell 'remove-output'$"):
        read_document(sample.on_study(sample.code(shown)))


def test_a_picture_of_another_machine_is_named_and_never_fetched(sample):
    document = read_document(sample.notebook("# A\n\n![Logo](https://example.org/x.png)"))
    assert document.remarks == (
        "cell 1: not shown: the picture https://example.org/x.png (on another machine)",
    )


# on paper


def wide(columns: int, rows: int = 3) -> dict[str, str]:
    head = "".join(f"<th>column_{number}</th>" for number in range(columns))
    line = "".join(f"<td>{number}.25</td>" for number in range(columns))
    return {
        "text/html": f"<table><thead><tr><th></th>{head}</tr></thead><tbody>"
        + "".join(f"<tr><th>r{number}</th>{line}</tr>" for number in range(rows))
        + "</tbody></table>"
    }


@pytest.mark.slow
def test_forty_columns_go_below_each_other_and_none_is_lost(sample):
    text = pages(sample.notebook("# A", sample.code(wide(40))))
    assert all(f"column_ {number}" in text or f"column_{number}" in text for number in range(40))
    assert all(text.count(f" {number}.25") == 3 for number in range(10, 40))
    assert "Part 1 of " in text


@pytest.mark.slow
def test_forty_columns_with_a_caption_are_numbered_once(sample):
    cell = sample.code(wide(40), perfkit={"caption": "All."})
    text = pages(sample.notebook("# A", cell))
    assert text.count("Table 1) All (not traceable), part 1 of ") == 1
    assert all(text.count(f" {number}.25") == 3 for number in range(10, 40))


@pytest.mark.slow
@pytest.mark.parametrize("rows", [0, 1, 5000])
def test_tables_of_any_length_print(sample, rows):
    text = pages(sample.notebook("# A", sample.code(wide(3, rows))))
    told = {0: "The table has no rows.", 5000: "Rows 41 to 4,990 of 5,000 are not printed."}
    assert told.get(rows, "r0 0.25 1.25 2.25") in text
    assert ("r4999 0.25" in text) == (rows == 5000)


@pytest.mark.slow
def test_symbols_that_no_typeface_has_are_printed_by_name(sample):
    """A rocket in a heading is no reason for no report."""
    text = pages(sample.notebook("# A \U0001f680 b", printed("\U0001f4c8\ufe0f ok")))
    assert "A (rocket) b" in text
    assert "(chart with upwards trend) ok" in text


@pytest.mark.slow
def test_letters_that_no_typeface_has_are_told_all_at_once(sample, monkeypatch):
    known = fonts.for_typst
    monkeypatch.setattr(fonts, "for_typst", lambda **_: known())
    with pytest.raises(ReportError) as told:
        export_pdf(sample.notebook("# A", "\u65e5\u672c", "\u6f22"))
    assert [line.strip() for line in str(told.value).splitlines()] == [
        f"{cell}: the report's typeface has no sign {signs}, and no font of this machine has it; "
        "install one that does (for Chinese, Japanese and Korean: the package fonts-noto-cjk), or "
        "write it in other letters"
        for cell, signs in (("cell 2", "'\u65e5', '\u672c'"), ("cell 3", "'\u6f22'"))
    ]


@pytest.mark.slow
def test_long_lines_of_code_get_smaller_then_break(sample):
    text = "".join(f"{number:9d}," for number in range(40))
    found = pages(sample.notebook("# A", printed(text)))
    assert all(f"{number}," in found for number in range(40))


@pytest.fixture
def nbconvert(tmp_path, monkeypatch, caplog):
    """``jupyter nbconvert`` in this process: its exit code, and what it logs."""
    from nbconvert.nbconvertapp import NbConvertApp

    def run(made, *options):
        nbformat.write(made, tmp_path / "mine.ipynb")
        monkeypatch.chdir(tmp_path)
        NbConvertApp.clear_instance()
        app = NbConvertApp.instance()
        app.log.addHandler(caplog.handler)
        try:
            app.initialize([*options, "mine.ipynb"])
            app.start()
        except SystemExit as ended:
            return ended.code, caplog.text
        finally:
            NbConvertApp.clear_instance()
        return 0, caplog.text

    return run


@pytest.mark.slow
@pytest.mark.parametrize("form", ["perfkit-pdf", "perfkit-html"])
def test_nbconvert_tells_a_mistake_without_a_traceback(sample, nbconvert, form):
    code, told = nbconvert(sample.notebook("# A", failing(), "![a](nowhere.png)"), "--to", form)
    assert code == 1
    assert "Traceback" not in told
    assert "cell 2 failed: E: v" in told
    assert "cell 3: there is no picture nowhere.png" in told


@pytest.mark.slow
def test_nbconvert_runs_the_notebook_where_it_is_asked_to(sample, nbconvert, tmp_path):
    """The report would have no outputs, and say nothing of it."""
    made = sample.notebook("# A", new_code_cell("print(6 * 7)"))
    assert nbconvert(made, "--execute", "--to", "perfkit-html")[0] == 0
    assert "<code>42</code>" in (tmp_path / "mine.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_nbconvert_makes_the_pdf_and_says_what_is_not_in_it(sample, tmp_path):
    made = sample.notebook(sample.code(FRAME), sample.code({"text/html": "<video></video>"}))
    made.cells.append(new_markdown_cell("The end: $x$."))
    nbformat.write(made, tmp_path / "mine.ipynb")
    ran = subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "perfkit-pdf", "mine.ipynb"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "cell 2: not shown: a video" in ran.stderr
    assert PdfReader(tmp_path / "mine.pdf").metadata.title == "mine"

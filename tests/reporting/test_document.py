"""From notebook to document: what is taken, what is left out, what is refused, and how."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from nbformat.v4 import new_code_cell, new_output

from perfkit.core.errors import ReportError
from perfkit.core.values import MIME, PLOTLY_MIME
from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.document.blocks import (
    ChartBlock,
    CodeBlock,
    Heading,
    Note,
    Picture,
    StatementBlock,
    TableBlock,
    VerdictBlock,
    plain_text,
)
from perfkit.reporting.document.records import TableRecord, read_record


def kinds(document) -> list[type]:
    return [type(placed.block) for placed in document.blocks]


def headings(document) -> list[tuple[int, str]]:
    return [
        (placed.block.level, plain_text(placed.block.children))
        for placed in document.blocks
        if isinstance(placed.block, Heading) and placed.block.numbered
    ]


def refused(notebook) -> str:
    with pytest.raises(ReportError) as problem:
        read_document(notebook)
    return str(problem.value)


def test_values_of_perfkit_become_blocks_in_order(sample):
    """Figure, table, statement and verdict, each where its cell stands."""
    made = sample.notebook(
        "# A", sample.curve(), sample.peak_table(), sample.sentence(), sample.verdict()
    )
    wanted = {ChartBlock, TableBlock, StatementBlock, VerdictBlock}
    found = [kind for kind in kinds(read_document(made)) if kind in wanted][:4]
    assert found == [ChartBlock, TableBlock, StatementBlock, VerdictBlock]


def test_code_is_shown_only_where_asked(sample):
    """A cell tagged show-code shows its source; no other does."""
    made = sample.notebook(sample.code(source="x = 1"), sample.code(source="y", tags=["show-code"]))
    code = [p.block for p in read_document(made).blocks if isinstance(p.block, CodeBlock)]
    assert [block.text for block in code] == ["y"]


def test_streams_and_progress_are_no_part_of_a_report(sample):
    """Of a report on a study, what a cell printed while it worked is left out."""
    cell = new_code_cell("run()", outputs=[
        new_output("stream", name="stdout", text="50%"),
        new_output("display_data", data={"text/html": "<pre>50%</pre>", "text/plain": ""}),
    ])  # fmt: skip
    document = read_document(sample.on_study("# A", cell))
    assert not document.remarks
    assert "cell 3" not in {placed.origin for placed in document.blocks}


def test_plain_output_is_left_out_with_a_remark(sample):
    """A number that is not a value of perfkit's does not get into a report, and that is said."""
    cell = new_code_cell("42", outputs=[
        new_output("execute_result", data={"text/plain": "42"}, execution_count=1)
    ])  # fmt: skip
    document = read_document(sample.on_study(cell))
    assert document.remarks == ("cell 2: plain output is left out of the report: 42",)


def test_hidden_cells_still_give_statements_front_matter_and_the_verdict(sample):
    """remove-output hides a value; its sentence can be placed and its verdict is on the cover."""
    hidden = sample.code(
        sample.sentence(), sample.verdict(), sample.curve(), tags=["remove-output"]
    )
    document = read_document(sample.notebook("# A", "Here: {{say peak-iops}}", hidden))
    assert not {StatementBlock, VerdictBlock, ChartBlock} & set(kinds(document))
    assert [record.id for record in document.verdicts] == ["acceptance"]
    texts = [p.block for p in document.blocks if p.origin == "cell 2"]
    assert plain_text(texts[0].children) == "Here: The peak was 640,310 IOPS."


def test_a_lone_first_heading_is_the_title(sample):
    """# Title with ## chapters: the title goes to the cover, the chapters move up."""
    document = read_document(sample.notebook("# Title\n\n## One\n\n### Two\n\n## Three"))
    assert document.front.title == "Title"
    assert headings(document) == [(1, "One"), (2, "Two"), (1, "Three")]


def test_no_heading_level_is_skipped(sample):
    """PDF/UA refuses H1 -> H3: levels are closed up, siblings stay siblings."""
    document = read_document(
        sample.notebook("# A\n\n### B\n\n### C\n\n##### D\n\n## E\n\n# F\n\n#### G")
    )
    assert headings(document) == [
        (1, "A"), (2, "B"), (2, "C"), (3, "D"), (2, "E"), (1, "F"), (2, "G"),
    ]  # fmt: skip


def test_a_note_is_told_from_a_quotation(sample):
    """> **Note:** is a note; other quotations stay quotations."""
    blocks = read_document(sample.notebook("> **Note:** x", "> said he")).blocks
    assert isinstance(blocks[0].block, Note)
    assert not isinstance(blocks[1].block, Note)


def test_statements_are_placed_in_prose_abstract_and_sections(sample):
    """{{say}} works wherever Markdown is read."""
    made = sample.notebook(sample.front(), "# Results\n\n# B", sample.curve(), sample.sentence(),
                           sample.verdict(), "X {{say peak-iops}}")  # fmt: skip
    document = read_document(made)
    assert "640,310" in plain_text(document.abstract[0].block.children)


def test_labels_are_numbered_in_reading_order(sample_document):
    """Tables, figures and sections each have their own count; back matter has its title."""
    labels = sample_document.labels
    assert labels["peak"].text == "Table 1"
    assert labels["acceptance"].text == "Table 4"
    assert labels["wiring"].text == "Figure 3"
    assert labels["throughput-and-latency"].text == "Section 2.1"
    assert labels["appendix-evidence"].text == "Appendix A: Evidence"


@pytest.mark.parametrize(
    ("titles", "anchors"),
    [
        (["Results"] * 3, ["results", "results-2", "results-3"]),
        (["Results", "Results", "Results 2"], ["results", "results-3", "results-2"]),
        (["Results 2", "Results", "Results"], ["results-2", "results", "results-3"]),
        (["R", "R", "R 2", "R 2", "R"], ["r", "r-3", "r-2", "r-2-2", "r-4"]),
        (["R", "R 2", "R", "R 3", "R"], ["r", "r-2", "r-4", "r-3", "r-5"]),
        (["Legal notice", "A"], ["legal-notice", "a"]),
    ],
)
def test_no_two_headings_have_one_anchor(sample, titles, anchors):
    """A number that a heading's own words take is left to it, wherever it stands."""
    made = sample.notebook(*(f"## {title}" for title in ("One", *titles)))
    found = [p.block.anchor for p in read_document(made).blocks if isinstance(p.block, Heading)]
    assert found[1 : 1 + len(titles)] == anchors
    assert len(set(found)) == len(found)


def test_an_id_that_is_also_a_heading_means_the_value(sample):
    """{{see host-cpu}} is the figure, though a heading has the same name."""
    document = read_document(sample.notebook("# Host CPU\n\n# B", sample.bars()))
    assert document.labels["host-cpu"].text == "Figure 1"
    assert document.labels["#host-cpu"].text == "Section 1"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{{say peak-iosp}}", "{{say peak-iosp}}: no such statement; did you mean 'peak-iops'?"),
        ("{{see peek}}", "{{see peek}}: no such table, figure or heading; did you mean 'peak'?"),
        ("{{see peak-iops}}", "it is a statement: {{say peak-iops}}"),
        ("{{peak}}", "cell 2, line 1: {{peak}} is neither {{say ID}} nor {{see ID}}"),
        ("<iframe src='x'></iframe>", "cell 2, line 1: a page within the page cannot be printed"),
        ("a <video src='x'> b", "cell 2, line 1: a video cannot be printed"),
        ("![](x.png)", "the picture 'x.png' has no alt text"),
        ("![alt](x.png)", "cell 2: there is no picture x.png beside the study"),
        ("![alt](https://example.org/x.png)", "x.png (on another machine) cannot be printed"),
        ("![alt](attachment:x.png)", "no picture 'x.png' is attached to this cell"),
        ("![alt](x.tiff)", "a picture is one of"),
    ],
)  # fmt: skip
def test_mistakes_in_markdown_name_the_cell_and_the_cure(sample, text, told):
    """One line, with the place and what to do."""
    made = sample.on_study(text, sample.peak_table(), sample.sentence())
    message = refused(made)
    assert told.replace(", line 1", "") in message.replace(", line 1", "")
    assert message.startswith("cell 2")


def test_placeholders_and_dollars_in_code_are_left_alone(sample):
    """Code shows what it shows."""
    document = read_document(sample.notebook("`{{say x}} $$` <!-- a comment -->\n\n    {{see y}}"))
    assert kinds(document)[1] is CodeBlock


def test_a_mistake_in_a_section_names_its_file(sample):
    """sections/*.md are known by their path."""
    front = sample.front(abstract=None)
    front["sections"] = {"before": [{"path": "sections/a.md", "markdown": "{{say nope}}"}]}
    assert refused(sample.notebook(front)).startswith("sections/a.md: {{say nope}}")


def test_ids_are_unique(sample):
    """Two values with one id: which one would {{see}} mean?"""
    told = refused(sample.notebook(sample.peak_table(), "x", sample.bars("peak")))
    assert told.startswith("cell 3: the id 'peak' is already used by cell 1")


def test_a_failed_cell_makes_no_report(sample):
    """An error output names the cell and the error."""
    cell = new_code_cell("1/0", outputs=[
        new_output("error", ename="ZeroDivisionError", evalue="division by zero", traceback=[])
    ])  # fmt: skip
    assert refused(sample.on_study("# A", cell)) == (
        "cell 3 failed: ZeroDivisionError: division by zero"
    )


@pytest.mark.parametrize("tags", [["remove-output"], ["remove-cell"]])
def test_a_failed_cell_counts_where_it_is_hidden(sample, tags):
    """Hiding an error does not make it go away."""
    cell = new_code_cell("x", metadata={"tags": tags}, outputs=[
        new_output("error", ename="E", evalue="v", traceback=[])
    ])  # fmt: skip
    assert "cell 1 failed" in refused(sample.notebook(cell))


def test_front_matter_is_shown_once(sample):
    """Two fronts: which title?"""
    front = sample.front(abstract=None, sections={})
    assert "already shown by cell 1" in refused(sample.notebook(front, front))


@pytest.mark.parametrize("part", ["rows", "caption", "sha256"])
def test_a_value_changed_in_the_notebook_is_found(sample, part):
    """A number edited in the executed notebook no longer has its hash."""
    cell = sample.code(sample.peak_table())
    record = cell.outputs[0].data[MIME["table"]]
    record[part] = {"rows": [["a", "9", "9", "9"]] * 3, "caption": "Other", "sha256": "0"}[part]
    assert "table 'peak' was changed after it was computed" in refused(sample.notebook(cell))


def test_a_chart_changed_in_the_notebook_is_found(sample):
    """The chart is part of the figure's hash."""
    cell = sample.code(sample.curve())
    cell.outputs[0].data[PLOTLY_MIME]["layout"]["xaxis"]["title"]["text"] = "IOPS (millions)"
    assert "figure 'latency-curve' was changed" in refused(sample.notebook(cell))


def test_a_chart_that_lost_its_plotly_part_is_refused(sample):
    """Another renderer in the environment may drop it: not in silence."""
    cell = sample.code(sample.curve())
    del cell.outputs[0].data[PLOTLY_MIME]
    assert "has lost its chart" in refused(sample.notebook(cell))


def test_the_words_below_a_chart_stand_in_a_report_once(sample):
    """They are an output of their own for JupyterLab; a report has them from the figure."""
    figure = sample.curve()
    with_words = read_document(sample.notebook(sample.code(*figure.bundles())))
    alone = read_document(sample.notebook(sample.code(figure)))
    assert kinds(with_words) == kinds(alone)
    assert with_words.remarks == ()


def test_a_bare_chart_is_refused_or_marked(sample):
    """A plotly figure of the author's own: shown only with caption and alt, as not traceable."""
    data = {PLOTLY_MIME: {"data": [], "layout": {}}, "text/html": "<div></div>"}
    assert "a bare plotly chart: use a plot_* function" in refused(
        sample.on_study(sample.code(data))
    )
    about = {"caption": "Mine.", "alt": "A line."}
    document = read_document(sample.on_study(sample.code(data, perfkit=about)))
    record = document.blocks[0].block.record
    assert (record.id, record.lineage.traceable) == ("cell-2", False)


def test_a_value_that_was_changed_in_the_notebook_is_shown_as_not_traceable(sample):
    """Tripled after the last step: it never looks like a measured one."""
    figure, table, said = sample.curve(), sample.peak_table(), sample.sentence()
    figure.plotly.update_traces(y=[9.0] * 12)
    changed = [
        figure,
        replace(table, rows=tuple((name, 3e6, *rest) for name, _, *rest in table.rows)),
        replace(said, text="The peak was 1,920,930 IOPS."),
    ]
    for values, traceable in (([sample.curve(), table, said], True), (changed, False)):
        placed = read_document(sample.notebook("# A", *values)).blocks
        records = [p.block.record for p in placed if hasattr(p.block, "record")]
        own = [item for item in records if item.id in {value.id for value in values}]
        assert [item.lineage.traceable for item in own] == [traceable] * 3


def test_a_bare_table_is_refused(sample):
    """A frame shown as HTML names the cell and the verb; its author may say what it is."""
    data = {"text/html": "<div><table><tr><td>1</td></tr></table></div>", "text/plain": "1"}
    assert refused(sample.on_study("x", sample.code(data))) == (
        "cell 3: a bare table or HTML output: use a table_* function of perfkit, or give a cell "
        "with one table the metadata perfkit: {caption} to show it marked not traceable, "
        "or tag the cell 'remove-output'"
    )
    hidden = sample.code(data, tags=["remove-output"])
    assert read_document(sample.on_study("x", hidden)).remarks == ()
    captioned = sample.code(data, perfkit={"caption": "Mine."})
    (record,) = [p.block.record for p in read_document(sample.on_study(captioned)).blocks
                 if isinstance(p.block, TableBlock) and p.origin == "cell 2"]  # fmt: skip
    assert (record.rows, record.lineage.traceable) == ([["1"]], False)


def test_a_picture_needs_words_for_those_who_cannot_see_it(sample):
    """An image without alt text is refused; with it, it is a picture."""
    assert "a picture without alt text" in refused(
        sample.on_study(sample.code({"image/svg+xml": sample.LOGO}))
    )
    cell = sample.code({"image/svg+xml": sample.LOGO}, alt="A plate")
    (block,) = [p.block for p in read_document(sample.notebook(cell)).blocks
                if isinstance(p.block, Picture)]  # fmt: skip
    assert block.alt == "A plate"


def test_a_figure_without_alt_text_is_refused(sample):
    """Also a figure of perfkit's own."""
    from dataclasses import replace

    told = refused(sample.notebook(replace(sample.bars(), alt=" ")))
    assert told == "cell 1: figure 'host-cpu' has no alt text"


def test_pictures_come_from_beside_the_study_and_from_attachments(sample, tmp_path):
    """By file name, by attachment, by data address."""
    (tmp_path / "wiring.svg").write_text(sample.LOGO)
    made = sample.notebook(
        '![Wires](wiring.svg "How it was wired.")',
        "![Wires](attachment:a.svg)",
        f"![Dot](data:image/png;base64,{sample.png()})",
    )
    made.cells[1].attachments = {"a.svg": {"image/svg+xml": sample.LOGO}}
    document = read_document(made, tmp_path)
    first, second, third = (placed.block for placed in document.blocks[:3])
    assert first.data == sample.LOGO.encode() == second.data
    assert (first.caption, second.caption, third.mime) == (
        "How it was wired.", None, "image/png",
    )  # fmt: skip
    assert document.labels["wiring"].text == "Figure 1"


def test_reading_leaves_the_notebook_as_it_was(sample):
    """An exporter that changes its input would change the next exporter's report."""
    made = sample.sample()
    before = copy.deepcopy(made)
    read_document(made)
    assert made == before


def test_a_record_that_lacks_a_key_is_refused_and_an_unknown_one_is_passed_over():
    known = {"kind": "table", "id": "peak", "columns": [{"label": "A", "of_later": 1}], "later": 2}
    with pytest.raises(ReportError, match=r"table 'peak': .* 'rows'"):
        read_record(TableRecord, known)
    table = read_record(TableRecord, {**known, "rows": [["1"]]})
    assert (table.rows, table.footer_rows, table.columns[0].align) == ([["1"]], 0, "left")

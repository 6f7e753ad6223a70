"""Files printed as they are: whole, named, and marked where a long line goes on."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader

from perfkit.core.errors import StudyError
from perfkit.core.values import Listing
from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.document.blocks import CodeBlock, Heading, Paragraph, plain_text
from perfkit.reporting.document.records import VerbatimText
from perfkit.reporting.document.verbatim import folded, verbatim_blocks
from perfkit.reporting.write.exporters import export_html, export_pdf
from perfkit.study.opening import open_study


def file(text, title="Multipath", place="multipath.conf", note=None):
    return VerbatimText(title=title, place=place, text=text, note=note)


def told(blocks):
    found = []
    for block in blocks:
        match block:
            case Heading(level, children, _, _):
                found.append(f"{'#' * level} {plain_text(children)}")
            case Paragraph(children):
                found.append(plain_text(children))
            case CodeBlock(text):
                found.append(text)
    return found


def test_each_file_has_its_title_name_and_lines():
    one, two = file("a\n\nb\n"), file("x", title="Job", place="jobs/x.fio", note="One of two.")
    assert told(verbatim_blocks([one, two], "B")) == [
        "# Appendix B: Configurations and commands",
        "Each text is complete; ↪ marks where a long line continues.",
        "## Multipath", "multipath.conf, 3 lines.", "a\n\nb",
        "## Job", "jobs/x.fio, 1 line. One of two.", "x",
    ]  # fmt: skip


def test_an_empty_file_is_said_to_be_empty():
    assert told(verbatim_blocks([file("")], "A"))[-1] == "multipath.conf, it is empty."


def test_without_files_there_is_no_appendix():
    assert verbatim_blocks([], "B") == []


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("short", ["short"]),
        ("x" * 20, ["x" * 20]),
        ("x" * 21, ["x" * 20, "↪ x"]),
        ("fio --size=10g --bs=8k --x", ["fio --size=10g ", "↪ --bs=8k --x"]),
        ("主" * 11, ["主" * 10, "↪ 主"]),
        ("    " + "y" * 20, ["    " + "y" * 16, "↪ yyyy"]),
        ("", [""]),
    ],
)
def test_a_long_line_goes_on_behind_a_sign(line, parts):
    assert folded(line, 20).split("\n") == parts


@pytest.mark.parametrize("length", range(1, 200, 7))
def test_no_letter_is_lost_where_lines_go_on(length):
    line = "".join("ab c-d/ef"[n % 9] for n in range(length))
    assert folded(line, 30).replace("\n↪ ", "") == line


def test_a_study_prints_its_files(tmp_path, sample):
    """In the PDF with the signs, on the page whole; what a script could be is text."""
    text = "\n".join(
        ["path <script>alert(1)</script> #set text(1pt)", *(f"line {n}" for n in range(60))]
    )
    (tmp_path / "m.conf").write_text(text, encoding="utf-8")
    (tmp_path / "study.yml").write_text(
        "report: {title: T}\nnotebook: fio_results\nevidence: [{files: '*.json'}]\n"
        "appendix: [{file: m.conf, title: Paths, language: bash}]\n",
        encoding="utf-8",
    )
    made = sample.notebook("# One", sample.peak_table(), sample.code(open_study(tmp_path).front()))
    pages = PdfReader(io.BytesIO(export_pdf(made))).pages
    printed = "\n".join(page.extract_text() for page in pages)
    assert "Appendix B: Configurations and commands" in printed
    assert "path <script>alert(1)</script> #set text(1pt)" in printed
    assert "line 59" in printed
    page = export_html(made)
    assert "<summary>All 61 lines</summary><pre" in page
    assert "path &lt;script&gt;alert(1)&lt;/script&gt;" in page


@pytest.mark.parametrize(
    ("written", "words"),
    [(None, "gone.conf: No such file"), (b"\xff\xfe\x00", "gone.conf: is not UTF-8 text")],
)
def test_a_file_that_cannot_be_printed_is_told(tmp_path, written, words):
    if written is not None:
        (tmp_path / "gone.conf").write_bytes(written)
    (tmp_path / "study.yml").write_text(
        "report: {title: T}\nnotebook: fio_results\nevidence: [{files: '*.json'}]\n"
        "appendix: [{file: gone.conf, title: Paths}]\n",
        encoding="utf-8",
    )
    with pytest.raises(StudyError, match=words):
        open_study(tmp_path).front()


def test_a_text_of_the_evidence_goes_to_the_appendix(sample):
    """Not where it was shown; and the evidence appendix says that it is not traceable."""
    listing = Listing(
        "job", "Job file", "runs/x/job.fio", "[load]\nrw=read\n", "Of the first point."
    )
    document = read_document(sample.notebook("# One", sample.code(listing), sample.peak_table()))
    lines = told(placed.block for placed in document.blocks)
    assert lines[0] == "# Appendix A: Evidence"
    place = lines.index("## Job file")
    assert lines[place + 1 : place + 3] == [
        "runs/x/job.fio, 2 lines. Of the first point.", "[load]\nrw=read",
    ]  # fmt: skip


def test_a_text_shows_itself_in_a_notebook():
    bundle = Listing("job", "Job", "job.fio", "a\n```\nb")._repr_mimebundle_()
    assert bundle["text/markdown"] == "Job: job.fio.\n\n````\na\n```\nb\n````"
    assert bundle["text/plain"] == "Job: job.fio.\na\n```\nb"

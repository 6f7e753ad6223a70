"""Any text survives the way to the page: through Markdown, through Typst, through JSON."""

from __future__ import annotations

import io
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from perfkit.core.values import escape_markdown
from perfkit.reporting.document.blocks import Text, plain_text
from perfkit.reporting.document.markdown import parse
from perfkit.reporting.write.typeset import Origins, typeset
from perfkit.reporting.write.typst_text import escape, quote

SIGNS = string.ascii_letters + string.digits + string.punctuation
WORDS = st.lists(st.text(SIGNS, min_size=1, max_size=12), min_size=1, max_size=6).map(" ".join)


def typst_text(bodies: list[str]) -> list[str]:
    """What one Typst document prints for many pieces of markup, blanks squeezed out."""
    main = '#set document(title: "t", date: datetime(year: 2026, month: 1, day: 1))\n'
    main += '#set text(font: "Source Sans Pro", lang: "en")\n= t\n\n'
    main += "\n\n".join(f"§{n}§ {body} ¶{n}¶" for n, body in enumerate(bodies))
    pdf = PdfReader(io.BytesIO(typeset({"main.typ": main.encode()}, "2026-01-01", Origins())))
    text = "".join("".join(page.extract_text().split()) for page in pdf.pages)
    return [text.split(f"§{n}§")[1].split(f"¶{n}¶")[0] for n in range(len(bodies))]


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.lists(WORDS, min_size=20, max_size=40))
def test_any_printable_text_survives_typst(texts):
    """Escaped text prints as itself, as markup and as a string."""
    bodies = [escape(text) for text in texts] + [f"#{quote(text)};" for text in texts]
    expected = ["".join(text.split()) for text in texts] * 2
    assert typst_text(bodies) == expected


@pytest.mark.slow
def test_what_begins_a_list_heading_or_comment_is_only_text():
    """Signs with a meaning at the start of a line, pairs with a meaning, and links."""
    texts = [
        "1. one", "- minus", "+ plus", "= equals", "/ term: x", "// comment", "/* comment */",
        "...", "--", "---", "-?", "~", "a~b", "https://example.org/a_b?c=d#e", "@label", "<label>",
        "#set text(red)", "$x^2$", "*a* _b_ `c`", "\\ backslash \\", "'single' \"double\"", "[x]",
        "{y}", "#[z]", "100%", "x\\u{41}", ";;", "a;b", "1.5", "12.", "e.g.", "..", "1...2",
    ]  # fmt: skip
    assert typst_text([escape(text) for text in texts]) == ["".join(t.split()) for t in texts]


@given(WORDS)
def test_escaped_markdown_reads_as_the_text_itself(text):
    """What values.escape_markdown writes, the report reads back unchanged."""
    if "$$" in text or "{{" in text:
        return  # formulas and placeholders are refused by design
    assert plain_text(parse("x " + escape_markdown(text), "here")[0].children) == "x " + text


@given(st.text())
def test_control_characters_never_reach_typst(text):
    """Whatever a tool wrote into a name, the main text stays one line of printable markup."""
    assert "\n" not in escape(text)
    assert "\x00" not in escape(text) + quote(text)


def test_parts_of_a_sentence_keep_their_text():
    """Inline text is kept as it is, dollars and hashes included."""
    assert parse("costs $5 and #1", "here")[0].children == (Text("costs $5 and #1"),)


@pytest.mark.slow
def test_units_with_a_slash_stay_on_one_line():
    """However the line falls, "MB/s" and "I/O" are not broken after the slash."""
    from nbformat.v4 import new_markdown_cell, new_notebook

    from perfkit.reporting.write.exporters import export_pdf

    words = [f"{'x' * n} 7 MB/s and I/O" for n in range(1, 60)]
    notebook = new_notebook(cells=[new_markdown_cell("# A"), new_markdown_cell(" ".join(words))])
    text = "".join(
        page.extract_text() for page in PdfReader(io.BytesIO(export_pdf(notebook))).pages
    )
    assert text.count("MB/s") == len(words)
    assert text.count("I/O") == len(words)

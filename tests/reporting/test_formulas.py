"""Formulas: which dollars begin one, what HTML and paper show, and what is not a formula."""

from __future__ import annotations

import pytest

from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.document.blocks import CodeSpan, Marked, Math, Paragraph, Text, plain_text
from perfkit.reporting.document.formulas import ELEMENTS, formula
from perfkit.reporting.document.markdown import parse
from perfkit.reporting.write.exporters import export_html, export_pdf
from perfkit.reporting.write.typst_math import _ELEMENTS, typst_math


def parts(text: str) -> list[object]:
    return [part for block in parse(text, "cell 1") for part in getattr(block, "children", ())]


def maths(text: str) -> list[tuple[str, bool]]:
    return [(part.latex, part.display) for part in parts(text) if isinstance(part, Math)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("so $L = N / X$ holds", [("L = N / X", False)]),
        ("$$x^2$$", [("x^2", True)]),
        ("where $$x$$ stands", [("x", True)]),
        ("$$\na &= b\n$$", []),  # an & outside of a table is not a formula
        ("$$\na\n= b\n$$", [("a\n= b", True)]),
        ("\\begin{align}\na &= b\n\\end{align}", [("\\begin{align}\na &= b\n\\end{align}", True)]),
        ("| a |\n|---|\n| $x$ |", []),  # in a cell, see below
    ],
)
def test_what_stands_between_dollars_is_a_formula(text, found):
    assert maths(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "it costs $5 or $10",
        "from $5 to $10 a GB",
        "US$ 5 and US$ 6",
        "V$SESSION and V$SYSSTAT",
        "a single $ sign",
        r"\$x\$",
        "`$x$`",
        "$5,$6",
    ],
)
def test_other_dollars_stay(text):
    assert maths(text) == []
    shown = plain_text(tuple(parts(text)))
    assert shown == text.replace("\\", "").replace("`", "")


@pytest.mark.parametrize(
    "latex", [r"\frac{", r"\unknown{x}", r"x_{", "a &= b", "{" * 99 + "}" * 99]
)
def test_what_is_not_understood_whole_is_printed_as_written(latex):
    """Half a formula would be a wrong one."""
    assert formula(latex, display=True) == CodeSpan(latex)


def test_a_formula_of_a_stranger_brings_no_link_and_no_control_sign():
    made = formula(r"\href{javascript:alert(1)}{x}", display=False)
    assert isinstance(made, Math)
    assert "href" not in made.mathml.partition("alttext")[0]
    assert isinstance(formula(r"\unicode{x1}", display=False), CodeSpan)


def test_formulas_get_no_numbers_of_their_own():
    """LaTeX numbers an align by itself: each formula of a report would be (1)."""
    made = formula(r"\begin{align} a &= b \label{e} \\ c &= d \end{align}", display=True)
    assert "(1)" not in made.mathml


def test_every_element_can_be_set_on_paper():
    assert set(_ELEMENTS) == ELEMENTS


@pytest.mark.parametrize(
    ("latex", "typst"),
    [
        ("x", '#symbol("x")'),
        (r"\frac{a}{2}", '#math.frac([#symbol("a")], [#"2"])'),
        ("x_i^2", '#math.attach([#symbol("x")], b: [#symbol("i")], t: [#"2"])'),
        (r"\sqrt[3]{x}", '#math.root([#"3"], [#symbol("x")])'),
        (r"\bar{x}", '#math.accent([#symbol("x")], "\u0304")'),
        (r"\text{a\"b}", '#"a\\\\\\"b"'),
        (r"\left(x\right]", '#math.lr([#symbol("(")#symbol("x")#symbol("]")])'),
        (r"\begin{align} a &= b \\ c &= d \end{align}",
         '#symbol("a") & #symbol("=")#symbol("b") \\ #symbol("c") & #symbol("=")#symbol("d")'),
    ],
)  # fmt: skip
def test_paper_sets_what_html_sets(latex, typst):
    made = formula(latex, display=True)
    assert isinstance(made, Math)
    assert typst_math(made.mathml) == typst


def test_a_raised_digit_stays_raised():
    """10 with a raised 6 printed as 106 would be another number."""
    (block,) = parse("10<sup>6</sup> of CO<sub>2</sub>", "cell 1")
    assert block == Paragraph(
        (
            Text("10"), Marked("super", (Text("6"),)), Text(" of CO"),
            Marked("sub", (Text("2"),)),
        )
    )  # fmt: skip
    assert plain_text(block.children) == "10^6 of CO_2"


LATEX = [
    r"\sum_{i=1}^{n} \frac{x_i}{n} \neq \int_0^\infty e^{-x}\,dx",
    r"\begin{pmatrix}1 & 2\\3 & 4\end{pmatrix}",
    r"f(x) = \begin{cases} 1 & x \ge 0 \\ 0 & \text{else} \end{cases}",
    r"\begin{eqnarray} a &=& b \\ c &=& d \end{eqnarray}",
    r"\hat{x}, \vec{v}, \overline{AB}, \underbrace{a+b}_{n}, \binom{n}{k}, \mathbb{R}, \mathbf{x}",
    r"\lim_{n \to \infty} \left.\frac{a}{b}\right|_{x=0} \quad \operatorname{argmax}_x f'(x)",
    r"\cancel{x} \big( \boldsymbol{\beta} \big) \stackrel{a}{=} \% \# \& \$ \_",
]


@pytest.mark.slow
def test_paper_and_page_take_every_formula(sample):
    """PDF/UA asks each formula for words: its LaTeX. Typst's standards refuse one without."""
    made = sample.notebook("# A", *(f"${latex}$ and\n\n$${latex}$$" for latex in LATEX))
    found = [
        part
        for placed in read_document(made).blocks
        for part in getattr(placed.block, "children", ())
        if isinstance(part, Math)
    ]
    assert len(found) == 2 * len(LATEX)
    assert export_pdf(made).startswith(b"%PDF")
    assert export_html(made).count("<math ") == 2 * len(LATEX)

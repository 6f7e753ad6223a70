"""HTML of authors and libraries: text, tables with their spans, and what paper cannot show."""

from __future__ import annotations

import pytest

from perfkit.core.errors import ReportError
from perfkit.reporting.document.blocks import (
    CodeBlock,
    Heading,
    Items,
    LineBreak,
    Link,
    Marked,
    NotShown,
    Paragraph,
    Picture,
    PlainTable,
    Text,
    plain_text,
)
from perfkit.reporting.document.html_reader import Page, read_html
from perfkit.reporting.document.markdown import parse


def picture(address: str, alt: str, title: str | None) -> Picture:
    return Picture(address.encode(), "image/png", alt, title, None)


def read(text: str) -> tuple[object, ...]:
    return read_html(text, Page(picture, lambda problem: NotShown(str(problem))))


def table(text: str) -> PlainTable:
    (found,) = [block for block in read(text) if isinstance(block, PlainTable)]
    return found


def cells(made: PlainTable) -> list[list[str]]:
    return [[plain_text(cell) for cell in row] for row in made.rows]


def header(made: PlainTable) -> list[str]:
    return [plain_text(cell) for cell in made.header]


def test_text_keeps_its_paragraphs_and_marks():
    assert read("<h2>A</h2><div>One <b>two</b><br>three</div><p>four</p><pre>x\n y</pre>") == (
        Heading(2, (Text("A"),), "a"),
        Paragraph((Text("One "), Marked("strong", (Text("two"),)), LineBreak(), Text("three"))),
        Paragraph((Text("four"),)),
        CodeBlock("x\n y"),
    )


def test_lists_and_links():
    (items,) = read('<ul><li>a</li><li><a href="https://example.org">b</a></li></ul>')
    assert isinstance(items, Items)
    assert items.items[1] == (Paragraph((Link("https://example.org", (Text("b"),)),)),)


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x"]
)
def test_a_link_that_runs_something_stays_words(address):
    assert read(f'<p><a href="{address}">x</a></p>') == (Paragraph((Text("x"),)),)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("<video src=x></video>", "a video"),
        ("<iframe src=x></iframe>", "a page within the page"),
        ("<div id=c></div><script>draw()</script>", "what a script draws"),
        ("<p>a <svg><path/></svg></p>", "a drawing in HTML"),
        ("<table><tr><td><table><tr><td>1</td></tr></table></td></tr></table>",
         "a table within a table"),
    ],
)  # fmt: skip
def test_what_paper_cannot_show_is_named(text, what):
    assert NotShown(what) in read(text)


def test_the_text_beside_it_stays():
    assert read("<div>before <iframe></iframe> after</div>") == (
        Paragraph((Text("before"),)), NotShown("a page within the page"),
        Paragraph((Text("after"),)),
    )  # fmt: skip


def test_a_script_beside_a_table_only_serves_the_mouse():
    found = read("<table><tr><td>1</td></tr></table><button>Sort</button><script>x()</script>")
    assert [type(block) for block in found] == [PlainTable]


def test_a_frame_of_pandas():
    """Index to the left, numbers to the right, what pandas says of the size below."""
    made = table(
        '<div><style scoped>.dataframe {}</style><table class="dataframe"><thead><tr>'
        "<th></th><th>system</th><th>iops</th></tr></thead><tbody>"
        "<tr><th>0</th><td>A &lt;1&gt;</td><td>1,200.5</td></tr>"
        "<tr><th>1</th><td>B</td><td>NaN</td></tr></tbody></table></div>"
    )
    assert header(made) == ["", "system", "iops"]
    assert cells(made) == [["0", "A <1>", "1,200.5"], ["1", "B", "NaN"]]
    assert made.aligns == ("right", "left", "right")
    assert (made.own, made.note) == (False, None)


def test_levels_of_a_header_are_joined_and_spanning_cells_repeated():
    made = table(
        "<table><thead><tr><th></th><th></th><th colspan='2'>latency</th></tr>"
        "<tr><th></th><th></th><th>mean</th><th>max</th></tr>"
        "<tr><th>system</th><th>run</th><th></th><th></th></tr></thead><tbody>"
        "<tr><th rowspan='2'>A</th><th>1</th><td>1.5</td><td>3</td></tr>"
        "<tr><th>2</th><td>2.0</td><td>4</td></tr></tbody></table>"
    )
    assert header(made) == ["system", "run", "latency · mean", "latency · max"]
    assert cells(made) == [["A", "1", "1.5", "3"], ["A", "2", "2.0", "4"]]


def test_a_span_into_rows_that_are_not_there_ends_with_the_table():
    made = table(
        "<table><tr><td rowspan='99999999'>a</td><td colspan='-3'>b</td></tr>"
        "<tr><td>c</td></tr></table>"
    )
    assert cells(made) == [["a", "b"], ["a", "c"]]


def rows(count: int) -> str:
    lines = "".join(f"<tr><td>{number}</td></tr>" for number in range(1, count + 1))
    return f"<table><thead><tr><th>n</th></tr></thead><tbody>{lines}</tbody></table>"


@pytest.mark.parametrize("count", [1, 60])
def test_a_short_table_is_whole(count):
    made = table(rows(count))
    assert (len(made.rows), made.note) == (count, None)


def test_of_5000_rows_the_first_and_the_last_stand_and_the_rest_is_told():
    made = table(rows(5000))
    found = [row[0] for row in cells(made)]
    assert found == [*map(str, range(1, 41)), "…", *map(str, range(4991, 5001))]
    assert made.note == "Rows 41 to 4,990 of 5,000 are not printed."
    assert made.aligns == ("right",)


def test_a_table_without_rows_says_so():
    assert table("<table><thead><tr><th>n</th></tr></thead></table>").note == (
        "The table has no rows."
    )
    assert read("<table></table>") == ()


def test_colours_that_say_something_are_told():
    made = table(
        "<style>#T_ab_row0_col0 {background-color: red;}</style>"
        "<table id='T_ab'><caption>Best</caption><tr><td>1</td></tr></table>"
    )
    assert made.note == "The colours of its cells are not printed."


@pytest.mark.parametrize(
    ("values", "align"),
    [
        (["1", "-2.5e+03", "3 %", "NaN"], "right"),
        (["1", "x"], "left"),
        (["2024-01-01"], "left"),
        (["1.5 ms", "12 µs"], "right"),
        (["9" * 31], "left"),
        ([""], "left"),
    ],
)
def test_numbers_stand_right(values, align):
    body = "".join(f"<tr><td>{value}</td></tr>" for value in values)
    assert table(f"<table><thead><tr><th>a</th></tr></thead>{body}</table>").aligns == (align,)


# in Markdown


def test_a_word_between_signs_stays_a_word():
    """<latency> is not a tag: dropped, the sentence would say something else."""
    (block,) = parse("the <latency> of it", "cell 1")
    assert plain_text(block.children) == "the <latency> of it"
    assert parse("<latency>", "cell 1") == (Paragraph((Text("<latency>"),)),)


def test_statements_have_their_places_in_html_too():
    with pytest.raises(ReportError, match="neither"):
        parse("<div>{{peak}}</div>", "cell 1")


def test_pictures_in_a_sentence_stand_by_themselves(sample):
    import base64

    png = base64.b64decode(sample.png())
    found = parse("a ![b](c.png) d <img src='e.png' alt='f'>", "cell 1",
                  lambda _: (png, "image/png"))  # fmt: skip
    assert [type(block) for block in found] == [Paragraph, Picture, Paragraph, Picture]
    assert [block.alt for block in found if isinstance(block, Picture)] == ["b", "f"]


def test_all_mistakes_of_a_cell_are_told():
    with pytest.raises(ReportError) as told:
        parse("<iframe></iframe>\n\ntext\n\n![](x.png)", "cell 4")
    assert str(told.value).splitlines() == [
        "cell 4, line 1: a page within the page cannot be printed",
        "  cell 4: the picture 'x.png' has no alt text: ![what it shows](x.png)",
    ]


def test_tags_that_are_not_closed_lose_no_word():
    (block,) = parse("a <b>b <i>c</b> d <sup>e", "cell 1")
    assert plain_text(block.children) == "a b c d ^e"

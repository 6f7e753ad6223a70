"""The HTML page in a real Chrome: nothing asked from outside, no error, every chart drawn."""

from __future__ import annotations

import base64
import re
import time
import zlib

import pytest

from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.units import Format, Printed
from perfkit.core.values import Column, Table
from perfkit.reporting.document.records import StatementRecord
from perfkit.reporting.write.charts import plotly_script
from perfkit.reporting.write.chrome import Page
from perfkit.reporting.write.exporters import export_html
from perfkit.reporting.write.html_sources import linked_numbers


@pytest.fixture(scope="module")
def address(sample_html, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(sample_html, encoding="utf-8")
    return path.as_uri()


def open_drawn(page, address):
    """Open the page and wait until its script says that all charts are drawn."""
    page.open(address)
    while page.evaluate("document.documentElement.dataset.drawn") != "all":
        time.sleep(0.05)


@pytest.fixture(scope="module")
def opened(address):
    """The page opened in Chrome, with all charts drawn, and what it asked for and said."""
    with Page(width=1280, height=900) as page:
        page.send("Network.enable")
        page.send("Log.enable")
        open_drawn(page, address)
        yield page


def events(page, method):
    return [event["params"] for event in page.events if event["method"] == method]


@pytest.mark.slow
def test_nothing_is_asked_from_outside(opened):
    """One request: the file itself; all else is in it."""
    urls = [event["request"]["url"] for event in events(opened, "Network.requestWillBeSent")]
    assert urls
    assert all(url.startswith(("file:", "data:", "blob:")) for url in urls)


@pytest.mark.slow
def test_the_console_is_silent(opened):
    """No error, no warning, no exception."""
    assert events(opened, "Runtime.exceptionThrown") == []
    bad = {"error", "warning"}
    assert [e for e in events(opened, "Log.entryAdded") if e["entry"]["level"] in bad] == []
    assert [e for e in events(opened, "Runtime.consoleAPICalled") if e["type"] in bad] == []


@pytest.mark.slow
def test_every_chart_is_drawn_in_the_reports_typeface(opened):
    """Two charts, with their lines, in Source Sans Pro."""
    drawn = "document.querySelectorAll('.chart .main-svg:first-child').length"
    assert opened.evaluate(drawn) == 2
    assert opened.evaluate("document.querySelectorAll('.chart .scatterlayer .trace').length") == 2
    family = "getComputedStyle(document.querySelector('.chart text')).fontFamily"
    assert "Source Sans Pro" in opened.evaluate(family)
    assert opened.evaluate("document.fonts.check('12px \"Source Sans Pro\"')") is True


@pytest.mark.slow
def test_no_chart_has_an_upload_button(opened, sample_html):
    """plotly.js 4 puts one into every chart unless told not to."""
    assert '"showSendToCloud":false' in sample_html
    titles = "[...document.querySelectorAll('.modebar-btn')].map(b => b.dataset.title || '')"
    found = opened.evaluate(titles)
    assert found
    assert not [title for title in found if re.search("cloud|share|edit in", title, re.I)]


@pytest.mark.slow
def test_every_link_inside_the_page_has_its_target(opened):
    """Contents, cross-references and footnotes lead somewhere; no id stands twice."""
    missing = (
        "[...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.getAttribute('href').slice(1))"
        ".filter(id => !document.getElementById(id))"
    )
    assert opened.evaluate(missing) == []
    twice = (
        "(() => { const ids = [...document.querySelectorAll('main [id]')].map(e => e.id)"
        "; return ids.filter((id, n) => ids.indexOf(id) < n) })()"
    )
    assert [name for name in opened.evaluate(twice) if name.startswith(("val", "sec", "fn"))] == []


@pytest.mark.slow
def test_the_page_is_not_wider_than_a_phone(address):
    """Wide tables scroll in their own box; the menu is folded."""
    with Page() as page:
        size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
        page.send("Emulation.setDeviceMetricsOverride", size)
        open_drawn(page, address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate("document.querySelector('nav details').open") is False


def test_numbers_are_those_of_the_pdf(sample_html, sample_document):
    """The same labels as on paper."""
    for name, caption in (("peak", "Peak and equal"), ("acceptance", "Acceptance: criteria met")):
        assert f"{sample_document.labels[name].text}) {caption}" in sample_html
    assert ">Section 2</a> and <a" in sample_html
    assert '<h2 id="sec-results">2 Results<a class="anchor" href="#sec-results"' in sample_html


def test_cells_are_the_values_own_text(sample_html):
    """The record's strings, escaped; never a number formatted anew."""
    assert '<td class="right">640,310</td><td class="right">–</td>' in sample_html
    assert '<td class="right">−38%</td>' in sample_html


def test_it_can_be_used_without_seeing_it(sample_html):
    """Language, words for each chart, header cells with scope, a way past the menu."""
    assert '<html lang="en">' in sample_html
    assert '<p class="alt">Line chart: latency stays near 0.2 ms' in sample_html
    assert '<th scope="col" class="right">Peak IOPS</th>' in sample_html
    assert 'href="#report">Skip to the report' in sample_html
    assert re.findall(r"<img (?!.*?alt=)", sample_html) == []


def test_plotly_stands_in_the_page_once_and_packed(sample_html):
    """Its 4.8 MB as 2 MB; the typeface as WOFF2."""
    assert "plotly.js v" not in sample_html
    (packed,) = re.findall(r'<script type="text/plain" id="plotly">([^<]+)</script>', sample_html)
    assert zlib.decompress(base64.b64decode(packed)) == plotly_script().read_bytes()
    assert sample_html.count('format("woff2")') == sample_html.count("@font-face") == 4
    assert len(sample_html) < 2_400_000


def test_text_cannot_become_markup_or_script(sample):
    """A device name may hold anything."""
    evil = '</script><script>alert(1)</script><img src=x onerror="alert(1)">'
    page = export_html(
        sample.notebook(
            sample.front(title=evil, abstract=None, sections={}),
            "# A [link](javascript:alert(1))",
            sample.peak_table(caption=evil),
            sample.curve(),
        )
    )
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert 'href="javascript:' not in page


def test_a_page_without_charts_carries_no_plotly(sample):
    """Small reports stay small."""
    page = export_html(sample.notebook("# A", sample.peak_table()))
    assert 'id="plotly"' not in page
    assert len(page) < 250_000


def linked(text, *printed):
    """The numbers of a sentence that are links, with the value that they tell."""
    record = StatementRecord(id="one", text=text, printed=printed)
    page = linked_numbers(f"{text} Caution: as at Table 1.", record)
    links = re.findall(r'<a class="num"([^>]*)>([^<]+)</a>', page)
    return [(shown, *re.findall('data-v="([^"]+)"', told)) for told, shown in links]


def test_the_numbers_of_a_sentence_are_links_and_the_digits_of_names_are_not():
    """Their values in the unit that is shown; a digit of a name or of a table is none of them."""
    printed = [
        Printed("1", 1, "1", "0 decimals"),
        Printed("1", 1, "1", "0 decimals"),
        Printed("8.37 µs", 8.3712e-6, "us", "3 significant digits"),
        Printed("−38%", -0.3812, "%", "0 decimals"),
        Printed("1,000 IOPS", 1000.4, "IOPS", "0 decimals"),
    ]
    text = "epic-rhel1 met 1 of 1 criteria at 8.37 µs, −38% and 1,000 IOPS."
    assert linked(text, *printed) == [
        ("1", "1"), ("1", "1"), ("8.37 µs", "8.3712"), ("−38%", "-38.12"), ("1,000 IOPS", "1000.4"),
    ]  # fmt: skip


def test_values_that_print_alike_are_not_told_exactly():
    """Which of them stands where is not known."""
    printed = [Printed("0.12 ms", value, "ms", "2 decimals") for value in (0.0001203, 0.0001197)]
    assert linked("A had 0.12 ms, B had 0.12 ms.", *printed) == [("0.12 ms",), ("0.12 ms",)]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (("sas/a.log", "line 12"), "sas/a.log, line 12"),
        (("", "line 12"), ""),
        (("TR-1, Table 4", ""), ""),
        (("sas", ""), "sas"),
        (("", ""), ""),
    ],
)
def test_a_row_of_a_source_names_its_file_and_place(sample, place, said):
    """A file that the table does not rest on is none: the column holds other words."""
    parts = tuple(Evidence("sas", f"sas/{name}.log", name) for name in "ab")
    lineage = Lineage((Evidence("sas", "sas", "cc", parts=parts),), (), traceable=True)
    columns = (Column("step", "Step"), Column("s", "Real time (s)", Format("s", decimals=2)))
    table = Table("steps", columns, (("SORT", 1.5),), "Steps.", places=(place,), lineage=lineage)
    page = export_html(sample.notebook("# A", table))
    assert re.findall(r'<tr data-at="([^"]*)">', page) == ([said] if said else [])


def test_a_row_of_the_only_file_needs_no_name_of_it(sample):
    lineage = Lineage((Evidence("genio", "summary.csv", "cc"),), (), traceable=True)
    table = Table(
        "runs", (Column("n", "Run"),), (("1",), ("2",)), "Runs.",
        places=(("", "line 3"), ("", "")), lineage=lineage,
    )  # fmt: skip
    page = export_html(sample.notebook("# A", table))
    assert re.findall(r'<tr data-at="([^"]*)">', page) == ["summary.csv, line 3"]

"""What a reader does with the HTML page, in a real Chrome: sort, filter, save, ask, switch off."""

from __future__ import annotations

import csv
import io
import json

import pytest
from pages import problems, shown, until

from perfkit.reporting.write import web_parts
from perfkit.reporting.write.chrome import Page
from perfkit.reporting.write.exporters import WebReportExporter, export_html

pytestmark = pytest.mark.slow

_KEPT = """
URL.createObjectURL = (blob) => { window.saved = blob; return 'blob:none'; };
HTMLAnchorElement.prototype.click = () => {};
Object.defineProperty(navigator, 'clipboard',
  {value: {writeText: async (text) => { window.copied = text; }}});
"""


@pytest.fixture(scope="module")
def chrome():
    with Page() as page:
        page.send("Log.enable")
        yield page


@pytest.fixture(scope="module")
def file(sample_html, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(sample_html, encoding="utf-8")
    return path


@pytest.fixture
def page(chrome, file):
    shown(chrome, file)
    return chrome


@pytest.fixture(scope="module")
def plain(sample, tmp_path_factory):
    """A page of tables alone, which is there at once."""
    path = tmp_path_factory.mktemp("plain") / "report.html"
    tables = sample.peak_table("peak"), sample.long_table("all-points", rows=58)
    path.write_text(export_html(sample.notebook("# A", *tables)), encoding="utf-8")
    return path


@pytest.fixture
def sheets(chrome, plain):
    shown(chrome, plain)
    return chrome


def column(page, table, place=0):
    """The texts of a column in the order in which they are shown."""
    rows = f"#val-{table} tbody:first-of-type tr:not([hidden])"
    return page.evaluate(
        f"[...document.querySelectorAll('{rows}')].map(r => r.cells[{place}].textContent)"
    )


def click(page, selector):
    page.evaluate(f"document.querySelector({json.dumps(selector)}).click()")


def test_a_column_sorts_up_then_down_then_as_the_report_has_it(sheets):
    """By the number, not by its text: 9,000 stands before 10,000. Sorting says so to a listener."""
    head = "#val-all-points th:nth-child(2)"
    asked = f"document.querySelector('{head}').getAttribute('aria-sort')"
    first = column(sheets, "all-points", 1)
    click(sheets, f"{head} button")
    assert sheets.evaluate(asked) == "ascending"
    assert column(sheets, "all-points", 1) == first
    click(sheets, f"{head} button")
    assert sheets.evaluate(asked) == "descending"
    assert column(sheets, "all-points", 1) == first[::-1]
    click(sheets, f"{head} button")
    assert sheets.evaluate(asked) is None
    assert column(sheets, "all-points", 1) == first


def test_what_is_missing_stays_last_and_the_footer_below(sheets):
    """A dash is neither the least nor the greatest; the difference is not a row to sort."""
    for _ in ("up", "down"):
        click(sheets, "#val-peak th:nth-child(3) button")
        assert column(sheets, "peak", 2)[-1] == "–"
    footer = "document.querySelector('#val-peak tbody.footer').textContent"
    assert sheets.evaluate(footer).startswith("Difference")


def type_in(page, table, text):
    page.evaluate(
        f"(() => {{ const field = document.querySelector('#val-{table} input');"
        f"field.value = {json.dumps(text)}; field.dispatchEvent(new Event('input')); }})()"
    )


def test_the_filter_leaves_rows_with_every_word_and_says_how_many(sheets):
    type_in(sheets, "all-points", "iodepth-1 R1")
    assert column(sheets, "all-points") == [f"iodepth-{n}-r1" for n in (1, *range(10, 20))]
    told = "document.querySelector('#val-all-points [role=status]').textContent"
    assert sheets.evaluate(told) == "11 of 58 rows"
    type_in(sheets, "all-points", "")
    assert len(column(sheets, "all-points")) == 58
    assert sheets.evaluate(told) == ""


def test_a_sum_is_not_shown_beside_a_part_of_its_rows(sample, chrome, tmp_path):
    from dataclasses import replace

    table = replace(sample.long_table(rows=8), footer_rows=1)
    path = tmp_path / "page.html"
    path.write_text(export_html(sample.notebook("# A", table)), encoding="utf-8")
    shown(chrome, path)
    type_in(chrome, "all-points", "iodepth-1")
    assert column(chrome, "all-points") == ["iodepth-1-r1"]
    hidden = "document.querySelector('tbody.footer tr').hidden"
    assert chrome.evaluate(hidden) is True
    type_in(chrome, "all-points", "")
    assert chrome.evaluate(hidden) is False


def saved(page, table):
    """The CSV of a table as rows."""
    page.evaluate(_KEPT)
    tools = f"document.querySelectorAll('#val-{table} .tools button')"
    page.evaluate(f"[...{tools}].find(b => b.textContent === 'CSV').click()")
    text = page.evaluate("window.saved.text()")
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_the_csv_holds_the_numbers_behind_the_cells_and_the_origin(sheets):
    """Bare numbers in the unit of the header; what is missing is empty; rows name their table."""
    header, fcp, nvme, footer = saved(sheets, "peak")
    assert header == [
        "Configuration", "Peak IOPS", "IOPS at 400 µs", "p99 at peak (ms)", "Table",
        "Note",
    ]  # fmt: skip
    assert fcp[:4] == ["System A, FCP", "405120", "268400", "3.91"]
    assert nvme[:4] == ["System A, NVMe/FC", "640310", "", "2.44"]
    assert footer[:4] == ["Difference", "+58%", "", "−38%"]
    assert {row[4] for row in (fcp, nvme, footer)} == {
        "Table 1) Peak and equal-latency throughput."
    }
    assert fcp[5].startswith("IOPS at 400 µs is interpolated")


def test_the_csv_has_all_digits_the_units_and_no_formulas(sample, chrome, tmp_path):
    """A rounded cell keeps its number; a mark of its origin travels with it."""
    from perfkit.core.units import Format
    from perfkit.core.values import Column, Table

    table = Table(
        "nasty",
        (Column("name", "Name"), Column("time", "Response", Format("ms", decimals=2)),
         Column("share", "Share", Format("%", decimals=1))),
        (("=1+1", 0.00123456, 0.33333), ('a "b", c', 1234.5, None), ("-5", "not reached", -0.02)),
        "Made by hand.",
    )  # fmt: skip
    path = tmp_path / "page.html"
    path.write_text(export_html(sample.notebook("# A", table)), encoding="utf-8")
    shown(chrome, path)
    header, *rows = saved(chrome, "nasty")
    assert header == ["Name", "Response (ms)", "Share (%)", "Table"]
    assert [row[:3] for row in rows] == [
        ["'=1+1", "1.23456", "33.333"],
        ['a "b", c', "1234500", ""],
        ["-5", "not reached", "-2"],
    ]
    assert {row[3] for row in rows} == {"Table 1) Made by hand (not traceable)."}


def test_copy_takes_the_rows_that_are_shown(sheets):
    sheets.evaluate(_KEPT)
    type_in(sheets, "all-points", "iodepth-7-r1")
    tools = "[...document.querySelectorAll('#val-all-points .tools button')]"
    sheets.evaluate(f"{tools}.find(b => b.textContent === 'Copy').click()")
    lines = sheets.evaluate("window.copied").split("\n")
    assert [line.split("\t")[:2] for line in lines] == [
        ["Point", "Column 0 (1/s)"], ["iodepth-7-r1", "7000"],
    ]  # fmt: skip


def dialog(page):
    assert page.evaluate("document.querySelector('dialog').open") is True
    return page.evaluate("document.querySelector('dialog').innerText")


def test_a_cell_leads_to_its_value_files_and_steps(sheets):
    """Row and column, the exact number with its unit, each file with its hash, the functions."""
    click(sheets, "#val-peak tbody tr td:nth-child(4)")
    told = dialog(sheets)
    for text in (
        "Table 1) Peak and equal-latency throughput.", "System A, FCP", "p99 at peak (ms)",
        "3.91 ms", "2 decimals", "runs/oltp-1", "fio/baseline_direct_8k.json", "cd" * 32,
        "fio-3.40",
    ):  # fmt: skip
        assert text in told, text
    steps = "[...document.querySelectorAll('dialog ol code')].map(c => c.textContent)"
    assert sheets.evaluate(steps) == ["read.run v1", "curve.latency v2", "table.peak_iops v1"]
    files = "[...document.querySelectorAll('dialog details:first-of-type li')].length"
    assert sheets.evaluate(files) >= 6


def test_a_number_of_a_sentence_and_a_chart_lead_there_too(page):
    click(page, "main a.num")
    told = dialog(page)
    assert "640310 IOPS" in told
    assert "runs/oltp-1" in told
    click(page, "dialog button")
    assert page.evaluate("document.querySelector('dialog').open") is False
    point = {"fullData": {"name": "FCP"}, "x": 90, "y": 22, "xaxis": {}, "yaxis": {}}
    clicked = json.dumps({"points": [point]})
    page.evaluate(f"document.getElementById('chart-host-cpu').emit('plotly_click', {clicked})")
    assert "Figure 2" in dialog(page)


def press(page, key, code):
    text = {"text": "\r"} if key == "Enter" else {}
    for kind, more in (("keyDown", text), ("keyUp", {})):
        event = {"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
        page.send("Input.dispatchKeyEvent", event | more)


def test_everything_is_reached_by_the_keyboard_in_the_order_of_the_page(page):
    """Tab goes to the way past the menu first, then through the page; no control is left out."""
    controls = (
        "[...document.querySelectorAll('a[href], button, input, summary, [tabindex=\"0\"]')]"
        ".filter(e => e.checkVisibility())"
    )
    page.evaluate(f"window.controls = {controls}; document.activeElement.blur(); 0")
    first = page.evaluate("window.controls.length")
    seen = []
    for _ in range(60):
        press(page, "Tab", 9)
        seen.append(page.evaluate("window.controls.indexOf(document.activeElement)"))
    assert page.evaluate("window.controls[0].className") == "skip"
    assert seen == list(range(60))
    assert first > 60
    page.evaluate("document.querySelector('#val-peak th:nth-child(2) button').focus()")
    press(page, "Enter", 13)
    sort = "document.querySelector('#val-peak th:nth-child(2)').getAttribute('aria-sort')"
    assert page.evaluate(sort) == "ascending"


def test_the_theme_follows_the_system_until_the_button_is_pressed(chrome, plain):
    back = "getComputedStyle(document.body).backgroundColor"
    for theme, colour in (("dark", "rgb(26, 26, 26)"), ("light", "rgb(255, 255, 255)")):
        shown(chrome, plain, theme=theme)
        assert chrome.evaluate(back) == colour
    click(chrome, ".theme")
    assert chrome.evaluate(back) == "rgb(26, 26, 26)"
    assert chrome.evaluate("document.querySelector('.theme').textContent") == "Light page"
    shown(chrome, plain, theme="light")
    assert chrome.evaluate(back) == "rgb(26, 26, 26)"
    chrome.evaluate("localStorage.clear()")


def test_the_contents_mark_the_section_in_view(page):
    marked = "document.querySelector('nav [aria-current]')?.textContent"
    page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
    for anchor, title in (("host-cpu", "Host CPU"), ("verdict", "Verdict")):
        page.evaluate(f"document.getElementById('sec-{anchor}').scrollIntoView()")
        until(page, f"{marked}?.endsWith({json.dumps(title)})")
    assert page.evaluate("document.querySelectorAll('nav [aria-current]').length") == 1


@pytest.mark.parametrize(
    ("width", "theme"), [(1400, "light"), (900, "dark"), (420, "light"), (420, "dark")]
)
def test_axe_finds_nothing_serious_and_the_page_is_not_wider(chrome, file, width, theme):
    """No violation that keeps somebody from using the page; the console stays silent.

    ``python tests/pages.py`` does this for finished pages, at each width in both themes.
    """
    shown(chrome, file, width=width, theme=theme)
    assert problems(chrome, width) == []


def test_a_word_that_reaches_beyond_its_chart_is_a_problem(chrome, file):
    """The check above would find it: an axis title is moved to the left, half of it outside."""
    shown(chrome, file, width=900)
    chrome.evaluate(
        "document.querySelector('.chart .xtitle').setAttribute('transform', 'translate(-420,0)'); 0"
    )
    (found,) = problems(chrome, 900)
    assert found.startswith("cut off in a chart: ")


def test_rows_stay_low_and_words_of_charts_whole_on_a_phone(chrome, file):
    """A row of short words is one or two lines; a chart that is wider than the page scrolls."""
    shown(chrome, file, width=420)
    rows = "[...document.querySelectorAll('#val-peak tr, #val-acceptance tbody tr')]"
    assert chrome.evaluate(f"Math.max(...{rows}.map(r => r.offsetHeight))") < 110
    cut = (
        "[...document.querySelectorAll('.chart')].flatMap(place => { const box ="
        " place.getBoundingClientRect(); return [...place.querySelectorAll('svg text')].filter("
        "t => { const own = t.getBoundingClientRect(); return own.width && (own.right > box.right"
        " + 1 || own.left < box.left - 1) }).map(t => t.textContent) })"
    )
    assert chrome.evaluate(cut) == []


def test_printed_from_the_browser_it_has_no_controls_and_is_light(chrome, plain):
    shown(chrome, plain, theme="dark")
    chrome.send("Emulation.setEmulatedMedia", {"media": "print"})
    back = "getComputedStyle(document.body).backgroundColor"
    gone = (
        "[...document.querySelectorAll('nav, .tools, .anchor')]"
        ".every(e => getComputedStyle(e).display === 'none')"
    )
    assert chrome.evaluate(back) == "rgb(255, 255, 255)"
    assert chrome.evaluate(gone) is True
    chrome.send("Emulation.setEmulatedMedia", {"media": ""})


def test_pages_that_share_their_scripts_work_from_disk(sample, chrome, tmp_path):
    """Two reports, one script and one style beside them; each page is its own part only."""
    common = web_parts.shared(tmp_path / "assets", "../assets")
    again = web_parts.shared(tmp_path / "assets", "../assets")
    assert common == again
    assert len(list((tmp_path / "assets").iterdir())) == 2
    exporter = WebReportExporter(common=common)
    page, _ = exporter.from_notebook_node(sample.sample())
    assert len(page) < 120_000
    (tmp_path / "tuesday").mkdir()
    path = tmp_path / "tuesday" / "report.html"
    path.write_text(page, encoding="utf-8")
    shown(chrome, path)
    assert chrome.evaluate("document.querySelectorAll('.chart .main-svg:first-child').length") == 2
    assert chrome.evaluate("document.fonts.check('12px \"Source Sans Pro\"')") is True


def test_without_its_scripts_a_page_still_says_everything(sample, chrome, tmp_path):
    """The folder of common files was not copied along: words stand in place of charts."""
    common = web_parts.shared(tmp_path / "assets", "../gone")
    page, _ = WebReportExporter(common=common).from_notebook_node(sample.sample())
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    chrome.open(path.as_uri())
    visible = "getComputedStyle(document.querySelector('#val-latency-curve .alt')).position"
    assert chrome.evaluate(visible) == "static"
    assert chrome.evaluate("document.querySelector('#val-peak table').innerText").count("405,120")


def test_a_list_of_details_is_folded_unfolds_for_a_link_and_has_no_source_of_its_own(page):
    """It is filtered and saved as other tables are; a list has no source."""
    folded = "document.querySelector('main details table[data-id]').closest('details')"
    assert page.evaluate(f"{folded}.open") is False
    tools = f"[...{folded}.querySelectorAll('.tools button')].map(b => b.textContent)"
    assert page.evaluate(tools) == ["Copy", "CSV"]
    page.evaluate(f"location.hash = {folded}.querySelector('.table').id; 0")
    until(page, f"{folded}.open")

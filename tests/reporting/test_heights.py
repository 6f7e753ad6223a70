"""Charts at the height that their page has room for."""

from __future__ import annotations

import json

import pytest
import typst
from positions import faults, fullness, read_layout

from perfkit.core.files import own_folder
from perfkit.core.findings import Finding, Findings
from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.write.charts import Chart
from perfkit.reporting.write.exporters import export_pdf
from perfkit.reporting.write.floats import Drawings, fitted, hero_of
from perfkit.reporting.write.typst_text import write_typst

PX_PER_MM = 96 / 25.4


def chart(title: str, height_mm: float) -> Chart:
    """A chart whose plot is 82 pixels lower than itself."""
    layout = {
        "margin": {"t": 34, "b": 48},
        "xaxis": {"title": {"text": "Total IOPS"}},
        "yaxis": {"title": {"text": title}, "range": [0, 1]},
        "yaxis2": {"title": {}},
    }
    return Chart({"data": [], "layout": layout}, 171.9, height_mm)


@pytest.mark.parametrize(
    ("plot_px", "title"),
    [
        (230, "Mean read latency (ms, log scale)"),
        (110, "Mean read latency<br>(ms, log scale)"),
        (80, "Mean read<br>latency (ms,<br>log scale)"),
    ],
)
def test_the_title_beside_a_lower_chart_has_lines_that_fit(plot_px, title):
    drawn = chart("Mean read latency (ms, log scale)", (plot_px + 82) / PX_PER_MM)
    layout = fitted(drawn).plotly["layout"]
    assert layout["yaxis"] == {"title": {"text": title}, "range": [0, 1]}
    assert layout["yaxis2"] == {"title": {}}
    assert layout["xaxis"] == drawn.plotly["layout"]["xaxis"]


def test_lines_are_joined_again_where_there_is_room_and_signs_stay_signs():
    drawn = chart("Latency of R&amp;D<br>below &lt;5 ms", 80)
    assert fitted(drawn).plotly["layout"]["yaxis"]["title"]["text"] == (
        "Latency of R&amp;D below &lt;5 ms"
    )


def test_the_chart_that_is_given_stays_as_it_is():
    drawn = chart("Mean read latency (ms, log scale)", 48)
    fitted(drawn)
    assert drawn.plotly["layout"]["yaxis"]["title"]["text"] == "Mean read latency (ms, log scale)"


HEROES = {
    "fits": (80, 0.5, 80.0),
    "lower": (80, -20.0, 59.5),
    "higher": (80, 5.0, 84.5),
    "highest": (80, 90.0, 92.0),
    "least": (60, -11.5, 48.0),
    "too low": (60, -11.6, None),
    "panels": (160, -47.5, 112.0),
    "panels too low": (160, -47.6, None),
}
"""Of the chart of the findings: its own height, what that leaves of its page, and its height there.

Half a millimetre stays free; a chart of several panels needs 0.7 of its height.
"""


def test_the_chart_fills_what_its_page_leaves_or_moves_on(sample, tmp_path):
    """By the template's own rule: all cases in one file, which Typst answers."""
    parts = write_typst(read_document(sample.notebook("# A", "words")))
    (tmp_path / "report.json").write_text(json.dumps(parts.data))
    (tmp_path / "report.typ").write_bytes((own_folder("templates") / "tr/report.typ").read_bytes())
    calls = [
        f"hero-height(json(bytes({json.dumps(json.dumps(hero_of('x', own)))})), {left})"
        for own, left, _ in HEROES.values()
    ]
    main = tmp_path / "main.typ"
    main.write_text(f'#import "report.typ": hero-height\n#metadata(({",".join(calls)})) <found>')
    (found,) = json.loads(typst.query(main, "<found>", field="value", root=tmp_path))
    assert dict(zip(HEROES, found, strict=True)) == {
        name: height if height is None else pytest.approx(height)
        for name, (_, _, height) in HEROES.items()
    }


class Pens:
    """Draws each chart as a blank picture, and keeps the heights that were asked for."""

    def __init__(self):
        self.asked: list[float] = []

    def print(self, charts: list[Chart]) -> list[str]:
        """A blank picture for each chart, of its size."""
        self.asked += [one.height_mm for one in charts]
        return [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{one.width_mm}mm" '
            f'height="{one.height_mm}mm"><rect width="100%" height="100%" fill="#ddd"/></svg>'
            for one in charts
        ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "advice", "stands"),
    [(1, 2, (2, 101.2, 68)), (1, 20, (2, 95.2, 99)), (1, 26, (2, 68.5, 99)), (1, 28, (2, 88, 98)),
     (200, 2, (3, 88, 89))],
    ids=["highest", "higher", "lower", "the rest runs on", "moves on"],
)  # fmt: skip
def test_the_chart_is_drawn_at_the_height_that_typst_measured(sample, text, advice, stands):
    """The chart of 88 mm with so many sentences above and lines below: its page, height, what of
    page 2 is full."""
    pens, (page, drawn_mm, full) = Pens(), stands
    found = Finding("a", "It is so.", "By the figures. " * text)
    made = Findings("f", (found,), hero=("latency-curve",))
    front = sample.front(
        abstract=None, sections={}, paper="us-letter", logo=None, partner=None,
        what_to_do="\n".join(["- Do it."] * advice),
    )  # fmt: skip
    cells = front, "# A", sample.curve("latency-curve"), "words", made
    pdf = export_pdf(sample.notebook(*cells), charts=pens)
    (figure,) = [thing for thing in read_layout(pdf).things if thing.tag == "Figure"]
    low, high = sorted(y for _, y in figure.spots)
    assert figure.pages() == [page - 1]
    assert pens.asked == pytest.approx([88, drawn_mm] if drawn_mm != 88 else [88], abs=0.1)
    assert (high - low) / 72 * 25.4 == pytest.approx(pens.asked[-1], abs=0.1)
    assert fullness(pdf)[1] == pytest.approx(full, abs=2)
    assert faults(pdf) == []


@pytest.mark.slow
def test_below_findings_whose_chart_moved_on_the_text_begins(sample):
    """A short report has no contents there: its first chapter fills the page."""
    found = Finding("a", "It is so.", "By the figures. " * 170)
    made = Findings("f", (found,), hero=("latency-curve",))
    front = sample.front(abstract=None, sections={}, logo=None, partner=None, what_to_do="- Do it.")
    text = "\n\n".join(["The storage did what it was asked to do. " * 6] * 20)
    cells = front, "# A", sample.curve("latency-curve"), text, made
    pdf = export_pdf(sample.notebook(*cells), charts=Pens())
    (figure,) = [thing for thing in read_layout(pdf).things if thing.tag == "Figure"]
    assert figure.pages() == [2]
    assert fullness(pdf)[1] > 90
    assert faults(pdf) == []


def test_a_chart_that_nearly_fits_is_lower_but_a_drawing_is_not():
    """By 15% at most, or 25% where it must be; half a millimetre stays free."""
    drawing = chart("", 100)
    drawing.plotly["layout"]["xaxis"]["visible"] = False
    both = Drawings({"c": chart("", 100), "d": drawing}, lambda _: b"", 255)
    assert [both.lower("c", missing, 0.85) for missing in (-3, 5, 14.5, 14.6)] == [
        99.5, 94.5, 85.0, None,
    ]  # fmt: skip
    assert both.lower("c", 24.5, 0.75) == 75.0
    assert both.lower("d", 5, 0.85) is None

"""Where charts go that do not fit on their page.

A chart stands where the text names it. One that does not fit there moves on, with a heading above
it, and what follows would wait for it, so that the page stays half empty. Where little is missing,
the chart is drawn lower; else it goes to the top of the next page, and the text fills the gap.
Where neither will do, because another chapter follows, the charts above it on the page are drawn
lower with it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core.text_size import FONT_SIZE_PX, LINE_PX, lines_of
from perfkit.reporting.write.charts import MM_PER_INCH, PX_PER_INCH, Chart

if TYPE_CHECKING:
    import typst

    from perfkit.core.values import PlotlyJson

LEAST_MM, LEAST_PART, LARGER = 48.0, 0.7, 1.15
"""With less room, in mm or in parts of its own height, the chart of the findings moves on as it is;
with more it is at most so many times as high."""

LOWER, LOWEST = 0.85, 0.75
"""Another chart is drawn down to so much of its height where its page then has room for it; to the
lowest only where it cannot move on either."""

_ROW_GAP_PX = 4
"""Between the names of two rows."""

_SLACK_MM = 0.5


def picture_path(chart: str) -> str:
    """The path of a chart's picture among the report's files."""
    return f"charts/{chart}.svg"


def hero_of(chart: str, own_mm: float, names: float = 0.0) -> dict[str, object]:
    """What the template needs to give the chart of the findings its height, in millimetres.

    ``names``: the height at which the names of its rows have their lines.
    """
    return {
        "id": chart,
        "own": own_mm,
        "least": max(LEAST_MM, LEAST_PART * own_mm, min(names, own_mm)),
        "most": LARGER * own_mm,
        "slack": _SLACK_MM,
    }


@dataclass(frozen=True)
class Drawings:
    """The charts of a report, to be drawn at another height.

    Attributes:
        charts: The charts at their own heights, by the path of their pictures.
        draw: Draws a chart as SVG.
        end_mm: Where the text of a page ends, from its top.
    """

    charts: dict[str, Chart]
    draw: Callable[[Chart], bytes]
    end_mm: float

    def spelled(self, codes: Mapping[str, str]) -> Drawings:
        """The same, whose pictures have the codes of some letters instead of these."""
        table = str.maketrans(dict(codes))
        return replace(self, draw=lambda chart: self.draw(chart).decode().translate(table).encode())

    def lower(self, path: str, missing_mm: float, least: float) -> float | None:
        """The height of a chart that is so much lower; None where it would be too low.

        ``least`` is the lowest, in parts of its own height. A drawing without axes, a test bed,
        keeps its height: its text would meet. So do rows with names, where these would not have
        their line each: what has no room would be left out.
        """
        chart = self.charts[path]
        height = chart.height_mm - max(missing_mm, 0.0) - _SLACK_MM
        drawing = chart.plotly["layout"].get("xaxis", {}).get("visible") is False
        if drawing or height < max(least * chart.height_mm, names_mm(chart)):
            return None
        return round(height, 2)

    def drawn(self, path: str, height_mm: float) -> bytes:
        """The picture of a chart at another height."""
        own = self.charts[path]
        lower = replace(own, height_mm=height_mm)
        layout = at_height(own.plotly["layout"], _plot_px(own), _plot_px(lower))
        return self.draw(fitted(replace(lower, plotly={**own.plotly, "layout": layout})))


def _plot_px(chart: Chart) -> float:
    """How high the plot of a chart is."""
    margin = chart.plotly["layout"].get("margin", {})
    beside: float = margin.get("t", 0) + margin.get("b", 0)
    return chart.height_mm / MM_PER_INCH * PX_PER_INCH - beside


def names_mm(chart: Chart) -> float:
    """The height at which the name of each row of a chart has all its lines."""
    # the rows of a grid are named by the ticks of its axis
    axis = chart.plotly["layout"].get("yaxis", {})
    named = axis.get("ticktext", ())
    lying = [trace for trace in chart.plotly["data"] if trace.get("orientation") == "h"]
    rows = {str(name) for trace in lying for name in trace["y"]} or named
    letters = axis.get("tickfont", {}).get("size", FONT_SIZE_PX)
    more = max((str(name).count("<br>") for name in named), default=0)
    row_px = letters + _ROW_GAP_PX + more * letters * LINE_PX / FONT_SIZE_PX
    own_px = chart.height_mm / MM_PER_INCH * PX_PER_INCH
    return float((len(rows) * row_px + own_px - _plot_px(chart)) / PX_PER_INCH * MM_PER_INCH)


def at_height(layout: PlotlyJson, own_px: float, px: float) -> PlotlyJson:
    """The layout of a chart whose plot is drawn ``px`` high instead of its own ``own_px``.

    Rows of panels become lower and what stands between them keeps its room: titles and ticks
    have the same letters at any height.
    """
    axes = {name: axis for name, axis in layout.items() if name.startswith("yaxis")}
    rows = sorted({tuple(axis["domain"]) for axis in axes.values() if "domain" in axis})
    gaps_px: float = own_px * (1 - sum(high - low for low, high in rows))
    if len(rows) <= 1 or px <= gaps_px:
        return layout
    share: float = (px - gaps_px) / (own_px - gaps_px)

    def moved(y: float) -> float:
        in_rows: float = sum(min(max(y - low, 0.0), high - low) for low, high in rows)
        return (y - in_rows + in_rows * share) * own_px / px

    lower = {name: axis | {"domain": [*map(moved, axis["domain"])]} for name, axis in axes.items()}
    for kind in ("annotations", "shapes"):
        lower[kind] = [
            item | {key: moved(item[key]) for key in ("y", "y0", "y1") if key in item}
            if item.get("yref") == "paper"
            else item
            for item in layout.get(kind, ())
        ]
    return {**layout, **lower}


def fitted(chart: Chart) -> Chart:
    """The chart with the titles beside it in lines that its height has room for."""
    layout = chart.plotly["layout"]
    px = _plot_px(chart)
    broken = {
        name: axis | {"title": axis["title"] | {"text": _in_lines(axis["title"]["text"], px)}}
        for name, axis in layout.items()
        if name.startswith("yaxis") and axis.get("title", {}).get("text")
    }
    return replace(chart, plotly={**chart.plotly, "layout": {**layout, **broken}})


def _in_lines(text: str, px: float) -> str:
    whole = html.unescape(text.replace("<br>", " "))
    return "<br>".join(html.escape(line) for line in lines_of(whole, px, FONT_SIZE_PX + 1))


LEAST_GAP = 0.1
"""A gap of less of a page is left: it costs a reader less than a chart away from its text."""

MOST_ROUNDS = 3
"""Where one chart moves, later ones may; each round sets the pages again, and one looks last."""

_ABOVE_MM = 9.0
"""The blank above a heading or chart, which it does not have at the top of a page."""

_ASKED = """(query(<first-page>).map(mark => mark.value), query(<before>).map(mark => {
  let (page, y) = mark.location().position()
  let (chart, takes) = mark.value
  let thing = if chart == none { query(selector(heading).after(mark.location())).first() } else {
    query(<drawn>).find(it => it.value == chart)
  }
  let (page: own, y: top) = thing.location().position()
  let chapters = query(selector(heading.where(level: 1, outlined: true)).after(mark.location()))
  let next = if chapters.len() > 0 { chapters.first().location().page() } else { 0 }
  (chart, page, y / 1mm, own, next, top / 1mm, takes)
}))"""


@dataclass(frozen=True)
class _Thing:
    """A chart, or a heading (None).

    Attributes:
        chart: The id of a chart.
        before: The page on which the text before it ends.
        ends_mm: Where that text ends, from the top of the page.
        page: Where it stands itself.
        next_chapter: The page on which the next chapter begins; 0 where none follows.
        top_mm: Where it begins itself.
        takes_mm: How high a chart is with its caption and note.
    """

    chart: str | None
    before: int
    ends_mm: float
    page: int
    next_chapter: int = 0
    top_mm: float = 0.0
    takes_mm: float = 0.0

    def missing_mm(self, gap: _Thing, end_mm: float) -> float:
        """What a chart lacks on the page of a gap, with what moved on above it from there."""
        above_mm = 0.0 if gap is self else self.ends_mm - gap.top_mm
        return above_mm + _ABOVE_MM + self.takes_mm - (end_mm - gap.ends_mm)

    @property
    def misplaced(self) -> bool:
        """Before its text, on the same page, further off than the next, or in another chapter."""
        return self.page - self.before != 1 or 0 < self.next_chapter <= self.before


@dataclass(frozen=True)
class _Way:
    """How a chart is set otherwise than where it is named, at its own height.

    Attributes:
        height_mm: Its height.
        floats: Whether it goes to the top of the next page.
        beside: The chart below it on the page, to which it leaves room; None: it is lower for
            itself.
    """

    height_mm: float | None = None
    floats: bool = False
    beside: str | None = None

    @property
    def given(self) -> str:
        """What its call in the main text is given."""
        return ", float: true" if self.floats else f", height: {self.height_mm:.2f}"

    def failed(self, thing: _Thing) -> bool:
        """Whether it does not stand where this way was meant to put it."""
        if self.beside is not None:  # it stands well anyhow: the chart that it serves decides
            return False
        return thing.misplaced if self.floats else thing.page != thing.before


@dataclass
class _Pages:
    """The main text, set in the ways that are tried for its charts.

    Attributes:
        compiler: Makes a compiler of the main text as it is now; what did not change since the
            last one set it is not set again.
        main: The main text, in which each chart stands as ``#chart("id")``.
        text: What it says where every chart stands where it is named.
        ways: The charts that are set otherwise, by id.
        failed: Charts and whether they floated, of ways that did not help.
    """

    compiler: Callable[[], typst.Compiler]
    main: Path
    text: str
    ways: dict[str, _Way] = field(default_factory=dict)
    failed: set[tuple[str | None, bool]] = field(default_factory=set)

    def looked_at(self) -> tuple[tuple[str, float | None] | None, list[_Thing]]:
        """The chart of the findings with the height it has room for, and where all things stand."""
        heroes, asked = json.loads(self.compiler().eval(_ASKED))
        hero = next(iter(heroes), None)
        things = [_Thing(*item) for item in asked]
        # the chart of the findings may stand behind the beginning of the first chapter
        things = [
            replace(thing, next_chapter=0) if hero and thing.chart == hero[0] else thing
            for thing in things
        ]
        self.failed |= {
            (thing.chart, self.ways[thing.chart].floats)
            for thing in things
            if thing.chart in self.ways and self.ways[thing.chart].failed(thing)
        }
        return hero, things

    def open(self, ways: dict[str, _Way]) -> dict[str, _Way]:
        """Those of the ways that have not failed, for the chart itself or the one it serves."""
        return {
            chart: way
            for chart, way in ways.items()
            if not {(chart, way.floats), (way.beside, False)} & self.failed
        }

    def set_in(self, ways: dict[str, _Way], hero: str | None) -> None:
        """Write the main text with the charts set in these ways."""
        text = self.text
        for chart, way in ways.items():
            call = f"#chart({json.dumps(chart, ensure_ascii=False)}"
            text = text.replace(call, call + way.given)
        if hero in ways:
            text = text.replace("#first-page(", "#first-page(moved: true, ", 1)
        self.main.write_text(text, encoding="utf-8")
        self.ways = ways


def settle(
    compiler: Callable[[], typst.Compiler], main: Path, drawings: Drawings
) -> typst.Compiler:
    """Place the charts that leave a gap, and draw those whose height changes.

    Args:
        compiler: Makes a compiler of ``main`` as it is now.
        main: The main text.
        drawings: The charts.

    Returns:
        A compiler of the main text as it is then.

    Raises:
        TypstError: Typst refused the text.
    """
    pages = _Pages(compiler, main, main.read_text(encoding="utf-8"))
    hero, things = pages.looked_at()
    name, height = hero or (None, None)
    tried: list[dict[str, _Way]] = [{}]
    for _ in range(MOST_ROUNDS):
        kept = pages.open(pages.ways)
        fresh = pages.open(_ways(things, drawings, pages.failed, name, kept))
        ways = {**fresh, **kept}
        if ways == pages.ways:
            break
        pages.set_in(ways, name)
        if ways in tried:
            break
        tried.append(ways)
        _, things = pages.looked_at()
    else:
        pages.set_in(pages.open(pages.ways), name)
    heights = [(chart, way.height_mm) for chart, way in pages.ways.items()]
    for chart, height_mm in [*heights, (name, height)]:
        if chart and height_mm:
            path = picture_path(chart)
            (main.parent / path).write_bytes(drawings.drawn(path, height_mm))
    return compiler()


def _ways(
    things: Sequence[_Thing],
    drawings: Drawings,
    failed: set[tuple[str | None, bool]],
    hero: str | None,
    kept: Collection[str] = (),
) -> dict[str, _Way]:
    """Of the charts that moved on and left a gap, by themselves or below a heading that did.

    The chart of the findings has the height that its page leaves it: it only floats. Those that
    are ``kept`` in a way of their own stay in it.
    """
    found: dict[str, _Way] = {}
    gap = None
    for thing in things:
        if thing.page > thing.before and 1 - thing.ends_mm / drawings.end_mm > LEAST_GAP:
            gap = thing
        if thing.chart:
            if gap and thing.page == gap.page:
                lower = None
                if thing.chart != hero and (thing.chart, False) not in failed:
                    must = (thing.chart, True) in failed
                    missing_mm = thing.missing_mm(gap, drawings.end_mm)
                    path = picture_path(thing.chart)
                    lower = drawings.lower(path, missing_mm, LOWEST if must else LOWER)
                    if lower is None and must:
                        above = [it.chart for it in things if it.page == gap.before]
                        others = [it for it in above if it and it != hero and it not in kept]
                        found |= _together(thing.chart, others, missing_mm, drawings)
                found.setdefault(thing.chart, _Way(lower, floats=lower is None))
            gap = None
    return found


def _together(
    chart: str, above: Sequence[str], missing_mm: float, drawings: Drawings
) -> dict[str, _Way]:
    """The chart and those above it on the page, all lower by one share; empty if it is too much."""
    heights = {
        name: drawings.charts[picture_path(name)].height_mm
        for name in (*above, chart)
        if drawings.lower(picture_path(name), 0.0, LOWEST)
    }
    share = missing_mm / sum(heights.values()) if chart in heights else 1.0
    lower = {
        name: drawings.lower(picture_path(name), share * own, LOWEST)
        for name, own in heights.items()
    }
    if None in lower.values():
        return {}
    return {
        name: _Way(height_mm, beside=None if name == chart else chart)
        for name, height_mm in lower.items()
    }

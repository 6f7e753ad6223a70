"""A chart as a picture file of its own, drawn as in a report: SVG, or PNG of print quality."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core.errors import ReportError, UsageError
from perfkit.core.files import problems_as, write_whole
from perfkit.reporting.write.charts import MM_PER_INCH, PX_PER_INCH, Chart, ChartPrinter
from perfkit.reporting.write.chrome import Page
from perfkit.reporting.write.fonts import css

if TYPE_CHECKING:
    from perfkit.core.values import Figure

WIDTH_MM = 165.0
PNG_DPI = 300


def save_picture(figure: Figure, path: Path | str) -> Path:
    """Save a figure as an SVG or PNG file, by the ending of the path; what was there is replaced.

    An SVG names the typeface (Source Sans Pro) and does not hold it; a PNG has 300 dots an inch.

    Args:
        figure: What a ``plot_*`` verb gave.
        path: The file, ending in .svg or .png.

    Returns:
        The path.

    Raises:
        UsageError: Another ending.
        MissingPartError: There is no Chrome to draw it.
        ReportError: The file cannot be written, or Chrome failed.
    """
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in {".svg", ".png"}:
        raise UsageError(f"{target}: a picture is saved as .svg or .png")
    chart = Chart(figure.chart(), WIDTH_MM, figure.height_mm)
    with ChartPrinter() as printer:
        [svg] = printer.print([chart])
    content = svg.encode() if ending == ".svg" else _png(svg, chart)
    with problems_as(ReportError, target):
        write_whole(target, content)
    return target


def _png(svg: str, chart: Chart) -> bytes:
    """The SVG as Chrome shows it in a page with the report's typeface."""
    width, height = (
        round(side / MM_PER_INCH * PX_PER_INCH) for side in (chart.width_mm, chart.height_mm)
    )
    page_text = (
        f'<!doctype html><meta charset="utf-8"><style>{css()} body {{margin: 0}}</style>{svg}'
    )
    with Page(width=width, height=height) as page:
        address = "data:text/html;base64," + base64.b64encode(page_text.encode()).decode()
        page.open(address)
        page.evaluate("document.fonts.ready.then(() => true)")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": PNG_DPI / PX_PER_INCH}
        shot = page.send("Page.captureScreenshot", {"format": "png", "clip": clip})
    return base64.b64decode(shot["data"])

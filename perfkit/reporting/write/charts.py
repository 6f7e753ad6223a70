"""Charts as SVG: one headless Chrome page with Plotly's own script draws them all.

The browser starts in a thread of its own while the notebook runs; a chart then costs some tens of
milliseconds.
"""

from __future__ import annotations

import importlib.util
import json
import queue
import tempfile
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from perfkit.core.errors import MissingPartError, ReportError
from perfkit.core.evidence import sha256_bytes
from perfkit.reporting.write import fonts
from perfkit.reporting.write.chrome import CHROME_CURE, START_S, Page, find_chrome
from perfkit.showing.style import FONT_FAMILY

if TYPE_CHECKING:
    from perfkit.core.values import PlotlyJson

__all__ = ["CHROME_CURE", "MM_PER_INCH", "PX_PER_INCH", "Chart", "ChartPrinter", "find_chrome"]

MM_PER_INCH = 25.4
PX_PER_INCH = 96.0  # CSS pixels, by definition

DEADLINE_S = 60.0
"""How long one chart, or the start of the browser, may take."""

CLOSE_S = 8.0
"""How long closing waits for the browser."""

_SEED = """
let state = 1;
Math.random = () => {  // the same ids in every drawing of the same chart (mulberry32)
  state = (state + 0x6D2B79F5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
"""

_DRAW = """
async function draw(chart, width, height) {
  state = 1;
  const layout = Object.assign({}, chart.layout, {width, height, autosize: false});
  const svg = await Plotly.toImage(
    {data: chart.data, layout, config: {staticPlot: true}},
    {format: "svg", width, height, imageDataOnly: true});
  return svg.includes("<image") ? await vector(svg) : svg;
}
"""

# Plotly writes a heatmap as a PNG. Its cells are areas of one colour: they become paths. Each is
# drawn half a pixel over its right and lower neighbour, or viewers show seams between them.
_VECTOR = """
async function vector(svg) {
  const page = new DOMParser().parseFromString(svg, "image/svg+xml");
  for (const image of [...page.querySelectorAll("image")]) {
    const address = image.getAttribute("href") || image.getAttribute("xlink:href") || "";
    if (!address.startsWith("data:image/png")) continue;
    const bitmap = new Image();
    bitmap.src = address;
    await bitmap.decode();
    const [w, h] = [bitmap.naturalWidth, bitmap.naturalHeight];
    const paths = colours(bitmap, w, h);
    const group = page.createElementNS("http://www.w3.org/2000/svg", "g");
    const side = (name) => parseFloat(image.getAttribute(name) || "0");
    group.setAttribute("transform", (image.getAttribute("transform") || "")
      + `translate(${side("x")},${side("y")}) scale(${side("width") / w},${side("height") / h})`);
    for (const [colour, d] of paths) {
      const path = page.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("fill", colour);
      path.setAttribute("d", d);
      group.appendChild(path);
    }
    image.replaceWith(group);
  }
  return new XMLSerializer().serializeToString(page);
}
function colours(bitmap, w, h) {
  const canvas = new OffscreenCanvas(w, h);
  const pen = canvas.getContext("2d");
  pen.drawImage(bitmap, 0, 0);
  const pixels = new Uint32Array(pen.getImageData(0, 0, w, h).data.buffer);
  const same = (y, z) => {
    for (let x = 0; x < w; x++) if (pixels[y * w + x] !== pixels[z * w + x]) return false;
    return true;
  };
  const paths = [];
  for (let y = 0, end; y < h; y = end) {
    for (end = y + 1; end < h && same(y, end);) end++;
    for (let x = 0, stop; x < w; x = stop) {
      const value = pixels[y * w + x];
      for (stop = x + 1; stop < w && pixels[y * w + stop] === value;) stop++;
      if (value >>> 24 === 0) continue;
      const colour = `rgb(${value & 255},${value >> 8 & 255},${value >> 16 & 255})`;
      paths.push([colour, `M${x},${y}h${stop - x + 0.5}v${end - y + 0.5}h${x - stop - 0.5}z`]);
    }
  }
  return paths;
}
"""


@dataclass(frozen=True)
class Chart:
    """A Plotly chart (data, layout) and its size on paper."""

    plotly: PlotlyJson
    width_mm: float
    height_mm: float


class ChartPrinter:
    """Draws charts; use it as a context manager, early: the browser starts at once.

    A missing browser is an error only when a chart is drawn. Closing never fails.
    """

    def __init__(self, program: Path | None = None, deadline_s: float = DEADLINE_S):
        self._program, self._deadline_s = program, deadline_s
        self._asked: queue.SimpleQueue[tuple[str, Future[str]] | None] = queue.SimpleQueue()
        self._known: dict[str, Future[str]] = {}
        self._thread = threading.Thread(target=self._work, name="charts", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser; waits some seconds at most and never raises.

        A browser that hangs beyond that ends with this process, when its pipe closes.
        """
        self._asked.put(None)
        self._thread.join(CLOSE_S)

    def print(self, charts: list[Chart]) -> list[str]:
        """The charts as SVG text, in order; text in them is in the report's typeface.

        Raises MissingPartError without a browser, ReportError when it fails or hangs.
        """
        futures = [self.prefetch(chart) for chart in charts]
        # the browser's start, its page, and each chart have deadlines of their own
        limit_s = START_S + self._deadline_s * (2 + len(self._known))
        try:
            return [future.result(limit_s) for future in futures]
        except TimeoutError as problem:
            raise ReportError(f"no chart was drawn in {limit_s:.0f} s") from problem

    def prefetch(self, chart: Chart) -> Future[str]:
        """The chart's SVG to come: drawn from now on, and once however often it is asked for."""
        call = _call(chart)
        name = sha256_bytes(call.encode())  # the call of a long series takes a megabyte
        if name not in self._known:
            self._known[name] = Future()
            if self._thread.is_alive():
                self._asked.put((call, self._known[name]))
            else:
                self._known[name].set_exception(ReportError("the browser has been closed"))
        return self._known[name]

    def _work(self) -> None:
        # whatever happens here, nobody may wait for a chart that will never come
        try:
            with _drawing_page(self._program, self._deadline_s) as page:
                self._serve(page)
        except Exception as problem:  # noqa: BLE001
            self._refuse(problem)

    def _serve(self, page: Page) -> None:
        while (asked := self._asked.get()) is not None:
            call, future = asked
            try:
                future.set_result(_draw(page, call, self._deadline_s))
            except Exception as problem:  # noqa: BLE001
                future.set_exception(problem)

    def _refuse(self, problem: Exception) -> None:
        """Answer every request with the problem that ended the browser."""
        told = problem
        if isinstance(problem, OSError):
            told = ReportError(f"Chrome cannot be started: {problem}")
        while (asked := self._asked.get()) is not None:
            asked[1].set_exception(told)


def _drawing_page(program: Path | None, deadline_s: float) -> Page:
    page = Page(program=program)
    try:
        _load(page, deadline_s)
    except BaseException:
        page.close()
        raise
    return page


def _load(page: Page, deadline_s: float) -> None:
    with tempfile.TemporaryDirectory(prefix="perfkit-page-") as folder:
        html = Path(folder) / "page.html"
        html.write_text(
            f'<!doctype html><meta charset="utf-8"><style>{fonts.css()}</style>'
            f'<script src="{plotly_script().as_uri()}"></script>'
            f"<script>{_SEED}{_VECTOR}{_DRAW}</script><body></body>",
            encoding="utf-8",
        )
        page.open(html.as_uri(), deadline_s=deadline_s)
        faces = [f'{face.style} {face.weight} 12px "{FONT_FAMILY}"' for face in fonts.FACES]
        loaded = page.evaluate(
            f"Promise.all({json.dumps(faces)}.map(f => document.fonts.load(f)))"
            ".then(all => typeof Plotly === 'object' && all.every(f => f.length))",
            deadline_s=deadline_s,
        )
    if not loaded:
        raise ReportError("Chrome could not load Plotly's script or the typeface")


def plotly_script() -> Path:
    """Plotly's own script, as it comes with the Python package."""
    found = importlib.util.find_spec("plotly")
    if found is None or found.origin is None:
        raise MissingPartError("plotly is not installed; make setup")
    return Path(found.origin).parent / "package_data" / "plotly.min.js"


def _call(chart: Chart) -> str:
    """The call that draws a chart: equal for charts that look the same."""
    width, height = (
        round(side / MM_PER_INCH * PX_PER_INCH, 2) for side in (chart.width_mm, chart.height_mm)
    )
    plain = json.dumps({"data": chart.plotly["data"], "layout": chart.plotly["layout"]})
    return f"draw({plain}, {width}, {height})"


def _draw(page: Page, call: str, deadline_s: float) -> str:
    svg = page.evaluate(call, deadline_s=deadline_s)
    if not isinstance(svg, str) or "<svg" not in svg:
        raise ReportError("Plotly gave no SVG")
    return svg

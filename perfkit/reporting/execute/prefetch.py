"""While the notebook runs: what its report is made with is imported, and its charts are drawn."""

from __future__ import annotations

import contextlib
import importlib
import threading
from typing import TYPE_CHECKING, Any

from perfkit.core.values import MIME, PLOTLY_MIME

if TYPE_CHECKING:
    from perfkit.reporting.write.charts import ChartPrinter

PARTS = ("perfkit.reporting.write.exporters", "typst")
"""What takes long to import. What cannot be imported is told where it is used."""


class Prefetch:
    """Told by the engine what a notebook does; nothing of it changes the report, or fails.

    ``charts`` draws each chart as soon as it is shown; None: they are drawn with the report.
    """

    def __init__(self, charts: ChartPrinter | None = None):
        self._charts, self._paper = charts, "us-letter"

    def begun(self) -> None:
        """The notebook runs: from now on this process mostly waits."""
        threading.Thread(target=_import_parts, name="exporters", daemon=True).start()

    def shown(self, data: dict[str, Any]) -> None:
        """A cell has shown something."""
        with contextlib.suppress(Exception):
            self._paper = data.get(MIME["front"], {}).get("paper") or self._paper
            if self._charts is not None and MIME["figure"] in data and PLOTLY_MIME in data:
                self._draw(self._charts, data[MIME["figure"]], data[PLOTLY_MIME])

    def _draw(self, charts: ChartPrinter, record: dict[str, Any], plotly: dict[str, Any]) -> None:
        from perfkit.reporting.write.charts import Chart
        from perfkit.reporting.write.paper import text_sizes_mm

        portrait_mm, landscape_mm = text_sizes_mm(self._paper)
        width_mm = landscape_mm if record["wide"] else portrait_mm
        charts.prefetch(Chart(plotly, width_mm, record["height_mm"]))


def _import_parts() -> None:
    with contextlib.suppress(Exception):
        for part in PARTS:
            importlib.import_module(part)
